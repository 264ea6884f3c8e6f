// SPDX-License-Identifier: Apache-2.0

// DeviceSession with CUDA: owns the stream of a session, and chooses the algorithm of a request.

#include "engine/DeviceSession.h"

#include "engine/CallersMemory.cuh"
#include "engine/DeviceChecks.cuh"
#include "engine/PublishedLabeling.cuh"
#include "engine/RunPipeline.cuh"
#include "executors/device/CudaContext.cuh"
#include "executors/device/DeviceExecutor.cuh"

namespace itk::ccl
{

namespace
{

/** Returns work(). If it throws, waits for the stream first: kernels and copies may still use memory that the caller
 * frees after the exception. */
template <typename TWork>
auto
WaitIfItThrows(cudaStream_t stream, const TWork & work)
{
  try
  {
    return work();
  }
  catch (...)
  {
    // The exception is the first error. An error of this wait follows from it.
    cudaStreamSynchronize(stream);
    cudaGetLastError();
    throw;
  }
}

/** Ends a call when it is destroyed. */
struct EndOfCall
{
  DeviceResources & resources;

  ~EndOfCall()
  {
    try
    {
      resources.EndCall();
    }
    catch (...)
    {
      // A destructor must not throw. If the context is broken, the next call reports it.
    }
  }
};

} // namespace

class DeviceSession::Implementation
{
public:
  explicit Implementation(const CurrentDevice & current)
    : m_Device(current.Get())
    , m_Resources(DeviceResources::Of(m_Device))
    , m_Executor(m_Resources, m_Resources.TakeStream())
  {}

  ~Implementation()
  {
    try
    {
      const CurrentDevice current(m_Device);
      const EndOfCall     endOfCall{ m_Resources };
      const cudaError_t   error = cudaStreamSynchronize(m_Executor.GetStream());
      m_Resources.ReturnStream(m_Executor.GetStream());
      block.reset();
      CCL_CHECK(error);
    }
    catch (...)
    {
      // A destructor must not throw. If the context is broken, the next call reports it.
    }
  }

  std::shared_ptr<void> block; // of Reserve()

  /** Returns work(executor, resources), with the device as the current device. */
  template <typename TWork>
  auto
  Execute(const TWork & work) const
  {
    const CurrentDevice current(m_Device);
    return WaitIfItThrows(m_Executor.GetStream(), [&] { return work(m_Executor, m_Resources); });
  }

private:
  int               m_Device;
  DeviceResources & m_Resources;
  DeviceExecutor    m_Executor;
};

DeviceSession::DeviceSession(int deviceId)
  : m_Implementation(std::make_unique<Implementation>(CurrentDevice(deviceId)))
{}

DeviceSession::~DeviceSession() = default;

HostArray
DeviceSession::AllocateHost(std::uint64_t bytes)
{
  return m_Implementation->Execute(
    [bytes](const DeviceExecutor &, DeviceResources & resources) { return resources.AllocateHost(bytes); });
}

void
DeviceSession::TrimMemory()
{
  DeviceResources::TrimAll();
}

HeldMemory
DeviceSession::GetHeldMemory()
{
  return DeviceResources::GetHeldMemory();
}

bool
DeviceSession::IsStartupDone()
{
  return DeviceResources::AreAny();
}

CudaVersions
DeviceSession::GetCudaVersions()
{
  CudaVersions versions{ CUDART_VERSION, 0 };
  if (cudaDriverGetVersion(&versions.driver) != cudaSuccess)
  {
    cudaGetLastError();
  }
  return versions;
}

Components
DeviceSession::LabelPixels(int                                     deviceId,
                           void *                                  stream,
                           const CudaConnectedComponentAllocator & allocator,
                           const ImageView &                       input,
                           const Request &                         request,
                           const ImageView &                       output,
                           const ResultMakers &                    makers)
{
  const CurrentDevice current(deviceId);
  const int           device = current.Get();
  const auto          cudaStream = static_cast<cudaStream_t>(stream);
  RequireNoCapture(cudaStream);
  DeviceResources &    resources = DeviceResources::Of(device);
  const EndOfCall      endOfCall{ resources };
  CallersMemory        callersMemory(allocator, device);
  const DeviceExecutor executor(
    resources, cudaStream, allocator.allocate != nullptr ? static_cast<MemorySource &>(callersMemory) : resources);
  return WaitIfItThrows(cudaStream, [&] {
    RequireDeviceImages(device, input, request, output);
    const TableMaker makeTable = [&](std::uint64_t components) {
      const auto table = (*makers.table)(components);
      RequireDeviceTable(table, device);
      return table;
    };
    const LabelMaker makeLabels = [&] {
      void * const labels = (*makers.labels)();
      RequireDeviceMemory(labels, "memory for labels", device);
      return labels;
    };
    const ResultMakers checked{ makers.table == nullptr ? nullptr : &makeTable,
                                makers.labels == nullptr ? nullptr : &makeLabels };
    if (IsPublishedForPixels(request, input, output))
    {
      ImageView labels = output;
      if (makers.labels != nullptr)
      {
        labels.pixels = makeLabels();
      }
      const std::uint64_t count = LabelPixelsAsPublished(executor, input, request, labels);
      Components          components;
      components.table.componentCount = components.table.originalComponentCount = count;
      components.table.componentCounts = { count };
      return components;
    }
    return VisitIndexType(request.GetIndexLimit(), [&](auto run) {
      return LabelPixelsByRuns<decltype(run)>(executor, resources, input, request, output, checked);
    });
  });
}

std::uint64_t
DeviceSession::MeasureBits(const Request & request, std::uint64_t runCount)
{
  return MemoryCache::SizeFor(MeasureBitsByRuns(request, runCount).GetTotal());
}

void
DeviceSession::HoldAtMost(std::uint64_t bytes)
{
  m_Implementation->Execute(
    [bytes](const DeviceExecutor &, DeviceResources & resources) { resources.HoldAtMost(bytes); });
}

bool
DeviceSession::Reserve(std::uint64_t bytes, std::uint64_t mostBytes)
{
  auto & block = m_Implementation->block;
  block = m_Implementation->Execute([=](const DeviceExecutor &, DeviceResources & resources) {
    return resources.AllocateBlockWithin(bytes, mostBytes);
  });
  return block != nullptr;
}

RunLabels
DeviceSession::LabelBits(const PackedRuns & packed, const Request & request)
{
  void * const block = m_Implementation->block.get();
  return m_Implementation->Execute([&](const DeviceExecutor & executor, DeviceResources & resources) {
    if (block != nullptr)
    {
      return LabelBitsByRuns<std::uint32_t>(executor, resources, packed, request, block);
    }
    return VisitIndexType(request.GetIndexLimit(), [&](auto run) {
      return LabelBitsByRuns<decltype(run)>(executor, resources, packed, request, nullptr);
    });
  });
}

} // namespace itk::ccl
