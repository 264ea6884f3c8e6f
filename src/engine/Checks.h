// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_engine_Checks_h
#define ccl_engine_Checks_h

// The checks of the arguments of a labeler. They throw CudaConnectedComponentError (InvalidArgument).

#include "primitives/Grid.h"
#include "primitives/PixelTypes.h"

#include "itkCudaConnectedComponentError.h"
#include "itkCudaConnectedComponentImageView.h"

#include <cstdint>
#include <string>

namespace itk::ccl
{

/** Throws CudaConnectedComponentError (InvalidArgument) unless a condition is true. makeMessage() returns the message;
 * it is called for the exception only. */
template <typename TMessage>
void
Require(bool condition, const TMessage & makeMessage)
{
  if (!condition)
  {
    throw CudaConnectedComponentError(CudaConnectedComponentError::KindEnum::InvalidArgument, makeMessage());
  }
}

/** Does the same with a constant message. */
inline void
Require(bool condition, const char * message)
{
  Require(condition, [message] { return std::string(message); });
}

/** Returns the size as a grid. Throws CudaConnectedComponentError for more than 2^40 pixels. With fewer pixels, no size
 * or index overflows on the host or on the device. */
Grid
GridOf(const ImageView::SizeType & size, std::uint64_t images);

/** Throws CudaConnectedComponentError unless an image has the size of the input, and a batch as many images. */
void
RequireSize(const ImageView & image, const ImageView::SizeType & size, std::uint64_t images, const char * name);

/** Throws CudaConnectedComponentError if an image has pixels, but no memory, or if its type is no value of the
 * enumeration. */
void
RequireMemory(const ImageView & image, const char * name);

/** Throws CudaConnectedComponentError unless an image is in a memory. */
void
RequireIn(ImageView::MemoryEnum memory, const ImageView & image, const char * name);

/** Throws CudaConnectedComponentError unless the address and the strides of an image are multiples of its pixel size.
 * On the device, a kernel would fail with an error from which the process cannot recover. */
void
RequireAligned(const ImageView & image, const char * name);

/** Throws CudaConnectedComponentError unless an image is aligned and the pixels of a row are adjacent. */
void
RequireAdjacent(const ImageView & image, const char * name);

/** Throws CudaConnectedComponentError if rows of images overlap. The axes may have any order in memory. */
void
RequireSeparateRows(const ImageView & image, const char * name);

/** Throws CudaConnectedComponentError unless an image in device memory has no gaps. */
void
RequireContiguous(const ImageView & image, const char * name);

/** Throws CudaConnectedComponentError unless pixels can be labels. */
void
RequireLabelType(const ImageView & output);

/** Throws CudaConnectedComponentError unless an image of labels in host memory can be written. */
void
RequireHostLabels(const ImageView & output);

/** Throws CudaConnectedComponentError if the input of a call for device memory is in host memory. */
void
RequireOnDevice(const ImageView & input);

} // namespace itk::ccl

#endif
