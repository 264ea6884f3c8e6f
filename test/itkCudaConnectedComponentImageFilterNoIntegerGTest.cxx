// SPDX-License-Identifier: Apache-2.0

// Inputs of pixels that are no integers: in small files, as each type takes seconds to compile.

#include "FilterTestSupport.h"

#include "itkRGBPixel.h"

#include <complex>

namespace
{

using LabelsType = itk::Image<unsigned short, 3>;

template <typename T>
class FilterNoInteger : public testing::Test
{};
using TypesOfPixels =
  testing::Types<float, double, std::complex<float>, itk::RGBPixel<unsigned char>, itk::Vector<float, 3>>;
TYPED_TEST_SUITE(FilterNoInteger, TypesOfPixels);

TYPED_TEST(FilterNoInteger, SameAsItk)
{
  using ImageType = itk::Image<TypeParam, 3>;
  const auto image = MakeItkImage<ImageType>(MakeRandom({ 37, 21, 11 }, 20, 1, 101));
  const auto maskImage = MakeItkImage<ImageType>(MakeRandom({ 37, 21, 11 }, 70, 3, 102));
  ExpectSameAsItk<ImageType, LabelsType>([&](auto * filter) { filter->SetInput(image); });
  ExpectSameAsItk<ImageType, LabelsType>([&](auto * filter) {
    filter->SetInput(image);
    filter->SetMaskImage(maskImage);
  });
}

} // namespace
