// SPDX-License-Identifier: Apache-2.0

// Tests of the filter that makes label maps: compares the maps with the maps of ITK's filter, line by line.

#include "LabelMapTestSupport.h"
#include "MaskFilterTestSupport.h"

#include "CudaConnectedComponentsDetail/DivideComponents.h"

#include "itkAttributeLabelObject.h"
#include "itkCommand.h"
#include "itkCudaBinaryImageToLabelMapFilter.h"
#include "itkImageAdaptor.h"
#include "itkImageSource.h"
#include "itkRGBPixel.h"
#include "itkShapeLabelObject.h"
#include "itkStatisticsLabelObject.h"

#include <cmath>
#include <limits>
#include <memory>
#include <random>
#include <sstream>

namespace binary_map_test
{

constexpr unsigned int Seed = DefaultSeed;

/** Compares our filter with ITK's filter: for both connectivities, for 1 and 7 work units, on the CPU and (if there is
 * one) on the GPU. Compares label maps, numbers of objects and exceptions.
 * \param setUp function that sets the input and the parameters of a filter; called once for each filter
 * \return our filter, after its last update */
template <typename TImage, typename TMap, typename TSetUp>
typename itk::CudaBinaryImageToLabelMapFilter<TImage, TMap>::Pointer
ExpectSameAsItk(const TSetUp & setUp)
{
  using FilterType = itk::CudaBinaryImageToLabelMapFilter<TImage, TMap>;
  constexpr bool               isForITK = TImage::ImageDimension > 3;
  typename FilterType::Pointer filter;
  for (const bool fullyConnected : { false, true })
  {
    auto expected = itk::BinaryImageToLabelMapFilter<TImage, TMap>::New();
    EXPECT_STREQ(expected->GetNameOfClass(), "BinaryImageToLabelMapFilter");
    setUp(*expected);
    expected->SetFullyConnected(fullyConnected);
    const std::string expectedException = ExceptionOf(*expected);
    filter = FilterType::New();
    setUp(*filter);
    filter->SetFullyConnected(fullyConnected);
    for (const bool gpuEnabled : { false, true })
    {
      if (gpuEnabled && (ExpectedBackend() == BackendEnum::CPU || isForITK))
      {
        continue;
      }
      for (const unsigned int workUnits : { 1, 7 })
      {
        SCOPED_TRACE(testing::Message() << "fully connected " << fullyConnected << ", GPU " << gpuEnabled
                                        << ", work units " << workUnits);
        filter->SetNumberOfWorkUnits(workUnits);
        filter->SetGPUEnabled(gpuEnabled);
        // Without the CPU as fallback, the GPU labels even the smallest image.
        filter->SetCPUFallback(!gpuEnabled);
        filter->Modified();
        EXPECT_EQ(Comparable(ExceptionOf(*filter)), Comparable(expectedException));
        EXPECT_EQ(filter->GetNumberOfObjects(), expected->GetNumberOfObjects());
        if (expectedException.empty())
        {
          ExpectSameMaps(*filter->GetOutput(), *expected->GetOutput());
          EXPECT_EQ(filter->GetBackendUsed(),
                    isForITK     ? BackendEnum::ITK
                    : gpuEnabled ? BackendEnum::CUDA
                                 : BackendEnum::CPU);
        }
        else
        {
          EXPECT_EQ(filter->GetBackendUsed(), BackendEnum::Unknown);
        }
      }
    }
  }
  return filter;
}

/** Compares both filters for one image and foreground value. */
template <typename TMap, typename TImage>
typename itk::CudaBinaryImageToLabelMapFilter<TImage, TMap>::Pointer
ExpectSameForImage(const TImage *                     image,
                   const typename TImage::PixelType & foreground,
                   typename TMap::PixelType           background = 0)
{
  return ExpectSameAsItk<TImage, TMap>([&](auto & filter) {
    filter.SetInput(image);
    filter.SetInputForegroundValue(foreground);
    filter.SetOutputBackgroundValue(background);
  });
}

/** Compares both filters for images of one type that contain several values. Each value is the foreground once. */
template <typename TPixel, unsigned int VDimension>
void
ExpectSameForType()
{
  using ImageType = itk::Image<TPixel, VDimension>;
  typename ImageType::SizeType size;
  size.Fill(VDimension == 2 ? 60 : 19);
  size[0] = 71;
  const std::vector<TPixel> values{
    std::numeric_limits<TPixel>::max(), TPixel(1), TPixel(0), TPixel(1), std::numeric_limits<TPixel>::lowest()
  };
  const auto image = MakePixels<ImageType>(size, values);
  SCOPED_TRACE(testing::Message() << typeid(ImageType).name() << ", seed " << Seed);
  for (const TPixel foreground : { values[0], values[1], values[2], values[4] })
  {
    const auto filter = ExpectSameForImage<PlainMap<itk::SizeValueType, VDimension>>(image.GetPointer(), foreground);
    EXPECT_GT(filter->GetNumberOfObjects(), 1U);
  }
}

// A type of each width. KeepNObjectsPixels has all types of pixels.
TEST(CudaConnectedComponentsLabelMapFilter, HasTheSameObjectsForEachWidth)
{
  ExpectSameForType<unsigned char, 2>();
  ExpectSameForType<short, 3>();
  ExpectSameForType<int, 2>();
  ExpectSameForType<unsigned long, 3>();
  ExpectSameForType<float, 2>();
  ExpectSameForType<double, 2>();
}

TEST(CudaConnectedComponentsLabelMapFilter, HasTheSameDefaults)
{
  using ImageType = itk::Image<short, 2>;
  const auto image = MakePixels<ImageType>({ { 60, 50 } }, { 32767, 1, 0 });
  ExpectSameAsItk<ImageType, PlainMap<short, 2>>([&](auto & filter) { filter.SetInput(image); });
  const auto filter = itk::CudaBinaryImageToLabelMapFilter<ImageType, PlainMap<short, 2>>::New();
  EXPECT_EQ(filter->GetInputForegroundValue(), 32767);
  EXPECT_EQ(filter->GetOutputBackgroundValue(), -32768);
  EXPECT_FALSE(filter->GetFullyConnected());
  EXPECT_EQ(filter->GetNumberOfObjects(), 0U);
  EXPECT_EQ(filter->GetBackendUsed(), BackendEnum::Unknown);
  EXPECT_TRUE(filter->GetGPUEnabled());
  EXPECT_TRUE(filter->GetCPUFallback());
  EXPECT_FALSE(filter->GetLazyGPUStart());
  EXPECT_EQ(filter->GetDeviceId(), -1);
  EXPECT_STREQ(filter->GetNameOfClass(), "CudaBinaryImageToLabelMapFilter");
}

TEST(CudaConnectedComponentsLabelMapFilter, ComparesFloatingPointNumbers)
{
  using ImageType = itk::Image<float, 2>;
  using MapType = PlainMap<itk::SizeValueType, 2>;
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float infinity = std::numeric_limits<float>::infinity();
  const auto  image = MakePixels<ImageType>({ { 75, 60 } }, { nan, infinity, 0.0F, -0.0F, 0.1F, 0.1000001F });
  for (const float foreground : { nan, infinity, 0.0F, -0.0F, 0.1F })
  {
    const auto filter = ExpectSameForImage<MapType>(image.GetPointer(), foreground);
    EXPECT_EQ(filter->GetNumberOfObjects() == 0, std::isnan(foreground));
  }
}

TEST(CudaConnectedComponentsLabelMapFilter, ReadsOtherPixels)
{
  using MapType = PlainMap<itk::SizeValueType, 2>;
  using BoolImage = itk::Image<bool, 2>;
  ExpectSameForImage<MapType>(MakePixels<BoolImage>({ { 75, 60 } }, { true, false }).GetPointer(), true);
  ExpectSameForImage<MapType>(MakePixels<BoolImage>({ { 75, 60 } }, { true, false }).GetPointer(), false);
  using ColorImage = itk::Image<itk::RGBPixel<unsigned char>, 2>;
  itk::RGBPixel<unsigned char> red;
  itk::RGBPixel<unsigned char> black;
  red.Set(255, 0, 0);
  black.Set(0, 0, 0);
  const auto image = MakePixels<ColorImage>({ { 75, 60 } }, { red, black });
  EXPECT_GT(ExpectSameForImage<MapType>(image.GetPointer(), red)->GetNumberOfObjects(), 10U);
  using LongDoubleImage = itk::Image<long double, 2>;
  const auto longDoubles = MakePixels<LongDoubleImage>({ { 75, 60 } }, { 1.0L, 1.0L + 1e-17L, 0.0L, -0.0L });
  for (const long double foreground : { 1.0L, 0.0L })
  {
    EXPECT_GT(ExpectSameForImage<MapType>(longDoubles.GetPointer(), foreground)->GetNumberOfObjects(), 10U);
  }
}

TEST(CudaConnectedComponentsLabelMapFilter, SkipsTheBackgroundValue)
{
  using ImageType = itk::Image<unsigned char, 3>;
  const auto image = MakePixels<ImageType>({ { 40, 9, 7 } }, { 1, 0, 0, 0, 0, 0, 0, 0 });
  for (const short background : { -32768, -1, 0, 1, 2, 100, 32767 })
  {
    SCOPED_TRACE(background);
    const auto filter = ExpectSameForImage<PlainMap<short, 3>>(image.GetPointer(), 1, background);
    EXPECT_FALSE(filter->GetOutput()->HasLabel(background));
    EXPECT_GT(filter->GetNumberOfObjects(), 50U);
  }
  for (const unsigned long background : { 0UL, 5UL, 100UL, 18446744073709551615UL })
  {
    SCOPED_TRACE(background);
    ExpectSameForImage<PlainMap<unsigned long, 3>>(image.GetPointer(), 1, background);
  }
}

TEST(CudaConnectedComponentsLabelMapFilter, MakesAllKindsOfObjects)
{
  const auto plane = MakePixels<itk::Image<short, 2>>({ { 61, 53 } }, { 1, 0 });
  const auto volume = MakePixels<itk::Image<short, 3>>({ { 61, 23, 12 } }, { 1, 0, 0 });
  ExpectSameForImage<itk::LabelMap<itk::ShapeLabelObject<itk::SizeValueType, 3>>>(volume.GetPointer(), 1);
  ExpectSameForImage<itk::LabelMap<itk::StatisticsLabelObject<itk::SizeValueType, 2>>>(plane.GetPointer(), 1);
  ExpectSameForImage<itk::LabelMap<itk::AttributeLabelObject<itk::SizeValueType, 3, bool>>>(volume.GetPointer(), 1);
}

TEST(CudaConnectedComponentsLabelMapFilter, LeavesOtherLabelsToTheSuperclass)
{
  using ImageType = itk::Image<short, 2>;
  using MapType = PlainMap<float, 2>;
  const auto image = MakePixels<ImageType>({ { 61, 53 } }, { 1, 0 });
  // ITK compares the number of objects with the converted maximum of the label type, which is undefined for float.
  auto expected = itk::BinaryImageToLabelMapFilter<ImageType, MapType>::New();
  auto filter = itk::CudaBinaryImageToLabelMapFilter<ImageType, MapType>::New();
  expected->SetInput(image);
  expected->SetInputForegroundValue(1);
  filter->SetInput(image);
  filter->SetInputForegroundValue(1);
  const std::string exception = Comparable(ExceptionOf(*expected));
  EXPECT_EQ(Comparable(ExceptionOf(*filter)), exception);
  if (exception.empty())
  {
    EXPECT_GT(expected->GetNumberOfObjects(), 10U);
    EXPECT_EQ(filter->GetNumberOfObjects(), expected->GetNumberOfObjects());
    ExpectSameMaps(*filter->GetOutput(), *expected->GetOutput());
  }
  EXPECT_EQ(filter->GetBackendUsed(), exception.empty() ? BackendEnum::ITK : BackendEnum::Unknown);
  EXPECT_EQ(filter->GetFallbackReason(), "labels that are no integers are not supported on the GPU");
}

TEST(CudaConnectedComponentsLabelMapFilter, HandlesAnySize)
{
  using PlaneType = itk::Image<unsigned char, 2>;
  using VolumeType = itk::Image<unsigned char, 3>;
  for (const PlaneType::SizeType & size : std::vector<PlaneType::SizeType>{
         { { 1, 1 } }, { { 5000, 1 } }, { { 1, 5000 } }, { { 2, 777 } }, { { 33, 65 } } })
  {
    SCOPED_TRACE(size);
    ExpectSameForImage<PlainMap<itk::SizeValueType, 2>>(MakePixels<PlaneType>(size, { 1, 0 }).GetPointer(), 1);
    ExpectSameForImage<PlainMap<itk::SizeValueType, 2>>(MakePixels<PlaneType>(size, { 1 }).GetPointer(), 1);
    ExpectSameForImage<PlainMap<itk::SizeValueType, 2>>(MakePixels<PlaneType>(size, { 0 }).GetPointer(), 1);
  }
  for (const VolumeType::SizeType & size : std::vector<VolumeType::SizeType>{ { { 1, 1, 1 } },
                                                                              { { 5000, 1, 1 } },
                                                                              { { 1, 5000, 1 } },
                                                                              { { 1, 1, 5000 } },
                                                                              { { 1, 70, 70 } },
                                                                              { { 65, 1, 50 } } })
  {
    SCOPED_TRACE(size);
    ExpectSameForImage<PlainMap<itk::SizeValueType, 3>>(MakePixels<VolumeType>(size, { 1, 0 }).GetPointer(), 1);
    ExpectSameForImage<PlainMap<itk::SizeValueType, 3>>(MakePixels<VolumeType>(size, { 1 }).GetPointer(), 1);
  }
}

TEST(CudaConnectedComponentsLabelMapFilter, HasTheSameObjectsForEachShape)
{
  for (const TestImage & shape : MakeShapes())
  {
    SCOPED_TRACE(shape.name);
    if (shape.size[2] == 1)
    {
      using ImageType = itk::Image<unsigned char, 2>;
      ExpectSameForImage<PlainMap<itk::SizeValueType, 2>>(MakeItkImage<ImageType>(shape, 7).GetPointer(), 7);
    }
    else
    {
      using ImageType = itk::Image<unsigned char, 3>;
      ExpectSameForImage<PlainMap<itk::SizeValueType, 3>>(MakeItkImage<ImageType>(shape, 7).GetPointer(), 7);
    }
  }
}

TEST(CudaConnectedComponentsLabelMapFilter, HandlesFourDimensions)
{
  using ImageType = itk::Image<unsigned char, 4>;
  using MapType = PlainMap<unsigned char, 4>;
  const auto image = MakePixels<ImageType>({ { 21, 7, 6, 5 } }, { 1, 0 });
  const auto filter = ExpectSameForImage<MapType>(image.GetPointer(), 1);
  filter->GPUEnabledOn();
  filter->CPUFallbackOn();
  filter->Update();
  EXPECT_EQ(filter->GetBackendUsed(), BackendEnum::ITK);
  EXPECT_EQ(filter->GetFallbackReason(), "dimension 4 is not supported on the GPU");
  filter->CPUFallbackOff();
  EXPECT_NE(ExceptionOf(*filter).find("dimension 4 is not supported on the GPU"), std::string::npos);
}

/** Makes a plane with a number of objects of one pixel. */
template <typename TImage>
typename TImage::Pointer
MakeSpecks(unsigned int objects)
{
  auto                      image = TImage::New();
  typename TImage::SizeType size;
  size.Fill(1);
  size[0] = 2 * objects;
  image->SetRegions(size);
  image->Allocate(true);
  for (unsigned int i = 0; i < objects; ++i)
  {
    image->GetBufferPointer()[2 * i] = 1;
  }
  return image;
}

/** Compares both filters for numbers of objects near the maximum of the label type. */
template <typename TLabel, unsigned int VDimension>
void
ExpectSameMaximum(TLabel background)
{
  using ImageType = itk::Image<unsigned char, VDimension>;
  using MapType = PlainMap<TLabel, VDimension>;
  const unsigned int maximum = std::numeric_limits<TLabel>::max();
  for (const unsigned int objects : { maximum - 1, maximum, maximum + 1, 3 * maximum })
  {
    SCOPED_TRACE(testing::Message() << objects << " objects, background " << +background);
    const auto image = MakeSpecks<ImageType>(objects);
    const auto filter = ExpectSameForImage<MapType>(image.GetPointer(), 1, background);
    EXPECT_EQ(filter->GetNumberOfObjects(), objects);
    EXPECT_EQ(filter->GetOutput()->GetNumberOfLabelObjects(), objects > maximum ? 0U : objects);

    // The filter can be used again.
    filter->SetInput(MakeSpecks<ImageType>(5));
    EXPECT_EQ(ExceptionOf(*filter), "");
    EXPECT_EQ(filter->GetOutput()->GetNumberOfLabelObjects(), 5U);
  }
}

TEST(CudaConnectedComponentsLabelMapFilter, ThrowsTheSameExceptionForTooManyObjects)
{
  ExpectSameMaximum<unsigned char, 2>(0);
  ExpectSameMaximum<unsigned char, 2>(7);
  ExpectSameMaximum<unsigned char, 2>(255);
  ExpectSameMaximum<signed char, 3>(-128);
  ExpectSameMaximum<signed char, 3>(0);
  ExpectSameMaximum<unsigned char, 4>(7);
}

TEST(CudaConnectedComponentsLabelMapFilter, MakesTheWholeMapForAnyRegion)
{
  using ImageType = itk::Image<short, 3>;
  const auto image = MakePixels<ImageType>({ { 45, 31, 17 } }, { 1, 0, 0 });
  const auto filter = ExpectSameAsItk<ImageType, PlainMap<itk::SizeValueType, 3>>([&](auto & each) {
    each.SetInput(image);
    each.SetInputForegroundValue(1);
    each.UpdateOutputInformation();
    each.GetOutput()->SetRequestedRegion(ImageType::RegionType({ { 2, 45, 3 } }, { { 5, 6, 7 } }));
  });
  EXPECT_EQ(filter->GetOutput()->GetRequestedRegion(), image->GetLargestPossibleRegion());
}

/** Makes an image whose buffer is larger than the largest possible region. */
class LargerBufferSource : public itk::ImageSource<itk::Image<short, 3>>
{
public:
  ITK_DISALLOW_COPY_AND_MOVE(LargerBufferSource);

  using Self = LargerBufferSource;
  using Pointer = itk::SmartPointer<Self>;

  itkFactorylessNewMacro(Self);

protected:
  LargerBufferSource() = default;
  ~LargerBufferSource() override = default;

  void
  GenerateOutputInformation() override
  {
    this->GetOutput()->SetLargestPossibleRegion({ { { 10, 20, 30 } }, { { 45, 31, 17 } } });
  }

  void
  GenerateData() override
  {
    auto region = this->GetOutput()->GetLargestPossibleRegion();
    region.PadByRadius(itk::Size<3>{ { 3, 2, 1 } });
    this->GetOutput()->SetBufferedRegion(region);
    this->GetOutput()->Allocate();
    std::mt19937 random(Seed);
    for (std::size_t i = 0; i < region.GetNumberOfPixels(); ++i)
    {
      this->GetOutput()->GetBufferPointer()[i] = random() % 3 == 0 ? 1 : 0;
    }
  }
};

TEST(CudaConnectedComponentsLabelMapFilter, ReadsOnlyTheRegionOfTheMap)
{
  using ImageType = itk::Image<short, 3>;
  std::vector<LargerBufferSource::Pointer> sources; // an image has no source any more if the source is destroyed
  ExpectSameAsItk<ImageType, PlainMap<itk::SizeValueType, 3>>([&](auto & each) {
    sources.push_back(LargerBufferSource::New());
    each.SetInput(sources.back()->GetOutput());
    each.SetInputForegroundValue(1);
  });
}

TEST(CudaConnectedComponentsLabelMapFilter, HandlesRegionsWithoutPixels)
{
  using ImageType = itk::Image<short, 3>;
  using FourType = itk::Image<unsigned char, 4>;
  auto filter = itk::CudaBinaryImageToLabelMapFilter<ImageType>::New();
  auto filter4 = itk::CudaBinaryImageToLabelMapFilter<FourType, PlainMap<unsigned char, 4>>::New();
  for (const ImageType::SizeType & size :
       std::vector<ImageType::SizeType>{ { { 0, 5, 6 } }, { { 5, 0, 6 } }, { { 5, 6, 0 } }, { { 0, 0, 0 } } })
  {
    filter->SetInput(MakePixels<ImageType>(size, { 1 }));
    filter->SetInputForegroundValue(1);
    filter->Update();
    EXPECT_EQ(filter->GetNumberOfObjects(), 0U);
    EXPECT_EQ(filter->GetOutput()->GetNumberOfLabelObjects(), 0U);
    ExpectProgressWithoutLabels(*filter);
  }
  filter4->SetInput(MakePixels<FourType>({ { 5, 6, 7, 0 } }, { 1 }));
  filter4->SetInputForegroundValue(1);
  filter4->Update();
  EXPECT_EQ(filter4->GetNumberOfObjects(), 0U);
  ExpectProgressWithoutLabels(*filter4);
}

TEST(CudaConnectedComponentsLabelMapFilter, RemovesTheObjectsOfTheLastRun)
{
  using ImageType = itk::Image<unsigned char, 2>;
  using MapType = PlainMap<itk::SizeValueType, 2>;
  auto filter = itk::CudaBinaryImageToLabelMapFilter<ImageType, MapType>::New();
  filter->SetInputForegroundValue(1);
  filter->SetOutputBackgroundValue(3);
  for (const unsigned int objects : { 300U, 4U, 0U, 20000U, 7U })
  {
    filter->SetInput(MakeSpecks<ImageType>(objects + 1));
    filter->Update();
    filter->SetOutputBackgroundValue(0);
    EXPECT_EQ(filter->GetNumberOfObjects(), objects + 1);
    EXPECT_EQ(filter->GetOutput()->GetNumberOfLabelObjects(), objects + 1);
  }
}

TEST(CudaConnectedComponentsLabelMapFilter, HasTheSameObjectsForRandomSettings)
{
  std::mt19937 random(Seed);
  for (int i = 0; i < 60; ++i)
  {
    const unsigned int seed = random();
    const unsigned int density = 1 + random() % 99;
    const unsigned int granularity = 1 + random() % 4;
    const short        foreground = static_cast<short>(random() % 3);
    const short        background = static_cast<short>(static_cast<int>(random() % 40) - 10);
    SCOPED_TRACE(testing::Message() << "seed " << seed << ", density " << density << ", granularity " << granularity
                                    << ", foreground " << foreground << ", background " << background);
    const auto side = [&random](unsigned int maximum) { return 1 + random() % maximum; };
    if (i % 2 == 0)
    {
      using ImageType = itk::Image<short, 2>;
      const TestImage noise = MakeRandom({ side(200), side(200), 1 }, density, granularity, seed);
      ExpectSameForImage<PlainMap<short, 2>>(MakeItkImage<ImageType>(noise, 2).GetPointer(), foreground, background);
    }
    else
    {
      using ImageType = itk::Image<unsigned char, 3>;
      const TestImage noise = MakeRandom({ side(70), side(30), side(30) }, density, granularity, seed);
      const auto      image = MakeItkImage<ImageType>(noise, 2);
      ExpectSameForImage<PlainMap<short, 3>>(image.GetPointer(), static_cast<unsigned char>(foreground), background);
    }
  }
}

TEST(CudaConnectedComponentsLabelMapFilter, MakesLargeMaps)
{
  // One giant object and very many small objects.
  using ImageType = itk::Image<unsigned char, 3>;
  const auto image = MakeItkImage<ImageType>(MakeRandom({ 120, 80, 60 }, 40, 1, Seed));
  ExpectSameForImage<PlainMap<itk::SizeValueType, 3>>(image.GetPointer(), 1);
}

/** Reads pixels. Reading a pixel with the value 200 throws. */
class ThrowingAccessor
{
public:
  using InternalType = unsigned char;
  using ExternalType = unsigned char;

  static ExternalType
  Get(const InternalType & pixel)
  {
    if (pixel == 200)
    {
      throw Alien{ 2 };
    }
    return pixel;
  }
};

TEST(CudaConnectedComponentsLabelMapFilter, ReadsAdaptorsAndPassesTheirExceptions)
{
  using ImageType = itk::Image<unsigned char, 3>;
  using AdaptorType = itk::ImageAdaptor<ImageType, ThrowingAccessor>;
  const auto image = MakePixels<ImageType>({ { 61, 53, 31 } }, { 1, 0, 0 });
  auto       adaptor = AdaptorType::New();
  adaptor->SetImage(image);
  auto filter = ExpectSameForImage<PlainMap<itk::SizeValueType, 3>>(adaptor.GetPointer(), 1);
  filter->GPUEnabledOn();
  filter->CPUFallbackOn();
  const auto pixel = image->GetBufferPointer() + 61 * 53 * 30;
  *pixel = 200;
  filter->Modified();
  EXPECT_THROW(filter->Update(), Alien);
  EXPECT_EQ(filter->GetBackendUsed(), BackendEnum::Unknown);
  *pixel = 0;
  filter->Modified();
  EXPECT_EQ(ExceptionOf(*filter), "");
}

TEST(CudaConnectedComponentsLabelMapFilter, CanBeAborted)
{
  using ImageType = itk::Image<short, 3>;
  const auto image = MakePixels<ImageType>({ { 60, 50, 40 } }, { 1, 0 });
  auto       filter = itk::CudaBinaryImageToLabelMapFilter<ImageType>::New();
  filter->SetInput(image);
  filter->SetInputForegroundValue(1);
  auto               command = itk::FunctionCommand::New();
  std::vector<float> progresses;
  command->SetCallback([&](const itk::EventObject &) {
    progresses.push_back(filter->GetProgress());
    if (progresses.size() == 2)
    {
      filter->AbortGenerateDataOn();
    }
  });
  filter->AddObserver(itk::ProgressEvent(), command);
  EXPECT_EQ(ExceptionOf(*filter), "ProcessAborted: Object CudaBinaryImageToLabelMapFilter: AbortGenerateDataOn");
  EXPECT_EQ(progresses.size(), 2U);
  EXPECT_EQ(filter->GetBackendUsed(), BackendEnum::Unknown);

  filter->AbortGenerateDataOff();
  filter->Modified();
  EXPECT_EQ(ExceptionOf(*filter), "");
  EXPECT_GT(filter->GetOutput()->GetNumberOfLabelObjects(), 0U);
  EXPECT_TRUE(std::is_sorted(progresses.begin() + 2, progresses.end()));
  EXPECT_EQ(progresses.back(), 1.0F);
}

TEST(CudaConnectedComponentsLabelMapFilter, RecoversFromExceptions)
{
  using ImageType = itk::Image<unsigned char, 3>;
  using MapType = PlainMap<itk::SizeValueType, 3>;
  ExpectRecoveries<itk::CudaBinaryImageToLabelMapFilter<ImageType, MapType>>(
    [](auto & filter) { filter.SetInputForegroundValue(1); }, ExpectSameMaps<MapType>);
}

TEST(CudaConnectedComponentsLabelMapFilter, SaysWhyItUsesTheCPU)
{
  using ImageType = itk::Image<short, 3>;
  auto filter = itk::CudaBinaryImageToLabelMapFilter<ImageType>::New();
  filter->SetInputForegroundValue(1);
  filter->SetInput(MakePixels<ImageType>({ { 10, 10, 10 } }, { 1, 0 }));
  filter->Update();
  EXPECT_EQ(filter->GetFallbackReason(), "the CPU labels 1000 pixels sooner");
  filter->SetInput(MakePixels<ImageType>({ { 40, 40, 40 } }, { 1, 0 }));
  filter->SetDeviceId(1000);
  filter->Update();
  EXPECT_EQ(filter->GetBackendUsed(), BackendEnum::CPU);
  EXPECT_NE(filter->GetFallbackReason(), "");
  filter->CPUFallbackOff();
  EXPECT_NE(ExceptionOf(*filter).find("The GPU cannot be used, and CPUFallback is off: "), std::string::npos);
  filter->GPUEnabledOff();
  EXPECT_EQ(ExceptionOf(*filter), "");
  EXPECT_EQ(filter->GetFallbackReason(), "");
}

TEST(CudaConnectedComponentsLabelMapFilter, Prints)
{
  using ImageType = itk::Image<short, 3>;
  auto filter = itk::CudaBinaryImageToLabelMapFilter<ImageType>::New();
  filter->SetInput(MakeSpecks<ImageType>(17));
  filter->SetInputForegroundValue(1);
  filter->GPUEnabledOff();
  filter->Update();
  std::ostringstream text;
  filter->Print(text);
  for (const char * const line : { "InputForegroundValue: 1\n",
                                   "OutputBackgroundValue: 0\n",
                                   "Number of Objects: 17\n",
                                   "FullyConnected: Off\n",
                                   "GPUEnabled: Off\n",
                                   "CPUFallback: On\n",
                                   "LazyGPUStart: Off\n",
                                   "DeviceId: -1\n" })
  {
    EXPECT_NE(text.str().find(line), std::string::npos) << line << "is not in:\n" << text.str();
  }
}

TEST(CudaConnectedComponentsDivideComponents, GivesPartsOfSimilarSizes)
{
  using itk::CudaConnectedComponentsDetail::DivideComponents;
  using PartsType = std::vector<std::size_t>;
  EXPECT_EQ(DivideComponents({}, 16), PartsType{ 0 });
  EXPECT_EQ(DivideComponents({ 5 }, 16), (PartsType{ 0, 1 }));
  // A part of few small objects would not be worth a thread.
  EXPECT_EQ(DivideComponents(std::vector<std::uint64_t>(50, 1), 16), (PartsType{ 0, 50 }));
  EXPECT_EQ(DivideComponents({ 100, 1000000000, 100, 900000000, 5 }, 16), (PartsType{ 0, 2, 4, 5 }));
  for (const std::uint64_t maximum : { 1, 2, 7, 16 })
  {
    const PartsType parts = DivideComponents(std::vector<std::uint64_t>(100001, 3), maximum);
    ASSERT_EQ(parts.size(), maximum + 1);
    EXPECT_EQ(parts.front(), 0U);
    EXPECT_EQ(parts.back(), 100001U);
    for (std::size_t i = 0; i < maximum; ++i)
    {
      EXPECT_NEAR(static_cast<double>(parts[i + 1] - parts[i]), 100001.0 / static_cast<double>(maximum), 20.0);
    }
  }
}

} // namespace binary_map_test
