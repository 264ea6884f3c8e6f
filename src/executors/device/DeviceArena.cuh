// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_executors_device_DeviceArena_cuh
#define ccl_executors_device_DeviceArena_cuh

#include "executors/MeasuringExecutor.h"
#include "executors/device/CudaError.cuh"
#include "executors/device/DeviceAllocation.cuh"

namespace itk::ccl
{

/** One block of device memory for the arrays of a call, so that the call needs one allocation and one memset. */
class DeviceArena
{
public:
  /** Allocates the memory in the order of a stream. */
  DeviceArena(MemorySource & source, const ArenaSize & size, cudaStream_t stream)
    : DeviceArena(DeviceAllocation(source, size.cleared + size.uncleared, stream), size, stream)
  {}

  /** Uses memory of `size.cleared + size.uncleared` bytes, with the alignment of ArenaSize. */
  DeviceArena(DeviceAllocation && memory, const ArenaSize & size, cudaStream_t stream)
    : m_Memory(std::move(memory))
    , m_Left(size)
    , m_Cleared(static_cast<unsigned char *>(m_Memory.get()))
    , m_Uncleared(m_Cleared + size.cleared)
  {
    if (size.cleared != 0)
    {
      CCL_CHECK(cudaMemsetAsync(m_Cleared, 0, size.cleared, stream));
    }
  }
  DeviceArena(const DeviceArena &) = delete;
  DeviceArena &
  operator=(const DeviceArena &) = delete;

  /** Returns memory for an array, or null if there is too little left. */
  void *
  Take(std::uint64_t bytes)
  {
    return TakeFrom(m_Uncleared, m_Left.uncleared, bytes);
  }

  /** Does the same for an array whose bytes are 0. */
  void *
  TakeCleared(std::uint64_t bytes)
  {
    return TakeFrom(m_Cleared, m_Left.cleared, bytes);
  }

  /** Returns the memory that is left. */
  const ArenaSize &
  GetLeft() const
  {
    return m_Left;
  }

private:
  static void *
  TakeFrom(unsigned char *& memory, std::uint64_t & left, std::uint64_t bytes)
  {
    if (bytes > left)
    {
      return nullptr;
    }
    unsigned char * const taken = memory;
    memory += bytes;
    left -= bytes;
    return taken;
  }

  DeviceAllocation m_Memory;
  ArenaSize        m_Left;
  unsigned char *  m_Cleared;   // begin of the next cleared array
  unsigned char *  m_Uncleared; // begin of the next other array
};

} // namespace itk::ccl

#endif
