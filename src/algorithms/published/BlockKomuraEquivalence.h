// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_algorithms_published_BlockKomuraEquivalence_h
#define ccl_algorithms_published_BlockKomuraEquivalence_h

// Block-based Komura Equivalence (BKE), 8- and 26-connectivity.
// Allegretti, Bolelli and Grana, "Optimized Block-Based Algorithms to Label Connected Components on GPUs", IEEE TPDS
// 31(2), 2020, section 5.2 and table 1; volumes and their information word: section 5.3.

#include "algorithms/published/BlockCompression.h"

#include "itkCudaConnectedComponentsEnums.h"

namespace itk::ccl
{

namespace BlockKomuraEquivalence
{

/** What all steps know. Until FinalLabeling the first pixel of a block holds the block's label, and InformationIndex
 * its information: the foreground pixels in the lowest 4 (in a volume 8) bits, above them one bit for each neighbour
 * that Reduction has still to unite the block with. */
template <unsigned int VDimension, typename TLabel>
struct Images
{
  Grid                 size;
  const std::uint8_t * input;
  TLabel *             labels;
  TLabel *             spare; // the information of a lone pixel that has no neighbour to borrow from

  CCL_HOST_DEVICE
  TLabel *
  InformationOf(const Block<VDimension, TLabel> & block) const
  {
    const TLabel nowhere = static_cast<TLabel>(~TLabel{ 0 });
    const TLabel index = block.InformationIndex(nowhere);
    return index == nowhere ? spare : labels + index;
  }
};

/** Links each block to the first neighbour that it touches. */
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
      const std::uint64_t touching =
        block.ForegroundAround(images.input, Neighborhood::Around(foreground) & block.CubeInImage());
      CCL_UNROLL
      for (unsigned int neighbor = 0; neighbor < Neighborhood::NeighborCount; ++neighbor)
      {
        if (touching & Neighborhood::PixelsOf(neighbor))
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

/** Unites each block with the other neighbours that it touches. */
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
    // A lone pixel's information may lie in a pixel of another block, which this very step overwrites.
    const unsigned int foreground =
      block.IsLonePixel() ? block.Foreground(images.input) : static_cast<unsigned int>(*images.InformationOf(block));
    block.Fill(images.labels, foreground, label);
  }
};

} // namespace BlockKomuraEquivalence

/** The row of the algorithm in the table: PublishedAlgorithms.h. */
struct BlockKomuraEquivalenceAlgorithm
{
  static constexpr CudaConnectedComponentsEnums::AlgorithmDescription Description{
    CudaConnectedComponentsEnums::Algorithm::BlockKomuraEquivalence,
    "BlockKomuraEquivalence",
    "bke",
    "BKE",
    true,
    true,
    true
  };

  /** Labels a plane (8-connectivity) or volume (26-connectivity) of one byte per pixel, foreground where it is not 0.
   * `labels` gets, for every foreground pixel, 1 + the raster index of the first pixel of the lowest block of its
   * component; 0 elsewhere. Nothing else is allocated, except one element for images of a single row or column. */
  template <unsigned int VDimension, typename TLabel, typename TExecutor>
  static void
  Label(const TExecutor &    executor,
        const std::uint8_t * input,
        const Grid &         size,
        TLabel *             labels,
        bool                 inlineCompression)
  {
    const bool needsSpare = (size.x > 1) + (size.y > 1) + (size.z > 1) < 2 && size.Count() % 2 == 1;
    const auto spare = executor.template Allocate<TLabel>(needsSpare ? 1 : 0);
    const BlockKomuraEquivalence::Images<VDimension, TLabel> images{ size, input, labels, spare.get() };
    const Grid                                               blocks = BlocksOf<VDimension>(size);
    executor.ForEachBlock(blocks, BlockKomuraEquivalence::Initialization<VDimension, TLabel>{ images });
    executor.ForEachBlock(blocks, BlockCompression<VDimension, TLabel>{ size, labels, inlineCompression });
    executor.ForEachBlock(blocks, BlockKomuraEquivalence::Reduction<VDimension, TLabel>{ images });
    executor.ForEachBlock(blocks, BlockCompression<VDimension, TLabel>{ size, labels, inlineCompression });
    executor.ForEachBlock(blocks, BlockKomuraEquivalence::FinalLabeling<VDimension, TLabel>{ images });
  }
};

} // namespace itk::ccl

#endif
