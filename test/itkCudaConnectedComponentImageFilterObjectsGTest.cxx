// SPDX-License-Identifier: Apache-2.0

// Tests of the selection, order, sizes and statistics of objects. The expected labels come from ITK's
// ConnectedComponentImageFilter and RelabelComponentImageFilter. ITK cannot keep a number of objects, so a plain loop
// over the sizes does this. The expected statistics come from a plain loop over the pixels.

#include "FilterTestSupport.h"

#include "itkCommand.h"
#include "itkCudaConnectedComponentStatistics.h"
#include "itkRelabelComponentImageFilter.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <random>
#include <sstream>
#include <utility>
#include <vector>

namespace
{

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

/** Keeps the largest objects by a plain loop. */
template <unsigned int VDimension>
void
KeepLargest(Objects<VDimension> & objects, SizeValueType numberToKeep)
{
  Objects<VDimension>        kept{ objects.labels, objects.originalCount, {}, {} };
  std::vector<std::uint32_t> newLabels{ 0 };
  for (std::size_t i = 0; i < objects.sizes.size(); ++i)
  {
    SizeValueType largerCount = 0;
    for (std::size_t j = 0; j < objects.sizes.size(); ++j)
    {
      largerCount += objects.sizes[j] > objects.sizes[i] || (objects.sizes[j] == objects.sizes[i] && j < i);
    }
    newLabels.push_back(0);
    if (largerCount < numberToKeep)
    {
      kept.sizes.push_back(objects.sizes[i]);
      kept.physicalSizes.push_back(objects.physicalSizes[i]);
      newLabels.back() = static_cast<std::uint32_t>(kept.sizes.size());
    }
  }
  std::uint32_t * const pixels = objects.labels->GetBufferPointer();
  for (std::size_t i = 0; i < objects.labels->GetBufferedRegion().GetNumberOfPixels(); ++i)
  {
    pixels[i] = newLabels[pixels[i]];
  }
  objects = kept;
}

/** Labels and selects by ITK's filters. */
template <typename TInputImage, typename TMaskImage>
Objects<TInputImage::ImageDimension>
SelectByItk(const TInputImage * image, const TMaskImage * mask, const Setting & setting)
{
  using LabelsType = WideType<TInputImage::ImageDimension>;
  auto labeler = MakeOracle<TInputImage, LabelsType, TMaskImage>();
  labeler->SetInput(image);
  if (mask != nullptr)
  {
    labeler->SetMaskImage(mask);
  }
  labeler->SetFullyConnected(setting.fullyConnected);
  auto relabeler = itk::RelabelComponentImageFilter<LabelsType, LabelsType>::New();
  EXPECT_STREQ(relabeler->GetNameOfClass(), "RelabelComponentImageFilter");
  relabeler->SetInput(labeler->GetOutput());
  relabeler->SetMinimumObjectSize(setting.minimumSize);
  relabeler->SetSortByObjectSize(setting.sort);
  relabeler->Update();

  Objects<TInputImage::ImageDimension> objects{ relabeler->GetOutput(),
                                                relabeler->GetOriginalNumberOfObjects(),
                                                relabeler->GetSizeOfObjectsInPixels(),
                                                relabeler->GetSizeOfObjectsInPhysicalUnits() };
  EXPECT_EQ(objects.originalCount, labeler->GetObjectCount());
  if (setting.numberToKeep > 0)
  {
    KeepLargest(objects, setting.numberToKeep);
  }
  return objects;
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
void
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
    ASSERT_EQ(statistics.GetNumberOfPixels(i), loop.count);
    ExpectClose(statistics.GetPhysicalSize(i) / pixelSize, static_cast<double>(loop.count), 1.0);
    ASSERT_EQ(statistics.GetBoundingBox(i).GetIndex(), loop.minimum);
    ASSERT_EQ(statistics.GetBoundingBox(i).GetUpperIndex(), loop.maximum);
    for (unsigned int axis = 0; axis < VDimension; ++axis)
    {
      ExpectClose(statistics.GetCentroid(i)[axis], static_cast<double>(loop.sum[axis] / loop.count), extent);
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
    ASSERT_EQ(filter.GetStatistics().GetLabel(i), static_cast<itk::IdentifierType>(labels[i]));
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
  const auto objects = SelectByItk(image, mask, setting);
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

template <typename TInputPixel, typename TOutputPixel, unsigned int VDimension>
struct Types
{
  using InputPixelType = TInputPixel;
  using OutputPixelType = TOutputPixel;
  static constexpr unsigned int Dimension = VDimension;
};

template <typename T>
class FilterObjectsOfTypes : public testing::Test
{};
using AllTypes = testing::Types<Types<unsigned char, unsigned char, 2>,
                                Types<short, unsigned int, 2>,
                                Types<float, signed char, 3>,
                                Types<unsigned char, unsigned short, 3>,
                                Types<bool, unsigned long long, 3>,
                                Types<unsigned char, short, 4>>;
TYPED_TEST_SUITE(FilterObjectsOfTypes, AllTypes);

TYPED_TEST(FilterObjectsOfTypes, RandomImagesAndSettings)
{
  constexpr unsigned int Dimension = TypeParam::Dimension;
  using ImageType = itk::Image<typename TypeParam::InputPixelType, Dimension>;
  using OutputType = itk::Image<typename TypeParam::OutputPixelType, Dimension>;
  using SizeType = typename ImageType::SizeType;

  // The largest image is too large for the rule that the CPU labels small images.
  std::vector<SizeType> sizes;
  if constexpr (Dimension == 2)
  {
    sizes = { { { 7, 5 } }, { { 33, 17 } }, { { 97, 61 } }, { { 131, 129 } } };
  }
  else if constexpr (Dimension == 3)
  {
    sizes = { { { 5, 3, 7 } }, { { 33, 9, 5 } }, { { 35, 17, 1 } }, { { 37, 31, 15 } } };
  }
  else
  {
    sizes = { { { 5, 3, 7, 2 } }, { { 9, 8, 7, 5 } }, { { 33, 1, 3, 3 } } };
  }
  const SizeValueType                               minimumSizes[] = { 0, 1, 2, 5, Huge };
  const SizeValueType                               numbersToKeep[] = { 0, 1, 3, 1000 };
  const std::vector<typename OutputType::PixelType> backgrounds = {
    0, 5, static_cast<typename OutputType::PixelType>(-1), std::numeric_limits<typename OutputType::PixelType>::max()
  };

  auto         filter = itk::CudaConnectedComponentImageFilter<ImageType, OutputType>::New();
  unsigned int seed = 1700 + 100 * Dimension;
  for (const unsigned int density : { 1, 5, 15, 30, 50, 70, 95 })
  {
    for (const unsigned int granularity : { 1, 4 })
    {
      SCOPED_TRACE("seed " + std::to_string(++seed) + ", density " + std::to_string(density) + ", granularity " +
                   std::to_string(granularity));
      std::mt19937 random(seed);
      const auto   size = sizes[random() % sizes.size()];
      auto         image = MakeNoise<ImageType>(size, density, granularity, seed);
      auto         mask = MakeNoise<ImageType>(size, 80, 3, seed + 1000);
      if (random() % 2 == 0)
      {
        SetObliqueGeometry(*image);
        SetObliqueGeometry(*mask);
      }
      for (int repetition = 0; repetition < 20; ++repetition)
      {
        Setting setting;
        setting.minimumSize = minimumSizes[random() % 5];
        setting.numberToKeep = numbersToKeep[random() % 4];
        setting.sort = random() % 2 == 0;
        setting.statistics = random() % 2 == 0;
        setting.fullyConnected = random() % 2 == 0;
        const auto background = backgrounds[random() % backgrounds.size()];
        const bool hasMask = random() % 3 == 0;
        ExpectSameObjects(*filter, image.GetPointer(), hasMask ? mask.GetPointer() : nullptr, setting, background);
      }
    }
  }
}

/** Compares the filter with ITK for all values of all settings. */
template <typename TImage>
void
ExpectSameObjectsForAllSettings(const TImage * image)
{
  auto filter = itk::CudaConnectedComponentImageFilter<TImage, itk::Image<unsigned int, TImage::ImageDimension>>::New();
  for (const SizeValueType minimumSize : { SizeValueType{ 0 }, SizeValueType{ 2 }, SizeValueType{ 5 }, Huge })
  {
    for (const SizeValueType numberToKeep : { 0, 1, 3, 1000 })
    {
      for (const bool sort : { false, true })
      {
        for (const bool fullyConnected : { false, true })
        {
          const Setting setting{ minimumSize, numberToKeep, sort, sort != fullyConnected, fullyConnected };
          ExpectSameObjects(*filter, image, static_cast<const TImage *>(nullptr), setting, 0);
        }
      }
    }
  }
}

TEST(FilterObjects, AllSettingsOfPlanes)
{
  ExpectSameObjectsForAllSettings(MakeNoise<PlaneType>({ { 133, 127 } }, 40, 1, 1801).GetPointer());
}

TEST(FilterObjects, AllSettingsOfVolumes)
{
  ExpectSameObjectsForAllSettings(MakeNoise<VolumeType>({ { 39, 31, 17 } }, 12, 1, 1802).GetPointer());
}

TEST(FilterObjects, AllSettingsWithoutObjectsAndWithOneObject)
{
  for (const std::uint8_t value : { 0, 1 })
  {
    ExpectSameObjectsForAllSettings(MakeItkImage<PlaneType>(MakeImage("plane", { 33, 5, 1 }, value)).GetPointer());
    ExpectSameObjectsForAllSettings(MakeItkImage<VolumeType>(MakeImage("volume", { 33, 5, 3 }, value)).GetPointer());
  }
  ExpectSameObjectsForAllSettings(MakeItkImage<PlaneType>(MakeSpiral(65)).GetPointer());
}

TEST(FilterObjects, SameSizesAreInTheOrderOfFirstPixels)
{
  // 5 rows of 3 objects with 1, 2 and 3 pixels.
  auto image = PlaneType::New();
  image->SetRegions(PlaneType::SizeType{ { 9, 9 } });
  image->Allocate(true);
  for (const int y : { 0, 2, 4, 6, 8 })
  {
    for (const int x : { 0, 2, 3, 5, 6, 7 })
    {
      image->SetPixel({ { x, y } }, 1);
    }
  }
  auto filter = itk::CudaConnectedComponentImageFilter<PlaneType, PlaneLabelsType>::New();
  filter->SetInput(image);
  filter->SetNumberOfObjectsToKeep(7);
  filter->SortByObjectSizeOn();
  OnEachBackend(*filter, [&] {
    filter->Update();
    EXPECT_EQ(filter->GetOriginalNumberOfObjects(), 15U);
    EXPECT_EQ(filter->GetSizeOfObjectsInPixels(), std::vector<SizeValueType>({ 3, 3, 3, 3, 3, 2, 2 }));
    for (const int row : { 0, 1, 2, 3, 4 })
    {
      EXPECT_EQ(filter->GetOutput()->GetPixel({ { 5, 2 * row } }), 1U + row);
      EXPECT_EQ(filter->GetOutput()->GetPixel({ { 2, 2 * row } }), row < 2 ? 6U + row : 0U);
      EXPECT_EQ(filter->GetOutput()->GetPixel({ { 0, 2 * row } }), 0U);
    }
  });
}

/** Makes a plane with many objects of 1 pixel in even rows, and wider objects in the last rows. */
PlaneType::Pointer
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

TEST(FilterObjects, ManySpecksAndAFewLabelsOfOneByte)
{
  using FilterType = itk::CudaConnectedComponentImageFilter<PlaneType, PlaneType>;
  const auto image = MakeSpecks(101, 20, 30); // 1,020 specks and 30 wide objects
  auto       filter = FilterType::New();
  for (const unsigned char background : { 0, 1, 5, 30, 255 })
  {
    for (const bool sort : { false, true })
    {
      ExpectSameObjects<FilterType>(*filter, image, nullptr, { 2, 0, sort, true, false }, background);
      EXPECT_EQ(filter->GetObjectCount(), 30U);
      EXPECT_EQ(filter->GetOriginalNumberOfObjects(), 1050U);
      ExpectSameObjects<FilterType>(*filter, image, nullptr, { 0, 10, sort, false, false }, background);
      EXPECT_EQ(filter->GetObjectCount(), 10U);
      // As many objects as there are labels.
      ExpectSameObjects<FilterType>(*filter, image, nullptr, { 0, 255, sort, false, false }, background);
      EXPECT_EQ(filter->GetObjectCount(), 255U);
    }
  }
}

TEST(FilterObjects, OneOfAMillionSpecks)
{
  using FilterType = itk::CudaConnectedComponentImageFilter<PlaneType, PlaneType>;
  auto image = MakeItkImage<PlaneType>(MakeCheckerboard({ 2048, 1024, 1 }));
  image->SetPixel({ { 1001, 500 } }, 1); // connects 4 specks
  auto filter = FilterType::New();
  filter->SetInput(image);
  OnEachBackend(*filter, [&] {
    for (const Setting & setting : { Setting{ 2, 0, false, true, false }, Setting{ 0, 1, false, true, false } })
    {
      SetUpFilter(*filter, image, nullptr, setting, 0);
      ASSERT_EQ(ExceptionOf(*filter), "");
      EXPECT_EQ(filter->GetOriginalNumberOfObjects(), (1U << 20) - 3);
      EXPECT_EQ(filter->GetSizeOfObjectsInPixels(), std::vector<SizeValueType>({ 5 }));
      ASSERT_EQ(filter->GetStatistics().GetNumberOfObjects(), 1U);
      EXPECT_EQ(filter->GetStatistics().GetBoundingBox(0), PlaneType::RegionType({ { 1000, 499 } }, { { 3, 3 } }));
      const unsigned char * const pixels = filter->GetOutput()->GetBufferPointer();
      EXPECT_EQ(std::count(pixels, pixels + 2048 * 1024, 1), 5);
      EXPECT_EQ(std::count(pixels, pixels + 2048 * 1024, 0), 2048 * 1024 - 5);
      EXPECT_EQ(filter->GetOutput()->GetPixel({ { 1001, 500 } }), 1);
    }
  });
}

TEST(FilterObjects, TooManyObjects)
{
  using FilterType = itk::CudaConnectedComponentImageFilter<PlaneType, PlaneType>;
  const auto image = MakeSpecks(41, 10, 260); // 210 specks and 260 wide objects
  auto       filter = FilterType::New();
  filter->SetInput(image);
  filter->ComputeStatisticsOn();
  OnEachBackend(*filter, [&] {
    // The results of a run must not remain after the exception of the next run.
    filter->SetMinimumObjectSize(3);
    EXPECT_EQ(ExceptionOf(*filter), "");
    EXPECT_EQ(filter->GetObjectCount(), 208U);
    EXPECT_EQ(filter->GetStatistics().GetNumberOfObjects(), 208U);
    for (const auto & tooMany : { std::make_pair(0, 470), { 2, 260 } })
    {
      filter->SetMinimumObjectSize(tooMany.first);
      const std::string exception = ExceptionOf(*filter);
      EXPECT_NE(exception.find("Number of objects (" + std::to_string(tooMany.second) +
                               ") greater than maximum of output pixel type (255)."),
                std::string::npos)
        << exception;
      ExpectNoResults(*filter);
      EXPECT_EQ(filter->GetBackendUsed(), BackendEnum::Unknown);
    }
  });
  ExpectSameObjects<FilterType>(*filter, image, nullptr, { 2, 255, true, true, false }, 0);
  ExpectSameObjects<FilterType>(*filter, image, nullptr, { 2, 256, true, true, false }, 0);
  ExpectSameObjects<FilterType>(*filter, image, nullptr, { 3, 0, false, false, false }, 0);
}

TEST(FilterObjects, FourDimensionsNeedLabelsForAllObjects)
{
  using ImageType = itk::Image<unsigned char, 4>;
  const auto image = MakeNoise<ImageType>({ { 15, 13, 11, 5 } }, 10, 1, 1803);
  auto       filter = itk::CudaConnectedComponentImageFilter<ImageType, ImageType>::New();
  filter->SetInput(image);
  filter->SetNumberOfObjectsToKeep(3);
  EXPECT_NE(ExceptionOf(*filter).find("greater than maximum of output pixel type (255)."), std::string::npos);
  ExpectNoResults(*filter);
  filter->FullyConnectedOn();
  ASSERT_EQ(ExceptionOf(*filter), "");
  EXPECT_EQ(filter->GetBackendUsed(), BackendEnum::ITK);
  EXPECT_EQ(filter->GetObjectCount(), std::min<SizeValueType>(3, filter->GetOriginalNumberOfObjects()));
}

TEST(FilterObjects, Abort)
{
  using FilterType = itk::CudaConnectedComponentImageFilter<VolumeType, VolumeLabelsType>;
  const auto image = MakeNoise<VolumeType>({ { 67, 41, 21 } }, 20, 1, 1804);
  auto       filter = FilterType::New();
  float      abortAt = 2.0F;
  filter->AddObserver(itk::ProgressEvent(), [&](const itk::EventObject &) {
    if (filter->GetProgress() >= abortAt)
    {
      filter->AbortGenerateDataOn();
    }
  });
  const Setting setting{ 2, 100, true, true, false };
  for (const float each : { 0.0F, 0.5F })
  {
    abortAt = 2.0F;
    ExpectSameObjects<FilterType>(*filter, image, nullptr, setting, 0);
    OnEachBackend(*filter, [&] {
      abortAt = each;
      filter->Modified();
      EXPECT_THROW(filter->Update(), itk::ProcessAborted);
      ExpectNoResults(*filter);
    });
  }
  abortAt = 2.0F;
  ExpectSameObjects<FilterType>(*filter, image, nullptr, setting, 0);
}

TEST(FilterObjects, UpdatesWithOtherSettings)
{
  using FilterType = itk::CudaConnectedComponentImageFilter<VolumeType, VolumeLabelsType>;
  const auto image = MakeNoise<VolumeType>({ { 35, 21, 23 } }, 15, 1, 1805);
  auto       filter = FilterType::New();
  for (const Setting & setting : { Setting{ 0, 0, false, false, false },
                                   Setting{ 0, 0, false, true, false },
                                   Setting{ 0, 0, false, false, false },
                                   Setting{ 0, 0, true, false, false },
                                   Setting{ 1, 0, false, false, false },
                                   Setting{ 4, 0, false, true, false },
                                   Setting{ 0, 2, false, false, false },
                                   Setting{ 0, 0, false, false, false } })
  {
    ExpectSameObjects<FilterType>(*filter, image, nullptr, setting, 0);
    EXPECT_GT(filter->GetObjectCount(), 1U);
    ExpectSameObjects<FilterType>(*filter, image, nullptr, setting, 3);
  }
}

TEST(FilterObjects, EachSettingRunsTheFilterAgain)
{
  auto filter = itk::CudaConnectedComponentImageFilter<PlaneType, PlaneLabelsType>::New();
  filter->SetInput(MakeSpecks(21, 5, 7)); // 55 specks; 7 wide objects with 2, 3, 4, 5, 6, 2 and 3 pixels
  filter->Update();
  EXPECT_EQ(filter->GetObjectCount(), 62U);
  EXPECT_EQ(filter->GetOriginalNumberOfObjects(), 62U);
  EXPECT_TRUE(filter->GetSizeOfObjectsInPixels().empty());
  filter->SetMinimumObjectSize(3);
  filter->Update();
  EXPECT_EQ(filter->GetSizeOfObjectsInPixels(), std::vector<SizeValueType>({ 3, 4, 5, 6, 3 }));
  EXPECT_EQ(filter->GetOriginalNumberOfObjects(), 62U);
  filter->SetNumberOfObjectsToKeep(4);
  filter->Update();
  EXPECT_EQ(filter->GetSizeOfObjectsInPixels(), std::vector<SizeValueType>({ 3, 4, 5, 6 }));
  filter->SortByObjectSizeOn();
  filter->Update();
  EXPECT_EQ(filter->GetSizeOfObjectsInPixels(), std::vector<SizeValueType>({ 6, 5, 4, 3 }));
  EXPECT_EQ(filter->GetStatistics().GetNumberOfObjects(), 0U);
  filter->ComputeStatisticsOn();
  filter->Update();
  EXPECT_EQ(filter->GetStatistics().GetNumberOfObjects(), 4U);
  EXPECT_EQ(filter->GetStatistics().GetNumberOfPixels(3), 3U);

  const itk::ModifiedTimeType before = filter->GetMTime();
  filter->SetMinimumObjectSize(3);
  filter->SetNumberOfObjectsToKeep(4);
  filter->SortByObjectSizeOn();
  filter->ComputeStatisticsOn();
  EXPECT_EQ(filter->GetMTime(), before);
}

TEST(FilterObjects, SizesOfLabelsBelongToTheLastRun)
{
  auto filter = itk::CudaConnectedComponentImageFilter<PlaneType, PlaneLabelsType>::New();
  filter->SetInput(MakeSpecks(5, 1, 3)); // 3 specks; 3 wide objects with 2, 3 and 4 pixels
  filter->SetBackgroundValue(1);
  filter->ComputeStatisticsOn();
  filter->Update();
  filter->SetBackgroundValue(0);
  for (const auto & expected :
       { std::make_pair(0, 1), { 1, 0 }, { 2, 1 }, { 3, 1 }, { 4, 2 }, { 5, 3 }, { 6, 4 }, { 7, 0 } })
  {
    EXPECT_EQ(filter->GetSizeOfObjectInPixels(expected.first), static_cast<SizeValueType>(expected.second));
  }
  EXPECT_EQ(filter->GetStatistics().GetLabel(0), 0U);
  EXPECT_EQ(filter->GetStatistics().GetLabel(1), 2U);
}

TEST(FilterObjects, BeforeTheFirstUpdate)
{
  auto filter = itk::CudaConnectedComponentImageFilter<PlaneType, PlaneLabelsType>::New();
  EXPECT_EQ(filter->GetMinimumObjectSize(), 0U);
  EXPECT_EQ(filter->GetNumberOfObjectsToKeep(), 0U);
  EXPECT_FALSE(filter->GetSortByObjectSize());
  EXPECT_FALSE(filter->GetComputeStatistics());
  ExpectNoResults(*filter);
}

TEST(FilterObjects, ImageWithoutPixels)
{
  const auto full = MakeItkImage<PlaneType>(MakeImage("full", { 5, 5, 1 }, 1));
  auto       empty = PlaneType::New();
  empty->SetRegions(PlaneType::SizeType{ { 0, 5 } });
  empty->Allocate();
  auto filter = itk::CudaConnectedComponentImageFilter<PlaneType, PlaneLabelsType>::New();
  SetUpFilter(*filter, full, nullptr, { 1, 1, true, true, false }, 0);
  filter->Update();
  EXPECT_EQ(filter->GetStatistics().GetNumberOfObjects(), 1U);
  filter->SetInput(empty);
  EXPECT_EQ(ExceptionOf(*filter), "");
  ExpectNoResults(*filter);
}

TEST(FilterObjects, PrintedSettings)
{
  auto filter = itk::CudaConnectedComponentImageFilter<PlaneType, PlaneLabelsType>::New();
  SetUpFilter(*filter, MakeSpecks(21, 5, 7), nullptr, { 2, 3, true, true, false }, 0);
  filter->Update();
  std::ostringstream printed;
  filter->Print(printed);
  for (const std::string part : { " ObjectCount: 3",
                                  "OriginalNumberOfObjects: 62",
                                  "MinimumObjectSize: 2",
                                  "SortByObjectSize: On",
                                  "NumberOfObjectsToKeep: 3",
                                  "ComputeStatistics: On" })
  {
    EXPECT_NE(printed.str().find(part), std::string::npos) << part << " is not in\n" << printed.str();
  }
}

/** Calls a function. Returns the description of its ITK exception, or an empty string. */
template <typename TFunction>
std::string
DescriptionOf(const TFunction & function)
{
  try
  {
    function();
    return "";
  }
  catch (const itk::ExceptionObject & exception)
  {
    return exception.GetDescription();
  }
}

template <unsigned int VDimension>
void
ExpectStatisticsOfObliqueImages(const typename itk::Image<unsigned char, VDimension>::SizeType & size,
                                unsigned int                                                     density)
{
  using ImageType = itk::Image<unsigned char, VDimension>;
  using FilterType = itk::CudaConnectedComponentImageFilter<ImageType, itk::Image<unsigned short, VDimension>>;
  auto         filter = FilterType::New();
  unsigned int seed = 1900 + VDimension;
  for (const unsigned int granularity : { 1, 4 })
  {
    SCOPED_TRACE("seed " + std::to_string(++seed));
    auto image = MakeNoise<ImageType>(size, density, granularity, seed);
    for (const bool oblique : { false, true })
    {
      if (oblique)
      {
        SetObliqueGeometry(*image);
        ASSERT_NE(image->GetDirection()[0][1], 0.0);
      }
      for (const bool sort : { false, true })
      {
        for (const unsigned short background : { 0, 2 })
        {
          ExpectSameObjects<FilterType>(*filter, image, nullptr, { 0, 0, sort, true, true }, background);
          EXPECT_GT(filter->GetStatistics().GetNumberOfObjects(), 2U);
        }
      }
    }
  }
}

TEST(FilterObjects, StatisticsOfObliquePlanes) { ExpectStatisticsOfObliqueImages<2>({ { 131, 129 } }, 30); }

TEST(FilterObjects, StatisticsOfObliqueVolumes) { ExpectStatisticsOfObliqueImages<3>({ { 41, 33, 29 } }, 8); }

TEST(FilterObjects, StatisticsOfFourDimensions) { ExpectStatisticsOfObliqueImages<4>({ { 15, 17, 13, 5 } }, 2); }

TEST(FilterObjects, StatisticsOfTheFilterCanBeCopied)
{
  auto filter = itk::CudaConnectedComponentImageFilter<PlaneType, PlaneLabelsType>::New();
  filter->SetInput(MakeSpecks(21, 5, 7));
  filter->ComputeStatisticsOn();
  filter->Update();
  const auto copy = filter->GetStatistics();
  filter->ComputeStatisticsOff();
  filter->Update();
  EXPECT_EQ(filter->GetStatistics().GetNumberOfObjects(), 0U);
  ASSERT_EQ(copy.GetNumberOfObjects(), 62U);
  EXPECT_EQ(copy.GetNumberOfPixels(61), 3U);
}

/** Returns a table of 2 objects: the pixels (0, 0), (1, 0), (1, 1), and a square of 3 x 3 pixels with the center
 * (6, 4). */
itk::CudaConnectedComponentTable
MakeTable()
{
  itk::CudaConnectedComponentTable table;
  table.componentCount = 2;
  table.originalComponentCount = 5;
  table.pixelCounts = { 3, 9 };
  table.minimums = { { { 0, 5 }, { 0, 3 }, { 0, 0 } } };
  table.maximums = { { { 1, 7 }, { 1, 5 }, { 0, 0 } } };
  table.sums = { { { { 2, 0 }, { 54, 0 } }, { { 1, 0 }, { 36, 0 } }, { { 0, 0 }, { 0, 0 } } } };
  return table;
}

TEST(FilterObjects, StatisticsByThemselves)
{
  using StatisticsType = itk::CudaConnectedComponentStatistics<2>;
  auto                       image = PlaneType::New();
  const PlaneType::IndexType start{ { 100, -20 } };
  const double               spacing[] = { 0.5, 2.0 };
  const double               origin[] = { 10.0, -3.0 };
  image->SetRegions(PlaneType::RegionType(start, { { 8, 6 } }));
  image->SetSpacing(spacing);
  image->SetOrigin(origin);
  PlaneType::DirectionType direction;
  direction[0][0] = direction[1][1] = 0.0; // x is the second physical axis
  direction[0][1] = -1.0;
  direction[1][0] = 1.0;
  image->SetDirection(direction);

  StatisticsType copy;
  EXPECT_EQ(copy.GetNumberOfObjects(), 0U);
  {
    const StatisticsType statistics(MakeTable(), *image, 1);
    copy = statistics;
  }
  const StatisticsType statistics = copy;
  image = nullptr;
  ASSERT_EQ(statistics.GetNumberOfObjects(), 2U);
  EXPECT_EQ(statistics.GetLabel(0), 0U);
  EXPECT_EQ(statistics.GetLabel(1), 2U);
  EXPECT_EQ(statistics.GetNumberOfPixels(0), 3U);
  EXPECT_EQ(statistics.GetNumberOfPixels(1), 9U);
  EXPECT_EQ(statistics.GetPhysicalSize(0), 3.0);
  EXPECT_EQ(statistics.GetPhysicalSize(1), 9.0);
  EXPECT_EQ(statistics.GetBoundingBox(0), PlaneType::RegionType({ { 100, -20 } }, { { 2, 2 } }));
  EXPECT_EQ(statistics.GetBoundingBox(1), PlaneType::RegionType({ { 105, -17 } }, { { 3, 3 } }));
  EXPECT_NEAR(statistics.GetCentroid(0)[0], 10.0 - 2.0 * (-20.0 + 1.0 / 3.0), 1e-12);
  EXPECT_NEAR(statistics.GetCentroid(0)[1], -3.0 + 0.5 * (100.0 + 2.0 / 3.0), 1e-12);
  EXPECT_NEAR(statistics.GetCentroid(1)[0], 10.0 - 2.0 * (-20.0 + 4.0), 1e-12);
  EXPECT_NEAR(statistics.GetCentroid(1)[1], -3.0 + 0.5 * (100.0 + 6.0), 1e-12);
}

TEST(FilterObjects, StatisticsOfOtherBackgrounds)
{
  const auto image = VolumeType::New();
  for (const auto & expected : { std::make_pair(0, std::make_pair(1U, 2U)),
                                 { 1, { 0U, 2U } },
                                 { 2, { 0U, 1U } },
                                 { 77, { 0U, 1U } },
                                 { -1, { 0U, 1U } } })
  {
    const itk::CudaConnectedComponentStatistics<3> statistics(MakeTable(), *image, expected.first);
    EXPECT_EQ(statistics.GetLabel(0), expected.second.first) << expected.first;
    EXPECT_EQ(statistics.GetLabel(1), expected.second.second) << expected.first;
  }
  EXPECT_EQ(itk::CudaConnectedComponentStatistics<3>(MakeTable(), *image).GetLabel(0), 1U);
}

TEST(FilterObjects, StatisticsOfTheLargestSums)
{
  auto table = MakeTable();
  // A row of 2^40 pixels. The sum is 2^39 * (2^40 - 1).
  table.pixelCounts[1] = std::uint64_t{ 1 } << 40;
  table.minimums[0][1] = 0;
  table.maximums[0][1] = (std::uint64_t{ 1 } << 40) - 1;
  table.sums[0][1] = { std::uint64_t{ 0 } - (std::uint64_t{ 1 } << 39), (std::uint64_t{ 1 } << 15) - 1 };
  const itk::CudaConnectedComponentStatistics<3> statistics(table, *VolumeType::New());
  EXPECT_EQ(statistics.GetBoundingBox(1).GetSize(0), std::uint64_t{ 1 } << 40);
  EXPECT_NEAR(statistics.GetCentroid(1)[0], 549755813887.5, 1e-3);
  EXPECT_EQ(statistics.GetPhysicalSize(1), 1099511627776.0);
}

TEST(FilterObjects, StatisticsThrowForWrongIndices)
{
  const auto                                     image = VolumeType::New();
  const itk::CudaConnectedComponentStatistics<3> two(MakeTable(), *image);
  const itk::CudaConnectedComponentStatistics<3> none;
  EXPECT_NO_THROW(two.GetCentroid(1));
  EXPECT_THROW(two.GetLabel(2), itk::ExceptionObject);
  EXPECT_THROW(two.GetNumberOfPixels(2), itk::ExceptionObject);
  EXPECT_THROW(two.GetPhysicalSize(2), itk::ExceptionObject);
  EXPECT_THROW(two.GetBoundingBox(2), itk::ExceptionObject);
  EXPECT_THROW(two.GetCentroid(2), itk::ExceptionObject);
  EXPECT_THROW(none.GetLabel(0), itk::ExceptionObject);
  const std::string ofTwo = DescriptionOf([&] { two.GetLabel(17); });
  EXPECT_NE(ofTwo.find("index 17. The number of objects is 2,"), std::string::npos) << ofTwo;
  const std::string ofNone = DescriptionOf([&] { none.GetCentroid(0); });
  EXPECT_NE(ofNone.find("index 0. The number of objects is 0,"), std::string::npos) << ofNone;
}

TEST(FilterObjects, StatisticsThrowForWrongTables)
{
  using StatisticsType = itk::CudaConnectedComponentStatistics<2>;
  const auto image = PlaneType::New();
  EXPECT_EQ(StatisticsType(itk::CudaConnectedComponentTable(), *image).GetNumberOfObjects(), 0U);
  auto table = MakeTable();
  table.pixelCounts.clear();
  EXPECT_NE(DescriptionOf([&] { StatisticsType(table, *image); }).find("pixelCounts"), std::string::npos);
  table = MakeTable();
  table.maximums[1].clear();
  EXPECT_NE(DescriptionOf([&] { StatisticsType(table, *image); }).find("maximums"), std::string::npos);
  table = MakeTable();
  table.sums = {};
  EXPECT_NE(DescriptionOf([&] { StatisticsType(table, *image); }).find("sums"), std::string::npos);
  // The measurements along z are not needed in a plane.
  table = MakeTable();
  table.minimums[2].clear();
  EXPECT_EQ(DescriptionOf([&] { StatisticsType(table, *image); }), "");

  const auto        image4 = itk::Image<unsigned char, 4>::New();
  const std::string of4 = DescriptionOf([&] { itk::CudaConnectedComponentStatistics<4>(MakeTable(), *image4); });
  EXPECT_NE(of4.find("4 dimensions"), std::string::npos) << of4;
}

} // namespace
