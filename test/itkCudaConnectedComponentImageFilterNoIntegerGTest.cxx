// SPDX-License-Identifier: Apache-2.0

// Tests of inputs whose pixels are not integers. They have a file of their own, because each type takes seconds to
// compile.

#include "FilterTestSupport.h"
#include "TestTypes.h"

#include "itkRGBPixel.h"

#include <complex>

namespace no_integer_test
{

template <typename T>
class CudaConnectedComponentsFilterNoInteger : public testing::Test
{};
using TypesOfPixels =
  TestTypes<float, std::complex<float>, itk::Vector<float, 3>, double, itk::RGBPixel<unsigned char>>;
TYPED_TEST_SUITE(CudaConnectedComponentsFilterNoInteger, TypesOfPixels);

TYPED_TEST(CudaConnectedComponentsFilterNoInteger, SameAsItk) { ExpectSameAsItkForInput<itk::Image<TypeParam, 3>>(); }

} // namespace no_integer_test
