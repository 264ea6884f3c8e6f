// SPDX-License-Identifier: Apache-2.0

// DeviceSession with CUDA: chooses the algorithm and the types of a request, and runs the algorithm on the device.

#include "engine/DeviceSession.h"

#include "engine/DeviceSteps.h"
#include "algorithms/analysis/MeasureIntensities.h"
#include "algorithms/analysis/UnpackTable.h"
#include "algorithms/published/ForegroundBytes.h"
#include "algorithms/published/GatherRunLabels.h"
#include "algorithms/published/PublishedRanking.h"
#include "executors/device/CudaContext.cuh"
#include "executors/device/DeviceExecutor.cuh"

#include "itkCudaConnectedComponentAlgorithms.h"

#include <algorithm>
#include <initializer_list>
#include <iterator>
#include <limits>
#include <optional>
#include <type_traits>

namespace itk::ccl
{

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

/** Returns whether a published algorithm labels the pixels. They label one image at a time. */
bool
IsPublished(const Request & request)
{
  return request.images == 1 && CudaConnectedComponentAlgorithms::Describe(request.algorithm).isPublished;
}

PublishedOptions
PublishedOptionsOf(const Request & request)
{
  return { request.fullyConnected, request.inlineCompression };
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
    throw CudaConnectedComponentError(CudaConnectedComponentError::KindEnum::InvalidArgument,
                                      std::string("the ") + name + " is not in the memory of CUDA device " +
                                        std::to_string(device));
  }
}

/** Calls visit(address) for each column of a table. The address of a column that is not wanted is null. */
template <typename TVisitor>
void
ForEachColumn(const CudaConnectedComponentDeviceTable & table, const TVisitor & visit)
{
  const auto visitAll = [&visit](const auto & columns) {
    std::for_each(std::begin(columns), std::end(columns), visit);
  };
  visitAll(std::initializer_list<const void *>{ table.images, table.pixelCounts, table.firstPixels, table.faces });
  visitAll(table.minimums);
  visitAll(table.maximums);
  visitAll(table.sums);
  visitAll(table.means);
  visitAll(table.products);
}

/** Does the same for an array of numbers of 8 bytes, and checks its alignment. Null is allowed. */
void
RequireDeviceNumbers(const void * memory, const char * name, int device)
{
  if (memory == nullptr)
  {
    return;
  }
  RequireDeviceMemory(memory, name, device);
  if (reinterpret_cast<std::uintptr_t>(memory) % 8 != 0)
  {
    throw CudaConnectedComponentError(CudaConnectedComponentError::KindEnum::InvalidArgument,
                                      std::string("the address of the ") + name + " is not a multiple of 8 bytes");
  }
}

/** Does the same for all columns of a table. */
void
RequireDeviceTable(const CudaConnectedComponentDeviceTable & table, int device)
{
  ForEachColumn(table, [&](const void * column) {
    if (column != nullptr && column != table.faces)
    {
      RequireDeviceNumbers(column, "column of the table", device);
    }
  });
  if (table.faces != nullptr)
  {
    RequireDeviceMemory(table.faces, "column of the table", device);
  }
}

/** Returns whether a stream captures a graph. Throws CudaConnectedComponentError if it is the default stream while
 * another stream captures: work on it would invalidate that capture. */
bool
RequireUsable(cudaStream_t stream)
{
  cudaStreamCaptureStatus status{};
  CCL_CHECK(cudaStreamIsCapturing(stream, &status));
  return status != cudaStreamCaptureStatusNone;
}

/** Throws CudaConnectedComponentError if a call cannot wait for a stream: it captures a graph, or it is the default
 * stream while another stream does. The capture stays valid. */
void
RequireNoCapture(cudaStream_t stream)
{
  if (RequireUsable(stream))
  {
    throw CudaConnectedComponentError(CudaConnectedComponentError::KindEnum::InvalidArgument,
                                      "the stream captures a CUDA graph, and this function waits for results: use "
                                      "another stream, or end the capture first");
  }
}

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
      if (reinterpret_cast<std::uintptr_t>(memory) % ArenaSize::Alignment != 0)
      {
        throw CudaConnectedComponentError(CudaConnectedComponentError::KindEnum::InvalidArgument,
                                          "the caller's allocator has returned an address that is not a multiple of " +
                                            std::to_string(ArenaSize::Alignment) + " bytes");
      }
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

private:
  CudaConnectedComponentAllocator m_Allocator;
  int                             m_Device;
};

} // namespace

class DeviceSession::Implementation
{
public:
  explicit Implementation(int deviceId)
    : Implementation(CurrentDevice(deviceId), nullptr, true, {})
  {}

  Implementation(int deviceId, cudaStream_t stream, const CudaConnectedComponentAllocator & allocator)
    : Implementation(CurrentDevice(deviceId), stream, false, allocator)
  {}

  ~Implementation()
  {
    try
    {
      const CurrentDevice current(m_Device);
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
    return m_Device;
  }

  /** Returns work(executor, resources), with the device as the current device. If it throws, waits for the stream
   * first: kernels and copies may still use memory that the caller frees after the exception. */
  template <typename TWork>
  auto
  Run(const TWork & work) const
  {
    const CurrentDevice current(m_Device);
    try
    {
      return work(m_Executor, m_Resources);
    }
    catch (...)
    {
      // The exception is the first error. An error of this wait follows from it.
      cudaStreamSynchronize(m_Executor.GetStream());
      cudaGetLastError();
      throw;
    }
  }

private:
  Implementation(const CurrentDevice &                   current,
                 cudaStream_t                            callersStream,
                 bool                                    hasOwnStream,
                 const CudaConnectedComponentAllocator & allocator)
    : m_Device(current.Get())
    , m_Resources((hasOwnStream ? void() : RequireNoCapture(callersStream), DeviceResources::Of(m_Device)))
    , m_OwnStream(hasOwnStream ? m_Resources.TakeStream() : nullptr)
    , m_CallersMemory(allocator, m_Device)
    , m_Executor(m_Resources,
                 hasOwnStream ? m_OwnStream : callersStream,
                 allocator.allocate != nullptr ? static_cast<MemorySource &>(m_CallersMemory) : m_Resources)
  {}

  int               m_Device;
  DeviceResources & m_Resources;
  cudaStream_t      m_OwnStream;
  CallersMemory     m_CallersMemory; // not used without an allocator
  DeviceExecutor    m_Executor;
};

DeviceSession::DeviceSession(int deviceId)
  : m_Implementation(std::make_unique<Implementation>(deviceId))
{}

DeviceSession::DeviceSession(int deviceId, void * stream, const CudaConnectedComponentAllocator & allocator)
  : m_Implementation(std::make_unique<Implementation>(deviceId, static_cast<cudaStream_t>(stream), allocator))
{}

DeviceSession::~DeviceSession() = default;

HostArray
DeviceSession::AllocateHost(std::uint64_t bytes)
{
  return m_Implementation->Run(
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

namespace
{

/** Returns memory for the arrays of a call, or null if there is too little memory. */
std::unique_ptr<DeviceArena>
MakeArena(const DeviceExecutor & executor, const ArenaSize & size)
{
  try
  {
    return std::make_unique<DeviceArena>(executor.GetMemorySource(), size, executor.GetStream());
  }
  catch (const CudaConnectedComponentError & error)
  {
    if (error.GetKind() != CudaConnectedComponentError::KindEnum::Memory)
    {
      throw;
    }
    return nullptr;
  }
}

/** Labels runs by the algorithm of the request, and calls visit(ranked) with a RankedRuns. A published algorithm labels
 * pixels; the rank of each run is then read at one of its pixels. `knownCount` is the number of runs, if the caller
 * knows it. */
template <typename TRun, typename TRowGroup, typename TVisitor>
void
LabelRunsOnDevice(const DeviceExecutor &          executor,
                  const RowGroupBits<TRowGroup> & groups,
                  std::optional<std::uint64_t>    knownCount,
                  const Request &                 request,
                  const TVisitor &                visit)
{
  using RankedType = RankedRuns<TRowGroup, TRun>;
  if (!IsPublished(request))
  {
    const auto label = [&](const DeviceExecutor & in, const RunCapacity & capacity) {
      const auto runs = LabelRuns<TRun>(in, groups, capacity);
      visit(RankedType{ runs.GetIndexed(), runs.ranks.get(), runs.runCount, runs.componentCount });
    };
    const RunCapacity capacity = knownCount ? RunCapacity::Exactly(*knownCount) : CapacityFor<TRun>(executor, groups);
    if (executor.HasArena())
    {
      label(executor, capacity);
      return;
    }
    const MeasuringExecutor measuring(SortStorageBytes);
    LabelRuns<TRun>(measuring, groups, capacity);
    ArenaSize size = measuring.GetSize();
    if (capacity.isExact)
    {
      // There may be many runs. So their arrays are freed as early as possible.
      size.uncleared = 0;
    }
    if (const auto arena = MakeArena(executor, size))
    {
      label(executor.In(*arena), capacity);
    }
    else
    {
      // Most images have far fewer runs than the most possible ones.
      label(executor, capacity.isExact ? capacity : RunCapacity::Exactly(CountRuns<TRun>(executor, groups)));
    }
    return;
  }
  const Grid & size = request.size;
  VisitDimension(size, [&](auto dimension) {
    VisitIndexType(size.Count(), [&](auto index) {
      constexpr unsigned int Dimension = decltype(dimension)::value;
      using LabelType = decltype(index);
      const auto labels = executor.Allocate<LabelType>(size.Count());
      {
        const auto bytes = executor.Allocate<std::uint8_t>(size.Count());
        UnpackForeground(executor, groups.rows, size, bytes.get());
        LabelByPublishedAlgorithm<Dimension>(
          executor, request.algorithm, bytes.get(), size, PublishedOptionsOf(request), labels.get());
      }
      const std::uint64_t runCount = knownCount ? *knownCount : CountRuns<TRun>(executor, groups);
      const auto          runOffsets = executor.Allocate<TRun>(groups.columns.words.Count());
      const auto          runLabels = executor.Allocate<TRun>(runCount);
      StoreRunOffsets(executor, groups, runOffsets.get());
      const PublishedRanking<Dimension, LabelType, DeviceExecutor> ranking(
        executor, request.algorithm, labels.get(), size, LabelValues::Ranks());
      ranking.Relabel(executor, labels.get());
      const IndexedRuns<TRowGroup, TRun> runs{ groups, runOffsets.get() };
      GatherLabelsOfRuns(executor, labels.get(), size, runs, runLabels.get());
      visit(RankedType{ runs, runLabels.get(), { runCount }, { ranking.GetComponentCount() } });
    });
  });
}

/** Copies device memory to pinned host memory. All work has ended when the function returns or throws. */
void
Download(const DeviceExecutor & executor, const HostArray & copy, const void * memory, std::uint64_t bytes)
{
  const cudaError_t error =
    bytes == 0 ? cudaSuccess : cudaMemcpyAsync(copy.get(), memory, bytes, cudaMemcpyDeviceToHost, executor.GetStream());
  CCL_CHECK(cudaStreamSynchronize(executor.GetStream()));
  CCL_CHECK(error);
}

/** Does the same with new host memory. */
HostArray
Download(const DeviceExecutor & executor, DeviceResources & resources, const void * memory, std::uint64_t bytes)
{
  HostArray copy = resources.AllocateHost(bytes);
  Download(executor, copy, memory, bytes);
  return copy;
}

/** Returns the count for which tables of components get memory. Waits for the number of components if the memory for
 * the most possible ones would be large. */
template <typename TRun>
BoundedCount<TRun>
CapacityForTables(const DeviceExecutor & executor, const BoundedCount<TRun> & components, const Request & request)
{
  const std::uint64_t bytes = TableWords<TRun>(request, components.limit) * 8 + components.limit * 2 * sizeof(TRun);
  return !request.NeedsAnalysis() || bytes <= Tuning::WorstCaseBytes
           ? components
           : BoundedCount<TRun>{ Await(executor, components) };
}

/** Kernel functor that copies the results of a call to pinned host memory. A copy by CUDA would take longer. A cell is
 * one of two counts, or an element of the observed values. */
template <typename TRun>
struct StoreResults
{
  StoreCounts<TRun>      storeCounts;
  const ObservedValues * values;
  ObservedValues *       hostValues;

  CCL_HOST_DEVICE
  void
  operator()(const Cell & cell) const
  {
    if (cell.x < 2)
    {
      storeCounts(cell);
    }
    else
    {
      hostValues[cell.x - 2] = values[cell.x - 2];
    }
  }
};

/** Measures and selects the components of ranked runs if the request needs it, and calls
 * useRanks(imageRanks, countKept) when the runs have their final ranks, and the results have their memory. countKept()
 * waits for the number of selected components, and returns it. Returns the components, with the table in host memory if
 * the request wants it, or fills the table of `makeTable` unless it is null. Waits for all work but a table of
 * `makeTable`. Throws CudaConnectedComponentError if the label type has too few labels. */
template <typename TRowGroup, typename TRun, typename TUseRanks>
Components
FinishComponents(const DeviceExecutor &      executor,
                 DeviceResources &           resources,
                 RankedRuns<TRowGroup, TRun> ranked,
                 const Request &             request,
                 const TUseRanks &           useRanks,
                 const TableMaker *          makeTable = nullptr,
                 const ObservedValues *      values = nullptr)
{
  ranked.componentCount = CapacityForTables(executor, ranked.componentCount, request);
  const auto selected = SelectComponentsOf(executor, ranked, request);
  // All memory is allocated before the output is written: the output may be the input, and the caller may try again.
  const std::uint64_t imageRankBytes = request.images == 1 ? 0 : request.images * sizeof(TRun);
  const HostArray     counts = resources.AllocateHost(2 * sizeof(std::uint64_t));
  const HostArray     imageRanks = imageRankBytes == 0 ? nullptr : resources.AllocateHost(imageRankBytes);
  const std::uint64_t valueCount = request.wantsValues ? request.images : 0;
  const HostArray     memory = valueCount == 0 ? nullptr : resources.AllocateHost(valueCount * sizeof(ObservedValues));
  auto * const        hostValues = static_cast<ObservedValues *>(memory.get());
  BoundedCount<TRun>  kept = selected.kept;
  const auto          use = [&] { useRanks(selected.imageRanks, [&] { return Await(executor, kept); }); };

  Components components;
  components.keptCounts.resize(request.images);
  auto * const count = static_cast<std::uint64_t *>(counts.get());
  executor.ForEach(Grid{ 2 + valueCount },
                   StoreResults<TRun>{ { { selected.found, selected.kept }, count }, values, hostValues });
  const cudaError_t error =
    imageRankBytes == 0
      ? cudaSuccess
      : cudaMemcpyAsync(
          imageRanks.get(), selected.imageRanks.first, imageRankBytes, cudaMemcpyDeviceToHost, executor.GetStream());
  // The memory for rows depends on the numbers. Otherwise, the device writes the output before the host waits for them.
  const bool hasRows = request.wantsTable && selected.analyzed && makeTable == nullptr;
  if (!hasRows)
  {
    use();
  }
  CCL_CHECK(cudaStreamSynchronize(executor.GetStream()));
  CCL_CHECK(error);

  components.foundCount = count[0];
  components.keptCount = count[1];
  CountComponentsOfImages(static_cast<const TRun *>(imageRanks.get()), components.keptCount, components.keptCounts);
  if (request.wantsValues)
  {
    components.values = ObservedValues::Summarize(hostValues, request.images);
  }
  request.labelValues.RequireRoomFor(components.GetLargestKeptCount());
  if (hasRows)
  {
    kept = components.keptCount;
    const std::uint64_t bytes = TableBytes(request, components.keptCount);
    const auto          rows = CopyKeptRows(executor, *selected.analyzed, components.keptCount, request);
    components.table = resources.AllocateHost(bytes);
    use();
    Download(executor, components.table, rows.get(), bytes);
  }
  else if (makeTable != nullptr)
  {
    const auto table = (*makeTable)(components.keptCount);
    ExportRows(executor, *selected.analyzed, selected.imageRanks, { components.keptCount }, request, table);
  }
  return components;
}

/** Labels images in device memory by their runs. Returns their components. */
template <typename TRowGroup, typename TRun>
Components
LabelPixelsByRuns(const DeviceExecutor & executor,
                  DeviceResources &      resources,
                  const ImageView &      input,
                  const Request &        request,
                  const ImageView &      output,
                  const TableMaker *     makeTable)
{
  const ImageStack stack = StackOf<TRowGroup>(request.size, request.images);
  const auto       bits = executor.Allocate<Word>(WordsOf(stack.GetGrid()).Count());
  const auto       values = AllocateValues(executor, request);
  const auto       grouped = PackImages<TRowGroup>(executor, input, request, bits.get(), values.get());
  Components       components;
  const auto       finish = [&](const auto & ranked) {
    HostArray  intensities;
    const auto useRanks = [&](const RanksOfImages<TRun> & imageRanks, const auto & countKept) {
      if (request.WantsIntensities())
      {
        // The output may be the memory of the intensities, so it is written later.
        const std::uint64_t count = countKept();
        const auto          rows = executor.Allocate<IntensityValue>(count);
        MeasureIntensitiesOfRuns(
          executor, ranked.runs, ranked.ranks, stack, IntensityImage::Of(request.intensities), count, rows.get());
        intensities = Download(executor, resources, rows.get(), count * sizeof(IntensityValue));
      }
      WriteOutput(executor, ranked, imageRanks, input, request, output);
    };
    components = FinishComponents(executor, resources, ranked, request, useRanks, makeTable, values.get());
    components.intensities = std::move(intensities);
  };
  LabelRunsOnDevice<TRun>(executor, grouped.groups, std::nullopt, request, finish);
  return components;
}

/** Does the same with one block of memory for all arrays if the most possible runs need little memory. */
template <typename TRowGroup, typename TRun>
Components
LabelPixelsInArena(const DeviceExecutor & executor,
                   DeviceResources &      resources,
                   const ImageView &      input,
                   const Request &        request,
                   const ImageView &      output,
                   const TableMaker *     makeTable)
{
  const auto label = [&](const DeviceExecutor & in) {
    return LabelPixelsByRuns<TRowGroup, TRun>(in, resources, input, request, output, makeTable);
  };
  if (!IsPublished(request))
  {
    // Rows for the caller take memory later.
    CudaConnectedComponentDeviceCall call;
    call.input = input;
    call.output = output;
    const MeasuringExecutor measuring(SortStorageBytes);
    RunAllSteps<TRowGroup, TRun>(measuring, request, call);
    if (measuring.GetSize().GetTotal() <= Tuning::WorstCaseBytes)
    {
      if (const auto arena = MakeArena(executor, measuring.GetSize()))
      {
        return label(executor.In(*arena));
      }
    }
  }
  return label(executor);
}

/** Labels an image in device memory by the published algorithm of the request. Returns the number of components. The
 * algorithm writes its own labels to the output image if TLabel has the size of the output's pixels, else to a
 * temporary image. Its input is one byte for each pixel: the image itself, or a copy if its pixels are larger. */
template <typename TLabel>
std::uint64_t
LabelPixelsAsPublished(const DeviceExecutor & executor,
                       const ImageView &      input,
                       const Request &        request,
                       const ImageView &      output)
{
  const Grid &         size = request.size;
  const bool           inPlace = SizeOf(output.type) == sizeof(TLabel);
  const auto           scratch = executor.Allocate<TLabel>(inPlace ? 0 : size.Count());
  TLabel * const       labels = inPlace ? static_cast<TLabel *>(output.pixels) : scratch.get();
  const bool           areBytes = SizeOf(input.type) == 1;
  const auto           reduced = executor.Allocate<std::uint8_t>(areBytes ? 0 : size.Count());
  const std::uint8_t * bytes = reduced.get();
  if (areBytes)
  {
    bytes = static_cast<const std::uint8_t *>(input.pixels);
  }
  else
  {
    VisitPixels(
      input.pixels, input.type, [&](const auto * typed) { BinarizeForeground(executor, typed, size, reduced.get()); });
  }

  std::uint64_t objectCount = 0;
  VisitDimension(size, [&](auto dimension) {
    constexpr unsigned int Dimension = decltype(dimension)::value;
    LabelByPublishedAlgorithm<Dimension>(executor, request.algorithm, bytes, size, PublishedOptionsOf(request), labels);
    const PublishedRanking<Dimension, TLabel, DeviceExecutor> ranking(
      executor, request.algorithm, labels, size, request.labelValues);
    objectCount = ranking.GetComponentCount();
    request.labelValues.RequireRoomFor(objectCount);
    VisitWidth(output.type,
               [&](auto label) { ranking.Relabel(executor, static_cast<decltype(label) *>(output.pixels)); });
    CCL_CHECK(cudaStreamSynchronize(executor.GetStream()));
  });
  return objectCount;
}

/** Returns whether the foreground is the pixels that VisitPixels() finds to differ from 0. Only Foreground::NotZero()
 * is inverted. */
bool
IsDefaultForeground(const Request & request, PixelType type)
{
  return request.foreground.IsNotZero() && !request.isComplement && !request.WantsMask() && type != PixelType::Half &&
         type != PixelType::BFloat16;
}

/** Labels or fills images in device memory by the algorithm for the request. Returns their components. */
Components
LabelPixelsOnDevice(const DeviceExecutor & executor,
                    DeviceResources &      resources,
                    const ImageView &      input,
                    const Request &        request,
                    const ImageView &      output,
                    const TableMaker *     makeTable)
{
  // Published algorithms write labels without gaps, and nothing else. For the rest, runs read their labels.
  if (IsPublished(request) && request.output == OutputKind::Labels && IsDefaultForeground(request, input.type) &&
      !request.NeedsAnalysis() && !request.WantsIntensities() && !request.wantsValues && input.IsContiguous() &&
      output.IsContiguous())
  {
    // Labels of 64 bits need no temporary image if the output has 64 bits.
    const std::uint64_t maximum = SizeOf(output.type) == 8 ? ~std::uint64_t{ 0 } : request.size.Count();
    const std::uint64_t count = VisitIndexType(
      maximum, [&](auto label) { return LabelPixelsAsPublished<decltype(label)>(executor, input, request, output); });
    return { count, count, { count }, nullptr, nullptr, {} };
  }
  return VisitIndexType(request.GetIndexLimit(), [&](auto run) {
    return VisitRowGroup(request.size, request.fullyConnected, [&](auto group) {
      return LabelPixelsInArena<decltype(group), decltype(run)>(executor, resources, input, request, output, makeTable);
    });
  });
}

} // namespace

Components
DeviceSession::LabelPixels(const ImageView &  input,
                           const Request &    request,
                           const ImageView &  output,
                           const TableMaker * makeTable)
{
  return m_Implementation->Run([&](const DeviceExecutor & executor, DeviceResources & resources) {
    const int device = m_Implementation->GetDevice();
    RequireDeviceMemory(input.pixels, "input", device);
    if (request.output != OutputKind::None)
    {
      RequireDeviceMemory(output.pixels, "output", device);
    }
    if (request.WantsMask())
    {
      RequireDeviceMemory(request.mask.pixels, "mask", device);
    }
    if (request.WantsIntensities())
    {
      RequireDeviceMemory(request.intensities.pixels, "intensity image", device);
    }
    const TableMaker makeCheckedTable = [&](std::uint64_t components) {
      const auto table = (*makeTable)(components);
      RequireDeviceTable(table, device);
      return table;
    };
    return LabelPixelsOnDevice(
      executor, resources, input, request, output, makeTable == nullptr ? nullptr : &makeCheckedTable);
  });
}

namespace
{

/** Labels the runs of images of bits in host memory. */
template <typename TRowGroup, typename TRun>
RunLabels
LabelBitsAs(const DeviceExecutor & executor,
            DeviceResources &      resources,
            const Word *           hostBits,
            std::uint64_t          runCount,
            const Request &        request)
{
  const ImageStack    stack = StackOf<TRowGroup>(request.size, request.images);
  const std::uint64_t words = WordsOf(stack.GetGrid()).Count();
  const auto          bits = executor.Allocate<Word>(words);
  CCL_CHECK(cudaMemcpyAsync(bits.get(), hostBits, words * sizeof(Word), cudaMemcpyHostToDevice, executor.GetStream()));
  const auto grouped = CollectRowGroups<TRowGroup>(executor, stack, bits.get());
  RunLabels  result{ nullptr, nullptr, sizeof(TRun) == 8, nullptr, {} };
  const auto finish = [&](const auto & ranked) {
    const auto useRanks = [&](const RanksOfImages<TRun> & imageRanks, const auto &) {
      if (request.output == OutputKind::Labels || request.WantsIntensities())
      {
        result.ranks = Download(executor, resources, ranked.ranks, runCount * sizeof(TRun));
        if (request.images > 1)
        {
          result.imageRanks = Download(executor, resources, imageRanks.first, request.images * sizeof(TRun));
        }
      }
      if (request.output == OutputKind::MaskBits)
      {
        const auto mask = executor.Allocate<Word>(words);
        StoreMask(executor, ranked.runs, ranked.ranks, mask.get());
        result.mask = Download(executor, resources, mask.get(), words * sizeof(Word));
      }
    };
    result.components = FinishComponents(executor, resources, ranked, request, useRanks);
  };
  LabelRunsOnDevice<TRun>(executor, grouped.groups, runCount, request, finish);
  return result;
}

} // namespace

RunLabels
DeviceSession::LabelBits(const Word * bits, std::uint64_t runCount, const Request & request)
{
  return m_Implementation->Run([&](const DeviceExecutor & executor, DeviceResources & resources) {
    return VisitIndexType(request.GetIndexLimit(), [&](auto run) {
      return VisitRowGroup(request.size, request.fullyConnected, [&](auto group) {
        return LabelBitsAs<decltype(group), decltype(run)>(executor, resources, bits, runCount, request);
      });
    });
  });
}

namespace
{

/** Throws CudaConnectedComponentError unless a workspace has the needed bytes and alignment. */
void
RequireWorkspace(const void * workspace, std::uint64_t bytes, std::uint64_t needed)
{
  std::string problem;
  if (bytes < needed)
  {
    problem = "the workspace has " + std::to_string(bytes) + " bytes, but the call needs " + std::to_string(needed) +
              ": ask GetWorkspaceSize()";
  }
  else if (needed != 0 &&
           (workspace == nullptr || reinterpret_cast<std::uintptr_t>(workspace) % ArenaSize::Alignment != 0))
  {
    problem =
      "the address of the workspace is null, or not a multiple of " + std::to_string(ArenaSize::Alignment) + " bytes";
  }
  if (!problem.empty())
  {
    throw CudaConnectedComponentError(CudaConnectedComponentError::KindEnum::InvalidArgument, problem);
  }
}

/** Returns the memory of a call. */
ArenaSize
MeasureCall(const Request & request, const CudaConnectedComponentDeviceCall & call)
{
  const MeasuringExecutor executor(SortStorageBytes);
  RunCall(executor, request, call);
  return executor.GetSize();
}

/** Throws CudaConnectedComponentError unless a call can be enqueued on a stream of a device. */
void
RequireCall(int device, cudaStream_t stream, const Request & request, const CudaConnectedComponentDeviceCall & call)
{
  RequireUsable(stream);
  const auto require = [device](const void * memory, const char * name) {
    if (memory != nullptr)
    {
      RequireDeviceMemory(memory, name, device);
    }
  };
  require(call.input.pixels, "input");
  require(request.mask.pixels, "mask");
  require(request.output == OutputKind::None ? nullptr : call.output.pixels, "output");
  RequireDeviceNumbers(call.status, "status", device);
  RequireDeviceNumbers(call.componentCounts, "array of component counts", device);
  RequireDeviceTable(call.table, device);
}

/** Enqueues the work of a call on a stream of the current device. The workspace has the bytes of `size`. */
void
EnqueueOn(int                                      device,
          cudaStream_t                             stream,
          const Request &                          request,
          const CudaConnectedComponentDeviceCall & call,
          const ArenaSize &                        size,
          DeviceAllocation &&                      workspace)
{
  const DeviceExecutor executor(DeviceResources::Of(device), stream);
  DeviceArena          arena(std::move(workspace), size, stream);
  RunCall(executor.WithoutWaiting().In(arena), request, call);
}

} // namespace

std::uint64_t
DeviceSession::GetWorkspaceBytes(int deviceId, const Request & request, const CudaConnectedComponentDeviceCall & call)
{
  std::optional<CurrentDevice> current;
  if (IsSorting(request.selection))
  {
    current.emplace(deviceId);
  }
  return MeasureCall(request, call).GetTotal();
}

void
DeviceSession::Prepare(int deviceId, const Request & request, const CudaConnectedComponentDeviceCall & call)
{
  const CurrentDevice  current(deviceId);
  const DeviceExecutor executor(DeviceResources::Of(current.Get()), nullptr);
  // The kernel that writes labels depends on the alignment of the output. Nothing is written here.
  for (const std::uintptr_t address : { ArenaSize::Alignment, ArenaSize::Alignment + SizeOf(call.output.type) })
  {
    CudaConnectedComponentDeviceCall each = call;
    if (each.output.pixels != nullptr)
    {
      each.output.pixels = reinterpret_cast<void *>(address);
    }
    RunCall(executor.WithoutWaiting().ForLoading(), request, each);
  }
}

void
DeviceSession::Enqueue(int                                      deviceId,
                       void *                                   stream,
                       const Request &                          request,
                       const CudaConnectedComponentDeviceCall & call,
                       void *                                   workspace,
                       std::uint64_t                            workspaceBytes)
{
  const CurrentDevice current(deviceId);
  const auto          cudaStream = static_cast<cudaStream_t>(stream);
  RequireCall(current.Get(), cudaStream, request, call);
  const ArenaSize size = MeasureCall(request, call);
  RequireWorkspace(workspace, workspaceBytes, size.GetTotal());
  if (workspace != nullptr)
  {
    RequireDeviceMemory(workspace, "workspace", current.Get());
  }
  EnqueueOn(current.Get(), cudaStream, request, call, size, DeviceAllocation(workspace));
}

void
DeviceSession::Enqueue(int                                      deviceId,
                       void *                                   stream,
                       const Request &                          request,
                       const CudaConnectedComponentDeviceCall & call,
                       const CudaConnectedComponentAllocator &  allocator)
{
  const CurrentDevice current(deviceId);
  const auto          cudaStream = static_cast<cudaStream_t>(stream);
  RequireCall(current.Get(), cudaStream, request, call);
  CallersMemory   memory(allocator, current.Get());
  const ArenaSize size = MeasureCall(request, call);
  EnqueueOn(current.Get(), cudaStream, request, call, size, DeviceAllocation(memory, size.GetTotal(), cudaStream));
}

} // namespace itk::ccl
