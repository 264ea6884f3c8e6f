// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_gallery_Gallery_h
#define ccl_gallery_Gallery_h

// The table of the gallery: published algorithms for GPUs. Each has a main file, which names the paper and every
// departure from it. Some have a second file, with a part of the kernels. The tests and the benchmark read the table.
// The filter does not use the gallery. BUF, BKE and HA are not here: the library offers them, so they are in
// src/algorithms/published/PublishedAlgorithms.h.
//
// In the gallery, "the review" is: Bolelli, Allegretti, Lumetti and Grana, "A State-of-the-Art Review With Code About
// Connected Components Labeling on GPUs", IEEE TPDS, 2024.
//
// A new algorithm adds its main file to this folder, and one row here. A row is a struct with
// - `Description`, a constexpr Entry;
// - `Label<VDimension>(executor, input, size, fullyConnected, labels)`, which labels an image of one byte per pixel.
//   Foreground pixels are not 0. The function writes a label to each foreground pixel of `labels`, and 0 to background
//   pixels. The label is the same for all pixels of a component, and differs between components: see LabelElement.
//   `executor` runs the kernels on the device or on the host: see executors/Executor.h. The image has at least one
//   pixel. `labels` may not be `input`. Labels are std::uint32_t or std::uint64_t. Call the function only for
//   connectivities that `Description` lists.

#include "gallery/AcceleratedLabeling.h"
#include "gallery/BbdtOnGpu.h"
#include "gallery/BlockEquivalence.h"
#include "gallery/BlockRunBased.h"
#include "gallery/DirectionalPropagation.h"
#include "gallery/DirectionalSelection.h"
#include "gallery/DistancelessPropagation.h"
#include "gallery/DragOnGpu.h"
#include "gallery/FasterLightSpeedLabeling.h"
#include "gallery/KomuraEquivalence.h"
#include "gallery/LabelEquivalence.h"
#include "gallery/LineUnionFind.h"
#include "gallery/LocalNeighborPropagation.h"
#include "gallery/ModifiedDirectionalSelection.h"
#include "gallery/NeighborPropagation.h"
#include "gallery/OptimizedLabelEquivalence.h"
#include "gallery/PixelUnionFind.h"
#include "gallery/Rasmusson.h"
#include "gallery/SaufOnGpu.h"
#include "gallery/TileMerging.h"

#include <tuple>

namespace itk::ccl::gallery
{

/** The algorithms, in the order of their years. */
using Gallery = std::tuple<NeighborPropagationAlgorithm,
                           LocalNeighborPropagationAlgorithm,
                           DirectionalPropagationAlgorithm,
                           LabelEquivalenceAlgorithm,
                           PixelUnionFindAlgorithm,
                           BlockRunBasedAlgorithm,
                           OptimizedLabelEquivalenceAlgorithm,
                           TileMergingAlgorithm,
                           RasmussonAlgorithm,
                           EightDirectionalLabelSelectionAlgorithm,
                           ModifiedEightDirectionalLabelSelectionAlgorithm,
                           AcceleratedLabelingAlgorithm,
                           LineUnionFindAlgorithm,
                           KomuraEquivalenceAlgorithm,
                           BlockEquivalenceAlgorithm,
                           DistancelessPropagationAlgorithm,
                           SaufOnGpuAlgorithm,
                           BbdtOnGpuAlgorithm,
                           DragOnGpuAlgorithm,
                           FasterLightSpeedLabelingAlgorithm>;

/** Calls visitor(row) for each row of the table. `row` is an object of the algorithm's struct. */
template <typename TVisitor>
void
VisitGallery(const TVisitor & visitor)
{
  std::apply([&visitor](auto... rows) { (visitor(rows), ...); }, Gallery{});
}

} // namespace itk::ccl::gallery

#endif
