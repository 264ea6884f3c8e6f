// SPDX-License-Identifier: Apache-2.0
#ifndef CudaConnectedComponentsDetail_SelectLabels_h
#define CudaConnectedComponentsDetail_SelectLabels_h

#include "itkCudaConnectedComponentSelection.h"
#include "itkCudaConnectedComponentStatistics.h"

#include "CudaConnectedComponentsDetail/CentralMoments.h"
#include "CudaConnectedComponentsDetail/LabelRows.h"

#include "itkImageRegionConstIteratorWithIndex.h"
#include "itkImageRegionIterator.h"

#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

namespace itk
{
namespace CudaConnectedComponentsDetail
{

/** Measures the objects of a label image, in the order of their labels. The labels are the labels of
 * ConnectedComponentImageFilter for this number of objects and this background value.
 * \param withMoments whether the second moments are measured, too */
template <typename TImage>
std::vector<typename CudaConnectedComponentStatistics<TImage::ImageDimension>::ObjectType>
MeasureLabels(const TImage & image, SizeValueType objectCount, typename TImage::PixelType background, bool withMoments)
{
  constexpr unsigned int Dimension = TImage::ImageDimension;
  struct Measurement
  {
    PixelSums<Dimension>       pixels;
    typename TImage::IndexType minimum{};
    typename TImage::IndexType maximum{};
  };
  std::vector<Measurement>           measurements(objectCount);
  const typename TImage::IndexType & start = image.GetBufferedRegion().GetIndex();
  for (ImageRegionConstIteratorWithIndex<TImage> it(&image, image.GetBufferedRegion()); !it.IsAtEnd(); ++it)
  {
    if (it.Get() == background)
    {
      continue;
    }
    Measurement &                    measurement = measurements[static_cast<std::size_t>(
      RowOfLabel(static_cast<std::uint64_t>(it.Get()), static_cast<std::uint64_t>(background)))];
    const typename TImage::IndexType index = it.GetIndex();
    if (measurement.pixels.count == 0)
    {
      measurement.minimum = measurement.maximum = index;
    }
    ++measurement.pixels.count;
    for (unsigned int axis = 0; axis < Dimension; ++axis)
    {
      measurement.minimum[axis] = std::min(measurement.minimum[axis], index[axis]);
      measurement.maximum[axis] = std::max(measurement.maximum[axis], index[axis]);
      const auto offset = static_cast<UInt128>(index[axis] - start[axis]);
      measurement.pixels.sums[axis] += offset;
      for (unsigned int other = axis; other < Dimension && withMoments; ++other)
      {
        measurement.pixels.products[AxisPair(Dimension, axis, other)] +=
          offset * static_cast<std::uint64_t>(index[other] - start[other]);
      }
    }
  }

  std::vector<typename CudaConnectedComponentStatistics<Dimension>::ObjectType> objects(objectCount);
  for (std::size_t i = 0; i < objects.size(); ++i)
  {
    const Measurement & measurement = measurements[i];
    objects[i].numberOfPixels = measurement.pixels.count;
    objects[i].boundingBox.SetIndex(measurement.minimum);
    objects[i].boundingBox.SetUpperIndex(measurement.maximum);
    ContinuousIndex<double, Dimension> centroid;
    for (unsigned int axis = 0; axis < Dimension; ++axis)
    {
      centroid[axis] = static_cast<double>(start[axis]) + static_cast<double>(measurement.pixels.sums[axis]) /
                                                            static_cast<double>(measurement.pixels.count);
    }
    image.TransformContinuousIndexToPhysicalPoint(centroid, objects[i].centroid);
    if (withMoments)
    {
      objects[i].indexMoments = CentralMoments(measurement.pixels);
    }
  }
  return objects;
}

/** Removes objects from a label image, and gives labels to the other objects. Uses minimumSize, numberOfLargest and
 * order of the selection. This code serves images of more than 3 dimensions, which the labeler does not label.
 * \param image the label image
 * \param objects the measurements of the objects, in the order of their labels. On return, they are the measurements of
 * the selected objects, in the order of the new labels.
 * \param background the value of background pixels in the image */
template <typename TImage>
void
SelectLabels(TImage &                                                                                     image,
             std::vector<typename CudaConnectedComponentStatistics<TImage::ImageDimension>::ObjectType> & objects,
             typename TImage::PixelType                                                                   background,
             const CudaConnectedComponentSelection &                                                      selection)
{
  using PixelType = typename TImage::PixelType;

  std::vector<std::size_t> selected;
  for (std::size_t i = 0; i < objects.size(); ++i)
  {
    if (objects[i].numberOfPixels >= selection.minimumSize)
    {
      selected.push_back(i);
    }
  }
  const bool isSorted = selection.order == CudaConnectedComponentSelection::Order::Size;
  const bool isLimited = selection.numberOfLargest > 0 && selection.numberOfLargest < selected.size();
  if (isSorted || isLimited)
  {
    std::stable_sort(selected.begin(), selected.end(), [&objects](std::size_t a, std::size_t b) {
      return objects[a].numberOfPixels > objects[b].numberOfPixels;
    });
  }
  if (isLimited)
  {
    selected.resize(static_cast<std::size_t>(selection.numberOfLargest));
  }
  if (!isSorted)
  {
    std::sort(selected.begin(), selected.end());
  }

  const auto                                 wideBackground = static_cast<std::uint64_t>(background);
  std::vector<PixelType>                     newLabels(objects.size(), background);
  std::remove_reference_t<decltype(objects)> selectedObjects;
  for (const std::size_t i : selected)
  {
    newLabels[i] = static_cast<PixelType>(LabelOfRow(selectedObjects.size(), wideBackground));
    selectedObjects.push_back(objects[i]);
  }
  for (ImageRegionIterator<TImage> it(&image, image.GetBufferedRegion()); !it.IsAtEnd(); ++it)
  {
    if (it.Get() != background)
    {
      it.Set(newLabels[static_cast<std::size_t>(RowOfLabel(static_cast<std::uint64_t>(it.Get()), wideBackground))]);
    }
  }
  objects = std::move(selectedObjects);
}

} // namespace CudaConnectedComponentsDetail
} // namespace itk

#endif
