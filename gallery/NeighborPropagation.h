// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_gallery_NeighborPropagation_h
#define ccl_gallery_NeighborPropagation_h

// NP (neighbor propagation), for 4- and 8-connectivity, and for 6- and 26-connectivity of volumes.
// Hawick, Leist and Playne, "Parallel graph component labelling with GPUs and CUDA", Parallel Computing 36(12), 2010.
// Written from Section III-A1 and Algorithm 2 of Bolelli, Allegretti, Lumetti and Grana, "A State-of-the-Art Review
// With Code About Connected Components Labeling on GPUs", IEEE TPDS, 2024 ("the review").
//
// Each pixel starts with its own label, and takes the lowest label around it until no label changes. A component whose
// longest shortest path has n steps takes up to n + 1 rounds. The last one changes nothing.
//
// Extra memory: a flag of 4 bytes.
//
// Departures:
// - The review's table lists planes only. The paper describes meshes of any dimension, so volumes are here, too.
// - Propagate reads labels only. A label is 0 if and only if the pixel is background.
// Race, allowed: see Rounds.h. A pixel's thread alone writes its label.

#include "gallery/Entry.h"
#include "gallery/PixelNeighbors.h"
#include "gallery/PixelTrees.h"
#include "gallery/Rounds.h"

#include "executors/Executor.h"
#include "primitives/Atomics.h"
#include "primitives/Grid.h"

namespace itk::ccl::gallery
{

namespace NeighborPropagation
{

/** Lowers the label of each foreground pixel to the lowest label of its neighbors. */
template <unsigned int VDimension, typename TLabel>
struct Propagate
{
  Grid       size;
  TLabel *   labels;
  bool       fullyConnected;
  ChangeFlag changes;

  CCL_HOST_DEVICE
  void
  operator()(const Cell & cell) const
  {
    const std::uint64_t index = IndexOf(size, cell);
    const TLabel        label = Load(labels + index);
    if (label == 0)
    {
      return;
    }
    const TLabel lowest = LowestLabelAround<VDimension>(labels, label, size, cell, fullyConnected);
    if (lowest < label)
    {
      Store(labels + index, lowest);
      changes.Set();
    }
  }
};

} // namespace NeighborPropagation

/** The row of the algorithm in the table of Gallery.h. */
struct NeighborPropagationAlgorithm
{
  static constexpr Entry Description{ "NP",
                                      "Hawick, Leist and Playne",
                                      2010,
                                      Planes4 | Planes8 | Volumes6 | Volumes26 };

  /** Labels a plane or a volume of one byte per pixel. Foreground pixels are not 0. Writes 1 + the raster index of the
   * component's first pixel to each foreground pixel of `labels`, and 0 to other pixels. */
  template <unsigned int VDimension, typename TLabel, typename TExecutor>
  static void
  Label(const TExecutor & executor, const std::uint8_t * input, const Grid & size, bool fullyConnected, TLabel * labels)
  {
    using Propagate = NeighborPropagation::Propagate<VDimension, TLabel>;
    executor.ForEach(size, LabelPixelsByIndex<TLabel>{ size, input, labels });
    RepeatUntilStable(executor, [&](const ChangeFlag & changes) {
      executor.ForEachCompact(size, Propagate{ size, labels, fullyConnected, changes });
    });
  }
};

} // namespace itk::ccl::gallery

#endif
