// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_algorithms_runs_AdjacencyByWord_h
#define ccl_algorithms_runs_AdjacencyByWord_h

#include "primitives/Runs.h"

namespace itk::ccl
{

/** Finds which runs touch, word by word: fast where a word has many runs. */
template <typename TRowGroup, typename TRun>
struct AdjacencyByWord
{
  IndexedRuns<TRowGroup, TRun> runs;

  /** Calls visit(run, other) for the runs in a word of a row group and those of a neighbouring row group that touch in
   * that word. Each pair that touches is visited in one word at least, and at most once in a word. */
  template <typename TVisitor>
  CCL_HOST_DEVICE
  void
  ForEachInWord(const Cell & word, unsigned int neighbor, const TVisitor & visit) const
  {
    VisitNeighbor<TRowGroup>(neighbor, [&](auto offset) { this->VisitAdjacent<decltype(offset)>(word, visit); });
  }

  /** The cells of ForEach: words of columns, and along z one of their neighbours after the other. */
  CCL_HOST_DEVICE
  Grid
  GetCells() const
  {
    const Grid & words = runs.groups.columns.words;
    return { words.x, words.y, words.z * NeighborCountOf<TRowGroup> };
  }

  /** Calls visit(run, other) for all that touch in a cell. */
  template <typename TVisitor>
  CCL_HOST_DEVICE
  void
  ForEach(const Cell & cell, const TVisitor & visit) const
  {
    const std::uint64_t slices = runs.groups.columns.words.z;
    const std::uint64_t neighbor = Divide(cell.z, slices);
    this->ForEachInWord({ cell.x, cell.y, cell.z - neighbor * slices }, static_cast<unsigned int>(neighbor), visit);
  }

private:
  /** A word from bit 1 on; bit 0 is the column before it, and bit 33 the one after it. */
  using WideWord = std::uint64_t;

  static constexpr WideWord Inside = WideWord{ 0xFFFFFFFFU } << 1;

  /** Widens the word at x of a row of words that wordAt(x) gives. */
  template <typename TWordAt>
  CCL_HOST_DEVICE
  WideWord
  Widen(std::uint64_t x, const TWordAt & wordAt) const
  {
    const Word before = x > 0 ? wordAt(x - 1) >> (BitsPerWord - 1) : 0;
    const Word after = x + 1 < runs.groups.columns.words.x ? wordAt(x + 1) & 1U : 0;
    return WideWord{ wordAt(x) } << 1 | before | WideWord{ after } << (BitsPerWord + 1);
  }

  /** The runs of a word of a row group. */
  struct RunsInWord
  {
    WideWord columns;
    TRun     runOffsets;

    /** The run at a bit of a wide word. */
    CCL_HOST_DEVICE
    TRun
    At(unsigned int bit) const
    {
      // Those that start at bit 0 start before the word.
      const WideWord starts = columns & ~(columns << 1) & ~WideWord{ 1 };
      return runOffsets + CountBits(starts & BitsThrough<WideWord>(bit)) - 1;
    }
  };

  CCL_HOST_DEVICE
  RunsInWord
  RunsIn(std::uint64_t rowBegin, std::uint64_t x) const
  {
    const Word * const columns = runs.groups.columns.bits + rowBegin;
    return { this->Widen(x, [columns](std::uint64_t at) { return columns[at]; }), runs.runOffsets[rowBegin + x] };
  }

  /** As ForEachInWord, for the row group at an offset. */
  template <typename TOffset, typename TVisitor>
  CCL_HOST_DEVICE
  void
  VisitAdjacent(const Cell & word, const TVisitor & visit) const
  {
    constexpr int                   y = TOffset::Y;
    constexpr int                   z = TOffset::Z;
    const auto &                    groups = runs.groups;
    const NeighborRowGroup<TOffset> neighbor(groups.columns, word.y, word.z);
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
    // Where both row groups have columns, from one gap to the next, one run of each overlaps.
    const WideWord overlaps = own.columns & other.columns;
    if constexpr (TRowGroup::IsOneRow)
    {
      VisitOverlaps(own, other, overlaps, overlaps, overlaps, visit);
    }
    else
    {
      const WideWord ownFacing =
        this->Widen(word.x, [&](std::uint64_t x) { return groups.template Facing<y, z>(word.y, word.z, x); });
      const WideWord otherFacing =
        this->Widen(word.x, [&](std::uint64_t x) { return groups.template Facing<-y, -z>(neighbor.y, neighbor.z, x); });
      const WideWord ownAround = ownFacing << 1 | ownFacing >> 1;
      const WideWord otherAround = otherFacing << 1 | otherFacing >> 1;
      const WideWord touching = (ownFacing & (otherFacing | otherAround)) | (ownAround & otherFacing);
      VisitOverlaps(own, other, overlaps, touching & overlaps, ownFacing & otherFacing, visit);

      // Runs that overlap nowhere touch where one ends and the other starts.
      const WideWord alone = ownFacing & ~other.columns & Inside;
      for (WideWord ends = alone & ~(own.columns >> 1) & otherFacing >> 1; ends != 0; ends &= ends - 1)
      {
        const unsigned int bit = LowestBit(ends);
        visit(own.At(bit), other.At(bit + 1));
      }
      for (WideWord starts = alone & ~(own.columns << 1) & otherFacing << 1; starts != 0; starts &= starts - 1)
      {
        const unsigned int bit = LowestBit(starts);
        visit(own.At(bit), other.At(bit - 1));
      }
    }
  }

  /** Visits the pairs that overlap and are `touching` in the overlap. An overlap that comes from the word before is
   * left to that where it is `surely` touching. */
  template <typename TVisitor>
  CCL_HOST_DEVICE
  static void
  VisitOverlaps(const RunsInWord & own,
                const RunsInWord & other,
                WideWord           overlaps,
                WideWord           touching,
                WideWord           surely,
                const TVisitor &   visit)
  {
    touching &= Inside;
    if ((overlaps & surely & 1U) != 0)
    {
      touching &= ~BitsBelowGap(overlaps, 0);
    }
    while (touching != 0)
    {
      const unsigned int bit = LowestBit(touching);
      visit(own.At(bit), other.At(bit));
      touching &= ~BitsBelowGap(overlaps, bit);
    }
  }
};

} // namespace itk::ccl

#endif
