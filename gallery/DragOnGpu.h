// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_gallery_DragOnGpu_h
#define ccl_gallery_DragOnGpu_h

// C_DRAG (CUDA version of DRAG, directed rooted acyclic graph), for 8-connectivity of planes.
// Allegretti, Bolelli, Cancilla, Pollastri, Canalini and Grana, "How Does Connected Components Labeling with Decision
// Trees Perform on GPUs?", CAIP 2019. Written from Section III-B7 of Bolelli, Allegretti, Lumetti and Grana, "A
// State-of-the-Art Review With Code About Connected Components Labeling on GPUs", IEEE TPDS, 2024 ("the review").
// The graph: Bolelli, Baraldi, Cancilla and Grana, "Connected Components Labeling on DRAGs", ICPR 2018.
//
// C_DRAG is C_BBDT (see BbdtOnGpu.h) with less code: equivalent subtrees of the decision tree are merged. The code of
// a merged subtree exists once, and jumps lead to it. The tests, the extra memory (none) and the allowed race are as in
// C_BBDT. Some leaves choose other blocks of the same component for their unions.
//
// Departures: as for C_BBDT, and:
// - The review does not print the graph. scripts/make-decision-trees.py computes it.
// - The leaf of a mask without background keeps its set of blocks, so it is not merged with leaves that have other
//   sets. It is the leaf of most blocks in large objects, and merging would give it a slower set.

#include "gallery/BlockDecisionGraph.h"
#include "gallery/BbdtOnGpu.h"

namespace itk::ccl::gallery
{

/** The row of the algorithm in the table of Gallery.h. */
struct DragOnGpuAlgorithm
{
  static constexpr Entry Description{ "C_DRAG",
                                      "Allegretti, Bolelli, Cancilla, Pollastri, Canalini and Grana",
                                      2019,
                                      Planes8,
                                      LabelElement::Block };

  /** Labels a plane as BbdtOnGpuAlgorithm does. */
  template <unsigned int VDimension, typename TLabel, typename TExecutor>
  static void
  Label(const TExecutor &    executor,
        const std::uint8_t * input,
        const Grid &         size,
        bool /* fullyConnected */,
        TLabel * labels)
  {
    BbdtOnGpu::LabelByDecisions<BlockDecisionGraph>(executor, input, size, labels);
  }
};

} // namespace itk::ccl::gallery

#endif
