// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_algorithms_published_PublishedAlgorithms_h
#define ccl_algorithms_published_PublishedAlgorithms_h

// The table of the algorithms that are implemented as their papers describe them. A new algorithm adds its file to this
// folder, its value to CudaConnectedComponentsEnums::Algorithm, and one row here. The filter, the tool, the tests and
// the benchmark read the table.
//
// A row is a struct with
// - `Description`, a constexpr CudaConnectedComponentsEnums::AlgorithmDescription;
// - `Element`, a constexpr LabelElement: the element that each component chooses, a block or a pixel;
// - `Label<VDimension>(executor, input, size, options, labels)`, which labels an image of one byte per pixel.
//   Foreground pixels are not 0. The function writes 1 + the raster index of the component's element to all foreground
//   pixels of the component, and 0 to background pixels. PublishedRanking.h makes ITK's labels of them.

#include "algorithms/published/BlockKomuraEquivalence.h"
#include "algorithms/published/BlockUnionFind.h"
#include "algorithms/published/HardwareAccelerated.h"

#include <tuple>

namespace itk::ccl
{

using PublishedAlgorithms =
  std::tuple<BlockUnionFindAlgorithm, BlockKomuraEquivalenceAlgorithm, HardwareAcceleratedAlgorithm>;

static_assert(std::apply([](auto... rows) { return ((decltype(rows)::Element != LabelElement::Other) && ...); },
                         PublishedAlgorithms{}),
              "PublishedRanking.h knows first pixels and blocks");

/** Calls visitor(row) with the row of a published algorithm, an object of its struct. */
template <typename TVisitor>
void
VisitPublishedAlgorithm(CudaConnectedComponentsEnums::Algorithm algorithm, const TVisitor & visitor)
{
  const auto visitIfSelected = [&](auto row) {
    if (decltype(row)::Description.algorithm == algorithm)
    {
      visitor(row);
    }
  };
  std::apply([&](auto... rows) { (visitIfSelected(rows), ...); }, PublishedAlgorithms{});
}

/** Labels an image by a published algorithm: see above. `labels` may not be `input`. */
template <unsigned int VDimension, typename TLabel, typename TExecutor>
void
LabelByPublishedAlgorithm(const TExecutor &                       executor,
                          CudaConnectedComponentsEnums::Algorithm algorithm,
                          const std::uint8_t *                    input,
                          const Grid &                            size,
                          const PublishedOptions &                options,
                          TLabel *                                labels)
{
  VisitPublishedAlgorithm(
    algorithm, [&](auto row) { decltype(row)::template Label<VDimension>(executor, input, size, options, labels); });
}

/** Returns the element that the labels of a published algorithm name. */
inline LabelElement
ElementOfLabels(CudaConnectedComponentsEnums::Algorithm algorithm)
{
  LabelElement element = LabelElement::FirstPixel;
  VisitPublishedAlgorithm(algorithm, [&](auto row) { element = decltype(row)::Element; });
  return element;
}

} // namespace itk::ccl

#endif
