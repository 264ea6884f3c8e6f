// SPDX-License-Identifier: Apache-2.0
#include "Oracle.h"

#include "itkImage.h"

#include <algorithm>
#include <cstdlib>
#include <regex>

namespace
{

template <unsigned int VDimension>
typename itk::Image<std::uint8_t, VDimension>::Pointer
ToItk(const TestImage & image)
{
  using ImageType = itk::Image<std::uint8_t, VDimension>;
  typename ImageType::SizeType size;
  for (unsigned int axis = 0; axis < VDimension; ++axis)
  {
    size[axis] = image.size[axis];
  }
  auto itkImage = ImageType::New();
  itkImage->SetRegions(size);
  itkImage->Allocate();
  std::copy(image.pixels.begin(), image.pixels.end(), itkImage->GetBufferPointer());
  return itkImage;
}

template <unsigned int VDimension>
Labels
LabelByItk(const TestImage & image, bool fullyConnected)
{
  using OutputType = itk::Image<std::uint32_t, VDimension>;
  auto filter = MakeOracle<itk::Image<std::uint8_t, VDimension>, OutputType>();
  filter->SetInput(ToItk<VDimension>(image));
  filter->SetFullyConnected(fullyConnected);
  filter->SetNumberOfWorkUnits(1);
  filter->Update();
  const std::uint32_t * const labels = filter->GetOutput()->GetBufferPointer();
  return { std::vector<std::uint32_t>(labels, labels + image.pixels.size()), filter->GetObjectCount() };
}

} // namespace

Labels
LabelByItk(const TestImage & image, bool fullyConnected)
{
  return image.size[2] == 1 ? LabelByItk<2>(image, fullyConnected) : LabelByItk<3>(image, fullyConnected);
}

void
ExpectSame(const Labels & labels, const Labels & expected, const std::string & what)
{
  EXPECT_EQ(labels.objectCount, expected.objectCount) << what;
  const auto difference =
    std::mismatch(labels.pixels.begin(), labels.pixels.end(), expected.pixels.begin(), expected.pixels.end());
  const bool isSame = difference.first == labels.pixels.end() && difference.second == expected.pixels.end();
  EXPECT_TRUE(isSame) << what << ": pixel " << difference.first - labels.pixels.begin() << " of "
                      << expected.pixels.size();
}

bool
IsTested(const std::string & algorithm)
{
  const char * const name = std::getenv("CUDA_CONNECTED_COMPONENTS_TEST_ALGORITHM");
  return name == nullptr || algorithm == name;
}

std::string
TextOf(const itk::ExceptionObject & exception)
{
  const std::string text = exception.what();
  return std::regex_replace(text.substr(text.find('\n') + 1), std::regex("^ITK ERROR:? "), "");
}

// Regular expressions take seconds to compile. So the tests call these functions.
std::string
Comparable(const std::string & text)
{
  const std::regex ourPrefix("Cuda(?=Binary|Connected|Isolated|Label|Relabel|Threshold)");
  const std::regex address("0x[0-9a-f]+|[0-9]{10,}");
  return std::regex_replace(std::regex_replace(text, ourPrefix, ""), address, "");
}

bool
Matches(const std::string & text, const std::string & expression)
{
  return std::regex_match(text, std::regex(expression));
}
