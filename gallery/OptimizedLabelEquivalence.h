// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_gallery_OptimizedLabelEquivalence_h
#define ccl_gallery_OptimizedLabelEquivalence_h

// OLE (optimized label equivalence), also KLE (Kalentev's label equivalence), for 8-connectivity of planes.
// Kalentev, Rai, Kemnitz and Schneider, "Connected component labeling on a 2D grid using CUDA", Journal of Parallel and
// Distributed Computing 71(4), 2011. Written from Section III-A4 and Algorithm 3 of Bolelli, Allegretti, Lumetti and
// Grana, "A State-of-the-Art Review With Code About Connected Components Labeling on GPUs", IEEE TPDS, 2024
// ("the review").
//
// LE (label equivalence, LabelEquivalence.h) without reference array. A label is 1 + the raster index of a pixel, and
// the label of this pixel is an equivalent label: the image of labels is the array of parents. Init gives each pixel
// its own label. Then two kernels repeat, with a thread for each pixel, until Scan finds nothing to change: Scan lowers
// the label of the pixel that a label names, and Analysis gives each pixel the label of its root.
//
// Extra memory: a flag of 4 bytes.
//
// No departure from the review's description.
//
// Race, allowed: the review's description has no atomic operations, either.
// - Two threads may lower the same label. One write is lost, and may even raise the label that the other has written.
// - In Scan, a thread may read a label before or after another thread changes it: see Rounds.h.
// - In Analysis, the race of Compress(), see UnionFind.h.
// Why the labels are exact in spite of them: Analysis leaves only labels of roots, and Scan copies such labels within a
// component. A thread that sets the flag has found a lower label than the label of a root. After Scan, this root is no
// root any more, because all labels that Scan writes to it are lower than its own. So each round but the last has fewer
// roots than the round before. After the last round, each component has one label: the label of its first pixel, which
// no thread can lower.

#include "gallery/Entry.h"
#include "gallery/PixelNeighbors.h"
#include "gallery/PixelTrees.h"
#include "gallery/Rounds.h"

namespace itk::ccl::gallery
{

namespace OptimizedLabelEquivalence
{

/** Lowers the label of the pixel that a pixel's label names to the lowest label of the pixel's neighbors. */
template <unsigned int VDimension, typename TLabel>
struct Scan
{
  Grid       size;
  TLabel *   labels;
  bool       fullyConnected;
  ChangeFlag changes;

  CCL_HOST_DEVICE
  void
  operator()(const Cell & cell) const
  {
    const TLabel label = Load(labels + IndexOf(size, cell));
    if (label == 0)
    {
      return;
    }
    const TLabel lowest = LowestLabelAround<VDimension>(labels, label, size, cell, fullyConnected);
    if (lowest < label)
    {
      TLabel * const parent = labels + (label - 1);
      if (lowest < Load(parent))
      {
        Store(parent, lowest);
      }
      changes.Set();
    }
  }
};

} // namespace OptimizedLabelEquivalence

/** The row of the algorithm in the table of Gallery.h. */
struct OptimizedLabelEquivalenceAlgorithm
{
  static constexpr Entry Description{ "OLE", "Kalentev, Rai, Kemnitz and Schneider", 2011, Planes8 };

  /** Labels a plane of one byte per pixel. Foreground pixels are not 0. Writes 1 + the raster index of the component's
   * first pixel to each foreground pixel of `labels`, and 0 to other pixels. */
  template <unsigned int VDimension, typename TLabel, typename TExecutor>
  static void
  Label(const TExecutor & executor, const std::uint8_t * input, const Grid & size, bool fullyConnected, TLabel * labels)
  {
    using Scan = OptimizedLabelEquivalence::Scan<VDimension, TLabel>;
    executor.ForEachCompact(size, LabelPixelsByIndex<TLabel>{ size, input, labels });
    RepeatUntilStable(
      executor,
      [&](const ChangeFlag & changes) { executor.ForEachCompact(size, Scan{ size, labels, fullyConnected, changes }); },
      // Analysis.
      [&] { executor.ForEachCompact(size, CompressElements<TLabel>{ size, labels }); });
  }
};

} // namespace itk::ccl::gallery

#endif
