// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_test_Oracle_h
#define ccl_test_Oracle_h

#include "TestImages.h"

#include "itkConnectedComponentImageFilter.h"

#include <gtest/gtest.h>

#include <string>

/** The labels of an image, and the number of objects. */
struct Labels
{
  std::vector<std::uint32_t> pixels;
  std::uint64_t              objectCount = 0;
};

/** Returns ITK's own filter. The test fails if an object factory has overridden the filter. */
template <typename TInputImage, typename TOutputImage, typename TMaskImage = TInputImage>
typename itk::ConnectedComponentImageFilter<TInputImage, TOutputImage, TMaskImage>::Pointer
MakeOracle()
{
  auto filter = itk::ConnectedComponentImageFilter<TInputImage, TOutputImage, TMaskImage>::New();
  EXPECT_STREQ(filter->GetNameOfClass(), "ConnectedComponentImageFilter");
  return filter;
}

/** Labels an image with ITK's filter. All algorithms must give the same labels. */
Labels
LabelByItk(const TestImage & image, bool fullyConnected);

/** Expects equal labels and equal numbers of objects. `what` describes the case in a failure message. */
void
ExpectSame(const Labels & labels, const Labels & expected, const std::string & what);

/** Returns whether an algorithm is tested: whether the environment variable CUDA_CONNECTED_COMPONENTS_TEST_ALGORITHM is
 * its name, or is not set. */
bool
IsTested(const std::string & algorithm);

/** Returns the text of an exception of ITK without the place in the source and without "ITK ERROR". ITK 5 has the class
 * and the address of the thrower in the description, and ITK 6 only in what(). */
std::string
TextOf(const itk::ExceptionObject & exception);

/** Removes the text in which the exceptions and outputs of both filters may differ: the prefix `Cuda` of the class
 * name, and addresses. */
std::string
Comparable(const std::string & text);

/** Returns whether a regular expression describes a whole text. */
bool
Matches(const std::string & text, const std::string & expression);

#endif
