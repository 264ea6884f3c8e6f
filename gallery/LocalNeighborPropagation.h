// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_gallery_LocalNeighborPropagation_h
#define ccl_gallery_LocalNeighborPropagation_h

// LNP (local neighbor propagation), for 4- and 8-connectivity of planes.
// Hawick, Leist and Playne, "Parallel graph component labelling with GPUs and CUDA", Parallel Computing 36(12), 2010.
// Written from Section III-A2 and Algorithm 2 of Bolelli, Allegretti, Lumetti and Grana, "A State-of-the-Art Review
// With Code About Connected Components Labeling on GPUs", IEEE TPDS, 2024 ("the review").
//
// Each pixel starts with its own label. The plane has tiles of 16 x 16 pixels. A thread block owns a tile, and a thread
// owns a pixel. In the kernel LNP, a thread first takes the lowest label around its pixel in device memory. Then it
// takes the lowest label around its pixel in shared memory, until no label of the tile changes. The kernel repeats
// until no label of the plane changes. Table I of the review lists planes only, and the review describes no tiles for
// volumes. So volumes are not here.
//
// Extra memory: a flag of 4 bytes.
//
// Departures:
// - The kernel reads the input only to give pixels their own labels. A label is 0 if and only if the pixel is
//   background.
// - Shared memory holds labels less 1. So background wraps around to the highest number, and is never the lowest.
// - If no thread finds a lower label in device memory, shared memory would change nothing. The thread block then ends,
//   and does not write its labels again.
// - Race, mended: in Algorithm 2 (lines 20 to 26), a thread may reset sChanged after another thread has set it. The
//   loop of the tile then ends early, and the next launch of the kernel repairs this. Here, Any() loses no change.
// Race, allowed: between tiles, see Rounds.h.

#include "gallery/Entry.h"
#include "gallery/PixelNeighbors.h"
#include "gallery/PixelTiles.h"
#include "gallery/PixelTrees.h"
#include "gallery/Rounds.h"

#include <limits>

namespace itk::ccl::gallery
{

namespace LocalNeighborPropagation
{

using Tile = PixelTile<16, 16>;

/** Lowers the label of each foreground pixel to the lowest label of its neighbors, and then to the lowest label that
 * reaches it in its tile. The review calls this kernel LNP. */
template <typename TLabel>
struct Propagate
{
  static constexpr unsigned int Threads = Tile::PixelCount;

  struct SharedMemory
  {
    TLabel labels[Threads]; // less 1
  };

  Grid       size;
  TLabel *   labels;
  bool       fullyConnected;
  ChangeFlag changes;

  CCL_NO_EXECUTION_CHECK
  template <typename TThreadBlock>
  CCL_HOST_DEVICE
  void
  operator()(const TThreadBlock & threadBlock, SharedMemory & memory) const
  {
    const Tile                                        tile(size, threadBlock.GetIndex());
    typename TThreadBlock::template PerThread<TLabel> lowest; // less 1

    const bool hasChanged = threadBlock.Any([&](unsigned int thread) {
      const auto labelAt = [this](std::uint64_t index) { return static_cast<TLabel>(Load(labels + index) - 1); };
      lowest[thread] = tile.Contains(thread) ? labelAt(tile.IndexOfPixel(thread)) : Background;
      return this->Lower(lowest[thread], size, tile.PixelOf(thread), labelAt);
    });
    if (!hasChanged)
    {
      return;
    }
    do
    {
      threadBlock.ForEachThread([&](unsigned int thread) { memory.labels[thread] = lowest[thread]; });
      threadBlock.Synchronize();
    } while (threadBlock.Any([&](unsigned int thread) {
      const auto labelAt = [&memory](std::uint64_t neighbor) { return memory.labels[neighbor]; };
      return this->Lower(lowest[thread], Tile::Size(), Tile::CellOf(thread), labelAt);
    }));
    threadBlock.ForEachThread([&](unsigned int thread) {
      if (lowest[thread] != Background)
      {
        Store(labels + tile.IndexOfPixel(thread), static_cast<TLabel>(lowest[thread] + 1));
      }
      if (thread == 0)
      {
        changes.Set();
      }
    });
  }

private:
  static constexpr TLabel Background = std::numeric_limits<TLabel>::max();

  /** Lowers a pixel's label to the lowest label of its neighbors. Returns whether this changes the label. Does nothing
   * for background. `labelAt(index)` returns the label of a pixel, less 1. */
  template <typename TFunction>
  CCL_HOST_DEVICE
  bool
  Lower(TLabel & label, const Grid & grid, const Cell & cell, const TFunction & labelAt) const
  {
    const TLabel before = label;
    if (label != Background)
    {
      VisitNeighbors<2>(grid, cell, fullyConnected, [&label, &labelAt](std::uint64_t neighbor) {
        const TLabel other = labelAt(neighbor);
        label = other < label ? other : label;
      });
    }
    return label != before;
  }
};

} // namespace LocalNeighborPropagation

/** The row of the algorithm in the table of Gallery.h. */
struct LocalNeighborPropagationAlgorithm
{
  static constexpr Entry Description{ "LNP", "Hawick, Leist and Playne", 2010, Planes4 | Planes8 };

  /** Labels a plane of one byte per pixel. Foreground pixels are not 0. Writes 1 + the raster index of the component's
   * first pixel to each foreground pixel of `labels`, and 0 to other pixels. */
  template <unsigned int VDimension, typename TLabel, typename TExecutor>
  static void
  Label(const TExecutor & executor, const std::uint8_t * input, const Grid & size, bool fullyConnected, TLabel * labels)
  {
    using Tile = LocalNeighborPropagation::Tile;
    using Propagate = LocalNeighborPropagation::Propagate<TLabel>;
    executor.ForEach(size, LabelPixelsByIndex<TLabel>{ size, input, labels });
    RepeatUntilStable(executor, [&](const ChangeFlag & changes) {
      executor.ForEachThreadBlock(Tile::CountIn(size), Propagate{ size, labels, fullyConnected, changes });
    });
  }
};

} // namespace itk::ccl::gallery

#endif
