// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_algorithms_runs_RunUnionFind_h
#define ccl_algorithms_runs_RunUnionFind_h

// Union-find on the runs of row groups, for face and full connectivity in planes and volumes.
//
// The idea of runs as the elements is that of He, Chao and Suzuki (IEEE TIP 17(5), 2008); the order of the steps, which
// link each run to one neighbour first and unite it with the others later, is that of Komura equivalence (Komura,
// Comput. Phys. Commun. 194, 2015). What a row group is: Row groups.h. How labels follow from the trees:
// RunNumbering.h.

#include "algorithms/runs/AdjacencyByRun.h"
#include "algorithms/runs/AdjacencyByWord.h"
#include "algorithms/runs/RunRanking.h"
#include "executors/Executor.h"
#include "primitives/UnionFind.h"

#include <utility>

namespace itk::ccl
{

namespace RunUnionFind
{

/** Counts the runs that start in a word. */
struct StartsInWord
{
  BitRows columns;

  CCL_HOST_DEVICE
  std::uint32_t
  operator()(std::uint64_t word) const
  {
    // Most words have none, and the host has no instruction that counts bits.
    return columns.bits[word] == 0 ? 0 : CountBits(columns.StartsAt(word));
  }
};

/** Keeps how many runs start before each word, and the first and the last column of each run. */
template <typename TRun>
struct StoreRuns
{
  BitRows columns;
  TRun *  runOffsets;
  TRun *  firstColumns;
  TRun *  lastColumns;

  CCL_HOST_DEVICE
  void
  operator()(std::uint64_t word, TRun offset) const
  {
    runOffsets[word] = offset;
    const Word here = columns.bits[word];
    if (here == 0)
    {
      return;
    }
    const Word starts = columns.StartsAt(word);
    const TRun column = static_cast<TRun>(word * BitsPerWord);
    TRun       started = offset;
    for (Word left = starts; left != 0; left &= left - 1, ++started)
    {
      firstColumns[started] = column + LowestBit(left);
    }
    TRun ended = offset - 1 + (starts >> LowestBit(here) & 1U);
    for (Word left = columns.EndsAt(word); left != 0; left &= left - 1, ++ended)
    {
      lastColumns[ended] = column + LowestBit(left);
    }
  }
};

/** Links a run to the first of those before it that touch it, if any. */
template <typename TRowGroup, typename TRun>
struct InitializationByRun
{
  AdjacencyByRun<TRowGroup, TRun> adjacency;
  TRun *                          parents;

  CCL_HOST_DEVICE
  Grid
  GetCells() const
  {
    return { adjacency.runCount };
  }

  CCL_HOST_DEVICE
  void
  operator()(const Cell & cell) const
  {
    const TRun run = static_cast<TRun>(cell.x);
    TRun       parent = run;
    const auto linkToFirst = [&parent](TRun first, TRun) {
      parent = first;
      return false;
    };
    for (unsigned int neighbor = 0; neighbor < NeighborCountOf<TRowGroup>; ++neighbor)
    {
      if (!adjacency.ForEachOfRun(run, neighbor, linkToFirst))
      {
        break;
      }
    }
    parents[run] = parent;
  }
};

/** Links the runs that start in a word to the first of those before them that touch them there, if any. */
template <typename TRowGroup, typename TRun>
struct InitializationByWord
{
  AdjacencyByWord<TRowGroup, TRun> adjacency;
  TRun *                           parents;

  CCL_HOST_DEVICE
  Grid
  GetCells() const
  {
    return adjacency.runs.groups.columns.words;
  }

  CCL_HOST_DEVICE
  void
  operator()(const Cell & word) const
  {
    const BitRows &     columns = adjacency.runs.groups.columns;
    const std::uint64_t begin = columns.RowBegin(word.y, word.z);
    const TRun          first = adjacency.runs.runOffsets[begin + word.x];
    const std::uint32_t all = (std::uint32_t{ 1 } << CountBits(columns.Starts(begin, word.x))) - 1; // 16 at most
    std::uint32_t       linked = 0;
    for (unsigned int neighbor = 0; neighbor < NeighborCountOf<TRowGroup> && linked != all; ++neighbor)
    {
      adjacency.ForEachInWord(word, neighbor, [&](TRun run, TRun other) {
        if (run >= first && (linked >> (run - first) & 1U) == 0)
        {
          linked |= std::uint32_t{ 1 } << (run - first);
          parents[run] = other;
        }
      });
    }
    for (std::uint32_t left = all & ~linked; left != 0; left &= left - 1)
    {
      const TRun run = first + LowestBit(left);
      parents[run] = run;
    }
  }
};

/** Unites runs with those before them that touch them. */
template <typename TAdjacency, typename TRun>
struct Reduction
{
  TAdjacency adjacency;
  TRun *     parents;

  CCL_HOST_DEVICE
  void
  operator()(const Cell & cell) const
  {
    adjacency.ForEach(cell, [this](TRun run, TRun other) { UnionSplicing(parents, run, other); });
  }
};

/** Replaces each run's parent, its root, by the label of the component. */
template <typename TRun>
struct Labeling
{
  TRun *       parents;
  const TRun * rootLabels;

  CCL_HOST_DEVICE
  void
  operator()(const Cell & run) const
  {
    parents[run.x] = rootLabels[parents[run.x]];
  }
};

} // namespace RunUnionFind

/** What an executor gives for a sum. */
template <typename TSum, typename TExecutor>
using PreparedScanOf =
  decltype(std::declval<const TExecutor &>().template PrepareScan<TSum>(0, std::declval<RunUnionFind::StartsInWord>()));

/** How many runs an image has, and what it takes to number them in raster order. */
template <typename TRowGroup, typename TRun, typename TExecutor>
struct CountedRuns
{
  RowGroupBits<TRowGroup>         groups;
  PreparedScanOf<TRun, TExecutor> scan;

  /** Waits for it, on the device. */
  std::uint64_t
  GetCount() const
  {
    return scan.GetTotal();
  }
};

template <typename TRun, typename TRowGroup, typename TExecutor>
CountedRuns<TRowGroup, TRun, TExecutor>
CountRuns(const TExecutor & executor, const RowGroupBits<TRowGroup> & groups)
{
  return { groups,
           executor.template PrepareScan<TRun>(groups.columns.words.Count(),
                                               RunUnionFind::StartsInWord{ groups.columns }) };
}

/** Writes how many runs start before each word. */
template <typename TRowGroup, typename TRun, typename TExecutor>
void
StoreRunOffsets(const TExecutor & executor, const CountedRuns<TRowGroup, TRun, TExecutor> & counted, TRun * runOffsets)
{
  executor.ExclusiveScan(
    counted.scan, RunUnionFind::StartsInWord{ counted.groups.columns }, StorePrefix<TRun>{ runOffsets });
}

/** The label of every run, and the number of objects. */
template <typename TRowGroup, typename TRun, typename TExecutor>
struct LabeledRuns
{
  using BufferType = decltype(std::declval<const TExecutor &>().template Allocate<TRun>(0));

  RowGroupBits<TRowGroup>         groups;
  BufferType                      runOffsets;
  BufferType                      labels;
  PreparedScanOf<TRun, TExecutor> objects;

  /** Waits for their number, on the device, and not for the labels. */
  std::uint64_t
  CountObjects() const
  {
    return objects.GetTotal();
  }

  IndexedRuns<TRowGroup, TRun>
  GetIndexed() const
  {
    return { groups, runOffsets.get() };
  }
};

namespace RunUnionFind
{

/** Makes the runs of each component a tree. Where row groups are not rows, no first pixel is known then. */
template <template <typename, typename> class TInitialization,
          typename TRowGroup,
          typename TRun,
          typename TAdjacency,
          typename TExecutor>
void
BuildTrees(const TExecutor &  executor,
           const TAdjacency & adjacency,
           std::uint64_t      runCount,
           TRun *             parents,
           TRun *             firstPixels)
{
  const TInitialization<TRowGroup, TRun> initialization{ adjacency, parents };
  executor.ForEach(initialization.GetCells(), initialization);
  executor.ForEach(Grid{ runCount },
                   RunRanking::Compression<TRun>{ parents, TRowGroup::IsOneRow ? nullptr : firstPixels });
  executor.ForEach(adjacency.GetCells(), Reduction<TAdjacency, TRun>{ adjacency, parents });
}

} // namespace RunUnionFind

/** Labels runs. Where the numbering has no room for the objects, their number is right and the labels are not. */
template <typename TRowGroup, typename TRun, typename TExecutor>
LabeledRuns<TRowGroup, TRun, TExecutor>
LabelRuns(const TExecutor &                               executor,
          const CountedRuns<TRowGroup, TRun, TExecutor> & counted,
          const LabelValues &                             labelValues)
{
  using namespace RunUnionFind;
  const BitRows &                    columns = counted.groups.columns;
  const std::uint64_t                words = columns.words.Count();
  auto                               runOffsets = executor.template Allocate<TRun>(words);
  const IndexedRuns<TRowGroup, TRun> runs{ counted.groups, runOffsets.get() };
  // The device clears the marks while the host waits for the number of runs.
  const FirstPixelMarks<TRun, TExecutor> marks(executor, FirstPixelLimit(counted.groups));

  const std::uint64_t runCount = counted.GetCount();
  auto                parents = executor.template Allocate<TRun>(runCount);
  const auto          rootLabels = executor.template Allocate<TRun>(runCount);
  // Long runs are few, but one that touches very many others keeps its thread busy for long: in planes, whose runs have
  // one neighbour, words do as well, and so they do in wide rows.
  if (runCount < words && columns.words.z > 1 && columns.words.x <= Tuning::WideRowWords)
  {
    const auto firstColumns = executor.template Allocate<TRun>(runCount);
    const auto lastColumns = executor.template Allocate<TRun>(runCount);
    executor.ExclusiveScan(counted.scan,
                           StartsInWord{ columns },
                           StoreRuns<TRun>{ columns, runOffsets.get(), firstColumns.get(), lastColumns.get() });
    const AdjacencyByRun<TRowGroup, TRun> adjacency{ runs, firstColumns.get(), lastColumns.get(), runCount };
    BuildTrees<InitializationByRun, TRowGroup>(executor, adjacency, runCount, parents.get(), rootLabels.get());
  }
  else
  {
    StoreRunOffsets(executor, counted, runOffsets.get());
    const AdjacencyByWord<TRowGroup, TRun> adjacency{ runs };
    BuildTrees<InitializationByWord, TRowGroup>(executor, adjacency, runCount, parents.get(), rootLabels.get());
  }

  auto objects = LabelRootsOfRuns(executor, runs, runCount, parents.get(), marks, labelValues, rootLabels.get());
  executor.ForEach(Grid{ runCount }, Labeling<TRun>{ parents.get(), rootLabels.get() });
  return { counted.groups, std::move(runOffsets), std::move(parents), std::move(objects) };
}

} // namespace itk::ccl

#endif
