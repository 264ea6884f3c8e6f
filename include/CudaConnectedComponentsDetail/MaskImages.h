// SPDX-License-Identifier: Apache-2.0
#ifndef CudaConnectedComponentsDetail_MaskImages_h
#define CudaConnectedComponentsDetail_MaskImages_h

// The work of the filters that change the objects of a mask, for all pixel types.

#include "CudaConnectedComponentsDetail/ImageAccess.h"

#include <cstdint>
#include <vector>

namespace itk
{
namespace CudaConnectedComponentsDetail
{

/** A mask, and its copy with changed objects. Pixel values have the bytes of the pixel, as an unsigned integer. An
 * image of more than 3 dimensions is a series of volumes; the functions that label need one plane or one volume. */
struct MaskImages
{
  std::vector<ImageView> inputs;
  std::vector<ImageView> outputs;
  bool                   isUntouched; // whether nobody has written to the memory of the output
  std::uint64_t          foreground;  // value of the pixels that belong to objects
  std::uint64_t          background;  // value that the pixels of removed objects get
};

/** Removes the objects that the selection of the labeler does not keep. */
CudaConnectedComponents_EXPORT void
KeepSelectedObjects(const CudaConnectedComponentLabeler & labeler, const MaskImages & images);

/** Removes all objects. */
CudaConnectedComponents_EXPORT void
RemoveAllObjects(const CudaConnectedComponentLabeler & labeler, const MaskImages & images);

/** Keeps the objects that ShapeKeepNObjectsLabelMapFilter of ITK keeps by their numbers of pixels.
 * \param number how many objects to keep
 * \param areSmallest whether to keep the smallest objects instead of the largest */
CudaConnectedComponents_EXPORT void
KeepObjectsAsITK(CudaConnectedComponentLabeler & labeler,
                 const MaskImages &              images,
                 std::uint64_t                   number,
                 bool                            areSmallest);

/** Fills the holes: the components of the background that do not touch the border. They get the foreground value.
 * \param canHaveHoles false if each pixel lies on the border */
CudaConnectedComponents_EXPORT void
FillHoles(CudaConnectedComponentLabeler & labeler, const MaskImages & images, bool canHaveHoles);

/** Allocates the output of a filter by allocate(), and describes its images. */
template <typename TImage, typename TAllocate>
MaskImages
PrepareMaskImages(const TImage &             input,
                  const TImage &             output,
                  typename TImage::PixelType foreground,
                  typename TImage::PixelType background,
                  const TAllocate &          allocate)
{
  const bool isUntouched = AllocateUntouched(output, allocate);
  const auto region = output.GetRequestedRegion();
  return { ViewsOf(input, region, "input"),
           ViewsOf(output, region, "output"),
           isUntouched,
           ImageView::BitsOf(foreground),
           ImageView::BitsOf(background) };
}

} // namespace CudaConnectedComponentsDetail
} // namespace itk

#endif
