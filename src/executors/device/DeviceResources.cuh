// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_executors_device_DeviceResources_cuh
#define ccl_executors_device_DeviceResources_cuh

#include "executors/device/DeviceCapabilities.h"
#include "executors/device/DevicePool.cuh"
#include "executors/device/MemoryCache.h"

#include <cuda_runtime_api.h>

#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace itk::ccl
{

/** The resources that all calls in a context of a device share: streams, cached pinned host memory, and the pool of the
 * device. They are never destroyed, because the CUDA driver may be unloaded before the end of the process.
 *
 * A call begins with Of() and ends with EndCall(). Between calls, cached memory has a limit: twice the bytes that the
 * recent calls used at the same time. The 16 most recent calls that used any pinned memory count as recent.
 *
 * Members throw CudaConnectedComponentError if CUDA fails: of kind Memory if there is too little memory, else of
 * kind Cuda. The resources' device must be current. Thread-safe. */
class DeviceResources
{
public:
  /** Returns the resources of `device`, which must be the current device. Starts the device and creates the resources
   * if there are none for the device's current context. After cudaDeviceReset(), the device has a new context, and so
   * new resources. Throws CudaConnectedComponentError if the device cannot be started. */
  static DeviceResources &
  Of(int device);

  /** Frees the memory that no call uses, on all devices. Any device may be current. Starts no device. Skips contexts
   * that the program has made itself, unless they are current. They share the pool of their device with the others. */
  static void
  TrimAll();

  /** Returns the bytes that all devices hold, in use or cached, in the contexts of TrimAll(). Starts no device. */
  static HeldMemory
  GetHeldMemory();

  /** Returns true if resources of any device have been created, here or before this process was forked. Locks no mutex.
   */
  static bool
  AreAny();

  /** Creates the resources of the current device. Call Of() instead. */
  explicit DeviceResources(int device);

  const DeviceCapabilities &
  GetCapabilities() const
  {
    return m_Capabilities;
  }

  /** Returns a stream that no other call uses, until ReturnStream(). */
  cudaStream_t
  TakeStream();

  /** Takes a stream back. All work of the stream must have ended. */
  void
  ReturnStream(cudaStream_t stream);

  /** Allocates pinned host memory. It goes back to the cache with its last owner. */
  std::shared_ptr<void>
  AllocateHost(std::size_t bytes);

  /** Allocates device memory in the order of a stream. If there is too little memory, frees what the pool does not use
   * and tries again. DeviceAllocation is an owner for it. */
  void *
  AllocateFromPool(std::size_t bytes, cudaStream_t stream);

  /** Frees memory of AllocateFromPool() in the order of a stream. The memory and its size must be from that call. */
  void
  FreeToPool(void * memory, std::size_t bytes, cudaStream_t stream)
  {
    m_Pool.Free(memory, bytes, stream);
  }

  /** Ends a call. Frees the memory above the limits. */
  void
  EndCall();

private:
  /** Frees all memory that no call uses. */
  void
  Trim();

  /** Frees memory blocks that were removed from the cache. */
  static void
  FreeHost(const std::vector<MemoryCache::Block> & blocks);

  /** Returns the bytes of device memory that can be allocated. */
  std::uint64_t
  GetFreeMemory() const;

  DeviceCapabilities        m_Capabilities;
  DevicePool &              m_Pool;
  std::mutex                m_Mutex;
  std::vector<cudaStream_t> m_Streams;
  MemoryCache               m_HostMemory;
};

/** Owns device memory from the pool, or refers to memory of another owner. Allocates and frees memory in the order of a
 * stream. */
class DeviceAllocation
{
public:
  /** Allocates `bytes` bytes. For 0 bytes, get() returns null. Throws like DeviceResources::AllocateFromPool(). */
  DeviceAllocation(DeviceResources & resources, std::size_t bytes, cudaStream_t stream)
    : m_Resources(&resources)
    , m_Memory(bytes == 0 ? nullptr : resources.AllocateFromPool(bytes, stream))
    , m_Bytes(bytes)
    , m_Stream(stream)
  {}
  /** Refers to memory of another owner. */
  explicit DeviceAllocation(void * memory)
    : m_Resources(nullptr)
    , m_Memory(memory)
    , m_Bytes(0)
    , m_Stream(nullptr)
  {}
  ~DeviceAllocation()
  {
    if (m_Memory != nullptr && m_Resources != nullptr)
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
  /** Exchanges the memory, so that the destructor of `other` frees it. */
  DeviceAllocation &
  operator=(DeviceAllocation && other) noexcept
  {
    std::swap(m_Resources, other.m_Resources);
    std::swap(m_Memory, other.m_Memory);
    std::swap(m_Bytes, other.m_Bytes);
    std::swap(m_Stream, other.m_Stream);
    return *this;
  }

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
