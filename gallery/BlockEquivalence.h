// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_gallery_BlockEquivalence_h
#define ccl_gallery_BlockEquivalence_h

// BE (block equivalence), for 8- and 26-connectivity.
// Zavalishin, Safonov, Bekhtin and Kurilin, "Block Equivalence Algorithm for Labeling 2D and 3D Images on GPU",
// Electronic Imaging 2016(2). Written from Section III-A9 and Algorithm 5 of Bolelli, Allegretti, Lumetti and Grana, "A
// State-of-the-Art Review With Code About Connected Components Labeling on GPUs", IEEE TPDS, 2024 ("the review"); Scan
// and Analysis are in its Algorithm 3.
//
// Label equivalence on blocks of 2 x 2 or 2 x 2 x 2 pixels. Init finds the adjacent blocks of each block once. Scan
// lowers the label of a block's parent to the lowest label of the adjacent blocks, and Analysis links each block to its
// root, until Scan changes nothing. FinalLabeling writes the labels of the blocks to their pixels.
//
// Extra memory: for each block a label and its adjacent blocks (1 byte in a plane, 4 bytes in a volume), and a flag of
// 4 bytes.
//
// Departures:
// - Race, mended: the review's Scan reads, compares and writes a parent's label without atomic operations, as in OLE
//   (optimized label equivalence). A lost write may raise a label, and costs a round. Here, Scan uses an atomic
//   minimum.
// - Blocks at the image's border may lack pixels, so sizes need not be even.
// - The review's FinalLabeling copies the labels of blocks. Here, it turns the number of the root block into 1 + the
//   raster index of the block's corner, so that a label names a pixel: see LabelElement::Block.
// Race, allowed: in Scan, see Rounds.h. In Analysis, the race of Compress(), see UnionFind.h.

#include "gallery/Entry.h"
#include "gallery/PixelTrees.h"
#include "gallery/Rounds.h"

#include "algorithms/published/Blocks.h"

#include <type_traits>

namespace itk::ccl::gallery
{

namespace BlockEquivalence
{

/** The images that all kernels share. */
template <unsigned int VDimension, typename TLabel>
struct Images
{
  using Neighborhood = BlockNeighborhood<VDimension>;
  using Adjacent = std::conditional_t<VDimension == 2, std::uint8_t, std::uint32_t>;

  /** The block itself, in a neighborhood of 3 x 3 or 3 x 3 x 3 blocks in raster order. */
  static constexpr unsigned int Middle = Neighborhood::NeighborCount;

  Grid                 size;
  Grid                 blocks;
  const std::uint8_t * input;
  TLabel *             labels;
  TLabel *             blockLabels;    // 1 + the raster index of a block, or 0 for a block without foreground
  Adjacent *           adjacentBlocks; // a bit for each adjacent block

  /** Returns the number of an adjacent block in the neighborhood. The block itself has no bit. */
  CCL_HOST_DEVICE
  static constexpr unsigned int
  NeighborOf(unsigned int bit)
  {
    return bit < Middle ? bit : bit + 1;
  }
};

/** Gives each block with foreground its own label, and finds its adjacent blocks. */
template <unsigned int VDimension, typename TLabel>
struct Init
{
  using ImagesType = Images<VDimension, TLabel>;
  using Neighborhood = BlockNeighborhood<VDimension>;

  ImagesType images;

  CCL_HOST_DEVICE
  void
  operator()(const Cell & cell) const
  {
    const std::uint64_t                    index = IndexOf(images.blocks, cell);
    const Block<VDimension, std::uint64_t> block(images.size, cell);
    const unsigned int                     foreground = block.Foreground(images.input);
    images.blockLabels[index] = foreground != 0 ? static_cast<TLabel>(index + 1) : 0;

    constexpr std::uint64_t notOwn = ~Neighborhood::PixelsOf(ImagesType::Middle);
    const std::uint64_t     around = Neighborhood::Around(foreground) & block.CubeInImage();
    const std::uint64_t     found = foreground != 0 ? block.template ForegroundAround<notOwn>(images.input, around) : 0;
    std::uint32_t           adjacent = 0;
    CCL_UNROLL
    for (unsigned int bit = 0; bit < 2 * ImagesType::Middle; ++bit)
    {
      adjacent |= static_cast<std::uint32_t>((found & Neighborhood::PixelsOf(ImagesType::NeighborOf(bit))) != 0) << bit;
    }
    images.adjacentBlocks[index] = static_cast<typename ImagesType::Adjacent>(adjacent);
  }
};

/** Lowers the label of each block's parent to the lowest label of the adjacent blocks. */
template <unsigned int VDimension, typename TLabel>
struct Scan
{
  using ImagesType = Images<VDimension, TLabel>;
  using Neighborhood = BlockNeighborhood<VDimension>;

  ImagesType images;
  ChangeFlag changes;

  CCL_HOST_DEVICE
  void
  operator()(const Cell & cell) const
  {
    const std::uint64_t index = IndexOf(images.blocks, cell);
    const TLabel        label = Load(images.blockLabels + index);
    const std::uint32_t adjacent = images.adjacentBlocks[index];
    TLabel              lowest = label;
    CCL_UNROLL
    for (unsigned int bit = 0; bit < 2 * ImagesType::Middle; ++bit)
    {
      if (adjacent >> bit & 1U)
      {
        const unsigned int neighbor = ImagesType::NeighborOf(bit);
        const Cell         other{ cell.x + static_cast<std::uint64_t>(Neighborhood::OffsetX(neighbor)),
                          cell.y + static_cast<std::uint64_t>(Neighborhood::OffsetY(neighbor)),
                          cell.z + static_cast<std::uint64_t>(Neighborhood::OffsetZ(neighbor)) };
        const TLabel       otherLabel = Load(images.blockLabels + IndexOf(images.blocks, other));
        lowest = otherLabel < lowest ? otherLabel : lowest;
      }
    }
    if (lowest < label)
    {
      AtomicMin(images.blockLabels + (label - 1), lowest);
      changes.Set();
    }
  }
};

/** Writes the label of each block to its foreground pixels, and 0 to other pixels. */
template <unsigned int VDimension, typename TLabel>
struct FinalLabeling
{
  Images<VDimension, TLabel> images;

  CCL_HOST_DEVICE
  void
  operator()(const Cell & cell) const
  {
    const Block<VDimension, TLabel> block(images.size, cell);
    const unsigned int              foreground = block.Foreground(images.input);
    const TLabel                    label = images.blockLabels[IndexOf(images.blocks, cell)];
    TLabel                          pixelLabel = 0;
    if (label != 0)
    {
      const Block<VDimension, TLabel> root(images.size, CellAt(images.blocks, label - 1));
      pixelLabel = root.index + 1;
    }
    block.Fill(images.labels, foreground, pixelLabel);
  }
};

} // namespace BlockEquivalence

/** The row of the algorithm in the table of Gallery.h. */
struct BlockEquivalenceAlgorithm
{
  static constexpr Entry Description{ "BE",
                                      "Zavalishin, Safonov, Bekhtin and Kurilin",
                                      2016,
                                      Planes8 | Volumes26,
                                      LabelElement::Block };

  /** Labels a plane (8-connectivity) or a volume (26-connectivity) of one byte per pixel. Foreground pixels are not 0.
   * Writes 1 + the raster index of the corner of the component's first block to each foreground pixel of `labels`, and
   * 0 to other pixels. */
  template <unsigned int VDimension, typename TLabel, typename TExecutor>
  static void
  Label(const TExecutor &    executor,
        const std::uint8_t * input,
        const Grid &         size,
        bool /* fullyConnected */,
        TLabel * labels)
  {
    using Images = BlockEquivalence::Images<VDimension, TLabel>;
    const Grid   blocks = BlocksOf<VDimension>(size);
    const auto   blockLabels = executor.template Allocate<TLabel>(blocks.Count());
    const auto   adjacentBlocks = executor.template Allocate<typename Images::Adjacent>(blocks.Count());
    const Images images{ size, blocks, input, labels, blockLabels.get(), adjacentBlocks.get() };
    executor.ForEachCompact(blocks, BlockEquivalence::Init<VDimension, TLabel>{ images });
    RepeatUntilStable(
      executor,
      [&](const ChangeFlag & changes) {
        executor.ForEachCompact(blocks, BlockEquivalence::Scan<VDimension, TLabel>{ images, changes });
      },
      // Analysis.
      [&] { executor.ForEachCompact(blocks, CompressElements<TLabel>{ blocks, images.blockLabels }); });
    executor.ForEachCompact(blocks, BlockEquivalence::FinalLabeling<VDimension, TLabel>{ images });
  }
};

} // namespace itk::ccl::gallery

#endif
