// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_benchmark_DeviceClock_cuh
#define ccl_benchmark_DeviceClock_cuh

#include "executors/device/CudaError.cuh"

#include <cuda_runtime.h>

#include <cstdint>
#include <memory>

namespace itk::ccl
{

/** Makes an event that can measure time. */
inline std::shared_ptr<CUevent_st>
MakeEvent()
{
  cudaEvent_t event = nullptr;
  CCL_CHECK(cudaEventCreate(&event));
  return std::shared_ptr<CUevent_st>(event, cudaEventDestroy);
}

/** Measures the time of work on the default stream. */
class DeviceClock
{
public:
  /** Returns the time of work() in milliseconds. */
  template <typename TWork>
  double
  Time(const TWork & work) const
  {
    CCL_CHECK(cudaEventRecord(m_Begin.get(), nullptr));
    work();
    CCL_CHECK(cudaEventRecord(m_End.get(), nullptr));
    CCL_CHECK(cudaEventSynchronize(m_End.get()));
    float milliseconds = 0.0F;
    CCL_CHECK(cudaEventElapsedTime(&milliseconds, m_Begin.get(), m_End.get()));
    return milliseconds;
  }

private:
  std::shared_ptr<CUevent_st> m_Begin = MakeEvent();
  std::shared_ptr<CUevent_st> m_End = MakeEvent();
};

/** Allocates device memory for images. The library's memory pool does not hold it. */
inline std::shared_ptr<void>
AllocateDevice(std::uint64_t bytes)
{
  void * memory = nullptr;
  CCL_CHECK(cudaMalloc(&memory, bytes));
  return std::shared_ptr<void>(memory, cudaFree);
}

} // namespace itk::ccl

#endif
