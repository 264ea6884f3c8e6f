// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_algorithms_small_Segments_h
#define ccl_algorithms_small_Segments_h

// Segments, the parts of runs of row groups that words have.
//
// A segment has a number and a place. Numbers rise in the order of the segments' first pixels, so that of the segments
// of a component the one of the lowest number has its first pixel; they leave room for all rows of a row group. Places
// are where the parents of segments are kept, and leave room for the columns of a row group alone.

#include "algorithms/small/TileLayout.h"

namespace itk::ccl
{

/** The words of a row group's rows at one x, slice by slice. */
template <typename TRowGroup>
struct alignas(TRowGroup::Rows * TRowGroup::Slices * sizeof(Word)) RowGroupWord
{
  static constexpr unsigned int Count = TRowGroup::Rows * TRowGroup::Slices;

  Word rows[Count];

  /** The columns that have a pixel. */
  CCL_HOST_DEVICE
  Word
  Columns() const
  {
    return this->Facing<0, 0>();
  }

  /** The columns that have a pixel on the side where the row group at an offset of VY and VZ lies. */
  template <int VY, int VZ>
  CCL_HOST_DEVICE
  Word
  Facing() const
  {
    return FacingColumns<TRowGroup, VY, VZ>(
      [this](unsigned int row, unsigned int slice) { return rows[slice * TRowGroup::Rows + row]; });
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
inline constexpr std::uint32_t SlotsPerWord = MaximumPerWord + 1;

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

/** The place of the segment that starts at a bit. Words are counted row group by row group. */
CCL_HOST_DEVICE
constexpr std::uint32_t
SlotAt(std::uint32_t word, unsigned int start)
{
  return word * SlotsPerWord + start / 2;
}

} // namespace Segments

/** The numbers of an image's segments. Where a row group is one row, numbers are places. */
template <typename TRowGroup>
class SegmentIds
{
public:
  CCL_HOST_DEVICE
  explicit SegmentIds(const Grid & size)
    : m_WordsOfRow(static_cast<std::uint32_t>(DivideUp(size.x, BitsPerWord)))
    , m_RowGroupsOfLayer(static_cast<std::uint32_t>(TRowGroup::Of(size).y))
  {
    while (std::uint64_t{ 1 } << m_ColumnBits < std::uint64_t{ m_WordsOfRow } * StartsPerWord)
    {
      ++m_ColumnBits;
    }
    m_SliceShift = m_ColumnBits + (TRowGroup::Rows > 1);
    while (std::uint64_t{ 1 } << (m_SliceShift - m_ColumnBits) < size.y)
    {
      ++m_SliceShift;
    }
  }

  /** The same, where layers have another number of row groups: places are others then. */
  CCL_HOST_DEVICE
  SegmentIds
  WithLayersOf(std::uint32_t groups) const
  {
    SegmentIds ids = *this;
    ids.m_RowGroupsOfLayer = groups;
    return ids;
  }

  /** What all numbers of an image are lower than. */
  CCL_HOST_DEVICE
  static std::uint64_t
  Limit(const Grid & size)
  {
    const SegmentIds ids(size);
    return TRowGroup::IsOneRow ? WordsOf(size).Count() * Segments::SlotsPerWord : size.z << ids.m_SliceShift;
  }

  /** The number of the segment of a word that starts at a bit. */
  CCL_HOST_DEVICE
  std::uint32_t
  At(const WordPosition & position, const RowGroupWord<TRowGroup> & word, unsigned int start) const
  {
    if constexpr (TRowGroup::IsOneRow)
    {
      return Segments::SlotAt(position.group * m_WordsOfRow + position.x, start);
    }
    const unsigned int first = word.FirstRowIn(Segments::From(word.Columns(), start));
    return this->At(position, first % TRowGroup::Rows, first / TRowGroup::Rows, start);
  }

  /** The number of the segment at a place of a word. */
  CCL_HOST_DEVICE
  std::uint32_t
  AtSlot(const WordPosition & position, const RowGroupWord<TRowGroup> & word, std::uint32_t segmentSlot) const
  {
    // A segment starts at an even column, or at the one after it.
    const unsigned int half = segmentSlot % Segments::SlotsPerWord;
    return this->At(position, word, 2 * half + 1 - (Segments::Starts(word.Columns()) >> 2 * half & 1U));
  }

  /** The number of the segment that starts at a bit, and has its first pixel in a row. */
  CCL_HOST_DEVICE
  std::uint32_t
  At(const WordPosition & position, unsigned int row, unsigned int slice, unsigned int start) const
  {
    if constexpr (TRowGroup::IsOneRow)
    {
      return Segments::SlotAt(position.group * m_WordsOfRow + position.x, start);
    }
    return (position.z * TRowGroup::Slices + slice) << m_SliceShift |
           (position.y * TRowGroup::Rows + row) << m_ColumnBits | (position.x * StartsPerWord + start / 2);
  }

  CCL_HOST_DEVICE
  std::uint32_t
  SlotOf(std::uint32_t id) const
  {
    if constexpr (TRowGroup::IsOneRow)
    {
      return id;
    }
    const std::uint32_t start = this->HalfStartOf(id);
    const WordPosition  group = this->RowGroupOf(id);
    return group.group * (m_WordsOfRow * Segments::SlotsPerWord) + start + start / StartsPerWord;
  }

  // What a number tells of its segment: its row group, in which row of that its first pixel lies, and where it starts.

  /** The place of the first word of the row group; where a row group is one row, y and z are not given. */
  CCL_HOST_DEVICE
  WordPosition
  RowGroupOf(std::uint32_t id) const
  {
    if constexpr (TRowGroup::IsOneRow)
    {
      return { id / (m_WordsOfRow * Segments::SlotsPerWord), 0, 0, 0 };
    }
    const std::uint32_t slice = id >> m_SliceShift;
    const std::uint32_t row = (id >> m_ColumnBits) - (slice << (m_SliceShift - m_ColumnBits));
    const std::uint32_t y = row / TRowGroup::Rows;
    const std::uint32_t z = slice / TRowGroup::Slices;
    return { z * m_RowGroupsOfLayer + y, 0, y, z };
  }

  CCL_HOST_DEVICE
  unsigned int
  RowOf(std::uint32_t id) const
  {
    return TRowGroup::Rows == 1 ? 0 : (id >> m_ColumnBits) % TRowGroup::Rows;
  }

  CCL_HOST_DEVICE
  unsigned int
  SliceOf(std::uint32_t id) const
  {
    return TRowGroup::Slices == 1 ? 0 : (id >> m_SliceShift) % TRowGroup::Slices;
  }

  /** The column at which the segment starts, or the one before it. */
  CCL_HOST_DEVICE
  std::uint32_t
  StartOf(std::uint32_t id) const
  {
    return this->HalfStartOf(id) * 2;
  }

private:
  static constexpr std::uint32_t StartsPerWord = Segments::MaximumPerWord;

  CCL_HOST_DEVICE
  std::uint32_t
  HalfStartOf(std::uint32_t id) const
  {
    return id & ((std::uint32_t{ 1 } << m_ColumnBits) - 1);
  }

  std::uint32_t m_WordsOfRow;
  std::uint32_t m_RowGroupsOfLayer;
  unsigned int  m_ColumnBits = 4;
  unsigned int  m_SliceShift = 4;
};

} // namespace itk::ccl

#endif
