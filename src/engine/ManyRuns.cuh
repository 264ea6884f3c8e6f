// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_engine_ManyRuns_cuh
#define ccl_engine_ManyRuns_cuh

// Labels runs if the host waits for their number: in images that may have so many of them that not all arrays of a call
// get memory at its start, and for published algorithms.

#include "engine/PublishedLabeling.cuh"
#include "algorithms/Request.h"
#include "algorithms/analysis/AnalyzeRuns.h"
#include "algorithms/published/GatherRunLabels.h"
#include "algorithms/runs/RunUnionFind.h"
#include "executors/MeasuringExecutor.h"
#include "executors/device/DeviceExecutor.cuh"

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

/** Labels the runs of an image by a published algorithm: reads the rank of each run at one of its pixels. */
template <typename TRun, typename TRowGroup>
LabeledRuns<TRowGroup, TRun, DeviceExecutor>
LabelRunsAsPublished(const DeviceExecutor &          executor,
                     const RowGroupBits<TRowGroup> & groups,
                     std::optional<std::uint64_t>    knownCount,
                     const Request &                 request)
{
  const auto          pixels = RankPixelsAsPublished<TRun>(executor, groups.rows, request);
  const std::uint64_t runCount = knownCount ? *knownCount : CountRuns<TRun>(executor, groups);
  const auto          none = [&] { return executor.Allocate<TRun>(0); };
  auto                runOffsets = executor.Allocate<TRun>(groups.columns.words.Count());
  auto                ranks = executor.Allocate<TRun>(runCount);
  StoreRunOffsets(executor, groups, runOffsets.get());
  LabeledRuns<TRowGroup, TRun, DeviceExecutor> labeled{ groups,
                                                        std::move(runOffsets),
                                                        none(),
                                                        none(),
                                                        {},
                                                        none(),
                                                        runCount,
                                                        { pixels.componentCount },
                                                        std::move(ranks),
                                                        none(),
                                                        { executor.Allocate<Word>(0), {} },
                                                        false };
  GatherLabelsOfRuns(
    executor, pixels.ranks.get(), request.size, labeled.GetIndexed().AsValueRows(), labeled.ranks.get());
  return labeled;
}

/** Labels the runs of images, in memory for the most runs of CapacityFor(). Waits for their number, which is known
 * before their components. Returns nothing if there is too little memory, or if there are more runs: then `runCount`
 * gets their number. `componentCount` gets the number of components, if it is not null. */
template <typename TRun, typename TRowGroup>
std::optional<LabeledRuns<TRowGroup, TRun, DeviceExecutor>>
TryToLabelRuns(const DeviceExecutor &          executor,
               const RowGroupBits<TRowGroup> & groups,
               const RunValueSource &          values,
               const Request &                 request,
               std::optional<std::uint64_t> &  runCount,
               TRun *                          componentCount,
               std::unique_ptr<DeviceArena> &  arena)
{
  const RunCapacity       capacity = CapacityFor<TRun>(groups, values.image->type);
  const MeasuringExecutor measuring(SortStorageBytes);
  LabelRuns<TRun>(measuring, groups, request.neighbors, capacity, values);
  arena = MakeArena(executor, measuring.GetSize());
  if (arena == nullptr)
  {
    return std::nullopt;
  }
  const auto       result = executor.AllocateResult<std::uint64_t>();
  RankTarget<TRun> target{ !request.WantsIntensities(), componentCount };
  target.runCountForHost = result.GetAddress();
  auto labeled = LabelRuns<TRun>(executor.In(*arena), groups, request.neighbors, capacity, values, target);
  const std::uint64_t count = result.Get();
  if (count > capacity.runs)
  {
    runCount = count;
    return std::nullopt;
  }
  labeled.SetRunCount(count, ColumnLimitOf(groups, capacity));
  return labeled;
}

/** Labels the runs of images that may have many. `runCount` is the number of runs, if the caller knows it. Otherwise,
 * the host waits for it. Then `runCount` gets it, unless the first try succeeds: its arrays have room for the most runs
 * of CapacityFor(). `arena` gets memory for arrays, and `componentCount` the number of components, if it is not null.
 */
template <typename TRun, typename TRowGroup>
LabeledRuns<TRowGroup, TRun, DeviceExecutor>
LabelManyRuns(const DeviceExecutor &          executor,
              const RowGroupBits<TRowGroup> & groups,
              std::optional<std::uint64_t> &  runCount,
              const RunValueSource &          values,
              const Request &                 request,
              TRun *                          componentCount,
              std::unique_ptr<DeviceArena> &  arena)
{
  // With Neighbors::All, the hash table of UniteRunsOfValues() would be as large as for the most runs.
  if (!runCount && request.neighbors != Neighbors::All)
  {
    if (auto labeled = TryToLabelRuns<TRun>(executor, groups, values, request, runCount, componentCount, arena))
    {
      return std::move(*labeled);
    }
    arena.reset();
  }
  if (!runCount)
  {
    runCount = CountRuns<TRun>(executor, groups);
  }
  // There may be many runs. So the arena has the cleared arrays only, and others are freed as early as possible.
  const auto              capacity = RunCapacity::Exactly(*runCount);
  const MeasuringExecutor measuring(SortStorageBytes);
  LabelRuns<TRun>(measuring, groups, request.neighbors, capacity, values);
  ArenaSize size = measuring.GetSize();
  size.uncleared = 0;
  arena = MakeArena(executor, size);
  const RankTarget<TRun> target{ false, componentCount };
  return LabelRuns<TRun>(arena ? executor.In(*arena) : executor, groups, request.neighbors, capacity, values, target);
}

/** Labels runs by the algorithm of a request, and selects their components. `runCount` is as in LabelManyRuns(). Waits
 * for the number of components if memory for the most possible ones would be large.
 * \param kept pinned memory for the number of kept components, or null for device memory. It must be null for published
 *   algorithms, and needs NeedsOnlyHostNumbers() */
template <typename TRun, typename TRowGroup>
SelectedRuns<TRowGroup, TRun, DeviceExecutor>
SelectManyRuns(const DeviceExecutor &          executor,
               const RowGroupBits<TRowGroup> & groups,
               std::optional<std::uint64_t> &  runCount,
               const RunValueSource &          values,
               const Request &                 request,
               std::unique_ptr<DeviceArena> &  arena,
               TRun *                          kept = nullptr)
{
  // Without a selection, all components are kept.
  const bool keepsAll = request.selection.IsDefault();
  const auto label = [&] {
    return LabelManyRuns<TRun>(executor, groups, runCount, values, request, keepsAll ? kept : nullptr, arena);
  };
  auto labeled = IsPublished(request) ? LabelRunsAsPublished<TRun>(executor, groups, runCount, request) : label();
  const std::uint64_t components = labeled.componentCount.limit;
  if (request.NeedsAnalysis() &&
      TableWords<TRun>(request, components) * 8 + components * 2 * sizeof(TRun) > Tuning::WorstCaseBytes)
  {
    labeled.componentCount = Await(executor, labeled.componentCount);
  }
  return SelectComponentsOf(executor, std::move(labeled), request, keepsAll ? nullptr : kept);
}

} // namespace itk::ccl

#endif
