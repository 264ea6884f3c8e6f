// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_executors_device_DeviceArena_cuh
#define ccl_executors_device_DeviceArena_cuh

#include "executors/Arena.h"
#include "executors/device/DeviceAllocation.cuh"

namespace itk::ccl
{

/** One block of device memory for the arrays of a call, so that the call needs one allocation. */
class DeviceArena : public Arena
{
public:
  /** Allocates the memory in the order of a stream. */
  DeviceArena(MemorySource & source, const ArenaSize & size, cudaStream_t stream)
    : DeviceArena(DeviceAllocation(source, size.GetTotal(), stream), size)
  {}

  /** Uses memory of `size.GetTotal()` bytes, with the alignment of ArenaSize. */
  DeviceArena(DeviceAllocation && memory, const ArenaSize & size)
    : Arena(memory.get(), size)
    , m_Memory(std::move(memory))
  {}
  DeviceArena(const DeviceArena &) = delete;
  DeviceArena &
  operator=(const DeviceArena &) = delete;

private:
  DeviceAllocation m_Memory;
};

} // namespace itk::ccl

#endif
