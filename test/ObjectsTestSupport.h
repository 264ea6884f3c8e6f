// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_test_ObjectsTestSupport_h
#define ccl_test_ObjectsTestSupport_h

// Compares the objects of a CudaConnectedComponentImageFilter with ITK's. The expected labels come from ITK's
// ConnectedComponentImageFilter and RelabelComponentImageFilter. ITK cannot keep a number of objects, so a plain loop
// over the sizes does this. The expected statistics come from a plain loop over the pixels.

#include "FilterTestSupport.h"

#include "itkCudaConnectedComponentStatistics.h"
#include "itkLabelMap.h"
#include "itkShapeLabelObject.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <sstream>
#include <utility>
#include <vector>

using itk::SizeValueType;
using PlaneType = itk::Image<unsigned char, 2>;
using VolumeType = itk::Image<unsigned char, 3>;
using PlaneLabelsType = itk::Image<unsigned int, 2>;
using VolumeLabelsType = itk::Image<unsigned int, 3>;
template <unsigned int VDimension>
using WideType = itk::Image<std::uint32_t, VDimension>;

constexpr SizeValueType Huge = std::numeric_limits<SizeValueType>::max();

struct Setting
{
  SizeValueType minimumSize = 0;
  SizeValueType numberToKeep = 0;
  bool          sort = false;
  bool          statistics = false;
  bool          fullyConnected = false;

  bool
  HasSizes() const
  {
    return minimumSize > 0 || numberToKeep > 0 || sort || statistics;
  }

  std::string
  ToString() const
  {
    std::ostringstream text;
    text << "minimum size " << minimumSize << ", keep " << numberToKeep << ", sort " << sort << ", statistics "
         << statistics << ", fully connected " << fullyConnected;
    return text.str();
  }
};

/** The selected objects of an image. The labels are 0 for background, and 1, 2, 3 and so on. */
template <unsigned int VDimension>
struct Objects
{
  typename WideType<VDimension>::Pointer labels;
  SizeValueType                          originalCount = 0;
  std::vector<SizeValueType>             sizes;
  std::vector<float>                     physicalSizes;
};

/** Labels and selects by ITK's filters.
 * \param mask the mask, or null */
template <unsigned int VDimension>
Objects<VDimension>
SelectByItk(const itk::Image<unsigned char, VDimension> * image,
            const itk::Image<unsigned char, VDimension> * mask,
            const Setting &                               setting);

/** Returns the shapes of the objects of a label image with the background 0, by ITK's filter. */
template <unsigned int VDimension>
typename itk::LabelMap<itk::ShapeLabelObject<SizeValueType, VDimension>>::Pointer
ShapesByItk(const WideType<VDimension> * labels);

/** Returns an image of the foreground: 1 for each pixel that is not 0. Returns null if there is no image. */
template <typename TImage>
typename itk::Image<unsigned char, TImage::ImageDimension>::Pointer
ForegroundOf(const TImage * image)
{
  using ForegroundType = itk::Image<unsigned char, TImage::ImageDimension>;
  if (image == nullptr)
  {
    return nullptr;
  }
  const auto foreground = ForegroundType::New();
  foreground->CopyInformation(image);
  foreground->SetRegions(image->GetBufferedRegion());
  foreground->Allocate();
  const auto * const pixels = image->GetBufferPointer();
  std::transform(pixels,
                 pixels + image->GetBufferedRegion().GetNumberOfPixels(),
                 foreground->GetBufferPointer(),
                 [](typename TImage::PixelType pixel) { return pixel != typename TImage::PixelType() ? 1 : 0; });
  return foreground;
}

/** Returns the first `count` labels: 0, 1, 2 and so on without the background value. */
template <typename TPixel>
std::vector<TPixel>
LabelsWithout(TPixel background, std::size_t count)
{
  std::vector<TPixel> labels;
  for (TPixel label = 0; labels.size() < count; ++label)
  {
    if (label != background)
    {
      labels.push_back(label);
    }
  }
  return labels;
}

/** Expects that two numbers differ by rounding only, relative to the size of an image. */
inline void
ExpectClose(double value, double expected, double extent)
{
  EXPECT_NEAR(value, expected, 1e-10 * extent);
}

/** Compares statistics with a plain loop over the pixels. */
template <unsigned int VDimension>
void
ExpectStatistics(const itk::CudaConnectedComponentStatistics<VDimension> & statistics,
                 const Objects<VDimension> &                               objects)
{
  struct Loop
  {
    SizeValueType                       count = 0;
    itk::Index<VDimension>              minimum;
    itk::Index<VDimension>              maximum;
    std::array<long double, VDimension> sum{};
  };
  std::vector<Loop>                                            loops(objects.sizes.size());
  const WideType<VDimension> &                                 labels = *objects.labels;
  itk::ImageRegionConstIteratorWithIndex<WideType<VDimension>> it(&labels, labels.GetBufferedRegion());
  for (; !it.IsAtEnd(); ++it)
  {
    if (it.Get() == 0)
    {
      continue;
    }
    Loop &                         loop = loops[it.Get() - 1];
    itk::Point<double, VDimension> point;
    labels.TransformIndexToPhysicalPoint(it.GetIndex(), point);
    if (loop.count++ == 0)
    {
      loop.minimum = loop.maximum = it.GetIndex();
    }
    for (unsigned int axis = 0; axis < VDimension; ++axis)
    {
      loop.minimum[axis] = std::min(loop.minimum[axis], it.GetIndex()[axis]);
      loop.maximum[axis] = std::max(loop.maximum[axis], it.GetIndex()[axis]);
      loop.sum[axis] += point[axis];
    }
  }

  double pixelSize = 1.0;
  double extent = 0.0;
  for (unsigned int axis = 0; axis < VDimension; ++axis)
  {
    pixelSize *= labels.GetSpacing()[axis];
    extent += labels.GetSpacing()[axis] * static_cast<double>(labels.GetBufferedRegion().GetSize(axis));
  }
  ASSERT_EQ(statistics.GetNumberOfObjects(), loops.size());
  for (std::size_t i = 0; i < loops.size(); ++i)
  {
    SCOPED_TRACE("object " + std::to_string(i));
    const Loop & loop = loops[i];
    ASSERT_EQ(statistics.GetNumberOfPixels(LabelAt(statistics, i)), loop.count);
    ExpectClose(statistics.GetPhysicalSize(LabelAt(statistics, i)) / pixelSize, static_cast<double>(loop.count), 1.0);
    ASSERT_EQ(statistics.GetBoundingBox(LabelAt(statistics, i)).GetIndex(), loop.minimum);
    ASSERT_EQ(statistics.GetBoundingBox(LabelAt(statistics, i)).GetUpperIndex(), loop.maximum);
    for (unsigned int axis = 0; axis < VDimension; ++axis)
    {
      ExpectClose(
        statistics.GetCentroid(LabelAt(statistics, i))[axis], static_cast<double>(loop.sum[axis] / loop.count), extent);
    }
  }
}

/** Sets the inputs and settings of a filter. */
template <typename TFilter>
void
SetUpFilter(TFilter &                                filter,
            const typename TFilter::InputImageType * image,
            const typename TFilter::MaskImageType *  mask,
            const Setting &                          setting,
            typename TFilter::OutputPixelType        background)
{
  filter.SetInput(image);
  filter.SetMaskImage(mask);
  filter.SetBackgroundValue(background);
  filter.SetFullyConnected(setting.fullyConnected);
  filter.SetMinimumObjectSize(setting.minimumSize);
  filter.SetNumberOfObjectsToKeep(setting.numberToKeep);
  filter.SetSortByObjectSize(setting.sort);
  filter.SetComputeStatistics(setting.statistics);
}

/** Expects that a filter has no results. */
template <typename TFilter>
void
ExpectNoResults(const TFilter & filter)
{
  EXPECT_EQ(filter.GetObjectCount(), 0U);
  EXPECT_EQ(filter.GetOriginalNumberOfObjects(), 0U);
  EXPECT_TRUE(filter.GetSizeOfObjectsInPixels().empty());
  EXPECT_TRUE(filter.GetSizeOfObjectsInPhysicalUnits().empty());
  EXPECT_EQ(filter.GetSizeOfObjectInPixels(0), 0U);
  EXPECT_EQ(filter.GetSizeOfObjectInPixels(1), 0U);
  EXPECT_EQ(filter.GetSizeOfObjectInPhysicalUnits(1), 0.0F);
  EXPECT_EQ(filter.GetStatistics().GetNumberOfObjects(), 0U);
}

/** Compares the results of a filter, after an update, with ITK's. */
template <typename TFilter>
void
ExpectResults(const TFilter & filter, const Objects<TFilter::ImageDimension> & objects, const Setting & setting)
{
  using PixelType = typename TFilter::OutputPixelType;
  const PixelType              background = filter.GetBackgroundValue();
  const std::size_t            count = objects.sizes.size();
  const std::vector<PixelType> labels = LabelsWithout(background, count);
  EXPECT_EQ(filter.GetObjectCount(), count);
  EXPECT_EQ(filter.GetOriginalNumberOfObjects(), objects.originalCount);

  const auto region = objects.labels->GetBufferedRegion();
  ASSERT_EQ(filter.GetOutput()->GetBufferedRegion(), region);
  const PixelType * const     pixels = filter.GetOutput()->GetBufferPointer();
  const std::uint32_t * const expected = objects.labels->GetBufferPointer();
  for (std::size_t i = 0; i < region.GetNumberOfPixels(); ++i)
  {
    ASSERT_EQ(+pixels[i], +(expected[i] == 0 ? background : labels[expected[i] - 1])) << "pixel " << i;
  }

  if (!setting.HasSizes())
  {
    EXPECT_TRUE(filter.GetSizeOfObjectsInPixels().empty());
    EXPECT_TRUE(filter.GetSizeOfObjectsInPhysicalUnits().empty());
    EXPECT_EQ(filter.GetSizeOfObjectInPixels(1), 0U);
    EXPECT_EQ(filter.GetStatistics().GetNumberOfObjects(), 0U);
    return;
  }
  ASSERT_EQ(filter.GetSizeOfObjectsInPixels(), objects.sizes);
  ASSERT_EQ(filter.GetSizeOfObjectsInPhysicalUnits(), objects.physicalSizes);
  for (std::size_t i = 0; i < count; ++i)
  {
    ASSERT_EQ(filter.GetSizeOfObjectInPixels(labels[i]), objects.sizes[i]);
    ASSERT_EQ(filter.GetSizeOfObjectInPhysicalUnits(labels[i]), objects.physicalSizes[i]);
  }
  EXPECT_EQ(filter.GetSizeOfObjectInPixels(background), 0U);
  EXPECT_EQ(filter.GetSizeOfObjectInPhysicalUnits(background), 0.0F);
  EXPECT_EQ(filter.GetSizeOfObjectInPixels(count + 1), 0U);
  EXPECT_EQ(filter.GetSizeOfObjectInPixels(std::numeric_limits<itk::IdentifierType>::max()), 0U);

  if (!setting.statistics)
  {
    EXPECT_EQ(filter.GetStatistics().GetNumberOfObjects(), 0U);
    return;
  }
  ExpectStatistics(filter.GetStatistics(), objects);
  for (std::size_t i = 0; i < count; ++i)
  {
    ASSERT_EQ(LabelAt(filter.GetStatistics(), i), static_cast<itk::IdentifierType>(labels[i]));
  }
}

/** Calls a function for the CPU and, if there is one, for the GPU. */
template <typename TFilter, typename TFunction>
void
OnEachBackend(TFilter & filter, const TFunction & function)
{
  const bool hasGPU = ExpectedBackend() == BackendEnum::CUDA && TFilter::ImageDimension <= 3;
  for (const bool gpuEnabled : { false, true })
  {
    if (gpuEnabled && !hasGPU)
    {
      continue;
    }
    SCOPED_TRACE(gpuEnabled ? "on the GPU" : "on the CPU");
    filter.SetGPUEnabled(gpuEnabled);
    // Without the CPU as fallback, the GPU labels even the smallest image.
    filter.SetCPUFallback(!gpuEnabled);
    function();
  }
}

/** Compares the filter with ITK on the CPU and on the GPU. */
template <typename TFilter>
void
ExpectSameObjects(TFilter &                                filter,
                  const typename TFilter::InputImageType * image,
                  const typename TFilter::MaskImageType *  mask,
                  const Setting &                          setting,
                  typename TFilter::OutputPixelType        background)
{
  SCOPED_TRACE(setting.ToString() + ", background " + std::to_string(background));
  const auto objects = SelectByItk<TFilter::ImageDimension>(ForegroundOf(image), ForegroundOf(mask), setting);
  SetUpFilter(filter, image, mask, setting, background);

  constexpr auto      maximum = std::numeric_limits<typename TFilter::OutputPixelType>::max();
  const SizeValueType mustFit = TFilter::ImageDimension > 3 ? objects.originalCount : objects.sizes.size();
  OnEachBackend(filter, [&] {
    const std::string exception = ExceptionOf(filter);
    if (mustFit > static_cast<std::uint64_t>(maximum))
    {
      const std::string expected = "Number of objects (" + std::to_string(mustFit) +
                                   ") greater than maximum of output pixel type (" + std::to_string(maximum) + ").";
      EXPECT_NE(exception.find(expected), std::string::npos) << exception << "\nshould contain: " << expected;
      ExpectNoResults(filter);
      return;
    }
    ASSERT_EQ(exception, "");
    ExpectResults(filter, objects, setting);
  });
}

/** Makes random cubes. The image may have 4 dimensions. */
template <typename TImage>
typename TImage::Pointer
MakeNoise(const typename TImage::SizeType & size, unsigned int density, unsigned int granularity, unsigned int seed)
{
  std::array<std::uint64_t, 3> size3{ 1, 1, 1 };
  for (unsigned int axis = 0; axis < TImage::ImageDimension; ++axis)
  {
    size3[std::min(axis, 2U)] *= size[axis];
  }
  auto image = MakeItkImage<TImage>(MakeRandom(size3, density, granularity, seed));
  image->SetRegions(size);
  return image;
}

/** Sets a spacing, an origin, an oblique direction and a start index. */
template <unsigned int VDimension>
void
SetObliqueGeometry(itk::ImageBase<VDimension> & image)
{
  typename itk::ImageBase<VDimension>::SpacingType   spacing;
  typename itk::ImageBase<VDimension>::PointType     origin;
  typename itk::ImageBase<VDimension>::DirectionType direction;
  auto                                               region = image.GetBufferedRegion();
  direction.SetIdentity();
  for (unsigned int axis = 0; axis < VDimension; ++axis)
  {
    spacing[axis] = 0.3 + 0.7 * axis;
    origin[axis] = 12.5 - 31.0 * axis;
    region.SetIndex(axis, axis % 2 == 0 ? -17 : 40);
    // A rotation of the first axis and this one.
    if (axis > 0)
    {
      typename itk::ImageBase<VDimension>::DirectionType rotation;
      rotation.SetIdentity();
      rotation[0][0] = rotation[axis][axis] = std::cos(0.4 * axis);
      rotation[0][axis] = -std::sin(0.4 * axis);
      rotation[axis][0] = std::sin(0.4 * axis);
      direction *= rotation;
    }
  }
  image.SetSpacing(spacing);
  image.SetOrigin(origin);
  image.SetDirection(direction);
  image.SetRegions(region);
}

/** Makes a plane with many objects of 1 pixel in even rows, and wider objects in the last rows. */
inline PlaneType::Pointer
MakeSpecks(unsigned int width, unsigned int rows, unsigned int wideObjects)
{
  auto image = PlaneType::New();
  image->SetRegions(PlaneType::SizeType{ { width, 2 * (rows + wideObjects) } });
  image->Allocate(true);
  for (unsigned int row = 0; row < rows; ++row)
  {
    for (unsigned int x = 0; x < width; x += 2)
    {
      image->SetPixel({ { x, 2 * row } }, 1);
    }
  }
  for (unsigned int object = 0; object < wideObjects; ++object)
  {
    for (unsigned int x = 0; x < 2 + object % 5; ++x)
    {
      image->SetPixel({ { x, 2 * (rows + object) } }, 1);
    }
  }
  return image;
}

#endif
