// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_algorithms_published_BlockCompression_h
#define ccl_algorithms_published_BlockCompression_h

// The Compression kernel of BUF (block-based union-find) and BKE (block-based Komura equivalence), with and without
// inline compression. Allegretti, Bolelli and Grana, IEEE TPDS 31(2), 2020, Algorithm 2.

#include "algorithms/published/Blocks.h"
#include "primitives/UnionFind.h"

namespace itk::ccl
{

/** Kernel functor that replaces the parent of each block by the root of its tree. A cell is a block. */
template <unsigned int VDimension, typename TLabel>
struct BlockCompression
{
  Grid     size; // of the image
  TLabel * labels;
  bool     inlineCompression;

  CCL_HOST_DEVICE
  void
  operator()(const Cell & cell) const
  {
    const Block<VDimension, TLabel> block(size, cell);
    Compress(labels, block.index, inlineCompression);
  }
};

} // namespace itk::ccl

#endif
