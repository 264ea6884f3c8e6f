// SPDX-License-Identifier: Apache-2.0
#ifndef Bundles_h
#define Bundles_h

// Rows of pixels that are labeled as one.
//
// The blocks of 2x2 and 2x2x2 pixels of Allegretti, Bolelli and Grana (IEEE TPDS 31(2), 2020, Section 3.1), of which
// all pixels are connected under 8- and 26-connectivity, drawn out along x: two rows of a plane, or two by two of a
// volume, are a bundle. The pixels of one column (one x) of a bundle are neighbours of each other and of those of the
// next column. So a run of columns that each have a foreground pixel is connected. Under face connectivity a bundle is
// one row, and its runs are those of the row.

#include "BitRows.h"

namespace itk::ccl
{

/** A bundle has VRows rows of each of VSlices slices. */
template <unsigned int VRows, unsigned int VSlices>
struct Bundle
{
  static constexpr unsigned int Rows = VRows;
  static constexpr unsigned int Slices = VSlices;
  static constexpr bool         IsOneRow = Rows * Slices == 1;

  /** The bundles of an image; the words of their columns, for the image's words. The last ones may lack rows. */
  CCL_HOST_DEVICE
  static constexpr Grid
  Of(const Grid & image)
  {
    return { image.x, DivideUp(image.y, Rows), DivideUp(image.z, Slices) };
  }
};

using RowBundle = Bundle<1, 1>;
using PlaneBundle = Bundle<2, 1>;
using VolumeBundle = Bundle<2, 2>;

/** Calls visitor(TBundle{}) with the bundle for an image and a connectivity. */
template <typename TVisitor>
auto
VisitBundle(const Grid & image, bool fullyConnected, const TVisitor & visitor)
{
  if (!fullyConnected)
  {
    return visitor(RowBundle{});
  }
  return image.z == 1 ? visitor(PlaneBundle{}) : visitor(VolumeBundle{});
}

/** Reads the bits of an image's bundles: those of their rows, and, in `columns`, for each column of a bundle whether it
 * has a foreground pixel. Where a bundle is one row, both are the same. */
template <typename TBundle>
struct BundleRows
{
  BitRows rows;
  BitRows columns;

  /** Whether a bundle has a row. */
  template <typename TIndex>
  CCL_HOST_DEVICE
  bool
  HasRow(TIndex bundleY, TIndex bundleZ, unsigned int row, unsigned int slice) const
  {
    return bundleY * TBundle::Rows + row < static_cast<TIndex>(rows.words.y) &&
           bundleZ * TBundle::Slices + slice < static_cast<TIndex>(rows.words.z);
  }

  /** Where the words of a bundle's row begin. */
  template <typename TIndex>
  CCL_HOST_DEVICE
  TIndex
  RowBegin(TIndex bundleY, TIndex bundleZ, unsigned int row, unsigned int slice) const
  {
    return rows.RowBegin(bundleY * TBundle::Rows + row, bundleZ * TBundle::Slices + slice);
  }

  /** Calls visit(row, slice) for each row of a bundle, in raster order. */
  template <typename TIndex, typename TVisitor>
  CCL_HOST_DEVICE
  void
  ForEachRow(TIndex bundleY, TIndex bundleZ, const TVisitor & visit) const
  {
    CCL_UNROLL
    for (unsigned int slice = 0; slice < TBundle::Slices; ++slice)
    {
      CCL_UNROLL
      for (unsigned int row = 0; row < TBundle::Rows; ++row)
      {
        if (this->HasRow(bundleY, bundleZ, row, slice))
        {
          visit(row, slice);
        }
      }
    }
  }

  /** The first foreground pixel in those columns of a word of a bundle that a mask has, of which one must have any;
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

  /** The columns of a bundle at word x that have a foreground pixel on the side where the bundle at an offset of VY and
   * VZ (-1, 0 or 1) lies: such pixels alone can be neighbours of that bundle's. */
  template <int VY = 0, int VZ = 0>
  CCL_HOST_DEVICE
  Word
  Facing(std::uint64_t bundleY, std::uint64_t bundleZ, std::uint64_t x) const
  {
    Word word = 0;
    CCL_UNROLL
    for (unsigned int slice = VZ > 0 ? TBundle::Slices - 1 : 0; slice < (VZ < 0 ? 1 : TBundle::Slices); ++slice)
    {
      CCL_UNROLL
      for (unsigned int row = VY > 0 ? TBundle::Rows - 1 : 0; row < (VY < 0 ? 1 : TBundle::Rows); ++row)
      {
        if (this->HasRow(bundleY, bundleZ, row, slice))
        {
          word |= rows.bits[this->RowBegin(bundleY, bundleZ, row, slice) + x];
        }
      }
    }
    return word;
  }
};

/** Finds the columns of bundles that have a foreground pixel. */
template <typename TBundle>
struct CollectColumns
{
  BundleRows<TBundle> bundles;
  Word *              columns;

  CCL_HOST_DEVICE
  void
  operator()(const Cell & word) const
  {
    columns[IndexOf(bundles.columns.words, word)] = bundles.Facing(word.y, word.z, word.x);
  }
};

} // namespace itk::ccl

#endif
