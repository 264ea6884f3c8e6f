// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_algorithms_published_Blocks_h
#define ccl_algorithms_published_Blocks_h

// Blocks of 2 x 2 pixels, or 2 x 2 x 2 pixels in a volume, and the test which neighboring blocks are adjacent. Under
// full connectivity, all foreground pixels of a block are in one component.
// Allegretti, Bolelli and Grana, IEEE TPDS 31(2), 2020, Sections 4.3, 5.1 and 5.3, Figures 7 and 9, Table 1.
//
// The bits of the 4 x 4 pixels around a block (B) in a plane, and the earlier neighbors P, Q, R and S:
//
//      0  1  2  3        P  Q  Q  R
//      4  5  6  7        S  B  B  .
//      8  9 10 11        S  B  B  .
//     12 13 14 15        .  .  .  .
//
// So 0x777 (bits 0 to 2, 4 to 6 and 8 to 10) are the 3 x 3 pixels around the corner of the block, bit 5.

#include "primitives/Grid.h"
#include "primitives/Vec2.h"

namespace itk::ccl
{

/** Masks of the pixels of a block, and of the cube of 4 x 4 or 4 x 4 x 4 pixels around it. In a mask of the block, bit
 * x + 2y + 4z is a pixel. In a mask of the cube, bit x + 4y + 16z is a pixel, and the block lies at 1 and 2 of each
 * axis. In a plane, z is 0 in both. */
template <unsigned int VDimension>
struct BlockNeighborhood
{
  static_assert(VDimension == 2 || VDimension == 3, "blocks exist in planes and volumes");

  static constexpr unsigned int PixelCount = 1U << VDimension;
  /** The number of neighboring blocks with a lower raster index. They are numbered in raster order. In a plane, the
   * paper calls them P, Q, R and S. */
  static constexpr unsigned int NeighborCount = VDimension == 2 ? 4 : 13;

  /** The cube mask of the 3 x 3 or 3 x 3 x 3 pixels around the corner of the block. */
  static constexpr std::uint64_t AroundFirst = VDimension == 2 ? 0x777 : 0x0000077707770777;

  // The offset of a neighbor along each axis, in blocks: -1, 0 or 1.

  CCL_HOST_DEVICE
  static constexpr int
  OffsetX(unsigned int neighbor)
  {
    return static_cast<int>(neighbor % 3) - 1;
  }
  CCL_HOST_DEVICE
  static constexpr int
  OffsetY(unsigned int neighbor)
  {
    return static_cast<int>(neighbor / 3 % 3) - 1;
  }
  CCL_HOST_DEVICE
  static constexpr int
  OffsetZ(unsigned int neighbor)
  {
    return VDimension == 2 ? 0 : static_cast<int>(neighbor / 9) - 1;
  }

  /** Returns the bit of the cube mask for a pixel of the block mask. */
  CCL_HOST_DEVICE
  static constexpr unsigned int
  CubeBit(unsigned int pixel)
  {
    return (pixel % 2 + 1) + 4 * (pixel / 2 % 2 + 1) + (VDimension == 2 ? 0 : 16 * (pixel / 4 + 1));
  }

  /** Returns the pixels of the cube that are 8- or 26-neighbors of foreground pixels, including these pixels
   * themselves. `foreground` is a mask of the block. */
  CCL_HOST_DEVICE
  static constexpr std::uint64_t
  Around(unsigned int foreground)
  {
    std::uint64_t around = 0;
    for (unsigned int pixel = 0; pixel < PixelCount; ++pixel)
    {
      if (foreground >> pixel & 1U)
      {
        around |= AroundFirst << (pixel % 2 + 4 * (pixel / 2 % 2) + 16 * (pixel / 4));
      }
    }
    return around;
  }

  /** Returns the pixels of the cube from x0 to x1, y0 to y1 and z0 to z1, limits included. In a plane, ignores z. */
  CCL_HOST_DEVICE
  static constexpr std::uint64_t
  Box(unsigned int x0, unsigned int x1, unsigned int y0, unsigned int y1, unsigned int z0, unsigned int z1)
  {
    const std::uint64_t row = (2ULL << x1) - (1ULL << x0);
    const std::uint64_t plane = row * (0x1111ULL & ((2ULL << 4 * y1) - (1ULL << 4 * y0)));
    if (VDimension == 2)
    {
      return plane;
    }
    const std::uint64_t below = z1 == 3 ? ~0ULL : (1ULL << 16 * (z1 + 1)) - 1;
    return plane * (0x0001000100010001ULL & below & ~((1ULL << 16 * z0) - 1));
  }

  /** Returns the pixels of the cube that belong to a neighbor. */
  CCL_HOST_DEVICE
  static constexpr std::uint64_t
  PixelsOf(unsigned int neighbor)
  {
    const auto first = [](int offset) { return offset < 0 ? 0U : offset == 0 ? 1U : 3U; };
    const auto last = [](int offset) { return offset < 0 ? 0U : offset == 0 ? 2U : 3U; };
    return Box(first(OffsetX(neighbor)),
               last(OffsetX(neighbor)),
               first(OffsetY(neighbor)),
               last(OffsetY(neighbor)),
               first(OffsetZ(neighbor)),
               last(OffsetZ(neighbor)));
  }

  /** Returns the pixels of the cube that belong to any neighbor with a lower raster index. */
  CCL_HOST_DEVICE
  static constexpr std::uint64_t
  NeighborPixels()
  {
    std::uint64_t pixels = 0;
    for (unsigned int neighbor = 0; neighbor < NeighborCount; ++neighbor)
    {
      pixels |= PixelsOf(neighbor);
    }
    return pixels;
  }
};

/** Returns the number of blocks along each axis that cover an image. */
template <unsigned int VDimension>
CCL_HOST_DEVICE
constexpr Grid
BlocksOf(const Grid & image)
{
  return { DivideUp(image.x, 2), DivideUp(image.y, 2), VDimension == 2 ? image.z : DivideUp(image.z, 2) };
}

/** One block of an image. The last block along an axis may lack pixels. Rows of a block are counted slice by slice.
 * TIndex is an unsigned integer that can hold the number of pixels of the image. */
template <unsigned int VDimension, typename TIndex>
struct Block
{
  using Neighborhood = BlockNeighborhood<VDimension>;

  /** The number of rows of a whole block. */
  static constexpr unsigned int RowCount = Neighborhood::PixelCount / 2;

  // The size of the image in pixels.
  TIndex sizeX;
  TIndex sizeY;
  TIndex sizeZ;
  // The position and the raster index of the corner of the block.
  TIndex x;
  TIndex y;
  TIndex z;
  TIndex index;

  CCL_HOST_DEVICE
  Block(const Grid & image, const Cell & block)
    : sizeX(static_cast<TIndex>(image.x))
    , sizeY(static_cast<TIndex>(image.y))
    , sizeZ(static_cast<TIndex>(image.z))
    , x(static_cast<TIndex>(2 * block.x))
    , y(static_cast<TIndex>(2 * block.y))
    , z(VDimension == 2 ? 0 : static_cast<TIndex>(2 * block.z))
    , index(x + sizeX * (y + sizeY * z))
  {}

  /** Returns whether the image has a row of the block. */
  CCL_HOST_DEVICE
  bool
  HasRow(unsigned int row) const
  {
    return y + row % 2 < sizeY && z + row / 2 < sizeZ;
  }

  /** Returns whether the rows of the block have two pixels. */
  CCL_HOST_DEVICE
  bool
  HasTwoColumns() const
  {
    return x + 1 < sizeX;
  }

  /** Returns the raster index of the first pixel of a row. */
  CCL_HOST_DEVICE
  TIndex
  IndexOfRow(unsigned int row) const
  {
    return index + sizeX * (row % 2 + sizeY * (row / 2));
  }

  /** Returns the raster index of the corner of a neighboring block. */
  CCL_HOST_DEVICE
  TIndex
  IndexOfNeighbor(unsigned int neighbor) const
  {
    // Negative steps wrap around. The sum wraps around again, so the result is right.
    const auto stepX = static_cast<TIndex>(2 * Neighborhood::OffsetX(neighbor));
    const auto stepY = static_cast<TIndex>(2 * Neighborhood::OffsetY(neighbor));
    const auto stepZ = static_cast<TIndex>(2 * Neighborhood::OffsetZ(neighbor));
    return index + stepX + sizeX * (stepY + sizeY * stepZ);
  }

  /** Returns the pixels of the cube that lie in the image. */
  CCL_HOST_DEVICE
  std::uint64_t
  CubeInImage() const
  {
    const auto low = [](TIndex begin) { return begin > 0 ? 0U : 1U; };
    const auto high = [](TIndex begin, TIndex size) { return begin + 2 < size ? 3U : begin + 1 < size ? 2U : 1U; };
    return Neighborhood::Box(low(x), high(x, sizeX), low(y), high(y, sizeY), low(z), high(z, sizeZ));
  }

  /** Returns the two pixels of a row of the block. A second pixel that lies outside the image is 0. */
  template <typename TPixel>
  CCL_HOST_DEVICE
  Vec2<TPixel>
  LoadRow(const TPixel * pixels, unsigned int row) const
  {
    const TPixel * const address = pixels + this->IndexOfRow(row);
    return this->HasTwoColumns() ? LoadVec2(address) : Vec2<TPixel>{ *address, 0 };
  }

  /** Returns the mask of the pixels of the block that are not 0. */
  template <typename TPixel>
  CCL_HOST_DEVICE
  unsigned int
  Foreground(const TPixel * pixels) const
  {
    unsigned int foreground = 0;
    CCL_UNROLL
    for (unsigned int row = 0; row < RowCount; ++row)
    {
      if (this->HasRow(row))
      {
        const Vec2<TPixel> both = this->LoadRow(pixels, row);
        foreground |= static_cast<unsigned int>(both.first != 0) << 2 * row;
        foreground |= static_cast<unsigned int>(both.second != 0) << (2 * row + 1);
      }
    }
    return foreground;
  }

  /** Writes `value` to the foreground pixels of the block, and `background` to its other pixels. */
  template <typename TPixel>
  CCL_HOST_DEVICE
  void
  Fill(TPixel * pixels, unsigned int foreground, TPixel value, TPixel background = 0) const
  {
    CCL_UNROLL
    for (unsigned int row = 0; row < RowCount; ++row)
    {
      if (this->HasRow(row))
      {
        TPixel * const     address = pixels + this->IndexOfRow(row);
        const Vec2<TPixel> both{ foreground >> 2 * row & 1U ? value : background,
                                 foreground >> (2 * row + 1) & 1U ? value : background };
        if (this->HasTwoColumns())
        {
          StoreVec2(address, both);
        }
        else
        {
          *address = both.first;
        }
      }
    }
  }

  /** Returns the pixels of the cube that are in `around` and in VCandidates, and are foreground. By default, the
   * candidates are the pixels of neighbors with a lower raster index. The function loads all pixels before the caller's
   * unions, so the loads overlap. */
  template <std::uint64_t VCandidates = Neighborhood::NeighborPixels()>
  CCL_HOST_DEVICE
  std::uint64_t
  ForegroundAround(const std::uint8_t * pixels, std::uint64_t around) const
  {
    std::uint64_t foreground = 0;
    CCL_UNROLL
    for (unsigned int bit = 0; bit < (VDimension == 2 ? 16 : 64); ++bit)
    {
      if ((VCandidates >> bit & 1U) && (around >> bit & 1U))
      {
        const TIndex stepX = static_cast<TIndex>(bit % 4) - 1;
        const TIndex stepY = static_cast<TIndex>(bit / 4 % 4) - 1;
        const TIndex stepZ = VDimension == 2 ? 0 : static_cast<TIndex>(bit / 16) - 1;
        const TIndex pixel = index + stepX + sizeX * (stepY + sizeY * stepZ);
        foreground |= static_cast<std::uint64_t>(pixels[pixel] != 0) << bit;
      }
    }
    return foreground;
  }

  /** Returns whether the block has one pixel only. It is then the last pixel of an image whose sizes are all odd. */
  CCL_HOST_DEVICE
  bool
  IsLonePixel() const
  {
    return x + 1 == sizeX && y + 1 == sizeY && z + 1 == sizeZ;
  }

  /** Returns the index of the pixel of the output image that holds the information of the block (a byte in BUF, a word
   * in BKE). This is the second pixel of the block along x, or else along y, or else along z. A block of one pixel uses
   * the last pixel of its neighbor at an offset of -1 along each axis, which does not need this pixel. In an image of
   * a single row or column, there is no such pixel. The function then returns `spare`. */
  CCL_HOST_DEVICE
  TIndex
  InformationIndex(TIndex spare) const
  {
    if (x + 1 < sizeX)
    {
      return index + 1;
    }
    if (y + 1 < sizeY)
    {
      return index + sizeX;
    }
    if (z + 1 < sizeZ)
    {
      return index + sizeX * sizeY;
    }
    if ((sizeX > 1) + (sizeY > 1) + (sizeZ > 1) < 2)
    {
      return spare;
    }
    return index - (sizeX > 1) - sizeX * ((sizeY > 1) + sizeY * (sizeZ > 1));
  }
};

} // namespace itk::ccl

#endif
