// SPDX-License-Identifier: Apache-2.0
#ifndef CudaConnectedComponentsDetail_ImageProperties_h
#define CudaConnectedComponentsDetail_ImageProperties_h

#include "itkImage.h"

#include <cstdint>
#include <string>
#include <type_traits>

namespace itk
{
namespace CudaConnectedComponentsDetail
{

/** Whether the buffer of an image stores each pixel as one number. */
template <typename TImage>
constexpr bool HasScalarBuffer =
  std::is_base_of<Image<typename TImage::PixelType, TImage::ImageDimension>, TImage>::value &&
  std::is_arithmetic<typename TImage::PixelType>::value;

/** Whether the pixels of an image can be packed by PackEqual() and written by MaskRows. */
template <typename TImage>
constexpr bool HasMaskBuffer = HasScalarBuffer<TImage> && sizeof(typename TImage::PixelType) <= 8;

/** Returns the size of a region as a text, such as "512 x 512 x 80". */
template <unsigned int VDimension>
std::string
SizeText(const ImageRegion<VDimension> & region)
{
  std::string text = std::to_string(region.GetSize(0));
  for (unsigned int axis = 1; axis < VDimension; ++axis)
  {
    text += " x " + std::to_string(region.GetSize(axis));
  }
  return text;
}

/** Returns the physical size of a pixel. RelabelComponentImageFilter rounds each product to float, too. */
template <unsigned int VDimension>
float
PixelSize(const ImageBase<VDimension> & image)
{
  float size = 1.0F;
  for (unsigned int axis = 0; axis < VDimension; ++axis)
  {
    size = static_cast<float>(size * image.GetSpacing()[axis]);
  }
  return size;
}

/** Returns the index of the first pixel of a row. Rows are counted in raster order, from the start of the region. */
template <unsigned int VDimension>
Index<VDimension>
IndexOfRow(const ImageRegion<VDimension> & region, std::uint64_t row)
{
  Index<VDimension> index = region.GetIndex();
  for (unsigned int axis = 1; axis < VDimension; ++axis)
  {
    index[axis] += static_cast<IndexValueType>(row % region.GetSize(axis));
    row /= region.GetSize(axis);
  }
  return index;
}

} // namespace CudaConnectedComponentsDetail
} // namespace itk

#endif
