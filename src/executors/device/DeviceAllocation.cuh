// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_executors_device_DeviceAllocation_cuh
#define ccl_executors_device_DeviceAllocation_cuh

#include <cuda_runtime_api.h>

#include <cstddef>
#include <utility>

namespace itk::ccl
{

/** A source of device memory: the pool of a device, or the allocator of a program. */
class MemorySource
{
public:
  /** Allocates memory in the order of a stream. Throws CudaConnectedComponentError of kind Memory if there is too
   * little memory. DeviceAllocation is an owner for it. */
  virtual void *
  Allocate(std::size_t bytes, cudaStream_t stream) = 0;

  /** Frees memory of Allocate() in the order of a stream. The memory and its size must be from that call. */
  virtual void
  Free(void * memory, std::size_t bytes, cudaStream_t stream) = 0;

  /** Returns whether a call may take so many bytes from DeviceResources::AllocateBlock() instead. */
  virtual bool
  MayUseCache(std::size_t bytes) const = 0;

protected:
  ~MemorySource() = default;
};

/** Owns device memory, or refers to memory of another owner. Allocates and frees memory in the order of a
 * stream. */
class DeviceAllocation
{
public:
  /** Allocates `bytes` bytes. For 0 bytes, get() returns null. Throws like MemorySource::Allocate(). */
  DeviceAllocation(MemorySource & source, std::size_t bytes, cudaStream_t stream)
    : m_Source(&source)
    , m_Memory(bytes == 0 ? nullptr : source.Allocate(bytes, stream))
    , m_Bytes(bytes)
    , m_Stream(stream)
  {}
  /** Refers to memory of another owner. */
  explicit DeviceAllocation(void * memory)
    : m_Source(nullptr)
    , m_Memory(memory)
    , m_Bytes(0)
    , m_Stream(nullptr)
  {}
  ~DeviceAllocation()
  {
    if (m_Memory != nullptr && m_Source != nullptr)
    {
      m_Source->Free(m_Memory, m_Bytes, m_Stream);
    }
  }
  DeviceAllocation(DeviceAllocation && other) noexcept
    : m_Source(other.m_Source)
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
    std::swap(m_Source, other.m_Source);
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
  MemorySource * m_Source;
  void *         m_Memory;
  std::size_t    m_Bytes;
  cudaStream_t   m_Stream;
};

} // namespace itk::ccl

#endif
