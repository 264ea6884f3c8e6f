// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_gallery_LineUnionFind_h
#define ccl_gallery_LineUnionFind_h

// LBUF (line-based union-find), for 4- and 8-connectivity of planes.
// Yonehara and Aizawa, "A line-based connected component labeling algorithm using GPUs", 3rd International Symposium on
// Computing and Networking, 2015. Written from Section III-B2 of Bolelli, Allegretti, Lumetti and Grana, "A
// State-of-the-Art Review With Code About Connected Components Labeling on GPUs", IEEE TPDS, 2024 ("the review"), which
// prints no algorithm for it. The section describes the difference from UF (union-find), which is in PixelUnionFind.h.
//
// The image of labels is the array of parents, and a thread owns a pixel. LocalMerge labels tiles of a single line in
// shared memory: a thread links its pixel to the left pixel if both are foreground. Merge unites pixels at the borders
// of tiles, and Compression gives each pixel the label of its root. Each pixel is at the border of its tile, so Merge
// visits all pixels.
//
// Extra memory: none.
//
// Departures:
// - The length of a tile is ours: the review prints none.
// - LocalMerge links a pixel to the first pixel of its run in the warp, which a ballot finds. If all pixels had links
//   to the left, a search would take as many steps as the run has pixels.
// - Merge leaves out most unions that follow from others. In UF, few pixels are at a border. Here, all are, and most
//   unions of UF's Merge would join pixels that are in one tree already.
// - Compression calls Compress(), as in UF. LBUF introduced InlineCompress() for it: see Section II-A of the review,
//   and Section 3.2 of Allegretti, Bolelli and Grana, "Optimized Block-Based Algorithms to Label Connected Components
//   on GPUs", IEEE TPDS 31(2), 2020. InlineCompress() was not measured here.
// Race, allowed: the races of Union() and Compress(), see UnionFind.h.

#include "gallery/Entry.h"
#include "gallery/PixelTiles.h"
#include "gallery/PixelTrees.h"

#include "primitives/Bits.h"

namespace itk::ccl::gallery
{

namespace LineUnionFind
{

using Tile = PixelTile<256, 1>;

/** Labels the tiles of a plane. Each foreground pixel gets 1 + the raster index of the first pixel of its run in its
 * tile. */
template <typename TLabel>
struct LocalMerge
{
  static constexpr unsigned int Threads = Tile::PixelCount;

  struct SharedMemory
  {
    std::uint32_t parents[Threads]; // a run is a tree of threads
  };

  Grid                 size;
  const std::uint8_t * input;
  TLabel *             labels;

  CCL_NO_EXECUTION_CHECK
  template <typename TThreadBlock>
  CCL_HOST_DEVICE
  void
  operator()(const TThreadBlock & threadBlock, SharedMemory & memory) const
  {
    const Tile tile(size, threadBlock.GetIndex());
    const auto foreground = threadBlock.Ballot([&](unsigned int thread) { return tile.IsForeground(input, thread); });
    threadBlock.ForEachThread([&](unsigned int thread) {
      const unsigned int lane = thread % BitsPerWord;
      const Word         gapsBefore = ~foreground[thread] & ((Word{ 1 } << lane) - 1);
      const unsigned int first = gapsBefore == 0 ? 0 : HighestBit(gapsBefore) + 1;
      const bool         continuesRun = lane == 0 && thread > 0 && tile.IsForeground(input, thread - 1);
      memory.parents[thread] = continuesRun ? thread - 1 : thread - lane + first;
    });
    threadBlock.Synchronize();
    threadBlock.ForEachThread([&](unsigned int thread) {
      const bool isForeground = foreground[thread] >> thread % BitsPerWord & 1U;
      tile.StoreLabel(labels, thread, isForeground ? Find(&memory.parents[0], thread) + 1 : 0);
    });
  }
};

/** Unites each foreground pixel with the foreground neighbors before it in other tiles. LocalMerge and this kernel join
 * the foreground neighbors of each row. So this kernel can leave out most unions with the row above that follow from
 * others. */
template <typename TLabel>
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
    const bool isLeftForeground = cell.x > 0 && input[index - 1] != 0;
    if (isLeftForeground && cell.x % Tile::Width == 0)
    {
      this->UniteWith(index - 1, index);
    }
    if (cell.y == 0)
    {
      return;
    }
    const std::uint64_t above = index - size.x;
    if (input[above] != 0)
    {
      this->UniteWith(above, index);
    }
    else if (fullyConnected)
    {
      // The left pixel unites with the upper left one, which is above it.
      if (cell.x > 0 && !isLeftForeground && input[above - 1] != 0)
      {
        this->UniteWith(above - 1, index);
      }
      if (cell.x + 1 < size.x && input[above + 1] != 0)
      {
        this->UniteWith(above + 1, index);
      }
    }
  }

private:
  /** Joins the trees of a pixel and of a pixel before it. */
  CCL_HOST_DEVICE
  void
  UniteWith(std::uint64_t before, std::uint64_t index) const
  {
    Union(LabelsAsParents<TLabel>{ labels }, static_cast<TLabel>(index + 1), static_cast<TLabel>(before + 1));
  }
};

} // namespace LineUnionFind

/** The row of the algorithm in the table of Gallery.h. */
struct LineUnionFindAlgorithm
{
  static constexpr Entry Description{ "LBUF", "Yonehara and Aizawa", 2015, Planes4 | Planes8 };

  /** Labels a plane of one byte per pixel. Foreground pixels are not 0. Writes 1 + the raster index of the component's
   * first pixel to each foreground pixel of `labels`, and 0 to other pixels. */
  template <unsigned int VDimension, typename TLabel, typename TExecutor>
  static void
  Label(const TExecutor & executor, const std::uint8_t * input, const Grid & size, bool fullyConnected, TLabel * labels)
  {
    using LineUnionFind::Tile;
    executor.ForEachThreadBlock(Tile::CountIn(size), LineUnionFind::LocalMerge<TLabel>{ size, input, labels });
    executor.ForEach(size, LineUnionFind::Merge<TLabel>{ size, input, labels, fullyConnected });
    executor.ForEach(size, CompressElements<TLabel>{ size, labels });
  }
};

} // namespace itk::ccl::gallery

#endif
