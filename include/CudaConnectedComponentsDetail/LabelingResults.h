// SPDX-License-Identifier: Apache-2.0
#ifndef CudaConnectedComponentsDetail_LabelingResults_h
#define CudaConnectedComponentsDetail_LabelingResults_h

// The part of CudaConnectedComponentImageFilter that does not depend on its pixel types.

#include "CudaConnectedComponentsDetail/ImageAccess.h"
#include "CudaConnectedComponentsDetail/LabelRows.h"
#include "CudaConnectedComponentsDetail/SeriesTable.h"

#include "itkCudaConnectedComponentSelection.h"
#include "itkCudaConnectedComponentTable.h"
#include "itkImageBase.h"

#include <cstdint>
#include <vector>

namespace itk
{
namespace CudaConnectedComponentsDetail
{

/** The settings that select and measure objects. */
struct ObjectSettings
{
  SizeValueType minimumObjectSize{ 0 };
  SizeValueType numberOfObjectsToKeep{ 0 };
  bool          sortByObjectSize{ false };
  bool          computeStatistics{ false };

  /** Returns whether a setting needs the sizes of the objects. */
  bool
  NeedObjectSizes() const
  {
    return minimumObjectSize > 0 || sortByObjectSize || numberOfObjectsToKeep > 0 || computeStatistics;
  }

  /** Returns the objects that get labels, and the order of their labels. */
  CudaConnectedComponentSelection
  GetSelection() const
  {
    CudaConnectedComponentSelection selection;
    selection.minimumSize = minimumObjectSize;
    selection.numberOfLargest = numberOfObjectsToKeep;
    selection.order = sortByObjectSize ? CudaConnectedComponentSelection::OrderEnum::Size
                                       : CudaConnectedComponentSelection::OrderEnum::FirstPixel;
    return selection;
  }
};

/** The results of a run. */
struct LabelingResults
{
  SizeValueType              objectCount{ 0 };
  SizeValueType              originalNumberOfObjects{ 0 };
  std::vector<SizeValueType> sizesInPixels;
  std::vector<float>         sizesInPhysicalUnits;
  std::uint64_t              background{ 0 }; // background value of the labels

  /** Returns the element of an object in a vector that has one element for each object, or 0. */
  template <typename TElement>
  TElement
  GetElement(const std::vector<TElement> & elements, std::uint64_t label) const
  {
    const std::uint64_t i = RowOfLabel(label, background);
    return label != background && i < elements.size() ? elements[static_cast<std::size_t>(i)] : TElement{ 0 };
  }
};

/** The images of a run. */
struct LabelingImages
{
  RowPacker     input; // the foreground, after the mask
  ImageView     output;
  bool          isUntouched; // whether nobody has written to the memory of the output
  std::uint64_t background;  // value of background pixels in the output
  ImageView     intensities; // without pixels if they are not measured
  float         pixelSize;   // physical size of a pixel
};

/** Labels a plane or a volume. Returns the results, and sets the table if the settings need one. */
CudaConnectedComponents_EXPORT LabelingResults
LabelPlaneOrVolume(CudaConnectedComponentLabeler & labeler,
                   const LabelingImages &          images,
                   const ObjectSettings &          settings,
                   CudaConnectedComponentTable &   table);

/** Measures and selects the objects of a label image that ITK has labeled, with more than 3 dimensions. Gives the
 * selected objects their new labels.
 * \param labels the volumes of the label image
 * \param size the numbers of pixels along all axes
 * \param intensities the volumes of the intensity image; empty if it is not measured
 * \return the selected objects, in the order of the labels */
CudaConnectedComponents_EXPORT SeriesTable
SelectLabeledObjects(MultiThreaderBase *                threader,
                     const std::vector<ImageView> &     labels,
                     const std::vector<std::uint64_t> & size,
                     const std::vector<ImageView> &     intensities,
                     std::uint64_t                      background,
                     SizeValueType                      objectCount,
                     const ObjectSettings &             settings);

/** Returns the results of a run for selected objects. */
CudaConnectedComponents_EXPORT LabelingResults
ResultsOf(SizeValueType              originalNumberOfObjects,
          std::vector<SizeValueType> sizes,
          std::uint64_t              background,
          float                      pixelSize);

/** Throws an ExceptionObject unless an intensity image has the region of the input and pixels that can be measured. */
CudaConnectedComponents_EXPORT void
VerifyIntensityImage(const std::string &  filter,
                     const std::string &  imageClass,
                     bool                 isViewed,
                     const RegionOfAxes & region,
                     const RegionOfAxes & inputRegion);

/** Describes a region of an image of any numbers as a series of views. Returns an empty series if the object is no
 * image whose pixels a view describes. */
template <unsigned int VDimension, typename... TPixels>
std::vector<ImageView>
ViewsOfPixels(const ImageBase<VDimension> & image, const ImageRegion<VDimension> & region, const char * role)
{
  std::vector<ImageView> views;
  const auto             visit = [&](const auto * typed) {
    if (typed != nullptr)
    {
      views = ViewsOf(*typed, region, role);
    }
    return typed != nullptr;
  };
  static_cast<void>((visit(dynamic_cast<const Image<TPixels, VDimension> *>(&image)) || ...));
  return views;
}

/** Describes a region of an intensity image, as ViewsOfPixels() does. */
template <unsigned int VDimension>
std::vector<ImageView>
ViewsOfIntensities(const ImageBase<VDimension> & image, const ImageRegion<VDimension> & region)
{
  return ViewsOfPixels<VDimension,
                       bool,
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
                       double>(image, region, "intensity image");
}

extern template CudaConnectedComponents_EXPORT std::vector<ImageView>
ViewsOfIntensities(const ImageBase<2> & image, const ImageRegion<2> & region);
extern template CudaConnectedComponents_EXPORT std::vector<ImageView>
ViewsOfIntensities(const ImageBase<3> & image, const ImageRegion<3> & region);

/** Throws an ExceptionObject unless an object is an intensity image that fits the input. */
template <unsigned int VDimension>
void
VerifyIntensityImage(const ProcessObject &           filter,
                     const DataObject &              object,
                     const ImageRegion<VDimension> & inputRegion)
{
  ImageRegion<VDimension> region;
  bool                    isViewed = false;
  if (const auto * const image = dynamic_cast<const ImageBase<VDimension> *>(&object))
  {
    region = image->GetLargestPossibleRegion();
    ImageRegion<VDimension> noPixels = region;
    noPixels.SetSize(0, 0);
    isViewed = !ViewsOfIntensities(*image, noPixels).empty();
  }
  VerifyIntensityImage(filter.GetNameOfClass(), object.GetNameOfClass(), isViewed, region, inputRegion);
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

} // namespace CudaConnectedComponentsDetail
} // namespace itk

#endif
