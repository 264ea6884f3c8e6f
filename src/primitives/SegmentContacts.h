// SPDX-License-Identifier: Apache-2.0
#ifndef SegmentContacts_h
#define SegmentContacts_h

// Which segments touch, word by word.

#include "Segments.h"

namespace itk::ccl
{

/** A word of a bundle, and the one before it in the bundle. Places of segments are counted from where `words` begins.
 */
template <typename TBundle>
struct SegmentedWord
{
  std::uint32_t        index;
  BundledWord<TBundle> here;
  BundledWord<TBundle> before{};

  /** `words[wordIndex]` is the word, at x in its bundle. */
  CCL_HOST_DEVICE
  SegmentedWord(const BundledWord<TBundle> * words, std::uint32_t wordIndex, std::uint32_t x)
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
  PlaceAt(int bit) const
  {
    return bit < 0 ? Segments::PlaceAt(index - 1, Segments::StartOf(before.Columns(), BitsPerWord - 1))
                   : Segments::PlaceAt(index, Segments::StartOf(here.Columns(), static_cast<unsigned int>(bit)));
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

/** Which segments of a word touch those of the bundle at an offset. The other word lies in its bundle where the own one
 * does. */
template <typename TBundle, typename TOffset>
struct SegmentContacts
{
  SegmentedWord<TBundle> own;
  SegmentedWord<TBundle> other;
  Word                   bits; // one for each pair that touches

  CCL_HOST_DEVICE
  SegmentContacts(const SegmentedWord<TBundle> & ownWord, const SegmentedWord<TBundle> & otherWord, bool fullyConnected)
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
    if constexpr (!TBundle::IsOneRow)
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
  OwnPlaceAt(unsigned int bit) const
  {
    return own.PlaceAt(static_cast<int>(bit) - static_cast<int>(m_OwnEnds >> bit & 1U));
  }

  /** The place of the other one. */
  CCL_HOST_DEVICE
  std::uint32_t
  OtherPlaceAt(unsigned int bit) const
  {
    return other.PlaceAt(static_cast<int>(bit) - static_cast<int>(m_OtherEnds >> bit & 1U));
  }

private:
  Word m_OwnEnds = 0;
  Word m_OtherEnds = 0;
};

} // namespace itk::ccl

#endif
