// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_primitives_Grid_h
#define ccl_primitives_Grid_h

// Grids of cells.

#include "primitives/HostDevice.h"

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

/** Returns the cell with a raster index. A TIndex of 32 bits is faster on the device, but must hold all indices. */
template <typename TIndex>
CCL_HOST_DEVICE
constexpr Cell
CellAt(const Grid & grid, TIndex index)
{
  const auto x = static_cast<TIndex>(grid.x);
  const auto y = static_cast<TIndex>(grid.y);
  const auto row = static_cast<TIndex>(Divide(index, x));
  const auto z = static_cast<TIndex>(Divide(row, y));
  return { static_cast<TIndex>(index - row * x), static_cast<TIndex>(row - z * y), z };
}

/** Returns the cell after a cell in raster order. */
CCL_HOST_DEVICE
constexpr Cell
NextCell(const Grid & grid, const Cell & cell)
{
  if (cell.x + 1 < grid.x)
  {
    return { cell.x + 1, cell.y, cell.z };
  }
  return cell.y + 1 < grid.y ? Cell{ 0, cell.y + 1, cell.z } : Cell{ 0, 0, cell.z + 1 };
}

/** Divides, rounded up. */
CCL_HOST_DEVICE
constexpr std::uint64_t
DivideUp(std::uint64_t count, std::uint64_t divisor)
{
  return count / divisor + (count % divisor != 0);
}

} // namespace itk::ccl

#endif
