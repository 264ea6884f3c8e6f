// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_engine_Requests_h
#define ccl_engine_Requests_h

// Makes the requests of the calls of a labeler, and checks their arguments.

#include "algorithms/Request.h"
#include "algorithms/analysis/ComponentTable.h"

#include "itkCudaConnectedComponentDeviceCall.h"
#include "itkCudaConnectedComponentLabeler.h"

namespace itk::ccl
{

/** Returns the neighbors of the options in an image. Throws CudaConnectedComponentError if they are not possible there.
 */
Neighbors
NeighborsOf(const CudaConnectedComponentLabeler::Options & options, const Grid & size);

/** Returns the request for an image. `image` is null if only its packed rows are known. Throws
 * CudaConnectedComponentError if the image or the algorithm does not support the connectivity or values of the options,
 * if a seed lies outside the image, if the mask does not fit the image, if the intensities cannot be measured, or if
 * one of these is in another memory than the image. */
Request
RequestFor(const CudaConnectedComponentLabeler::Options & options,
           const ImageView *                              image,
           const ImageView::SizeType &                    imageSize,
           std::uint64_t                                  images,
           bool                                           wantsTable,
           OutputKind                                     output,
           const LabelValues &                            labelValues = LabelValues::Ranks(),
           ImageView::MemoryEnum                          memory = ImageView::MemoryEnum::Host);

/** Returns whether the caller wants to know what the values of the pixels are. All true pixels of a bool are one value.
 */
bool
WantsValues(const CudaConnectedComponentLabeler::Options & options, const Foreground & foreground, PixelType type);

/** Returns the request for images in device memory. */
Request
RequestFor(const CudaConnectedComponentLabeler::Options & options,
           const ImageView &                              input,
           bool                                           wantsTable,
           OutputKind                                     output,
           const LabelValues &                            labelValues = LabelValues::Ranks(),
           std::uint64_t                                  fillValue = 0);

/** Returns the columns that a table in device memory wants. */
TableColumns
ColumnsOf(const CudaConnectedComponentDeviceTable & table);

/** Returns the request of a call that does not wait. Throws CudaConnectedComponentError if the call is not possible. */
Request
RequestFor(const CudaConnectedComponentLabeler::Options & options, const CudaConnectedComponentDeviceCall & call);

} // namespace itk::ccl

#endif
