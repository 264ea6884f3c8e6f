// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_engine_LabeledImages_h
#define ccl_engine_LabeledImages_h

// Measures and renumbers the components of images in host memory that have labels already, such as the volumes of an
// image with more than three dimensions. The runs come from the labels; the measurement is the same as for images that
// the labeler labels. A label image has the labels of ConnectedComponentImageFilter, so different components do not
// touch.

#include "executors/host/ParallelFor.h"
#include "primitives/LabelValues.h"
#include "primitives/PixelTypes.h"

#include "itkCudaConnectedComponentSelection.h"
#include "itkCudaConnectedComponentTable.h"

#include <cstdint>
#include <vector>

namespace itk::ccl
{

/** Returns the labels of an image with a background value. The value is converted to 64 bits. */
LabelValues
LabelValuesOf(PixelType type, std::uint64_t background);

/** Measures the components that have pixels in one volume of a series. The table has a row for each of them.
 * \param rowOfComponent an element for each component of the series; all are 0, before the call and after it
 * \param components gets the component of each row */
CudaConnectedComponentTable
MeasureLabels(const ParallelFor &                          parallelFor,
              const ImageView &                            labels,
              const LabelValues &                          labelValues,
              const CudaConnectedComponentTable::Columns & columns,
              std::vector<std::uint64_t> &                 rowOfComponent,
              std::vector<std::uint64_t> &                 components);

/** Measures the intensities of the components of several volumes together. Intensity image i belongs to label image i.
 */
CudaConnectedComponentIntensities
MeasureIntensitiesOfLabels(const ParallelFor &            parallelFor,
                           const std::vector<ImageView> & labels,
                           const std::vector<ImageView> & intensities,
                           const LabelValues &            labelValues,
                           std::uint64_t                  componentCount);

/** The components that a selection keeps. */
struct KeptComponents
{
  std::vector<std::uint64_t> components; // in the order of their labels
  std::vector<std::uint64_t> labels;     // the label of each component; the background value if it is not kept
};

/** Selects components by their pixel counts. Other conditions of the selection have no effect. */
KeptComponents
SelectComponentsBySize(const ParallelFor &                     parallelFor,
                       std::vector<std::uint64_t> &            pixelCounts,
                       const CudaConnectedComponentSelection & selection,
                       const LabelValues &                     labelValues);

/** Replaces the labels of a volume: component i gets newLabels[i]. The background does not change. */
void
ReplaceLabels(const ParallelFor &                parallelFor,
              const ImageView &                  labels,
              const LabelValues &                labelValues,
              const std::vector<std::uint64_t> & newLabels);

} // namespace itk::ccl

#endif
