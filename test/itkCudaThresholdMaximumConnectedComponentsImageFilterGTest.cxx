// SPDX-License-Identifier: Apache-2.0

// Tests of the filter that finds the threshold with the most objects, against ITK's filter.

#include "MaskFilterTestSupport.h"
#include "TestTypes.h"

#include "itkCastImageFilter.h"
#include "itkCudaThresholdMaximumConnectedComponentsImageFilter.h"

#include <cmath>
#include <limits>
#include <random>

namespace threshold_maximum_test
{

constexpr unsigned int Seed = 20280611;

/** Makes an image of blurred noise, with pixels between two values. */
template <typename TImage>
typename TImage::Pointer
MakeLandscape(const typename TImage::SizeType & size, double lowest, double highest, unsigned int seed)
{
  auto                image = MakeValues<TImage>(size, { 0 }, seed);
  const auto          region = image->GetLargestPossibleRegion();
  std::mt19937        random(seed);
  std::vector<double> peaks;
  for (int i = 0; i < 500; ++i)
  {
    peaks.push_back(static_cast<double>(random()) / 4294967295.0);
  }
  for (itk::ImageRegionIteratorWithIndex<TImage> it(image, region); !it.IsAtEnd(); ++it)
  {
    // Squares of 3 x 3 pixels with heights, on a rough floor.
    std::size_t square = 0;
    bool        isEdge = false;
    for (unsigned int axis = 0; axis < TImage::ImageDimension; ++axis)
    {
      const auto x = static_cast<std::size_t>(it.GetIndex()[axis] - region.GetIndex(axis));
      square = square * 31 + x / 4;
      isEdge = isEdge || x % 4 == 3;
    }
    const double height = isEdge ? 0.3 * static_cast<double>(random()) / 4294967295.0 : peaks[square % peaks.size()];
    it.Set(static_cast<typename TImage::PixelType>(lowest + height * (highest - lowest)));
  }
  return image;
}

/** Expects the results of ITK's filter after an update of both. Updates our filter on the CPU and on the GPU. */
template <typename TInput, typename TOutput, typename TFilter>
void
ExpectSameResults(itk::ThresholdMaximumConnectedComponentsImageFilter<TInput, TOutput> & itks, TFilter & ours)
{
  const std::string expected = ExceptionOf(itks);
  if (!expected.empty())
  {
    EXPECT_NE(expected.find("Lower threshold cannot be greater than upper threshold."), std::string::npos);
    EXPECT_NE(ExceptionOf(ours).find("Lower threshold cannot be greater than upper threshold."), std::string::npos);
    return;
  }
  ExpectOutput(ours, itks.GetOutput());
  EXPECT_EQ(ours.GetThresholdValue(), itks.GetThresholdValue());
  EXPECT_EQ(ours.GetNumberOfObjects(), itks.GetNumberOfObjects());
}

template <typename TInput, typename TOutput, typename TSetUp>
itk::SizeValueType
ExpectSameAsItk(TInput * image, const TSetUp & setUp)
{
  const auto itks = itk::ThresholdMaximumConnectedComponentsImageFilter<TInput, TOutput>::New();
  const auto ours = itk::CudaThresholdMaximumConnectedComponentsImageFilter<TInput, TOutput>::New();
  EXPECT_STREQ(itks->GetNameOfClass(), "ThresholdMaximumConnectedComponentsImageFilter");
  itks->SetInput(image);
  ours->SetInput(image);
  setUp(*itks);
  setUp(*ours);
  SCOPED_TRACE(testing::Message() << "seed " << Seed);
  ExpectSameResults(*itks, *ours);
  return ours->GetNumberOfObjects();
}

template <typename TImages>
class CudaConnectedComponentsThresholdMaximumImages : public testing::Test
{};

template <typename TInputPixel, typename TOutputPixel, unsigned int VDimension>
struct Images
{
  using InputType = itk::Image<TInputPixel, VDimension>;
  using OutputType = itk::Image<TOutputPixel, VDimension>;
};
using ImageTypes = TestTypes<Images<short, unsigned char, 3>,
                             Images<float, unsigned char, 2>,
                             Images<unsigned char, unsigned char, 2>,
                             Images<signed char, signed char, 3>,
                             Images<unsigned short, unsigned short, 2>,
                             Images<int, short, 3>,
                             Images<unsigned int, float, 2>,
                             Images<long, unsigned char, 2>,
                             Images<unsigned long, unsigned char, 3>,
                             Images<char, char, 2>,
                             Images<double, unsigned char, 3>>;
TYPED_TEST_SUITE(CudaConnectedComponentsThresholdMaximumImages, ImageTypes, );

TYPED_TEST(CudaConnectedComponentsThresholdMaximumImages, MatchItk)
{
  using InputType = typename TypeParam::InputType;
  using OutputType = typename TypeParam::OutputType;
  using PixelType = typename InputType::PixelType;
  using OutputPixelType = typename OutputType::PixelType;
  typename InputType::SizeType size;
  size.Fill(InputType::ImageDimension == 2 ? 40 : 9);
  size[0] = 70;
  itk::SizeValueType objects = 0;
  for (const double highest : { 100.0, 1.0, 4.0 })
  {
    // Also negative values, if the type has them.
    for (const double lowest : { 0.0, 20.0, -100.0, -30.0 })
    {
      if (lowest < 0 && !std::numeric_limits<PixelType>::is_signed)
      {
        continue;
      }
      SCOPED_TRACE(testing::Message() << lowest << " to " << lowest + highest);
      const auto image = MakeLandscape<InputType>(size, lowest, lowest + highest, Seed);
      objects += ExpectSameAsItk<InputType, OutputType>(image, [](const auto &) {});
      objects += ExpectSameAsItk<InputType, OutputType>(image, [](auto & filter) {
        filter.SetMinimumObjectSizeInPixels(20);
        filter.SetInsideValue(5);
        filter.SetUpperBoundary(60);
      });
      for (const int inside : { 0, 7 })
      {
        for (const int outside : { 0, 3 })
        {
          ExpectSameAsItk<InputType, OutputType>(image, [&](auto & filter) {
            filter.SetInsideValue(static_cast<OutputPixelType>(inside));
            filter.SetOutsideValue(static_cast<OutputPixelType>(outside));
          });
        }
      }
    }
  }
  EXPECT_GT(objects, 100U);
}

using VolumeType = itk::Image<short, 3>;
using MaskType = itk::Image<unsigned char, 3>;
using FilterType = itk::CudaThresholdMaximumConnectedComponentsImageFilter<VolumeType, MaskType>;
using ItksType = itk::ThresholdMaximumConnectedComponentsImageFilter<VolumeType, MaskType>;

TEST(CudaConnectedComponentsThresholdMaximum, RandomNoiseMatchesItk)
{
  std::vector<short> values;
  std::mt19937       random(Seed);
  for (int i = 0; i < 50; ++i)
  {
    values.push_back(static_cast<short>(random()));
  }
  for (const VolumeType::SizeType size : { VolumeType::SizeType{ { 40, 25, 20 } },
                                           { { 1, 1, 1 } },
                                           { { 1, 90, 1 } },
                                           { { 1, 1, 90 } },
                                           { { 90, 1, 1 } },
                                           { { 1, 40, 9 } },
                                           { { 40, 1, 9 } },
                                           { { 40, 9, 1 } } })
  {
    SCOPED_TRACE(size);
    const auto image = MakeValues<VolumeType>(size, values, Seed);
    ExpectSameAsItk<VolumeType, MaskType>(image, [](const auto &) {});
    ExpectSameAsItk<VolumeType, MaskType>(image, [](auto & filter) { filter.SetUpperBoundary(-900); });
  }
}

TEST(CudaConnectedComponentsThresholdMaximum, SpecialNumbersMatchItk)
{
  using ImageType = itk::Image<float, 2>;
  using OutputType = itk::Image<unsigned char, 2>;
  using Limits = std::numeric_limits<float>;
  for (const std::vector<float> & values : { std::vector<float>{ Limits::quiet_NaN(), 1, 20, 30, 40 },
                                             { Limits::quiet_NaN() },
                                             { Limits::infinity(), 1, 50 },
                                             { -Limits::infinity(), 1, 50 },
                                             { -0.0F, 0.0F, 2.5F } })
  {
    ExpectSameAsItk<ImageType, OutputType>(MakeValues<ImageType>({ { 60, 50 } }, values, Seed), [](const auto &) {});
  }
}

TEST(CudaConnectedComponentsThresholdMaximum, EndlessSearchesThrow)
{
  using ImageType = itk::Image<float, 2>;
  // The higher the threshold, the more objects. So the search rises to the maximum, below which neighboring numbers
  // differ by 4.
  const auto         image = MakeValues<ImageType>({ { 300, 300 } }, { 0 }, Seed);
  std::mt19937       random(Seed);
  std::vector<float> values(40, 0.0F);
  for (int i = 25; i > 2; --i)
  {
    values.push_back(67108864.0F - std::ldexp(1.0F, i));
  }
  values.resize(90, 67108864.0F);
  std::generate_n(image->GetBufferPointer(), 90000, [&] { return values[random() % values.size()]; });
  const auto filter =
    itk::CudaThresholdMaximumConnectedComponentsImageFilter<ImageType, itk::Image<unsigned char, 2>>::New();
  filter->SetInput(image);
  const std::string exception = ExceptionOf(*filter);
  EXPECT_NE(exception.find("The search for the threshold does not end"), std::string::npos) << exception;
}

/** Expects the results before an update, and the number of objects of a run without a search, which is that of the run
 * before. */
template <typename TInput, typename TOutput>
void
ExpectThatResultsStay(const typename TInput::SizeType & size)
{
  const auto itks = itk::ThresholdMaximumConnectedComponentsImageFilter<TInput, TOutput>::New();
  const auto ours = itk::CudaThresholdMaximumConnectedComponentsImageFilter<TInput, TOutput>::New();
  const auto expectSame = [&] {
    EXPECT_EQ(ours->GetThresholdValue(), itks->GetThresholdValue());
    EXPECT_EQ(ours->GetNumberOfObjects(), itks->GetNumberOfObjects());
    const itk::ThresholdMaximumConnectedComponentsImageFilter<TInput, TOutput> & base = *ours;
    EXPECT_EQ(base.GetThresholdValue(), itks->GetThresholdValue());
    EXPECT_EQ(base.GetNumberOfObjects(), itks->GetNumberOfObjects());
  };
  expectSame();
  EXPECT_EQ(Comparable(ExceptionOf(*ours)), Comparable(ExceptionOf(*itks)));
  for (const double highest : { 100.0, 1.0, 50.0 })
  {
    const auto image = MakeLandscape<TInput>(size, 0.0, highest, Seed + 1);
    itks->SetInput(image);
    ours->SetInput(image);
    itks->Update();
    EXPECT_EQ(ExceptionOf(*ours), "");
    expectSame();
    EXPECT_GT(ours->GetNumberOfObjects(), 0U);
  }
  std::ostringstream printed;
  ours->Print(printed);
  const auto line = "  Threshold Value: " + std::to_string(ours->GetThresholdValue()) +
                    "\n  NumberOfObjects: " + std::to_string(ours->GetNumberOfObjects()) + "\n";
  EXPECT_NE(printed.str().find(line), std::string::npos) << printed.str();
}

using BytesType = itk::Image<unsigned char, 3>;
using SeriesType = itk::Image<unsigned char, 4>;

TEST(CudaConnectedComponentsThresholdMaximum, ResultsStayAsInItk)
{
  ExpectThatResultsStay<VolumeType, MaskType>({ { 40, 30, 20 } });
  ExpectThatResultsStay<SeriesType, SeriesType>({ { 40, 9, 6, 5 } });
}

/** Updates a filter whose output is requested in part, with a source that makes what is requested. */
template <typename TFilter, typename TImage>
void
UpdatePart(TFilter & filter, TImage * image, const typename TImage::RegionType & part)
{
  const auto source = itk::CastImageFilter<TImage, TImage>::New();
  source->InPlaceOff();
  source->SetInput(image);
  filter.SetInput(source->GetOutput());
  filter.UpdateOutputInformation();
  filter.GetOutput()->SetRequestedRegion(part);
  EXPECT_EQ(ExceptionOf(filter), "");
}

/** Expects that the filter searches between the extremes of the requested region, and gives all pixels, as ITK's
 * filter. The source is asked again for them. */
template <typename TImage>
void
ExpectSameForPart(itk::CudaThresholdMaximumConnectedComponentsImageFilter<TImage> & ours,
                  const typename TImage::SizeType &                                 size,
                  const typename TImage::SizeType &                                 partSize)
{
  const auto image = MakeLandscape<TImage>(size, 0.0, 100.0, Seed + 2);
  image->SetPixel(image->GetBufferedRegion().GetUpperIndex(), 250);
  const typename TImage::RegionType part(image->GetBufferedRegion().GetIndex(), partSize);
  const auto                        itks = itk::ThresholdMaximumConnectedComponentsImageFilter<TImage>::New();
  UpdatePart(*itks, image.GetPointer(), part);
  UpdatePart(ours, image.GetPointer(), part);
  EXPECT_GT(itks->GetNumberOfObjects(), 10U);
  EXPECT_NE(itks->GetOutput()->GetBufferedRegion(), part);
  ExpectSameBytes<TImage>(ours.GetOutput(), itks->GetOutput());
  EXPECT_EQ(ours.GetThresholdValue(), itks->GetThresholdValue());
  EXPECT_EQ(ours.GetNumberOfObjects(), itks->GetNumberOfObjects());
}

using BytesFilterType = itk::CudaThresholdMaximumConnectedComponentsImageFilter<BytesType>;
using SeriesFilterType = itk::CudaThresholdMaximumConnectedComponentsImageFilter<SeriesType>;

TEST(CudaConnectedComponentsThresholdMaximum, RequestedRegionsMatchItk)
{
  ExpectSameForPart<BytesType>(*BytesFilterType::New(), { { 40, 30, 20 } }, { { 40, 30, 5 } });
  ExpectSameForPart<SeriesType>(*SeriesFilterType::New(), { { 40, 6, 5, 4 } }, { { 40, 6, 5, 1 } });
}

TEST(CudaConnectedComponentsThresholdMaximum, RequestedRegionsMatchItkAfterAFallback)
{
  SKIP_WITHOUT_DEVICE();
  const auto filter = BytesFilterType::New();
  filter->SetDeviceMemoryLimit(1); // so that the GPU fails after the source was asked again
  ExpectSameForPart<BytesType>(*filter, { { 40, 30, 20 } }, { { 40, 30, 5 } });
  EXPECT_EQ(filter->GetBackendUsed(), BackendEnum::CPU);
}

TEST(CudaConnectedComponentsThresholdMaximum, ItkDoesOtherImages)
{
  const auto image = MakeLandscape<SeriesType>({ { 12, 11, 9, 8 } }, 0, 100, Seed + 3);
  const auto ours = itk::CudaThresholdMaximumConnectedComponentsImageFilter<SeriesType>::New();
  const auto itks = itk::ThresholdMaximumConnectedComponentsImageFilter<SeriesType>::New();
  const auto setUp = [&image](auto & filter) {
    filter.SetInput(image);
    filter.SetMinimumObjectSizeInPixels(3);
    filter.SetInsideValue(9);
    filter.SetOutsideValue(0);
    filter.SetUpperBoundary(90);
  };
  setUp(*ours);
  setUp(*itks);
  itks->Update();
  EXPECT_EQ(ExceptionOf(*ours), "");
  ExpectSameImages<SeriesType>(ours->GetOutput(), itks->GetOutput());
  EXPECT_EQ(ours->GetThresholdValue(), itks->GetThresholdValue());
  EXPECT_EQ(ours->GetNumberOfObjects(), itks->GetNumberOfObjects());
  EXPECT_GT(ours->GetNumberOfObjects(), 0U);
  EXPECT_EQ(ours->GetBackendUsed(), BackendEnum::ITK);
  EXPECT_EQ(ours->GetFallbackReason(), "dimension 4 is not supported on the GPU");
}

TEST(CudaConnectedComponentsThresholdMaximum, EmptyImageGivesEmptyImage)
{
  const auto image = VolumeType::New();
  image->SetRegions(VolumeType::SizeType{ { 0, 3, 2 } });
  image->Allocate();
  const auto filter = FilterType::New();
  filter->SetInput(image);
  filter->CPUFallbackOff();
  EXPECT_EQ(ExceptionOf(*filter), "");
  EXPECT_EQ(filter->GetOutput()->GetBufferedRegion().GetNumberOfPixels(), 0U);
  EXPECT_EQ(filter->GetBackendUsed(), BackendEnum::CPU);
}

TEST(CudaConnectedComponentsThresholdMaximum, RecoversFromExceptions)
{
  ExpectRecoveries<itk::CudaThresholdMaximumConnectedComponentsImageFilter<MaskType, MaskType>>([](const auto &) {});
}

TEST(CudaConnectedComponentsThresholdMaximum, SameOnTheGpu)
{
  SKIP_WITHOUT_DEVICE();
  const auto image = MakeLandscape<VolumeType>({ { 131, 67, 41 } }, 0.0, 100.0, Seed + 4);
  const auto filter = FilterType::New();
  filter->SetInput(image);
  filter->GPUEnabledOff();
  filter->Update();
  const auto threshold = filter->GetThresholdValue();
  const auto objects = filter->GetNumberOfObjects();
  filter->GPUEnabledOn();
  filter->CPUFallbackOff();
  filter->Update();
  EXPECT_EQ(filter->GetBackendUsed(), BackendEnum::CUDA);
  EXPECT_EQ(filter->GetThresholdValue(), threshold);
  EXPECT_EQ(filter->GetNumberOfObjects(), objects);
}

} // namespace threshold_maximum_test
