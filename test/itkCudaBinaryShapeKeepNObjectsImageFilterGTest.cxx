// SPDX-License-Identifier: Apache-2.0

// Tests of the filter that replaces ITK's filter of the objects with the most pixels, against that filter.

#include "MaskFilterTestSupport.h"
#include "TestTypes.h"

#include "itkBinaryShapeKeepNObjectsImageFilter.h"
#include "itkCudaBinaryShapeKeepNObjectsImageFilter.h"

namespace shape_keep_test
{

constexpr unsigned int Seed = 20270314;

template <typename TFilter>
void
SetValues(TFilter &                   filter,
          typename TFilter::PixelType foreground,
          typename TFilter::PixelType background,
          itk::SizeValueType          number,
          bool                        fullyConnected,
          bool                        reverse)
{
  filter.SetForegroundValue(foreground);
  filter.SetBackgroundValue(background);
  filter.SetNumberOfObjects(number);
  filter.SetFullyConnected(fullyConnected);
  filter.SetReverseOrdering(reverse);
}

/** ITK's filter, with the name of the pixel type that ours has. */
template <typename TImage>
class ItkFilter : public itk::BinaryShapeKeepNObjectsImageFilter<TImage>
{
public:
  using Self = ItkFilter;
  using Pointer = itk::SmartPointer<Self>;
  using PixelType = typename TImage::PixelType;
  itkFactorylessNewMacro(Self);
};

/** Compares with ITK's filter for many numbers of objects, also where objects at the limit have the same size. */
template <typename TImage>
void
ExpectSameAsItk(TImage * image, typename TImage::PixelType foreground, typename TImage::PixelType background)
{
  for (const bool fullyConnected : { false, true })
  {
    const std::size_t count = Flood(*image, fullyConnected, [&](auto pixel) { return pixel == foreground; }).size();
    for (const itk::SizeValueType number : { std::size_t{ 0 },
                                             std::size_t{ 1 },
                                             std::size_t{ 2 },
                                             count / 3,
                                             count / 2,
                                             count - 1,
                                             count,
                                             ~std::size_t{} })
    {
      for (const bool reverse : { false, true })
      {
        SCOPED_TRACE(testing::Message() << "seed " << Seed << ", keep " << number << " of " << count
                                        << ", fully connected " << fullyConnected << ", reverse " << reverse);
        const auto expected = ItkFilter<TImage>::New();
        expected->SetInput(image);
        SetValues(*expected, foreground, background, number, fullyConnected, reverse);
        expected->Update();
        const auto filter = itk::CudaBinaryShapeKeepNObjectsImageFilter<TImage>::New();
        filter->SetInput(image);
        SetValues(*filter, foreground, background, number, fullyConnected, reverse);
        ExpectOutput(*filter, expected->GetOutput());
        if (testing::Test::HasFailure())
        {
          return;
        }
      }
    }
  }
}

template <typename TImage>
class CudaConnectedComponentsShapeKeepNObjectsImages : public testing::Test
{};

// A type of each width. KeepNObjectsPixels has all types of pixels.
using ImageTypes = TestTypes<itk::Image<unsigned char, 3>,
                             itk::Image<short, 3>,
                             itk::Image<float, 2>,
                             itk::Image<unsigned char, 2>,
                             itk::Image<std::uint64_t, 3>>;
TYPED_TEST_SUITE(CudaConnectedComponentsShapeKeepNObjectsImages, ImageTypes, );

// Most objects of noise have one or two pixels. So most limits have many objects of the same size.
TYPED_TEST(CudaConnectedComponentsShapeKeepNObjectsImages, MatchItkWithManyObjectsOfTheSameSize)
{
  if constexpr (TypeParam::ImageDimension == 2)
  {
    const auto plane = MakeValues<TypeParam>({ { 67, 41 } }, { 0, 0, 0, 1, 100 }, Seed);
    ExpectSameAsItk(plane.GetPointer(), 1, 0);
    ExpectSameAsItk(plane.GetPointer(), 0, 100);
  }
  else
  {
    const auto volume = MakeValues<TypeParam>({ { 35, 13, 9 } }, { 0, 0, 0, 0, 0, 0, 1, 1, 7 }, Seed + 1);
    ExpectSameAsItk(volume.GetPointer(), 1, 0);
    ExpectSameAsItk(volume.GetPointer(), 1, 7);
  }
}

TEST(CudaConnectedComponentsShapeKeepNObjects, ShapesMatchItk)
{
  using ImageType = itk::Image<unsigned char, 3>;
  for (const TestImage & shape : MakeShapes())
  {
    if (!shape.pixels.empty() && shape.pixels.size() <= 3000)
    {
      SCOPED_TRACE(shape.name);
      ExpectSameAsItk(MakeItkImage<ImageType>(shape).GetPointer(), 1, 0);
    }
  }
}

TEST(CudaConnectedComponentsShapeKeepNObjects, LeavesOtherAttributesAndImagesToTheSuperclass)
{
  const auto check = [](auto * image, const std::string & attribute, const std::string & reason) {
    using ImageType = std::remove_pointer_t<decltype(image)>;
    SCOPED_TRACE(attribute);
    const auto expected = ItkFilter<ImageType>::New();
    const auto filter = itk::CudaBinaryShapeKeepNObjectsImageFilter<ImageType>::New();
    expected->SetInput(image);
    filter->SetInput(image);
    SetValues(*expected, 1, 0, 3, true, false);
    SetValues(*filter, 1, 0, 3, true, false);
    expected->SetAttribute(attribute);
    filter->SetAttribute(attribute);
    expected->Update();
    EXPECT_EQ(ExceptionOf(*filter), "");
    ExpectSameImages<ImageType>(filter->GetOutput(), expected->GetOutput());
    EXPECT_EQ(filter->GetBackendUsed(), BackendEnum::ITK);
    EXPECT_EQ(filter->GetFallbackReason(), reason);
    filter->CPUFallbackOff();
    filter->Modified();
    EXPECT_NE(ExceptionOf(*filter).find(reason), std::string::npos);
  };
  const auto volume =
    MakeValues<itk::Image<unsigned char, 3>>({ { 30, 20, 10 } }, { 0, 0, 0, 0, 0, 0, 0, 0, 1, 3 }, Seed + 2);
  check(volume.GetPointer(), "Elongation", "the attribute Elongation is not supported on the GPU");
  check(volume.GetPointer(), "PhysicalSize", "the attribute PhysicalSize is not supported on the GPU");
  const auto itkImage = MakeValues<itk::Image<unsigned char, 4>>({ { 9, 5, 4, 3 } }, { 0, 0, 0, 1, 3 }, Seed + 3);
  check(itkImage.GetPointer(), "NumberOfPixels", "dimension 4 is not supported on the GPU");
}

const auto SetSettings = [](auto & filter) { SetValues(filter, 1, 0, 4, false, false); };

TEST(CudaConnectedComponentsShapeKeepNObjects, NeedsTheWholeInput)
{
  ExpectRegions<itk::CudaBinaryShapeKeepNObjectsImageFilter<itk::Image<unsigned char, 3>>>(SetSettings);
}

TEST(CudaConnectedComponentsShapeKeepNObjects, SaysWhichBackend)
{
  ExpectBackendRules<itk::CudaBinaryShapeKeepNObjectsImageFilter>(SetSettings);
}

TEST(CudaConnectedComponentsShapeKeepNObjects, NoObjectsNeedNoGpu)
{
  using ImageType = itk::Image<unsigned char, 3>;
  const auto image = MakeValues<ImageType>({ { 40, 30, 20 } }, { 0, 1, 2 }, Seed + 4);
  const auto filter = itk::CudaBinaryShapeKeepNObjectsImageFilter<ImageType>::New();
  filter->SetInput(image);
  SetValues(*filter, 1, 0, 0, false, false);
  filter->SetDeviceId(1000);
  filter->CPUFallbackOff();
  EXPECT_EQ(ExceptionOf(*filter), "");
  EXPECT_EQ(filter->GetBackendUsed(), BackendEnum::CPU);
  ExpectProgressWithoutLabels(*filter);
}

TEST(CudaConnectedComponentsShapeKeepNObjects, ProgressRises)
{
  using ImageType = itk::Image<unsigned char, 3>;
  const auto filter = itk::CudaBinaryShapeKeepNObjectsImageFilter<ImageType>::New();
  filter->SetInput(MakeValues<ImageType>({ { 40, 30, 20 } }, { 0, 1, 2 }, Seed + 5));
  SetSettings(*filter);
  std::vector<float> progress;
  filter->AddObserver(itk::ProgressEvent(),
                      [&](const itk::EventObject &) { progress.push_back(filter->GetProgress()); });
  filter->Update();
  EXPECT_TRUE(std::is_sorted(progress.begin(), progress.end()));
  ASSERT_GE(progress.size(), 4U);
  EXPECT_EQ(progress.back(), 1.0F);
}

TEST(CudaConnectedComponentsShapeKeepNObjects, RecoversFromExceptions)
{
  ExpectRecoveries<itk::CudaBinaryShapeKeepNObjectsImageFilter<itk::Image<unsigned char, 3>>>(SetSettings);
}

TEST(CudaConnectedComponentsShapeKeepNObjects, SameOnTheGpu)
{
  SKIP_WITHOUT_DEVICE();
  ExpectSameOnDevice<itk::CudaBinaryShapeKeepNObjectsImageFilter<itk::Image<unsigned char, 3>>>(SetSettings);
}

TEST(CudaConnectedComponentsShapeKeepNObjects, PrintsItsSettings)
{
  const auto         filter = itk::CudaBinaryShapeKeepNObjectsImageFilter<itk::Image<short, 3>>::New();
  std::ostringstream text;
  filter->SetNumberOfObjects(12);
  filter->Print(text);
  EXPECT_NE(text.str().find("NumberOfObjects: 12"), std::string::npos) << text.str();
  EXPECT_NE(text.str().find("BackendUsed: "), std::string::npos) << text.str();
  EXPECT_STREQ(filter->GetNameOfClass(), "CudaBinaryShapeKeepNObjectsImageFilter");
}

} // namespace shape_keep_test
