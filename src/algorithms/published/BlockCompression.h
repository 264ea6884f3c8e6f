// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_algorithms_published_BlockCompression_h
#define ccl_algorithms_published_BlockCompression_h

// The Compression kernel that BUF and BKE have in common.
// Allegretti, Bolelli and Grana, IEEE TPDS 31(2), 2020, Algorithm 2; with and without inline compression.

#include "algorithms/published/Blocks.h"
#include "primitives/UnionFind.h"

namespace itk::ccl
{

/** Links each block to the root of its tree. */
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
