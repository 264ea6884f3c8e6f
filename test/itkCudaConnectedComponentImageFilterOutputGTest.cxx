// SPDX-License-Identifier: Apache-2.0

// Tests of outputs of every integer type. They have a file of their own, because each type takes seconds to compile.

#include "FilterTestSupport.h"
#include "TestTypes.h"

namespace output_test
{

using MaskType = itk::Image<unsigned char, 3>;

template <typename T>
class CudaConnectedComponentsFilterOutput : public testing::Test
{};
using OutputTypes = TestTypes<unsigned char,
                              short,
                              unsigned int,
                              char,
                              signed char,
                              unsigned short,
                              int,
                              long,
                              unsigned long,
                              long long,
                              unsigned long long>;
TYPED_TEST_SUITE(CudaConnectedComponentsFilterOutput, OutputTypes);

TYPED_TEST(CudaConnectedComponentsFilterOutput, SameAsItkForEveryBackground)
{
  using OutputType = itk::Image<TypeParam, 3>;
  const auto image = MakeItkImage<MaskType>(MakeRandom({ 23, 21, 5 }, 3, 1, 103));
  for (const TypeParam background :
       { TypeParam(0), TypeParam(1), TypeParam(5), TypeParam(-1), std::numeric_limits<TypeParam>::max() })
  {
    const auto filter = ExpectSameAsItk<MaskType, OutputType>([&](auto * each) {
      each->SetInput(image);
      each->SetBackgroundValue(background);
    });
    EXPECT_GT(filter->GetObjectCount(), 30U);
  }
}

} // namespace output_test
