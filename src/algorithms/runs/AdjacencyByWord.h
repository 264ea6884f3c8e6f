// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_algorithms_runs_AdjacencyByWord_h
#define ccl_algorithms_runs_AdjacencyByWord_h

// Finds the adjacent runs in one word of a row group and the word at the same x of a neighboring row group. It is fast
// if words have many runs. If there are few words for many threads, or many runs with values in a word, several threads
// share a word.
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
  unsigned int                 defaultPartBits = 0; // 0 to 5: see PartAt()

  /** A part of a word of columns, for one thread. */
  struct Part
  {
    Cell word;
    Word columns; // the mask of its columns: adjacent bits
  };

  /** Returns a part of a word that has 2^partBits parts. The lowest `partBits` bits of x are the index of the part
   * in the word, and the others are the index of the word. */
  CCL_HOST_DEVICE
  Part
  PartAt(std::uint64_t x, unsigned int partBits) const
  {
    return { CellAt(runs.groups.columns.words, static_cast<TRun>(x >> partBits)), PartOfWord(x, partBits) };
  }

  /** Returns whether the word of a part has no foreground. The arguments are as in PartAt(). Test this before
   * PartAt(), which divides. */
  CCL_HOST_DEVICE
  bool
  IsWordEmpty(std::uint64_t x, unsigned int partBits) const
  {
    return runs.groups.columns.bits[static_cast<TRun>(x >> partBits)] == 0;
  }

  /** Calls visit(run, other) for runs that are adjacent in a part of a word: `run` is of the word's row group, and
   * `other` of the row group at an offset of the topology. Two adjacent runs are visited in at least one part, and at
   * most once in each part. The word must not be empty.
   * \param goesOn called at most once, after the runs that share a column. If it returns false, runs that meet at a
   * corner only are not visited. There is no such test after each run: the threads of a warp would diverge */
  template <typename TOffset, typename TVisitor, typename TGoesOn>
  CCL_HOST_DEVICE
  void
  ForEachInPart(const Part & part, const TOffset & offset, const TVisitor & visit, const TGoesOn & goesOn) const
  {
    const auto &           groups = runs.groups;
    const auto             wordX = static_cast<TRun>(part.word.x);
    const auto             groupY = static_cast<TRun>(part.word.y);
    const auto             groupZ = static_cast<TRun>(part.word.z);
    const WideWord         inside = WideWord{ part.columns } << 1;
    const NeighborRowGroup neighbor(groups, groupY, groupZ, offset);
    if (!neighbor.exists)
    {
      return;
    }
    const RunsInWord own = this->RunsIn(neighbor.ownBegin, wordX);
    const RunsInWord other = this->RunsIn(neighbor.begin, wordX);
    if (other.columns == 0)
    {
      return;
    }
    if constexpr (TRowGroup::HasValues)
    {
      this->VisitEqual(own, other, inside, offset.reach, visit, goesOn);
      return;
    }
    // An overlap is a maximal sequence of columns that both row groups have. One run of each row group covers it.
    const WideWord overlaps = own.columns & other.columns;
    WideWord       ownFacing = own.columns;
    WideWord       otherFacing = other.columns;
    WideWord       adjacent = overlaps;
    if constexpr (!TRowGroup::IsOneRow)
    {
      ownFacing = this->Widen(wordX, [&](TRun x) { return groups.Facing(offset, groupY, groupZ, x); });
      otherFacing =
        this->Widen(wordX, [&](TRun x) { return groups.Facing(offset.Opposite(), neighbor.y, neighbor.z, x); });
      const WideWord ownAround = ownFacing << 1 | ownFacing >> 1;
      const WideWord otherAround = otherFacing << 1 | otherFacing >> 1;
      adjacent &= (ownFacing & (otherFacing | otherAround)) | (ownAround & otherFacing);
    }
    VisitOverlaps(own, other, inside, overlaps, adjacent, ownFacing & otherFacing, visit);
    if (offset.reach == 0 || !goesOn())
    {
      return;
    }

    // Two runs without an overlap are adjacent if one ends in the column before the start of the other.
    const WideWord ownOnly = ownFacing & ~other.columns & inside;
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

  /** Returns the grid of the cells of ForEach(): x is as in PartAt() with defaultPartBits, and y is the neighboring
   * row group. */
  CCL_HOST_DEVICE
  Grid
  GetCells() const
  {
    return { runs.groups.columns.words.Count() << defaultPartBits, topology.count };
  }

  /** Calls visit(run, other) for the runs that are adjacent in a cell. */
  template <typename TVisitor>
  CCL_HOST_DEVICE
  void
  ForEach(const Cell & cell, const TVisitor & visit) const
  {
    if (!this->IsWordEmpty(cell.x, defaultPartBits))
    {
      const Part part = this->PartAt(cell.x, defaultPartBits);
      topology.Visit(static_cast<unsigned int>(cell.y),
                     [&](const auto & offset) { this->ForEachInPart(part, offset, visit, [] { return true; }); });
    }
  }

private:
  /** A word with one more column on each side. Bit 0 is the column before the word, bits 1 to 32 are the word, and bit
   * 33 is the column after it. */
  using WideWord = std::uint64_t;

  /** Returns the wide word at x of a row of words. `wordAt(x)` returns one of these words. */
  template <typename TWordAt>
  CCL_HOST_DEVICE
  WideWord
  Widen(TRun x, const TWordAt & wordAt) const
  {
    const Word before = x > 0 ? wordAt(x - 1) >> (BitsPerWord - 1) : 0;
    const Word after = x + 1 < static_cast<TRun>(runs.groups.columns.words.x) ? wordAt(x + 1) & 1U : 0;
    return WideWord{ wordAt(x) } << 1 | before | WideWord{ after } << (BitsPerWord + 1);
  }

  /** The runs in a wide word of a row group. */
  struct RunsInWord
  {
    WideWord columns;
    WideWord starts; // only of TRowGroup::HasValues
    TRun     offset; // number of runs that start before the word

    /** Returns the run that covers a bit of the wide word. */
    CCL_HOST_DEVICE
    TRun
    At(unsigned int bit) const
    {
      // `offset` counts a run that covers bit 0, also if it starts there.
      const WideWord all = (TRowGroup::HasValues ? starts : columns & ~(columns << 1)) & ~WideWord{ 1 };
      return offset + CountBits(all & BitsThrough<WideWord>(bit)) - 1;
    }

    /** Returns the columns at which runs end, for runs that may have no gaps. */
    CCL_HOST_DEVICE
    WideWord
    Ends() const
    {
      return columns & ~((columns & ~starts) >> 1);
    }
  };

  /** Returns the runs in word x of the row group whose words begin at `rowBegin`. */
  CCL_HOST_DEVICE
  RunsInWord
  RunsIn(TRun rowBegin, TRun x) const
  {
    const auto widen = [&](const Word * bits) {
      return this->Widen(x, [row = bits + rowBegin](TRun at) { return row[at]; });
    };
    WideWord starts = 0;
    if constexpr (TRowGroup::HasValues)
    {
      starts = widen(runs.groups.columns.starts);
    }
    return { widen(runs.groups.columns.bits), starts, runs.runOffsets[rowBegin + x] };
  }

  /** Visits adjacent runs with equal values, of single rows. */
  template <typename TVisitor, typename TGoesOn>
  CCL_HOST_DEVICE
  void
  VisitEqual(const RunsInWord & own,
             const RunsInWord & other,
             WideWord           inside,
             unsigned int       reach,
             const TVisitor &   visit,
             const TGoesOn &    goesOn) const
  {
    const auto visitPairs = [&](WideWord columns, int distance) {
      for (WideWord left = columns & inside; left != 0; left &= left - 1)
      {
        const unsigned int bit = LowestBit(left);
        const TRun         run = own.At(bit);
        const TRun         otherRun = other.At(bit + distance);
        if (runs.values.AreEqual(run, otherRun))
        {
          visit(run, otherRun);
        }
      }
    };
    // The first column that two runs share is the start of one of them. If it lies before this part, another part
    // visits the runs.
    const WideWord overlaps = own.columns & other.columns;
    visitPairs(overlaps & (own.starts | other.starts), 0);
    if (reach != 0 && goesOn())
    {
      visitPairs(own.Ends() & other.starts >> 1, 1);
      visitPairs(own.starts & other.Ends() << 1, -1);
    }
  }

  /** Visits the runs of each overlap that has an `adjacent` column inside the part: a column in which pixels of one run
   * have neighbors in the other run. In `facing` columns, both runs have pixels that face each other. If an overlap
   * continues from the part before, and the last column of that part is facing, that part visits the runs, and this
   * part does not. */
  template <typename TVisitor>
  CCL_HOST_DEVICE
  static void
  VisitOverlaps(const RunsInWord & own,
                const RunsInWord & other,
                WideWord           inside,
                WideWord           overlaps,
                WideWord           adjacent,
                WideWord           facing,
                const TVisitor &   visit)
  {
    adjacent &= inside;
    const unsigned int before = LowestBit(inside) - 1;
    if ((overlaps & facing) >> before & 1U)
    {
      adjacent &= ~BitsBelowGap(overlaps, before);
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
