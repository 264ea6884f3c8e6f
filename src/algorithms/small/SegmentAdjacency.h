// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_algorithms_small_SegmentAdjacency_h
#define ccl_algorithms_small_SegmentAdjacency_h

// Which segments touch, word by word.

#include "algorithms/small/Segments.h"

namespace itk::ccl
{

/** A word of a row group, and the one before it in the row group. Places of segments are counted from where `words`
 * begins.
 */
template <typename TRowGroup>
struct SegmentedWord
{
  std::uint32_t           index;
  RowGroupWord<TRowGroup> here;
  RowGroupWord<TRowGroup> before{};

  /** `words[wordIndex]` is the word, at x in its row group. */
  CCL_HOST_DEVICE
  SegmentedWord(const RowGroupWord<TRowGroup> * words, std::uint32_t wordIndex, std::uint32_t x)
    : index(wordIndex)
    , here(words[index])
  {
    if (x > 0)
    {
      before = words[index - 1];
    }
  }

  /** The place of the segment that covers a bit, or, where the bit is -1, of the last one of the word before. */
  CCL_HOST_DEVICE
  std::uint32_t
  SlotAt(int bit) const
  {
    return bit < 0 ? Segments::SlotAt(index - 1, Segments::StartOf(before.Columns(), BitsPerWord - 1))
                   : Segments::SlotAt(index, Segments::StartOf(here.Columns(), static_cast<unsigned int>(bit)));
  }

  /** Whether the word, or the last column before it, has a pixel. */
  CCL_HOST_DEVICE
  bool
  HasPixels() const
  {
    return (here.Columns() | before.Columns() >> (BitsPerWord - 1)) != 0;
  }

  /** Whether the segment that starts at bit 0 goes on from the word before. */
  CCL_HOST_DEVICE
  bool
  GoesOn() const
  {
    return (here.Columns() & before.Columns() >> (BitsPerWord - 1) & 1U) != 0;
  }
};

/** Which segments of a word touch those of the row group at an offset. The other word lies in its row group where the
 * own one does. */
template <typename TRowGroup, typename TOffset>
struct SegmentAdjacency
{
  SegmentedWord<TRowGroup> own;
  SegmentedWord<TRowGroup> other;
  Word                     bits; // one for each pair that touches

  CCL_HOST_DEVICE
  SegmentAdjacency(const SegmentedWord<TRowGroup> & ownWord,
                   const SegmentedWord<TRowGroup> & otherWord,
                   bool                             fullyConnected)
    : own(ownWord)
    , other(otherWord)
  {
    const Word ownBits = own.here.template Facing<TOffset::Y, TOffset::Z>();
    const Word otherBits = other.here.template Facing<-TOffset::Y, -TOffset::Z>();
    const Word ownBefore = ownBits << 1 | own.before.template Facing<TOffset::Y, TOffset::Z>() >> (BitsPerWord - 1);
    const Word otherBefore =
      otherBits << 1 | other.before.template Facing<-TOffset::Y, -TOffset::Z>() >> (BitsPerWord - 1);
    // Where both have pixels, from one gap to the next, one segment of each overlaps. Where both go on from the word
    // before, they touch there, too.
    bits = ownBits & otherBits & ~(ownBefore & otherBefore);
    if (fullyConnected)
    {
      // Where one ends and the other starts, at the latter.
      m_OwnEnds = ownBefore & ~ownBits & otherBits & ~otherBefore;
      m_OtherEnds = otherBefore & ~otherBits & ownBits & ~ownBefore;
      bits |= m_OwnEnds | m_OtherEnds;
    }
  }

  /** Where the first contact is of the segment that starts at a bit, as a bit, or 0. */
  CCL_HOST_DEVICE
  Word
  FirstOf(unsigned int start) const
  {
    const Word columns = Segments::From(own.here.Columns(), start);
    const Word touching = bits & (columns | columns << 1); // up to the first column after it
    return touching & (~touching + 1);
  }

  /** The bits up to a contact's, and those after it of contacts of the same two segments. */
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

  /** The place of the own segment that touches at a bit. */
  CCL_HOST_DEVICE
  std::uint32_t
  OwnSlotAt(unsigned int bit) const
  {
    return own.SlotAt(static_cast<int>(bit) - static_cast<int>(m_OwnEnds >> bit & 1U));
  }

  /** The place of the other one. */
  CCL_HOST_DEVICE
  std::uint32_t
  OtherSlotAt(unsigned int bit) const
  {
    return other.SlotAt(static_cast<int>(bit) - static_cast<int>(m_OtherEnds >> bit & 1U));
  }

private:
  Word m_OwnEnds = 0;
  Word m_OtherEnds = 0;
};

} // namespace itk::ccl

#endif
