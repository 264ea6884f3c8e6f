// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_algorithms_small_Segments_h
#define ccl_algorithms_small_Segments_h

// Segments: a segment is the part of a run that lies in one word.
//
// A segment has an id and a slot. Ids rise in the order of the segments' first pixels. So the segment of a component
// with the lowest id has the component's first pixel. An id contains the row of the first pixel, so there are ids for
// each row of a row group. A slot is the index of the segment's parent in memory. There are slots only for the columns
// of a row group. So the parents need less memory.

#include "algorithms/small/TileLayout.h"

namespace itk::ccl
{

/** The words of all rows of a row group at one x. `rows[slice * Rows + row]` is the word of one row. */
template <typename TRowGroup>
struct alignas(TRowGroup::Rows * TRowGroup::Slices * sizeof(Word)) RowGroupWord
{
  static constexpr unsigned int Count = TRowGroup::Rows * TRowGroup::Slices;

  Word rows[Count];

  /** Returns the columns that have a foreground pixel in any row. */
  CCL_HOST_DEVICE
  Word
  Columns() const
  {
    return this->Facing<0, 0>();
  }

  /** Returns the columns that have a foreground pixel on the side of the row group at an offset of VY and VZ (-1, 0 or
   * 1). Only these pixels can be neighbors of a pixel of that row group. */
  template <int VY, int VZ>
  CCL_HOST_DEVICE
  Word
  Facing() const
  {
    return FacingColumns<TRowGroup, VY, VZ>(
      [this](unsigned int row, unsigned int slice) { return rows[slice * TRowGroup::Rows + row]; });
  }

  /** Returns the index of the first row that has a foreground pixel in `columns`. At least one row must have one. */
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

/** The number of slots of a word: one for each segment that it can have, and one unused. The odd number avoids bank
 * conflicts in shared memory if the threads of a warp access the segments of successive words. */
inline constexpr std::uint32_t SlotsPerWord = MaximumPerWord + 1;

/** Returns the bits where the segments of a word start. `columns` are the foreground columns of the word. */
CCL_HOST_DEVICE
constexpr Word
Starts(Word columns)
{
  return columns & ~(columns << 1);
}

/** Returns the first bit of the segment that covers `bit`. `columns` must contain the bit. */
CCL_HOST_DEVICE
inline unsigned int
StartOf(Word columns, unsigned int bit)
{
  return HighestBit(Starts(columns) & BitsThrough(bit));
}

/** Returns all bits of the segment that starts at bit `start`. */
CCL_HOST_DEVICE
constexpr Word
From(Word columns, unsigned int start)
{
  return columns & ~(columns + (Word{ 1 } << start)); // the carry of the addition clears the segment
}

/** Returns the slot of the segment that starts at bit `start`. `word` is the word's index, row group by row group. Two
 * segments start at least 2 bits apart, so each segment has its own slot. */
CCL_HOST_DEVICE
constexpr std::uint32_t
SlotAt(std::uint32_t word, unsigned int start)
{
  return word * SlotsPerWord + start / 2;
}

} // namespace Segments

/** Computes the ids of an image's segments, and the slot and the position of a segment from its id.
 *
 * If row groups are single rows, an id is the segment's slot. Otherwise an id has three bit fields, from high to low:
 * the slice of the first pixel, its row, and half of the segment's start column. */
template <typename TRowGroup>
class SegmentIds
{
public:
  CCL_HOST_DEVICE
  explicit SegmentIds(const Grid & size)
    : m_WordsOfRow(static_cast<std::uint32_t>(DivideUp(size.x, BitsPerWord)))
    , m_RowGroupsOfLayer(static_cast<std::uint32_t>(TRowGroup::GridOf(size).y))
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

  /** Returns a copy for layers with another number of row groups, as in a tile. It has the same ids but other slots. */
  CCL_HOST_DEVICE
  SegmentIds
  WithLayersOf(std::uint32_t groups) const
  {
    SegmentIds ids = *this;
    ids.m_RowGroupsOfLayer = groups;
    return ids;
  }

  /** Returns an exclusive upper bound of the ids of an image. Does not fit into 32 bits for large images. */
  CCL_HOST_DEVICE
  static std::uint64_t
  Limit(const Grid & size)
  {
    const SegmentIds ids(size);
    return TRowGroup::IsOneRow ? WordsOf(size).Count() * Segments::SlotsPerWord : size.z << ids.m_SliceShift;
  }

  /** Returns the id of the segment that starts at bit `start` of a word. `position` is the position of the word. */
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

  /** Returns the id of the segment at a slot of a word. */
  CCL_HOST_DEVICE
  std::uint32_t
  AtSlot(const WordPosition & position, const RowGroupWord<TRowGroup> & word, std::uint32_t segmentSlot) const
  {
    // A segment starts at an even column, or at the one after it.
    const unsigned int half = segmentSlot % Segments::SlotsPerWord;
    return this->At(position, word, 2 * half + 1 - (Segments::Starts(word.Columns()) >> 2 * half & 1U));
  }

  /** Returns the id of the segment that starts at bit `start` of a word, and has its first pixel in row `row` of slice
   * `slice` of the row group. `start` may also be one less than the start if the start is odd. */
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

  /** Returns the slot of a segment. */
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

  /** Returns the position of the first word of a segment's row group. If row groups are single rows, y and z are 0. */
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

  /** Returns the row of a segment's first pixel in its row group. */
  CCL_HOST_DEVICE
  unsigned int
  RowOf(std::uint32_t id) const
  {
    return TRowGroup::Rows == 1 ? 0 : (id >> m_ColumnBits) % TRowGroup::Rows;
  }

  /** Returns the slice of a segment's first pixel in its row group. */
  CCL_HOST_DEVICE
  unsigned int
  SliceOf(std::uint32_t id) const
  {
    return TRowGroup::Slices == 1 ? 0 : (id >> m_SliceShift) % TRowGroup::Slices;
  }

  /** Returns the start column of a segment, rounded down to an even column. Only for row groups of several rows. */
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
  unsigned int  m_ColumnBits = 4; // bits of the field for the column
  unsigned int  m_SliceShift = 4; // bits of the fields for the column and the row
};

} // namespace itk::ccl

#endif
