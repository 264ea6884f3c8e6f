// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_algorithms_runs_AdjacencyByRun_h
#define ccl_algorithms_runs_AdjacencyByRun_h

#include "primitives/Runs.h"

namespace itk::ccl
{

/** Finds which runs touch, run by run: fast where runs are long. First and last columns are counted in bits from the
 * first word of the columns on. */
template <typename TRowGroup, typename TRun>
struct AdjacencyByRun
{
  IndexedRuns<TRowGroup, TRun> runs;
  const TRun *                 firstColumns;
  const TRun *                 lastColumns;
  std::uint64_t                runCount;

  /** Calls visit(first, last) for runs, from the first up to the last, of a neighbouring row group that touch a run,
   * and for no run twice. Ends when visit() gives false; gives what it gave last, else true. */
  template <typename TVisitor>
  CCL_HOST_DEVICE
  bool
  ForEachOfRun(TRun run, unsigned int neighbor, const TVisitor & visit) const
  {
    const Extent extent = this->ExtentOf(run);
    return VisitNeighbor<TRowGroup>(neighbor,
                                    [&](auto offset) { return this->VisitTouching<decltype(offset)>(extent, visit); });
  }

  /** The cells of ForEach: runs, and along y one of their neighbours after the other. */
  CCL_HOST_DEVICE
  Grid
  GetCells() const
  {
    return { runCount, NeighborCountOf<TRowGroup> };
  }

  /** Calls visit(run, other) for all that touch in a cell. */
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
  /** Where a run lies: its row group, and its first and last column in that. */
  struct Extent
  {
    std::uint64_t y;
    std::uint64_t z;
    std::uint64_t begin;
    std::uint64_t end;

    /** Those columns of a word that are the run's. */
    CCL_HOST_DEVICE
    Word
    InWord(std::uint64_t word) const
    {
      if (word < begin / BitsPerWord || word > end / BitsPerWord)
      {
        return 0;
      }
      const Word from = word == begin / BitsPerWord ? ~Word{ 0 } << begin % BitsPerWord : ~Word{ 0 };
      const Word through = word == end / BitsPerWord ? BitsThrough(end % BitsPerWord) : ~Word{ 0 };
      return from & through;
    }
  };

  CCL_HOST_DEVICE
  Extent
  ExtentOf(TRun run) const
  {
    const Grid &        words = runs.groups.columns.words;
    const std::uint64_t rowBits = words.x * BitsPerWord;
    const std::uint64_t first = firstColumns[run];
    const std::uint64_t row = Divide(first, rowBits);
    const std::uint64_t z = Divide(row, words.y);
    return { row - z * words.y, z, first - row * rowBits, lastColumns[run] - row * rowBits };
  }

  /** As ForEachOfRun, for the row group at an offset. */
  template <typename TOffset, typename TVisitor>
  CCL_HOST_DEVICE
  bool
  VisitTouching(const Extent & extent, const TVisitor & visit) const
  {
    const BitRows &                 columns = runs.groups.columns;
    const NeighborRowGroup<TOffset> neighbor(columns, extent.y, extent.z);
    if (!neighbor.exists)
    {
      return true;
    }
    if constexpr (TRowGroup::IsOneRow)
    {
      // All that shares a column touches.
      const std::uint64_t word = extent.begin / BitsPerWord;
      const unsigned int  bit = extent.begin % BitsPerWord;
      const bool          isCovered = columns.bits[neighbor.begin + word] >> bit & 1U;
      const TRun          from = runs.CountRunsThrough(neighbor.begin, word, bit) - isCovered;
      const TRun until = runs.CountRunsThrough(neighbor.begin, extent.end / BitsPerWord, extent.end % BitsPerWord);
      return from >= until || visit(from, static_cast<TRun>(until - 1));
    }
    else
    {
      const std::uint64_t lastWord = (extent.end + (extent.end + 1 < columns.words.x * BitsPerWord)) / BitsPerWord;
      TRun                visited = static_cast<TRun>(~TRun{ 0 });
      for (std::uint64_t word = (extent.begin - (extent.begin > 0)) / BitsPerWord; word <= lastWord;)
      {
        std::uint64_t nextWord = word + 1;
        Word          touching = this->Reach<TOffset>(extent, word) &
                        runs.groups.template Facing<-TOffset::Y, -TOffset::Z>(neighbor.y, neighbor.z, word);
        while (touching != 0)
        {
          const unsigned int bit = LowestBit(touching);
          const TRun         other = runs.CountRunsThrough(neighbor.begin, word, bit) - 1;
          if (other != visited && !visit(other, other))
          {
            return false;
          }
          visited = other;
          const Word gaps = ~columns.bits[neighbor.begin + word] & ~BitsThrough(bit);
          if (gaps == 0)
          {
            // The words that the other run fills have nothing new.
            const std::uint64_t otherEnd = (lastColumns[other] - neighbor.begin * BitsPerWord) / BitsPerWord;
            nextWord = otherEnd > nextWord ? otherEnd : nextWord;
            break;
          }
          touching &= ~BitsThrough(LowestBit(gaps));
        }
        word = nextWord;
      }
      return true;
    }
  }

  /** The columns of a word in which pixels of the row group at an offset would touch a run. */
  template <typename TOffset>
  CCL_HOST_DEVICE
  Word
  Reach(const Extent & extent, std::uint64_t word) const
  {
    const Word here = this->FacingInWord<TOffset>(extent, word);
    Word       reach = here | here << 1 | here >> 1;
    if (word > extent.begin / BitsPerWord)
    {
      reach |= this->FacingInWord<TOffset>(extent, word - 1) >> (BitsPerWord - 1);
    }
    if (word < extent.end / BitsPerWord)
    {
      reach |= this->FacingInWord<TOffset>(extent, word + 1) << (BitsPerWord - 1);
    }
    return reach;
  }

  /** The columns of a run in a word that have pixels on the side where the row group at an offset lies. */
  template <typename TOffset>
  CCL_HOST_DEVICE
  Word
  FacingInWord(const Extent & extent, std::uint64_t word) const
  {
    const Word columns = extent.InWord(word);
    return columns == 0 ? 0 : columns & runs.groups.template Facing<TOffset::Y, TOffset::Z>(extent.y, extent.z, word);
  }
};

} // namespace itk::ccl

#endif
