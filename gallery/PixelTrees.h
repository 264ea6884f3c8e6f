// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_gallery_PixelTrees_h
#define ccl_gallery_PixelTrees_h

// The image of labels as the array of parents, for the algorithms whose threads own one pixel each.

#include "primitives/Grid.h"
#include "primitives/UnionFind.h"

namespace itk::ccl::gallery
{

/** Gives each foreground pixel the label 1 + its raster index, and each background pixel the label 0. */
template <typename TLabel>
struct LabelPixelsByIndex
{
  Grid                 size;
  const std::uint8_t * input;
  TLabel *             labels;

  CCL_HOST_DEVICE
  void
  operator()(const Cell & cell) const
  {
    const std::uint64_t index = IndexOf(size, cell);
    labels[index] = input[index] != 0 ? static_cast<TLabel>(index + 1) : 0;
  }
};

/** Replaces the label of each element by the label of its root. Skips elements with the label 0. An element is a pixel,
 * a reference or a block. This is the kernel Compression or Analysis of several algorithms. */
template <typename TLabel>
struct CompressElements
{
  Grid     size;
  TLabel * labels;

  CCL_HOST_DEVICE
  void
  operator()(const Cell & cell) const
  {
    const std::uint64_t index = IndexOf(size, cell);
    if (Load(labels + index) != 0)
    {
      Compress(LabelsAsParents<TLabel>{ labels }, static_cast<TLabel>(index + 1));
    }
  }
};

} // namespace itk::ccl::gallery

#endif
