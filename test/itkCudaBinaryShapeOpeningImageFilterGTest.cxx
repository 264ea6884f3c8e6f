// SPDX-License-Identifier: Apache-2.0

// Tests of the filters that remove objects by their number of pixels or by their position, against ITK's filters.

#include "MaskFilterTestSupport.h"
#include "TestTypes.h"

#include "itkCudaBinaryGrindPeakImageFilter.h"
#include "itkCudaBinaryShapeOpeningImageFilter.h"

namespace opening_test
{

constexpr unsigned int Seed = 20270411;

using Attributes = itk::ShapeLabelObject<itk::SizeValueType, 3>; // the numbers do not depend on the dimension

const double NaN = std::numeric_limits<double>::quiet_NaN();
const double Infinity = std::numeric_limits<double>::infinity();

/** The settings of a filter that removes objects by an attribute. */
struct Opening
{
  double       lambda;
  bool         reverse = false;
  unsigned int attribute = Attributes::NUMBER_OF_PIXELS;
  bool         fullyConnected = false;

  template <typename TFilter>
  void
  operator()(TFilter & filter) const
  {
    filter.SetLambda(lambda);
    filter.SetReverseOrdering(reverse);
    filter.SetAttribute(attribute);
    filter.SetFullyConnected(fullyConnected);
  }

  bool
  IsOnlyByITK() const
  {
    return attribute == Attributes::NUMBER_OF_PIXELS_ON_BORDER && (reverse ? lambda >= 1 : lambda > 1);
  }

  friend std::ostream &
  operator<<(std::ostream & os, const Opening & opening)
  {
    return os << "seed " << Seed << ", Lambda " << opening.lambda << ", reverse " << opening.reverse << ", attribute "
              << opening.attribute << ", fully connected " << opening.fullyConnected;
  }
};

/** Compares a filter with its superclass in ITK. Returns the number of pixels that the filter changes. */
template <typename TFilter, typename TItkFilter, typename TImage, typename TSetUp>
std::size_t
ExpectSame(TImage *                   image,
           typename TImage::PixelType foreground,
           typename TImage::PixelType background,
           const TSetUp &             setUp,
           bool                       isOnlyByITK = false)
{
  const auto expected = TItkFilter::New();
  const auto filter = TFilter::New();
  EXPECT_STREQ(expected->GetNameOfClass(), std::string(filter->GetNameOfClass()).substr(4).c_str());
  const auto setAll = [&](auto & each) {
    each.SetInput(image);
    each.SetForegroundValue(foreground);
    each.SetBackgroundValue(background);
    setUp(each);
  };
  setAll(*expected);
  setAll(*filter);
  expected->Update();
  ExpectOutput(*filter, expected->GetOutput(), isOnlyByITK || TImage::ImageDimension > 3);
  std::size_t changed = 0;
  for (std::size_t i = 0; i < image->GetBufferedRegion().GetNumberOfPixels(); ++i)
  {
    changed += expected->GetOutput()->GetBufferPointer()[i] != image->GetBufferPointer()[i] ? 1 : 0;
  }
  return changed;
}

template <typename TImage>
std::size_t
ExpectSameOpening(TImage *                   image,
                  typename TImage::PixelType foreground,
                  typename TImage::PixelType background,
                  const Opening &            opening)
{
  SCOPED_TRACE(opening);
  return ExpectSame<itk::CudaBinaryShapeOpeningImageFilter<TImage>, itk::BinaryShapeOpeningImageFilter<TImage>>(
    image, foreground, background, opening, opening.IsOnlyByITK());
}

template <typename TImage>
std::size_t
ExpectSameGrindPeak(TImage * image, typename TImage::PixelType foreground, typename TImage::PixelType background)
{
  std::size_t changed = 0;
  for (const bool fullyConnected : { false, true })
  {
    SCOPED_TRACE(testing::Message() << "seed " << Seed << ", fully connected " << fullyConnected);
    changed += ExpectSame<itk::CudaBinaryGrindPeakImageFilter<TImage>, itk::BinaryGrindPeakImageFilter<TImage>>(
      image, foreground, background, [fullyConnected](auto & filter) { filter.SetFullyConnected(fullyConnected); });
  }
  return changed;
}

/** Compares both filters with ITK's, for conditions that the module's own code checks and others.
 * \return the number of pixels that the filters change */
template <typename TImage>
std::size_t
ExpectSameAsItk(TImage * image, typename TImage::PixelType foreground, typename TImage::PixelType background)
{
  std::size_t changed = ExpectSameGrindPeak(image, foreground, background);
  for (const bool fullyConnected : { false, true })
  {
    for (const bool reverse : { false, true })
    {
      for (const double lambda : { NaN, -0.5, 0.0, 0.5, 1.0, 1.5, 4.0, 1e30 })
      {
        for (const unsigned int attribute : { Attributes::NUMBER_OF_PIXELS, Attributes::NUMBER_OF_PIXELS_ON_BORDER })
        {
          changed += ExpectSameOpening(image, foreground, background, { lambda, reverse, attribute, fullyConnected });
          if (testing::Test::HasFailure())
          {
            return changed;
          }
        }
      }
    }
  }
  return changed;
}

template <typename TImage>
class CudaConnectedComponentsOpeningImages : public testing::Test
{};

// A type of each width. KeepNObjectsPixels has all types of pixels.
using ImageTypes = TestTypes<itk::Image<unsigned char, 3>,
                             itk::Image<short, 3>,
                             itk::Image<float, 2>,
                             itk::Image<unsigned char, 2>,
                             itk::Image<std::uint64_t, 3>>;
TYPED_TEST_SUITE(CudaConnectedComponentsOpeningImages, ImageTypes, );

TYPED_TEST(CudaConnectedComponentsOpeningImages, NoiseMatchesItk)
{
  using SizeType = typename TypeParam::SizeType;
  SizeType size;
  size.Fill(TypeParam::ImageDimension == 2 ? 21 : 8);
  size[0] = 37;
  const auto image = MakeValues<TypeParam>(size, { 0, 0, 0, 1, 1, 100 }, Seed);
  EXPECT_GT(ExpectSameAsItk(image.GetPointer(), 1, 0), 1000U);
  // Removed pixels get a value that is neither the value of the background nor another value.
  EXPECT_GT(ExpectSameGrindPeak(image.GetPointer(), 0, 7), 10U);
}

TEST(CudaConnectedComponentsOpening, ShapesMatchItk)
{
  using ImageType = itk::Image<unsigned char, 3>;
  using PlaneType = itk::Image<unsigned char, 2>;
  std::size_t changed = 0;
  for (const TestImage & shape : MakeShapes())
  {
    if (shape.pixels.empty() || shape.pixels.size() > 3000)
    {
      continue;
    }
    SCOPED_TRACE(shape.name);
    const auto check = [&changed](auto image) {
      changed += ExpectSameGrindPeak(image.GetPointer(), 1, 0);
      for (const bool fullyConnected : { false, true })
      {
        changed += ExpectSameOpening(
          image.GetPointer(), 1, 0, { 0.0, true, Attributes::NUMBER_OF_PIXELS_ON_BORDER, fullyConnected });
        changed += ExpectSameOpening(
          image.GetPointer(), 1, 0, { 3.0, fullyConnected, Attributes::NUMBER_OF_PIXELS, fullyConnected });
      }
    };
    check(MakeItkImage<ImageType>(shape));
    if (shape.size[2] == 1)
    {
      check(MakeItkImage<PlaneType>(shape));
    }
    if (HasFailure())
    {
      return;
    }
  }
  EXPECT_GT(changed, 1000U);
}

TEST(CudaConnectedComponentsOpening, ThinImagesLieOnTheBorder)
{
  using ImageType = itk::Image<unsigned char, 3>;
  for (const ImageType::SizeType & size :
       { ImageType::SizeType{ { 1, 20, 9 } }, { { 20, 2, 9 } }, { { 20, 9, 1 } }, { { 3, 3, 3 } }, { { 40, 3, 3 } } })
  {
    SCOPED_TRACE(size);
    ExpectSameAsItk(MakeValues<ImageType>(size, { 0, 1, 3 }, Seed + 1).GetPointer(), 1, 0);
  }
}

TEST(CudaConnectedComponentsOpening, SpecialValuesMatchItk)
{
  using ImageType = itk::Image<float, 2>;
  const auto nan = static_cast<float>(NaN);
  const auto image = MakeValues<ImageType>({ { 37, 21 } }, { 0.0F, -0.0F, 0.0F, 1.0F, nan }, Seed + 2);
  for (const float foreground : { 0.0F, -0.0F, 1.0F, nan })
  {
    for (const float background : { -0.0F, 2.0F, nan })
    {
      SCOPED_TRACE(testing::Message() << "foreground " << foreground << ", background " << background);
      ExpectSameGrindPeak(image.GetPointer(), foreground, background);
      for (const Opening & opening : { Opening{ 0.0 }, { 3.0 }, { 3.0, true }, { 0.0, true } })
      {
        ExpectSameOpening(image.GetPointer(), foreground, background, opening);
      }
    }
  }
}

TEST(CudaConnectedComponentsOpening, LimitsAreExact)
{
  using ImageType = itk::Image<unsigned char, 2>;
  const auto image = MakeValues<ImageType>({ { 37, 21 } }, { 0, 0, 1 }, Seed + 3);
  for (const double size : { 1.0, 2.0, 3.0, 777.0 })
  {
    for (const double lambda : { size, std::nextafter(size, 0.0), std::nextafter(size, 1e9) })
    {
      ExpectSameOpening(image.GetPointer(), 1, 0, { lambda });
      ExpectSameOpening(image.GetPointer(), 1, 0, { lambda, true });
    }
  }
  for (const double lambda : { 9223372036854775808.0, 18446744073709551616.0, Infinity, -Infinity })
  {
    for (const unsigned int attribute : { Attributes::NUMBER_OF_PIXELS, Attributes::NUMBER_OF_PIXELS_ON_BORDER })
    {
      ExpectSameOpening(image.GetPointer(), 1, 0, { lambda, false, attribute });
      ExpectSameOpening(image.GetPointer(), 1, 0, { lambda, true, attribute });
    }
  }
}

TEST(CudaConnectedComponentsOpening, LargeImagesMatchItk)
{
  using ImageType = itk::Image<short, 3>;
  const auto image = MakeLargeImage<ImageType>(1);
  ExpectSameGrindPeak(image.GetPointer(), 1, 0);
  EXPECT_GT(ExpectSameOpening(image.GetPointer(), 1, 0, { 60000.0 }), 0U);
}

TEST(CudaConnectedComponentsOpening, LeavesOtherAttributesAndImagesToTheSuperclass)
{
  const auto check = [](auto * image, const Opening & opening, const std::string & reason) {
    using ImageType = std::remove_pointer_t<decltype(image)>;
    SCOPED_TRACE(opening);
    const auto expected = itk::BinaryShapeOpeningImageFilter<ImageType>::New();
    const auto filter = itk::CudaBinaryShapeOpeningImageFilter<ImageType>::New();
    const auto setAll = [&](auto & each) {
      each.SetInput(image);
      each.SetForegroundValue(1);
      opening(each);
    };
    setAll(*expected);
    setAll(*filter);
    expected->Update();
    EXPECT_EQ(ExceptionOf(*filter), "");
    ExpectSameImages<ImageType>(filter->GetOutput(), expected->GetOutput());
    EXPECT_EQ(filter->GetBackendUsed(), BackendEnum::ITK);
    EXPECT_EQ(filter->GetFallbackReason(), reason);
    filter->CPUFallbackOff();
    filter->Modified();
    EXPECT_NE(ExceptionOf(*filter).find(reason), std::string::npos);
  };
  const auto image = MakeValues<itk::Image<unsigned char, 3>>({ { 30, 20, 10 } }, { 0, 0, 0, 0, 1, 3 }, Seed + 4);
  check(
    image.GetPointer(), { 1.5, false, Attributes::ELONGATION }, "the attribute Elongation is not supported on the GPU");
  check(image.GetPointer(),
        { 2.0, false, Attributes::NUMBER_OF_PIXELS_ON_BORDER },
        "the attribute NumberOfPixelsOnBorder with this Lambda is not supported on the GPU");
  const auto series = MakeValues<itk::Image<unsigned char, 4>>({ { 9, 5, 4, 3 } }, { 0, 0, 0, 1, 3 }, Seed + 5);
  check(series.GetPointer(), { 3.0 }, "dimension 4 is not supported on the GPU");
  const auto longDoubles = MakeValues<itk::Image<long double, 2>>({ { 30, 20 } }, { 0, 0, 1 }, Seed + 6);
  check(longDoubles.GetPointer(), { 3.0 }, "the type of the image is not supported on the GPU");
}

TEST(CudaConnectedComponentsOpening, SeriesMatchItk)
{
  using SeriesType = itk::Image<unsigned char, 4>;
  for (const SeriesType::SizeType & size : { SeriesType::SizeType{ { 9, 5, 4, 3 } }, { { 9, 5, 4, 2 } } })
  {
    SCOPED_TRACE(size);
    const auto series = MakeValues<SeriesType>(size, { 0, 0, 0, 1, 3 }, Seed + 7);
    ExpectSameAsItk(series.GetPointer(), 1, 0);
  }
}

TEST(CudaConnectedComponentsOpening, ConditionsOfAllObjectsNeedNoGpu)
{
  using ImageType = itk::Image<unsigned char, 3>;
  const auto image = MakeValues<ImageType>({ { 40, 30, 20 } }, { 0, 1, 2 }, Seed + 8);
  for (const Opening & opening : { Opening{ 1.0 }, { 0.5, true }, { 1e30 } })
  {
    const auto filter = itk::CudaBinaryShapeOpeningImageFilter<ImageType>::New();
    filter->SetInput(image);
    filter->SetForegroundValue(1);
    opening(*filter);
    filter->SetDeviceId(1000);
    filter->CPUFallbackOff();
    EXPECT_EQ(ExceptionOf(*filter), "");
    EXPECT_EQ(filter->GetBackendUsed(), BackendEnum::CPU);
    ExpectProgressWithoutLabels(*filter);
  }
}

TEST(CudaConnectedComponentsOpening, DefaultsAreThoseOfItk)
{
  using ImageType = itk::Image<short, 3>;
  const auto check = [](auto filter, auto expected) {
    EXPECT_EQ(filter->GetForegroundValue(), expected->GetForegroundValue());
    EXPECT_EQ(filter->GetBackgroundValue(), expected->GetBackgroundValue());
    EXPECT_EQ(filter->GetFullyConnected(), expected->GetFullyConnected());
  };
  check(itk::CudaBinaryShapeOpeningImageFilter<ImageType>::New(), itk::BinaryShapeOpeningImageFilter<ImageType>::New());
  check(itk::CudaBinaryGrindPeakImageFilter<ImageType>::New(), itk::BinaryGrindPeakImageFilter<ImageType>::New());
}

const auto SetValues = [](auto & filter) {
  filter.SetForegroundValue(1);
  filter.SetBackgroundValue(0);
};
const auto SetUpOpening = [](auto & filter) {
  SetValues(filter);
  filter.SetLambda(4);
};

template <typename TImage>
using Opened = itk::CudaBinaryShapeOpeningImageFilter<TImage>;
template <typename TImage>
using Ground = itk::CudaBinaryGrindPeakImageFilter<TImage>;
using VolumeType = itk::Image<unsigned char, 3>;

TEST(CudaConnectedComponentsOpening, NeedsTheWholeInput)
{
  ExpectRegions<Opened<VolumeType>>(SetUpOpening);
  ExpectRegions<Ground<VolumeType>>(SetValues);
}

TEST(CudaConnectedComponentsOpening, SaysWhichBackend)
{
  ExpectBackendRules<Opened>(SetUpOpening);
  ExpectBackendRules<Ground>(SetValues);
}

TEST(CudaConnectedComponentsOpening, RecoversFromExceptions)
{
  ExpectRecoveries<Opened<VolumeType>>(SetUpOpening);
  ExpectRecoveries<Ground<VolumeType>>(SetValues);
}

TEST(CudaConnectedComponentsOpening, SameOnTheGpu)
{
  SKIP_WITHOUT_DEVICE();
  ExpectSameOnDevice<Opened<VolumeType>>(SetUpOpening);
  ExpectSameOnDevice<Ground<VolumeType>>(SetValues);
}

TEST(CudaConnectedComponentsOpening, PrintsItsSettings)
{
  const auto         filter = Opened<VolumeType>::New();
  std::ostringstream text;
  filter->SetLambda(12.5);
  filter->Print(text);
  EXPECT_NE(text.str().find("Lambda: 12.5"), std::string::npos) << text.str();
  EXPECT_NE(text.str().find("BackendUsed: "), std::string::npos) << text.str();
}

} // namespace opening_test
