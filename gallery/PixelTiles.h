// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_gallery_PixelTiles_h
#define ccl_gallery_PixelTiles_h

// Tiles of a plane, for the algorithms that first label tiles in shared memory. A thread block owns a tile, and a
// thread owns a pixel. Here, a tile is a rectangle of the plane; tiles at the right and lower border may exceed it.

#include "gallery/PixelNeighbors.h"
#include "gallery/PixelTrees.h"

namespace itk::ccl::gallery
{

/** A tile of VWidth x VHeight pixels. The threads of its thread block own its pixels in raster order. So the order of
 * threads is the order of the raster indices of their pixels. */
template <unsigned int VWidth, unsigned int VHeight>
struct PixelTile
{
  static constexpr unsigned int Width = VWidth;
  static constexpr unsigned int Height = VHeight;
  static constexpr unsigned int PixelCount = VWidth * VHeight;

  Grid size;   // of the plane
  Cell corner; // first pixel of the tile

  /** Makes the tile with an index: see CountIn(). */
  CCL_HOST_DEVICE
  PixelTile(const Grid & plane, std::uint64_t index)
    : size(plane)
  {
    const std::uint64_t tilesInRow = DivideUp(plane.x, VWidth);
    const std::uint64_t row = Divide(index, tilesInRow);
    corner = { (index - row * tilesInRow) * VWidth, row * VHeight, 0 };
  }

  /** Returns the number of tiles of a plane. */
  static std::uint64_t
  CountIn(const Grid & plane)
  {
    return DivideUp(plane.x, VWidth) * DivideUp(plane.y, VHeight);
  }

  /** Returns the position of a thread's pixel in the plane. */
  CCL_HOST_DEVICE
  Cell
  PixelOf(unsigned int thread) const
  {
    return { corner.x + thread % VWidth, corner.y + thread / VWidth, 0 };
  }

  /** Returns whether a thread's pixel lies in the plane. */
  CCL_HOST_DEVICE
  bool
  Contains(unsigned int thread) const
  {
    const Cell pixel = this->PixelOf(thread);
    return pixel.x < size.x && pixel.y < size.y;
  }

  /** Returns the raster index of a thread's pixel in the plane. */
  CCL_HOST_DEVICE
  std::uint64_t
  IndexOfPixel(unsigned int thread) const
  {
    return IndexOf(size, this->PixelOf(thread));
  }

  /** Returns whether a thread's pixel lies in the plane and is foreground. */
  CCL_HOST_DEVICE
  bool
  IsForeground(const std::uint8_t * input, unsigned int thread) const
  {
    return this->Contains(thread) && input[this->IndexOfPixel(thread)] != 0;
  }

  /** Returns the size of a tile, for VisitNeighbors() inside of it. */
  CCL_HOST_DEVICE
  static constexpr Grid
  Size()
  {
    return { VWidth, VHeight, 1 };
  }

  /** Returns the position of a thread's pixel in the tile. */
  CCL_HOST_DEVICE
  static constexpr Cell
  CellOf(unsigned int thread)
  {
    return { thread % VWidth, thread / VWidth, 0 };
  }

  /** Returns whether two pixels of the plane lie in the same tile. */
  CCL_HOST_DEVICE
  static constexpr bool
  AreTogether(const Cell & a, const Cell & b)
  {
    return a.x / VWidth == b.x / VWidth && a.y / VHeight == b.y / VHeight;
  }
};

/** Unites each foreground pixel at the border of a tile with its foreground neighbors before it in other tiles. */
template <typename TTile, typename TLabel>
struct MergeTileBorders
{
  Grid     size;
  TLabel * labels;
  bool     fullyConnected;

  CCL_HOST_DEVICE
  void
  operator()(const Cell & cell) const
  {
    const std::uint64_t x = cell.x % TTile::Width;
    // In the last column, the neighbor to the upper right lies in the next tile.
    if (x != 0 && x != TTile::Width - 1 && cell.y % TTile::Height != 0)
    {
      return;
    }
    const std::uint64_t index = IndexOf(size, cell);
    if (Load(labels + index) == 0)
    {
      return;
    }
    VisitPrecedingNeighbors<2>(size, cell, fullyConnected, [&](std::uint64_t neighbor) {
      const std::uint64_t row = index - neighbor > 1 ? cell.y - 1 : cell.y;
      if (!TTile::AreTogether(cell, { neighbor - row * size.x, row, 0 }) && Load(labels + neighbor) != 0)
      {
        Union(LabelsAsParents<TLabel>{ labels }, static_cast<TLabel>(index + 1), static_cast<TLabel>(neighbor + 1));
      }
    });
  }
};

} // namespace itk::ccl::gallery

#endif
