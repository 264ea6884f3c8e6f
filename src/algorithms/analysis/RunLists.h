// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_algorithms_analysis_RunLists_h
#define ccl_algorithms_analysis_RunLists_h

#include "primitives/Runs.h"

namespace itk::ccl
{

/** The lists of AddToRows() for the runs of an image: a cell is a word of columns, and its list is its runs. A base
 * class of functors, which add Next(). */
template <typename TRowGroup, typename TRun>
struct RunLists
{
  IndexedRuns<TRowGroup, TRun> runs;

  /** The runs of a word that are still to visit. */
  struct ListType
  {
    Cell             word;
    RunsOfWord<TRun> runs;

    CCL_HOST_DEVICE
    bool
    IsAtEnd() const
    {
      return runs.IsAtEnd();
    }
  };

  CCL_HOST_DEVICE
  bool
  HasValues(std::uint64_t word) const
  {
    return runs.groups.columns.bits[word] != 0;
  }

  CCL_HOST_DEVICE
  ListType
  Begin(const Cell & word) const
  {
    return { word, runs.RunsIn(word) };
  }
};

/** Prepares the rows of a table for AddToRows(). A cell is a row. */
template <typename TTable>
struct ClearRows
{
  TTable table;

  CCL_HOST_DEVICE
  void
  operator()(const Cell & row) const
  {
    table.Clear(row.x);
  }
};

} // namespace itk::ccl

#endif
