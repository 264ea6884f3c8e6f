// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_primitives_Runs_h
#define ccl_primitives_Runs_h

// The runs of row groups, and the neighboring row groups that may have adjacent runs.

#include "primitives/RowGroups.h"

namespace itk::ccl
{

/** The runs of a word of columns that are still to visit, from left to right. A run may lie in several words. */
template <typename TRun>
struct RunsOfWord
{
  Word word;
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
    mask = left & BitsBelowGap(word, LowestBit(left));
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

/** The runs of an image. The index of a run is its number in raster order, from 0. `runOffsets` has, for each word of
 * columns, the number of runs that start before the word: the exclusive scan of the starts. */
template <typename TRowGroup, typename TRun>
struct IndexedRuns
{
  RowGroupBits<TRowGroup> groups;
  const TRun *            runOffsets;
  RunColumns<TRun>        columnsOfRuns{};

  /** Returns the number of runs that start at or before a bit of a word. `rowBegin` is the index of the first word of
   * the row group in `groups.columns`, and `word` is the x of the word. */
  CCL_HOST_DEVICE
  TRun
  CountRunsThrough(std::uint64_t rowBegin, std::uint64_t word, unsigned int bit) const
  {
    return runOffsets[rowBegin + word] + CountBits(groups.columns.Starts(rowBegin, word) & BitsThrough(bit));
  }

  /** Returns the runs of a word of columns. */
  CCL_HOST_DEVICE
  RunsOfWord<TRun>
  RunsIn(const Cell & word) const
  {
    const BitRows &     columns = groups.columns;
    const std::uint64_t begin = columns.RowBegin(word.y, word.z);
    const Word          here = columns.bits[begin + word.x];
    if (here == 0)
    {
      return { 0, 0, 0 };
    }
    // The run of the first foreground column starts here, or it continues from an earlier word.
    const Word starts = columns.Starts(begin, word.x);
    return { here, here, runOffsets[begin + word.x] - 1 + (starts >> LowestBit(here) & 1U) };
  }
};

/** The number of neighboring row groups that precede a row group in raster order and can have runs that are adjacent
 * to its runs. Adjacency is symmetric, so the later neighbors need no visit. */
template <typename TRowGroup>
inline constexpr unsigned int NeighborCountOf = TRowGroup::IsOneRow      ? 2
                                                : TRowGroup::Slices == 1 ? 1
                                                                         : 4;

/** The offset of a neighboring row group along y and z, in row groups. */
template <int VY, int VZ>
struct RowGroupOffset
{
  static constexpr int Y = VY;
  static constexpr int Z = VZ;
};

/** Calls visitor(RowGroupOffset<y, z>{}) with the offset of one of the neighboring row groups that precede a row
 * group. `neighbor` is 0 to NeighborCountOf - 1, in raster order. Returns the visitor's result. */
template <typename TRowGroup, typename TVisitor>
CCL_HOST_DEVICE
auto
VisitNeighbor(unsigned int neighbor, const TVisitor & visitor)
{
  if constexpr (TRowGroup::IsOneRow)
  {
    return neighbor == 0 ? visitor(RowGroupOffset<0, -1>{}) : visitor(RowGroupOffset<-1, 0>{});
  }
  else if constexpr (TRowGroup::Slices == 1)
  {
    return visitor(RowGroupOffset<-1, 0>{});
  }
  else
  {
    switch (neighbor)
    {
      case 0:
        return visitor(RowGroupOffset<-1, -1>{});
      case 1:
        return visitor(RowGroupOffset<0, -1>{});
      case 2:
        return visitor(RowGroupOffset<1, -1>{});
      default:
        return visitor(RowGroupOffset<-1, 0>{});
    }
  }
}

/** The row group at an offset from another row group. */
template <typename TOffset>
struct NeighborRowGroup
{
  std::uint64_t y;
  std::uint64_t z;
  std::uint64_t begin;    // index of the first word of its columns
  std::uint64_t ownBegin; // the same for the other row group
  bool          exists;   // whether it lies in the same image

  template <typename TRowGroup>
  CCL_HOST_DEVICE
  NeighborRowGroup(const RowGroupBits<TRowGroup> & groups, std::uint64_t ownY, std::uint64_t ownZ)
    : y(ownY + static_cast<std::uint64_t>(std::int64_t{ TOffset::Y }))
    , z(ownZ + static_cast<std::uint64_t>(std::int64_t{ TOffset::Z }))
    , begin(groups.columns.RowBegin(y, z))
    , ownBegin(groups.columns.RowBegin(ownY, ownZ))
    , exists(y < groups.columns.words.y && (TOffset::Z == 0 || !groups.isFirstOfImage(ownZ))) // y -1 wraps around
  {
    static_assert(TOffset::Z <= 0, "a preceding row group");
  }
};

} // namespace itk::ccl

#endif
