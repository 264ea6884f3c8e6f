// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_algorithms_runs_RowUnionFind_h
#define ccl_algorithms_runs_RowUnionFind_h

// Labels the runs of single rows on the host, by adjacency by row.
//
// The rows are divided into parts of about equal work. A thread finds the runs of a part and joins them row by row, in
// raster order, so that the trees stay low. The trees of a part belong to one thread, which needs no atomic operations.
// Then the same functor joins the trees along the seams: the first rows of a part and the preceding rows of other
// parts. Small images are one part, and so are all images if the calling thread works alone. They have no seam.

#include "algorithms/runs/AdjacencyByRow.h"
#include "algorithms/runs/HostRows.h"
#include "algorithms/runs/RunUnionFind.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace itk::ccl
{

/** The least work of a part of an image, and the most runs for which one thread does the short steps. */
struct PartSize
{
  std::uint64_t work = Tuning::HostWorkOfPart;
  std::uint64_t fewRuns = Tuning::HostRunsOfOneThread;

  /** Returns the size for images of one part. */
  static constexpr PartSize
  Whole()
  {
    return { ~std::uint64_t{ 0 } };
  }
};

namespace RowUnionFind
{

/** The rows of a part, and its first run. */
struct Part
{
  std::uint64_t beginRow;
  std::uint64_t beginRun;
};

/** Divides the rows of a stack into parts of about equal work, which are whole chunks. Returns the parts, and an empty
 * part after them. */
template <typename TRowGroup>
std::vector<Part>
PartsOf(const HostBits<TRowGroup> & bits, const PartSize & least)
{
  const Grid &                     words = bits.groups.rows.words;
  const ChunkSums<std::uint64_t> & runs = bits.runs;
  const std::uint64_t              rows = words.y * words.z;
  const std::uint64_t              rowsPerChunk = runs.valuesPerChunk / words.x;
  const auto                       workBefore = [&](std::uint64_t chunk) {
    const std::uint64_t wordsBefore = std::min(words.Count(), chunk * runs.valuesPerChunk);
    const std::uint64_t runsBefore = chunk < runs.prefixes.size() ? runs.prefixes[chunk] : runs.total;
    return wordsBefore + Tuning::HostWordsOfRun * runsBefore;
  };
  const std::uint64_t all = workBefore(runs.prefixes.size());
  const std::uint64_t ofSlices =
    bits.groups.groupsAlongZ == 1 ? rows : std::max(Tuning::HostPartsOfThinVolume, words.z / Tuning::HostSlicesOfPart);
  const std::uint64_t mostParts =
    std::max<std::uint64_t>(1, std::min({ Tuning::HostParts, all / least.work, ofSlices }));
  std::vector<Part> parts;
  for (std::uint64_t chunk = 0; chunk < runs.prefixes.size(); ++chunk)
  {
    if (workBefore(chunk) >= all / mostParts * parts.size())
    {
      parts.push_back({ chunk * rowsPerChunk, runs.prefixes[chunk] });
    }
  }
  parts.push_back({ rows, runs.total });
  return parts;
}

/** Writes the first and the last columns of the runs of a row. `column` is the first column of the row. Returns the
 * number of runs. */
template <typename TRun>
TRun
StoreColumnsOfRow(const Word * bits, std::uint64_t words, TRun column, TRun * firstColumns, TRun * lastColumns)
{
  TRun         run = 0;
  unsigned int isInRun = 0; // whether the last pixel before the next two words is foreground
  for (std::uint64_t x = 0; x < words; x += 2, column += 2 * BitsPerWord)
  {
    const std::uint64_t here = bits[x] | (x + 1 < words ? std::uint64_t{ bits[x + 1] } << BitsPerWord : 0);
    for (std::uint64_t edges = here ^ (here << 1 | isInRun); edges != 0; edges &= edges - 1)
    {
      TRun * const columns = isInRun != 0 ? lastColumns : firstColumns;
      columns[run] = static_cast<TRun>(column + LowestBit(edges) - isInRun);
      run += isInRun;
      isInRun ^= 1U;
    }
  }
  if (isInRun != 0)
  {
    lastColumns[run++] = column - 1;
  }
  return run;
}

/** Does the same for runs that may follow each other without a gap. `row` is the index of the row's first word. */
template <typename TRun>
TRun
StoreColumnsOfRow(const StartedRows & rows, std::uint64_t row, TRun column, TRun * firstColumns, TRun * lastColumns)
{
  const StartedRunEdges edges(rows);
  TRun                  run = 0;
  TRun                  ended = 0;
  for (std::uint64_t word = row; word < row + rows.words.x; ++word, column += BitsPerWord)
  {
    for (Word left = edges.StartsAt(word); left != 0; left &= left - 1)
    {
      firstColumns[run++] = column + LowestBit(left);
    }
    for (Word left = edges.EndsAt(word); left != 0; left &= left - 1)
    {
      lastColumns[ended++] = column + LowestBit(left);
    }
  }
  return run;
}

/** Writes the ranks of the runs of a part, from the number of roots before it on. The rank of a run is NoLabel if its
 * parent leads to another part. Parents precede their children, so one pass does it. `ranks` may be `parents` if the
 * part is the whole image. */
template <typename TRun>
TRun
RankInOrder(const TRun * parents, TRun begin, TRun end, TRun rank, TRun * ranks)
{
  // No branch depends on the trees, because it would often be predicted wrongly.
  const TRun none = NoLabel<TRun>;
  for (TRun run = begin; run < end; ++run)
  {
    const TRun         parent = parents[run];
    const bool         isRoot = parent == run;
    const TRun * const inherited = parent < begin ? &none : ranks + parent;
    const TRun * const source = isRoot ? &rank : inherited;
    ranks[run] = *source;
    rank += isRoot;
  }
  return rank;
}

/** Ranks the trees of all parts. Returns the number of trees. */
template <typename TRun>
TRun
RankParts(const ParallelFor & parallelFor, const std::vector<Part> & parts, const TRun * parents, TRun * ranks)
{
  const std::uint64_t count = parts.size() - 1;
  const auto          forEachPart = [&](const auto & visit) {
    parallelFor(count, [&](std::uint64_t part) {
      visit(part, static_cast<TRun>(parts[part].beginRun), static_cast<TRun>(parts[part + 1].beginRun));
    });
  };
  ChunkSums<TRun> roots{ count, 1, std::vector<TRun>(count), 0 };
  forEachPart([&](std::uint64_t part, TRun begin, TRun end) {
    TRun sum = 0;
    for (TRun run = begin; run < end; ++run)
    {
      sum += parents[run] == run;
    }
    roots.prefixes[part] = sum;
  });
  roots.Scan();
  forEachPart(
    [&](std::uint64_t part, TRun begin, TRun end) { RankInOrder(parents, begin, end, roots.prefixes[part], ranks); });
  forEachPart([&](std::uint64_t, TRun begin, TRun end) {
    for (TRun run = begin; run < end; ++run)
    {
      // Only this thread writes ranks of the part, and only those of runs that are no roots.
      if (ranks[run] == NoLabel<TRun>)
      {
        const TRun parent = parents[run];
        ranks[run] = ranks[parent >= begin ? parent : Find(parents, parent)];
      }
    }
  });
  return roots.total;
}

} // namespace RowUnionFind

/** Labels the runs of single rows by the ranks of their components. The result has the columns of all runs, in the
 * memory of the ranks. It has the run offsets of the words if `wantsRunOffsets`. `images` has the values of runs that
 * have values. */
template <typename TRun, typename TRowGroup>
LabeledRuns<TRowGroup, TRun, HostExecutor>
LabelRunsByRow(const ParallelFor &                parallelFor,
               const HostBits<TRowGroup> &        bits,
               Neighbors                          neighbors,
               [[maybe_unused]] const ImageView & images,
               bool                               wantsRunOffsets = true,
               const PartSize &                   leastPart = {})
{
  using namespace RowUnionFind;
  const RowGroupBits<TRowGroup> & groups = bits.groups;
  const Grid &                    words = groups.rows.words;
  const Grid                      rows{ 1, words.y, words.z };
  const std::vector<Part>         parts = PartsOf(bits, leastPart);
  const std::uint64_t             partCount = parts.size() - 1;
  const ParallelFor               loop = partCount == 1 ? ParallelFor(SequentialFor) : parallelFor;
  const std::uint64_t             runCount = bits.runs.total;
  const bool                      areFew = partCount == 1 || runCount <= leastPart.fewRuns;
  // One array, because the C library gives the memory of many arrays back to the system after each call.
  auto                   memory = AllocateOnHost<TRun>((areFew ? 3 : 4) * runCount);
  TRun * const           ranks = memory.get();
  TRun * const           firstColumns = ranks + runCount;
  TRun * const           lastColumns = firstColumns + runCount;
  TRun * const           parents = areFew ? ranks : lastColumns + runCount;
  const RunColumns<TRun> columns{ firstColumns, lastColumns, runCount };
  const auto             firstRuns = AllocateOnHost<TRun>(rows.Count() + 1);
  for (const Part & part : parts)
  {
    firstRuns[part.beginRow] = static_cast<TRun>(part.beginRun);
  }
  const std::uint64_t wordsOfKey = TRowGroup::HasValues ? WordsOfKey(images.type) : 0;
  auto                keys = AllocateOnHost<Word>(runCount * wordsOfKey);
  RunValues           values;
  if constexpr (TRowGroup::HasValues)
  {
    values = RunValues::Of(images.type, keys.get());
  }
  const Topology<TRowGroup> topology = TopologyOf(groups, neighbors);
  using AdjacencyType = AdjacencyByRow<TRowGroup, TRun>;
  const auto adjacencyTo = [&](std::uint64_t beginRow, std::uint64_t endRow) {
    return AdjacencyType{ groups, topology, columns, values, firstRuns.get(), beginRow, endRow };
  };

  loop(partCount, [&](std::uint64_t part) {
    const std::uint64_t end = parts[part + 1].beginRow;
    const AdjacencyType adjacency = adjacencyTo(parts[part].beginRow, end);
    auto                run = static_cast<TRun>(parts[part].beginRun);
    Cell                row = CellAt(rows, parts[part].beginRow);
    for (std::uint64_t i = parts[part].beginRow; i < end; ++i, row = NextCell(rows, row))
    {
      const auto   column = static_cast<TRun>(i * words.x * BitsPerWord);
      TRun * const first = firstColumns + run;
      TRun * const last = lastColumns + run;
      TRun         count = 0;
      if constexpr (TRowGroup::HasValues)
      {
        count = StoreColumnsOfRow(groups.columns, i * words.x, column, first, last);
        StoreKeysOf(images, i, groups.columns.starts + i * words.x, keys.get() + run * wordsOfKey);
      }
      else
      {
        count = StoreColumnsOfRow(groups.rows.bits + i * words.x, words.x, column, first, last);
      }
      for (const TRun endRun = run + count; run < endRun; ++run)
      {
        parents[run] = run;
      }
      if (i + 1 < end) // the first run of the next part is known
      {
        firstRuns[i + 1] = run;
      }
      adjacency.ForEach(row, [&](TRun a, TRun b) { UnionSplicingAlone(parents, a, b); });
    }
  });
  (areFew ? SequentialFor : loop)(partCount - 1, [&](std::uint64_t before) {
    const std::uint64_t                                begin = parts[before + 1].beginRow;
    const std::uint64_t                                end = std::min(parts[before + 2].beginRow, begin + words.y + 1);
    const RunUnionFind::Reduction<AdjacencyType, TRun> reduction{ adjacencyTo(0, begin), parents };
    for (std::uint64_t i = begin; i < end; ++i)
    {
      reduction(CellAt(rows, i));
    }
  });

  const TRun count = areFew ? RankInOrder(parents, TRun{ 0 }, static_cast<TRun>(runCount), TRun{ 0 }, ranks)
                            : RankParts(loop, parts, parents, ranks);
  auto       runOffsets = AllocateOnHost<TRun>(wantsRunOffsets ? words.Count() : 0);
  if (wantsRunOffsets)
  {
    StoreRunOffsets(HostExecutor(loop), groups, runOffsets.get());
  }
  return { groups,
           std::move(runOffsets),
           AllocateOnHost<TRun>(0),
           AllocateOnHost<TRun>(0),
           columns,
           AllocateOnHost<TRun>(0),
           runCount,
           count,
           std::move(memory),
           AllocateOnHost<TRun>(0),
           { std::move(keys), values },
           false };
}

} // namespace itk::ccl

#endif
