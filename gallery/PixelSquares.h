// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_gallery_PixelSquares_h
#define ccl_gallery_PixelSquares_h

// Squares of 2 x 2 pixels of a plane: a pixel and its right, lower and lower right neighbor. The pixels of a square are
// 8-neighbors. Two 8-neighbors always have a square in common. So 8-connected components are complete if the foreground
// pixels of each square are united. Unlike blocks, squares overlap: each pixel is the upper left pixel of a square.

#include "gallery/PixelTrees.h"

namespace itk::ccl::gallery
{

/** Finds the lowest label of the foreground pixels in the square of a pixel, and calls join(label, lowest) for each
 * higher label. Calls it once for two equal labels of a row. Pixels outside the image do not count. */
template <typename TLabel, typename TJoin>
CCL_HOST_DEVICE
inline void
JoinSquare(const TLabel * labels, const Grid & size, const Cell & cell, const TJoin & join)
{
  const TLabel * const corner = labels + IndexOf(size, cell);
  const bool           hasRight = cell.x + 1 < size.x;
  const bool           hasLower = cell.y + 1 < size.y;
  const TLabel         label = Load(corner);
  const TLabel         right = hasRight ? Load(corner + 1) : 0;
  const TLabel         lower = hasLower ? Load(corner + size.x) : 0;
  const TLabel         lowerRight = hasRight && hasLower ? Load(corner + size.x + 1) : 0;

  // The label of the background wraps around to the highest value.
  const auto   min = [](TLabel a, TLabel b) { return a < b ? a : b; };
  const TLabel lowest = min(min(label - 1, right - 1), min(lower - 1, lowerRight - 1)) + 1;
  const auto   joinIfHigher = [&](TLabel high) {
    if (high > lowest)
    {
      join(high, lowest);
    }
  };
  joinIfHigher(label);
  joinIfHigher(right != label ? right : 0);
  joinIfHigher(lower);
  joinIfHigher(lowerRight != lower ? lowerRight : 0);
}

/** Unites the foreground pixels in the square of a pixel. Labels are parents: see LabelsAsParents. */
template <typename TLabel>
CCL_HOST_DEVICE
inline void
UniteSquare(TLabel * labels, const Grid & size, const Cell & cell)
{
  JoinSquare(labels, size, cell, [labels](TLabel label, TLabel lowest) {
    Union(LabelsAsParents<TLabel>{ labels }, label, lowest);
  });
}

/** Unites the foreground pixels of squares at the borders of tiles. Each cell stands for a pixel in the last row or the
 * last column of a tile. */
template <typename TLabel>
struct UniteBorderSquares
{
  Grid         size; // of the plane
  TLabel *     labels;
  unsigned int stepX; // from cell to cell, in pixels
  unsigned int stepY;

  CCL_HOST_DEVICE
  void
  operator()(const Cell & cell) const
  {
    UniteSquare(labels, size, { (cell.x + 1) * stepX - 1, (cell.y + 1) * stepY - 1, 0 });
  }
};

/** Joins the components of all tiles of a plane. Each tile must be labeled completely: see LabelsAsParents. Runs
 * threads for the pixels at borders only. TTile is a PixelTile. */
template <typename TTile, typename TExecutor, typename TLabel>
void
MergeSquaresAtTileBorders(const TExecutor & executor, const Grid & size, TLabel * labels)
{
  // A square belongs to several tiles if its upper left pixel lies in the last row or the last column of a tile.
  const Grid rows{ size.x, size.y / TTile::Height, 1 };
  const Grid columns{ size.x / TTile::Width, size.y, 1 };
  executor.ForEachCompact(rows, UniteBorderSquares<TLabel>{ size, labels, 1, TTile::Height });
  executor.ForEachCompact(columns, UniteBorderSquares<TLabel>{ size, labels, TTile::Width, 1 });
}

} // namespace itk::ccl::gallery

#endif
