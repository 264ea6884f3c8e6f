// SPDX-License-Identifier: Apache-2.0
#ifndef CudaConnectedComponentsDetail_IntensityImage_h
#define CudaConnectedComponentsDetail_IntensityImage_h

#include "itkCudaConnectedComponentIntensities.h"
#include "itkCudaConnectedComponentStatistics.h"

#include "CudaConnectedComponentsDetail/ImageProperties.h"
#include "CudaConnectedComponentsDetail/LabelRows.h"

#include "itkImage.h"
#include "itkImageRegionConstIterator.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

namespace itk
{
namespace CudaConnectedComponentsDetail
{

template <typename... TPixels>
struct PixelList
{};

/** The types of pixels whose intensities can be measured. */
using IntensityPixels = PixelList<bool,
                                  char,
                                  signed char,
                                  unsigned char,
                                  short,
                                  unsigned short,
                                  int,
                                  unsigned int,
                                  long,
                                  unsigned long,
                                  long long,
                                  unsigned long long,
                                  float,
                                  double>;

template <typename TImage, typename TFunction>
bool
VisitImageIf(const DataObject & object, const TFunction & function)
{
  const auto * const image = dynamic_cast<const TImage *>(&object);
  if (image != nullptr)
  {
    function(*image);
  }
  return image != nullptr;
}

template <unsigned int VDimension, typename TFunction, typename... TPixels>
bool
VisitImageOf(PixelList<TPixels...>, const ImageBase<VDimension> & image, const TFunction & function)
{
  return (VisitImageIf<Image<TPixels, VDimension>>(image, function) || ...);
}

/** Calls function(image) with the itk::Image that an object is. Returns false if the object is no such image, or if its
 * pixels are no numbers that can be measured. */
template <unsigned int VDimension, typename TFunction>
bool
VisitIntensityImage(const ImageBase<VDimension> & image, const TFunction & function)
{
  return VisitImageOf(IntensityPixels(), image, function);
}

/** Describes the pixels of a region of an image for the labeler. Throws an ExceptionObject if the region is not in
 * memory. The region must have pixels. */
template <unsigned int VDimension>
CudaConnectedComponentIntensities::Image
DescribeIntensities(const ImageBase<VDimension> & image, const ImageRegion<VDimension> & region)
{
  static_assert(VDimension <= 3, "the labeler supports planes and volumes");
  const ImageRegion<VDimension> &          buffered = image.GetBufferedRegion();
  CudaConnectedComponentIntensities::Image description;
  VisitIntensityImage(image, [&](const auto & typed) {
    if (typed.GetBufferPointer() != nullptr && buffered.IsInside(region))
    {
      std::array<std::uint64_t, 3> bufferSize{ 1, 1, 1 };
      std::copy_n(buffered.GetSize().begin(), VDimension, bufferSize.begin());
      description = CudaConnectedComponentIntensities::Image::Of(
        typed.GetBufferPointer() + image.ComputeOffset(region.GetIndex()), bufferSize);
    }
  });
  if (description.pixels == nullptr)
  {
    itkGenericExceptionMacro(<< "The pixels of the intensity image are not in memory. Its buffer has "
                             << SizeText(buffered) << " pixels from the index " << buffered.GetIndex()
                             << " on. The filter needs " << SizeText(region) << " pixels from the index "
                             << region.GetIndex() << " on. Allocate the image and fill it.");
  }
  return description;
}

/** Measures the intensities of the objects of a label image, as CudaConnectedComponentLabeler does. This code serves
 * images of more than 3 dimensions. It adds in long double, so the sums are rounded.
 * \param labels an image with the labels of ConnectedComponentImageFilter
 * \param background the value of background pixels in the label image
 * \param intensities the intensity image; its buffered region contains the buffered region of the label image
 * \param objects the objects with their numbers of pixels, in the order of the labels */
template <typename TLabelImage>
void
MeasureIntensitiesOfLabels(
  const TLabelImage &                                                                               labels,
  typename TLabelImage::PixelType                                                                   background,
  const ImageBase<TLabelImage::ImageDimension> &                                                    intensities,
  std::vector<typename CudaConnectedComponentStatistics<TLabelImage::ImageDimension>::ObjectType> & objects)
{
  struct Measurement
  {
    long double sum = 0.0L;
    long double squares = 0.0L; // of the distances from the mean
    double      minimum = std::numeric_limits<double>::quiet_NaN();
    double      maximum = std::numeric_limits<double>::quiet_NaN();
  };
  std::vector<Measurement> measurements(objects.size());
  VisitIntensityImage(intensities, [&](const auto & image) {
    using ImageType = std::remove_cv_t<std::remove_reference_t<decltype(image)>>;
    const auto forEachPixel = [&](const auto & function) {
      ImageRegionConstIterator<ImageType> it(&image, labels.GetBufferedRegion());
      for (ImageRegionConstIterator<TLabelImage> labelIt(&labels, labels.GetBufferedRegion()); !labelIt.IsAtEnd();
           ++labelIt, ++it)
      {
        if (labelIt.Get() != background)
        {
          const auto row = static_cast<std::size_t>(
            RowOfLabel(static_cast<std::uint64_t>(labelIt.Get()), static_cast<std::uint64_t>(background)));
          function(row, it.Get());
        }
      }
    };
    forEachPixel([&](std::size_t row, auto pixel) {
      Measurement & measurement = measurements[row];
      measurement.sum += static_cast<long double>(pixel);
      const auto value = static_cast<double>(pixel);
      // NaN is ignored, and -0.0 is less than 0.0.
      if (value < measurement.minimum || std::isnan(measurement.minimum) ||
          (value == measurement.minimum && std::signbit(value)))
      {
        measurement.minimum = value;
      }
      if (value > measurement.maximum || std::isnan(measurement.maximum) ||
          (value == measurement.maximum && !std::signbit(value)))
      {
        measurement.maximum = value;
      }
    });
    // A second pass, because the squares of large numbers would hide a small variance.
    forEachPixel([&](std::size_t row, auto pixel) {
      Measurement &     measurement = measurements[row];
      const long double mean = measurement.sum / static_cast<long double>(objects[row].numberOfPixels);
      const long double distance = static_cast<long double>(pixel) - mean;
      measurement.squares += distance * distance;
    });
  });
  for (std::size_t i = 0; i < objects.size(); ++i)
  {
    const Measurement & measurement = measurements[i];
    const SizeValueType count = objects[i].numberOfPixels;
    const auto          variance = static_cast<double>(measurement.squares / static_cast<long double>(count - 1));
    objects[i].intensities = {
      measurement.minimum, measurement.maximum, static_cast<double>(measurement.sum), count > 1 ? variance : 0.0
    };
  }
}

} // namespace CudaConnectedComponentsDetail
} // namespace itk

#endif
