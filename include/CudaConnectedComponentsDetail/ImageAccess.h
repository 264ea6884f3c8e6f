// SPDX-License-Identifier: Apache-2.0
#ifndef CudaConnectedComponentsDetail_ImageAccess_h
#define CudaConnectedComponentsDetail_ImageAccess_h

// From ITK's images to views. Only the functions at the end are templates: they read the buffer's pointer and its
// regions once, in the calling thread. All other work on pixels is in the library.

#include "CudaConnectedComponentsDetail/BackendRun.h"

#include "itkCudaConnectedComponentImageView.h"
#include "itkCudaConnectedComponentLabeler.h"
#include "itkImage.h"
#include "itkImageScanlineConstIterator.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <type_traits>
#include <typeinfo>
#include <utility>
#include <vector>

namespace itk
{
namespace CudaConnectedComponentsDetail
{

using ImageView = CudaConnectedComponentImageView;
using RowPacker = CudaConnectedComponentLabeler::RowPackerType;

/** Returns numbers of pixels as a text, such as "512 x 512 x 80". */
CudaConnectedComponents_EXPORT std::string
SizeText(const std::vector<std::uint64_t> & size);

/** Returns an index as a text, such as "[0, -3, 7]". */
CudaConnectedComponents_EXPORT std::string
IndexText(const std::vector<std::int64_t> & index);

/** The start and the size of a region along all axes. */
struct RegionOfAxes
{
  std::vector<std::int64_t>  start;
  std::vector<std::uint64_t> size;

  template <unsigned int VDimension>
  RegionOfAxes(const ImageRegion<VDimension> & region) // not explicit: functions take regions of any dimension
    : start(region.GetIndex().begin(), region.GetIndex().end())
    , size(region.GetSize().begin(), region.GetSize().end())
  {}
};

/** The buffer of an image. */
struct ImageBuffer
{
  const void *  pixels;
  std::uint64_t capacity; // number of pixels that the buffer can hold
  RegionOfAxes  region;   // the buffered region
};

/** Describes a region of an image as a series of planes or volumes: one for up to 3 dimensions, otherwise one for each
 * index along the other axes, in raster order.
 * \param role the name of the image in messages, such as "input"
 * \exception ExceptionObject the buffer does not cover the region */
CudaConnectedComponents_EXPORT std::vector<ImageView>
MakeViews(const ImageBuffer &                     buffer,
          CudaConnectedComponentsEnums::PixelType type,
          const RegionOfAxes &                    region,
          const char *                            role);

/** Throws the exception of MakeViews() if a buffer does not cover a region. */
CudaConnectedComponents_EXPORT void
RequireBuffered(const ImageBuffer & buffer, const RegionOfAxes & region, const char * role);

/** Returns a function that packs the pixels of a view that are not zero. */
CudaConnectedComponents_EXPORT RowPacker
PackerOf(const ImageView & view);

/** Returns a function that packs the pixels of a view that equal a value. `value` has the bits of the pixel. */
CudaConnectedComponents_EXPORT RowPacker
PackerOf(const ImageView & view, std::uint64_t value);

/** Returns a function that packs the pixels of a view from `lower` to `upper`. They have the bits of the pixels. */
CudaConnectedComponents_EXPORT RowPacker
PackerOf(const ImageView & view, std::uint64_t lower, std::uint64_t upper);

/** Returns a function that packs the pixels that both functions pack. */
CudaConnectedComponents_EXPORT RowPacker
Both(RowPacker first, RowPacker second, std::uint64_t rowLength);

/** Whether the buffer of an image stores each pixel as a number that a view can describe. */
template <typename TImage>
constexpr bool IsViewed =
  std::is_base_of<Image<typename TImage::PixelType, TImage::ImageDimension>, TImage>::value &&
  std::is_arithmetic<typename TImage::PixelType>::value && sizeof(typename TImage::PixelType) <= 8;

/** Whether the pixels of an image can be labels for the code of this module. */
template <typename TPixel>
constexpr bool IsLabel = std::is_integral<TPixel>::value && !std::is_same<TPixel, bool>::value;

/** Whether an image has a buffer. ITK's iterators also read images of other toolkits that have none. */
template <typename TImage, typename = void>
constexpr bool HasBuffer = false;
template <typename TImage>
constexpr bool HasBuffer<TImage,
                         std::void_t<decltype(std::declval<const TImage &>().GetBufferPointer()),
                                     decltype(std::declval<const TImage &>().GetPixelContainer())>> = true;

/** Whether the buffer of an image holds several numbers for each pixel, as that of a VectorImage. */
template <typename TImage, typename = void>
constexpr bool HasVectors = false;
template <typename TImage>
constexpr bool
  HasVectors<TImage, std::void_t<decltype(std::declval<const TImage &>().GetPixelAccessor().GetVectorLength())>> = true;

/** Returns the buffer of an image. */
template <typename TImage>
ImageBuffer
BufferOf(const TImage & image)
{
  // The first call may fill the container.
  const void * const pixels = image.GetBufferPointer();
  const auto * const container = image.GetPixelContainer();
  std::uint64_t      capacity = container == nullptr ? 0 : container->Size();
  if constexpr (HasVectors<TImage>)
  {
    capacity /= std::max<std::uint64_t>(image.GetPixelAccessor().GetVectorLength(), 1);
  }
  return { pixels, capacity, image.GetBufferedRegion() };
}

/** Describes a region of an image as a series of views, as MakeViews() does. */
template <typename TImage>
std::vector<ImageView>
ViewsOf(const TImage & image, const typename TImage::RegionType & region, const char * role)
{
  static_assert(IsViewed<TImage>, "a view describes images of numbers");
  // A region without pixels needs no buffer, so the image is not asked for one.
  const ImageBuffer buffer = region.GetNumberOfPixels() == 0 ? ImageBuffer{ nullptr, 0, region } : BufferOf(image);
  return MakeViews(buffer, ImageView::TypeOf<typename TImage::PixelType>(), region, role);
}

/** Describes a region of a plane or a volume. */
template <typename TImage>
ImageView
ViewOf(const TImage & image, const typename TImage::RegionType & region, const char * role)
{
  static_assert(TImage::ImageDimension <= 3, "an image of more dimensions is a series of views");
  return ViewsOf(image, region, role).front();
}

/** Returns the index of the first pixel of a row. Rows are counted in raster order, from the start of the region. */
template <unsigned int VDimension>
Index<VDimension>
IndexOfRow(const ImageRegion<VDimension> & region, std::uint64_t row)
{
  Index<VDimension> index = region.GetIndex();
  for (unsigned int axis = 1; axis + 1 < VDimension; ++axis)
  {
    index[axis] += static_cast<IndexValueType>(row % region.GetSize(axis));
    row /= region.GetSize(axis);
  }
  // A division takes as long as a short row.
  index[VDimension - 1] += static_cast<IndexValueType>(VDimension > 1 ? row : 0);
  return index;
}

/** Returns a function that packs the pixels for which a condition is true, of an image that no view describes. */
template <typename TImage, typename TCondition>
RowPacker
PackerOfImage(const TImage &                      image,
              const typename TImage::RegionType & region,
              const char *                        role,
              const TCondition &                  isForeground)
{
  if constexpr (HasBuffer<TImage>)
  {
    RequireBuffered(BufferOf(image), region, role);
  }
  // An iterator asks the image for its buffer when it is made, but not when it is copied.
  return [begin = ImageScanlineConstIterator<TImage>(&image, region), region, isForeground](std::uint64_t   row,
                                                                                            std::uint32_t * words) {
    BackendRun::CallCaller([&] {
      auto it = begin;
      it.SetIndex(IndexOfRow(region, row));
      CudaConnectedComponentLabeler::PackBits(region.GetSize(0), words, [&it, &isForeground](std::uint64_t) {
        const bool isSet = isForeground(it.Get());
        ++it;
        return isSet;
      });
    });
  };
}

/** Returns a function that packs the pixels of a plane or a volume that are not zero. */
template <typename TImage>
RowPacker
PackerOfNonzero(const TImage & image, const typename TImage::RegionType & region, const char * role)
{
  if constexpr (IsViewed<TImage>)
  {
    return PackerOf(ViewOf(image, region, role));
  }
  else
  {
    using PixelType = typename TImage::PixelType;
    return PackerOfImage(
      image, region, role, [](const PixelType & pixel) { return pixel != NumericTraits<PixelType>::ZeroValue(pixel); });
  }
}

/** Returns a function that packs the pixels of a plane or a volume that equal a value. */
template <typename TImage>
RowPacker
PackerOfEqual(const TImage &                      image,
              const typename TImage::RegionType & region,
              const char *                        role,
              const typename TImage::PixelType &  value)
{
  if constexpr (IsViewed<TImage>)
  {
    return PackerOf(ViewOf(image, region, role), ImageView::BitsOf(value));
  }
  else
  {
    using PixelType = typename TImage::PixelType;
    return PackerOfImage(
      image, region, role, [value](const PixelType & pixel) { return static_cast<bool>(pixel == value); });
  }
}

/** Returns a function that packs the pixels of a plane or a volume from `lower` to `upper`. */
template <typename TImage>
RowPacker
PackerOfRange(const TImage &                      image,
              const typename TImage::RegionType & region,
              const char *                        role,
              const typename TImage::PixelType &  lower,
              const typename TImage::PixelType &  upper)
{
  if constexpr (IsViewed<TImage>)
  {
    return PackerOf(ViewOf(image, region, role), ImageView::BitsOf(lower), ImageView::BitsOf(upper));
  }
  else
  {
    using PixelType = typename TImage::PixelType;
    return PackerOfImage(
      image, region, role, [lower, upper](const PixelType & pixel) { return lower <= pixel && pixel <= upper; });
  }
}

/** Allocates the output of a filter by allocate(). Returns whether nobody has written to its memory. Only memory that
 * ITK's own container has just allocated is such memory: another container may hold a mapped file. */
template <typename TImage, typename TAllocate>
bool
AllocateUntouched(const TImage & output, const TAllocate & allocate)
{
  using ContainerType = ImportImageContainer<SizeValueType, typename TImage::InternalPixelType>;
  const auto * const before = output.GetPixelContainer();
  const bool         isNew = before == nullptr || before->Size() == 0;
  allocate();
  const auto * const container = output.GetPixelContainer();
  return isNew && container != nullptr && typeid(*container) == typeid(ContainerType) &&
         container->GetContainerManageMemory();
}

} // namespace CudaConnectedComponentsDetail
} // namespace itk

#endif
