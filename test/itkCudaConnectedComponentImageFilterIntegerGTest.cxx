// SPDX-License-Identifier: Apache-2.0

// Inputs of every integer type: in small files, as each type takes seconds to compile.

#include "FilterTestSupport.h"

namespace
{

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

TYPED_TEST(FilterInteger, SameAsItk) { ExpectSameAsItkForInput<itk::Image<TypeParam, 3>>(); }

} // namespace
