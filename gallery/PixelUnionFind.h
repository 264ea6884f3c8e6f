// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_gallery_PixelUnionFind_h
#define ccl_gallery_PixelUnionFind_h

// UF (union-find), for 4- and 8-connectivity, and for 6- and 26-connectivity of volumes.
// Oliveira and Lotufo, "A Study on Connected Components Labeling Algorithms using GPUs", SIBGRAPI 2010: 4-connectivity.
// Allegretti, Bolelli, Cancilla and Grana, "Optimizing GPU-Based Connected Components Labeling Algorithms", IPAS 2018:
// 8- and 26-connectivity. Written from Section 4.1 of Allegretti, Bolelli and Grana, "Optimized Block-Based Algorithms
// to Label Connected Components on GPUs", IEEE TPDS 31(2), 2020, and from Section III-B1 and Algorithm 1 of Bolelli,
// Allegretti, Lumetti and Grana, "A State-of-the-Art Review With Code About Connected Components Labeling on GPUs",
// IEEE TPDS, 2024 ("the review").
//
// The image of labels is the array of parents, and a thread owns a pixel. For planes, LocalMerge (Algorithm 6 of the
// review) labels tiles in shared memory, Merge unites pixels at the borders of tiles, and Compression gives each pixel
// the label of its root. For volumes, the kernels are Initialization, Merge of all pixels, and Compression.
//
// Extra memory: none.
//
// Departures:
// - The size of a tile is ours: the review prints none.
// - Volumes have no tiles. The papers describe tiles, and name no exception for volumes.
// - 6-connectivity is not in the papers. It is the same code with fewer neighbors.
// Race, allowed: the races of Union() and Compress(), see UnionFind.h.

#include "gallery/Entry.h"
#include "gallery/PixelNeighbors.h"
#include "gallery/PixelTiles.h"
#include "gallery/PixelTrees.h"

namespace itk::ccl::gallery
{

namespace PixelUnionFind
{

using Tile = PixelTile<32, 16>;

/** Labels the tiles of a plane. A component may have several parts in a tile. Each foreground pixel gets 1 + the raster
 * index of the first pixel of its part. */
template <typename TLabel>
struct LocalMerge
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

  CCL_NO_EXECUTION_CHECK
  template <typename TThreadBlock>
  CCL_HOST_DEVICE
  void
  operator()(const TThreadBlock & threadBlock, SharedMemory & memory) const
  {
    const Tile                           tile(size, threadBlock.GetIndex());
    const LabelsAsParents<std::uint32_t> parents{ memory.labels };
    threadBlock.ForEachThread(
      [&](unsigned int thread) { memory.labels[thread] = tile.IsForeground(input, thread) ? thread + 1 : 0; });
    threadBlock.Synchronize();
    threadBlock.ForEachThread([&](unsigned int thread) {
      if (Load(memory.labels + thread) != 0)
      {
        VisitPrecedingNeighbors<2>(Tile::Size(), Tile::CellOf(thread), fullyConnected, [&](std::uint64_t neighbor) {
          if (Load(memory.labels + neighbor) != 0)
          {
            Union(parents, thread + 1, static_cast<std::uint32_t>(neighbor + 1));
          }
        });
      }
    });
    threadBlock.Synchronize();
    threadBlock.ForEachThread([&](unsigned int thread) {
      tile.StoreLabel(labels, thread, memory.labels[thread] != 0 ? Find(parents, thread + 1) : 0);
    });
  }
};

/** Unites each foreground pixel with its foreground neighbors before it. */
template <unsigned int VDimension, typename TLabel>
struct Merge
{
  Grid                 size;
  const std::uint8_t * input;
  TLabel *             labels;
  bool                 fullyConnected;

  CCL_HOST_DEVICE
  void
  operator()(const Cell & cell) const
  {
    const std::uint64_t index = IndexOf(size, cell);
    if (input[index] == 0)
    {
      return;
    }
    VisitPrecedingNeighbors<VDimension>(size, cell, fullyConnected, [this, index](std::uint64_t neighbor) {
      if (input[neighbor] != 0)
      {
        Union(LabelsAsParents<TLabel>{ labels }, static_cast<TLabel>(index + 1), static_cast<TLabel>(neighbor + 1));
      }
    });
  }
};

} // namespace PixelUnionFind

/** The row of the algorithm in the table of Gallery.h. */
struct PixelUnionFindAlgorithm
{
  static constexpr Entry Description{ "UF", "Oliveira and Lotufo", 2010, Planes4 | Planes8 | Volumes6 | Volumes26 };

  /** Labels a plane or a volume of one byte per pixel. Foreground pixels are not 0. Writes 1 + the raster index of the
   * component's first pixel to each foreground pixel of `labels`, and 0 to other pixels. */
  template <unsigned int VDimension, typename TLabel, typename TExecutor>
  static void
  Label(const TExecutor & executor, const std::uint8_t * input, const Grid & size, bool fullyConnected, TLabel * labels)
  {
    if constexpr (VDimension == 2)
    {
      using Tile = PixelUnionFind::Tile;
      using LocalMerge = PixelUnionFind::LocalMerge<TLabel>;
      executor.ForEachThreadBlock(Tile::CountIn(size), LocalMerge{ size, input, labels, fullyConnected });
      MergeTileBorders<Tile>(executor, size, fullyConnected, labels);
    }
    else
    {
      using Merge = PixelUnionFind::Merge<VDimension, TLabel>;
      executor.ForEachCompact(size, LabelPixelsByIndex<TLabel>{ size, input, labels });
      executor.ForEachCompact(size, Merge{ size, input, labels, fullyConnected });
    }
    executor.ForEachCompact(size, CompressElements<TLabel>{ size, labels });
  }
};

} // namespace itk::ccl::gallery

#endif
