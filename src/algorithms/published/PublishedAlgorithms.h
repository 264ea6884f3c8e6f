// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_algorithms_published_PublishedAlgorithms_h
#define ccl_algorithms_published_PublishedAlgorithms_h

// The table of the algorithms that are implemented as their papers describe them. A new algorithm adds its file to this
// folder, its value to CudaConnectedComponentsEnums::Algorithm, and one row here. The filter, the tool, the tests and
// the benchmark read the table.
//
// A row is a struct with
// - `Description`, a constexpr CudaConnectedComponentsEnums::AlgorithmDescription;
// - `Label<VDimension>(executor, input, size, labels, inlineCompression)`, which labels an image of one byte per pixel.
//   Foreground pixels are not 0. Each component chooses one of its blocks in the first layer that it
//   reaches. The function writes 1 + the raster index of the corner of this block to all foreground pixels of the
//   component, and 0 to background pixels. BlockRanking.h makes ITK's labels of them.

#include "algorithms/published/BlockKomuraEquivalence.h"
#include "algorithms/published/BlockUnionFind.h"

#include <tuple>

namespace itk::ccl
{

using PublishedAlgorithms = std::tuple<BlockUnionFindAlgorithm, BlockKomuraEquivalenceAlgorithm>;

/** Labels an image by a published algorithm: see above. `labels` may not be `input`. */
template <unsigned int VDimension, typename TLabel, typename TExecutor>
void
LabelByPublishedAlgorithm(const TExecutor &                       executor,
                          CudaConnectedComponentsEnums::Algorithm algorithm,
                          const std::uint8_t *                    input,
                          const Grid &                            size,
                          TLabel *                                labels,
                          bool                                    inlineCompression)
{
  const auto labelIfSelected = [&](auto row) {
    using RowType = decltype(row);
    if (RowType::Description.algorithm == algorithm)
    {
      RowType::template Label<VDimension>(executor, input, size, labels, inlineCompression);
    }
  };
  std::apply([&](auto... rows) { (labelIfSelected(rows), ...); }, PublishedAlgorithms{});
}

} // namespace itk::ccl

#endif
