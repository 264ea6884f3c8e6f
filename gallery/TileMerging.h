// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_gallery_TileMerging_h
#define ccl_gallery_TileMerging_h

// STAVA, also TM (tile merging), for 4- and 8-connectivity of planes.
// Stava and Benes, "Connected Component Labeling in CUDA", GPU Computing Gems Emerald Edition, 2011. Written from
// Section III-A5 and Algorithm 4 of Bolelli, Allegretti, Lumetti and Grana, "A State-of-the-Art Review With Code About
// Connected Components Labeling on GPUs", IEEE TPDS, 2024 ("the review"), and from Asad, Marroquim and Souza, "On GPU
// Connected Components and Properties" ("the paper on properties"), whose Table II has the sizes of thread blocks.
//
// The image of labels is the array of parents. LocalLabeling labels tiles of 16 x 16 pixels in shared memory, by label
// equivalence. GlobalLabeling merges groups of 4 x 4 tiles: a thread block owns a group, and unites pixels at the
// borders between its tiles until nothing changes. The groups are the tiles of the next level, until one group covers
// the plane. Between two levels, BorderCompression links the pixels at the borders of the new tiles to their roots.
// PathCompression does it for all pixels. GlobalLabeling and BorderCompression are in TileMergingGroups.h.
//
// The kernels can also add up properties of components: see TileMergingProperties.h. With NoProperties, they only
// label.
//
// Extra memory: none.
//
// Departures:
// - Restriction, mended: sizes are powers of two in the book, as Section V-E of the paper on properties says. Here,
//   tiles and groups may exceed the plane.
// - 4-connectivity is not in Table I of the review. It is the same code with fewer neighbors.
// - Background pixels have the label 0, so LocalLabeling keeps no copy of the input in shared memory.
// - Consecutive threads own pixels of one border, so more accesses to labels are coalesced. In Table II of the paper on
//   properties, consecutive threads own pixels of different tiles.
// Race, allowed: in a round of LocalLabeling or GlobalLabeling, two threads may lower the same parent, so one link may
// be lost. The two pixels of the lost link then have different roots, and the next round unites them again. Each round
// that changes anything has fewer roots than the round before. The last round changes nothing, so its reads are
// current, as in Rounds.h. Thread blocks of GlobalLabeling never touch the same trees, because pairs of pixels in
// different groups are left to later levels. In BorderCompression and PathCompression, the race of Compress(), see
// UnionFind.h.

#include "gallery/Entry.h"
#include "gallery/PixelNeighbors.h"
#include "gallery/PixelTiles.h"
#include "gallery/Properties.h"
#include "gallery/TileMergingGroups.h"

namespace itk::ccl::gallery
{

namespace TileMerging
{

using Tile = PixelTile<16, 16>;

/** Labels the tiles of a plane. A component may have several parts in a tile. Each foreground pixel gets 1 + the raster
 * index of the first pixel of its part. Adds each foreground pixel to the sums of that first pixel. */
template <typename TLabel, typename TProperties>
struct LocalLabeling
{
  static constexpr unsigned int Threads = Tile::PixelCount;

  struct SharedMemory
  {
    std::uint32_t labels[Threads]; // 1 + the thread of a pixel
  };

  Grid                 size;
  const std::uint8_t * input;
  TLabel *             labels;
  bool                 fullyConnected;
  TProperties          properties;

  CCL_NO_EXECUTION_CHECK
  template <typename TThreadBlock>
  CCL_HOST_DEVICE
  void
  operator()(const TThreadBlock & threadBlock, SharedMemory & memory) const
  {
    using PerThread = typename TThreadBlock::template PerThread<std::uint32_t>;
    const Tile tile(size, threadBlock.GetIndex());
    PerThread  label;
    PerThread  lowest;
    threadBlock.ForEachThread(
      [&](unsigned int thread) { label[thread] = tile.IsForeground(input, thread) ? thread + 1 : 0; });
    for (;;)
    {
      threadBlock.ForEachThread([&](unsigned int thread) { memory.labels[thread] = label[thread]; });
      threadBlock.Synchronize();
      threadBlock.ForEachThread([&](unsigned int thread) {
        lowest[thread] =
          label[thread] == 0
            ? 0
            : LowestLabelAround<2>(memory.labels, label[thread], Tile::Size(), Tile::CellOf(thread), fullyConnected);
      });
      threadBlock.Synchronize();
      // The labels are roots.
      const bool changed = threadBlock.Any([&](unsigned int thread) {
        if (lowest[thread] < label[thread])
        {
          AtomicMin(memory.labels + (label[thread] - 1), lowest[thread]);
        }
        return lowest[thread] < label[thread];
      });
      if (!changed)
      {
        break;
      }
      threadBlock.ForEachThread([&](unsigned int thread) {
        if (label[thread] != 0)
        {
          label[thread] = Find(LabelsAsParents<std::uint32_t>{ memory.labels }, label[thread]);
        }
      });
      threadBlock.Synchronize();
    }
    threadBlock.ForEachThread([&](unsigned int thread) {
      tile.StoreLabel(labels, thread, label[thread]);
      if (label[thread] != 0)
      {
        properties.AddPixel(tile.IndexOfPixel(label[thread] - 1), tile.PixelOf(thread));
      }
    });
  }
};

/** Labels a plane, and adds up properties: see TileMergingProperties.h. */
template <typename TLabel, typename TProperties, typename TExecutor>
void
LabelTiles(const TExecutor &    executor,
           const std::uint8_t * input,
           const Grid &         size,
           bool                 fullyConnected,
           TLabel *             labels,
           const TProperties &  properties)
{
  using LocalLabeling = LocalLabeling<TLabel, TProperties>;
  using BorderCompression = BorderCompression<TLabel, TProperties>;
  using PathCompression = CompressPixelsWithProperties<TLabel, TProperties>;
  const auto isOneTile = [&size](std::uint64_t side) { return side >= size.x && side >= size.y; };

  executor.ForEachThreadBlock(Tile::CountIn(size), LocalLabeling{ size, input, labels, fullyConnected, properties });
  for (std::uint64_t side = Tile::Width; !isOneTile(side); side *= TilesPerSide)
  {
    const std::uint64_t groupSide = TilesPerSide * side;
    const std::uint64_t groups = DivideUp(size.x, groupSide) * DivideUp(size.y, groupSide);
    if (side == Tile::Width)
    {
      executor.ForEachThreadBlock(groups, GlobalLabeling<4, TLabel>{ size, side, labels, fullyConnected });
    }
    else if (side == TilesPerSide * Tile::Width)
    {
      executor.ForEachThreadBlock(groups, GlobalLabeling<16, TLabel>{ size, side, labels, fullyConnected });
    }
    else
    {
      executor.ForEachThreadBlock(groups, GlobalLabeling<64, TLabel>{ size, side, labels, fullyConnected });
    }
    if (!isOneTile(groupSide))
    {
      const BorderCompression compression{ size, groupSide, labels, properties };
      executor.ForEach(compression.GetCells(), compression);
    }
  }
  executor.ForEachCompact(size, PathCompression{ size, labels, properties });
}

} // namespace TileMerging

/** The row of the algorithm in the table of Gallery.h. */
struct TileMergingAlgorithm
{
  static constexpr Entry Description{ "STAVA", "Stava and Benes", 2011, Planes4 | Planes8 };

  /** Labels a plane of one byte per pixel. Foreground pixels are not 0. Writes 1 + the raster index of the component's
   * first pixel to each foreground pixel of `labels`, and 0 to other pixels. */
  template <unsigned int VDimension, typename TLabel, typename TExecutor>
  static void
  Label(const TExecutor & executor, const std::uint8_t * input, const Grid & size, bool fullyConnected, TLabel * labels)
  {
    TileMerging::LabelTiles(executor, input, size, fullyConnected, labels, NoProperties{});
  }
};

} // namespace itk::ccl::gallery

#endif
