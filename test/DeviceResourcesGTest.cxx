// SPDX-License-Identifier: Apache-2.0

// Tests of the resources of a device, which the library does not export.

#include "CudaTestSupport.h"

#include "executors/device/CudaContext.cuh"
#include "executors/device/CudaError.cuh"
#include "executors/device/DeviceResources.cuh"

#include <gtest/gtest.h>

#include <vector>

namespace
{

using namespace itk::ccl;

TEST(CudaConnectedComponentsDeviceResources, ACounterIsZeroForEachOwner)
{
  SKIP_WITHOUT_DEVICE();
  DeviceResources::TrimAll();
  const auto          poisoned = CudaTestSupport::PoisonFreeMemory();
  const CurrentDevice device(-1);
  DeviceResources &   resources = DeviceResources::Of(device.Get());
  const cudaStream_t  stream = resources.TakeStream();
  // The first owners release their counters without a kernel, as after an exception.
  for (int owner = 0; owner < 2; ++owner)
  {
    std::vector<std::shared_ptr<void>> counters;
    for (int i = 0; i < 100; ++i)
    {
      counters.push_back(resources.AllocateCounter());
    }
    for (const auto & counter : counters)
    {
      unsigned int value = 1;
      CCL_CHECK(cudaMemcpyAsync(&value, counter.get(), sizeof(value), cudaMemcpyDeviceToHost, stream));
      CCL_CHECK(cudaStreamSynchronize(stream));
      ASSERT_EQ(value, 0U);
    }
  }
  resources.ReturnStream(stream);
}

} // namespace
