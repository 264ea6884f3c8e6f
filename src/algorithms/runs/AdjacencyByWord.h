// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_algorithms_runs_AdjacencyByWord_h
#define ccl_algorithms_runs_AdjacencyByWord_h

// Finds the adjacent runs in one word of a row group and the word at the same x of a neighboring row group. It is fast
// if words have many runs.
//
// Both words are widened by one column on each side, because diagonal neighbors may lie there.

#include "primitives/Runs.h"
#include "primitives/Topology.h"

namespace itk::ccl
{

/** Finds adjacent runs, word by word. */
template <typename TRowGroup, typename TRun>
struct AdjacencyByWord
{
  IndexedRuns<TRowGroup, TRun> runs;
  Topology<TRowGroup>          topology;

  /** Calls visit(run, other) for runs that are adjacent in a word: `run` is of the word's row group, and `other` of a
   * neighboring row group. `neighbor` is as in Topology::Visit(). Two adjacent runs are visited in at least one word,
   * and at most once in each word. */
  template <typename TVisitor>
  CCL_HOST_DEVICE
  void
  ForEachInWord(const Cell & word, unsigned int neighbor, const TVisitor & visit) const
  {
    topology.Visit(neighbor, [&](const auto & offset) { this->VisitAdjacent(word, offset, visit); });
  }

  /** Returns the grid of the cells of ForEach(): x is the index of a word of columns, and y the neighboring row group.
   */
  CCL_HOST_DEVICE
  Grid
  GetCells() const
  {
    return { runs.groups.columns.words.Count(), topology.count };
  }

  /** Calls visit(run, other) for the runs that are adjacent in a cell. */
  template <typename TVisitor>
  CCL_HOST_DEVICE
  void
  ForEach(const Cell & cell, const TVisitor & visit) const
  {
    this->ForEachInWord(CellAt(runs.groups.columns.words, cell.x), static_cast<unsigned int>(cell.y), visit);
  }

private:
  /** A word with one more column on each side. Bit 0 is the column before the word, bits 1 to 32 are the word, and bit
   * 33 is the column after it. */
  using WideWord = std::uint64_t;

  /** The mask of the word itself. */
  static constexpr WideWord Inside = WideWord{ 0xFFFFFFFFU } << 1;

  /** Returns the wide word at x of a row of words. `wordAt(x)` returns one of these words. */
  template <typename TWordAt>
  CCL_HOST_DEVICE
  WideWord
  Widen(std::uint64_t x, const TWordAt & wordAt) const
  {
    const Word before = x > 0 ? wordAt(x - 1) >> (BitsPerWord - 1) : 0;
    const Word after = x + 1 < runs.groups.columns.words.x ? wordAt(x + 1) & 1U : 0;
    return WideWord{ wordAt(x) } << 1 | before | WideWord{ after } << (BitsPerWord + 1);
  }

  /** The runs in a wide word of a row group. */
  struct RunsInWord
  {
    WideWord columns;
    TRun     offset; // number of runs that start before the word

    /** Returns the run that covers a bit of the wide word. */
    CCL_HOST_DEVICE
    TRun
    At(unsigned int bit) const
    {
      // A run that covers bit 0 starts before the word, so `offset` includes it.
      const WideWord starts = columns & ~(columns << 1) & ~WideWord{ 1 };
      return offset + CountBits(starts & BitsThrough<WideWord>(bit)) - 1;
    }
  };

  /** Returns the runs in word x of the row group whose words begin at `rowBegin`. */
  CCL_HOST_DEVICE
  RunsInWord
  RunsIn(std::uint64_t rowBegin, std::uint64_t x) const
  {
    const Word * const columns = runs.groups.columns.bits + rowBegin;
    return { this->Widen(x, [columns](std::uint64_t at) { return columns[at]; }), runs.runOffsets[rowBegin + x] };
  }

  /** Does the work of ForEachInWord() for the row group at an offset. */
  template <typename TOffset, typename TVisitor>
  CCL_HOST_DEVICE
  void
  VisitAdjacent(const Cell & word, const TOffset & offset, const TVisitor & visit) const
  {
    const auto &           groups = runs.groups;
    const NeighborRowGroup neighbor(groups, word.y, word.z, offset);
    if (!neighbor.exists || groups.columns.bits[neighbor.ownBegin + word.x] == 0)
    {
      return;
    }
    const RunsInWord own = this->RunsIn(neighbor.ownBegin, word.x);
    const RunsInWord other = this->RunsIn(neighbor.begin, word.x);
    if (other.columns == 0)
    {
      return;
    }
    // An overlap is a maximal sequence of columns that both row groups have. One run of each row group covers it.
    const WideWord overlaps = own.columns & other.columns;
    WideWord       ownFacing = own.columns;
    WideWord       otherFacing = other.columns;
    WideWord       adjacent = overlaps;
    if constexpr (!TRowGroup::IsOneRow)
    {
      ownFacing = this->Widen(word.x, [&](std::uint64_t x) { return groups.Facing(offset, word.y, word.z, x); });
      otherFacing = this->Widen(
        word.x, [&](std::uint64_t x) { return groups.Facing(offset.Opposite(), neighbor.y, neighbor.z, x); });
      const WideWord ownAround = ownFacing << 1 | ownFacing >> 1;
      const WideWord otherAround = otherFacing << 1 | otherFacing >> 1;
      adjacent &= (ownFacing & (otherFacing | otherAround)) | (ownAround & otherFacing);
    }
    VisitOverlaps(own, other, overlaps, adjacent, ownFacing & otherFacing, visit);
    if (offset.reach == 0)
    {
      return;
    }

    // Two runs without an overlap are adjacent if one ends in the column before the start of the other.
    const WideWord ownOnly = ownFacing & ~other.columns & Inside;
    for (WideWord ends = ownOnly & ~(own.columns >> 1) & otherFacing >> 1; ends != 0; ends &= ends - 1)
    {
      const unsigned int bit = LowestBit(ends);
      visit(own.At(bit), other.At(bit + 1));
    }
    for (WideWord starts = ownOnly & ~(own.columns << 1) & otherFacing << 1; starts != 0; starts &= starts - 1)
    {
      const unsigned int bit = LowestBit(starts);
      visit(own.At(bit), other.At(bit - 1));
    }
  }

  /** Visits the runs of each overlap that has an `adjacent` column: a column in which pixels of one run have neighbors
   * in the other run. In `facing` columns, both runs have pixels that face each other. If an overlap continues from the
   * word before, and the last column of that word is facing, that word visits the runs, and this word does not. */
  template <typename TVisitor>
  CCL_HOST_DEVICE
  static void
  VisitOverlaps(const RunsInWord & own,
                const RunsInWord & other,
                WideWord           overlaps,
                WideWord           adjacent,
                WideWord           facing,
                const TVisitor &   visit)
  {
    adjacent &= Inside;
    if ((overlaps & facing & 1U) != 0)
    {
      adjacent &= ~BitsBelowGap(overlaps, 0);
    }
    while (adjacent != 0)
    {
      const unsigned int bit = LowestBit(adjacent);
      visit(own.At(bit), other.At(bit));
      adjacent &= ~BitsBelowGap(overlaps, bit);
    }
  }
};

} // namespace itk::ccl

#endif
