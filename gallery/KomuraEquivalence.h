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
// it. So Reduction has one union less for each pixel than Merge of UF (union-find).
//
// Extra memory: none.
//
// Departure: in the papers, Reduction unites a pixel with all foreground neighbors before it except the one that
// Initialization has chosen: up to three with 8 neighbors, and one with 4. Here, Reduction leaves out the neighbors
// that are connected with the chosen one inside the mask of PixelMask.h, because the threads of earlier pixels connect
// them. So a pixel needs at most one union, and often none. With 8 neighbors, this takes 0.8 times as long on random
// planes (H200). Section 3.2 of the paper of 2020 names an improved KE for 4 neighbors without redundant unions: Playne
// and Hawick, "A New Algorithm for Parallel Connected-Component Labelling on GPUs", IEEE TPDS 29(6), 2018. It was not
// available.
// Race, allowed: the races of Union() and Compress(), see UnionFind.h.

#include "gallery/Entry.h"
#include "gallery/PixelMask.h"
#include "gallery/PixelTrees.h"

namespace itk::ccl::gallery
{

namespace KomuraEquivalence
{

/** Links each foreground pixel to the first foreground neighbor before it, or to itself if there is none. Writes 0 to
 * background pixels. */
template <typename TLabel>
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
    const PixelMask     mask(input, size, cell);
    if (!mask.x())
    {
      labels[index] = 0;
      return;
    }
    std::uint64_t parent = index;
    if (fullyConnected && mask.p())
    {
      parent -= size.x + 1;
    }
    else if (mask.q())
    {
      parent -= size.x;
    }
    else if (fullyConnected && mask.r())
    {
      parent -= size.x - 1;
    }
    else if (mask.s())
    {
      parent -= 1;
    }
    labels[index] = static_cast<TLabel>(parent + 1);
  }
};

/** Makes the union that is missing: of a foreground pixel and a foreground neighbor that is not connected, inside the
 * mask, with the neighbor that Initialization has chosen. Most pixels need none. */
template <typename TLabel>
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
    const PixelMask mask(input, size, cell);
    if (!mask.x())
    {
      return;
    }
    const LabelsAsParents<TLabel> parents{ labels };
    const TLabel                  x = static_cast<TLabel>(IndexOf(size, cell) + 1);
    const TLabel                  r = static_cast<TLabel>(x - size.x + 1);
    const TLabel                  s = x - 1;
    if (fullyConnected)
    {
      // If q is background and r is foreground, Initialization has chosen p, or r if p is background.
      if (!mask.q() && mask.r() && (mask.p() || mask.s()))
      {
        Union(parents, x, mask.p() ? r : s);
      }
    }
    else if (mask.q() && mask.s() && !mask.p()) // Initialization has chosen q.
    {
      Union(parents, x, s);
    }
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
    using Initialization = KomuraEquivalence::Initialization<TLabel>;
    using Reduction = KomuraEquivalence::Reduction<TLabel>;
    const CompressElements<TLabel> compression{ size, labels };
    executor.ForEachCompact(size, Initialization{ size, input, labels, fullyConnected });
    executor.ForEachCompact(size, compression);
    executor.ForEachCompact(size, Reduction{ size, input, labels, fullyConnected });
    executor.ForEachCompact(size, compression);
  }
};

} // namespace itk::ccl::gallery

#endif
