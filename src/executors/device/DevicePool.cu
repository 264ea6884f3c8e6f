// SPDX-License-Identifier: Apache-2.0
#include "executors/device/DevicePool.cuh"

#include "executors/device/CudaError.cuh"
#include "primitives/Grid.h"

namespace itk::ccl
{

DevicePool::DevicePool(int device, bool hasMemoryPools)
{
  if (hasMemoryPools)
  {
    cudaMemPoolProps properties{};
    properties.allocType = cudaMemAllocationTypePinned;
    properties.location.type = cudaMemLocationTypeDevice;
    properties.location.id = device;
    CCL_CHECK(cudaMemPoolCreate(&m_Pool, &properties));
  }
}

cudaError_t
DevicePool::Allocate(void ** memory, std::size_t bytes, cudaStream_t stream)
{
  const cudaError_t error =
    m_Pool != nullptr ? cudaMallocFromPoolAsync(memory, bytes, m_Pool, stream) : cudaMalloc(memory, bytes);
  if (error == cudaSuccess)
  {
    const std::lock_guard<std::mutex> lock(m_Mutex);
    m_Demand.Add(bytes);
  }
  return error;
}

void
DevicePool::Free(void * memory, std::size_t bytes, cudaStream_t stream)
{
  // Errors are ignored, because destructors call this function. If the context is broken, the next call reports it.
  static_cast<void>(m_Pool != nullptr ? cudaFreeAsync(memory, stream) : cudaFree(memory));
  const std::lock_guard<std::mutex> lock(m_Mutex);
  m_Demand.Remove(bytes);
}

void
DevicePool::EndCall()
{
  constexpr std::uint64_t      step = std::uint64_t{ 32 } << 20; // CUDA's pools grow by multiples of 32 MiB
  std::unique_lock<std::mutex> lock(m_Mutex);
  m_Demand.EndCall();
  std::uint64_t threshold = DivideUp(MemoryCache::MaximumShare * m_Demand.Get(), step) * step;
  if (m_Pool == nullptr || threshold == m_Threshold)
  {
    return;
  }
  m_Threshold = threshold;
  do
  {
    threshold = m_Threshold;
    // CUDA may take long. Other calls allocate meanwhile.
    lock.unlock();
    const cudaError_t isSet = cudaMemPoolSetAttribute(m_Pool, cudaMemPoolAttrReleaseThreshold, &threshold);
    const cudaError_t isTrimmed = cudaMemPoolTrimTo(m_Pool, threshold);
    lock.lock();
    if (isSet != cudaSuccess || isTrimmed != cudaSuccess)
    {
      m_Threshold = ~std::uint64_t{ 0 }; // so that the next call tries again
      CCL_CHECK(isSet);
      CCL_CHECK(isTrimmed);
    }
  } while (threshold != m_Threshold); // another call has changed it, and CUDA may have got this threshold last
}

void
DevicePool::Trim() const
{
  if (m_Pool != nullptr)
  {
    CCL_CHECK(cudaMemPoolTrimTo(m_Pool, 0));
  }
}

std::uint64_t
DevicePool::GetBytes() const
{
  if (m_Pool == nullptr)
  {
    const std::lock_guard<std::mutex> lock(m_Mutex);
    return m_Demand.GetInUse();
  }
  std::uint64_t reserved = 0;
  CCL_CHECK(cudaMemPoolGetAttribute(m_Pool, cudaMemPoolAttrReservedMemCurrent, &reserved));
  return reserved;
}

std::uint64_t
DevicePool::GetUnusedBytes() const
{
  if (m_Pool == nullptr)
  {
    return 0;
  }
  std::uint64_t used = 0;
  CCL_CHECK(cudaMemPoolGetAttribute(m_Pool, cudaMemPoolAttrUsedMemCurrent, &used));
  return this->GetBytes() - used;
}

} // namespace itk::ccl
