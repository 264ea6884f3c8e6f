// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_engine_RunPipelineSteps_cuh
#define ccl_engine_RunPipelineSteps_cuh

// The definitions of RunPipeline.cuh.

#include "engine/ManyRuns.cuh"
#include "engine/RunPipeline.cuh"

#include "algorithms/analysis/MeasureIntensities.h"
#include "algorithms/analysis/MeasureValues.h"
#include "algorithms/analysis/UnpackIntensities.h"
#include "executors/MeasuringExecutor.h"

#include <exception>
#include <memory>
#include <optional>
#include <utility>

namespace itk::ccl
{

/** Memory for all arrays of a call. */
class CallMemory
{
public:
  std::unique_ptr<DeviceArena> arena; // null before Take(), and if there is none: see LabelPixelsOf()

  /** \param isIdleAtEnd whether all work on the arrays has ended when this object is destroyed. If it may go on, nobody
   * gets the block before its end. */
  CallMemory(const DeviceExecutor & executor, DeviceResources & resources, bool isIdleAtEnd)
    : m_Executor(executor)
    , m_Resources(resources)
    , m_IsIdleAtEnd(isIdleAtEnd)
  {}

  ~CallMemory()
  {
    if (m_Block != nullptr && !m_IsIdleAtEnd)
    {
      m_Resources.ReturnAfterWork(std::move(m_Block), m_Executor.GetStream());
    }
  }
  CallMemory(const CallMemory &) = delete;
  CallMemory &
  operator=(const CallMemory &) = delete;

  /** Takes memory if the arrays are not large. */
  void
  Take(const ArenaSize & size)
  {
    const std::uint64_t bytes = size.GetTotal();
    if (bytes <= Tuning::CachedBlockBytes && m_Executor.GetMemorySource().MayUseCache(bytes))
    {
      m_Block = m_Resources.AllocateBlock(bytes);
    }
    if (m_Block != nullptr)
    {
      arena = std::make_unique<DeviceArena>(DeviceAllocation(m_Block.get()), size);
    }
    else if (bytes <= Tuning::WorstCaseBytes)
    {
      arena = MakeArena(m_Executor, size);
    }
  }

private:
  const DeviceExecutor & m_Executor;
  DeviceResources &      m_Resources;
  bool                   m_IsIdleAtEnd;
  std::shared_ptr<void>  m_Block; // of the cache, or null
};

/** Waits for a stream if an exception leaves the scope: kernels and copies may still write to the pinned memory of the
 * objects that were declared before. */
struct WaitOnException
{
  cudaStream_t stream;

  ~WaitOnException()
  {
    if (std::uncaught_exceptions() != 0)
    {
      cudaStreamSynchronize(stream);
    }
  }
};

/** Memory for what is known of the values of one image, all 0. A kernel moves the values from there to the host, so the
 * memory is 0 again if the call succeeds, as soon as a later kernel has stored the number of components. An image
 * without runs leaves it 0: there are no values of complements (see NeedsOnlyHostNumbers()) and masked pixels (see
 * WantsValues()), so only pixels of runs have values. */
class ZeroedValues
{
public:
  /** Takes the memory if `isWanted`, and if there is enough. */
  ZeroedValues(const DeviceExecutor & executor, DeviceResources & resources, bool isWanted)
    : m_Resources(resources)
    , m_Exceptions(std::uncaught_exceptions())
    , m_Memory(isWanted && executor.GetMemorySource().MayUseCache(DeviceResources::ZeroedBytes)
                 ? resources.TakeZeroedMemory(executor.GetStream())
                 : nullptr)
  {
    static_assert(Tuning::ValueCopies * sizeof(ObservedValues) <= DeviceResources::ZeroedBytes, "the values fit");
  }

  ~ZeroedValues()
  {
    if (m_Memory != nullptr)
    {
      std::uncaught_exceptions() == m_Exceptions ? m_Resources.ReturnZeroedMemory(m_Memory)
                                                 : m_Resources.FreeZeroedMemory(m_Memory);
    }
  }
  ZeroedValues(const ZeroedValues &) = delete;
  ZeroedValues &
  operator=(const ZeroedValues &) = delete;

  /** Returns the memory, or null. */
  ObservedValues *
  get() const
  {
    return static_cast<ObservedValues *>(m_Memory);
  }

private:
  DeviceResources & m_Resources;
  int               m_Exceptions; // that were thrown before
  void *            m_Memory;
};

/** Numbers that kernels write to pinned memory while they do other work. */
template <typename TRun>
struct HostNumbers
{
  TRun           kept;                        // number of components
  ObservedValues values[Tuning::ValueCopies]; // of the pixels: the copies of SharedValues
};

/** Returns whether the caller needs no numbers but those of HostNumbers, and no kernel reads them. The values are
 * copied only if there are runs. Without foreground, an image has no values, but its complement has. There are no
 * values with a mask: see WantsValues(). */
inline bool
NeedsOnlyHostNumbers(const Request & request)
{
  return request.images == 1 && !request.wantsTable && !request.WantsIntensities() && !IsSorting(request.selection) &&
         !(request.wantsValues && request.isComplement);
}

/** Enqueues a copy of device memory to pinned host memory. Returns the memory. */
inline HostArray
Download(const DeviceExecutor & executor, DeviceResources & resources, const void * memory, std::uint64_t bytes)
{
  HostArray copy = resources.AllocateHost(bytes);
  if (bytes != 0)
  {
    CCL_CHECK(cudaMemcpyAsync(copy.get(), memory, bytes, cudaMemcpyDeviceToHost, executor.GetStream()));
  }
  return copy;
}

/** Enqueues the numbers of a call, writeOutput(), and the rows of its table and intensities. Waits for them, but not
 * for a table of `makeTable`. Returns the components, with the table in host memory unless there is `makeTable`. Throws
 * CudaConnectedComponentError if the label type has too few labels.
 * \param hostNumbers the numbers, if no others are wanted; else null
 * \param values what the values of the pixels are, if they are wanted
 * \param makeTable makes the table in device memory, or is null
 * \param waitsForOutput whether to wait until the output is written, and not for `hostNumbers` only */
template <typename TRowGroup, typename TRun, typename TWriteOutput>
Components
AwaitComponents(const DeviceExecutor &                                executor,
                DeviceResources &                                     resources,
                const SelectedRuns<TRowGroup, TRun, DeviceExecutor> & selected,
                const Request &                                       request,
                bool                                                  measuresIntensities,
                const HostNumbers<TRun> *                             hostNumbers,
                const SharedValues &                                  values,
                const TableMaker *                                    makeTable,
                bool                                                  waitsForOutput,
                const TWriteOutput &                                  writeOutput)
{
  // All memory is allocated before the output is written: the output may be the input, and the caller may try again.
  CudaConnectedComponentDeviceCall call;
  const HostArray numbers = resources.AllocateHost(sizeof(*call.status) + request.images * sizeof(std::uint64_t));
  const HostArray valueMemory =
    values.memory == nullptr ? nullptr : resources.AllocateHost(request.images * sizeof(ObservedValues));
  auto * const copiedValues = static_cast<ObservedValues *>(valueMemory.get());
  call.status = static_cast<CudaConnectedComponentStatus *>(numbers.get());
  call.componentCounts = reinterpret_cast<std::uint64_t *>(call.status + 1);
  *call.status = {};
  HostArray             columns;
  HostArray             intensities;
  const WaitOnException waitOnException{ executor.GetStream() };
  if (hostNumbers == nullptr)
  {
    StoreNumbersOf(executor, selected, request, call, values, copiedValues);
  }
  // The memory for rows depends on the numbers. Otherwise, the device writes the output before the host waits for them.
  const bool hasTable = request.wantsTable && selected.analyzed && makeTable == nullptr;
  const bool hasRows = hasTable || measuresIntensities;
  if (!hasRows)
  {
    writeOutput();
  }
  if (hostNumbers == nullptr || waitsForOutput)
  {
    CCL_CHECK(cudaStreamSynchronize(executor.GetStream()));
  }
  if (hostNumbers != nullptr)
  {
    *call.componentCounts = call.status->componentCount = call.status->originalComponentCount =
      AwaitValue(&hostNumbers->kept, executor.GetStream());
  }

  Components          components;
  auto &              table = components.table;
  const std::uint64_t kept = call.status->componentCount;
  table.originalComponentCount = call.status->originalComponentCount;
  table.componentCount = kept;
  table.componentCounts.assign(call.componentCounts, call.componentCounts + request.images);
  if (values.memory != nullptr)
  {
    if (hostNumbers != nullptr)
    {
      *copiedValues = ObservedValues::OrOfCopies(hostNumbers->values, values.copies);
    }
    components.values = ObservedValues::Summarize(copiedValues, request.images);
  }
  components.RequireLabels(request.labelValues);
  if (hasRows)
  {
    if (measuresIntensities)
    {
      const auto rows = executor.Allocate<IntensityValue>(kept);
      MeasureIntensitiesOfRuns(executor,
                               selected.labeled.GetIndexed(),
                               selected.labeled.ranks.get(),
                               StackOf<TRowGroup>(request.size, request.images),
                               IntensityImage::Of(request.intensities),
                               kept,
                               rows.get());
      intensities = Download(executor, resources, rows.get(), kept * sizeof(IntensityValue));
    }
    if (hasTable)
    {
      const std::uint64_t words = WordsOfTable<CallersTable>(request.columns, kept);
      const auto          rows = executor.Allocate<std::uint64_t>(words);
      const auto          exported = TableIn<CallersTable>(rows.get(), request.columns, kept);
      if (exported.faces != nullptr)
      {
        // The bytes after the last face of the column are copied, too.
        executor.Fill(rows.get(), words, 0);
      }
      ExportRows(executor, selected, { kept }, request, exported);
      columns = Download(executor, resources, rows.get(), words * sizeof(std::uint64_t));
    }
    writeOutput();
    CCL_CHECK(cudaStreamSynchronize(executor.GetStream()));
    if (measuresIntensities)
    {
      table.intensities =
        Unpack(request.intensities.type, static_cast<const IntensityValue *>(intensities.get()), kept);
    }
    if (hasTable)
    {
      const auto exported = TableIn<CallersTable>(static_cast<std::uint64_t *>(columns.get()), request.columns, kept);
      FillColumns(table, exported, kept);
    }
  }
  else if (makeTable != nullptr)
  {
    ExportRows(executor, selected, { kept }, request, (*makeTable)(kept));
  }
  return components;
}

/** Labels or fills images in device memory by their runs: the steps of EnqueueSteps(), in one block of memory. If it
 * would be large, the runs have a block of their own, and other memory is allocated as it is needed. If there is too
 * little memory then, or if the algorithm is a published one, there are no blocks. Returns the components. */
template <typename TRowGroup, typename TRun>
Components
LabelPixelsOf(const DeviceExecutor & executor,
              DeviceResources &      resources,
              const ImageView &      input,
              const Request &        request,
              const ImageView &      output,
              const ResultMakers &   makers)
{
  // Images of more than 2^32 pixels are rare, and kernels for them take time to compile.
  if constexpr (TRowGroup::HasValues && sizeof(TRun) == 4)
  {
    if (CanMeasureWholeValues(request))
    {
      const Request           ordered = RequestForWholeValues(request);
      const MeasuringExecutor measuring(SortStorageBytes);
      MeasureWholeValues<TRun>(measuring, input, ordered);
      CallMemory memory(executor, resources, makers.AreNone());
      memory.Take(measuring.GetSize());
      const DeviceExecutor in = memory.arena ? executor.In(*memory.arena) : executor;
      if (const auto selected = MeasureWholeValues<TRun>(in, input, ordered))
      {
        return AwaitComponents<TRowGroup, TRun>(
          in, resources, *selected, ordered, false, nullptr, {}, makers.table, true, [] {});
      }
    }
  }
  CallMemory memory(executor, resources, makers.AreNone());
  HostArray  numbers;
  if (!IsPublished(request))
  {
    // Rows for the caller take memory later, and are copied without a wait.
    CudaConnectedComponentDeviceCall call;
    call.input = input;
    call.output = output;
    memory.Take(MeasureCall(request, call));
  }
  auto &     arena = memory.arena;
  const bool isOneBlock = arena != nullptr;
  // Observed values can be moved to the host only once, but many runs may be labeled twice.
  if (NeedsOnlyHostNumbers(request) && (isOneBlock || (!IsPublished(request) && !request.wantsValues)))
  {
    numbers = resources.AllocateHost(sizeof(HostNumbers<TRun>));
  }
  // An exception lets waitOnException wait before this memory is freed.
  const ZeroedValues    zeros(executor, resources, numbers != nullptr && request.wantsValues);
  const WaitOnException waitOnException{ executor.GetStream() };
  const DeviceExecutor  in = isOneBlock ? executor.In(*arena) : executor;
  auto * const          hostNumbers = static_cast<HostNumbers<TRun> *>(numbers.get());

  const PackedImages<TRowGroup, DeviceExecutor> images(in, input, request, zeros.get());
  const auto &                                  groups = images.grouped.groups;
  const RunCapacity                             capacity = RunCapacity::AtMost(MostRunsOf(groups));
  RankTarget<TRun>                              target{ !request.WantsIntensities() };
  TRun *                                        keptMemory = nullptr;
  if (hostNumbers != nullptr)
  {
    *hostNumbers = { UnknownValue<TRun>, {} };
    target.values = images.values;
    target.movedValues = request.wantsValues ? hostNumbers->values : nullptr;
    // Without a selection, all components are kept.
    (request.selection.IsDefault() ? target.countMemory : keptMemory) = &hostNumbers->kept;
  }
  bool             isResultMade = false; // the makers are called once
  const TableMaker makeTable = [&](std::uint64_t rows) {
    isResultMade = true;
    return (*makers.table)(rows);
  };
  const auto write = [&](const SelectedRuns<TRowGroup, TRun, DeviceExecutor> & selected) {
    ImageView written = output;
    if (makers.labels != nullptr)
    {
      isResultMade = true;
      written.pixels = (*makers.labels)();
    }
    WriteOutput(in, selected, input, request, written);
  };
  // Many runs may be labeled twice. The first time stores 0 as the number of components, which the host must not take.
  const bool waitsForOutput = makers.labels == nullptr || !isOneBlock;
  // All memory of a call but the results of makers is allocated before the output is written.
  const auto finish = [&](const SelectedRuns<TRowGroup, TRun, DeviceExecutor> & selected) {
    return AwaitComponents(in,
                           resources,
                           selected,
                           request,
                           request.WantsIntensities(),
                           hostNumbers,
                           images.values,
                           makers.table == nullptr ? nullptr : &makeTable,
                           waitsForOutput,
                           [&] { write(selected); });
  };
  if (isOneBlock)
  {
    auto labeled = LabelRuns<TRun>(in, groups, request.neighbors, capacity, { &input }, target);
    return finish(SelectComponentsOf(in, std::move(labeled), request, keptMemory));
  }
  std::optional<std::uint64_t> runCount;
  const auto                   finishMany = [&] {
    TRun * const kept = hostNumbers != nullptr ? &hostNumbers->kept : nullptr;
    return finish(SelectManyRuns<TRun>(in, groups, runCount, { &input }, request, arena, kept));
  };
  try
  {
    return finishMany();
  }
  catch (const CudaConnectedComponentError & error)
  {
    // The runs may need less memory than TryToLabelRuns() gave them.
    const bool mayRepeat = arena != nullptr && !runCount && !isResultMade;
    if (!mayRepeat || error.GetKind() != CudaConnectedComponentError::KindEnum::Memory)
    {
      throw;
    }
  }
  arena.reset();
  runCount = CountRuns<TRun>(in, groups);
  return finishMany();
}

/** The bits of images and the values of their runs, copied from the host. A template of the executor, so that
 * MeasuringExecutor can measure the memory. */
template <typename TRowGroup, typename TExecutor>
struct UploadedBits
{
  using BufferType = decltype(std::declval<const TExecutor &>().template Allocate<Word>(0));

  BufferType                        bits;
  GroupedBits<TRowGroup, TExecutor> grouped;
  BufferType                        keys; // none if runs have no values

  /** \param copy copy(from, count, to) copies words to the executor's memory */
  template <typename TCopy>
  UploadedBits(const TExecutor & executor, const Request & request, const PackedRuns & packed, const TCopy & copy)
    : UploadedBits(executor,
                   StackOf<TRowGroup>(request.size, request.images),
                   TRowGroup::HasValues ? packed.runCount * WordsOfKey(request.values.type) : 0,
                   packed,
                   copy)
  {}

private:
  template <typename TCopy>
  UploadedBits(const TExecutor &  executor,
               const ImageStack & stack,
               std::uint64_t      keyWords,
               const PackedRuns & packed,
               const TCopy &      copy)
    : bits(executor.template Allocate<Word>(WordsOf(stack.GetGrid()).Count()))
    , grouped((copy(packed.bits, WordsOf(stack.GetGrid()).Count(), bits.get()),
               CollectRowGroups<TRowGroup>(executor, stack, bits.get())))
    , keys(executor.template Allocate<Word>(keyWords))
  {
    if constexpr (TRowGroup::HasValues)
    {
      copy(packed.starts, grouped.secondBitWords, grouped.secondBits.get());
      copy(static_cast<const Word *>(packed.keys), keyWords, keys.get());
    }
  }
};

/** Returns the memory that LabelBitsOf() needs for a request that selects and measures nothing. */
template <typename TRowGroup>
ArenaSize
MeasureBitsOf(const Request & request, std::uint64_t runCount)
{
  const MeasuringExecutor                          measuring(SortStorageBytes);
  const UploadedBits<TRowGroup, MeasuringExecutor> uploaded(
    measuring, request, { nullptr, nullptr, nullptr, runCount }, [](const Word *, std::uint64_t, Word *) {});
  const RunValueSource values{ &request.values, uploaded.keys.get() };
  const auto           capacity = RunCapacity::Exactly(runCount);
  SelectComponentsOf(measuring,
                     LabelRuns<std::uint32_t>(measuring, uploaded.grouped.groups, request.neighbors, capacity, values),
                     request);
  return measuring.GetSize();
}

/** Labels the runs of images of bits in host memory. `block` has the memory of MeasureBitsOf(), or is null. */
template <typename TRowGroup, typename TRun>
RunLabels
LabelBitsOf(const DeviceExecutor & executor,
            DeviceResources &      resources,
            const PackedRuns &     packed,
            const Request &        request,
            void *                 block)
{
  std::unique_ptr<DeviceArena> arena;
  if (block != nullptr)
  {
    arena = std::make_unique<DeviceArena>(DeviceAllocation(block), MeasureBitsOf<TRowGroup>(request, packed.runCount));
  }
  const DeviceExecutor                          in = arena ? executor.In(*arena) : executor;
  const UploadedBits<TRowGroup, DeviceExecutor> uploaded(
    in, request, packed, [&](const Word * from, std::uint64_t count, Word * to) {
      CCL_CHECK(cudaMemcpyAsync(to, from, count * sizeof(Word), cudaMemcpyHostToDevice, executor.GetStream()));
    });
  const auto &         groups = uploaded.grouped.groups;
  const std::uint64_t  runCount = packed.runCount;
  std::optional        knownCount(runCount);
  const RunValueSource values{ &request.values, uploaded.keys.get() };
  const auto           selected =
    block != nullptr
                ? SelectComponentsOf(
          in, LabelRuns<TRun>(in, groups, request.neighbors, RunCapacity::Exactly(runCount), values), request)
                : SelectManyRuns<TRun>(executor, groups, knownCount, values, request, arena);
  const TRun * const ranks = selected.labeled.ranks.get();
  RunLabels          result{ nullptr, nullptr, sizeof(TRun) == 8, nullptr, {} };
  const auto         writeOutput = [&] {
    if (request.output == OutputKind::Labels || request.WantsIntensities())
    {
      result.ranks = Download(executor, resources, ranks, runCount * sizeof(TRun));
      if (request.images > 1)
      {
        result.imageRanks = Download(executor, resources, selected.imageRanks.first, request.images * sizeof(TRun));
      }
    }
    if (request.output == OutputKind::MaskBits)
    {
      const std::uint64_t words = groups.rows.words.Count();
      const auto          mask = executor.Allocate<Word>(words);
      StoreMask(executor, selected.labeled.GetIndexed().AsValueRows(), selected.labeled.GetRanks(), mask.get());
      result.mask = Download(executor, resources, mask.get(), words * sizeof(Word));
    }
  };
  result.components = AwaitComponents<TRowGroup, TRun>(
    executor, resources, selected, request, false, nullptr, {}, nullptr, true, writeOutput);
  return result;
}

template <typename TRun>
Components
LabelPixelsByRuns(const DeviceExecutor & executor,
                  DeviceResources &      resources,
                  const ImageView &      input,
                  const Request &        request,
                  const ImageView &      output,
                  const ResultMakers &   makers)
{
  return request.VisitDeviceRowGroup([&](auto group) {
    return LabelPixelsOf<decltype(group), TRun>(executor, resources, input, request, output, makers);
  });
}

template <typename TRun>
RunLabels
LabelBitsByRuns(const DeviceExecutor & executor,
                DeviceResources &      resources,
                const PackedRuns &     packed,
                const Request &        request,
                void *                 block)
{
  return request.VisitPackedRowGroup(
    [&](auto group) { return LabelBitsOf<decltype(group), TRun>(executor, resources, packed, request, block); });
}

} // namespace itk::ccl

#endif
