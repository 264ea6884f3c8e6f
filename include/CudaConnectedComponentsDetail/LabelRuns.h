// SPDX-License-Identifier: Apache-2.0
#ifndef CudaConnectedComponentsDetail_LabelRuns_h
#define CudaConnectedComponentsDetail_LabelRuns_h

// The work of CudaLabelImageToLabelMapFilter, for all pixel types.

#include "CudaConnectedComponentsDetail/ImageAccess.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace itk
{
namespace CudaConnectedComponentsDetail
{

/** Gets runs of one row. The component of a run is the number of its label. */
using RunVisitor = std::function<void(std::uint64_t row, const std::vector<CudaConnectedComponentLabeler::Run> & runs)>;

/** Finds the runs of equal labels in the rows of a series of views, without the background. Calls a function with
 * the runs of each row, in raster order, several times for a row with many runs. The labels are integers, and have the
 * numbers 0, 1, 2 and so on, in the order of their first pixels.
 * \param background has the bytes of the pixel
 * \return the label of each number. A label is converted to 64 bits by static_cast. */
CudaConnectedComponents_EXPORT std::vector<std::uint64_t>
VisitRunsOfLabels(const std::vector<ImageView> & views, std::uint64_t background, const RunVisitor & visit);

/** The part of an object that lies in one chunk of an image. */
struct PartOfObject
{
  std::uint64_t label;
  std::size_t   chunk;
  std::size_t   number; // of the label, in the chunk
};

/** Returns the parts of all objects in the order of their labels. The parts of one object are in the order of the
 * chunks.
 * \param labels the labels of each chunk, by number */
CudaConnectedComponents_EXPORT std::vector<PartOfObject>
SortParts(const std::vector<std::vector<std::uint64_t>> & labels);

} // namespace CudaConnectedComponentsDetail
} // namespace itk

#endif
