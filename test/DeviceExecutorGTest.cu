// SPDX-License-Identifier: Apache-2.0

// Tests of the executor of a device, which the library does not export.

#include "CudaTestSupport.h"
#include "ScanTest.h"

#include "executors/device/CudaContext.cuh"
#include "executors/device/DeviceExecutor.cuh"

#include <gtest/gtest.h>

#include <vector>

namespace
{

using namespace itk::ccl;

/** Copies elements from device memory to the host. */
struct Reader
{
  cudaStream_t stream;

  template <typename T>
  std::vector<T>
  operator()(const T * memory, std::uint64_t count) const
  {
    std::vector<T> elements(count);
    CCL_CHECK(cudaMemcpyAsync(elements.data(), memory, count * sizeof(T), cudaMemcpyDeviceToHost, stream));
    CCL_CHECK(cudaStreamSynchronize(stream));
    return elements;
  }
};

TEST(CudaConnectedComponentsDeviceExecutor, ScansValues)
{
  SKIP_WITHOUT_DEVICE();
  const CurrentDevice device(-1);
  DeviceResources &   resources = DeviceResources::Of(device.Get());
  const cudaStream_t  stream = resources.TakeStream();
  ScanTest::ExpectPrefixesOfAllSizes(DeviceExecutor(resources, stream), Reader{ stream });
  resources.ReturnStream(stream);
}

/** The sum of 2^30 values exceeds 32 bits. More tiles than thread blocks wait for each other. */
TEST(CudaConnectedComponentsDeviceExecutor, ScansVeryManyValues)
{
  SKIP_WITHOUT_DEVICE();
  const CurrentDevice         device(-1);
  DeviceResources &           resources = DeviceResources::Of(device.Get());
  const cudaStream_t          stream = resources.TakeStream();
  constexpr std::uint64_t     count = (std::uint64_t{ 1 } << 30) + 1;
  constexpr ScanTest::ValueAt valueAt{ 255 };
  std::uint64_t               expected = 0;
  for (std::uint64_t i = 0; i < count; ++i)
  {
    expected += valueAt(i);
  }
  ASSERT_GT(expected, std::uint64_t{ 1 } << 32);
  for (int repetition = 0; repetition < 10; ++repetition)
  {
    EXPECT_EQ(SumOf<std::uint64_t>(DeviceExecutor(resources, stream), count, valueAt), expected);
  }
  resources.ReturnStream(stream);
}

} // namespace
