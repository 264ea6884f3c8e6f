// SPDX-License-Identifier: Apache-2.0

// Tests of inputs of every integer type. They have a file of their own, because each type takes seconds to compile.

#include "FilterTestSupport.h"
#include "TestTypes.h"

namespace integer_test
{

template <typename T>
class CudaConnectedComponentsFilterInteger : public testing::Test
{};
using TypesOfPixels = TestTypes<unsigned char,
                                short,
                                unsigned long long,
                                bool,
                                char,
                                signed char,
                                unsigned short,
                                int,
                                unsigned int,
                                long,
                                unsigned long,
                                long long>;
TYPED_TEST_SUITE(CudaConnectedComponentsFilterInteger, TypesOfPixels);

TYPED_TEST(CudaConnectedComponentsFilterInteger, SameAsItk) { ExpectSameAsItkForInput<itk::Image<TypeParam, 3>>(); }

} // namespace integer_test
