// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_gallery_PixelUnionFind_h
#define ccl_gallery_PixelUnionFind_h

// UF (union-find), for 4- and 8-connectivity, and for 6- and 26-connectivity of volumes.
// Oliveira and Lotufo, "A Study on Connected Components Labeling Algorithms using GPUs", SIBGRAPI 2010: 4-connectivity.
// Allegretti, Bolelli, Cancilla and Grana, "Optimizing GPU-Based Connected Components Labeling Algorithms", IPAS 2018:
// 8- and 26-connectivity. Written from Section 4.1 of Allegretti, Bolelli and Grana, "Optimized Block-Based Algorithms
// to Label Connected Components on GPUs", IEEE TPDS 31(2), 2020, and from Section III-B1 and Algorithm 1 of Bolelli,
// Allegretti, Lumetti and Grana, "A State-of-the-Art Review With Code About Connected Components Labeling on GPUs",
// IEEE TPDS, 2024 ("the survey").
//
// The kernels are Initialization, Merge and Compression, with a thread for each pixel. Union-find lies in the image of
// labels. Merge unites each foreground pixel with its neighbors before it in raster order.
//
// Extra memory: none. Table I of the survey lists a termination byte, which these kernels do not need: their number is
// fixed.
//
// Departures:
// - Tile merging is left out. The papers first label tiles in shared memory (LocalMerge, Algorithm 6 of the survey),
// and
//   then merge border pixels only. Here, Merge runs on all pixels in global memory.
// - 6-connectivity is not in the papers. It is the same code with fewer neighbors.
// Race, allowed: a thread may find a former root while another thread unites. Union() notices this by the result of its
// atomic minimum.

#include "gallery/Entry.h"
#include "gallery/PixelNeighbors.h"
#include "gallery/PixelTrees.h"

namespace itk::ccl::gallery
{

namespace PixelUnionFind
{

/** Unites each foreground pixel with its foreground neighbors. */
template <unsigned int VDimension, typename TLabel>
struct Merge
{
  Grid                 size;
  const std::uint8_t * input;
  TLabel *             labels;
  bool                 fullyConnected;

  CCL_HOST_DEVICE
  void
  operator()(const Cell & cell) const
  {
    const std::uint64_t index = IndexOf(size, cell);
    if (input[index] == 0)
    {
      return;
    }
    VisitPrecedingNeighbors<VDimension>(size, cell, fullyConnected, [this, index](std::uint64_t neighbor) {
      if (input[neighbor] != 0)
      {
        Union(LabelsAsParents<TLabel>{ labels }, static_cast<TLabel>(index + 1), static_cast<TLabel>(neighbor + 1));
      }
    });
  }
};

} // namespace PixelUnionFind

/** The row of the algorithm in the table of Gallery.h. */
struct PixelUnionFindAlgorithm
{
  static constexpr Entry Description{ "UF", "Oliveira and Lotufo", 2010, true, true, true, true };

  /** Labels a plane or a volume of one byte per pixel. Foreground pixels are not 0. Writes 1 + the raster index of the
   * component's first pixel to each foreground pixel of `labels`, and 0 to other pixels. */
  template <unsigned int VDimension, typename TLabel, typename TExecutor>
  static void
  Label(const TExecutor & executor, const std::uint8_t * input, const Grid & size, bool fullyConnected, TLabel * labels)
  {
    using Merge = PixelUnionFind::Merge<VDimension, TLabel>;
    executor.ForEachCompact(size, LabelPixelsByIndex<TLabel>{ size, input, labels });
    executor.ForEachCompact(size, Merge{ size, input, labels, fullyConnected });
    executor.ForEachCompact(size, CompressPixels<TLabel>{ size, labels });
  }
};

} // namespace itk::ccl::gallery

#endif
