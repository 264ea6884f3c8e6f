// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_algorithms_published_BlockKomuraEquivalence_h
#define ccl_algorithms_published_BlockKomuraEquivalence_h

// BKE (block-based Komura equivalence), for 8- and 26-connectivity.
// Allegretti, Bolelli and Grana, "Optimized Block-Based Algorithms to Label Connected Components on GPUs", IEEE TPDS
// 31(2), 2020, Section 5.2 and Table 1. Section 5.3 describes volumes and their information word.
//
// The kernels are Initialization, Compression, Reduction, Compression again, and FinalLabeling. A cell is a block.

#include "algorithms/published/BlockCompression.h"
#include "algorithms/published/PublishedTypes.h"

#include "itkCudaConnectedComponentsEnums.h"

namespace itk::ccl
{

namespace BlockKomuraEquivalence
{

/** The images that all kernels share. Before FinalLabeling, `labels` holds two values for each block. The corner
 * of the block holds its parent: the raster index of a corner. The pixel at InformationIndex()
 * holds the information of the block. Its lowest 4 bits (8 in a volume) are the foreground pixels. Each higher bit
 * stands for a neighbor that Reduction must unite with the block. */
template <unsigned int VDimension, typename TLabel>
struct Images
{
  Grid                 size;
  const std::uint8_t * input;
  TLabel *             labels;
  TLabel *             spare; // the information of a block of one pixel, if no pixel of the image can hold it

  /** Returns the address of the information of a block. */
  CCL_HOST_DEVICE
  TLabel *
  InformationOf(const Block<VDimension, TLabel> & block) const
  {
    const TLabel nowhere = static_cast<TLabel>(~TLabel{ 0 });
    const TLabel index = block.InformationIndex(nowhere);
    return index == nowhere ? spare : labels + index;
  }
};

/** Links each block to the first adjacent neighbor, and stores its information. */
template <unsigned int VDimension, typename TLabel>
struct Initialization
{
  Images<VDimension, TLabel> images;

  CCL_HOST_DEVICE
  void
  operator()(const Cell & cell) const
  {
    using Neighborhood = BlockNeighborhood<VDimension>;
    const Block<VDimension, TLabel> block(images.size, cell);
    const unsigned int              foreground = block.Foreground(images.input);
    TLabel                          label = block.index;
    unsigned int                    toUnite = 0;
    if (foreground != 0)
    {
      const std::uint64_t adjacent =
        block.ForegroundAround(images.input, Neighborhood::Around(foreground) & block.CubeInImage());
      CCL_UNROLL
      for (unsigned int neighbor = 0; neighbor < Neighborhood::NeighborCount; ++neighbor)
      {
        if (adjacent & Neighborhood::PixelsOf(neighbor))
        {
          if (label == block.index)
          {
            label = block.IndexOfNeighbor(neighbor);
          }
          else
          {
            toUnite |= 1U << neighbor;
          }
        }
      }
    }
    images.labels[block.index] = label;
    *images.InformationOf(block) = foreground | toUnite << Neighborhood::PixelCount;
  }
};

/** Unites each block with its other adjacent neighbors. */
template <unsigned int VDimension, typename TLabel>
struct Reduction
{
  Images<VDimension, TLabel> images;

  CCL_HOST_DEVICE
  void
  operator()(const Cell & cell) const
  {
    using Neighborhood = BlockNeighborhood<VDimension>;
    const Block<VDimension, TLabel> block(images.size, cell);
    const unsigned int toUnite = static_cast<unsigned int>(*images.InformationOf(block)) >> Neighborhood::PixelCount;
    if (toUnite == 0)
    {
      return;
    }
    CCL_UNROLL
    for (unsigned int neighbor = 0; neighbor < Neighborhood::NeighborCount; ++neighbor)
    {
      if (toUnite >> neighbor & 1U)
      {
        Union(images.labels, block.index, block.IndexOfNeighbor(neighbor));
      }
    }
  }
};

/** Writes the final label of each block to its foreground pixels, and 0 to other pixels. */
template <unsigned int VDimension, typename TLabel>
struct FinalLabeling
{
  Images<VDimension, TLabel> images;

  CCL_HOST_DEVICE
  void
  operator()(const Cell & cell) const
  {
    const Block<VDimension, TLabel> block(images.size, cell);
    const TLabel                    label = images.labels[block.index] + 1;
    // The information of a block of one pixel may lie in another block, which this kernel overwrites concurrently.
    const unsigned int foreground =
      block.IsLonePixel() ? block.Foreground(images.input) : static_cast<unsigned int>(*images.InformationOf(block));
    block.Fill(images.labels, foreground, label);
  }
};

} // namespace BlockKomuraEquivalence

/** The row of the algorithm in the table of PublishedAlgorithms.h. */
struct BlockKomuraEquivalenceAlgorithm
{
  static constexpr CudaConnectedComponentsEnums::AlgorithmDescription Description{
    CudaConnectedComponentsEnums::Algorithm::BlockKomuraEquivalence,
    "BlockKomuraEquivalence",
    "bke",
    "BKE",
    true, // needs full connectivity
    true, // has inline compression
    true  // is published
  };

  static constexpr LabelElement Element = LabelElement::Block;

  /** Labels a plane (8-connectivity) or a volume (26-connectivity) of one byte per pixel. Foreground pixels are not 0.
   * Writes 1 + the raster index of the corner of the component's lowest block to each foreground pixel of
   * `labels`, and 0 to other pixels. Allocates no memory, except one element for an image of a single row or column. */
  template <unsigned int VDimension, typename TLabel, typename TExecutor>
  static void
  Label(const TExecutor &        executor,
        const std::uint8_t *     input,
        const Grid &             size,
        const PublishedOptions & options,
        TLabel *                 labels)
  {
    const bool needsSpare = (size.x > 1) + (size.y > 1) + (size.z > 1) < 2 && size.Count() % 2 == 1;
    const auto spare = executor.template Allocate<TLabel>(needsSpare ? 1 : 0);
    const BlockKomuraEquivalence::Images<VDimension, TLabel> images{ size, input, labels, spare.get() };
    const Grid                                               blocks = BlocksOf<VDimension>(size);
    executor.ForEachCompact(blocks, BlockKomuraEquivalence::Initialization<VDimension, TLabel>{ images });
    executor.ForEachCompact(blocks, BlockCompression<VDimension, TLabel>{ size, labels, options.inlineCompression });
    executor.ForEachCompact(blocks, BlockKomuraEquivalence::Reduction<VDimension, TLabel>{ images });
    executor.ForEachCompact(blocks, BlockCompression<VDimension, TLabel>{ size, labels, options.inlineCompression });
    executor.ForEachCompact(blocks, BlockKomuraEquivalence::FinalLabeling<VDimension, TLabel>{ images });
  }
};

} // namespace itk::ccl

#endif
