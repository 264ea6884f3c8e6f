// SPDX-License-Identifier: Apache-2.0
#ifndef Blocks_h
#define Blocks_h

// Blocks of 2x2 pixels (2x2x2 in a volume), whose foreground pixels always share a component under full connectivity,
// and the decision which neighbouring blocks touch.
// Allegretti, Bolelli and Grana, IEEE TPDS 31(2), 2020, sections 4.3, 5.1 and 5.3, figures 7 and 9, table 1.

#include "Grid.h"

namespace itk::ccl
{

/** The pixels of a block and the 4x4(x4) cube of pixels around it. In the cube a pixel's bit is x + 4y + 16z; the block
 * lies at 1..2 of each axis (in a plane z is 0). Inside the block a pixel's bit is x + 2y + 4z. */
template <unsigned int VDimension>
struct BlockNeighborhood
{
  static_assert(VDimension == 2 || VDimension == 3, "blocks exist in planes and volumes");

  static constexpr unsigned int PixelCount = 1U << VDimension;
  /** Neighbouring blocks of lower raster index, in raster order: P, Q, R, S in a plane. */
  static constexpr unsigned int NeighborCount = VDimension == 2 ? 4 : 13;

  /** The 3x3(x3) pixels around the block's first pixel. */
  static constexpr std::uint64_t AroundFirst = VDimension == 2 ? 0x777 : 0x0000077707770777;

  static CCL_HOST_DEVICE constexpr int
  OffsetX(unsigned int neighbor)
  {
    return static_cast<int>(neighbor % 3) - 1;
  }
  static CCL_HOST_DEVICE constexpr int
  OffsetY(unsigned int neighbor)
  {
    return static_cast<int>(neighbor / 3 % 3) - 1;
  }
  static CCL_HOST_DEVICE constexpr int
  OffsetZ(unsigned int neighbor)
  {
    return VDimension == 2 ? 0 : static_cast<int>(neighbor / 9) - 1;
  }

  static CCL_HOST_DEVICE constexpr unsigned int
  CubeBit(unsigned int pixel)
  {
    return (pixel % 2 + 1) + 4 * (pixel / 2 % 2 + 1) + (VDimension == 2 ? 0 : 16 * (pixel / 4 + 1));
  }

  /** The pixels of the cube that are 8- or 26-neighbours of the block's foreground pixels. */
  static CCL_HOST_DEVICE constexpr std::uint64_t
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

  /** The pixels of the cube from x0 to x1, y0 to y1 and z0 to z1. */
  static CCL_HOST_DEVICE constexpr std::uint64_t
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

  /** The pixels of the cube that belong to a neighbour. */
  static CCL_HOST_DEVICE constexpr std::uint64_t
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
};

/** How many blocks cover an image. */
template <unsigned int VDimension>
CCL_HOST_DEVICE constexpr Grid
BlocksOf(const Grid & image)
{
  return { DivideUp(image.x, 2), DivideUp(image.y, 2), VDimension == 2 ? image.z : DivideUp(image.z, 2) };
}

/** One block of an image: where its pixels are, and which of them exist. */
template <unsigned int VDimension>
struct Block
{
  using Neighborhood = BlockNeighborhood<VDimension>;

  Grid          image;
  Cell          first; // the block's first pixel
  std::uint64_t index; // raster index of the first pixel

  CCL_HOST_DEVICE Block(const Grid & imageSize, const Cell & block)
    : image(imageSize)
    , first{ 2 * block.x, 2 * block.y, VDimension == 2 ? 0 : 2 * block.z }
    , index(IndexOf(imageSize, first))
  {}

  /** Index of a pixel of the block, relative to the first. */
  CCL_HOST_DEVICE std::uint64_t
  OffsetOf(unsigned int pixel) const
  {
    return pixel % 2 + image.x * (pixel / 2 % 2 + image.y * (pixel / 4));
  }

  /** Index of the first pixel of a neighbouring block. */
  CCL_HOST_DEVICE std::uint64_t
  IndexOfNeighbor(unsigned int neighbor) const
  {
    const auto stepX = static_cast<std::int64_t>(2 * Neighborhood::OffsetX(neighbor));
    const auto stepY = static_cast<std::int64_t>(2 * Neighborhood::OffsetY(neighbor));
    const auto stepZ = static_cast<std::int64_t>(2 * Neighborhood::OffsetZ(neighbor));
    return index + stepX + static_cast<std::int64_t>(image.x) * (stepY + static_cast<std::int64_t>(image.y) * stepZ);
  }

  CCL_HOST_DEVICE bool
  HasPixel(unsigned int pixel) const
  {
    return first.x + pixel % 2 < image.x && first.y + pixel / 2 % 2 < image.y && first.z + pixel / 4 < image.z;
  }

  /** The pixels of the cube around the block that lie in the image. */
  CCL_HOST_DEVICE std::uint64_t
  CubeInImage() const
  {
    const auto low = [](std::uint64_t begin) { return begin > 0 ? 0U : 1U; };
    const auto high = [](std::uint64_t begin, std::uint64_t size) {
      return begin + 2 < size ? 3U : begin + 1 < size ? 2U : 1U;
    };
    return Neighborhood::Box(
      low(first.x), high(first.x, image.x), low(first.y), high(first.y, image.y), low(first.z), high(first.z, image.z));
  }

  /** The block's foreground pixels. */
  CCL_HOST_DEVICE unsigned int
  Foreground(const std::uint8_t * pixels) const
  {
    unsigned int foreground = 0;
    CCL_UNROLL
    for (unsigned int pixel = 0; pixel < Neighborhood::PixelCount; ++pixel)
    {
      if (HasPixel(pixel) && pixels[index + OffsetOf(pixel)] != 0)
      {
        foreground |= 1U << pixel;
      }
    }
    return foreground;
  }

  /** Writes `value` to the block's foreground pixels and `background` to its others. */
  template <typename TPixel>
  CCL_HOST_DEVICE void
  Fill(TPixel * pixels, unsigned int foreground, TPixel value, TPixel background = 0) const
  {
    CCL_UNROLL
    for (unsigned int pixel = 0; pixel < Neighborhood::PixelCount; ++pixel)
    {
      if (HasPixel(pixel))
      {
        pixels[index + OffsetOf(pixel)] = foreground >> pixel & 1U ? value : background;
      }
    }
  }

  /** Whether a neighbour has a foreground pixel among the pixels `around` of the cube. */
  CCL_HOST_DEVICE bool
  Touches(const std::uint8_t * pixels, std::uint64_t around, unsigned int neighbor) const
  {
    const std::uint64_t candidates = Neighborhood::PixelsOf(neighbor);
    if ((around & candidates) == 0)
    {
      return false;
    }
    CCL_UNROLL
    for (unsigned int bit = 0; bit < (VDimension == 2 ? 16 : 64); ++bit)
    {
      if (candidates >> bit & 1U)
      {
        const std::int64_t x = static_cast<std::int64_t>(bit % 4) - 1;
        const std::int64_t y = static_cast<std::int64_t>(bit / 4 % 4) - 1;
        const std::int64_t z = VDimension == 2 ? 0 : static_cast<std::int64_t>(bit / 16) - 1;
        const std::int64_t offset =
          x + static_cast<std::int64_t>(image.x) * (y + static_cast<std::int64_t>(image.y) * z);
        if ((around >> bit & 1U) && pixels[index + offset] != 0)
        {
          return true;
        }
      }
    }
    return false;
  }

  /** Whether the block has just one pixel, at the far corner of an image whose sizes are all odd. */
  CCL_HOST_DEVICE bool
  IsLonePixel() const
  {
    return first.x + 1 == image.x && first.y + 1 == image.y && first.z + 1 == image.z;
  }

  /** Index of the pixel of the output image that keeps the block's information byte or word: the block's second pixel
   * along x, or else y, or else z. A block of one pixel borrows the last pixel of the neighbour before it, which does
   * not need it. A block of one pixel in an image of a single row or column has no such neighbour: then `spare`. */
  CCL_HOST_DEVICE std::uint64_t
  InformationIndex(std::uint64_t spare) const
  {
    if (first.x + 1 < image.x)
    {
      return index + 1;
    }
    if (first.y + 1 < image.y)
    {
      return index + image.x;
    }
    if (first.z + 1 < image.z)
    {
      return index + image.x * image.y;
    }
    if ((image.x > 1) + (image.y > 1) + (image.z > 1) < 2)
    {
      return spare;
    }
    return index - (image.x > 1) - image.x * ((image.y > 1) + image.y * (image.z > 1));
  }
};

} // namespace itk::ccl

#endif
