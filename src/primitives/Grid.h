// SPDX-License-Identifier: Apache-2.0
#ifndef Grid_h
#define Grid_h

#include "HostDevice.h"

#include <cstdint>

namespace itk::ccl
{

/** Number of cells (pixels, blocks, words) along x (the fastest), y and z. A plane has one along z. */
struct Grid
{
  std::uint64_t x = 1;
  std::uint64_t y = 1;
  std::uint64_t z = 1;

  CCL_HOST_DEVICE constexpr std::uint64_t
                Count() const
  {
    return x * y * z;
  }
};

/** Where a cell lies in its grid. */
struct Cell
{
  std::uint64_t x = 0;
  std::uint64_t y = 0;
  std::uint64_t z = 0;
};

CCL_HOST_DEVICE constexpr std::uint64_t
IndexOf(const Grid & grid, const Cell & cell)
{
  return cell.x + grid.x * (cell.y + grid.y * cell.z);
}

CCL_HOST_DEVICE constexpr Cell
CellAt(const Grid & grid, std::uint64_t index)
{
  const std::uint64_t row = index / grid.x;
  return { index % grid.x, row % grid.y, row / grid.y };
}

CCL_HOST_DEVICE constexpr std::uint64_t
DivideUp(std::uint64_t count, std::uint64_t divisor)
{
  return count / divisor + (count % divisor != 0);
}

/** How the threads of one CUDA block are laid over a grid: whole warps along x where the grid is wide enough. */
struct TileShape
{
  unsigned int x;
  unsigned int y;
  unsigned int z;
};

inline constexpr unsigned int TileThreads = 128;

/** The shape with few idle threads: powers of two that fill up along x first, then y, then z. */
constexpr TileShape
ShapeOfTile(const Grid & grid)
{
  const auto fit = [](std::uint64_t count, unsigned int limit) {
    unsigned int size = 1;
    while (size < count && size < limit)
    {
      size *= 2;
    }
    return size;
  };
  TileShape shape{ fit(grid.x, 32), 1, 1 };
  shape.y =
    fit(grid.y, TileThreads / shape.x < 2 ? TileThreads / shape.x : TileThreads / shape.x / (grid.z > 1 ? 2 : 1));
  shape.z = fit(grid.z, TileThreads / (shape.x * shape.y) < 64 ? TileThreads / (shape.x * shape.y) : 64);
  shape.y = fit(grid.y, TileThreads / (shape.x * shape.z));
  shape.x = fit(grid.x, TileThreads / (shape.y * shape.z));
  return shape;
}

} // namespace itk::ccl

#endif
