// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_executors_device_ThreadBlockShape_h
#define ccl_executors_device_ThreadBlockShape_h

// The shapes of the thread blocks that DeviceExecutor covers a grid with.

#include "primitives/Grid.h"
#include "primitives/Tuning.h"

namespace itk::ccl
{

/** The number of threads of a thread block along each axis. */
struct ThreadBlockShape
{
  unsigned int x;
  unsigned int y;
  unsigned int z;
};

/** CUDA's limit of threads of a thread block along z. */
inline constexpr unsigned int MostThreadsAlongZ = 64;

/** Returns a thread block shape for a grid. All sizes are powers of 2, and their product is at most the product of the
 * preferred sizes. If the grid is thinner along an axis than the preferred shape, the other axes get the threads that
 * this axis does not need, so few threads are idle. */
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
  const unsigned int threads = preferred.x * preferred.y * preferred.z;
  ThreadBlockShape   shape{ fit(grid.x, preferred.x), fit(grid.y, preferred.y), fit(grid.z, preferred.z) };
  shape.x = fit(grid.x, threads / (shape.y * shape.z));
  shape.y = fit(grid.y, threads / (shape.x * shape.z));
  const unsigned int left = threads / (shape.x * shape.y);
  shape.z = fit(grid.z, left < MostThreadsAlongZ ? left : MostThreadsAlongZ);
  return shape;
}

/** Returns the shape for kernel functors that read along rows: a whole row along x if it fits, or else whole warps. The
 * product of the sizes may be less than Tuning::ThreadBlockSize. */
constexpr ThreadBlockShape
RowThreadBlock(const Grid & grid)
{
  // At least 1, because threads are divided by the sizes.
  const auto atMost = [](std::uint64_t count, unsigned int limit) {
    return count == 0 ? 1 : count < limit ? static_cast<unsigned int>(count) : limit;
  };
  constexpr unsigned int warpSize = 32;
  const unsigned int     x = atMost(grid.x, warpSize);
  const unsigned int     y = atMost(grid.y, Tuning::ThreadBlockSize / x);
  const unsigned int     z = atMost(atMost(grid.z, MostThreadsAlongZ), Tuning::ThreadBlockSize / (x * y));
  const unsigned int     warps = Tuning::ThreadBlockSize / warpSize / (y * z); // along x, if a row has so many
  return { warps > 1 ? atMost(grid.x, warps * warpSize) : x, y, z };
}

/** Returns the shape for kernel functors that read neighbors along all axes. */
constexpr ThreadBlockShape
CompactThreadBlock(const Grid & grid)
{
  return FitThreadBlock(grid,
                        grid.z == 1 ? ThreadBlockShape{ 16, Tuning::CompactThreadBlockSize / 16, 1 }
                                    : ThreadBlockShape{ 16, Tuning::ThreadBlockSize / 32, 2 });
}

} // namespace itk::ccl

#endif
