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

  /** Writes the label of a thread's pixel to the image of labels. `label` is 1 + the thread of the pixel that the label
   * names, or 0 for background. Does nothing for a pixel outside of the plane. */
  template <typename TLabel>
  CCL_HOST_DEVICE
  void
  StoreLabel(TLabel * labels, unsigned int thread, std::uint32_t label) const
  {
    if (this->Contains(thread))
    {
      labels[this->IndexOfPixel(thread)] = label != 0 ? static_cast<TLabel>(this->IndexOfPixel(label - 1) + 1) : 0;
    }
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
};

/** Unites a pixel and its neighbor, given by raster indices, if both are foreground. */
template <typename TLabel>
CCL_HOST_DEVICE
inline void
UniteForeground(TLabel * labels, std::uint64_t pixel, std::uint64_t neighbor)
{
  if (Load(labels + pixel) != 0 && Load(labels + neighbor) != 0)
  {
    Union(LabelsAsParents<TLabel>{ labels }, static_cast<TLabel>(pixel + 1), static_cast<TLabel>(neighbor + 1));
  }
}

/** Unites the pixels of two rows at the border between tiles. A cell is a pixel of the lower row: x, and the number of
 * the border as y. */
template <typename TTile, typename TLabel>
struct MergeRowBorders
{
  Grid     size;
  TLabel * labels;
  bool     fullyConnected;

  CCL_HOST_DEVICE
  Grid
  GetCells() const
  {
    return { size.x, DivideUp(size.y, TTile::Height) - 1 };
  }

  CCL_HOST_DEVICE
  void
  operator()(const Cell & cell) const
  {
    const std::uint64_t pixel = IndexOf(size, { cell.x, (cell.y + 1) * TTile::Height });
    const std::uint64_t above = pixel - size.x;
    UniteForeground(labels, pixel, above);
    if (fullyConnected && cell.x > 0)
    {
      UniteForeground(labels, pixel, above - 1);
    }
    if (fullyConnected && cell.x + 1 < size.x)
    {
      UniteForeground(labels, pixel, above + 1);
    }
  }
};

/** Unites the pixels of two columns at the border between tiles. A cell is a row: the number of the border as x, and
 * y. */
template <typename TTile, typename TLabel>
struct MergeColumnBorders
{
  Grid     size;
  TLabel * labels;
  bool     fullyConnected;

  CCL_HOST_DEVICE
  Grid
  GetCells() const
  {
    return { DivideUp(size.x, TTile::Width) - 1, size.y };
  }

  CCL_HOST_DEVICE
  void
  operator()(const Cell & cell) const
  {
    const std::uint64_t right = IndexOf(size, { (cell.x + 1) * TTile::Width, cell.y });
    UniteForeground(labels, right, right - 1);
    if (fullyConnected && cell.y > 0)
    {
      UniteForeground(labels, right, right - 1 - size.x);
      UniteForeground(labels, right - 1, right - size.x);
    }
  }
};

/** Unites the foreground pixels at the borders of tiles with their neighbors in other tiles. */
template <typename TTile, typename TLabel, typename TExecutor>
void
MergeTileBorders(const TExecutor & executor, const Grid & size, bool fullyConnected, TLabel * labels)
{
  const MergeRowBorders<TTile, TLabel>    rows{ size, labels, fullyConnected };
  const MergeColumnBorders<TTile, TLabel> columns{ size, labels, fullyConnected };
  executor.ForEachCompact(rows.GetCells(), rows);
  executor.ForEachCompact(columns.GetCells(), columns);
}

} // namespace itk::ccl::gallery

#endif
