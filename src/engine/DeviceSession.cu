// SPDX-License-Identifier: Apache-2.0

// DeviceSession with CUDA: chooses the algorithm and the types of a request, and runs the algorithm on the device.

#include "engine/DeviceSession.h"

#include "algorithms/analysis/AnalyzeRuns.h"
#include "algorithms/analysis/UnpackTable.h"
#include "algorithms/published/BlockRanking.h"
#include "algorithms/published/ForegroundBytes.h"
#include "algorithms/published/GatherRunLabels.h"
#include "algorithms/published/PublishedAlgorithms.h"
#include "algorithms/runs/PackForeground.h"
#include "algorithms/runs/RunLabelWriteOut.h"
#include "algorithms/runs/RunUnionFind.h"
#include "algorithms/small/SmallImages.cuh"
#include "executors/device/CudaContext.cuh"
#include "executors/device/DeviceExecutor.cuh"

#include "itkCudaConnectedComponentAlgorithms.h"

#include <limits>

namespace itk::ccl
{

using AlgorithmEnum = CudaConnectedComponentsEnums::Algorithm;

namespace
{

/** Calls visitor(std::integral_constant<unsigned int, D>) with 2 for a plane and 3 for a volume. */
template <typename TVisitor>
void
VisitDimension(const Grid & size, const TVisitor & visitor)
{
  if (size.z == 1)
  {
    visitor(std::integral_constant<unsigned int, 2>{});
  }
  else
  {
    visitor(std::integral_constant<unsigned int, 3>{});
  }
}

/** Returns whether a published algorithm labels. An image whose components are measured or selected is always labeled
 * by runs, because the analysis needs the labels of runs. */
bool
IsByPublished(const Request & request)
{
  return !request.NeedsAnalysis() && CudaConnectedComponentAlgorithms::Describe(request.algorithm).isPublished;
}

/** Throws CudaConnectedComponentError unless the memory belongs to the device or is managed. A kernel that accessed
 * other memory would fail with an error from which the process cannot recover. */
void
RequireDeviceMemory(const void * memory, const char * name, int device)
{
  cudaPointerAttributes attributes{};
  CCL_CHECK(cudaPointerGetAttributes(&attributes, memory));
  const bool isDevice = attributes.type == cudaMemoryTypeDevice && attributes.device == device;
  if (!isDevice && attributes.type != cudaMemoryTypeManaged)
  {
    throw CudaConnectedComponentError(CudaConnectedComponentError::Kind::InvalidArgument,
                                      std::string("the ") + name + " is not in the memory of CUDA device " +
                                        std::to_string(device));
  }
}

} // namespace

class DeviceSession::Implementation
{
public:
  explicit Implementation(int deviceId)
    : m_Device(deviceId)
    , m_Resources(DeviceResources::Of(m_Device.Get()))
    , m_OwnStream(m_Resources.TakeStream())
    , m_Executor(m_Resources, m_OwnStream)
  {}

  Implementation(int deviceId, cudaStream_t stream)
    : m_Device(deviceId)
    , m_Resources(DeviceResources::Of(m_Device.Get()))
    , m_Executor(m_Resources, stream)
  {}

  ~Implementation()
  {
    try
    {
      if (m_OwnStream != nullptr)
      {
        const cudaError_t error = cudaStreamSynchronize(m_OwnStream);
        m_Resources.ReturnStream(m_OwnStream);
        CCL_CHECK(error);
      }
      m_Resources.EndCall();
    }
    catch (...)
    {
      // A destructor must not throw. If the context is broken, the next call reports it.
    }
  }

  int
  GetDevice() const
  {
    return m_Device.Get();
  }

  DeviceResources &
  GetResources() const
  {
    return m_Resources;
  }

  const DeviceExecutor &
  GetExecutor() const
  {
    return m_Executor;
  }

private:
  CurrentDevice     m_Device;
  DeviceResources & m_Resources;
  cudaStream_t      m_OwnStream = nullptr;
  DeviceExecutor    m_Executor;
};

DeviceSession::DeviceSession(int deviceId)
  : m_Implementation(std::make_unique<Implementation>(deviceId))
{}

DeviceSession::DeviceSession(int deviceId, void * stream)
  : m_Implementation(std::make_unique<Implementation>(deviceId, static_cast<cudaStream_t>(stream)))
{}

DeviceSession::~DeviceSession() = default;

HostArray
DeviceSession::AllocateHost(std::uint64_t bytes)
{
  return m_Implementation->GetResources().AllocateHost(bytes);
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

namespace
{

/** Runs in device memory, and the label of each run by Request::LabelValuesOfRuns(). */
template <typename TRowGroup, typename TRun>
struct RunsOnDevice
{
  IndexedRuns<TRowGroup, TRun> runs;
  TRun *                       labels;
  std::uint64_t                runCount;
};

/** Measures and selects the components of labeled runs, and gives the final labels to the runs. Returns the components,
 * with the table in host memory. The copy of the table has not ended. */
template <typename TRowGroup, typename TRun>
Components
AnalyzeOnDevice(const DeviceExecutor &                executor,
                DeviceResources &                     resources,
                const RunsOnDevice<TRowGroup, TRun> & labeled,
                std::uint64_t                         componentCount,
                const Request &                       request)
{
  const auto analyzed = AnalyzeRuns(executor, labeled.runs, labeled.labels, labeled.runCount, componentCount, request);
  Components components{ analyzed.foundCount, analyzed.keptCount, nullptr };
  if (request.wantsTable)
  {
    const std::uint64_t bytes = TableBytes(request, analyzed.keptCount);
    components.table = resources.AllocateHost(bytes);
    CCL_CHECK(cudaMemcpyAsync(
      components.table.get(), analyzed.table.get(), bytes, cudaMemcpyDeviceToHost, executor.GetStream()));
  }
  return components;
}

/** Writes the labels of runs to an image, unless `labels` is null. */
template <typename TRowGroup, typename TRun>
void
WriteLabels(const DeviceExecutor &                executor,
            const RunsOnDevice<TRowGroup, TRun> & labeled,
            const Request &                       request,
            void *                                labels,
            PixelType                             labelType)
{
  if (labels == nullptr)
  {
    return;
  }
  VisitLabelWidth(labelType, [&](auto label) {
    using OutputType = decltype(label);
    WriteRunLabels(executor,
                   labeled.runs,
                   labeled.labels,
                   request.size,
                   static_cast<OutputType>(request.labelValues.background),
                   static_cast<OutputType *>(labels));
  });
}

/** Labels an image in device memory by union-find on runs. Returns its components. */
template <typename TRowGroup, typename TRun>
Components
LabelPixelsByRuns(const DeviceExecutor & executor,
                  DeviceResources &      resources,
                  const void *           pixels,
                  PixelType              pixelType,
                  const Request &        request,
                  void *                 labels,
                  PixelType              labelType)
{
  const Grid words = WordsOf(request.size);
  const auto bits = executor.Allocate<Word>(words.Count());
  const auto grouped = VisitPixels(pixels, pixelType, [&](const auto * typed) {
    return PackRowGroups<TRowGroup>(executor, typed, request.size, bits.get());
  });
  const auto counted = CountRuns<TRun>(executor, grouped.groups);
  const auto runs = LabelRuns(executor, counted, request.LabelValuesOfRuns());

  const RunsOnDevice<TRowGroup, TRun> labeled{ runs.GetIndexed(), runs.labels.get(), counted.GetCount() };
  Components                          components;
  if (request.NeedsAnalysis())
  {
    components = AnalyzeOnDevice(executor, resources, labeled, runs.CountObjects(), request);
  }
  WriteLabels(executor, labeled, request, labels, labelType);
  CCL_CHECK(cudaStreamSynchronize(executor.GetStream()));
  if (!request.NeedsAnalysis())
  {
    components.foundCount = components.keptCount = runs.CountObjects();
  }
  request.labelValues.RequireRoomFor(components.keptCount);
  return components;
}

/** Labels an image in device memory by the published algorithm of the request. Returns the number of components. The
 * algorithm writes its own labels to the output image if TLabel has the size of the output's pixels, else to a
 * temporary image. Its input is one byte for each pixel: the image itself, or a copy if its pixels are larger. */
template <typename TLabel>
std::uint64_t
LabelPixelsAsPublished(const DeviceExecutor & executor,
                       const void *           pixels,
                       PixelType              pixelType,
                       const Request &        request,
                       void *                 labels,
                       PixelType              labelType)
{
  const Grid &         size = request.size;
  const bool           inPlace = SizeOf(labelType) == sizeof(TLabel);
  const auto           scratch = executor.Allocate<TLabel>(inPlace ? 0 : size.Count());
  TLabel * const       blockLabels = inPlace ? static_cast<TLabel *>(labels) : scratch.get();
  const bool           areBytes = SizeOf(pixelType) == 1;
  const auto           reduced = executor.Allocate<std::uint8_t>(areBytes ? 0 : size.Count());
  const std::uint8_t * bytes = reduced.get();
  if (areBytes)
  {
    bytes = static_cast<const std::uint8_t *>(pixels);
  }
  else
  {
    VisitPixels(
      pixels, pixelType, [&](const auto * typed) { BinarizeForeground(executor, typed, size, reduced.get()); });
  }

  std::uint64_t objectCount = 0;
  VisitDimension(size, [&](auto dimension) {
    constexpr unsigned int Dimension = decltype(dimension)::value;
    LabelByPublishedAlgorithm<Dimension>(
      executor, request.algorithm, bytes, size, blockLabels, request.inlineCompression);
    const auto finalLabels = executor.Allocate<TLabel>(BlocksOf<Dimension>(size).Count());
    objectCount = RankBlocks<Dimension>(executor, blockLabels, size, request.labelValues, finalLabels.get());
    request.labelValues.RequireRoomFor(objectCount);
    VisitLabelWidth(labelType, [&](auto label) {
      RelabelBlocks<Dimension>(
        executor, blockLabels, finalLabels.get(), size, request.labelValues, static_cast<decltype(label) *>(labels));
    });
    CCL_CHECK(cudaStreamSynchronize(executor.GetStream()));
  });
  return objectCount;
}

} // namespace

Components
DeviceSession::LabelPixels(const void *    pixels,
                           PixelType       pixelType,
                           const Request & request,
                           void *          labels,
                           PixelType       labelType)
{
  RequireDeviceMemory(pixels, "input", m_Implementation->GetDevice());
  if (labels != nullptr)
  {
    RequireDeviceMemory(labels, "output", m_Implementation->GetDevice());
  }
  const DeviceExecutor & executor = m_Implementation->GetExecutor();
  DeviceResources &      resources = m_Implementation->GetResources();
  if (request.algorithm == AlgorithmEnum::Automatic && !request.NeedsAnalysis())
  {
    const auto objectCount = LabelSmallImage(executor, resources, pixels, pixelType, request, labels, labelType);
    if (objectCount)
    {
      return { *objectCount, *objectCount, nullptr };
    }
  }
  if (IsByPublished(request))
  {
    // Labels of 64 bits need no temporary image if the output has 64 bits.
    return VisitIndexType(SizeOf(labelType) == 8 ? ~std::uint64_t{ 0 } : request.size.Count(), [&](auto label) {
      const std::uint64_t objectCount =
        LabelPixelsAsPublished<decltype(label)>(executor, pixels, pixelType, request, labels, labelType);
      return Components{ objectCount, objectCount, nullptr };
    });
  }
  return VisitIndexType(BitCountOf(request.size), [&](auto run) {
    return VisitRowGroup(request.size, request.fullyConnected, [&](auto group) {
      return LabelPixelsByRuns<decltype(group), decltype(run)>(
        executor, resources, pixels, pixelType, request, labels, labelType);
    });
  });
}

namespace
{

/** Labels the runs of an image of bits in host memory. A published algorithm labels pixels; the label of each run is
 * then read at one of its pixels. */
template <typename TRowGroup, typename TRun>
RunLabels
LabelBitsAs(const DeviceExecutor & executor,
            DeviceResources &      resources,
            const Word *           hostBits,
            const Request &        request,
            bool                   wantsLabels)
{
  const Grid & size = request.size;
  const Grid   words = WordsOf(size);
  const auto   bits = executor.Allocate<Word>(words.Count());
  CCL_CHECK(
    cudaMemcpyAsync(bits.get(), hostBits, words.Count() * sizeof(Word), cudaMemcpyHostToDevice, executor.GetStream()));
  const BitRows rows{ words, bits.get() };
  const auto    grouped = CollectRowGroups<TRowGroup>(executor, rows);
  const auto    counted = CountRuns<TRun>(executor, grouped.groups);

  RunLabels  result{ nullptr, sizeof(TRun) == 8, {} };
  const auto download = [&](const TRun * labels) {
    if (wantsLabels)
    {
      const std::uint64_t bytes = counted.GetCount() * sizeof(TRun);
      result.labels = resources.AllocateHost(bytes);
      CCL_CHECK(cudaMemcpyAsync(result.labels.get(), labels, bytes, cudaMemcpyDeviceToHost, executor.GetStream()));
    }
    CCL_CHECK(cudaStreamSynchronize(executor.GetStream()));
  };
  std::uint64_t componentCount = 0;

  if (!IsByPublished(request))
  {
    const auto runs = LabelRuns(executor, counted, request.LabelValuesOfRuns());
    if (request.NeedsAnalysis())
    {
      const RunsOnDevice<TRowGroup, TRun> labeled{ runs.GetIndexed(), runs.labels.get(), counted.GetCount() };
      result.components = AnalyzeOnDevice(executor, resources, labeled, runs.CountObjects(), request);
    }
    download(runs.labels.get());
    componentCount = runs.CountObjects();
  }
  else
  {
    VisitDimension(size, [&](auto dimension) {
      VisitIndexType(size.Count(), [&](auto index) {
        constexpr unsigned int Dimension = decltype(dimension)::value;
        using LabelType = decltype(index);
        const auto blockLabels = executor.Allocate<LabelType>(size.Count());
        {
          const auto bytes = executor.Allocate<std::uint8_t>(size.Count());
          UnpackForeground(executor, rows, size, bytes.get());
          LabelByPublishedAlgorithm<Dimension>(
            executor, request.algorithm, bytes.get(), size, blockLabels.get(), request.inlineCompression);
        }
        const auto finalLabels = executor.Allocate<LabelType>(BlocksOf<Dimension>(size).Count());
        const auto runOffsets = executor.Allocate<TRun>(grouped.groups.columns.words.Count());
        const auto runLabels = executor.Allocate<TRun>(counted.GetCount());
        StoreRunOffsets(executor, counted, runOffsets.get());
        componentCount =
          RankBlocks<Dimension>(executor, blockLabels.get(), size, request.labelValues, finalLabels.get());
        RelabelBlocks<Dimension>(
          executor, blockLabels.get(), finalLabels.get(), size, request.labelValues, blockLabels.get());
        const IndexedRuns<TRowGroup, TRun> runs{ grouped.groups, runOffsets.get() };
        GatherLabelsOfRuns(executor, blockLabels.get(), size, runs, runLabels.get());
        download(runLabels.get());
      });
    });
  }
  if (!request.NeedsAnalysis())
  {
    result.components = { componentCount, componentCount, nullptr };
  }
  request.labelValues.RequireRoomFor(result.components.keptCount);
  return result;
}

} // namespace

RunLabels
DeviceSession::LabelBits(const Word * bits, const Request & request, bool wantsLabels)
{
  const DeviceExecutor & executor = m_Implementation->GetExecutor();
  try
  {
    return VisitIndexType(BitCountOf(request.size), [&](auto run) {
      return VisitRowGroup(request.size, request.fullyConnected, [&](auto group) {
        return LabelBitsAs<decltype(group), decltype(run)>(
          executor, m_Implementation->GetResources(), bits, request, wantsLabels);
      });
    });
  }
  catch (...)
  {
    // The copy of the bits may still read the caller's memory, which the caller may free after the exception.
    cudaStreamSynchronize(executor.GetStream());
    throw;
  }
}

} // namespace itk::ccl
