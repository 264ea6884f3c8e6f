// SPDX-License-Identifier: Apache-2.0
#ifndef Segments_h
#define Segments_h

// Segments, the parts of runs of bundles that words have, and which of them touch.
//
// A segment has a number and a place. Numbers rise in the order of the segments' first pixels, so that of the segments
// of a component the one of the lowest number has its first pixel; they leave room for all rows of a bundle. Places are
// where the parents of segments are kept, and leave room for the columns of a bundle alone.

#include "BundleTiles.h"

namespace itk::ccl
{

/** The words of a bundle's rows at one x, slice by slice. */
template <typename TBundle>
struct alignas(TBundle::Rows * TBundle::Slices * sizeof(Word)) BundledWord
{
  static constexpr unsigned int Count = TBundle::Rows * TBundle::Slices;

  Word rows[Count];

  /** The columns that have a pixel. */
  CCL_HOST_DEVICE
  Word
  Columns() const
  {
    return this->Facing<0, 0>();
  }

  /** The columns that have a pixel on the side where the bundle at an offset of VY and VZ lies. */
  template <int VY, int VZ>
  CCL_HOST_DEVICE
  Word
  Facing() const
  {
    Word word = 0;
    CCL_UNROLL
    for (unsigned int slice = VZ > 0 ? TBundle::Slices - 1 : 0; slice < (VZ < 0 ? 1 : TBundle::Slices); ++slice)
    {
      CCL_UNROLL
      for (unsigned int row = VY > 0 ? TBundle::Rows - 1 : 0; row < (VY < 0 ? 1 : TBundle::Rows); ++row)
      {
        word |= rows[slice * TBundle::Rows + row];
      }
    }
    return word;
  }

  /** The first row that has a pixel in some columns; one must. */
  CCL_HOST_DEVICE
  unsigned int
  FirstRowIn(Word columns) const
  {
    unsigned int first = Count - 1;
    CCL_UNROLL
    for (unsigned int row = Count - 1; row-- > 0;)
    {
      first = (rows[row] & columns) != 0 ? row : first;
    }
    return first;
  }
};

namespace Segments
{

inline constexpr std::uint32_t MaximumPerWord = BitsPerWord / 2;

/** As many places as a word can have segments, and one: an odd number, for the threads of a warp, one for each word, to
 * find their words' segments in different banks of shared memory. */
inline constexpr std::uint32_t PerWord = MaximumPerWord + 1;

/** The bits at which the segments of a word start. */
CCL_HOST_DEVICE
constexpr Word
Starts(Word columns)
{
  return columns & ~(columns << 1);
}

/** Where the segment that covers a bit starts. */
CCL_HOST_DEVICE
inline unsigned int
StartOf(Word columns, unsigned int bit)
{
  return HighestBit(Starts(columns) & BitsThrough(bit));
}

/** The bits of a segment, from the bit at which it starts. */
CCL_HOST_DEVICE
constexpr Word
From(Word columns, unsigned int start)
{
  return BitsBelowGap(columns, start) & ~(BitsThrough(start) >> 1);
}

/** The place of the segment that starts at a bit. Words are counted bundle by bundle. */
CCL_HOST_DEVICE
constexpr std::uint32_t
PlaceAt(std::uint32_t word, unsigned int start)
{
  return word * PerWord + start / 2;
}

} // namespace Segments

/** The numbers of an image's segments. Where a bundle is one row, numbers are places. */
template <typename TBundle>
class SegmentNumbers
{
public:
  CCL_HOST_DEVICE
  explicit SegmentNumbers(const Grid & size)
    : m_WordsOfRow(static_cast<std::uint32_t>(DivideUp(size.x, BitsPerWord)))
    , m_BundlesOfLayer(static_cast<std::uint32_t>(TBundle::Of(size).y))
  {
    while (std::uint64_t{ 1 } << m_ColumnBits < std::uint64_t{ m_WordsOfRow } * StartsPerWord)
    {
      ++m_ColumnBits;
    }
    m_SliceShift = m_ColumnBits + (TBundle::Rows > 1);
    while (std::uint64_t{ 1 } << (m_SliceShift - m_ColumnBits) < size.y)
    {
      ++m_SliceShift;
    }
  }

  /** What all numbers of an image are lower than. */
  CCL_HOST_DEVICE
  static std::uint64_t
  Limit(const Grid & size)
  {
    const SegmentNumbers numbers(size);
    return TBundle::IsOneRow ? WordsOf(size).Count() * Segments::PerWord : size.z << numbers.m_SliceShift;
  }

  /** The number of the segment of a word that starts at a bit. */
  CCL_HOST_DEVICE
  std::uint32_t
  At(const BundleWordPlace & place, const BundledWord<TBundle> & word, unsigned int start) const
  {
    if constexpr (TBundle::IsOneRow)
    {
      return Segments::PlaceAt(place.bundle * m_WordsOfRow + place.x, start);
    }
    const unsigned int first = word.FirstRowIn(Segments::From(word.Columns(), start));
    return this->At(place, first % TBundle::Rows, first / TBundle::Rows, start);
  }

  /** The number of the segment at a place of a word. */
  CCL_HOST_DEVICE
  std::uint32_t
  AtPlace(const BundleWordPlace & place, const BundledWord<TBundle> & word, std::uint32_t segmentPlace) const
  {
    // A segment starts at an even column, or at the one after it.
    const unsigned int half = segmentPlace % Segments::PerWord;
    return this->At(place, word, 2 * half + 1 - (Segments::Starts(word.Columns()) >> 2 * half & 1U));
  }

  /** The number of the segment that starts at a bit, and has its first pixel in a row. */
  CCL_HOST_DEVICE
  std::uint32_t
  At(const BundleWordPlace & place, unsigned int row, unsigned int slice, unsigned int start) const
  {
    if constexpr (TBundle::IsOneRow)
    {
      return Segments::PlaceAt(place.bundle * m_WordsOfRow + place.x, start);
    }
    return (place.z * TBundle::Slices + slice) << m_SliceShift | (place.y * TBundle::Rows + row) << m_ColumnBits |
           (place.x * StartsPerWord + start / 2);
  }

  CCL_HOST_DEVICE
  std::uint32_t
  PlaceOf(std::uint32_t number) const
  {
    if constexpr (TBundle::IsOneRow)
    {
      return number;
    }
    const std::uint32_t start = this->HalfStartOf(number);
    return this->BundleOf(number) * (m_WordsOfRow * Segments::PerWord) + start + start / StartsPerWord;
  }

  // What a number tells of its segment: its bundle, in which row of that its first pixel lies, and where it starts.

  CCL_HOST_DEVICE
  std::uint32_t
  BundleOf(std::uint32_t number) const
  {
    if constexpr (TBundle::IsOneRow)
    {
      return number / (m_WordsOfRow * Segments::PerWord);
    }
    const std::uint32_t row = number >> m_ColumnBits;
    if constexpr (TBundle::Slices == 1)
    {
      return row / TBundle::Rows;
    }
    const std::uint32_t slice = number >> m_SliceShift;
    return slice / TBundle::Slices * m_BundlesOfLayer +
           (row - (slice << (m_SliceShift - m_ColumnBits))) / TBundle::Rows;
  }

  CCL_HOST_DEVICE
  unsigned int
  RowOf(std::uint32_t number) const
  {
    return TBundle::Rows == 1 ? 0 : (number >> m_ColumnBits) % TBundle::Rows;
  }

  CCL_HOST_DEVICE
  unsigned int
  SliceOf(std::uint32_t number) const
  {
    return TBundle::Slices == 1 ? 0 : (number >> m_SliceShift) % TBundle::Slices;
  }

  /** The column at which the segment starts, or the one before it. */
  CCL_HOST_DEVICE
  std::uint32_t
  StartOf(std::uint32_t number) const
  {
    return this->HalfStartOf(number) * 2;
  }

private:
  static constexpr std::uint32_t StartsPerWord = Segments::MaximumPerWord;

  CCL_HOST_DEVICE
  std::uint32_t
  HalfStartOf(std::uint32_t number) const
  {
    return number & ((std::uint32_t{ 1 } << m_ColumnBits) - 1);
  }

  std::uint32_t m_WordsOfRow;
  std::uint32_t m_BundlesOfLayer;
  unsigned int  m_ColumnBits = 4;
  unsigned int  m_SliceShift = 4;
};

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

  /** FirstOf() of all segments of the word but one that goes on from the word before. */
  CCL_HOST_DEVICE
  Word
  Firsts() const
  {
    const Word columns = own.here.Columns();
    // Where a contact before, in the same segment, reaches: filled upwards in steps of powers of two.
    Word open = (columns | columns << 1) & ~Segments::Starts(columns);
    Word passed = bits << 1 & open;
    CCL_UNROLL
    for (unsigned int step = 1; step < BitsPerWord; step *= 2)
    {
      passed |= passed << step & open;
      open &= open << step;
    }
    const Word ofWordBefore = own.GoesOn() ? BitsBelowGap(columns, 0) << 1 | 1U : ~columns & 1U;
    return bits & ~passed & ~ofWordBefore;
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
