// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_primitives_RowGroups_h
#define ccl_primitives_RowGroups_h

// Rows of pixels that are labeled as one.
//
// The blocks of 2x2 and 2x2x2 pixels of Allegretti, Bolelli and Grana (IEEE TPDS 31(2), 2020, Section 3.1), of which
// all pixels are connected under 8- and 26-connectivity, drawn out along x: two rows of a plane, or two by two of a
// volume, are a row group. The pixels of one column (one x) of a row group are neighbours of each other and of those of
// the next column. So a run of columns that each have a foreground pixel is connected. Under face connectivity a row
// group is one row, and its runs are those of the row.

#include "primitives/BitRows.h"

namespace itk::ccl
{

/** A row group has VRows rows of each of VSlices slices. */
template <unsigned int VRows, unsigned int VSlices>
struct RowGroup
{
  static constexpr unsigned int Rows = VRows;
  static constexpr unsigned int Slices = VSlices;
  static constexpr bool         IsOneRow = Rows * Slices == 1;

  /** The row groups of an image; the words of their columns, for the image's words. The last ones may lack rows. */
  CCL_HOST_DEVICE
  static constexpr Grid
  Of(const Grid & image)
  {
    return { image.x, DivideUp(image.y, Rows), DivideUp(image.z, Slices) };
  }
};

using SingleRow = RowGroup<1, 1>;
using PlaneRowGroup = RowGroup<2, 1>;
using VolumeRowGroup = RowGroup<2, 2>;

/** Calls visitor(TBundle{}) with the row group for an image and a connectivity. */
template <typename TVisitor>
auto
VisitRowGroup(const Grid & image, bool fullyConnected, const TVisitor & visitor)
{
  if (!fullyConnected)
  {
    return visitor(SingleRow{});
  }
  return image.z == 1 ? visitor(PlaneRowGroup{}) : visitor(VolumeRowGroup{});
}

/** Returns the columns of a word of a row group that have a foreground pixel on the side of the row group at an offset
 * of VY and VZ (-1, 0 or 1). Only these pixels can be neighbors of a pixel there. Offset 0, 0 gives all columns with a
 * foreground pixel. `rowAt(row, slice)` gives the bits of one row. */
template <typename TRowGroup, int VY, int VZ, typename TRowAt>
CCL_HOST_DEVICE
inline Word
FacingColumns(const TRowAt & rowAt)
{
  Word word = 0;
  CCL_UNROLL
  for (unsigned int slice = VZ > 0 ? TRowGroup::Slices - 1 : 0; slice < (VZ < 0 ? 1 : TRowGroup::Slices); ++slice)
  {
    CCL_UNROLL
    for (unsigned int row = VY > 0 ? TRowGroup::Rows - 1 : 0; row < (VY < 0 ? 1 : TRowGroup::Rows); ++row)
    {
      word |= rowAt(row, slice);
    }
  }
  return word;
}

/** Reads the bits of an image's row groups: those of their rows, and, in `columns`, for each column of a row group
 * whether it has a foreground pixel. Where a row group is one row, both are the same. */
template <typename TRowGroup>
struct RowGroupBits
{
  BitRows rows;
  BitRows columns;

  /** Whether a row group has a row. */
  template <typename TIndex>
  CCL_HOST_DEVICE
  bool
  HasRow(TIndex groupY, TIndex groupZ, unsigned int row, unsigned int slice) const
  {
    return groupY * TRowGroup::Rows + row < static_cast<TIndex>(rows.words.y) &&
           groupZ * TRowGroup::Slices + slice < static_cast<TIndex>(rows.words.z);
  }

  /** Where the words of a row group's row begin. */
  template <typename TIndex>
  CCL_HOST_DEVICE
  TIndex
  RowBegin(TIndex groupY, TIndex groupZ, unsigned int row, unsigned int slice) const
  {
    return rows.RowBegin(groupY * TRowGroup::Rows + row, groupZ * TRowGroup::Slices + slice);
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

  /** The first foreground pixel in those columns of a word of a row group that a mask has, of which one must have any;
   * counted in bits from the first word of the rows on. */
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

  /** The columns of a row group at word x that have a foreground pixel on the side where the row group at an offset of
   * VY and VZ (-1, 0 or 1) lies: such pixels alone can be neighbours of that row group's. */
  template <int VY = 0, int VZ = 0>
  CCL_HOST_DEVICE
  Word
  Facing(std::uint64_t groupY, std::uint64_t groupZ, std::uint64_t x) const
  {
    return FacingColumns<TRowGroup, VY, VZ>([&](unsigned int row, unsigned int slice) {
      return this->HasRow(groupY, groupZ, row, slice) ? rows.bits[this->RowBegin(groupY, groupZ, row, slice) + x] : 0;
    });
  }
};

/** Finds the columns of row groups that have a foreground pixel. */
template <typename TRowGroup>
struct CollectColumns
{
  RowGroupBits<TRowGroup> groups;
  Word *                  columns;

  CCL_HOST_DEVICE
  void
  operator()(const Cell & word) const
  {
    columns[IndexOf(groups.columns.words, word)] = groups.Facing(word.y, word.z, word.x);
  }
};

} // namespace itk::ccl

#endif
