// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_primitives_Grid_h
#define ccl_primitives_Grid_h

#include "primitives/HostDevice.h"
#include "primitives/Tuning.h"

#include <cstdint>

namespace itk::ccl
{

/** Number of cells (pixels, blocks, words) along x (the fastest), y and z. A plane has one along z. */
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

/** Where a cell lies in its grid. */
struct Cell
{
  std::uint64_t x = 0;
  std::uint64_t y = 0;
  std::uint64_t z = 0;
};

CCL_HOST_DEVICE
constexpr std::uint64_t
IndexOf(const Grid & grid, const Cell & cell)
{
  return cell.x + grid.x * (cell.y + grid.y * cell.z);
}

/** Division that is fast where 32 bits suffice: the device has no instruction for 64. */
CCL_HOST_DEVICE
constexpr std::uint64_t
Divide(std::uint64_t dividend, std::uint64_t divisor)
{
  return (dividend | divisor) >> 32 == 0 ? static_cast<std::uint32_t>(dividend) / static_cast<std::uint32_t>(divisor)
                                         : dividend / divisor;
}

CCL_HOST_DEVICE
constexpr Cell
CellAt(const Grid & grid, std::uint64_t index)
{
  const std::uint64_t row = Divide(index, grid.x);
  const std::uint64_t z = Divide(row, grid.y);
  return { index - row * grid.x, row - z * grid.y, z };
}

CCL_HOST_DEVICE
constexpr std::uint64_t
DivideUp(std::uint64_t count, std::uint64_t divisor)
{
  return count / divisor + (count % divisor != 0);
}

/** How the threads of one CUDA block are laid over a grid. */
struct ThreadBlockShape
{
  unsigned int x;
  unsigned int y;
  unsigned int z;
};

/** A tile of powers of two, not larger than needed and up to given sizes. What one axis does not need goes to the
 * others, so that few threads are idle in images that are thin. */
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

/** For steps that follow rows: whole warps along x. */
constexpr ThreadBlockShape
RowThreadBlock(const Grid & grid)
{
  return FitThreadBlock(grid, { 32, 4, 1 });
}

/** For steps that look around in all directions. */
constexpr ThreadBlockShape
CompactThreadBlock(const Grid & grid)
{
  return grid.z == 1 ? FitThreadBlock(grid, { 16, 8, 1 }) : FitThreadBlock(grid, { 16, 4, 2 });
}

} // namespace itk::ccl

#endif
