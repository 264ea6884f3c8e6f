// SPDX-License-Identifier: Apache-2.0
#ifndef Segments_h
#define Segments_h

// Segments, the parts of runs that words have: a segment is numbered by its word and its place in that, without a sum
// over the image.

#include "Bits.h"
#include "HostDevice.h"

namespace itk::ccl
{

namespace Segments
{

/** As many numbers as a word can have segments, used or not, and one: an odd number, for the threads of a warp, one for
 * each word, to find their words' segments in different banks of shared memory. */
inline constexpr std::uint32_t PerWord = BitsPerWord / 2 + 1;

/** The bits at which the segments of a word start. */
CCL_HOST_DEVICE
constexpr Word
Starts(Word bits)
{
  return bits & ~(bits << 1);
}

/** The segment that covers a bit of a word. */
CCL_HOST_DEVICE
inline std::uint32_t
At(std::uint32_t word, Word bits, unsigned int bit)
{
  return word * PerWord + CountBits(Starts(bits) & BitsThrough(bit)) - 1;
}

/** The bits of a segment, from the bit at which it starts. */
CCL_HOST_DEVICE
constexpr Word
From(Word bits, unsigned int start)
{
  return BitsBelowGap(bits, start) & ~(BitsThrough(start) >> 1);
}

} // namespace Segments

/** A word of a row, and what its row has before it. Words and segments are counted from where `bits` begins. */
struct SegmentedWord
{
  std::uint32_t index;
  Word          bits;
  Word          before; // for each pixel, the one before it

  CCL_HOST_DEVICE
  SegmentedWord(const Word * bitsOfRows, std::uint32_t word, std::uint32_t x)
    : index(word)
    , bits(bitsOfRows[word])
    , before(bits << 1)
  {
    if (x > 0)
    {
      m_Previous = bitsOfRows[word - 1];
      before |= m_Previous >> (BitsPerWord - 1);
    }
  }

  /** The segment that covers a bit, or, where the bit is -1, the last one of the word before. */
  CCL_HOST_DEVICE
  std::uint32_t
  At(int bit) const
  {
    return bit >= 0 ? Segments::At(index, bits, static_cast<unsigned int>(bit))
                    : Segments::At(index - 1, m_Previous, BitsPerWord - 1);
  }

  /** Whether the word, or the last bit before it, has a pixel. */
  CCL_HOST_DEVICE
  bool
  HasPixels() const
  {
    return (bits | before) != 0;
  }

  /** Whether the segment that starts at bit 0 goes on from the word before. */
  CCL_HOST_DEVICE
  bool
  GoesOn() const
  {
    return (bits & before & 1U) != 0;
  }

private:
  Word m_Previous = 0;
};

/** Which segments of a word touch those of another row. The other word lies in its row where the own one does. */
struct SegmentContacts
{
  SegmentedWord own;
  SegmentedWord other;
  Word          bits; // one for each pair that touches

  CCL_HOST_DEVICE
  SegmentContacts(const SegmentedWord & ownWord, const SegmentedWord & otherWord, bool fullyConnected)
    : own(ownWord)
    , other(otherWord)
  {
    // Where both have pixels, from one gap to the next, one segment of each overlaps. Where both go on from the word
    // before, they touch there, too.
    bits = own.bits & other.bits & ~(own.before & other.before);
    if (fullyConnected)
    {
      // Where one ends and the other starts, at the latter.
      m_OwnEnds = own.before & ~own.bits & other.bits & ~other.before;
      m_OtherEnds = other.before & ~other.bits & own.bits & ~own.before;
      bits |= m_OwnEnds | m_OtherEnds;
    }
  }

  CCL_HOST_DEVICE
  std::uint32_t
  OwnAt(unsigned int bit) const
  {
    return own.At(static_cast<int>(bit) - static_cast<int>(m_OwnEnds >> bit & 1U));
  }

  CCL_HOST_DEVICE
  std::uint32_t
  OtherAt(unsigned int bit) const
  {
    return other.At(static_cast<int>(bit) - static_cast<int>(m_OtherEnds >> bit & 1U));
  }

  /** Calls visit(segment, other) for those pairs of which the bits are in a mask. */
  template <typename TVisitor>
  CCL_HOST_DEVICE
  void
  ForEach(Word mask, const TVisitor & visit) const
  {
    for (Word left = bits & mask; left != 0; left &= left - 1)
    {
      const unsigned int bit = LowestBit(left);
      visit(this->OwnAt(bit), this->OtherAt(bit));
    }
  }

private:
  Word m_OwnEnds = 0;
  Word m_OtherEnds = 0;
};

} // namespace itk::ccl

#endif
