// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_primitives_Runs_h
#define ccl_primitives_Runs_h

// The runs of row groups. Topology.h says which row groups have adjacent runs.

#include "primitives/EqualValues.h"
#include "primitives/RowGroups.h"

namespace itk::ccl
{

/** The runs of a word of columns that are still to visit, from left to right. A run may lie in several words. */
template <typename TRun>
struct RunsOfWord
{
  Word word; // its columns; with TRowGroup::HasValues, without those at which runs start
  Word left; // the columns of the runs to visit
  TRun run;  // the next run

  CCL_HOST_DEVICE
  bool
  IsAtEnd() const
  {
    return left == 0;
  }

  /** Moves to the next run. Sets `mask` to the columns of the run in this word, and returns the index of the run. */
  CCL_HOST_DEVICE
  TRun
  Next(Word & mask)
  {
    mask = left & BitsBelowGap(word | (left & (0U - left)), LowestBit(left));
    left &= ~mask;
    return run++;
  }
};

/** The first and the last column of each run, as the index of the column's bit, counted from the first word of the
 * image's columns. */
template <typename TRun>
struct RunColumns
{
  const TRun *  first = nullptr; // null if the columns are not known
  const TRun *  last = nullptr;
  std::uint64_t runCount = 0;
};

/** The rank of the component of each run, or NoLabel. */
template <typename TRun>
struct RanksOfRuns
{
  const TRun * ranks;
  const TRun * roots = nullptr;     // the root of each run, if only roots have ranks
  const TRun * positions = nullptr; // of each component among the kept ones, or NoLabel; null if all are kept

  CCL_HOST_DEVICE
  explicit RanksOfRuns(const TRun * ranksOf, const TRun * rootsOf = nullptr, const TRun * positionsOf = nullptr)
    : ranks(ranksOf)
    , roots(rootsOf)
    , positions(positionsOf)
  {}

  CCL_HOST_DEVICE
  TRun
  operator[](std::uint64_t run) const
  {
    const TRun rank = ranks[roots == nullptr ? run : std::uint64_t{ roots[run] }];
    return positions == nullptr ? rank : positions[rank];
  }
};

/** Stands for RunValues in kernels that need none. */
struct NoValues
{
  NoValues() = default;
  CCL_HOST_DEVICE
  NoValues(const RunValues &) {}
};

/** The runs of an image. The index of a run is its number in raster order, from 0. `runOffsets` has, for each word of
 * columns, the number of runs that start before the word: the exclusive scan of the starts. */
template <typename TRowGroup, typename TRun>
struct IndexedRuns
{
  RowGroupBits<TRowGroup>                                       groups;
  const TRun *                                                  runOffsets;
  RunColumns<TRun>                                              columnsOfRuns{};
  std::conditional_t<TRowGroup::HasValues, RunValues, NoValues> values{};

  /** Returns the number of runs that start at or before a bit of a word. `rowBegin` is the index of the first word of
   * the row group in `groups.columns`, and `word` is the x of the word. */
  template <typename TIndex>
  CCL_HOST_DEVICE
  TRun
  CountRunsThrough(TIndex rowBegin, TIndex word, unsigned int bit) const
  {
    return runOffsets[rowBegin + word] + CountBits(groups.columns.Starts(rowBegin, word) & BitsThrough(bit));
  }

  /** Returns the same runs as runs of single rows, whose pixels are the columns. So kernels that need no values are
   * compiled once. The result has no values, and no starts if they follow from gaps: do not use its EdgesType. */
  IndexedRuns<ValueRow, TRun>
  OfColumns() const
  {
    const StartedRows columns = groups.GetStartedColumns();
    const Grid &      words = columns.words;
    return { { Grid{ words.x * BitsPerWord, words.y, words.z }, columns.bits, columns.starts },
             runOffsets,
             columnsOfRuns };
  }

  /** Returns the runs of single rows by OfColumns(), and other runs as they are. So single rows need no kernels of
   * their own for work that rows whose runs have values need, too. */
  auto
  AsValueRows() const
  {
    if constexpr (TRowGroup::IsOneRow)
    {
      return this->OfColumns();
    }
    else
    {
      return *this;
    }
  }

  /** Returns the runs of a word of columns. */
  CCL_HOST_DEVICE
  RunsOfWord<TRun>
  RunsIn(const Cell & word) const
  {
    const auto &        columns = groups.columns;
    const std::uint64_t begin = columns.RowBegin(word.y, word.z);
    const Word          here = columns.bits[begin + word.x];
    if (here == 0)
    {
      return { 0, 0, 0 };
    }
    // The run of the first foreground column starts here, or it continues from an earlier word.
    const Word starts = columns.Starts(begin, word.x);
    const TRun first = runOffsets[begin + word.x] - 1 + (starts >> LowestBit(here) & 1U);
    return { TRowGroup::HasValues ? here & ~starts : here, here, first };
  }

  /** Returns the runs in some columns of a word. `part` has the bits of these columns, which are adjacent. */
  CCL_HOST_DEVICE
  RunsOfWord<TRun>
  RunsIn(const Cell & word, Word part) const
  {
    const std::uint64_t begin = groups.columns.RowBegin(word.y, word.z);
    const Word          here = groups.columns.bits[begin + word.x] & part;
    if (here == 0)
    {
      return { 0, 0, 0 };
    }
    const Word starts = TRowGroup::HasValues ? groups.columns.Starts(begin, word.x) : 0;
    return { here & ~starts, here, this->CountRunsThrough(begin, word.x, LowestBit(here)) - 1 };
  }
};

} // namespace itk::ccl

#endif
