// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_algorithms_runs_AdjacencyByRow_h
#define ccl_algorithms_runs_AdjacencyByRow_h

// Finds the adjacent runs of a row and of the rows before it, on the host. It walks the runs of both rows side by side,
// by their first and last columns: run-based two-scan labeling (He, Chao and Suzuki, IEEE TIP 17(5), 2008) and light
// speed labeling (Lacassagne and Zavidovique, J. Real-Time Image Processing 6(2), 2011). One thread walks through a
// row, and the runs of the rows before it are still in the cache.

#include "primitives/Runs.h"
#include "primitives/Topology.h"

namespace itk::ccl
{

/** Finds adjacent runs, row by row. The columns of the runs must be known. */
template <typename TRowGroup, typename TRun>
struct AdjacencyByRow
{
  RowGroupBits<TRowGroup> rows;
  Topology<TRowGroup>     topology;
  RunColumns<TRun>        columnsOfRuns;
  RunValues               values;    // of TRowGroup::HasValues
  const TRun *            firstRuns; // of each row of the stack, and of the row after the last one
  std::uint64_t           beginRow;  // the other rows to visit
  std::uint64_t           endRow;

  /** Calls visit(run, other) for each two runs that are adjacent: `run` is of the row of a cell, and `other` of a
   * preceding row from beginRow to endRow - 1. Two runs may be visited more than once. */
  template <typename TVisitor>
  void
  ForEach(const Cell & row, const TVisitor & visit) const
  {
    static_assert(TRowGroup::IsOneRow, "the runs are those of rows");
    const Grid &        grid = rows.rows.words;
    const std::uint64_t index = row.y + grid.y * row.z;
    if (firstRuns[index] == firstRuns[index + 1])
    {
      return;
    }
    Walk         walks[4];
    unsigned int count = 0;
    topology.VisitWhile([&](const RowOffset & offset) {
      const NeighborRowGroup other(rows, row.y, row.z, offset);
      const std::uint64_t    otherIndex = other.y + grid.y * other.z;
      if (other.exists && otherIndex >= beginRow && otherIndex < endRow)
      {
        const auto distance = static_cast<TRun>((index - otherIndex) * grid.x * BitsPerWord);
        walks[count++] = { firstRuns[index], firstRuns[otherIndex], firstRuns[otherIndex + 1], distance, offset.reach };
      }
      return true;
    });
    for (unsigned int i = 0; i < count; i += 2)
    {
      const Walk second = i + 1 < count ? walks[i + 1] : Walk{};
      if constexpr (TRowGroup::HasValues)
      {
        values.VisitKeys([&](const auto * keys) {
          this->VisitAdjacent(firstRuns[index + 1], walks[i], second, keys, [&](TRun run, TRun other) {
            if (!values.IsNaN(keys[run]))
            {
              visit(run, other);
            }
          });
        });
      }
      else
      {
        this->VisitAdjacent(firstRuns[index + 1], walks[i], second, nullptr, visit);
      }
    }
  }

private:
  /** A walk through the runs of a row and of another row. */
  struct Walk
  {
    TRun         run;
    TRun         other;
    TRun         otherEnd; // the run after the last one of the other row
    TRun         distance; // in columns, from the other row to the row
    unsigned int reach;
  };

  /** Does the work of ForEach() for two other rows. `end` is the run after the last one of the row. `keys` are those of
   * the runs, if they have values. Pairs of NaN are visited, too. */
  template <typename TKeys, typename TVisitor>
  void
  VisitAdjacent(TRun end, Walk a, Walk b, [[maybe_unused]] TKeys keys, const TVisitor & visit) const
  {
    // Branches that depend on the runs are often predicted wrongly. So the walk has none: it collects the adjacent
    // runs. A step waits for the step before it, so two walks take little longer than one.
    constexpr unsigned int mostPairs = 128;
    TRun                   adjacent[mostPairs + 2]; // the last step of two walks may find four
    TRun                   others[mostPairs + 2];
    const TRun * const     first = columnsOfRuns.first;
    const TRun * const     last = columnsOfRuns.last;
    unsigned int           count;
    const auto             isOpen = [end](const Walk & walk) { return walk.run < end && walk.other < walk.otherEnd; };
    const auto             step = [&](Walk & walk) {
      const TRun runLast = last[walk.run];
      const TRun otherLast = last[walk.other] + walk.distance;
      const bool isRunNext = runLast < otherLast;
      adjacent[count] = walk.run;
      others[count] = walk.other;
      unsigned int isAdjacent = static_cast<unsigned int>(first[walk.run] <= otherLast + walk.reach) &
                                static_cast<unsigned int>(first[walk.other] + walk.distance <= runLast + walk.reach);
      if constexpr (TRowGroup::HasValues)
      {
        // If both runs end in the same column, the walk leaves the other run, and would miss the next run, which may
        // touch it. So this step compares that pair, too.
        const TRun next = walk.run + 1 < end ? walk.run + 1 : walk.run;
        const auto isNextAdjacent = static_cast<unsigned int>(runLast == otherLast) &
                                    static_cast<unsigned int>(first[next] > runLast) &
                                    static_cast<unsigned int>(first[next] <= otherLast + walk.reach) &
                                    static_cast<unsigned int>(keys[next] == keys[walk.other]);
        count += isAdjacent & static_cast<unsigned int>(keys[walk.run] == keys[walk.other]);
        adjacent[count] = next;
        others[count] = walk.other;
        isAdjacent = isNextAdjacent;
      }
      count += isAdjacent;
      walk.run += isRunNext;
      walk.other += !isRunNext;
    };
    do
    {
      count = 0;
      while (isOpen(a) && isOpen(b) && count + 1 < mostPairs)
      {
        step(a);
        step(b);
      }
      while (isOpen(a) && count < mostPairs)
      {
        step(a);
      }
      while (isOpen(b) && count < mostPairs)
      {
        step(b);
      }
      for (unsigned int i = 0; i < count; ++i)
      {
        visit(adjacent[i], others[i]);
      }
    } while (isOpen(a) || isOpen(b));
  }
};

} // namespace itk::ccl

#endif
