// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_primitives_Grid_h
#define ccl_primitives_Grid_h

// Grids of cells, and the shapes of CUDA thread blocks that cover them.

#include "primitives/HostDevice.h"
#include "primitives/Tuning.h"

#include <cstdint>

namespace itk::ccl
{

/** The number of cells (pixels, words, blocks of pixels) along x, y and z. Memory has x first. A plane has z = 1. */
struct Grid
{
  std::uint64_t x = 1;
  std::uint64_t y = 1;
  std::uint64_t z = 1;

  CCL_HOST_DEVICE
  constexpr std::uint64_t
  Count() const
  {
    return x * y * z;
  }
};

/** The position of a cell in its grid. */
struct Cell
{
  std::uint64_t x = 0;
  std::uint64_t y = 0;
  std::uint64_t z = 0;
};

/** Returns the raster index of a cell. */
CCL_HOST_DEVICE
constexpr std::uint64_t
IndexOf(const Grid & grid, const Cell & cell)
{
  return cell.x + grid.x * (cell.y + grid.y * cell.z);
}

/** Divides, rounded down. Divides 32-bit numbers if both fit, because the device needs a slow routine for 64 bits. */
CCL_HOST_DEVICE
constexpr std::uint64_t
Divide(std::uint64_t dividend, std::uint64_t divisor)
{
  return (dividend | divisor) >> 32 == 0 ? static_cast<std::uint32_t>(dividend) / static_cast<std::uint32_t>(divisor)
                                         : dividend / divisor;
}

/** Returns the cell with a raster index. */
CCL_HOST_DEVICE
constexpr Cell
CellAt(const Grid & grid, std::uint64_t index)
{
  const std::uint64_t row = Divide(index, grid.x);
  const std::uint64_t z = Divide(row, grid.y);
  return { index - row * grid.x, row - z * grid.y, z };
}

/** Divides, rounded up. */
CCL_HOST_DEVICE
constexpr std::uint64_t
DivideUp(std::uint64_t count, std::uint64_t divisor)
{
  return count / divisor + (count % divisor != 0);
}

/** The number of threads of a thread block along each axis. */
struct ThreadBlockShape
{
  unsigned int x;
  unsigned int y;
  unsigned int z;
};

/** Returns a thread block shape for a grid. All sizes are powers of 2, and their product is at most
 * Tuning::ThreadBlockSize. The product of the preferred sizes must not be higher. If the grid is thinner along an axis
 * than the preferred shape, the other axes get the threads that this axis does not need, so few threads are idle. */
constexpr ThreadBlockShape
FitThreadBlock(const Grid & grid, const ThreadBlockShape & preferred)
{
  const auto fit = [](std::uint64_t count, unsigned int limit) {
    unsigned int size = 1;
    while (size < count && 2 * size <= limit)
    {
      size *= 2;
    }
    return size;
  };
  constexpr unsigned int maximumZ = 64; // CUDA's limit
  ThreadBlockShape       shape{ fit(grid.x, preferred.x), fit(grid.y, preferred.y), fit(grid.z, preferred.z) };
  shape.x = fit(grid.x, Tuning::ThreadBlockSize / (shape.y * shape.z));
  shape.y = fit(grid.y, Tuning::ThreadBlockSize / (shape.x * shape.z));
  const unsigned int left = Tuning::ThreadBlockSize / (shape.x * shape.y);
  shape.z = fit(grid.z, left < maximumZ ? left : maximumZ);
  return shape;
}

/** Returns the shape for kernel functors that read along rows: whole warps along x. */
constexpr ThreadBlockShape
RowThreadBlock(const Grid & grid)
{
  return FitThreadBlock(grid, { 32, 4, 1 });
}

/** Returns the shape for kernel functors that read neighbours along all axes. */
constexpr ThreadBlockShape
CompactThreadBlock(const Grid & grid)
{
  return grid.z == 1 ? FitThreadBlock(grid, { 16, 8, 1 }) : FitThreadBlock(grid, { 16, 4, 2 });
}

} // namespace itk::ccl

#endif
