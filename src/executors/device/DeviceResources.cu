// SPDX-License-Identifier: Apache-2.0
#include "executors/device/DeviceResources.cuh"

#include "executors/device/CudaContext.cuh"
#include "executors/device/CudaError.cuh"

#include "itkCudaConnectedComponentError.h"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <new>
#include <set>
#include <utility>

namespace itk::ccl
{

using KindEnum = CudaConnectedComponentError::KindEnum;

namespace
{

/** The resources of all devices, by the number of the device and the id of its context. No CUDA function is called
 * while the mutex is locked, because CUDA may take seconds to start. */
struct AllResources
{
  std::mutex                                                                mutex;
  std::map<std::pair<int, std::uint64_t>, std::unique_ptr<DeviceResources>> devices;
  std::map<int, std::unique_ptr<DevicePool>>                                pools; // by the number of the device
};

std::atomic<bool> areAny{ false };

AllResources &
GetAllResources()
{
  static auto * const resources = new AllResources; // never destroyed, because the CUDA driver may be unloaded first
  return *resources;
}

/** A kernel that stands for all kernels of the library when CUDA is asked for their architecture. */
__global__ void
DoNothing()
{}

/** Returns the architecture for which the kernels were compiled that run on a device, for example 90. It may be lower
 * than the architecture of the device, which must be current. */
int
ArchitectureOfKernels(int device)
{
  cudaFuncAttributes attributes{};
  CheckStart(cudaFuncGetAttributes(&attributes, DoNothing), device);
  return attributes.ptxVersion;
}

/** CUDA 12.3: drivers before it cannot capture programmatic dependent launches in a graph. */
constexpr int DriverOfEarlyLaunches = 12030;

/** Returns the capabilities of a device, limited as the environment variable CUDA_CONNECTED_COMPONENTS_TEST_GPU says.
 */
DeviceCapabilities
CapabilitiesOf(int device)
{
  const auto get = [device](cudaDeviceAttr attribute) {
    int value = 0;
    CCL_CHECK(cudaDeviceGetAttribute(&value, attribute, device));
    return value;
  };
  int driver = 0;
  CCL_CHECK(cudaDriverGetVersion(&driver));
  const DeviceCapabilities capabilities{ get(cudaDevAttrMemoryPoolsSupported) != 0,
                                         ArchitectureOfKernels(device) >= 90 && driver >= DriverOfEarlyLaunches,
                                         static_cast<unsigned int>(get(cudaDevAttrMultiProcessorCount)) };
  const char * const       profile = std::getenv("CUDA_CONNECTED_COMPONENTS_TEST_GPU");
  return capabilities.LimitTo(profile != nullptr ? profile : "");
}

/** Returns a text such as "1.2 GB" or "48.0 MB". */
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

/** Returns the pool of a device. Makes it at the first call for the device, which StartDevice() must make. */
DevicePool &
PoolOf(int device, bool hasMemoryPools)
{
  AllResources &               all = GetAllResources();
  std::unique_lock<std::mutex> lock(all.mutex);
  if (const auto found = all.pools.find(device); found != all.pools.end())
  {
    return *found->second;
  }
  lock.unlock();
  auto pool = std::make_unique<DevicePool>(device, hasMemoryPools);
  lock.lock();
  return *all.pools.emplace(device, std::move(pool)).first->second;
}

/** Calls visit(resources) for all resources whose context is the calling thread's current one, or the primary context
 * of its device. Skips the resources of contexts that cudaDeviceReset() has ended: the reset has freed their memory. A
 * forked child has no resources. */
template <typename TVisitor>
void
ForAllResources(const TVisitor & visit)
{
  if (IsForkedChild())
  {
    return;
  }
  AllResources &                                                           all = GetAllResources();
  std::vector<std::pair<std::pair<int, std::uint64_t>, DeviceResources *>> found;
  {
    const std::lock_guard<std::mutex> lock(all.mutex);
    for (const auto & each : all.devices)
    {
      found.emplace_back(each.first, each.second.get());
    }
  }
  for (const auto & each : found)
  {
    CallInContext(each.first.first, each.first.second, [&] { visit(*each.second); });
  }
}

/** Returns whether an allocation has succeeded. Returns false if there is too little memory, and throws other errors.
 */
bool
IsAllocated(cudaError_t error)
{
  if (error == cudaErrorMemoryAllocation)
  {
    cudaGetLastError();
    return false;
  }
  CCL_CHECK(error);
  return true;
}

} // namespace

void *
PinnedMemory::Allocate(std::size_t bytes) const
{
  void * memory = nullptr;
  return IsAllocated(cudaHostAlloc(&memory, bytes, cudaHostAllocPortable)) ? memory : nullptr;
}

void
PinnedMemory::Free(void * memory) const
{
  CCL_CHECK(cudaFreeHost(memory));
}

void *
DeviceBlocks::Allocate(std::size_t bytes) const
{
  void * memory = nullptr;
  return IsAllocated(cudaMalloc(&memory, bytes)) ? memory : nullptr;
}

void
DeviceBlocks::Free(void * memory) const
{
  CCL_CHECK(cudaFree(memory));
}

DeviceResources &
DeviceResources::Of(int device)
{
  AllResources & all = GetAllResources();
  const auto     find = [&]() -> DeviceResources * {
    const auto context = FindContext();
    if (!context)
    {
      return nullptr;
    }
    const std::lock_guard<std::mutex> lock(all.mutex);
    const auto                        found = all.devices.find({ device, *context });
    return found != all.devices.end() ? found->second.get() : nullptr;
  };
  DeviceResources * resources = find();
  if (resources == nullptr)
  {
    StartDevice(device, [&] {
      // CUDA's runtime prepares the context. On a broken device, this fails.
      CheckStart(cudaFree(nullptr), device);
      resources = find();
      if (resources == nullptr)
      {
        const auto context = FindContext();
        if (!context)
        {
          throw CudaConnectedComponentError(KindEnum::Cuda,
                                            "CUDA device " + std::to_string(device) + " has no context");
        }
        auto                              created = std::make_unique<DeviceResources>(device);
        const std::lock_guard<std::mutex> lock(all.mutex);
        resources = all.devices.emplace(std::pair(device, *context), std::move(created)).first->second.get();
        areAny = true;
      }
    });
    ForgetFailedStarts(device);
  }
  return *resources;
}

void
DeviceResources::TrimAll()
{
  ForAllResources([](DeviceResources & resources) { resources.Trim(); });
}

HeldMemory
DeviceResources::GetHeldMemory()
{
  HeldMemory                   held;
  std::set<const DevicePool *> pools;
  ForAllResources([&](DeviceResources & resources) {
    if (pools.insert(&resources.m_Pool).second)
    {
      held.deviceBytes += resources.m_Pool.GetBytes();
    }
    held.deviceBytes += resources.GetBytesOfBlocks();
    held.pinnedBytes += resources.m_HostMemory.GetBytes();
  });
  return held;
}

bool
DeviceResources::AreAny()
{
  return areAny;
}

DeviceResources::DeviceResources(int device)
  : m_Capabilities(CapabilitiesOf(device))
  , m_Pool(PoolOf(device, m_Capabilities.hasMemoryPools))
{}

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
  cudaError_t  error = cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  if (error == cudaErrorMemoryAllocation)
  {
    this->TrimDevice();
    error = cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  }
  CCL_CHECK(error);
  return stream;
}

void
DeviceResources::ReturnStream(cudaStream_t stream)
{
  const std::lock_guard<std::mutex> lock(m_Mutex);
  m_Streams.push_back(stream);
}

std::shared_ptr<void>
DeviceResources::AllocateHost(std::size_t bytes)
{
  auto memory = m_HostMemory.Allocate(bytes);
  if (memory == nullptr)
  {
    throw CudaConnectedComponentError(
      KindEnum::Memory, "pinned host memory: " + FormatBytes(bytes) + " needed, and the system does not give them");
  }
  return memory;
}

std::shared_ptr<void>
DeviceResources::AllocateBlockWithin(std::size_t bytes, std::uint64_t mostBytes)
{
  this->ReturnBlocks();
  this->HoldAtMost(mostBytes);
  m_Pool.TouchDemand();
  return m_Blocks.Allocate(
    bytes, [this, mostBytes](std::size_t size) { this->HoldAtMost(mostBytes < size ? 0 : mostBytes - size); });
}

void
DeviceResources::ReturnAfterWork(std::shared_ptr<void> block, cudaStream_t stream)
{
  try
  {
    const std::lock_guard<std::mutex> lock(m_Mutex);
    auto                              unused = std::find_if(
      m_BusyBlocks.begin(), m_BusyBlocks.end(), [](const BusyBlock & each) { return each.block == nullptr; });
    if (unused == m_BusyBlocks.end())
    {
      m_BusyBlocks.reserve(m_BusyBlocks.size() + 1); // so that no exception loses the event
      cudaEvent_t end = nullptr;
      CCL_CHECK(cudaEventCreateWithFlags(&end, cudaEventDisableTiming));
      unused = m_BusyBlocks.insert(m_BusyBlocks.end(), { nullptr, end });
    }
    CCL_CHECK(cudaEventRecord(unused->end, stream));
    unused->block = std::move(block);
  }
  catch (...)
  {
    if (cudaStreamSynchronize(stream) != cudaSuccess)
    {
      // Nobody knows when the work ends. So nobody gets the block again.
      static_cast<void>(new (std::nothrow) std::shared_ptr<void>(std::move(block)));
    }
    cudaGetLastError();
  }
}

void
DeviceResources::ReturnBlocks()
{
  const std::lock_guard<std::mutex> lock(m_Mutex);
  for (BusyBlock & each : m_BusyBlocks)
  {
    if (each.block == nullptr)
    {
      continue;
    }
    if (cudaEventQuery(each.end) == cudaSuccess)
    {
      each.block.reset(); // the event stays for another block
    }
    else
    {
      cudaGetLastError();
    }
  }
}

void
DeviceResources::AwaitBlocks()
{
  std::vector<BusyBlock> blocks;
  {
    const std::lock_guard<std::mutex> lock(m_Mutex);
    blocks.swap(m_BusyBlocks);
  }
  for (BusyBlock & each : blocks)
  {
    cudaEventSynchronize(each.end);
    cudaEventDestroy(each.end);
    cudaGetLastError();
    each.block.reset();
  }
}

void *
DeviceResources::TakeZeroedMemory(cudaStream_t stream)
{
  {
    const std::lock_guard<std::mutex> lock(m_Mutex);
    if (!m_ZeroedMemory.empty())
    {
      void * const memory = m_ZeroedMemory.back();
      m_ZeroedMemory.pop_back();
      return memory;
    }
  }
  void * const memory = DeviceBlocks().Allocate(ZeroedBytes);
  if (memory != nullptr)
  {
    {
      const std::lock_guard<std::mutex> lock(m_Mutex);
      ++m_ZeroedCount;
      m_ZeroedMemory.reserve(m_ZeroedCount); // so that ReturnZeroedMemory() allocates nothing
    }
    if (cudaMemsetAsync(memory, 0, ZeroedBytes, stream) != cudaSuccess)
    {
      this->FreeZeroedMemory(memory);
      return nullptr;
    }
  }
  return memory;
}

void
DeviceResources::ReturnZeroedMemory(void * memory)
{
  const std::lock_guard<std::mutex> lock(m_Mutex);
  m_ZeroedMemory.push_back(memory);
}

void
DeviceResources::FreeZeroedMemory(void * memory)
{
  if (cudaFree(memory) != cudaSuccess)
  {
    cudaGetLastError();
  }
  const std::lock_guard<std::mutex> lock(m_Mutex);
  --m_ZeroedCount;
}

void
DeviceResources::HoldAtMost(std::uint64_t bytes)
{
  if (m_Pool.GetBytes() + this->GetBytesOfBlocks() > bytes)
  {
    this->TrimDevice();
  }
}

void *
DeviceResources::Allocate(std::size_t bytes, cudaStream_t stream)
{
  void *      memory = nullptr;
  cudaError_t error = m_Pool.Allocate(&memory, bytes, stream);
  if (error == cudaErrorMemoryAllocation)
  {
    cudaGetLastError();
    this->TrimDevice();
    error = m_Pool.Allocate(&memory, bytes, stream);
  }
  if (error == cudaErrorMemoryAllocation)
  {
    cudaGetLastError();
    throw CudaConnectedComponentError(KindEnum::Memory,
                                      "device memory: " + FormatBytes(bytes) + " needed, " +
                                        FormatBytes(this->GetFreeMemory()) + " free");
  }
  CCL_CHECK(error);
  return memory;
}

void
DeviceResources::EndCall()
{
  this->ReturnBlocks();
  m_HostMemory.EndCall();
  m_Blocks.EndCall();
  m_Pool.EndCall();
}

std::uint64_t
DeviceResources::GetFreeMemory() const
{
  std::size_t free = 0;
  std::size_t total = 0;
  CCL_CHECK(cudaMemGetInfo(&free, &total));
  return free + m_Pool.GetUnusedBytes();
}

void
DeviceResources::Trim()
{
  m_HostMemory.Trim();
  this->TrimDevice();
}

void
DeviceResources::TrimDevice()
{
  this->AwaitBlocks();
  m_Blocks.Trim();
  std::vector<void *> unused;
  {
    const std::lock_guard<std::mutex> lock(m_Mutex);
    unused = m_ZeroedMemory;
    m_ZeroedMemory.clear(); // keeps its capacity
  }
  for (void * const memory : unused)
  {
    this->FreeZeroedMemory(memory);
  }
  m_Pool.Trim();
}

} // namespace itk::ccl
