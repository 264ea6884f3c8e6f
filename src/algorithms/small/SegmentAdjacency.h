// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_algorithms_small_SegmentAdjacency_h
#define ccl_algorithms_small_SegmentAdjacency_h

// Finds the adjacent segments of two words with bit operations. Each adjacency is one bit: the column where it begins.

#include "algorithms/small/Segments.h"

namespace itk::ccl
{

/** A word of a row group, and the previous word of the row group. Slots are relative to the first word of the array
 * `words` that the constructor gets. */
template <typename TRowGroup>
struct SegmentedWord
{
  std::uint32_t           index;
  RowGroupWord<TRowGroup> here;
  RowGroupWord<TRowGroup> previous{};

  /** Loads `words[wordIndex]` and the word before it. `x` is the word's index in its row group. */
  CCL_HOST_DEVICE
  SegmentedWord(const RowGroupWord<TRowGroup> * words, std::uint32_t wordIndex, std::uint32_t x)
    : index(wordIndex)
    , here(words[index])
  {
    if (x > 0)
    {
      previous = words[index - 1];
    }
  }

  /** Returns the slot of the segment that covers a bit. Bit -1 is the last column of the previous word. The column of
   * the bit must have a foreground pixel. */
  CCL_HOST_DEVICE
  std::uint32_t
  SlotAt(int bit) const
  {
    return bit < 0 ? Segments::SlotAt(index - 1, Segments::StartOf(previous.Columns(), BitsPerWord - 1))
                   : Segments::SlotAt(index, Segments::StartOf(here.Columns(), static_cast<unsigned int>(bit)));
  }

  /** Returns whether the word, or the last column before it, has a foreground pixel. */
  CCL_HOST_DEVICE
  bool
  HasPixels() const
  {
    return (here.Columns() | previous.Columns() >> (BitsPerWord - 1)) != 0;
  }

  /** Returns whether a run continues from the previous word into this word. */
  CCL_HOST_DEVICE
  bool
  GoesOn() const
  {
    return (here.Columns() & previous.Columns() >> (BitsPerWord - 1) & 1U) != 0;
  }
};

/** The adjacencies between the segments of a word and the segments of the neighboring row group at an offset. The
 * other word has the same x as the own word. */
template <typename TRowGroup, typename TOffset>
struct SegmentAdjacency
{
  SegmentedWord<TRowGroup> own;
  SegmentedWord<TRowGroup> other;
  Word                     bits; // at least one for each pair that is adjacent in this word

  CCL_HOST_DEVICE
  SegmentAdjacency(const SegmentedWord<TRowGroup> & ownWord,
                   const SegmentedWord<TRowGroup> & otherWord,
                   bool                             fullyConnected)
    : own(ownWord)
    , other(otherWord)
  {
    const Word ownBits = own.here.template Facing<TOffset::Y, TOffset::Z>();
    const Word otherBits = other.here.template Facing<-TOffset::Y, -TOffset::Z>();
    const Word ownBefore = ownBits << 1 | own.previous.template Facing<TOffset::Y, TOffset::Z>() >> (BitsPerWord - 1);
    const Word otherBefore =
      otherBits << 1 | other.previous.template Facing<-TOffset::Y, -TOffset::Z>() >> (BitsPerWord - 1);
    // Between two gaps of the common columns, one own segment overlaps one other segment. Their bit is the first common
    // column. No bit is needed if both continue from the previous word, because they are adjacent there, too.
    bits = ownBits & otherBits & ~(ownBefore & otherBefore);
    if (fullyConnected)
    {
      // Diagonal neighbors: the pixels of one side end, and the pixels of the other side start at the next column. The
      // bit is this column.
      m_OwnEnds = ownBefore & ~ownBits & otherBits & ~otherBefore;
      m_OtherEnds = otherBefore & ~otherBits & ownBits & ~ownBefore;
      bits |= m_OwnEnds | m_OtherEnds;
    }
  }

  /** Returns the first adjacency of the segment that starts at a bit, as a mask with one bit. Returns 0 if the segment
   * has no adjacency. */
  CCL_HOST_DEVICE
  Word
  FirstOf(unsigned int start) const
  {
    const Word columns = Segments::From(own.here.Columns(), start);
    // The column after the segment can have the bit of a diagonal adjacency.
    const Word adjacencies = bits & (columns | columns << 1);
    return adjacencies & (~adjacencies + 1);
  }

  /** Returns a mask of the bits through an adjacency, and of later adjacencies of the same pair. Callers skip these
   * bits. The mask may miss later adjacencies of the pair. A repeated visit does no harm. */
  CCL_HOST_DEVICE
  Word
  SamePair(unsigned int bit) const
  {
    if constexpr (!TRowGroup::IsOneRow)
    {
      const Word overlap = own.here.Columns() & other.here.Columns();
      if ((overlap >> bit & 1U) != 0)
      {
        return BitsBelowGap(overlap, bit);
      }
    }
    return BitsThrough(bit);
  }

  /** Returns the slot of the own segment of an adjacency. */
  CCL_HOST_DEVICE
  std::uint32_t
  OwnSlotAt(unsigned int bit) const
  {
    return own.SlotAt(static_cast<int>(bit) - static_cast<int>(m_OwnEnds >> bit & 1U));
  }

  /** Returns the slot of the other segment of an adjacency. */
  CCL_HOST_DEVICE
  std::uint32_t
  OtherSlotAt(unsigned int bit) const
  {
    return other.SlotAt(static_cast<int>(bit) - static_cast<int>(m_OtherEnds >> bit & 1U));
  }

private:
  Word m_OwnEnds = 0;   // adjacencies where the own pixels end one column before
  Word m_OtherEnds = 0; // adjacencies where the other pixels end one column before
};

} // namespace itk::ccl

#endif
