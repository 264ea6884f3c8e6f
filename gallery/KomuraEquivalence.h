// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_gallery_KomuraEquivalence_h
#define ccl_gallery_KomuraEquivalence_h

// KE (Komura equivalence), for 4- and 8-connectivity of planes.
// Komura, "GPU-based cluster-labeling algorithm without the use of conventional iteration: Application to the
// Swendsen-Wang multi-cluster spin flip algorithm", Computer Physics Communications 194, 2015: 4-connectivity.
// Allegretti, Bolelli, Cancilla and Grana, "Optimizing GPU-Based Connected Components Labeling Algorithms", IPAS 2018:
// 8-connectivity. Written from Section 4.2 of Allegretti, Bolelli and Grana, "Optimized Block-Based Algorithms to Label
// Connected Components on GPUs", IEEE TPDS 31(2), 2020, and from Section III-B3 of Bolelli, Allegretti, Lumetti and
// Grana, "A State-of-the-Art Review With Code About Connected Components Labeling on GPUs", IEEE TPDS, 2024. They print
// no algorithm for it.
//
// The kernels are Initialization, Compression, Reduction and Compression again, with a thread for each pixel. The image
// of labels is the array of parents. Initialization links each foreground pixel to the first foreground neighbor before
// it. So Reduction needs one union less for each pixel than Merge of UF (union-find).
//
// Extra memory: none.
//
// No departure from the papers' description. Reduction reads the input again to find the neighbor that Initialization
// has chosen.
// Race, allowed: the races of Union() and Compress(), see UnionFind.h.

#include "gallery/Entry.h"
#include "gallery/PixelNeighbors.h"
#include "gallery/PixelTrees.h"

namespace itk::ccl::gallery
{

namespace KomuraEquivalence
{

/** Links each foreground pixel to the first foreground neighbor before it, or to itself if there is none. Writes 0 to
 * background pixels. */
template <unsigned int VDimension, typename TLabel>
struct Initialization
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
    std::uint64_t       parent = index;
    if (input[index] != 0)
    {
      VisitPrecedingNeighbors<VDimension>(size, cell, fullyConnected, [&](std::uint64_t neighbor) {
        if (parent == index && input[neighbor] != 0)
        {
          parent = neighbor;
        }
      });
    }
    labels[index] = input[index] != 0 ? static_cast<TLabel>(parent + 1) : 0;
  }
};

/** Unites each foreground pixel with the foreground neighbors that Initialization has not chosen. */
template <unsigned int VDimension, typename TLabel>
struct Reduction
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
    bool isFirst = true;
    VisitPrecedingNeighbors<VDimension>(size, cell, fullyConnected, [&](std::uint64_t neighbor) {
      if (input[neighbor] == 0)
      {
        return;
      }
      if (!isFirst)
      {
        Union(LabelsAsParents<TLabel>{ labels }, static_cast<TLabel>(index + 1), static_cast<TLabel>(neighbor + 1));
      }
      isFirst = false;
    });
  }
};

} // namespace KomuraEquivalence

/** The row of the algorithm in the table of Gallery.h. */
struct KomuraEquivalenceAlgorithm
{
  static constexpr Entry Description{ "KE", "Komura", 2015, Planes4 | Planes8 };

  /** Labels a plane of one byte per pixel. Foreground pixels are not 0. Writes 1 + the raster index of the component's
   * first pixel to each foreground pixel of `labels`, and 0 to other pixels. */
  template <unsigned int VDimension, typename TLabel, typename TExecutor>
  static void
  Label(const TExecutor & executor, const std::uint8_t * input, const Grid & size, bool fullyConnected, TLabel * labels)
  {
    using Initialization = KomuraEquivalence::Initialization<VDimension, TLabel>;
    using Reduction = KomuraEquivalence::Reduction<VDimension, TLabel>;
    const CompressElements<TLabel> compression{ size, labels };
    executor.ForEachCompact(size, Initialization{ size, input, labels, fullyConnected });
    executor.ForEachCompact(size, compression);
    executor.ForEachCompact(size, Reduction{ size, input, labels, fullyConnected });
    executor.ForEachCompact(size, compression);
  }
};

} // namespace itk::ccl::gallery

#endif
