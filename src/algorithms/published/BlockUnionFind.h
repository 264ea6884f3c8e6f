// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_algorithms_published_BlockUnionFind_h
#define ccl_algorithms_published_BlockUnionFind_h

// BUF (block-based union-find), for 8- and 26-connectivity.
// Allegretti, Bolelli and Grana, "Optimized Block-Based Algorithms to Label Connected Components on GPUs", IEEE TPDS
// 31(2), 2020, Section 5.1 and Algorithm 2. Section 5.3 describes volumes and their information byte.
//
// The kernels are Initialization, Merge, Compression and FinalLabeling. A cell is a block.

#include "algorithms/published/BlockCompression.h"
#include "algorithms/published/PublishedTypes.h"

#include "itkCudaConnectedComponentsEnums.h"

namespace itk::ccl
{

namespace BlockUnionFind
{

/** The images that all kernels share. Before FinalLabeling, the corner of each block in `labels` holds the parent of
 * the block: the raster index of a corner. In a volume, Merge stores a bit mask of the foreground pixels of the block
 * at InformationIndex(). */
template <unsigned int VDimension, typename TLabel>
struct Images
{
  Grid                 size;
  const std::uint8_t * input;
  TLabel *             labels;

  /** Returns whether Merge stores the foreground pixels of blocks. Otherwise, FinalLabeling reads the input again. It
   * also does so for a block of one pixel: such a block has no second pixel for the information. */
  CCL_HOST_DEVICE
  static constexpr bool
  StoresInformation()
  {
    return VDimension == 3;
  }
};

/** Makes each block a tree of its own. */
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

/** Unites each block with its adjacent neighbors. */
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
    const std::uint64_t adjacent =
      block.ForegroundAround(images.input, Neighborhood::Around(foreground) & block.CubeInImage());
    CCL_UNROLL
    for (unsigned int neighbor = 0; neighbor < Neighborhood::NeighborCount; ++neighbor)
    {
      if (adjacent & Neighborhood::PixelsOf(neighbor))
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
    const unsigned int              foreground = images.StoresInformation() && !block.IsLonePixel()
                                                   ? static_cast<unsigned int>(images.labels[block.InformationIndex(0)])
                                                   : block.Foreground(images.input);
    block.Fill(images.labels, foreground, label);
  }
};

} // namespace BlockUnionFind

/** The row of the algorithm in the table of PublishedAlgorithms.h. */
struct BlockUnionFindAlgorithm
{
  static constexpr CudaConnectedComponentsEnums::AlgorithmDescription Description{
    CudaConnectedComponentsEnums::Algorithm::BlockUnionFind,
    "BlockUnionFind",
    "buf",
    "BUF",
    true, // needs full connectivity
    true, // has inline compression
    true  // is published
  };

  static constexpr LabelElement Element = LabelElement::Block;

  /** Labels a plane (8-connectivity) or a volume (26-connectivity) of one byte per pixel. Foreground pixels are not 0.
   * Writes 1 + the raster index of the corner of the component's lowest block to each foreground pixel of
   * `labels`, and 0 to other pixels. Allocates no memory. */
  template <unsigned int VDimension, typename TLabel, typename TExecutor>
  static void
  Label(const TExecutor &        executor,
        const std::uint8_t *     input,
        const Grid &             size,
        const PublishedOptions & options,
        TLabel *                 labels)
  {
    const BlockUnionFind::Images<VDimension, TLabel> images{ size, input, labels };
    const Grid                                       blocks = BlocksOf<VDimension>(size);
    executor.ForEachCompact(blocks, BlockUnionFind::Initialization<VDimension, TLabel>{ images });
    executor.ForEachCompact(blocks, BlockUnionFind::Merge<VDimension, TLabel>{ images });
    executor.ForEachCompact(blocks, BlockCompression<VDimension, TLabel>{ size, labels, options.inlineCompression });
    executor.ForEachCompact(blocks, BlockUnionFind::FinalLabeling<VDimension, TLabel>{ images });
  }
};

} // namespace itk::ccl

#endif
