// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_algorithms_published_BlockUnionFind_h
#define ccl_algorithms_published_BlockUnionFind_h

// Block-based Union Find (BUF), 8- and 26-connectivity.
// Allegretti, Bolelli and Grana, "Optimized Block-Based Algorithms to Label Connected Components on GPUs", IEEE TPDS
// 31(2), 2020, section 5.1 and Algorithm 2; volumes and their information byte: section 5.3.

#include "algorithms/published/BlockCompression.h"

#include "itkCudaConnectedComponentsEnums.h"

namespace itk::ccl
{

namespace BlockUnionFind
{

/** What all steps know. Until FinalLabeling the first pixel of a block holds the block's label, the index of another
 * block's first pixel. In a volume InformationIndex holds the block's foreground pixels from Merge on. */
template <unsigned int VDimension, typename TLabel>
struct Images
{
  Grid                 size;
  const std::uint8_t * input;
  TLabel *             labels;

  /** A lone pixel has no place of its own for the information: it is read from the input again. */
  CCL_HOST_DEVICE
  static constexpr bool
  StoresInformation()
  {
    return VDimension == 3;
  }
};

template <unsigned int VDimension, typename TLabel>
struct Initialization
{
  Images<VDimension, TLabel> images;

  CCL_HOST_DEVICE
  void
  operator()(const Cell & cell) const
  {
    const Block<VDimension, TLabel> block(images.size, cell);
    images.labels[block.index] = block.index;
  }
};

template <unsigned int VDimension, typename TLabel>
struct Merge
{
  Images<VDimension, TLabel> images;

  CCL_HOST_DEVICE
  void
  operator()(const Cell & cell) const
  {
    using Neighborhood = BlockNeighborhood<VDimension>;
    const Block<VDimension, TLabel> block(images.size, cell);
    const unsigned int              foreground = block.Foreground(images.input);
    if (images.StoresInformation() && !block.IsLonePixel())
    {
      images.labels[block.InformationIndex(0)] = foreground;
    }
    if (foreground == 0)
    {
      return;
    }
    const std::uint64_t touching =
      block.ForegroundAround(images.input, Neighborhood::Around(foreground) & block.CubeInImage());
    CCL_UNROLL
    for (unsigned int neighbor = 0; neighbor < Neighborhood::NeighborCount; ++neighbor)
    {
      if (touching & Neighborhood::PixelsOf(neighbor))
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
    const unsigned int              foreground = images.StoresInformation() && !block.IsLonePixel()
                                                   ? static_cast<unsigned int>(images.labels[block.InformationIndex(0)])
                                                   : block.Foreground(images.input);
    block.Fill(images.labels, foreground, label);
  }
};

} // namespace BlockUnionFind

/** The row of the algorithm in the table: PublishedAlgorithms.h. */
struct BlockUnionFindAlgorithm
{
  static constexpr CudaConnectedComponentsEnums::AlgorithmDescription Description{
    CudaConnectedComponentsEnums::Algorithm::BlockUnionFind, "BlockUnionFind", "buf", "BUF", true, true, true
  };

  /** Labels a plane (8-connectivity) or volume (26-connectivity) of one byte per pixel, foreground where it is not 0.
   * `labels` gets, for every foreground pixel, 1 + the raster index of the first pixel of the lowest block of its
   * component; 0 elsewhere. Nothing else is allocated. */
  template <unsigned int VDimension, typename TLabel, typename TExecutor>
  static void
  Label(const TExecutor &    executor,
        const std::uint8_t * input,
        const Grid &         size,
        TLabel *             labels,
        bool                 inlineCompression)
  {
    const BlockUnionFind::Images<VDimension, TLabel> images{ size, input, labels };
    const Grid                                       blocks = BlocksOf<VDimension>(size);
    executor.ForEachBlock(blocks, BlockUnionFind::Initialization<VDimension, TLabel>{ images });
    executor.ForEachBlock(blocks, BlockUnionFind::Merge<VDimension, TLabel>{ images });
    executor.ForEachBlock(blocks, BlockCompression<VDimension, TLabel>{ size, labels, inlineCompression });
    executor.ForEachBlock(blocks, BlockUnionFind::FinalLabeling<VDimension, TLabel>{ images });
  }
};

} // namespace itk::ccl

#endif
