// SPDX-License-Identifier: Apache-2.0

// Inputs of every integer type: in small files, as each type takes seconds to compile.

#include "FilterTestSupport.h"

namespace
{

using LabelsType = itk::Image<unsigned short, 3>;

template <typename T>
class FilterInteger : public testing::Test
{};
using TypesOfPixels = testing::Types<bool,
                                     char,
                                     signed char,
                                     unsigned char,
                                     short,
                                     unsigned short,
                                     int,
                                     unsigned int,
                                     long,
                                     unsigned long,
                                     long long,
                                     unsigned long long>;
TYPED_TEST_SUITE(FilterInteger, TypesOfPixels);

TYPED_TEST(FilterInteger, SameAsItk)
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
