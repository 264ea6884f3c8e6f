// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_gallery_PixelTrees_h
#define ccl_gallery_PixelTrees_h

// Union-find in the image of labels, for the algorithms whose threads own one pixel each.

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

/** Gives each foreground pixel the label of the root of its tree. */
template <typename TLabel>
struct CompressPixels
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
