// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_engine_CallersMemory_cuh
#define ccl_engine_CallersMemory_cuh

#include "engine/Checks.h"
#include "engine/DeviceChecks.cuh"
#include "executors/Arena.h"
#include "executors/device/DeviceAllocation.cuh"

#include "itkCudaConnectedComponentAllocator.h"

namespace itk::ccl
{

/** Device memory from the allocator of a caller. */
class CallersMemory final : public MemorySource
{
public:
  CallersMemory(const CudaConnectedComponentAllocator & allocator, int device)
    : m_Allocator(allocator)
    , m_Device(device)
  {}

  void *
  Allocate(std::size_t bytes, cudaStream_t stream) override
  {
    void * const memory = m_Allocator.allocate(m_Allocator.context, bytes, stream);
    if (memory == nullptr)
    {
      throw CudaConnectedComponentError(CudaConnectedComponentError::KindEnum::Memory,
                                        "device memory: the caller's allocator has returned null for " +
                                          std::to_string(bytes) + " bytes");
    }
    try
    {
      RequireDeviceMemory(memory, "memory of the caller's allocator", m_Device);
      Require(reinterpret_cast<std::uintptr_t>(memory) % ArenaSize::Alignment == 0, [] {
        return "the caller's allocator has returned an address that is not a multiple of " +
               std::to_string(ArenaSize::Alignment) + " bytes";
      });
    }
    catch (...)
    {
      this->Free(memory, bytes, stream);
      throw;
    }
    return memory;
  }

  void
  Free(void * memory, std::size_t bytes, cudaStream_t stream) override
  {
    m_Allocator.free(m_Allocator.context, memory, bytes, stream);
  }

  bool
  MayUseCache(std::size_t bytes) const override
  {
    return bytes < m_Allocator.smallestBytes;
  }

private:
  CudaConnectedComponentAllocator m_Allocator;
  int                             m_Device;
};

} // namespace itk::ccl

#endif
