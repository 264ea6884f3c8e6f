// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_test_Oracle_h
#define ccl_test_Oracle_h

#include "TestImages.h"

#include "itkConnectedComponentImageFilter.h"

#include <gtest/gtest.h>


/** The labels of an image, and how many objects there are. */
struct Labels
{
  std::vector<std::uint32_t> pixels;
  std::uint64_t              objectCount = 0;
};

/** ITK's own filter, and not an override of it. */
template <typename TInputImage, typename TOutputImage, typename TMaskImage = TInputImage>
typename itk::ConnectedComponentImageFilter<TInputImage, TOutputImage, TMaskImage>::Pointer
MakeOracle()
{
  auto filter = itk::ConnectedComponentImageFilter<TInputImage, TOutputImage, TMaskImage>::New();
  EXPECT_STREQ(filter->GetNameOfClass(), "ConnectedComponentImageFilter");
  return filter;
}

/** What every labeling is compared with. */
Labels
LabelByItk(const TestImage & image, bool fullyConnected);

void
ExpectSame(const Labels & labels, const Labels & expected, const std::string & what);

#endif
