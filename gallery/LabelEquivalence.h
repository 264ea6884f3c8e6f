// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_gallery_LabelEquivalence_h
#define ccl_gallery_LabelEquivalence_h

// LE (label equivalence), for 4- and 8-connectivity, and for 6- and 26-connectivity of volumes.
// Hawick, Leist and Playne, "Parallel graph component labelling with GPUs and CUDA", Parallel Computing 36(12), 2010.
// Written from Section III-A4 of Bolelli, Allegretti, Lumetti and Grana, "A State-of-the-Art Review With Code
// About Connected Components Labeling on GPUs", IEEE TPDS, 2024 ("the review"). Its Algorithm 3 shows the variant
// without reference array: see OptimizedLabelEquivalence.h.
//
// Besides its label, each pixel has an element of the reference array (H in the review). A label is 1 + the index of an
// element, and the element holds an equivalent label: the reference array is the array of parents. Init gives each
// pixel its own label. Then three kernels repeat, with a thread for each pixel, until Scan finds nothing to change:
// - Scan lowers the reference of a pixel's label to the lowest label of the neighbors;
// - Analysis links each element to its root;
// - Labeling replaces each label by its reference.
//
// Extra memory: the reference array, which has the size of the labels, and a flag of 4 bytes.
//
// Departure: the review's table lists planes only. The paper describes meshes of any dimension, so volumes are here,
// too.
// Race, allowed: in Analysis, the race of Compress(), see UnionFind.h. Threads of the other kernels do not read what
// others of the same kernel write.

#include "gallery/Entry.h"
#include "gallery/PixelNeighbors.h"
#include "gallery/PixelTrees.h"
#include "gallery/Rounds.h"

namespace itk::ccl::gallery
{

namespace LabelEquivalence
{

/** Lowers the reference of each pixel's label to the lowest label of its neighbors. */
template <unsigned int VDimension, typename TLabel>
struct Scan
{
  Grid           size;
  const TLabel * labels;
  TLabel *       references;
  bool           fullyConnected;
  ChangeFlag     changes;

  CCL_HOST_DEVICE
  void
  operator()(const Cell & cell) const
  {
    const TLabel label = labels[IndexOf(size, cell)];
    if (label == 0)
    {
      return;
    }
    const TLabel lowest = LowestLabelAround<VDimension>(labels, label, size, cell, fullyConnected);
    if (lowest < label)
    {
      AtomicMin(references + (label - 1), lowest);
      changes.Set();
    }
  }
};

/** Replaces the label of each foreground pixel by its reference. */
template <typename TLabel>
struct Labeling
{
  Grid           size;
  const TLabel * references;
  TLabel *       labels;

  CCL_HOST_DEVICE
  void
  operator()(const Cell & cell) const
  {
    TLabel * label = labels + IndexOf(size, cell);
    if (*label != 0)
    {
      *label = references[*label - 1];
    }
  }
};

} // namespace LabelEquivalence

/** The row of the algorithm in the table of Gallery.h. */
struct LabelEquivalenceAlgorithm
{
  static constexpr Entry Description{ "LE",
                                      "Hawick, Leist and Playne",
                                      2010,
                                      Planes4 | Planes8 | Volumes6 | Volumes26 };

  /** Labels a plane or a volume of one byte per pixel. Foreground pixels are not 0. Writes 1 + the raster index of the
   * component's first pixel to each foreground pixel of `labels`, and 0 to other pixels. */
  template <unsigned int VDimension, typename TLabel, typename TExecutor>
  static void
  Label(const TExecutor & executor, const std::uint8_t * input, const Grid & size, bool fullyConnected, TLabel * labels)
  {
    using Scan = LabelEquivalence::Scan<VDimension, TLabel>;
    using Labeling = LabelEquivalence::Labeling<TLabel>;
    const auto     memory = executor.template Allocate<TLabel>(size.Count());
    TLabel * const references = memory.get();
    executor.ForEachCompact(size, LabelPixelsByIndex<TLabel>{ size, input, labels });
    executor.ForEachCompact(size, LabelPixelsByIndex<TLabel>{ size, input, references });
    RepeatUntilStable(
      executor,
      [&](const ChangeFlag & changes) {
        executor.ForEachCompact(size, Scan{ size, labels, references, fullyConnected, changes });
      },
      [&] {
        // Analysis.
        executor.ForEachCompact(size, CompressElements<TLabel>{ size, references });
        executor.ForEachCompact(size, Labeling{ size, references, labels });
      });
  }
};

} // namespace itk::ccl::gallery

#endif
