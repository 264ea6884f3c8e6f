// SPDX-License-Identifier: Apache-2.0
#ifndef Segments_h
#define Segments_h

// Segments, the parts of runs of bundles that words have.
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
  return columns & ~(columns + (Word{ 1 } << start)); // an addition carries to the end
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

  /** The same, where layers have another number of bundles: places are others then. */
  CCL_HOST_DEVICE
  SegmentNumbers
  WithLayersOf(std::uint32_t bundles) const
  {
    SegmentNumbers numbers = *this;
    numbers.m_BundlesOfLayer = bundles;
    return numbers;
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
    const std::uint32_t   start = this->HalfStartOf(number);
    const BundleWordPlace bundle = this->BundleOf(number);
    return bundle.bundle * (m_WordsOfRow * Segments::PerWord) + start + start / StartsPerWord;
  }

  // What a number tells of its segment: its bundle, in which row of that its first pixel lies, and where it starts.

  /** The place of the first word of the bundle; where a bundle is one row, y and z are not given. */
  CCL_HOST_DEVICE
  BundleWordPlace
  BundleOf(std::uint32_t number) const
  {
    if constexpr (TBundle::IsOneRow)
    {
      return { number / (m_WordsOfRow * Segments::PerWord), 0, 0, 0 };
    }
    const std::uint32_t slice = number >> m_SliceShift;
    const std::uint32_t row = (number >> m_ColumnBits) - (slice << (m_SliceShift - m_ColumnBits));
    const std::uint32_t y = row / TBundle::Rows;
    const std::uint32_t z = slice / TBundle::Slices;
    return { z * m_BundlesOfLayer + y, 0, y, z };
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

} // namespace itk::ccl

#endif
