// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_gallery_TileMergingGroups_h
#define ccl_gallery_TileMergingGroups_h

// The merging of groups of tiles in STAVA, also TM (tile merging): see TileMerging.h for the papers, the departures and
// the races.

#include "executors/Executor.h"
#include "gallery/PixelTrees.h"
#include "gallery/Properties.h"
#include "primitives/Atomics.h"

namespace itk::ccl::gallery
{

namespace TileMerging
{

/** A group has this many tiles in each direction. */
inline constexpr unsigned int TilesPerSide = 4;

/** The pixels of a group that lie in the plane. Positions are relative to the group's first pixel. */
struct Group
{
  std::uint64_t first; // raster index of the first pixel in the plane
  Grid          size;

  /** Returns whether a position lies in the group. A coordinate of -1 wraps around, so it does not. */
  CCL_HOST_DEVICE
  bool
  Contains(const Cell & position) const
  {
    return position.x < size.x && position.y < size.y;
  }
};

/** Merges the tiles of each group. `side` is the number of pixels in a row of a tile.
 * \tparam VThreadsPerTile threads that share the pixels at the lower and right border of a tile */
template <unsigned int VThreadsPerTile, typename TLabel>
struct GlobalLabeling
{
  static constexpr unsigned int Threads = TilesPerSide * TilesPerSide * VThreadsPerTile;

  using SharedMemory = NoSharedMemory;

  Grid          size;
  std::uint64_t side;
  TLabel *      labels;
  bool          fullyConnected;

  CCL_NO_EXECUTION_CHECK
  template <typename TThreadBlock>
  CCL_HOST_DEVICE
  void
  operator()(const TThreadBlock & threadBlock, SharedMemory &) const
  {
    const std::uint64_t groupSide = TilesPerSide * side;
    const std::uint64_t groupsInRow = Divide(size.x - 1, groupSide) + 1;
    const std::uint64_t row = Divide(threadBlock.GetIndex(), groupsInRow);
    const Cell          corner{ (threadBlock.GetIndex() - row * groupsInRow) * groupSide, row * groupSide, 0 };
    const Grid          groupSize{ Lower(groupSide, size.x - corner.x), Lower(groupSide, size.y - corner.y), 1 };
    const Group         group{ IndexOf(size, corner), groupSize };
    while (threadBlock.Any([&](unsigned int thread) { return this->MergeTile(group, thread); }))
    {
    }
  }

  /** Unites a thread's pixels at the lower and right border of its tile with their neighbors outside of the tile.
   * Returns whether this has changed a label. */
  CCL_HOST_DEVICE
  bool
  MergeTile(const Group & group, unsigned int thread) const
  {
    const unsigned int  tile = thread / VThreadsPerTile;
    const std::uint64_t x = tile % TilesPerSide * side;
    const std::uint64_t y = tile / TilesPerSide * side;
    bool                changed = false;
    for (std::uint64_t i = thread % VThreadsPerTile; i < side; i += VThreadsPerTile)
    {
      changed |= this->MergePixel(group, { x + i, y + side - 1, 0 }, 0, 1);
    }
    for (std::uint64_t i = thread % VThreadsPerTile; i < side; i += VThreadsPerTile)
    {
      changed |= this->MergePixel(group, { x + side - 1, y + i, 0 }, 1, 0);
    }
    return changed;
  }

  /** Unites a pixel with its neighbors in the next row (step 0, 1) or in the next column (step 1, 0). */
  CCL_HOST_DEVICE
  bool
  MergePixel(const Group & group, const Cell & pixel, unsigned int stepX, unsigned int stepY) const
  {
    const std::uint64_t index = group.first + IndexOf(size, pixel);
    // The middle one of three neighbors.
    const Cell          next{ pixel.x + stepX, pixel.y + stepY, 0 };
    const std::uint64_t nextIndex = index + stepX + size.x * stepY;
    if (!group.Contains(next) || Load(labels + index) == 0)
    {
      return false;
    }
    bool changed = this->Unite(index, nextIndex);
    if (fullyConnected)
    {
      const std::uint64_t step = stepY + size.x * stepX;
      changed |= group.Contains({ next.x - stepY, next.y - stepX, 0 }) && this->Unite(index, nextIndex - step);
      changed |= group.Contains({ next.x + stepY, next.y + stepX, 0 }) && this->Unite(index, nextIndex + step);
    }
    return changed;
  }

  /** Links the root of a foreground pixel and the root of another pixel. Returns false if they have the same root, or
   * if the other pixel is background. */
  CCL_HOST_DEVICE
  bool
  Unite(std::uint64_t index, std::uint64_t other) const
  {
    if (Load(labels + other) == 0)
    {
      return false;
    }
    const LabelsAsParents<TLabel> parents{ labels };
    const TLabel                  a = Find(parents, static_cast<TLabel>(index + 1));
    const TLabel                  b = Find(parents, static_cast<TLabel>(other + 1));
    if (a != b)
    {
      AtomicMin(parents + (a < b ? b : a), a < b ? a : b);
    }
    return a != b;
  }

  CCL_HOST_DEVICE
  static std::uint64_t
  Lower(std::uint64_t a, std::uint64_t b)
  {
    return a < b ? a : b;
  }
};

/** Links each pixel at a border between two tiles to its root. A cell has one of these pixels; a few cells have none,
 * so that each pixel occurs once. `side` is the number of pixels in a row of a tile. */
template <typename TLabel, typename TProperties>
struct BorderCompression
{
  Grid          size;
  std::uint64_t side;
  TLabel *      labels;
  TProperties   properties;

  /** Returns the cells: two rows for each border along x, and then two columns for each border along y. */
  Grid
  GetCells() const
  {
    return { this->PixelsInRows() + 2 * (DivideUp(size.x, side) - 1) * size.y };
  }

  CCL_HOST_DEVICE
  void
  operator()(const Cell & cell) const
  {
    const std::uint64_t pixelsInRows = this->PixelsInRows();
    if (cell.x < pixelsInRows)
    {
      const std::uint64_t row = Divide(cell.x, size.x);
      const std::uint64_t y = (row / 2 + 1) * side - 1 + row % 2;
      CompressPixel(labels, IndexOf(size, { cell.x - row * size.x, y, 0 }), properties);
      return;
    }
    // The two neighbors at a border along y are close in memory, so consecutive threads own them.
    const std::uint64_t pair = (cell.x - pixelsInRows) / 2;
    const std::uint64_t border = Divide(pair, size.y);
    const std::uint64_t y = pair - border * size.y;
    const std::uint64_t x = (border + 1) * side - 1 + (cell.x - pixelsInRows) % 2;
    // The side of a tile is a power of two.
    const std::uint64_t yInTile = y & (side - 1);
    const bool          isInRows = (yInTile == 0 && y != 0) || (yInTile == side - 1 && y != size.y - 1);
    if (!isInRows)
    {
      CompressPixel(labels, IndexOf(size, { x, y, 0 }), properties);
    }
  }

  /** Returns the number of pixels in the rows at borders. */
  CCL_HOST_DEVICE
  std::uint64_t
  PixelsInRows() const
  {
    return 2 * Divide(size.y - 1, side) * size.x;
  }
};

} // namespace TileMerging

} // namespace itk::ccl::gallery

#endif
