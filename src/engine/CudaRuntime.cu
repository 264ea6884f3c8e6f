// SPDX-License-Identifier: Apache-2.0
#include "CudaRuntime.cuh"

#include <atomic>
#include <cstdio>
#include <cstring>

#ifndef _WIN32
#  include <pthread.h>
#endif

namespace itk::ccl
{

using Kind = CudaConnectedComponentError::Kind;

void
CheckCuda(cudaError_t error, const char * expression, const char * file, int line)
{
  if (error == cudaSuccess)
  {
    return;
  }
  // An error that does not stick to the context must not be met again by the next check.
  cudaGetLastError();
  const char * const slash = std::strrchr(file, '/');
  throw CudaConnectedComponentError(error == cudaErrorMemoryAllocation ? Kind::Memory : Kind::Cuda,
                                    std::string("CUDA: ") + cudaGetErrorString(error) + " (" + cudaGetErrorName(error) +
                                      ") in " + expression + " at " + (slash ? slash + 1 : file) + ":" +
                                      std::to_string(line));
}

namespace
{

/** CUDA does not work in the child of a process that has used it: throws there. */
void
RequireSameProcess()
{
#ifndef _WIN32
  static std::atomic<bool> isChild{ false };
  static const int         error = pthread_atfork(nullptr, nullptr, [] { isChild = true; });
  if (error != 0)
  {
    throw CudaConnectedComponentError(Kind::Memory, std::string("forks cannot be watched: ") + std::strerror(error));
  }
  if (isChild)
  {
    throw CudaConnectedComponentError(Kind::Unavailable,
                                      "no CUDA device: CUDA was in use when this process was forked from its parent");
  }
#endif
}

int
CountDevices()
{
  RequireSameProcess();
  int               count = 0;
  const cudaError_t error = cudaGetDeviceCount(&count);
  if (error == cudaSuccess && count > 0)
  {
    return count;
  }
  cudaGetLastError();
  if (error == cudaSuccess || error == cudaErrorNoDevice)
  {
    throw CudaConnectedComponentError(Kind::Unavailable, "no CUDA device");
  }
  int driver = 0;
  if (error == cudaErrorInsufficientDriver && (cudaDriverGetVersion(&driver) != cudaSuccess || driver == 0))
  {
    throw CudaConnectedComponentError(Kind::Unavailable, "no CUDA device: no NVIDIA driver is installed");
  }
  throw CudaConnectedComponentError(Kind::Unavailable, std::string("no CUDA device: ") + cudaGetErrorString(error));
}

} // namespace

CurrentDevice::CurrentDevice(int device)
{
  const int count = CountDevices();
  if (device < -1 || device >= count)
  {
    throw CudaConnectedComponentError(Kind::Unavailable,
                                      "no CUDA device " + std::to_string(device) + ": there are " +
                                        std::to_string(count) + ", numbered from 0");
  }
  CCL_CHECK(cudaGetDevice(&m_Callers));
  m_Device = device < 0 ? m_Callers : device;
  if (m_Device != m_Callers)
  {
    CCL_CHECK(cudaSetDevice(m_Device));
  }
}

CurrentDevice::~CurrentDevice()
{
  if (m_Device != m_Callers)
  {
    cudaSetDevice(m_Callers);
  }
}

namespace
{

__global__ void
DoNothing()
{}

/** The architecture that the kernels which run on the current device were compiled for: it may be lower than the
 * device's. */
int
ArchitectureOfKernels()
{
  cudaFuncAttributes attributes{};
  CCL_CHECK(cudaFuncGetAttributes(&attributes, DoNothing));
  return attributes.ptxVersion;
}

struct AllResources
{
  std::mutex                                      mutex;
  std::map<int, std::unique_ptr<DeviceResources>> devices;
};

AllResources &
GetAllResources()
{
  static auto * const resources = new AllResources; // outlives the CUDA driver on purpose
  return *resources;
}

} // namespace

DeviceResources &
DeviceResources::Of(int device)
{
  AllResources &                    all = GetAllResources();
  const std::lock_guard<std::mutex> lock(all.mutex);
  auto &                            resources = all.devices[device];
  if (!resources)
  {
    resources = std::make_unique<DeviceResources>(device);
  }
  return *resources;
}

bool
DeviceResources::AreAny()
{
  AllResources &                    all = GetAllResources();
  const std::lock_guard<std::mutex> lock(all.mutex);
  return !all.devices.empty();
}

void
DeviceResources::TrimAll()
{
  AllResources &                    all = GetAllResources();
  const std::lock_guard<std::mutex> lock(all.mutex);
  for (const auto & device : all.devices)
  {
    if (device.second)
    {
      device.second->Trim();
    }
  }
}

DeviceResources::DeviceResources(int device)
  : m_Device(device)
{
  const auto get = [device](cudaDeviceAttr attribute) {
    int value = 0;
    CCL_CHECK(cudaDeviceGetAttribute(&value, attribute, device));
    return value;
  };
  if (get(cudaDevAttrMemoryPoolsSupported) == 0)
  {
    throw CudaConnectedComponentError(Kind::Unavailable,
                                      "CUDA device " + std::to_string(device) + " does not support memory pools");
  }
  m_StartsKernelsEarly = ArchitectureOfKernels() >= 90;
  m_RunsCooperativeKernels = get(cudaDevAttrCooperativeLaunch) != 0;
  m_Multiprocessors = static_cast<unsigned int>(get(cudaDevAttrMultiProcessorCount));
  m_SharedMemoryOfBlock = static_cast<std::uint64_t>(get(cudaDevAttrMaxSharedMemoryPerBlockOptin));
  cudaMemPoolProps properties{};
  properties.allocType = cudaMemAllocationTypePinned;
  properties.location.type = cudaMemLocationTypeDevice;
  properties.location.id = device;
  CCL_CHECK(cudaMemPoolCreate(&m_Pool, &properties));
  std::uint64_t keepAll = ~std::uint64_t{ 0 };
  CCL_CHECK(cudaMemPoolSetAttribute(m_Pool, cudaMemPoolAttrReleaseThreshold, &keepAll));
}

void
DeviceResources::AllowSharedMemory(const void * kernel, std::uint64_t bytes)
{
  const std::lock_guard<std::mutex> lock(m_Mutex);
  std::uint64_t &                   allowed = m_AllowedSharedMemory[kernel];
  if (allowed < bytes)
  {
    CCL_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes)));
    allowed = bytes;
  }
}

cudaStream_t
DeviceResources::TakeStream()
{
  {
    const std::lock_guard<std::mutex> lock(m_Mutex);
    if (!m_Streams.empty())
    {
      const cudaStream_t stream = m_Streams.back();
      m_Streams.pop_back();
      return stream;
    }
  }
  cudaStream_t stream = nullptr;
  CCL_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  return stream;
}

void
DeviceResources::ReturnStream(cudaStream_t stream)
{
  const std::lock_guard<std::mutex> lock(m_Mutex);
  m_Streams.push_back(stream);
}

KeptMemory::Block
DeviceResources::TakeFrom(KeptMemory & kept, std::size_t bytes)
{
  const std::lock_guard<std::mutex> lock(m_Mutex);
  return kept.Take(bytes);
}

std::shared_ptr<void>
DeviceResources::Own(KeptMemory & kept, const KeptMemory::Block & block)
{
  return std::shared_ptr<void>(block.memory, [this, &kept, bytes = block.bytes](void * unused) {
    const std::lock_guard<std::mutex> lock(m_Mutex);
    kept.Keep({ unused, bytes });
  });
}

std::shared_ptr<void>
DeviceResources::AllocateHost(std::size_t bytes)
{
  KeptMemory::Block block = this->TakeFrom(m_HostMemory, bytes);
  if (block.memory == nullptr)
  {
    CCL_CHECK(cudaHostAlloc(&block.memory, block.bytes, cudaHostAllocPortable));
  }
  return this->Own(m_HostMemory, block);
}

void *
DeviceResources::AllocateFromPool(std::size_t bytes, cudaStream_t stream)
{
  void *      memory = nullptr;
  cudaError_t error = cudaMallocFromPoolAsync(&memory, bytes, m_Pool, stream);
  if (error == cudaErrorMemoryAllocation)
  {
    cudaGetLastError();
    std::vector<KeptMemory::Block> kept;
    {
      const std::lock_guard<std::mutex> lock(m_Mutex);
      kept = m_DeviceMemory.TakeAll();
    }
    for (const KeptMemory::Block & block : kept)
    {
      CCL_CHECK(cudaFree(block.memory));
    }
    error = cudaMallocFromPoolAsync(&memory, bytes, m_Pool, stream);
  }
  if (error == cudaErrorMemoryAllocation)
  {
    cudaGetLastError();
    throw CudaConnectedComponentError(Kind::Memory,
                                      "device memory: " + FormatBytes(bytes) + " needed, " +
                                        FormatBytes(this->GetFreeMemory()) + " free");
  }
  CCL_CHECK(error);
  return memory;
}

std::shared_ptr<void>
DeviceResources::AllocateKept(std::size_t bytes, cudaStream_t stream)
{
  KeptMemory::Block block = this->TakeFrom(m_DeviceMemory, bytes);
  if (block.memory == nullptr)
  {
    block.memory = this->AllocateFromPool(block.bytes, stream);
  }
  return this->Own(m_DeviceMemory, block);
}

std::shared_ptr<void>
DeviceResources::AllocateCounter(cudaStream_t stream)
{
  KeptMemory::Block block = this->TakeFrom(m_Counters, sizeof(unsigned int));
  if (block.memory == nullptr)
  {
    block = { this->AllocateFromPool(sizeof(unsigned int), stream), sizeof(unsigned int) };
    CCL_CHECK(cudaMemsetAsync(block.memory, 0, block.bytes, stream));
  }
  return this->Own(m_Counters, block);
}

std::uint64_t
DeviceResources::GetFreeMemory() const
{
  std::size_t   free = 0;
  std::size_t   total = 0;
  std::uint64_t reserved = 0;
  std::uint64_t used = 0;
  CCL_CHECK(cudaMemGetInfo(&free, &total));
  CCL_CHECK(cudaMemPoolGetAttribute(m_Pool, cudaMemPoolAttrReservedMemCurrent, &reserved));
  CCL_CHECK(cudaMemPoolGetAttribute(m_Pool, cudaMemPoolAttrUsedMemCurrent, &used));
  return free + reserved - used;
}

void
DeviceResources::Trim()
{
  const CurrentDevice               current(m_Device);
  const std::lock_guard<std::mutex> lock(m_Mutex);
  for (const KeptMemory::Block & block : m_HostMemory.TakeAll())
  {
    CCL_CHECK(cudaFreeHost(block.memory));
  }
  for (KeptMemory * const kept : { &m_DeviceMemory, &m_Counters })
  {
    for (const KeptMemory::Block & block : kept->TakeAll())
    {
      CCL_CHECK(cudaFree(block.memory));
    }
  }
  CCL_CHECK(cudaMemPoolTrimTo(m_Pool, 0));
}

std::string
FormatBytes(std::uint64_t bytes)
{
  const double gigabytes = static_cast<double>(bytes) / 1e9;
  char         text[32];
  if (gigabytes >= 0.1)
  {
    std::snprintf(text, sizeof(text), "%.1f GB", gigabytes);
  }
  else
  {
    std::snprintf(text, sizeof(text), "%.1f MB", gigabytes * 1e3);
  }
  return text;
}

} // namespace itk::ccl
