// SPDX-License-Identifier: Apache-2.0

// Tests of the filter that keeps the largest objects of a mask, against ITK's filter and a flood fill.

#include "MaskFilterTestSupport.h"
#include "TestTypes.h"

#include "itkBinaryShapeKeepNObjectsImageFilter.h"
#include "itkCudaBinaryKeepNObjectsImageFilter.h"

#include <algorithm>

namespace keep_test
{

constexpr unsigned int Seed = 20270311;

template <typename TPixel>
struct Values
{
  TPixel foreground;
  TPixel background;
};

/** Returns the output of ITK's filter. */
template <typename TImage>
typename TImage::Pointer
KeepByItk(TImage *                                   image,
          const Values<typename TImage::PixelType> & values,
          bool                                       fullyConnected,
          itk::SizeValueType                         number)
{
  auto filter = itk::BinaryShapeKeepNObjectsImageFilter<TImage>::New();
  EXPECT_STREQ(filter->GetNameOfClass(), "BinaryShapeKeepNObjectsImageFilter");
  filter->SetInput(image);
  filter->SetForegroundValue(values.foreground);
  filter->SetBackgroundValue(values.background);
  filter->SetFullyConnected(fullyConnected);
  filter->SetNumberOfObjects(number);
  filter->Update();
  return filter->GetOutput();
}

/** Returns the output of ITK's filter for the mask of all foreground pixels, with the values of an image. So this
 * filter is compiled for one type of pixel only. */
template <typename TImage>
typename TImage::Pointer
KeepInMaskByItk(TImage *                                   image,
                const Values<typename TImage::PixelType> & values,
                bool                                       fullyConnected,
                itk::SizeValueType                         number)
{
  using MaskType = itk::Image<unsigned char, TImage::ImageDimension>;
  const std::uint64_t count = image->GetBufferedRegion().GetNumberOfPixels();
  const auto          mask = MaskType::New();
  mask->CopyInformation(image);
  mask->SetRegions(image->GetBufferedRegion());
  mask->Allocate();
  std::transform(image->GetBufferPointer(),
                 image->GetBufferPointer() + count,
                 mask->GetBufferPointer(),
                 [&](typename TImage::PixelType pixel) { return pixel == values.foreground ? 1 : 0; });
  const auto kept = KeepByItk<MaskType>(mask, { 1, 0 }, fullyConnected, number);
  const auto output = CopyOf(*image);
  for (std::uint64_t i = 0; i < count; ++i)
  {
    if (mask->GetBufferPointer()[i] != 0)
    {
      output->GetBufferPointer()[i] = kept->GetBufferPointer()[i] != 0 ? values.foreground : values.background;
    }
  }
  return output;
}

/** Returns the expected output by flood fill. Of components with the same size, the first ones stay. */
template <typename TImage>
typename TImage::Pointer
KeepByFlood(const TImage &                             image,
            const Values<typename TImage::PixelType> & values,
            bool                                       fullyConnected,
            itk::SizeValueType                         number,
            itk::SizeValueType                         minimumSize = 0)
{
  using PixelType = typename TImage::PixelType;
  const auto components = Flood(image, fullyConnected, [&](PixelType pixel) { return pixel == values.foreground; });
  auto       output = CopyOf(image);
  for (std::size_t i = 0; i < components.size(); ++i)
  {
    const std::size_t  size = components[i].pixels.size();
    itk::SizeValueType largerCount = 0;
    for (std::size_t j = 0; j < components.size(); ++j)
    {
      const std::size_t other = components[j].pixels.size();
      largerCount += other > size || (other == size && j < i);
    }
    const bool isKept = size >= minimumSize && largerCount < number;
    for (const auto & index : components[i].pixels)
    {
      output->SetPixel(index, isKept ? values.foreground : values.background);
    }
  }
  return output;
}

/** Makes our filter. */
template <typename TImage>
typename itk::CudaBinaryKeepNObjectsImageFilter<TImage>::Pointer
MakeFilter(TImage *                                   image,
           const Values<typename TImage::PixelType> & values,
           bool                                       fullyConnected,
           itk::SizeValueType                         number)
{
  auto filter = itk::CudaBinaryKeepNObjectsImageFilter<TImage>::New();
  filter->SetInput(image);
  filter->SetForegroundValue(values.foreground);
  filter->SetBackgroundValue(values.background);
  filter->SetFullyConnected(fullyConnected);
  filter->SetNumberOfObjects(number);
  return filter;
}

/** Returns the numbers of objects to keep for which ITK's filter has no choice. */
template <typename TImage>
std::vector<itk::SizeValueType>
DistinctCuts(const TImage & image, typename TImage::PixelType foreground, bool fullyConnected)
{
  const auto components =
    Flood(image, fullyConnected, [&](typename TImage::PixelType pixel) { return pixel == foreground; });
  std::vector<std::size_t> sizes;
  for (const auto & component : components)
  {
    sizes.push_back(component.pixels.size());
  }
  std::sort(sizes.rbegin(), sizes.rend());
  std::vector<itk::SizeValueType> cuts{ 0 };
  for (std::size_t i = 1; i < sizes.size(); ++i)
  {
    if (sizes[i - 1] != sizes[i])
    {
      cuts.push_back(i);
    }
  }
  cuts.push_back(sizes.size());
  cuts.push_back(sizes.size() + 3);
  return cuts;
}

/** Compares with ITK's filter for all numbers of objects for which it has no choice. Returns how many these are.
 * \param keepByItk function that returns the output of ITK's filter */
template <typename TImage, typename TKeepByItk>
std::size_t
ExpectSameAsItk(TImage * image, const Values<typename TImage::PixelType> & values, const TKeepByItk & keepByItk)
{
  std::size_t cutCount = 0;
  for (const bool fullyConnected : { false, true })
  {
    const auto cuts = DistinctCuts(*image, values.foreground, fullyConnected);
    cutCount += cuts.size();
    for (const itk::SizeValueType number : cuts)
    {
      SCOPED_TRACE(testing::Message() << "seed " << Seed << ", keep " << number << ", fully connected "
                                      << fullyConnected << ", foreground " << +values.foreground << ", background "
                                      << +values.background);
      const auto expected = keepByItk(image, values, fullyConnected, number);
      ExpectOutput(*MakeFilter(image, values, fullyConnected, number), expected.GetPointer());
      if (testing::Test::HasFailure())
      {
        return cutCount;
      }
    }
  }
  return cutCount;
}

/** Calls the function above for ITK's filter for the type of the image. */
template <typename TImage>
std::size_t
ExpectSameAsItk(TImage * image, const Values<typename TImage::PixelType> & values)
{
  return ExpectSameAsItk(image, values, KeepByItk<TImage>);
}

template <typename TPixel>
class CudaConnectedComponentsKeepNObjectsPixels : public testing::Test
{};

using PixelTypes = TestTypes<unsigned char,
                             short,
                             float,
                             char,
                             signed char,
                             unsigned short,
                             int,
                             unsigned int,
                             long,
                             unsigned long,
                             long long,
                             unsigned long long,
                             double>;
TYPED_TEST_SUITE(CudaConnectedComponentsKeepNObjectsPixels, PixelTypes, );

TYPED_TEST(CudaConnectedComponentsKeepNObjectsPixels, MatchItk)
{
  using ImageType = itk::Image<TypeParam, 3>;
  using Limits = std::numeric_limits<TypeParam>;
  const auto maximum = Limits::max();
  const auto lowest = Limits::lowest();
  // The defaults of ITK's filter; small values; zeros as foreground; both values the same.
  const std::vector<Values<TypeParam>> cases{ { maximum, lowest }, { 1, 0 }, { 100, 1 }, { 0, 1 },
                                              { 0, maximum },      { 1, 1 }, { 0, 0 },   { lowest, 1 } };
  for (const auto & values : cases)
  {
    // The rows have no other values, or some.
    std::vector<TypeParam> binary(4, values.foreground);
    binary.resize(13, values.background);
    std::vector<TypeParam> several = binary;
    several.insert(several.end(), { 1, 2, 100, maximum, lowest });
    if (Limits::has_quiet_NaN)
    {
      several.insert(several.end(), { Limits::quiet_NaN(), static_cast<TypeParam>(-0.0), Limits::infinity() });
    }
    const auto binaryImage = MakeValues<ImageType>({ { 37, 7, 5 } }, binary, Seed);
    EXPECT_GE(ExpectSameAsItk(binaryImage.GetPointer(), values, KeepInMaskByItk<ImageType>), 6U);
    const auto image = MakeValues<ImageType>({ { 70, 5, 3 } }, several, Seed + 1);
    EXPECT_GE(ExpectSameAsItk(image.GetPointer(), values, KeepInMaskByItk<ImageType>), 6U);
    if (this->HasFailure())
    {
      return;
    }
  }
}

TEST(CudaConnectedComponentsKeepNObjects, BoolPixelsMatchItk)
{
  using ImageType = itk::Image<bool, 2>;
  const auto image = MakeValues<ImageType>({ { 70, 21 } }, { false, false, true }, Seed + 2);
  ExpectSameAsItk(image.GetPointer(), { true, false });
  ExpectSameAsItk(image.GetPointer(), { false, true });
}

TEST(CudaConnectedComponentsKeepNObjects, ZerosOfBothSignsMatchItk)
{
  using ImageType = itk::Image<float, 2>;
  const auto image = MakeValues<ImageType>({ { 70, 21 } }, { 0.0F, -0.0F, 1.0F, 1.0F, 1.0F }, Seed + 3);
  for (const float foreground : { 0.0F, -0.0F, 1.0F })
  {
    for (const float background : { 0.0F, -0.0F, 1.0F })
    {
      ExpectSameAsItk(image.GetPointer(), { foreground, background });
    }
  }
}

TEST(CudaConnectedComponentsKeepNObjects, NanIsNoForeground)
{
  using ImageType = itk::Image<double, 2>;
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto   image = MakeValues<ImageType>({ { 70, 21 } }, { 0.0, nan, 1.0 }, Seed + 4);
  for (const Values<double> values : { Values<double>{ nan, 0.0 }, { 1.0, nan }, { nan, nan } })
  {
    ExpectSameAsItk(image.GetPointer(), values);
  }
}

TEST(CudaConnectedComponentsKeepNObjects, TiesMatchFloodFill)
{
  using PlaneType = itk::Image<unsigned char, 2>;
  using VolumeType = itk::Image<short, 3>;
  const auto compare = [](auto * image, const auto & values) {
    for (const bool fullyConnected : { false, true })
    {
      const std::size_t count =
        Flood(*image, fullyConnected, [&](auto pixel) { return pixel == values.foreground; }).size();
      for (const itk::SizeValueType number :
           { std::size_t{ 1 }, std::size_t{ 2 }, std::size_t{ 7 }, count / 2, count - 1, count, count + 1 })
      {
        for (const itk::SizeValueType minimumSize : { 0, 1, 2, 3, 5, 1000000 })
        {
          SCOPED_TRACE(testing::Message() << "seed " << Seed << ", keep " << number << ", minimum " << minimumSize
                                          << ", fully connected " << fullyConnected);
          const auto filter = MakeFilter(image, values, fullyConnected, number);
          filter->SetMinimumObjectSize(minimumSize);
          const auto expected = KeepByFlood(*image, values, fullyConnected, number, minimumSize);
          ExpectOutput(*filter, expected.GetPointer());
          if (testing::Test::HasFailure())
          {
            return;
          }
        }
      }
    }
  };
  const auto plane = MakeValues<PlaneType>({ { 67, 40 } }, { 0, 0, 0, 200, 3 }, Seed + 5);
  compare(plane.GetPointer(), Values<unsigned char>{ 200, 0 });
  const auto volume = MakeValues<VolumeType>({ { 21, 14, 9 } }, { 0, 0, 0, 0, 0, 0, 0, -7, -7, 5 }, Seed + 6);
  compare(volume.GetPointer(), Values<short>{ -7, 4 });
}

TEST(CudaConnectedComponentsKeepNObjects, ShapesMatchFloodFill)
{
  using ImageType = itk::Image<unsigned char, 3>;
  for (const TestImage & shape : MakeShapes())
  {
    if (shape.pixels.empty() || shape.pixels.size() > 20000)
    {
      continue;
    }
    SCOPED_TRACE(shape.name);
    const auto image = MakeItkImage<ImageType>(shape);
    for (const bool fullyConnected : { false, true })
    {
      const auto filter = MakeFilter<ImageType>(image, { 1, 0 }, fullyConnected, 1);
      ExpectOutput(*filter, KeepByFlood<ImageType>(*image, { 1, 0 }, fullyConnected, 1).GetPointer());
    }
    if (HasFailure())
    {
      return;
    }
  }
}

TEST(CudaConnectedComponentsKeepNObjects, ThinImagesMatchItk)
{
  using ImageType = itk::Image<unsigned char, 3>;
  const std::vector<ImageType::SizeType> sizes{
    { { 1, 1, 1 } },  { { 1, 90, 1 } }, { { 1, 1, 90 } }, { { 90, 1, 1 } },
    { { 1, 40, 9 } }, { { 40, 1, 9 } }, { { 40, 9, 1 } }, { { 2, 2, 40 } }
  };
  for (const auto & size : sizes)
  {
    SCOPED_TRACE(size);
    ExpectSameAsItk(MakeValues<ImageType>(size, { 0, 0, 255, 255, 7 }, Seed + 7).GetPointer(), { 255, 0 });
    ExpectSameAsItk(MakeValues<ImageType>(size, { 255 }, Seed).GetPointer(), { 255, 0 });
    ExpectSameAsItk(MakeValues<ImageType>(size, { 0 }, Seed).GetPointer(), { 255, 0 });
  }
}

TEST(CudaConnectedComponentsKeepNObjects, LargeImagesMatchItk)
{
  using ImageType = itk::Image<std::uint64_t, 3>;
  for (const auto & values : { Values<std::uint64_t>{ 1, 0 }, { 1, 2 }, { 0, 1 } })
  {
    SCOPED_TRACE(testing::Message() << "foreground " << values.foreground << ", background " << values.background);
    const auto image = MakeLargeImage<ImageType>(1);
    const auto filter = MakeFilter<ImageType>(image, values, false, 1);
    filter->Update();
    ExpectSameBytes<ImageType>(filter->GetOutput(), KeepInMaskByItk<ImageType>(image, values, false, 1));
  }
}

TEST(CudaConnectedComponentsKeepNObjects, LinesHaveOneDimension)
{
  using ImageType = itk::Image<unsigned char, 1>;
  const auto image = MakeValues<ImageType>({ { 300 } }, { 0, 1, 1 }, Seed + 8);
  const auto filter = MakeFilter<ImageType>(image, { 1, 0 }, false, 3);
  ExpectOutput(*filter, KeepByFlood<ImageType>(*image, { 1, 0 }, false, 3).GetPointer());
}

TEST(CudaConnectedComponentsKeepNObjects, EmptyImageGivesEmptyImage)
{
  const auto check = [](auto * image) {
    using ImageType = std::remove_pointer_t<decltype(image)>;
    image->SetRegions(typename ImageType::SizeType{ { 0, 3 } });
    image->Allocate();
    const auto filter = MakeFilter<ImageType>(image, { 1, 0 }, false, 1);
    filter->CPUFallbackOff();
    EXPECT_EQ(ExceptionOf(*filter), "");
    EXPECT_EQ(filter->GetOutput()->GetBufferedRegion().GetNumberOfPixels(), 0U);
    EXPECT_EQ(filter->GetBackendUsed(), BackendEnum::CPU);
    EXPECT_EQ(filter->GetFallbackReason(), "");
    ExpectProgressWithoutLabels(*filter);
  };
  check(itk::Image<unsigned char, 2>::New().GetPointer());
  check(itk::Image<long double, 2>::New().GetPointer());
  check(itk::Image<unsigned char, 4>::New().GetPointer());
}

TEST(CudaConnectedComponentsKeepNObjects, DefaultsAreThoseOfItk)
{
  using ImageType = itk::Image<short, 3>;
  const auto filter = itk::CudaBinaryKeepNObjectsImageFilter<ImageType>::New();
  const auto expected = itk::BinaryShapeKeepNObjectsImageFilter<ImageType>::New();
  EXPECT_EQ(filter->GetForegroundValue(), expected->GetForegroundValue());
  EXPECT_EQ(filter->GetBackgroundValue(), expected->GetBackgroundValue());
  EXPECT_EQ(filter->GetFullyConnected(), expected->GetFullyConnected());
  EXPECT_EQ(filter->GetNumberOfObjects(), expected->GetNumberOfObjects());
  EXPECT_EQ(filter->GetMinimumObjectSize(), 0U);

  const auto image = MakeValues<ImageType>({ { 30, 20, 10 } }, { 32767, 0, 3 }, Seed + 9);
  filter->SetInput(image);
  expected->SetInput(image);
  expected->Update();
  ExpectOutput(*filter, expected->GetOutput());
}

TEST(CudaConnectedComponentsKeepNObjects, ItkDoesOtherImages)
{
  const auto check = [](auto * image, const std::string & reason) {
    using ImageType = std::remove_pointer_t<decltype(image)>;
    const Values<typename ImageType::PixelType> values{ 1, 0 };
    for (const bool fullyConnected : { false, true })
    {
      for (const unsigned int number : { 1, 2, 5, 9, 1000 })
      {
        const auto filter = MakeFilter<ImageType>(image, values, fullyConnected, number);
        filter->SetMinimumObjectSize(2);
        float progress = 0.0F;
        filter->AddObserver(itk::ProgressEvent(), [&](const itk::EventObject &) { progress = filter->GetProgress(); });
        EXPECT_EQ(ExceptionOf(*filter), "");
        EXPECT_EQ(progress, 1.0F);
        EXPECT_EQ(filter->GetBackendUsed(), BackendEnum::ITK);
        EXPECT_EQ(filter->GetFallbackReason(), reason);
        ExpectSameImages<ImageType>(filter->GetOutput(),
                                    KeepByFlood<ImageType>(*image, values, fullyConnected, number, 2));
        filter->CPUFallbackOff();
        filter->Modified();
        EXPECT_NE(ExceptionOf(*filter).find(reason), std::string::npos);
      }
    }
    const auto none = MakeFilter<ImageType>(image, values, false, 0);
    EXPECT_EQ(ExceptionOf(*none), "");
    ExpectSameImages<ImageType>(none->GetOutput(), KeepByFlood<ImageType>(*image, values, false, 0));
  };
  check(MakeValues<itk::Image<unsigned char, 4>>({ { 9, 5, 4, 3 } }, { 0, 0, 0, 0, 1, 3 }, Seed + 10).GetPointer(),
        "dimension 4 is not supported on the GPU");
  if (sizeof(long double) > 8)
  {
    check(MakeValues<itk::Image<long double, 2>>({ { 40, 11 } }, { 0, 0, 0, 1, 3 }, Seed + 11).GetPointer(),
          "the type of the image is not supported on the GPU");
  }
}

const auto SetSettings = [](auto & filter) {
  filter.SetForegroundValue(1);
  filter.SetBackgroundValue(0);
  filter.SetNumberOfObjects(4);
};

TEST(CudaConnectedComponentsKeepNObjects, NeedsTheWholeInput)
{
  ExpectRegions<itk::CudaBinaryKeepNObjectsImageFilter<itk::Image<unsigned char, 3>>>(SetSettings);
}

TEST(CudaConnectedComponentsKeepNObjects, SaysWhichBackend)
{
  ExpectBackendRules<itk::CudaBinaryKeepNObjectsImageFilter>(SetSettings);
}

TEST(CudaConnectedComponentsKeepNObjects, NoObjectsNeedNoGpu)
{
  using ImageType = itk::Image<unsigned char, 3>;
  const auto image = MakeValues<ImageType>({ { 40, 30, 20 } }, { 0, 1, 2 }, Seed + 12);
  const auto filter = MakeFilter<ImageType>(image, { 1, 0 }, false, 0);
  filter->SetDeviceId(1000);
  filter->CPUFallbackOff();
  EXPECT_EQ(ExceptionOf(*filter), "");
  EXPECT_EQ(filter->GetBackendUsed(), BackendEnum::CPU);
  EXPECT_EQ(filter->GetFallbackReason(), "");
  ExpectProgressWithoutLabels(*filter);
}

TEST(CudaConnectedComponentsKeepNObjects, SameOnTheGpu)
{
  SKIP_WITHOUT_DEVICE();
  ExpectSameOnDevice<itk::CudaBinaryKeepNObjectsImageFilter<itk::Image<unsigned char, 3>>>(SetSettings);
}

TEST(CudaConnectedComponentsKeepNObjects, RecoversFromExceptions)
{
  ExpectRecoveries<itk::CudaBinaryKeepNObjectsImageFilter<itk::Image<unsigned char, 3>>>(SetSettings);
}

TEST(CudaConnectedComponentsKeepNObjects, PrintsSettings)
{
  const auto filter = itk::CudaBinaryKeepNObjectsImageFilter<itk::Image<unsigned char, 3>>::New();
  SetSettings(*filter);
  filter->SetMinimumObjectSize(17);
  EXPECT_STREQ(filter->GetNameOfClass(), "CudaBinaryKeepNObjectsImageFilter");
  std::ostringstream text;
  filter->Print(text);
  for (const char * const line : { "FullyConnected: Off",
                                   "BackgroundValue: 0",
                                   "ForegroundValue: 1",
                                   "NumberOfObjects: 4",
                                   "MinimumObjectSize: 17",
                                   "GPUEnabled: On",
                                   "CPUFallback: On",
                                   "LazyGPUStart: Off",
                                   "DeviceId: -1",
                                   "BackendUsed: itk::CudaConnectedComponentsEnums::Backend::Unknown",
                                   "FallbackReason: " })
  {
    EXPECT_NE(text.str().find(line), std::string::npos) << line;
  }
}

} // namespace keep_test
