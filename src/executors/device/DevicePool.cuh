// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_executors_device_DevicePool_cuh
#define ccl_executors_device_DevicePool_cuh

#include "executors/device/MemoryCache.h"

#include <cuda_runtime_api.h>

#include <cstdint>
#include <mutex>

namespace itk::ccl
{

/** A pool of device memory, for all contexts of a device. CUDA keeps the memory of a pool when a context ends, also
 * after cudaDeviceReset(). So a pool for each context would hold memory for ever.
 *
 * The pool is never destroyed. Members throw CudaConnectedComponentError if CUDA fails. A context of the device must be
 * current. Thread-safe. */
class DevicePool
{
public:
  /** Makes a pool. On a device without memory pools, cudaMalloc() allocates the memory. */
  DevicePool(int device, bool hasMemoryPools);
  DevicePool(const DevicePool &) = delete;
  DevicePool &
  operator=(const DevicePool &) = delete;

  /** Allocates memory in the order of a stream. Returns CUDA's error. */
  cudaError_t
  Allocate(void ** memory, std::size_t bytes, cudaStream_t stream);

  /** Frees memory of Allocate() in the order of a stream. The memory and its size must be from that call. */
  void
  Free(void * memory, std::size_t bytes, cudaStream_t stream);

  /** Makes the call that runs count as a recent one, also if it uses no memory of the pool. */
  void
  TouchDemand()
  {
    const std::lock_guard<std::mutex> lock(m_Mutex);
    m_Demand.Touch();
  }

  /** Ends a call. Keeps twice the bytes that the recent calls used at the same time, rounded up to a multiple of 32
   * MiB.
   */
  void
  EndCall();

  /** Gives the memory that no call uses back to CUDA. */
  void
  Trim() const;

  /** Returns the bytes that the pool holds. Without a pool, returns the bytes in use. */
  std::uint64_t
  GetBytes() const;

  /** Returns the bytes that the pool holds, but no call uses. */
  std::uint64_t
  GetUnusedBytes() const;

private:
  cudaMemPool_t      m_Pool = nullptr; // null if the device has no memory pools
  mutable std::mutex m_Mutex;
  RecentDemand       m_Demand;
  std::uint64_t      m_Threshold = 0;
};

} // namespace itk::ccl

#endif
