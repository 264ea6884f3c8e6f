// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_primitives_RowGroups_h
#define ccl_primitives_RowGroups_h

// Row groups: rows of pixels that are labeled as one.
//
// Under full connectivity (8 neighbors in a plane, 26 in a volume), a row group may be 2 rows of a plane, or 2 x 2 rows
// of a volume. A column is the pixels of a row group at one x. All pixels of a column are neighbors of each other, and
// of all pixels of the next column. A run is a maximal sequence of adjacent columns that each have a foreground pixel.
// So all foreground pixels of a run are connected. This extends a property of the blocks of 2 x 2 and 2 x 2 x 2 pixels
// of Allegretti, Bolelli and Grana (IEEE TPDS 31(2), 2020, Section 3.1) along x.
//
// Or a row group is one row, for all neighbors, and its runs are the runs of the row. In labeling by value, it is one
// row whose runs have one value each. Topology.h says which row groups have adjacent runs.

#include "primitives/BitRows.h"
#include "primitives/FastMultipleTest.h"
#include "primitives/ImageStack.h"

#include <type_traits>

namespace itk::ccl
{

/** The kind of row group that has VRows rows of each of VSlices slices. */
template <unsigned int VRows, unsigned int VSlices>
struct RowGroup
{
  static constexpr unsigned int Rows = VRows;
  static constexpr unsigned int Slices = VSlices;

  /** Whether the columns are the pixels: they have the same bits, and the runs are those of a row. */
  static constexpr bool IsOneRow = Rows * Slices == 1;

  /** Whether the first pixel of a component lies in its first run, which is the root of its tree. */
  static constexpr bool RootHasFirstPixel = IsOneRow;

  /** Whether a run has one value, and ends where the value changes. */
  static constexpr bool HasValues = false;

  /** Whether there is a second array of bits beside the rows: the columns, or the starts of runs. */
  static constexpr bool HasSecondBits = !IsOneRow;

  /** The most runs that can start in a word. */
  static constexpr unsigned int MostStartsInWord = BitsPerWord / 2;

  /** Returns the number of row groups of an image along y and z; x stays the same. The last row groups may lack rows.
   * If `image` is the grid of the words of rows, the result is the grid of the words of columns. */
  CCL_HOST_DEVICE
  static constexpr Grid
  GridOf(const Grid & image)
  {
    return { image.x, DivideUp(image.y, Rows), DivideUp(image.z, Slices) };
  }
};

using SingleRow = RowGroup<1, 1>;
using PlaneRowGroup = RowGroup<2, 1>;
using VolumeRowGroup = RowGroup<2, 2>;

/** A row whose runs have one value each, for labeling by value. */
struct ValueRow : SingleRow
{
  static constexpr bool         HasValues = true;
  static constexpr bool         HasSecondBits = true;
  static constexpr unsigned int MostStartsInWord = BitsPerWord;
};

/** Returns the images of a batch as a stack for a kind of row group. */
template <typename TRowGroup>
ImageStack
StackOf(const Grid & image, std::uint64_t images)
{
  return { image, images, TRowGroup::Slices };
}

/** The pixels that are neighbors of a pixel. */
enum class Neighbors
{
  Face, // 4 in a plane, 6 in a volume
  Edge, // 18 in a volume: the pixels that share a face or an edge
  Full, // 8 in a plane, 26 in a volume
  All   // all pixels of the image, in labeling by value
};

/** Returns the neighbors of full or face connectivity. */
constexpr Neighbors
NeighborsOf(bool fullyConnected)
{
  return fullyConnected ? Neighbors::Full : Neighbors::Face;
}

/** Calls visitor(TRowGroup{}) with the kind of row group for an image and its neighbors. Returns its result. Only full
 * connectivity connects all pixels of a column. */
template <typename TVisitor>
auto
VisitRowGroup(const Grid & image, Neighbors neighbors, const TVisitor & visitor)
{
  if (neighbors != Neighbors::Full)
  {
    return visitor(SingleRow{});
  }
  return image.z == 1 ? visitor(PlaneRowGroup{}) : visitor(VolumeRowGroup{});
}

/** The offset of a row group from another one, in row groups. A reach of 1 means that columns whose x differs by 1 have
 * neighbors, too; 0 that only columns at the same x have. */
struct RowOffset
{
  int          y;
  int          z;
  unsigned int reach;

  CCL_HOST_DEVICE
  RowOffset
  Opposite() const
  {
    return { -y, -z, reach };
  }
};

/** A RowOffset with a reach of 1 that is known when the code is compiled. */
template <int VY, int VZ>
struct FixedRowOffset
{
  static constexpr int          y = VY;
  static constexpr int          z = VZ;
  static constexpr unsigned int reach = 1;

  CCL_HOST_DEVICE
  FixedRowOffset<-VY, -VZ>
  Opposite() const
  {
    return {};
  }
};

/** Reads the bits of the row groups of the images of a stack. `rows` has one bit for each pixel. `columns` has one bit
 * for each column: 1 if the column has a foreground pixel. If a row group is one row, both are the same. */
template <typename TRowGroup>
struct RowGroupBits
{
  using ColumnsType = std::conditional_t<TRowGroup::HasValues, StartedRows, BitRows>;
  using EdgesType = std::conditional_t<TRowGroup::HasValues, StartedRunEdges, RunEdges>; // of the runs of columns

  BitRows          rows;
  ColumnsType      columns;
  std::uint64_t    groupsAlongZ;   // of one image
  FastMultipleTest isFirstOfImage; // tells whether a row group at a z is the first of an image

  /** \param secondBits the bits of the columns, or of the starts of runs that have values; else not used */
  CCL_HOST_DEVICE
  RowGroupBits(const ImageStack & stack, const Word * rowBits, const Word * secondBits)
    : rows{ WordsOf(stack.GetGrid()), rowBits }
    , columns(ColumnsOf(rows, secondBits))
    , groupsAlongZ(DivideUp(stack.slices, TRowGroup::Slices))
    , isFirstOfImage(groupsAlongZ)
  {}

  /** Returns the columns as rows that may have starts of runs. They have none if the starts follow from gaps. */
  CCL_HOST_DEVICE
  StartedRows
  GetStartedColumns() const
  {
    if constexpr (TRowGroup::HasValues)
    {
      return columns;
    }
    else
    {
      return { columns, nullptr };
    }
  }

  /** Returns whether a row group has a row. The last row groups of an image may lack rows. */
  template <typename TIndex>
  CCL_HOST_DEVICE
  bool
  HasRow(TIndex groupY, TIndex groupZ, unsigned int row, unsigned int slice) const
  {
    return groupY * TRowGroup::Rows + row < static_cast<TIndex>(rows.words.y) &&
           groupZ * TRowGroup::Slices + slice < static_cast<TIndex>(rows.words.z);
  }

  /** Returns the index in `rows` of the first word of a row of a row group. */
  template <typename TIndex>
  CCL_HOST_DEVICE
  TIndex
  RowBegin(TIndex groupY, TIndex groupZ, unsigned int row, unsigned int slice) const
  {
    const auto rowsBefore = row + static_cast<TIndex>(rows.words.y) * slice;
    return rows.RowBegin(groupY * TRowGroup::Rows, groupZ * TRowGroup::Slices) +
           static_cast<TIndex>(rows.words.x) * rowsBefore;
  }

  /** Returns the foreground pixels of a row of a row group, in a word of columns. `mask` has the columns of a run. */
  CCL_HOST_DEVICE
  Word
  PixelsIn(const Cell & word, unsigned int row, unsigned int slice, Word mask) const
  {
    // If a row group is one row, its columns are its pixels.
    return TRowGroup::IsOneRow ? mask : mask & rows.bits[this->RowBegin(word.y, word.z, row, slice) + word.x];
  }

  /** Calls visit(row, slice) for each row of a row group, in raster order. */
  template <typename TIndex, typename TVisitor>
  CCL_HOST_DEVICE
  void
  ForEachRow(TIndex groupY, TIndex groupZ, const TVisitor & visit) const
  {
    CCL_UNROLL
    for (unsigned int slice = 0; slice < TRowGroup::Slices; ++slice)
    {
      CCL_UNROLL
      for (unsigned int row = 0; row < TRowGroup::Rows; ++row)
      {
        if (this->HasRow(groupY, groupZ, row, slice))
        {
          visit(row, slice);
        }
      }
    }
  }

  /** Does the same, with the code of visit() once. */
  template <typename TIndex, typename TVisitor>
  CCL_HOST_DEVICE
  void
  ForEachRowInLoop(TIndex groupY, TIndex groupZ, const TVisitor & visit) const
  {
    CCL_NO_UNROLL
    for (unsigned int i = 0; i < TRowGroup::Rows * TRowGroup::Slices; ++i)
    {
      if (this->HasRow(groupY, groupZ, i % TRowGroup::Rows, i / TRowGroup::Rows))
      {
        visit(i % TRowGroup::Rows, i / TRowGroup::Rows);
      }
    }
  }

  /** Returns the first foreground pixel in the columns `mask` of a word of a row group. At least one of these columns
   * must have a foreground pixel. The pixel is given as the index of its bit, counted from the first word of `rows`. */
  CCL_HOST_DEVICE
  std::uint64_t
  FirstPixelIn(const Cell & word, Word mask) const
  {
    std::uint64_t first = 0;
    bool          isFound = false;
    this->ForEachRow(word.y, word.z, [&](unsigned int row, unsigned int slice) {
      const std::uint64_t at = this->RowBegin(word.y, word.z, row, slice) + word.x;
      const Word          pixels = rows.bits[at] & mask;
      if (!isFound && pixels != 0)
      {
        first = at * BitsPerWord + LowestBit(pixels);
        isFound = true;
      }
    });
    return first;
  }

  /** Returns the columns of word x of a row group that have a foreground pixel on the side of the row group at an
   * offset, a RowOffset or FixedRowOffset. Only these pixels can be neighbors of a pixel there. Offset 0, 0 gives all
   * columns with a foreground pixel. */
  template <typename TOffset, typename TIndex>
  CCL_HOST_DEVICE
  Word
  Facing(const TOffset & offset, TIndex groupY, TIndex groupZ, TIndex x) const
  {
    Word word = 0;
    CCL_UNROLL
    for (unsigned int slice = offset.z > 0 ? TRowGroup::Slices - 1 : 0; slice < (offset.z < 0 ? 1 : TRowGroup::Slices);
         ++slice)
    {
      CCL_UNROLL
      for (unsigned int row = offset.y > 0 ? TRowGroup::Rows - 1 : 0; row < (offset.y < 0 ? 1 : TRowGroup::Rows); ++row)
      {
        if (this->HasRow(groupY, groupZ, row, slice))
        {
          word |= rows.bits[this->RowBegin(groupY, groupZ, row, slice) + x];
        }
      }
    }
    return word;
  }

private:
  CCL_HOST_DEVICE
  static ColumnsType
  ColumnsOf(const BitRows & rows, const Word * secondBits)
  {
    if constexpr (TRowGroup::HasValues)
    {
      return { rows, secondBits };
    }
    else
    {
      return { TRowGroup::GridOf(rows.words), TRowGroup::IsOneRow ? rows.bits : secondBits };
    }
  }
};

} // namespace itk::ccl

#endif
