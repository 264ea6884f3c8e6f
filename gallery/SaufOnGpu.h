// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_gallery_SaufOnGpu_h
#define ccl_gallery_SaufOnGpu_h

// C_SAUF (CUDA version of SAUF, scan array-based union-find), for 8-connectivity of planes.
// Allegretti, Bolelli, Cancilla, Pollastri, Canalini and Grana, "How Does Connected Components Labeling with Decision
// Trees Perform on GPUs?", CAIP 2019. The decision tree: Wu, Otoo and Suzuki, "Two Strategies to Speed up Connected
// Component Labeling Algorithms", LBNL-59102, 2005. Written from Section III-B7 and Algorithm 1 of Bolelli, Allegretti,
// Lumetti and Grana, "A State-of-the-Art Review With Code About Connected Components Labeling on GPUs", IEEE TPDS, 2024
// ("the review").
//
// The kernels are Initialization, Merge and Compression, with a thread for each pixel. The image of labels is the array
// of parents. Merge asks for the four earlier neighbors of a pixel x (PixelMask.h) in the order of a decision tree.
// Neighbor q is adjacent to p, r and s, and p is adjacent to s. Other threads unite these pairs. So x needs one union
// if q is foreground, and never needs more than two.
//
// Extra memory: none.
//
// No departure from the review's description.
// Race, allowed: the races of Union() and Compress(), see UnionFind.h.

#include "gallery/Entry.h"
#include "gallery/PixelMask.h"
#include "gallery/PixelTrees.h"

#include "primitives/UnionFind.h"

namespace itk::ccl::gallery
{

namespace SaufOnGpu
{

/** Connects each foreground pixel with its earlier neighbors, by at most two unions. */
template <typename TLabel>
struct Merge
{
  Grid                 size;
  const std::uint8_t * input;
  TLabel *             labels;

  CCL_HOST_DEVICE
  void
  operator()(const Cell & cell) const
  {
    const PixelMask mask(input, size, cell);
    if (!mask.x())
    {
      return;
    }
    const LabelsAsParents<TLabel> parents{ labels };
    const TLabel                  x = static_cast<TLabel>(IndexOf(size, cell) + 1);
    const TLabel                  q = static_cast<TLabel>(x - size.x);
    if (mask.q())
    {
      Union(parents, x, q);
      return;
    }
    if (mask.r())
    {
      Union(parents, x, static_cast<TLabel>(q + 1));
    }
    if (mask.p())
    {
      Union(parents, x, static_cast<TLabel>(q - 1));
    }
    else if (mask.s())
    {
      Union(parents, x, static_cast<TLabel>(x - 1));
    }
  }
};

} // namespace SaufOnGpu

/** The row of the algorithm in the table of Gallery.h. */
struct SaufOnGpuAlgorithm
{
  static constexpr Entry Description{ "C_SAUF",
                                      "Allegretti, Bolelli, Cancilla, Pollastri, Canalini and Grana",
                                      2019,
                                      Planes8 };

  /** Labels a plane (8-connectivity) of one byte per pixel. Foreground pixels are not 0. Writes 1 + the raster index of
   * the component's first pixel to each foreground pixel of `labels`, and 0 to other pixels. */
  template <unsigned int VDimension, typename TLabel, typename TExecutor>
  static void
  Label(const TExecutor &    executor,
        const std::uint8_t * input,
        const Grid &         size,
        bool /* fullyConnected */,
        TLabel * labels)
  {
    executor.ForEachCompact(size, LabelPixelsByIndex<TLabel>{ size, input, labels });
    executor.ForEachCompact(size, SaufOnGpu::Merge<TLabel>{ size, input, labels });
    executor.ForEachCompact(size, CompressElements<TLabel>{ size, labels });
  }
};

} // namespace itk::ccl::gallery

#endif
