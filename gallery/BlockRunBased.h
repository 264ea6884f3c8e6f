// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_gallery_BlockRunBased_h
#define ccl_gallery_BlockRunBased_h

// BRB (block-run-based), for 8-connectivity of planes.
// Chen, Zhao, Tao and Sang, "Block-run-based connected component labelling algorithm for GPGPU using shared memory",
// Electronics Letters 47(24), 2011. Written from Section III-A6 of Bolelli, Allegretti, Lumetti and Grana, "A
// State-of-the-Art Review With Code About Connected Components Labeling on GPUs", IEEE TPDS, 2024 ("the review"), which
// prints no algorithm for it.
//
// A block row (BR) is two consecutive rows of pixels. It shares its upper row with the block row before. A thread owns
// a block of 2 x 2 pixels of it. The first scan goes down. BlockRunExtraction joins both rows by OR, and links the
// blocks of each run to the block where the run starts, with ballots. PreviousBRUpdate links each root of the previous
// block row to a root of the current block row. CurrentBRUpdate unites roots of the current block row if a root of the
// previous one connects them. The last two steps repeat until no root changes. The second scan, LabelAssignment, goes
// up. A root gets a new label, and other blocks get the label of their parent.
// BlockRunLinks.h has the steps of the first scan.
//
// Extra memory: none.
//
// Departures:
// - Restriction, mended: the paper works on whole images of certain sizes. Here, both scans label a tile of 64 x 16
//   pixels, so an image may exceed shared memory. A block row of a tile is one warp, so ballots see whole rows. Then,
//   as in UF, one kernel unites pixels at the borders of tiles in the image of labels, and one links each pixel to its
//   root. Pixels outside the image are background, so every size of image is allowed.
// - The last row of a tile is the upper row of a block row, too. So each block row labels its upper row, and an image
//   of one row needs no code of its own.
// - Shared memory has the links only. The pixels of a thread are bits of a register, and LabelAssignment passes labels
//   by shuffles.
// - The review does not say how two threads link the same root. Here, links are atomic minima, so the lower column
//   wins.
// Race, allowed: in CurrentBRUpdate, another thread may replace the new parent of a root by a lower one, and the link
// to the first one is lost. The thread has reported a change, so the steps repeat and find the missing link. In the
// last repetition, no thread has seen a difference. Each repetition but the last one leaves fewer roots, so it ends. In
// the image of labels, the races of Union() and Compress(), see UnionFind.h.

#include "gallery/BlockRunLinks.h"
#include "gallery/Entry.h"
#include "gallery/PixelSquares.h"
#include "gallery/PixelTiles.h"
#include "gallery/PixelTrees.h"

#include "primitives/Bits.h"
#include "primitives/Vec2.h"

namespace itk::ccl::gallery
{

namespace BlockRunBased
{

using Tile = PixelTile<64, 16>;

/** Labels the tiles of a plane. A component may have several parts in a tile. Each foreground pixel gets 1 + the raster
 * index of a pixel of its part. This pixel lies in the last row of the part. */
template <typename TLabel>
struct LabelTiles
{
  static constexpr unsigned int Threads = BlocksInRow;
  static_assert(2 * BlocksInRow == Tile::Width, "a thread owns a block of each block row");
  static_assert(2 * Tile::Height == 32, "a thread's pixels are 32 bits");

  struct SharedMemory
  {
    std::uint32_t links[Tile::Height][Threads];
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
    const Tile          tile(size, threadBlock.GetIndex());
    const std::uint64_t rowsLeft = size.y - tile.corner.y;
    const unsigned int  rows = rowsLeft < Tile::Height ? static_cast<unsigned int>(rowsLeft) : Tile::Height;

    // Bits 2 * row and 2 * row + 1 are the two pixels of a thread in a row of the tile.
    typename TThreadBlock::template PerThread<std::uint32_t> pixels;
    threadBlock.ForEachThread([&](unsigned int thread) { pixels[thread] = this->LoadPixels(tile, rows, thread); });

    BlockRunExtraction(threadBlock, pixels, 0, memory.links[0]);
    for (unsigned int row = 1; row < rows; ++row)
    {
      std::uint32_t * const previous = memory.links[row - 1];
      std::uint32_t * const current = memory.links[row];

      // The block rows share a row of pixels. A foreground pixel of it connects the blocks of a thread.
      typename TThreadBlock::template PerThread<std::uint32_t> previousRoots;
      threadBlock.ForEachThread([&](unsigned int thread) {
        previousRoots[thread] = PixelsInRow(pixels[thread], row) != 0 ? RootOf(previous, thread) : NoRun;
      });
      BlockRunExtraction(threadBlock, pixels, row, current);
      do
      {
        PreviousBRUpdate(threadBlock, previousRoots, previous, current);
      } while (CurrentBRUpdate(threadBlock, previousRoots, previous, current));
    }
    this->LabelAssignment(threadBlock, tile, rows, pixels, memory);
  }

private:
  /** Returns the pixels of a thread in all rows of the tile. Pixels outside the plane are background. */
  CCL_HOST_DEVICE
  std::uint32_t
  LoadPixels(const Tile & tile, unsigned int rows, unsigned int thread) const
  {
    const Cell cell{ tile.corner.x + 2 * thread, tile.corner.y, 0 };
    if (cell.x >= size.x)
    {
      return 0;
    }
    // Loads without conditions overlap. So a pixel outside the plane is loaded from the plane, and removed.
    const std::uint8_t * const address = input + IndexOf(size, cell);
    const unsigned int         stepToRight = cell.x + 1 < size.x;
    std::uint32_t              pixels = 0;
    CCL_UNROLL
    for (unsigned int row = 0; row < Tile::Height; ++row)
    {
      const std::uint8_t * const left = address + size.x * (row < rows ? row : 0);
      pixels |= static_cast<std::uint32_t>(left[0] != 0) << 2 * row;
      pixels |= static_cast<std::uint32_t>(left[stepToRight] != 0) << (2 * row + 1);
    }
    return pixels & BitsThrough(2 * rows - 1) & (stepToRight != 0 ? 0xFFFFFFFF : 0x55555555);
  }

  /** Writes the labels of the upper row of each block row, from the last block row to the first one. */
  CCL_NO_EXECUTION_CHECK
  template <typename TThreadBlock, typename TPixels>
  CCL_HOST_DEVICE
  void
  LabelAssignment(const TThreadBlock & threadBlock,
                  const Tile &         tile,
                  unsigned int         rows,
                  const TPixels &      pixels,
                  const SharedMemory & memory) const
  {
    // The label of a block is a pixel of the tile, in raster order.
    typename TThreadBlock::template PerThread<std::uint32_t> blockLabels;
    threadBlock.ForEachThread([&](unsigned int thread) { blockLabels[thread] = 0; });
    for (unsigned int row = rows; row-- > 0;)
    {
      const std::uint32_t * const links = memory.links[row];
      const auto                  labelsBelow = threadBlock.Shuffle(
        blockLabels, [&](unsigned int thread) { return links[thread] < InSameRow ? links[thread] : thread; });
      threadBlock.ForEachThread([&](unsigned int thread) {
        // A root has no pixel in the lower row, because this pixel would link it to the next block row. So its label is
        // its first pixel in the upper row.
        const unsigned int firstColumn = 2 * thread + (PixelsInRow(pixels[thread], row) & 1U ? 0 : 1);
        blockLabels[thread] = links[thread] < InSameRow ? labelsBelow[thread] : row * Tile::Width + firstColumn;
      });
      blockLabels = threadBlock.Shuffle(blockLabels, [&](unsigned int thread) {
        return links[thread] != NoRun ? RootOf(links, thread) : std::uint32_t{ thread };
      });
      threadBlock.ForEachThread([&](unsigned int thread) {
        const Cell cell{ tile.corner.x + 2 * thread, tile.corner.y + row, 0 };
        if (cell.x < size.x)
        {
          const auto         label = static_cast<TLabel>(tile.IndexOfPixel(blockLabels[thread]) + 1);
          const unsigned int foreground = PixelsInRow(pixels[thread], row);
          const Vec2<TLabel> both{ foreground & 1U ? label : 0, foreground & 2U ? label : 0 };
          TLabel * const     address = labels + IndexOf(size, cell);
          if (cell.x + 1 < size.x)
          {
            StoreVec2(address, both);
          }
          else
          {
            *address = both.first;
          }
        }
      });
    }
  }
};

} // namespace BlockRunBased

/** The row of the algorithm in the table of Gallery.h. */
struct BlockRunBasedAlgorithm
{
  static constexpr Entry Description{ "BRB", "Chen, Zhao, Tao and Sang", 2011, Planes8, LabelElement::Other };

  /** Labels a plane (8-connectivity) of one byte per pixel. Foreground pixels are not 0. Writes 1 + the raster index of
   * a pixel of the component to each foreground pixel of `labels`, and 0 to other pixels. */
  template <unsigned int VDimension, typename TLabel, typename TExecutor>
  static void
  Label(const TExecutor &    executor,
        const std::uint8_t * input,
        const Grid &         size,
        bool /* fullyConnected */,
        TLabel * labels)
  {
    using Tile = BlockRunBased::Tile;
    executor.ForEachThreadBlock(Tile::CountIn(size), BlockRunBased::LabelTiles<TLabel>{ size, input, labels });
    // In a tile, a root may come after other pixels of its part in raster order. UnionFind.h says why Union() and
    // Compress() allow this.
    MergeSquaresAtTileBorders<Tile>(executor, size, labels);
    executor.ForEachCompact(size, CompressElements<TLabel>{ size, labels });
  }
};

} // namespace itk::ccl::gallery

#endif
