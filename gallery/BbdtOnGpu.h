// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_gallery_BbdtOnGpu_h
#define ccl_gallery_BbdtOnGpu_h

// C_BBDT (CUDA version of BBDT, block-based decision tree), for 8-connectivity of planes.
// Allegretti, Bolelli, Cancilla, Pollastri, Canalini and Grana, "How Does Connected Components Labeling with Decision
// Trees Perform on GPUs?", CAIP 2019. Written from Section III-B7 of Bolelli, Allegretti, Lumetti and Grana, "A
// State-of-the-Art Review With Code About Connected Components Labeling on GPUs", IEEE TPDS, 2024 ("the review").
// The decision tree: Grana, Borghesani and Cucchiara, "Optimized Block-Based Connected Components Labeling With
// Decision Trees", IEEE TIP 19(6), 2010.
//
// A thread owns a block of 2 x 2 pixels. The kernels are Initialization, Merge, Compression and FinalLabeling. They
// differ from the kernels of BUF (block-based union-find) in Merge only. Before FinalLabeling, the first pixel of a
// block holds the block's parent in the image of labels. Merge walks down a decision tree, which asks for one pixel at
// each node. A leaf says which of the four earlier blocks to unite with the block. Earlier blocks that are connected
// to each other in the mask of BlockMask.h need one union, because the threads of these blocks unite them.
//
// Extra memory: none.
//
// Departures:
// - The review does not print the tree. scripts/make-decision-trees.py computes it, and describes the method. If all
//   masks are equally likely, no tree for this task takes fewer tests on average. The tree of 2010 also tells a block
//   without foreground from a block without adjacent earlier blocks. Here, both need no union, so no node asks for the
//   last pixel of the block.
// - If several sets of blocks are right at a leaf, the script prefers block Q and avoids block S. A block and its S
//   belong to neighboring threads of a warp, and rows of such unions are slow.
// - A leaf returns the set of blocks, and the unions follow the tree. So the threads of a warp meet again before the
//   unions. On an H100, Merge with unions in the leaves takes up to 33 % more time for noise, and 2 % less at best.
// - Merge has two copies of the tree. The copy for blocks inside the image does not ask whether pixels are in the
//   image.
// - Blocks at the image's border may lack pixels, so sizes need not be even.
// Race, allowed: the races of Union() and Compress(), see UnionFind.h.

#include "gallery/BlockDecisionTree.h"
#include "gallery/Entry.h"

#include "algorithms/published/BlockUnionFind.h"

namespace itk::ccl::gallery
{

namespace BbdtOnGpu
{

/** Unites each block with the earlier blocks that TDecision chooses. */
template <typename TDecision, typename TLabel>
struct Merge
{
  Grid                 size;
  const std::uint8_t * input;
  TLabel *             labels;

  CCL_HOST_DEVICE
  void
  operator()(const Cell & cell) const
  {
    const bool             isInside = BlockMask<true>::IsInside(size, cell);
    const unsigned int     chosen = isInside ? TDecision::ChooseBlocks(BlockMask<true>(input, size, cell))
                                             : TDecision::ChooseBlocks(BlockMask<false>(input, size, cell));
    const Block<2, TLabel> block(size, cell);
    CCL_UNROLL
    for (unsigned int neighbor = 0; neighbor < BlockNeighborhood<2>::NeighborCount; ++neighbor)
    {
      if (chosen >> neighbor & 1U)
      {
        Union(labels, block.index, block.IndexOfNeighbor(neighbor));
      }
    }
  }
};

/** Labels a plane with the decisions of TDecision: see BbdtOnGpuAlgorithm. */
template <typename TDecision, typename TLabel, typename TExecutor>
void
LabelByDecisions(const TExecutor & executor, const std::uint8_t * input, const Grid & size, TLabel * labels)
{
  const Grid                              blocks = BlocksOf<2>(size);
  const BlockUnionFind::Images<2, TLabel> images{ size, input, labels };
  executor.ForEachCompact(blocks, BlockUnionFind::Initialization<2, TLabel>{ images });
  executor.ForEachCompact(blocks, Merge<TDecision, TLabel>{ size, input, labels });
  executor.ForEachCompact(blocks, BlockCompression<2, TLabel>{ size, labels, false });
  executor.ForEachCompact(blocks, BlockUnionFind::FinalLabeling<2, TLabel>{ images });
}

} // namespace BbdtOnGpu

/** The row of the algorithm in the table of Gallery.h. */
struct BbdtOnGpuAlgorithm
{
  static constexpr Entry Description{ "C_BBDT",
                                      "Allegretti, Bolelli, Cancilla, Pollastri, Canalini and Grana",
                                      2019,
                                      Planes8,
                                      LabelElement::Block };

  /** Labels a plane (8-connectivity) of one byte per pixel. Foreground pixels are not 0. Writes 1 + the raster index of
   * the first pixel of the component's first block to each foreground pixel of `labels`, and 0 to other pixels. */
  template <unsigned int VDimension, typename TLabel, typename TExecutor>
  static void
  Label(const TExecutor &    executor,
        const std::uint8_t * input,
        const Grid &         size,
        bool /* fullyConnected */,
        TLabel * labels)
  {
    BbdtOnGpu::LabelByDecisions<BlockDecisionTree>(executor, input, size, labels);
  }
};

} // namespace itk::ccl::gallery

#endif
