// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_engine_RunPipelineSteps_cuh
#define ccl_engine_RunPipelineSteps_cuh

// The definitions of RunPipeline.cuh.

#include "engine/RunPipeline.cuh"

#include "engine/DevicePacking.cuh"
#include "engine/MeasureCall.cuh"
#include "engine/PublishedLabeling.cuh"
#include "algorithms/analysis/MeasureIntensities.h"
#include "algorithms/analysis/UnpackTable.h"
#include "algorithms/published/GatherRunLabels.h"

#include <memory>
#include <optional>
#include <utility>

namespace itk::ccl
{

/** Returns memory for the arrays of a call, or null if there is too little memory. */
inline std::unique_ptr<DeviceArena>
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
      const auto runs = LabelRuns<TRun>(in, groups, request.neighbors, capacity);
      visit(RankedType{ runs.GetIndexed(), runs.ranks.get(), runs.runCount, runs.componentCount });
    };
    const RunCapacity capacity = knownCount ? RunCapacity::Exactly(*knownCount) : CapacityFor<TRun>(executor, groups);
    if (executor.HasArena())
    {
      label(executor, capacity);
      return;
    }
    const MeasuringExecutor measuring(SortStorageBytes);
    LabelRuns<TRun>(measuring, groups, request.neighbors, capacity);
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
  const auto          labeled = RankPixelsAsPublished<TRun>(executor, groups.rows, request);
  const std::uint64_t runCount = knownCount ? *knownCount : CountRuns<TRun>(executor, groups);
  const auto          runOffsets = executor.Allocate<TRun>(groups.columns.words.Count());
  const auto          runLabels = executor.Allocate<TRun>(runCount);
  StoreRunOffsets(executor, groups, runOffsets.get());
  const IndexedRuns<TRowGroup, TRun> runs{ groups, runOffsets.get() };
  GatherLabelsOfRuns(executor, labeled.ranks.get(), request.size, runs, runLabels.get());
  visit(RankedType{ runs, runLabels.get(), { runCount }, { labeled.componentCount } });
}

/** Copies device memory to pinned host memory. All work has ended when the function returns or throws. */
inline void
Download(const DeviceExecutor & executor, const HostArray & copy, const void * memory, std::uint64_t bytes)
{
  const cudaError_t error =
    bytes == 0 ? cudaSuccess : cudaMemcpyAsync(copy.get(), memory, bytes, cudaMemcpyDeviceToHost, executor.GetStream());
  CCL_CHECK(cudaStreamSynchronize(executor.GetStream()));
  CCL_CHECK(error);
}

/** Does the same with new host memory. */
inline HostArray
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
LabelPixelsWith(const DeviceExecutor & executor,
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
    return LabelPixelsWith<TRowGroup, TRun>(in, resources, input, request, output, makeTable);
  };
  if (!IsPublished(request))
  {
    // Rows for the caller take memory later.
    CudaConnectedComponentDeviceCall call;
    call.input = input;
    call.output = output;
    const ArenaSize size = MeasureCall(request, call);
    if (size.GetTotal() <= Tuning::WorstCaseBytes)
    {
      if (const auto arena = MakeArena(executor, size))
      {
        return label(executor.In(*arena));
      }
    }
  }
  return label(executor);
}

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

template <typename TRun>
Components
LabelPixelsByRuns(const DeviceExecutor & executor,
                  DeviceResources &      resources,
                  const ImageView &      input,
                  const Request &        request,
                  const ImageView &      output,
                  const TableMaker *     makeTable)
{
  return VisitRowGroup(request.size, request.neighbors, [&](auto group) {
    return LabelPixelsInArena<decltype(group), TRun>(executor, resources, input, request, output, makeTable);
  });
}

template <typename TRun>
RunLabels
LabelBitsByRuns(const DeviceExecutor & executor,
                DeviceResources &      resources,
                const Word *           bits,
                std::uint64_t          runCount,
                const Request &        request)
{
  return VisitRowGroup(request.size, request.neighbors, [&](auto group) {
    return LabelBitsAs<decltype(group), TRun>(executor, resources, bits, runCount, request);
  });
}

} // namespace itk::ccl

#endif
