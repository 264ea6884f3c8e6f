// SPDX-License-Identifier: Apache-2.0
#ifndef CudaConnectedComponentsDetail_LabelMapRuns_h
#define CudaConnectedComponentsDetail_LabelMapRuns_h

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

/** Neighboring pixels of a row that have the same label. */
struct RunOfLabel
{
  std::uint64_t row;
  std::uint64_t x; // of the first pixel
  std::uint64_t length;
  std::uint64_t labelIndex;
};

/** Finds the runs of equal labels in the rows of a series of views, without the background. Passes them to a function
 * in raster order, many at a time. The labels are integers, and have the indices 0, 1, 2 and so on, in the order of
 * their first pixels.
 * \param background the bits of the background pixel
 * \return the label of each index. A label is converted to 64 bits by static_cast. */
CudaConnectedComponents_EXPORT std::vector<std::uint64_t>
VisitRunsOfLabels(const std::vector<ImageView> &                               views,
                  std::uint64_t                                                background,
                  const std::function<void(const std::vector<RunOfLabel> &)> & visit);

/** The part of an object that lies in one chunk of an image. */
struct PartOfObject
{
  std::uint64_t label;
  std::size_t   chunk;
  std::size_t   labelIndex; // in the chunk
};

/** Returns the parts of all objects in the order of their labels. The parts of one object are in the order of the
 * chunks.
 * \param labels the labels of each chunk, by index */
CudaConnectedComponents_EXPORT std::vector<PartOfObject>
SortParts(const std::vector<std::vector<std::uint64_t>> & labels);

} // namespace CudaConnectedComponentsDetail
} // namespace itk

#endif
