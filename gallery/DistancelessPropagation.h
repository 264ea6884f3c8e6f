// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_gallery_DistancelessPropagation_h
#define ccl_gallery_DistancelessPropagation_h

// DLP (distanceless label propagation), for 8-connectivity of planes.
// Cabaret, Lacassagne and Etiemble, "Distanceless Label Propagation: An Efficient Direct Connected Component Labeling
// Algorithm for GPUs", IPTA 2017. Written from Section III-B5 of Bolelli, Allegretti, Lumetti and Grana, "A
// State-of-the-Art Review With Code About Connected Components Labeling on GPUs", IEEE TPDS, 2024 ("the review"), which
// prints no algorithm for it.
//
// A thread owns a pixel and works on its square of 2 x 2 pixels: the pixel and its right, lower and lower right
// neighbor. The review calls the square a mask. DLP-I gives each foreground pixel its own label. DLP-SR (set root)
// gathers the lowest label of the square, and scatters it to the roots of all foreground pixels of the square. DLP-R
// (relabeling) links each pixel to its root. DLP-RUF (recursive union-find) gathers as DLP-SR does, and unites each
// foreground pixel of the square with the lowest label. Three steps use these kernels. Tile labeling runs DLP-I,
// DLP-SR, DLP-R, DLP-RUF and DLP-R on a tile in shared memory. Border merging runs DLP-RUF on the pixels at the borders
// of tiles. Relabeling runs DLP-R on the image.
//
// Extra memory: none.
//
// Departures:
// - The size of a tile is ours: the review prints none. Pixels outside the image are background, so every size of image
//   is allowed.
// - The union is a loop, because the recursive call is the last step of the function. The project's Union() does this.
// - A pixel that has the lowest label of its square already is left out, and so is the second of two equal labels of a
//   row.
// - A thread of a background pixel works, too, because the right and the lower pixel of its square may be adjacent.
// Race, allowed: in DLP-SR, another thread may replace the new parent of a root by a lower one, and the link to the
// first one is lost. DLP-RUF unites all foreground pixels of each square again, and loses no link. In DLP-RUF, the race
// of Union(), see UnionFind.h. In Relabeling, the race of Compress().

#include "gallery/Entry.h"
#include "gallery/PixelSquares.h"
#include "gallery/PixelTiles.h"
#include "gallery/PixelTrees.h"

namespace itk::ccl::gallery
{

namespace DistancelessPropagation
{

using Tile = PixelTile<32, 16>;

/** Labels the tiles of a plane. A component may have several parts in a tile. Each foreground pixel gets 1 + the raster
 * index of the first pixel of its part. */
template <typename TLabel>
struct TileLabeling
{
  static constexpr unsigned int Threads = Tile::PixelCount;

  struct SharedMemory
  {
    std::uint32_t labels[Threads]; // 1 + the thread of a pixel
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
    const Tile                           tile(size, threadBlock.GetIndex());
    const LabelsAsParents<std::uint32_t> parents{ memory.labels };

    // DLP-I
    threadBlock.ForEachThread(
      [&](unsigned int thread) { memory.labels[thread] = tile.IsForeground(input, thread) ? thread + 1 : 0; });
    threadBlock.Synchronize();

    // DLP-SR
    threadBlock.ForEachThread([&](unsigned int thread) {
      JoinSquare(memory.labels, Tile::Size(), Tile::CellOf(thread), [&](std::uint32_t label, std::uint32_t lowest) {
        AtomicMin(parents + Find(parents, label), lowest);
      });
    });
    threadBlock.Synchronize();

    // DLP-R
    typename TThreadBlock::template PerThread<std::uint32_t> roots;
    threadBlock.ForEachThread([&](unsigned int thread) {
      const std::uint32_t label = memory.labels[thread];
      roots[thread] = label != 0 ? Find(parents, label) : 0;
    });
    threadBlock.Synchronize();
    threadBlock.ForEachThread([&](unsigned int thread) { memory.labels[thread] = roots[thread]; });
    threadBlock.Synchronize();

    // DLP-RUF
    threadBlock.ForEachThread(
      [&](unsigned int thread) { UniteSquare(memory.labels, Tile::Size(), Tile::CellOf(thread)); });
    threadBlock.Synchronize();

    // DLP-R, and the labels of the image
    threadBlock.ForEachThread([&](unsigned int thread) {
      const std::uint32_t label = memory.labels[thread];
      tile.StoreLabel(labels, thread, label != 0 ? Find(parents, label) : 0);
    });
  }
};

} // namespace DistancelessPropagation

/** The row of the algorithm in the table of Gallery.h. */
struct DistancelessPropagationAlgorithm
{
  static constexpr Entry Description{ "DLP", "Cabaret, Lacassagne and Etiemble", 2017, Planes8 };

  /** Labels a plane (8-connectivity) of one byte per pixel. Foreground pixels are not 0. Writes 1 + the raster index of
   * the component's first pixel to each foreground pixel of `labels`, and 0 to other pixels. */
  template <unsigned int VDimension, typename TLabel, typename TExecutor>
  static void
  Label(const TExecutor &    executor,
        const std::uint8_t * input,
        const Grid &         size,
        bool /* fullyConnected */,
        TLabel * labels)
  {
    using Tile = DistancelessPropagation::Tile;
    executor.ForEachThreadBlock(Tile::CountIn(size),
                                DistancelessPropagation::TileLabeling<TLabel>{ size, input, labels });
    MergeSquaresAtTileBorders<Tile>(executor, size, labels);
    executor.ForEachCompact(size, CompressElements<TLabel>{ size, labels });
  }
};

} // namespace itk::ccl::gallery

#endif
