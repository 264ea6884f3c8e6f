// SPDX-License-Identifier: Apache-2.0
#ifndef CudaRuntime_cuh
#define CudaRuntime_cuh

// CUDA's resources as owners, and its errors as exceptions.

#include "KeptMemory.h"
#include "itkCudaConnectedComponentLabeler.h"

#include <cuda_runtime_api.h>

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace itk::ccl
{

/** Throws CudaConnectedComponentError, with CUDA's message and where, unless `error` is cudaSuccess. */
void
CheckCuda(cudaError_t error, const char * expression, const char * file, int line);

#define CCL_CHECK(expression) ::itk::ccl::CheckCuda((expression), #expression, __FILE__, __LINE__)

/** Makes a device current as long as it lives, and then the caller's again. */
class CurrentDevice
{
public:
  /** -1 keeps the caller's current device. Throws where there is no such device. */
  explicit CurrentDevice(int device);
  ~CurrentDevice();
  CurrentDevice(const CurrentDevice &) = delete;
  CurrentDevice &
  operator=(const CurrentDevice &) = delete;

  int
  Get() const
  {
    return m_Device;
  }

private:
  int m_Callers = 0;
  int m_Device = 0;
};

/** What a device keeps between calls: a pool of device memory, streams, pinned host memory, and device memory that
 * small images need. Never destroyed, as the CUDA driver may be gone before the process is. */
class DeviceResources
{
public:
  /** Those of a device, created by the first call. The device must be current. */
  static DeviceResources &
  Of(int device);

  /** Gives back what no call uses, on all devices. */
  static void
  TrimAll();

  /** Whether any device's have been created. */
  static bool
  AreAny();

  explicit DeviceResources(int device);

  bool
  RunsCooperativeKernels() const
  {
    return m_RunsCooperativeKernels;
  }

  unsigned int
  GetMultiprocessors() const
  {
    return m_Multiprocessors;
  }

  /** Whether kernels can be started while those before them still run, and wait by themselves. */
  bool
  StartsKernelsEarly() const
  {
    return m_StartsKernelsEarly;
  }

  /** Bytes of shared memory that one block can have. */
  std::uint64_t
  GetSharedMemoryOfBlock() const
  {
    return m_SharedMemoryOfBlock;
  }

  /** Lets a kernel be launched with so many bytes of dynamic shared memory. CUDA takes its time over it, so that it is
   * asked once. */
  void
  AllowSharedMemory(const void * kernel, std::uint64_t bytes);

  cudaStream_t
  TakeStream();
  void
  ReturnStream(cudaStream_t stream);

  /** Pinned host memory, kept for the next call when its last owner goes. */
  std::shared_ptr<void>
  AllocateHost(std::size_t bytes);

  /** Device memory from the pool, to be freed in the order of the stream. Throws where there is too little. */
  void *
  AllocateFromPool(std::size_t bytes, cudaStream_t stream);

  /** Device memory, kept for the next call when its last owner goes, who must have waited for the stream. Taking from
   * the pool takes longer than an empty kernel does. */
  std::shared_ptr<void>
  AllocateKept(std::size_t bytes, cudaStream_t stream);

  /** An unsigned int of device memory that is 0, and must be again when its last owner goes, for the next call. */
  std::shared_ptr<void>
  AllocateCounter(cudaStream_t stream);

private:
  void
  Trim();

  KeptMemory::Block
  TakeFrom(KeptMemory & kept, std::size_t bytes);

  /** An owner that keeps the block when it goes. */
  std::shared_ptr<void>
  Own(KeptMemory & kept, const KeptMemory::Block & block);

  /** Bytes of device memory that can still be allocated. */
  std::uint64_t
  GetFreeMemory() const;

  int                       m_Device;
  bool                      m_RunsCooperativeKernels;
  bool                      m_StartsKernelsEarly;
  unsigned int              m_Multiprocessors;
  std::uint64_t             m_SharedMemoryOfBlock;
  cudaMemPool_t             m_Pool = nullptr;
  std::mutex                m_Mutex;
  std::vector<cudaStream_t> m_Streams;
  KeptMemory                m_HostMemory;
  KeptMemory                m_DeviceMemory;
  KeptMemory                m_Counters;
  /** Of the kernels that were launched with dynamic shared memory. */
  std::map<const void *, std::uint64_t> m_AllowedSharedMemory;
};

/** Device memory from a pool, freed in the order of a stream. */
class DeviceAllocation
{
public:
  DeviceAllocation(void * memory, cudaStream_t stream)
    : m_Memory(memory)
    , m_Stream(stream)
  {}
  ~DeviceAllocation()
  {
    if (m_Memory != nullptr)
    {
      cudaFreeAsync(m_Memory, m_Stream);
    }
  }
  DeviceAllocation(DeviceAllocation && other) noexcept
    : m_Memory(other.m_Memory)
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
  void *       m_Memory;
  cudaStream_t m_Stream;
};

/** "1.2 GB" */
std::string
FormatBytes(std::uint64_t bytes);

} // namespace itk::ccl

#endif
