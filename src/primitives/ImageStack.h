// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_primitives_ImageStack_h
#define ccl_primitives_ImageStack_h

// The images of a batch, stacked along z, so that one set of kernels works on all of them.

#include "primitives/Grid.h"

namespace itk::ccl
{

/** Images of one size, one after the other along z. The bits of each image take whole row groups, so that no row group
 * has rows of two images: if slices are taken in pairs, an image with an odd number of slices gets an empty one. A
 * single image gets none, because its last row group may lack rows. */
struct ImageStack
{
  Grid          size;   // of one image, in pixels
  std::uint64_t images; // number of images
  std::uint64_t slices; // slices of the bits of one image

  /** Takes one image. It is not explicit, so functions that work on stacks take a size. */
  CCL_HOST_DEVICE
  ImageStack(const Grid & sizeOfImage)
    : ImageStack(sizeOfImage, 1, 1)
  {}

  /** \param slicesOfGroup slices of a row group */
  CCL_HOST_DEVICE
  ImageStack(const Grid & sizeOfImage, std::uint64_t imageCount, unsigned int slicesOfGroup)
    : size(sizeOfImage)
    , images(imageCount)
    , slices(imageCount == 1 ? size.z : DivideUp(size.z, slicesOfGroup) * slicesOfGroup)
  {}

  /** Returns the grid of the bits of all images. */
  CCL_HOST_DEVICE
  Grid
  GetGrid() const
  {
    return { size.x, size.y, images * slices };
  }

  // A TIndex of 32 bits is faster below, but must hold the indices of all pixels and slices.

  /** Returns the image of a slice of the stack. */
  template <typename TIndex>
  CCL_HOST_DEVICE
  TIndex
  ImageOf(TIndex slice) const
  {
    return images == 1 ? 0 : static_cast<TIndex>(Divide(slice, static_cast<TIndex>(slices)));
  }

  /** Returns the number of rows of pixels before a row. `image` is the image of slice z of the stack. */
  template <typename TIndex>
  CCL_HOST_DEVICE
  TIndex
  RowIndex(TIndex y, TIndex z, TIndex image) const
  {
    return y + static_cast<TIndex>(size.y) * (z - image * static_cast<TIndex>(slices - size.z));
  }

  /** Returns whether slice z of the stack has pixels. `image` is the image of the slice. */
  template <typename TIndex>
  CCL_HOST_DEVICE
  bool
  HasPixels(TIndex z, TIndex image) const
  {
    return z - image * static_cast<TIndex>(slices) < static_cast<TIndex>(size.z);
  }
};

/** The pixels of the images of a stack. Strides are in pixels. */
template <typename TPixel>
struct StackPixels
{
  TPixel *     pixels;
  std::int64_t pixelStride; // 1 if the pixels of a row are adjacent
  std::int64_t rowStride;
  std::int64_t sliceStride;
  std::int64_t imageStride;
  bool         isContiguous; // whether the rows, the slices and the images follow each other without gaps

  /** Returns images without gaps. */
  static StackPixels
  Of(TPixel * first, const Grid & size)
  {
    return { first,
             1,
             static_cast<std::int64_t>(size.x),
             static_cast<std::int64_t>(size.x * size.y),
             static_cast<std::int64_t>(size.Count()),
             true };
  }

  /** Returns the first pixel of row y in slice z of the stack, which is a slice of `image`. TIndex is as in ImageStack.
   */
  template <typename TIndex>
  CCL_HOST_DEVICE
  TPixel *
  Row(const ImageStack & stack, TIndex y, TIndex z, TIndex image) const
  {
    if (isContiguous)
    {
      return pixels + static_cast<TIndex>(stack.size.x) * stack.RowIndex(y, z, image);
    }
    const auto sliceOfImage = static_cast<std::int64_t>(z - image * static_cast<TIndex>(stack.slices));
    return pixels + static_cast<std::int64_t>(y) * rowStride + sliceOfImage * sliceStride +
           static_cast<std::int64_t>(image) * imageStride;
  }
};

} // namespace itk::ccl

#endif
