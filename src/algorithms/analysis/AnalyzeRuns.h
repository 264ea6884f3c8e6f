// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_algorithms_analysis_AnalyzeRuns_h
#define ccl_algorithms_analysis_AnalyzeRuns_h

// The steps between the union of runs and the label write-out: measures the components, selects some of them, and gives
// the final labels to the runs.

#include "algorithms/Request.h"
#include "algorithms/analysis/MarkSeeds.h"
#include "algorithms/analysis/MeasureRuns.h"
#include "algorithms/analysis/SelectComponents.h"
#include "algorithms/runs/ImageRanks.h"
#include "algorithms/runs/RunUnionFind.h"
#include "primitives/Grid.h"

#include <optional>
#include <utility>

namespace itk::ccl
{

/** The components of a stack after the analysis. */
template <typename TRun, typename TExecutor>
struct AnalyzedComponents
{
  template <typename T>
  using BufferType = decltype(std::declval<const TExecutor &>().template Allocate<T>(0));

  BufferType<std::uint64_t>                          table; // a ComponentTable with found.limit rows, one for each rank
  BufferType<TRun>                                   runOfRanks; // a run of each component, if its value is wanted
  BoundedCount<TRun>                                 found;      // components of all images
  std::optional<SelectedComponents<TRun, TExecutor>> selected;   // nothing if the selection keeps all components

  /** Returns the number of components that the selection keeps. */
  BoundedCount<TRun>
  GetKept() const
  {
    return selected ? selected->count : found;
  }

  /** Returns the ranks of the kept components in the order of their labels, or null if all are kept. */
  const TRun *
  GetKeptRanks() const
  {
    return selected ? selected->ranks.get() : nullptr;
  }
};

/** Returns the size of the memory for the table of a request, in elements of 64 bits. */
template <typename TRun>
std::uint64_t
TableWords(const Request & request, std::uint64_t rows)
{
  const TableColumns columns = ColumnsFor(request.selection, request.columns);
  return VisitSumTypeFor<TRun>(
    request.size, columns, [&](auto sum) { return WordsOfTable<ComponentTable<TRun, decltype(sum)>>(columns, rows); });
}

/** Kernel functor that finds a run of each component. A cell is a run. */
template <typename TRun>
struct FindRunOfRank
{
  RanksOfRuns<TRun> ranks;
  TRun *            runOfRanks; // NoLabel at first

  CCL_HOST_DEVICE
  void
  operator()(const Cell & run) const
  {
    // All runs of a component have its value, so each will do. A component may have very many.
    TRun * const found = runOfRanks + ranks[run.x];
    if (Load(found) == NoLabel<TRun>)
    {
      Store(found, static_cast<TRun>(run.x));
    }
  }
};

/** Measures and selects the components of labeled runs. Waits only if the selection sorts. If components are selected,
 * LabeledRuns::GetRanks() then gives their positions in the order of the labels, or NoLabel.
 * \param keptMemory gets the number of selected components, instead of memory of the executor, if it is not null */
template <typename TRowGroup, typename TRun, typename TExecutor>
AnalyzedComponents<TRun, TExecutor>
AnalyzeRuns(const TExecutor &                         executor,
            LabeledRuns<TRowGroup, TRun, TExecutor> & labeled,
            const RanksOfImages<TRun> &               imageRanks,
            const Request &                           request,
            TRun *                                    keptMemory = nullptr)
{
  const auto          runs = labeled.GetIndexed().AsValueRows();
  const auto          ranks = labeled.GetRanks();
  const auto &        componentCount = labeled.componentCount;
  const TableColumns  columns = ColumnsFor(request.selection, request.columns);
  const ImageStack    stack = StackOf<TRowGroup>(request.size, request.images);
  const Selection &   selection = request.selection;
  const std::uint64_t limit = componentCount.limit;
  auto                memory = executor.template Allocate<std::uint64_t>(TableWords<TRun>(request, limit));
  const auto          table = VisitSumTypeFor<TRun>(request.size, columns, [&](auto sum) -> SelectionColumns<TRun> {
    const auto allColumns =
      ComponentTableIn<ComponentTable<TRun, decltype(sum)>>(memory.get(), columns, limit, request.size);
    const bool isTransposed = selection.pixelOrder == Selection::PixelOrderEnum::TransposedRaster;
    MeasureComponents(executor, runs, ranks, stack, isTransposed, componentCount, allColumns);
    return allColumns;
  });
  auto                runOfRanks = executor.template Allocate<TRun>(columns.values ? limit : 0);
  if (columns.values)
  {
    executor.Fill(runOfRanks.get(), limit, NoLabelByte);
    executor.ForEach(labeled.runCount, FindRunOfRank<TRun>{ ranks, runOfRanks.get() });
  }
  if (selection.IsDefault())
  {
    return { std::move(memory), std::move(runOfRanks), componentCount, std::nullopt };
  }
  const auto seeded = MarkSeededComponents(executor, runs, ranks, limit, stack, selection.seeds);
  const SelectComponents::ComponentGroups<TRun> groups{ imageRanks, labeled.values.ofRuns, runOfRanks.get() };
  auto                                          selected = Select(executor,
                         table,
                         selection.seeds.empty() ? nullptr : seeded.get(),
                         componentCount,
                         request.size,
                         groups,
                         selection,
                         request.values.type,
                         keptMemory);
  if (labeled.onlyRoots)
  {
    labeled.positions = selected.positions.get();
  }
  else
  {
    executor.ForEach(labeled.runCount,
                     SelectComponents::RenumberRun<TRun>{ selected.positions.get(), labeled.ranks.get() });
  }
  return { std::move(memory), std::move(runOfRanks), componentCount, std::move(selected) };
}

/** Labeled runs after the selection of a request. */
template <typename TRowGroup, typename TRun, typename TExecutor>
struct SelectedRuns
{
  using BufferType = typename LabeledRuns<TRowGroup, TRun, TExecutor>::BufferType;

  LabeledRuns<TRowGroup, TRun, TExecutor>            labeled;  // GetRanks() gives ranks of kept components, or NoLabel
  std::optional<AnalyzedComponents<TRun, TExecutor>> analyzed; // nothing if the request needs no analysis
  BufferType                                         imageRankMemory;
  RanksOfImages<TRun>                                imageRanks; // of the kept components
  BoundedCount<TRun>                                 kept;
};

/** Measures and selects the components of labeled runs if the request needs it. Waits only if the selection sorts.
 * `keptMemory` is as for AnalyzeRuns(). */
template <typename TRowGroup, typename TRun, typename TExecutor>
SelectedRuns<TRowGroup, TRun, TExecutor>
SelectComponentsOf(const TExecutor &                          executor,
                   LabeledRuns<TRowGroup, TRun, TExecutor> && labeled,
                   const Request &                            request,
                   TRun *                                     keptMemory = nullptr)
{
  const auto found = labeled.componentCount;
  const auto ranksIn = [&request](const auto & memory) {
    return RanksOfImages<TRun>{ request.images == 1 ? nullptr : memory.get(), request.images };
  };
  auto imageRankMemory =
    FindRanksOfImages(executor, labeled.GetIndexed(), labeled.runCount, labeled.GetRanks(), request.images);
  auto imageRanks = ranksIn(imageRankMemory);
  if (!request.NeedsAnalysis())
  {
    return { std::move(labeled), std::nullopt, std::move(imageRankMemory), imageRanks, found };
  }
  auto analyzed = AnalyzeRuns(executor, labeled, imageRanks, request, keptMemory);
  if (analyzed.selected && request.images > 1)
  {
    auto positions = executor.template Allocate<TRun>(request.images);
    executor.ForEach(Grid{ request.images },
                     SelectComponents::FindStartOfImage<TRun>{
                       imageRanks, analyzed.GetKeptRanks(), analyzed.GetKept(), positions.get() });
    imageRankMemory = std::move(positions);
    imageRanks = ranksIn(imageRankMemory);
  }
  const auto kept = analyzed.GetKept();
  return { std::move(labeled), std::move(analyzed), std::move(imageRankMemory), imageRanks, kept };
}

} // namespace itk::ccl

#endif
