// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_algorithms_runs_AdjacencyByRun_h
#define ccl_algorithms_runs_AdjacencyByRun_h

// Finds the runs of a neighboring row group that are adjacent to one run. It is fast if runs are long.
//
// For groups of several rows, it visits the words of the neighboring row group that lie beside the run. For each word,
// it makes a mask of the columns that have pixels adjacent to the run. The runs of these columns are the adjacent runs.

#include "primitives/Runs.h"
#include "primitives/Topology.h"

namespace itk::ccl
{

/** Finds adjacent runs, run by run. The columns of the runs must be known. */
template <typename TRowGroup, typename TRun>
struct AdjacencyByRun
{
  IndexedRuns<TRowGroup, TRun> runs;
  Topology<TRowGroup>          topology;

  /** Calls visit(first, last) for ranges of runs of one neighboring row group. All runs from first to last are
   * adjacent to `run`. Each adjacent run is in one range. `neighbor` is as in Topology::Visit(). Stops if visit()
   * returns false. Returns false if it was stopped. */
  template <typename TVisitor>
  CCL_HOST_DEVICE
  bool
  ForEachOfRun(TRun run, unsigned int neighbor, const TVisitor & visit) const
  {
    const Extent extent = this->ExtentOf(run);
    return topology.Visit(neighbor,
                          [&](const auto & offset) { return this->VisitAdjacent(run, extent, offset, visit); });
  }

  /** Calls visit(run, other) for each run that is adjacent to the run of a cell: x is the run, and y the neighboring
   * row group. */
  template <typename TVisitor>
  CCL_HOST_DEVICE
  void
  ForEach(const Cell & cell, const TVisitor & visit) const
  {
    const TRun run = static_cast<TRun>(cell.x);
    this->ForEachOfRun(run, static_cast<unsigned int>(cell.y), [&](TRun first, TRun last) {
      for (TRun other = first; other <= last; ++other)
      {
        visit(run, other);
      }
      return true;
    });
  }

private:
  /** The position of a run: its row group, and its first and last column in the row group. */
  struct Extent
  {
    TRun y;
    TRun z;
    TRun first;
    TRun last;

    /** Returns a mask of the columns of the run in word x of the row group. */
    CCL_HOST_DEVICE
    Word
    ColumnsIn(TRun word) const
    {
      if (word < first / BitsPerWord || word > last / BitsPerWord)
      {
        return 0;
      }
      const Word from = word == first / BitsPerWord ? ~Word{ 0 } << first % BitsPerWord : ~Word{ 0 };
      const Word through = word == last / BitsPerWord ? BitsThrough(last % BitsPerWord) : ~Word{ 0 };
      return from & through;
    }
  };

  CCL_HOST_DEVICE
  Extent
  ExtentOf(TRun run) const
  {
    const auto rowBits = static_cast<TRun>(runs.groups.columns.words.x * BitsPerWord);
    const auto rowsOfSlice = static_cast<TRun>(runs.groups.columns.words.y);
    const TRun first = runs.columnsOfRuns.first[run];
    const auto row = static_cast<TRun>(Divide(first, rowBits));
    const auto z = static_cast<TRun>(Divide(row, rowsOfSlice));
    return { row - z * rowsOfSlice, z, first - row * rowBits, runs.columnsOfRuns.last[run] - row * rowBits };
  }

  /** Does the work of ForEachOfRun() for the row group at an offset. */
  template <typename TOffset, typename TVisitor>
  CCL_HOST_DEVICE
  bool
  VisitAdjacent([[maybe_unused]] TRun run, const Extent & extent, const TOffset & offset, const TVisitor & visit) const
  {
    const auto &           columns = runs.groups.columns;
    const auto             rowBits = static_cast<TRun>(columns.words.x * BitsPerWord);
    const NeighborRowGroup neighbor(runs.groups, extent.y, extent.z, offset);
    if (!neighbor.exists)
    {
      return true;
    }
    if constexpr (TRowGroup::IsOneRow)
    {
      // Runs of rows are adjacent if they share a column, up to the reach. So the adjacent runs follow each other: from
      // the run that covers the first column, or else the first run that starts after it, to the last run that starts
      // up to the last column.
      const TRun         first = extent.first - (extent.first > 0 ? offset.reach : 0);
      const TRun         last = extent.last + (extent.last + 1 < rowBits ? offset.reach : 0);
      const TRun         word = first / BitsPerWord;
      const unsigned int bit = first % BitsPerWord;
      const bool         isCovered = columns.bits[neighbor.begin + word] >> bit & 1U;
      const TRun         begin = runs.CountRunsThrough(neighbor.begin, word, bit) - isCovered;
      const TRun         end = runs.CountRunsThrough(neighbor.begin, last / BitsPerWord, last % BitsPerWord);
      if constexpr (TRowGroup::HasValues)
      {
        bool goesOn = true;
        for (TRun other = begin; other < end && goesOn; ++other)
        {
          goesOn = !runs.values.AreEqual(run, other) || visit(other, other);
        }
        return goesOn;
      }
      return begin >= end || visit(begin, static_cast<TRun>(end - 1));
    }
    else
    {
      // Diagonal neighbors count, so the words include one column before the run and one column after it.
      const TRun lastWord = (extent.last + (extent.last + 1 < rowBits)) / BitsPerWord;
      TRun       lastVisited = static_cast<TRun>(~TRun{ 0 }); // no run
      for (TRun word = (extent.first - (extent.first > 0)) / BitsPerWord; word <= lastWord;)
      {
        TRun nextWord = word + 1;
        Word adjacent = this->ColumnsBeside(extent, word, offset) &
                        runs.groups.Facing(offset.Opposite(), neighbor.y, neighbor.z, word);
        while (adjacent != 0)
        {
          const unsigned int bit = LowestBit(adjacent);
          const TRun         other = runs.CountRunsThrough(neighbor.begin, word, bit) - 1;
          if (other != lastVisited && !visit(other, other))
          {
            return false;
          }
          lastVisited = other;
          const Word gaps = ~columns.bits[neighbor.begin + word] & ~BitsThrough(bit);
          if (gaps == 0)
          {
            // The other run fills the rest of this word. Skip the words that it fills completely.
            const TRun otherEnd = (runs.columnsOfRuns.last[other] - neighbor.begin * BitsPerWord) / BitsPerWord;
            nextWord = otherEnd > nextWord ? otherEnd : nextWord;
            break;
          }
          adjacent &= ~BitsThrough(LowestBit(gaps));
        }
        word = nextWord;
      }
      return true;
    }
  }

  /** Returns the columns of a word in which pixels of the row group at an offset would be adjacent to a run. */
  template <typename TOffset>
  CCL_HOST_DEVICE
  Word
  ColumnsBeside(const Extent & extent, TRun word, const TOffset & offset) const
  {
    const Word facing = this->FacingColumnsIn(extent, word, offset);
    Word       columns = facing | facing << 1 | facing >> 1;
    if (word > extent.first / BitsPerWord)
    {
      columns |= this->FacingColumnsIn(extent, word - 1, offset) >> (BitsPerWord - 1);
    }
    if (word < extent.last / BitsPerWord)
    {
      columns |= this->FacingColumnsIn(extent, word + 1, offset) << (BitsPerWord - 1);
    }
    return columns;
  }

  /** Returns the columns of a run in a word that have a foreground pixel on the side of the row group at an offset. */
  template <typename TOffset>
  CCL_HOST_DEVICE
  Word
  FacingColumnsIn(const Extent & extent, TRun word, const TOffset & offset) const
  {
    const Word columns = extent.ColumnsIn(word);
    return columns == 0 ? 0 : columns & runs.groups.Facing(offset, extent.y, extent.z, word);
  }
};

} // namespace itk::ccl

#endif
