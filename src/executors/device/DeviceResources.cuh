// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_executors_device_DeviceResources_cuh
#define ccl_executors_device_DeviceResources_cuh

#include "executors/device/DeviceAllocation.cuh"
#include "executors/device/DeviceCapabilities.h"
#include "executors/device/DevicePool.cuh"
#include "executors/device/MemoryCache.h"

#include <cuda_runtime_api.h>

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

namespace itk::ccl
{

/** The source of pinned host memory. Members throw CudaConnectedComponentError if CUDA fails. */
struct PinnedMemory
{
  /** Returns null if there is too little memory. */
  void *
  Allocate(std::size_t bytes) const;

  void
  Free(void * memory) const;
};

/** The source of blocks of device memory. Members throw CudaConnectedComponentError if CUDA fails. */
struct DeviceBlocks
{
  /** Returns null if there is too little memory. */
  void *
  Allocate(std::size_t bytes) const;

  void
  Free(void * memory) const;
};

/** The resources that all calls in a context of a device share: streams, cached pinned host memory, cached blocks of
 * device memory for small calls, and the pool of the device. They are never destroyed, because the CUDA driver may be
 * unloaded before the end of the process.
 *
 * A call begins with Of() and ends with EndCall(). Between calls, cached memory has a limit: twice the bytes that the
 * recent calls used at the same time. The 16 most recent calls that used any memory of a kind count as recent.
 *
 * Members throw CudaConnectedComponentError if CUDA fails: of kind Memory if there is too little memory, else of
 * kind Cuda. The resources' device must be current. Thread-safe. */
class DeviceResources final : public MemorySource
{
public:
  /** Returns the resources of `device`, which must be the current device. Starts the device and creates the resources
   * if there are none for the device's current context. After cudaDeviceReset(), the device has a new context, and so
   * new resources. Throws CudaConnectedComponentError if the device cannot be started. */
  static DeviceResources &
  Of(int device);

  /** Frees the memory that no call uses, on all devices. Waits for the work of calls that have ended before their work.
   * Any device may be current. Starts no device. Skips contexts
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

  /** Allocates pinned host memory. It goes back to the cache with its last owner. If there is too little memory, frees
   * the cache and tries again. */
  std::shared_ptr<void>
  AllocateHost(std::size_t bytes);

  /** Returns a block of device memory. It goes back to the cache with its last owner. All work on it must have ended
   * then, or else the call gives it to ReturnAfterWork(). Returns null if there is too little memory. */
  std::shared_ptr<void>
  AllocateBlock(std::size_t bytes)
  {
    this->ReturnBlocks();
    m_Pool.TouchDemand(); // so that the pool shrinks after small calls, too
    return m_Blocks.Allocate(bytes);
  }

  /** Does the same if the process may hold at most so many bytes on the device. Frees first what no call uses, if that
   * is too much. */
  std::shared_ptr<void>
  AllocateBlockWithin(std::size_t bytes, std::uint64_t mostBytes);

  /** Lets a block of AllocateBlock() go back to the cache when the work that is on a stream now has ended: at the
   * begin or end of a later call, or when the cache is trimmed. Waits for the stream if CUDA fails. Does not throw. */
  void
  ReturnAfterWork(std::shared_ptr<void> block, cudaStream_t stream);

  /** The number of bytes of TakeZeroedMemory(). */
  static constexpr std::size_t ZeroedBytes = 512;

  /** Returns device memory that is 0 when later work of a stream starts. Only new memory needs a memset on the stream:
   * all work on returned memory has ended. No other call uses it, until ReturnZeroedMemory() or FreeZeroedMemory().
   * Returns null if there is too little memory. */
  void *
  TakeZeroedMemory(cudaStream_t stream);

  /** Takes memory of TakeZeroedMemory() back. All work on it must have ended, and its bytes must be 0. */
  void
  ReturnZeroedMemory(void * memory);

  /** Frees memory of TakeZeroedMemory() whose bytes may not be 0. */
  void
  FreeZeroedMemory(void * memory);

  /** Frees the device memory that no call uses, if the process holds more than so many bytes on the device. */
  void
  HoldAtMost(std::uint64_t bytes);

  /** Allocates memory from the pool. If there is too little memory, frees what the pool does not use and tries again.
   */
  void *
  Allocate(std::size_t bytes, cudaStream_t stream) override;

  void
  Free(void * memory, std::size_t bytes, cudaStream_t stream) override
  {
    m_Pool.Free(memory, bytes, stream);
  }

  bool
  MayUseCache(std::size_t) const override
  {
    return true;
  }

  /** Ends a call. Frees the memory above the limits. */
  void
  EndCall();

private:
  /** A block of a call that has ended before its work on the device, and an event behind this work. */
  struct BusyBlock
  {
    std::shared_ptr<void> block; // null if no work uses the event
    cudaEvent_t           end;
  };

  /** Lets the blocks of ReturnAfterWork() whose work has ended go back to the cache. */
  void
  ReturnBlocks();

  /** Waits for the work on all blocks of ReturnAfterWork(), and lets them go back to the cache. */
  void
  AwaitBlocks();

  /** Frees all memory that no call uses. */
  void
  Trim();

  /** Frees all device memory that no call uses. */
  void
  TrimDevice();

  /** Returns the bytes of device memory, in use or cached, without those of the pool. */
  std::uint64_t
  GetBytesOfBlocks()
  {
    const std::lock_guard<std::mutex> lock(m_Mutex);
    return m_Blocks.GetBytes() + m_ZeroedCount * ZeroedBytes;
  }

  /** Returns the bytes of device memory that can be allocated. */
  std::uint64_t
  GetFreeMemory() const;

  DeviceCapabilities             m_Capabilities;
  DevicePool &                   m_Pool;
  std::mutex                     m_Mutex; // of the next four members
  std::vector<cudaStream_t>      m_Streams;
  std::vector<BusyBlock>         m_BusyBlocks;
  std::vector<void *>            m_ZeroedMemory;    // that no call uses
  std::size_t                    m_ZeroedCount = 0; // used or not
  CachingAllocator<PinnedMemory> m_HostMemory;
  CachingAllocator<DeviceBlocks> m_Blocks;
};

} // namespace itk::ccl

#endif
