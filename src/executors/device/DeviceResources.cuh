// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_executors_device_DeviceResources_cuh
#define ccl_executors_device_DeviceResources_cuh

#include "executors/device/DeviceCapabilities.h"
#include "executors/device/MemoryCache.h"

#include <cuda_runtime_api.h>

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace itk::ccl
{

/** What calls on a device share: a pool of device memory for their intermediate results, streams, and memory that is
 * cached from call to call. Never destroyed, as the CUDA driver may be gone before the process is.
 *
 * A call begins with Of() and ends with EndCall(). Between calls, the memory held is at most:
 * - pinned host memory, and device memory of small images: twice what the 16 most recent calls that needed any needed
 *   at one time;
 * - the pool: the same, rounded up to a multiple of 32 MiB.
 *
 * Thread-safe. */
class DeviceResources
{
public:
  /** The resources of the current device, which `device` must be, in its current context; created by the first call. A
   * context that cudaDeviceReset() has ended has a new one after it. Throws where the device cannot be started. */
  static DeviceResources &
  Of(int device);

  /** Gives back what no call uses, on all devices. */
  static void
  TrimAll();

  /** Bytes of all devices. */
  static HeldMemory
  GetHeldMemory();

  /** Whether any device's have been created. */
  static bool
  AreAny();

  explicit DeviceResources(int device);

  const DeviceCapabilities &
  GetCapabilities() const
  {
    return m_Capabilities;
  }

  /** Lets a kernel be launched with so many bytes of dynamic shared memory. CUDA takes its time over it, so that it is
   * asked once. */
  void
  AllowSharedMemory(const void * kernel, std::uint64_t bytes);

  cudaStream_t
  TakeStream();
  void
  ReturnStream(cudaStream_t stream);

  /** Pinned host memory, cached when its last owner goes. */
  std::shared_ptr<void>
  AllocateHost(std::size_t bytes);

  /** Device memory from the pool, to be freed by FreeToPool() in the order of the stream. Throws where there is too
   * little. */
  void *
  AllocateFromPool(std::size_t bytes, cudaStream_t stream);
  void
  FreeToPool(void * memory, std::size_t bytes, cudaStream_t stream);

  /** Device memory, cached when its last owner goes, who must have waited for the stream. Allocating from the pool
   * takes longer than an empty kernel does. */
  std::shared_ptr<void>
  AllocateCached(std::size_t bytes);

  /** An unsigned int of device memory that is 0, and must be again when its last owner goes: the next owner relies on
   * it. */
  std::shared_ptr<void>
  AllocateCounter(cudaStream_t stream);

  /** Ends a call: frees the memory that recent calls had no use for. */
  void
  EndCall();

private:
  void
  Trim();

  /** Leaves pinned memory alone. */
  void
  TrimDeviceMemory();

  using Deallocator = cudaError_t (*)(void * memory);

  /** A cached block, or a new one from allocate(bytes). */
  template <typename TAllocate>
  std::shared_ptr<void>
  AllocateFrom(MemoryCache & cache, std::size_t bytes, Deallocator deallocate, const TAllocate & allocate);

  /** What allocate(&memory) gives. Where there is too little memory, frees what is cached and tries once more. */
  template <typename TAllocate>
  void *
  AllocateOnDevice(std::size_t bytes, const TAllocate & allocate);

  static void
  FreeAll(const std::vector<MemoryCache::Block> & blocks, Deallocator deallocate);

  /** Bytes of device memory that can still be allocated. */
  std::uint64_t
  GetFreeMemory() const;

  /** Bytes that the pool has of the device. */
  std::uint64_t
  GetPoolBytes() const;

  int                       m_Device;
  DeviceCapabilities        m_Capabilities;
  cudaMemPool_t             m_Pool = nullptr; // none where the device has no memory pools
  std::mutex                m_Mutex;
  std::vector<cudaStream_t> m_Streams;
  MemoryCache               m_HostMemory;
  MemoryCache               m_DeviceMemory;
  std::vector<void *>       m_Counters; // that nobody owns
  std::size_t               m_CounterCount = 0;
  RecentDemand              m_PoolDemand;
  std::uint64_t             m_PoolThreshold = 0;
  /** Of the kernels that were launched with dynamic shared memory. */
  std::map<const void *, std::uint64_t> m_AllowedSharedMemory;
};

/** Device memory from the pool, freed in the order of a stream. */
class DeviceAllocation
{
public:
  /** Nothing for 0 bytes. */
  DeviceAllocation(DeviceResources & resources, std::size_t bytes, cudaStream_t stream)
    : m_Resources(&resources)
    , m_Memory(bytes == 0 ? nullptr : resources.AllocateFromPool(bytes, stream))
    , m_Bytes(bytes)
    , m_Stream(stream)
  {}
  ~DeviceAllocation()
  {
    if (m_Memory != nullptr)
    {
      m_Resources->FreeToPool(m_Memory, m_Bytes, m_Stream);
    }
  }
  DeviceAllocation(DeviceAllocation && other) noexcept
    : m_Resources(other.m_Resources)
    , m_Memory(other.m_Memory)
    , m_Bytes(other.m_Bytes)
    , m_Stream(other.m_Stream)
  {
    other.m_Memory = nullptr;
  }
  DeviceAllocation(const DeviceAllocation &) = delete;
  DeviceAllocation &
  operator=(const DeviceAllocation &) = delete;

  void *
  get() const
  {
    return m_Memory;
  }

private:
  DeviceResources * m_Resources;
  void *            m_Memory;
  std::size_t       m_Bytes;
  cudaStream_t      m_Stream;
};

} // namespace itk::ccl

#endif
