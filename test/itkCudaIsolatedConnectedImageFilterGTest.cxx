// SPDX-License-Identifier: Apache-2.0

// Tests of the filter that separates two regions by a threshold, against ITK's filter.

#include "MaskFilterTestSupport.h"
#include "TestTypes.h"

#include "itkCudaIsolatedConnectedImageFilter.h"

#include <limits>
#include <random>
#include <set>

namespace isolated_connected_test
{

constexpr unsigned int Seed = 20280702;

/** Makes an image of two regions of a size. The pixels between them have other values.
 * \param inside value of the pixels of both regions; they vary by 1
 * \param between value of the pixels between the regions
 * \param outside value of all other pixels */
template <typename TImage>
typename TImage::Pointer
MakeRegions(itk::SizeValueType size, int inside, int between, int outside)
{
  using PixelType = typename TImage::PixelType;
  typename TImage::SizeType imageSize;
  imageSize.Fill(size + 4);
  imageSize[0] = 2 * size + 7;
  const auto image = MakeValues<TImage>(imageSize, { static_cast<PixelType>(outside) }, Seed);
  for (itk::ImageRegionIteratorWithIndex<TImage> it(image, image->GetBufferedRegion()); !it.IsAtEnd(); ++it)
  {
    const auto index = it.GetIndex();
    bool       isInside = true;
    for (unsigned int axis = 1; axis < TImage::ImageDimension; ++axis)
    {
      const auto x = static_cast<itk::SizeValueType>(index[axis] + 3);
      isInside = isInside && x >= 2 && x < size + 2;
    }
    const auto x = static_cast<itk::SizeValueType>(index[0] + 3);
    if (isInside && x >= 2 && x < 2 * size + 5)
    {
      const bool isBetween = x >= size + 2 && x < size + 5;
      it.Set(static_cast<PixelType>(isBetween ? between : inside + index[0] % 2));
    }
  }
  return image;
}

/** Returns an index in the first region, or in the second. */
template <typename TImage>
typename TImage::IndexType
IndexIn(bool isSecond, itk::SizeValueType size)
{
  typename TImage::IndexType index;
  index.Fill(1);
  index[0] = isSecond ? static_cast<itk::IndexValueType>(size) + 4 : 0;
  return index;
}

/** Counts the steps that a filter announces, from now on. */
template <typename TFilter>
void
CountSteps(TFilter & filter, int & steps)
{
  filter.AddObserver(itk::IterationEvent(), [&steps](const itk::EventObject &) { ++steps; });
}

/** Compares with ITK's filter. Returns whether the thresholding has not failed.
 * \param setUp function that sets the values of a filter; called for both filters */
template <typename TInput, typename TOutput, typename TSetUp>
bool
ExpectSameAsItk(TInput * image, const TSetUp & setUp)
{
  const auto itks = itk::IsolatedConnectedImageFilter<TInput, TOutput>::New();
  const auto ours = itk::CudaIsolatedConnectedImageFilter<TInput, TOutput>::New();
  EXPECT_STREQ(itks->GetNameOfClass(), "IsolatedConnectedImageFilter");
  itks->SetInput(image);
  ours->SetInput(image);
  setUp(*itks);
  setUp(*ours);
  int itksSteps = 0;
  int oursSteps = 0;
  CountSteps(*itks, itksSteps);
  itks->Update();
  ExpectOutput(*ours, itks->GetOutput());
  CountSteps(*ours, oursSteps);
  ours->Modified();
  EXPECT_EQ(ExceptionOf(*ours), "");
  EXPECT_EQ(oursSteps, itksSteps);
  const itk::IsolatedConnectedImageFilter<TInput, TOutput> & base = *ours;
  EXPECT_EQ(base.GetIsolatedValue(), itks->GetIsolatedValue());
  EXPECT_EQ(base.GetThresholdingFailed(), itks->GetThresholdingFailed());
  return !ours->GetThresholdingFailed();
}

template <typename TImages>
class CudaConnectedComponentsIsolatedConnectedImages : public testing::Test
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
                             Images<int, float, 3>,
                             Images<unsigned int, short, 2>,
                             Images<char, char, 2>,
                             Images<double, unsigned char, 3>>;
TYPED_TEST_SUITE(CudaConnectedComponentsIsolatedConnectedImages, ImageTypes, );

TYPED_TEST(CudaConnectedComponentsIsolatedConnectedImages, MatchItk)
{
  using InputType = typename TypeParam::InputType;
  using OutputType = typename TypeParam::OutputType;
  using PixelType = typename InputType::PixelType;
  constexpr itk::SizeValueType size = 7;
  int                          separations = 0;
  for (const bool findsUpper : { true, false })
  {
    for (const int between : { 20, 40, 41, 60 })
    {
      const auto image = MakeRegions<InputType>(size, 40, between, findsUpper ? 100 : 3);
      for (const int tolerance : { 1, 5 })
      {
        for (const int replace : { 1, 0 })
        {
          SCOPED_TRACE(testing::Message() << "upper " << findsUpper << ", between " << between << ", tolerance "
                                          << tolerance << ", value " << replace);
          separations += ExpectSameAsItk<InputType, OutputType>(image, [&](auto & filter) {
            filter.SetFindUpperThreshold(findsUpper);
            filter.SetLower(static_cast<PixelType>(2));
            filter.SetUpper(static_cast<PixelType>(120));
            filter.SetIsolatedValueTolerance(static_cast<PixelType>(tolerance));
            filter.SetReplaceValue(static_cast<typename OutputType::PixelType>(replace));
            filter.AddSeed1(IndexIn<InputType>(false, size));
            filter.AddSeed1({ { 1, 0 } });
            filter.AddSeed2(IndexIn<InputType>(true, size));
            filter.AddSeed2(IndexIn<InputType>(true, size));
          });
        }
      }
    }
  }
  EXPECT_GT(separations, 4);
}

using VolumeType = itk::Image<short, 3>;
using MaskType = itk::Image<unsigned char, 3>;
using FilterType = itk::CudaIsolatedConnectedImageFilter<VolumeType, MaskType>;
using ItksType = itk::IsolatedConnectedImageFilter<VolumeType, MaskType>;

TEST(CudaConnectedComponentsIsolatedConnected, LargeRegionsMatchItk)
{
  // Two combs with more runs than a small region has. The pixels between them are brighter.
  using PlaneType = itk::Image<short, 2>;
  using PlaneMaskType = itk::Image<unsigned char, 2>;
  const auto image = MakeValues<PlaneType>({ { 343, 130 } }, { 100 }, Seed, 0);
  for (itk::ImageRegionIteratorWithIndex<PlaneType> it(image, image->GetBufferedRegion()); !it.IsAtEnd(); ++it)
  {
    const auto index = it.GetIndex();
    if (index[0] == 171)
    {
      it.Set(60);
    }
    else if (index[0] % 2 == 0 || index[1] == 64)
    {
      it.Set(40);
    }
  }
  EXPECT_TRUE((ExpectSameAsItk<PlaneType, PlaneMaskType>(image, [&](auto & filter) {
    filter.SetLower(0);
    filter.SetUpper(99);
    filter.AddSeed1({ { 0, 0 } });
    // The flood of ITK reaches the second one first.
    filter.AddSeed2({ { 342, 129 } });
    filter.AddSeed2({ { 172, 64 } });
  })));
}

TEST(CudaConnectedComponentsIsolatedConnected, RandomNoiseMatchesItk)
{
  std::vector<short> values;
  std::mt19937       random(Seed);
  for (int i = 0; i < 30; ++i)
  {
    values.push_back(static_cast<short>(random() % 400) - 200);
  }
  for (int run = 0; run < 12; ++run)
  {
    const auto image = MakeValues<VolumeType>({ { 20, 12, 9 } }, values, Seed + static_cast<unsigned int>(run));
    const auto randomIndex = [&random] {
      const auto next = [&random](unsigned int size) { return static_cast<itk::IndexValueType>(random() % size) - 3; };
      return VolumeType::IndexType{ { next(20), next(12), next(9) } };
    };
    const auto first = randomIndex();
    const auto second = randomIndex();
    const auto third = randomIndex();
    ExpectSameAsItk<VolumeType, MaskType>(image, [&](auto & filter) {
      filter.SetFindUpperThreshold(run % 2 == 0);
      filter.AddSeed1(first);
      filter.AddSeed2(second);
      filter.AddSeed2(third);
    });
  }
}

TEST(CudaConnectedComponentsIsolatedConnected, ExceptionsAreThoseOfItk)
{
  const auto itks = ItksType::New();
  const auto ours = FilterType::New();
  const auto expectSame = [&] { EXPECT_EQ(Comparable(ExceptionOf(*ours)), Comparable(ExceptionOf(*itks))); };
  expectSame();
  const auto setUp = [&](const auto & set) {
    set(*itks);
    set(*ours);
    expectSame();
  };
  const auto image = MakeRegions<VolumeType>(5, 40, 60, 100);
  setUp([&](auto & filter) { filter.SetInput(image); });
  setUp([](auto & filter) { filter.AddSeed1({ { 0, 0, 0 } }); });
  EXPECT_NE(ExceptionOf(*ours).find("Seeds2 container is empty"), std::string::npos);
  setUp([](auto & filter) { filter.AddSeed2({ { 9, 1, 1 } }); });
  // Once the thresholding has failed, the flag stays.
  setUp([](auto & filter) { filter.SetLower(45); });
  EXPECT_TRUE(itks->GetThresholdingFailed());
  EXPECT_TRUE(ours->GetThresholdingFailed());
  setUp([](auto & filter) { filter.SetLower(0); });
  EXPECT_EQ(ours->GetThresholdingFailed(), itks->GetThresholdingFailed());
  EXPECT_EQ(ours->GetIsolatedValue(), itks->GetIsolatedValue());
}

TEST(CudaConnectedComponentsIsolatedConnected, OtherSeedsAndEndlessSearches)
{
  const auto image = MakeRegions<VolumeType>(5, 40, 60, 100);
  const auto filter = FilterType::New();
  filter->SetInput(image);
  filter->AddSeed1({ { 0, 0, 0 } });
  filter->AddSeed2({ { 1000, 0, 0 } });
  EXPECT_EQ(ExceptionOf(*filter), "");
  EXPECT_FALSE(filter->GetThresholdingFailed());
  filter->AddSeed1({ { -1000, 0, 0 } });
  EXPECT_EQ(ExceptionOf(*filter), "");
  EXPECT_TRUE(filter->GetThresholdingFailed());
  // Both seeds are in one region for all thresholds. Half of -5 - 6 is rounded to -5.
  filter->SetSeed2({ { 0, 0, 0 } });
  filter->SetLower(-6);
  filter->SetUpper(41);
  filter->SetIsolatedValueTolerance(0);
  image->FillBuffer(-6);
  const std::string exception = ExceptionOf(*filter);
  EXPECT_NE(exception.find("The search for the threshold does not end"), std::string::npos) << exception;
}

TEST(CudaConnectedComponentsIsolatedConnected, ProgressRisesBetweenAllLimits)
{
  using ImageType = itk::Image<double, 2>;
  const auto filter = itk::CudaIsolatedConnectedImageFilter<ImageType, itk::Image<unsigned char, 2>>::New();
  filter->SetInput(MakeRegions<ImageType>(5, 40, 60, 100));
  filter->AddSeed1(IndexIn<ImageType>(false, 5));
  filter->AddSeed2(IndexIn<ImageType>(true, 5));
  std::set<float> progress;
  filter->AddObserver(itk::ProgressEvent(), [&](const itk::EventObject &) {
    EXPECT_TRUE(progress.empty() || *progress.rbegin() <= filter->GetProgress());
    progress.insert(filter->GetProgress());
  });
  EXPECT_EQ(ExceptionOf(*filter), ""); // the limits differ by infinity
  EXPECT_GT(progress.size(), 100U);
  EXPECT_EQ(*progress.rbegin(), 1.0F);
  progress.clear();
  filter->SetLower(0);
  filter->SetUpper(99);
  filter->SetIsolatedValueTolerance(0);
  EXPECT_NE(ExceptionOf(*filter), "");
  EXPECT_GT(progress.size(), 10U);
}

TEST(CudaConnectedComponentsIsolatedConnected, TheLastStepCannotBeAborted)
{
  const auto image = MakeRegions<VolumeType>(5, 40, 60, 100);
  const auto update = [&image](auto & filter, int abortsAt) {
    filter.SetInput(image);
    filter.SetSeed1(IndexIn<VolumeType>(false, 5));
    filter.SetSeed2(IndexIn<VolumeType>(true, 5));
    int  steps = 0;
    auto observer = filter.AddObserver(itk::IterationEvent(), [&](const itk::EventObject &) {
      if (++steps == abortsAt)
      {
        filter.AbortGenerateDataOn();
      }
    });
    filter.Modified();
    EXPECT_EQ(ExceptionOf(filter), "");
    filter.RemoveObserver(observer);
    return steps;
  };
  const auto itks = ItksType::New();
  const auto ours = FilterType::New();
  const int  steps = update(*itks, 0);
  EXPECT_GT(steps, 2);
  EXPECT_EQ(update(*itks, steps), steps);
  EXPECT_EQ(update(*ours, steps), steps);
  ExpectSameBytes<MaskType>(ours->GetOutput(), itks->GetOutput());
}

TEST(CudaConnectedComponentsIsolatedConnected, ItkDoesOtherImages)
{
  using SeriesType = itk::Image<unsigned char, 4>;
  const auto image = MakeRegions<SeriesType>(4, 40, 60, 100);
  const auto ours = itk::CudaIsolatedConnectedImageFilter<SeriesType, SeriesType>::New();
  const auto itks = itk::IsolatedConnectedImageFilter<SeriesType, SeriesType>::New();
  const auto setUp = [&image](auto & filter) {
    filter.SetInput(image);
    filter.SetReplaceValue(3);
    filter.SetLower(10);
    filter.SetUpper(90);
    filter.AddSeed1(IndexIn<SeriesType>(false, 4));
    filter.AddSeed2(IndexIn<SeriesType>(true, 4));
  };
  setUp(*ours);
  setUp(*itks);
  int itksSteps = 0;
  int oursSteps = 0;
  CountSteps(*itks, itksSteps);
  CountSteps(*ours, oursSteps);
  itks->Update();
  EXPECT_EQ(ExceptionOf(*ours), "");
  EXPECT_EQ(oursSteps, itksSteps);
  ExpectSameImages<SeriesType>(ours->GetOutput(), itks->GetOutput());
  EXPECT_EQ(ours->GetIsolatedValue(), itks->GetIsolatedValue());
  EXPECT_FALSE(ours->GetThresholdingFailed());
  EXPECT_EQ(ours->GetBackendUsed(), BackendEnum::ITK);
  EXPECT_EQ(ours->GetFallbackReason(), "dimension 4 is not supported on the GPU");
}

const auto SetSettings = [](auto & filter) {
  filter.AddSeed1({ { 2, 0, 1 } });
  filter.AddSeed2({ { 20, 10, 5 } });
};

TEST(CudaConnectedComponentsIsolatedConnected, NeedsTheWholeInput)
{
  ExpectRegions<itk::CudaIsolatedConnectedImageFilter<MaskType, MaskType>>(SetSettings);
}

TEST(CudaConnectedComponentsIsolatedConnected, RecoversFromExceptions)
{
  ExpectRecoveries<itk::CudaIsolatedConnectedImageFilter<MaskType, MaskType>>(SetSettings);
}

} // namespace isolated_connected_test
