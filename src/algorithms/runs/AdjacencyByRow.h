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
    for (unsigned int neighbor = 0; neighbor < topology.count; ++neighbor)
    {
      topology.Visit(neighbor, [&](const RowOffset & offset) {
        const NeighborRowGroup other(rows, row.y, row.z, offset);
        const std::uint64_t    otherIndex = other.y + grid.y * other.z;
        if (other.exists && otherIndex >= beginRow && otherIndex < endRow)
        {
          this->VisitAdjacent(index, otherIndex, offset.reach, visit);
        }
      });
    }
  }

private:
  /** Does the work of ForEach() for one other row. */
  template <typename TVisitor>
  void
  VisitAdjacent(std::uint64_t row, std::uint64_t otherRow, unsigned int reach, const TVisitor & visit) const
  {
    // Branches that depend on the runs are often predicted wrongly. So the walk has none: it collects the adjacent
    // runs.
    constexpr unsigned int mostPairs = 128;
    TRun                   adjacent[mostPairs + 1];
    TRun                   others[mostPairs + 1];
    const TRun * const     first = columnsOfRuns.first;
    const TRun * const     last = columnsOfRuns.last;
    const auto             distance = static_cast<TRun>((row - otherRow) * rows.rows.words.x * BitsPerWord);
    const TRun             end = firstRuns[row + 1];
    const TRun             otherEnd = firstRuns[otherRow + 1];
    TRun                   run = firstRuns[row];
    TRun                   other = firstRuns[otherRow];
    while (run < end && other < otherEnd)
    {
      unsigned int count = 0;
      do
      {
        const TRun runLast = last[run];
        const TRun otherLast = last[other] + distance;
        const bool isRunNext = runLast < otherLast;
        adjacent[count] = run;
        others[count] = other;
        unsigned int isAdjacent = static_cast<unsigned int>(first[run] <= otherLast + reach) &
                                  static_cast<unsigned int>(first[other] + distance <= runLast + reach);
        if constexpr (TRowGroup::HasValues)
        {
          isAdjacent &= static_cast<unsigned int>(values.AreEqual(run, other));
        }
        count += isAdjacent;
        if constexpr (TRowGroup::HasValues)
        {
          // Runs without a gap may follow two runs that end in the same column, and the walk leaves one of them first.
          if (runLast == otherLast && run + 1 < end && first[run + 1] <= otherLast + reach &&
              values.AreEqual(run + 1, other))
          {
            adjacent[count] = run + 1;
            others[count] = other;
            ++count;
          }
        }
        run += isRunNext;
        other += !isRunNext;
      } while (run < end && other < otherEnd && count < mostPairs);
      for (unsigned int i = 0; i < count; ++i)
      {
        visit(adjacent[i], others[i]);
      }
    }
  }
};

} // namespace itk::ccl

#endif
