// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_algorithms_runs_RunUnionFind_h
#define ccl_algorithms_runs_RunUnionFind_h

// Union-find on the runs of row groups, for face and full connectivity in planes and volumes.
//
// Runs as the elements of union-find are the idea of He, Chao and Suzuki (IEEE TIP 17(5), 2008). The order of the
// kernels is the order of Komura equivalence (Komura, Comput. Phys. Commun. 194, 2015): Initialization links each run
// to one adjacent run, Compression replaces the parent of each run by its root, and Reduction unites each run with all
// adjacent runs.
//
// RowGroups.h explains row groups and runs. RunRanking.h makes labels from the trees.

#include "algorithms/runs/AdjacencyByRun.h"
#include "algorithms/runs/AdjacencyByWord.h"
#include "algorithms/runs/RunRanking.h"
#include "algorithms/runs/RunsOfValues.h"
#include "algorithms/runs/ValueRuns.h"
#include "executors/Executor.h"
#include "primitives/Tuning.h"
#include "primitives/UnionFind.h"

#include <algorithm>
#include <utility>

namespace itk::ccl
{

namespace RunUnionFind
{

/** Returns the number of runs that start in a word of columns: the values of a scan. */
template <typename TRun, typename TEdges>
struct StartsInWord
{
  TEdges edges;

  CCL_HOST_DEVICE
  std::uint32_t
  operator()(std::uint64_t word) const
  {
    return CountBits(edges.template StartsAt<TRun>(word));
  }
};

/** Visitor of a scan that stores the run offset of each word, and the first and the last column of the first
 * `columnLimit` runs. Columns are counted in bits from the first word of the image's columns. At `lastWord`, it also
 * stores the number of all runs for the host. */
template <typename TRun, typename TEdges>
struct StoreRuns
{
  TEdges          edges;
  TRun *          runOffsets;
  TRun *          firstColumns;
  TRun *          lastColumns;
  std::uint64_t   columnLimit;
  std::uint64_t   lastWord = ~std::uint64_t{ 0 }; // no word, if the host needs no number
  std::uint64_t * countForHost = nullptr;

  CCL_HOST_DEVICE
  void
  operator()(std::uint64_t word, TRun offset, TRun count) const
  {
    if (word == lastWord)
    {
      StoreForHost(countForHost, std::uint64_t{ offset } + count);
    }
    // The load comes first. Both addresses may have the same lowest 12 bits. Intel processors then delay a load that
    // follows the store.
    const Word here = edges.GetRows().bits[word];
    runOffsets[word] = offset;
    if (here == 0 || offset > columnLimit)
    {
      return;
    }
    const Word starts = edges.template StartsAt<TRun>(word);
    const TRun column = static_cast<TRun>(word * BitsPerWord);
    TRun       started = offset;
    for (Word left = starts; left != 0 && started < columnLimit; left &= left - 1, ++started)
    {
      firstColumns[started] = column + LowestBit(left);
    }
    // The run of the first foreground column starts here, or it continues from an earlier word.
    TRun ended = offset - 1 + (starts >> LowestBit(here) & 1U);
    for (Word left = edges.template EndsAt<TRun>(word); left != 0 && ended < columnLimit; left &= left - 1, ++ended)
    {
      lastColumns[ended] = column + LowestBit(left);
    }
  }
};

/** Kernel functor that links a run to the first earlier run that is adjacent, or else to itself. A cell is a run. */
template <typename TRowGroup, typename TRun>
struct InitializationByRun
{
  AdjacencyByRun<TRowGroup, TRun> adjacency;
  TRun *                          parents;

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
    for (unsigned int neighbor = 0; neighbor < adjacency.topology.count; ++neighbor)
    {
      if (!adjacency.ForEachOfRun(run, neighbor, linkToFirst))
      {
        break;
      }
    }
    parents[run] = parent;
  }
};

/** Kernel functor that links each run that starts in a part of a word to an earlier run that is adjacent in this part,
 * or else to itself. A cell's x is as in AdjacencyByWord::PartAt(), with its defaultPartBits. */
template <typename TRowGroup, typename TRun>
struct InitializationByWord
{
  AdjacencyByWord<TRowGroup, TRun> adjacency;
  TRun *                           parents;

  CCL_HOST_DEVICE
  void
  operator()(const Cell & cell) const
  {
    (*this)(cell, adjacency.defaultPartBits);
  }

  /** Does the same for words with 2^partBits parts. */
  CCL_HOST_DEVICE
  void
  operator()(const Cell & cell, unsigned int partBits) const
  {
    if (adjacency.IsWordEmpty(cell.x, partBits))
    {
      return;
    }
    const auto   part = adjacency.PartAt(cell.x, partBits);
    const auto   x = static_cast<TRun>(part.word.x);
    const auto & columns = adjacency.runs.groups.columns;
    const TRun   begin = columns.RowBegin(static_cast<TRun>(part.word.y), static_cast<TRun>(part.word.z));
    const Word   starts = columns.Starts(begin, x);
    const Word   below = (part.columns & (0U - part.columns)) - 1;
    const TRun   first = adjacency.runs.runOffsets[begin + x] + CountBits(starts & below);
    // One bit for each run that starts in the part.
    using MaskType = std::conditional_t<TRowGroup::HasValues, std::uint64_t, std::uint32_t>;
    const auto all = static_cast<std::uint32_t>((MaskType{ 1 } << CountBits(starts & part.columns)) - 1);
    if (all == 0)
    {
      return;
    }
    std::uint32_t linked = 0;
    const auto    link = [&](TRun run, TRun other) {
      if (run >= first && (linked >> (run - first) & 1U) == 0)
      {
        linked |= std::uint32_t{ 1 } << (run - first);
        parents[run] = other;
      }
    };
    const auto areRunsLeft = [&] { return linked != all; };
    adjacency.topology.VisitWhile([&](const auto & offset) {
      adjacency.ForEachInPart(part, offset, link, areRunsLeft);
      return areRunsLeft();
    });
    for (std::uint32_t left = all & ~linked; left != 0; left &= left - 1)
    {
      const TRun run = first + LowestBit(left);
      parents[run] = run;
    }
  }
};

/** Kernel functor that unites runs with earlier runs that are adjacent. TAdjacency defines the cells. */
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

} // namespace RunUnionFind

/** Returns the number of runs of row groups. On the device, it waits for this number. TRun must be able to hold
 * BitCountOf(image). */
template <typename TRun, typename TRowGroup, typename TExecutor>
std::uint64_t
CountRuns(const TExecutor & executor, const RowGroupBits<TRowGroup> & groups)
{
  using EdgesType = typename RowGroupBits<TRowGroup>::EdgesType;
  const RunUnionFind::StartsInWord<TRun, EdgesType> startsInWord{ EdgesType(groups.columns) };
  return SumOf<TRun>(executor, groups.columns.words.Count(), startsInWord);
}

/** Returns the most runs that row groups can have. */
template <typename TRowGroup>
std::uint64_t
MostRunsOf(const RowGroupBits<TRowGroup> & groups)
{
  return groups.columns.words.Count() * TRowGroup::MostStartsInWord;
}

/** The number of runs for which LabelRuns() allocates memory. */
struct RunCapacity
{
  std::uint64_t runs;
  bool          isExact; // whether it is the number of runs

  static RunCapacity
  Exactly(std::uint64_t runs)
  {
    return { runs, true };
  }

  static RunCapacity
  AtMost(std::uint64_t runs)
  {
    return { runs, false };
  }
};

/** Returns whether adjacency may be found by run: it needs the columns of runs.
 *
 * A run that is adjacent to very many others keeps its thread busy for long. In planes, where a run has one neighboring
 * row group, and in wide rows, adjacency by word is as good. */
template <typename TRowGroup>
bool
MayBeByRun(const RowGroupBits<TRowGroup> & groups)
{
  return groups.groupsAlongZ > 1 && groups.columns.words.x <= Tuning::WideRowWords;
}

/** Returns for how many runs LabelRuns() stores columns: 0 if adjacency is always found by word. */
template <typename TRowGroup>
std::uint64_t
ColumnLimitOf(const RowGroupBits<TRowGroup> & groups, const RunCapacity & capacity)
{
  const std::uint64_t words = groups.columns.words.Count();
  return MayBeByRun(groups) && !(capacity.isExact && capacity.runs >= words) ? std::min(capacity.runs, words) : 0;
}

/** Returns the capacity for the most runs that row groups can have, but for fewer if the arrays of the runs would have
 * more than Tuning::WorstCaseBytes bytes. `type` is the type of the values of runs, if they have values. */
template <typename TRun, typename TRowGroup>
RunCapacity
CapacityFor(const RowGroupBits<TRowGroup> & groups, PixelType type)
{
  // Parents, ranks of roots, first and last columns, and values.
  const std::uint64_t bytesPerRun =
    (MayBeByRun(groups) ? 4 : 2) * sizeof(TRun) + (TRowGroup::HasValues ? WordsOfKey(type) * sizeof(Word) : 0);
  return RunCapacity::AtMost(std::min(MostRunsOf(groups), Tuning::WorstCaseBytes / bytesPerRun));
}

/** Writes the run offset of each word of columns. */
template <typename TRowGroup, typename TRun, typename TExecutor>
void
StoreRunOffsets(const TExecutor & executor, const RowGroupBits<TRowGroup> & groups, TRun * runOffsets)
{
  using EdgesType = typename RowGroupBits<TRowGroup>::EdgesType;
  TRun * const noTotal = nullptr;
  executor.template Scan<TRun>({ groups.columns.words.Count() },
                               RunUnionFind::StartsInWord<TRun, EdgesType>{ EdgesType(groups.columns) },
                               StorePrefix<TRun>{ runOffsets },
                               noTotal);
}

/** Which ranks LabelRuns() must write, and where the numbers of runs and components and the values of the pixels go. */
template <typename TRun>
struct RankTarget
{
  bool             onlyRoots = false;         // only roots need a rank
  TRun *           countMemory = nullptr;     // for the number of components, instead of memory of the executor
  std::uint64_t *  runCountForHost = nullptr; // gets the number of runs, before the components are known
  SharedValues     values = {};               // of one image
  ObservedValues * movedValues = nullptr;     // gets `values.copies` elements, if there are runs; or null if they stay
};

/** The rank of the component of each run, and the number of objects. */
template <typename TRowGroup, typename TRun, typename TExecutor>
struct LabeledRuns
{
  using BufferType = decltype(std::declval<const TExecutor &>().template Allocate<TRun>(0));

  RowGroupBits<TRowGroup> groups;
  BufferType              runOffsets;   // an element for each word of columns
  BufferType              firstColumns; // an element for each run, or none if labeling does not need them
  BufferType              lastColumns;
  RunColumns<TRun>        columnsOfRuns;
  BufferType              countMemory;
  BoundedCount<TRun>      runCount;
  BoundedCount<TRun>      componentCount;
  BufferType              ranks;  // of the component of each run, or only of roots
  BufferType              roots;  // the root of each run, if only roots have ranks
  StoredValues<TExecutor> values; // of the runs, if they have values
  bool                    onlyRoots;
  const TRun * positions = nullptr; // of each component, if components are selected and only roots have ranks

  /** Sets the number of runs, which is at most the capacity, after the host knows it. `columnLimit` is that of
   * ColumnLimitOf(). */
  void
  SetRunCount(std::uint64_t count, std::uint64_t columnLimit)
  {
    runCount = count;
    componentCount.limit = count;
    if (TRowGroup::IsOneRow && count <= columnLimit)
    {
      columnsOfRuns = { firstColumns.get(), lastColumns.get(), count };
    }
  }

  RanksOfRuns<TRun>
  GetRanks() const
  {
    return RanksOfRuns<TRun>(ranks.get(), onlyRoots ? roots.get() : nullptr, positions);
  }

  IndexedRuns<TRowGroup, TRun>
  GetIndexed() const
  {
    return { groups, runOffsets.get(), columnsOfRuns, values.ofRuns };
  }
};

namespace RunUnionFind
{

/** The work of a kernel that finds adjacent runs: run by run, or word by word. If there are fewer runs than words, one
 * thread per run does less work. The number of runs may be known on the device only, so the kernel chooses. */
template <typename TRun, typename TByRun, typename TByWord>
struct WorkByRunOrWord
{
  BoundedCount<TRun> runCount;
  std::uint64_t      wordCount;
  std::uint64_t      partCount; // parts of all words: the cells of byWord along x
  bool               mayBeByRun;
  TByRun             byRun;
  TByWord            byWord;

  CCL_NO_EXECUTION_CHECK
  template <typename TVisitor>
  CCL_HOST_DEVICE
  void
  Dispatch(const TVisitor & visit) const
  {
    const std::uint64_t count = runCount.GetOrZero();
    if (mayBeByRun && count < wordCount)
    {
      visit(count, byRun);
    }
    else if (count != 0)
    {
      visit(partCount, byWord);
    }
  }
};

/** Links each run to one earlier run that is adjacent, or else to itself. If words have many runs with values, a thread
 * has a part of a word. */
template <typename TRowGroup, typename TRun>
struct InitializationWork
  : WorkByRunOrWord<TRun, InitializationByRun<TRowGroup, TRun>, InitializationByWord<TRowGroup, TRun>>
{
  CCL_NO_EXECUTION_CHECK
  template <typename TVisitor>
  CCL_HOST_DEVICE
  void
  Dispatch(const TVisitor & visit) const
  {
    if constexpr (TRowGroup::HasValues)
    {
      constexpr unsigned int many = Tuning::PartBitsOfManyRuns;
      const std::uint64_t    parts = this->wordCount << many;
      const bool             hasMany = this->runCount.GetOrZero() > parts;
      if (hasMany && this->byWord.adjacency.defaultPartBits < many)
      {
        visit(parts, [this](const Cell & cell) { this->byWord(cell, many); });
        return;
      }
    }
    InitializationWork::WorkByRunOrWord::Dispatch(visit);
  }
};

/** Unites each run with all earlier runs that are adjacent. */
template <typename TRowGroup, typename TRun>
struct ReductionWork
  : WorkByRunOrWord<TRun,
                    Reduction<AdjacencyByRun<TRowGroup, TRun>, TRun>,
                    Reduction<AdjacencyByWord<TRowGroup, TRun>, TRun>>
{};

/** Joins the runs of each component to one tree. Sets all first pixels to NoPixel, unless roots have them. If
 * `mayBeByRun`, the columns of the runs are known if there are fewer runs than words. `compression` has the parents,
 * and the first pixels unless roots have them. */
template <typename TRowGroup, typename TRun, typename TExecutor>
void
BuildTrees(const TExecutor &                     executor,
           const IndexedRuns<TRowGroup, TRun> &  runs,
           const Topology<TRowGroup> &           topology,
           const BoundedCount<TRun> &            runCount,
           bool                                  mayBeByRun,
           const RunRanking::Compression<TRun> & compression)
{
  TRun * const                           parents = compression.parents;
  const std::uint64_t                    words = runs.groups.columns.words.Count();
  const AdjacencyByRun<TRowGroup, TRun>  byRun{ runs, topology };
  const AdjacencyByWord<TRowGroup, TRun> byWord{ runs, topology, executor.GetPartBits(Tuning::PartBitsFor(words)) };
  const Grid                             cells = byWord.GetCells();
  const std::uint64_t                    parts = TRowGroup::HasValues ? Tuning::ThreadsForParts(words) : 0;
  executor.Dispatch(Grid{ std::max(cells.x, parts) },
                    InitializationWork<TRowGroup, TRun>{
                      { runCount, words, cells.x, mayBeByRun, { byRun, parents }, { byWord, parents } } });
  executor.ForEach(runCount, compression);
  executor.Dispatch(cells,
                    ReductionWork<TRowGroup, TRun>{
                      { runCount, words, cells.x, mayBeByRun, { byRun, parents }, { byWord, parents } } });
}

} // namespace RunUnionFind

/** Labels the runs of row groups by the ranks of their components. Does not wait for the device. There must be at least
 * one word. TRun must be able to hold BitCountOf(image). If there are more runs than the capacity, there are no
 * components, and no rank is written.
 * \param valueSource the values of runs that have values */
template <typename TRun, typename TRowGroup, typename TExecutor>
LabeledRuns<TRowGroup, TRun, TExecutor>
LabelRuns(const TExecutor &               executor,
          const RowGroupBits<TRowGroup> & groups,
          Neighbors                       neighbors,
          const RunCapacity &             capacity,
          const RunValueSource &          valueSource = {},
          const RankTarget<TRun> &        target = {})
{
  using namespace RunUnionFind;
  using EdgesType = typename RowGroupBits<TRowGroup>::EdgesType;
  const auto &             columns = groups.columns;
  const EdgesType          edges(columns);
  const std::uint64_t      words = columns.words.Count();
  auto                     countMemory = executor.template Allocate<TRun>(2);
  TRun * const             componentAddress = target.countMemory != nullptr ? target.countMemory : countMemory.get();
  TRun * const             countAddress = capacity.isExact ? nullptr : countMemory.get() + 1;
  const BoundedCount<TRun> runCount =
    capacity.isExact ? BoundedCount<TRun>(capacity.runs) : BoundedCount<TRun>(capacity.runs, countAddress);

  const std::uint64_t        columnLimit = ColumnLimitOf(groups, capacity);
  const bool                 mayBeByRun = columnLimit != 0;
  auto                       runOffsets = executor.template Allocate<TRun>(words);
  auto                       firstColumns = executor.template Allocate<TRun>(columnLimit);
  auto                       lastColumns = executor.template Allocate<TRun>(columnLimit);
  StoreRuns<TRun, EdgesType> storeRuns{ edges, runOffsets.get(), firstColumns.get(), lastColumns.get(), columnLimit };
  if (target.runCountForHost != nullptr)
  {
    storeRuns.lastWord = words - 1;
    storeRuns.countForHost = target.runCountForHost;
  }
  executor.template Scan<TRun>({ words }, StartsInWord<TRun, EdgesType>{ edges }, storeRuns, countAddress);
  auto                         values = StoreValuesOfRuns(executor, groups, runOffsets.get(), runCount, valueSource);
  IndexedRuns<TRowGroup, TRun> runs{
    groups, runOffsets.get(), { firstColumns.get(), lastColumns.get(), runCount.limit }, values.ofRuns
  };

  auto parents = executor.template Allocate<TRun>(runCount.limit);
  // Unless roots have the first pixels, rootRanks holds the first pixels of components until their ranks are known.
  auto                                   rootRanks = executor.template Allocate<TRun>(runCount.limit);
  const FirstPixelMarks<TRun, TExecutor> marks(executor, FirstPixelLimit(groups));
  if (neighbors == Neighbors::All)
  {
    if constexpr (TRowGroup::HasValues)
    {
      UniteRunsOfValues(executor, runs, runCount, valueSource.image->images, parents.get());
    }
  }
  else
  {
    BuildTrees(executor,
               runs,
               TopologyOf(groups, neighbors),
               runCount,
               mayBeByRun,
               { parents.get(),
                 TRowGroup::RootHasFirstPixel ? nullptr : rootRanks.get(),
                 runCount,
                 target.values,
                 target.movedValues });
  }

  if (!TRowGroup::IsOneRow || !mayBeByRun || !capacity.isExact)
  {
    // Later steps use columns only if a row group is one row, and if the host knows that all are stored.
    runs.columnsOfRuns = {};
  }
  if constexpr (!TRowGroup::IsOneRow)
  {
    // The end of this block frees the memory.
    [[maybe_unused]] const auto first = std::move(firstColumns);
    [[maybe_unused]] const auto last = std::move(lastColumns);
  }

  RankTreesOfRuns(executor, runs, runCount, parents.get(), marks, rootRanks.get(), target.onlyRoots, componentAddress);
  auto roots = target.onlyRoots ? std::move(parents) : executor.template Allocate<TRun>(0);
  return { groups,
           std::move(runOffsets),
           std::move(firstColumns),
           std::move(lastColumns),
           runs.columnsOfRuns,
           std::move(countMemory),
           runCount,
           { capacity.runs, componentAddress },
           std::move(rootRanks),
           std::move(roots),
           std::move(values),
           target.onlyRoots };
}

} // namespace itk::ccl

#endif
