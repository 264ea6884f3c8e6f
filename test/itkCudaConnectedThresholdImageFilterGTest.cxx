// SPDX-License-Identifier: Apache-2.0

// Tests of the filter that grows a region from seeds, against ITK's filter.

#include "MaskFilterTestSupport.h"
#include "TestTypes.h"
#include "Watchdog.h"

#include "itkCudaConnectedThresholdImageFilter.h"
#include "itkPoolMultiThreader.h"
#include "itkSimpleDataObjectDecorator.h"

#include <limits>
#include <random>

namespace connected_threshold_test
{

using ConnectivityEnum = itk::ConnectedThresholdImageFilterEnums::Connectivity;
constexpr unsigned int Seed = 20280518;

/** Makes ITK's filter. */
template <typename TInput, typename TOutput>
typename itk::ConnectedThresholdImageFilter<TInput, TOutput>::Pointer
MakeItks()
{
  auto filter = itk::ConnectedThresholdImageFilter<TInput, TOutput>::New();
  EXPECT_STREQ(filter->GetNameOfClass(), "ConnectedThresholdImageFilter");
  return filter;
}

/** Compares with ITK's filter, for both connectivities, with the small regions of the calling thread and without them.
 * Returns the number of pixels of the regions of ITK.
 * \param setUp function that sets the values of a filter; called for both filters */
template <typename TInput, typename TOutput, typename TSetUp>
std::size_t
ExpectSameAsItk(TInput * image, const TSetUp & setUp)
{
  std::size_t count = 0;
  for (const auto connectivity : { ConnectivityEnum::FaceConnectivity, ConnectivityEnum::FullConnectivity })
  {
    SCOPED_TRACE(testing::Message() << "seed " << Seed << ", " << connectivity);
    const auto itks = MakeItks<TInput, TOutput>();
    const auto ours = itk::CudaConnectedThresholdImageFilter<TInput, TOutput>::New();
    setUp(*itks);
    setUp(*ours);
    itks->SetInput(image);
    ours->SetInput(image);
    itks->SetConnectivity(connectivity);
    ours->SetConnectivity(connectivity);
    itks->Update();
    const TOutput * const expected = itks->GetOutput();
    ExpectOutput(*ours, expected);
    // Without the CPU as fallback, no region is small.
    ours->GPUEnabledOff();
    ours->CPUFallbackOff();
    ours->Modified();
    EXPECT_EQ(ExceptionOf(*ours), "");
    ExpectSameBytes<TOutput>(ours->GetOutput(), expected);
    for (std::size_t i = 0; i < expected->GetBufferedRegion().GetNumberOfPixels(); ++i)
    {
      count += expected->GetBufferPointer()[i] != 0;
    }
  }
  return count;
}

/** Returns the index of a random pixel, or sometimes of one beside the image. */
template <typename TImage>
typename TImage::IndexType
RandomIndex(const TImage & image, std::mt19937 & random)
{
  const auto                 region = image.GetLargestPossibleRegion();
  typename TImage::IndexType index = region.GetIndex();
  for (unsigned int axis = 0; axis < TImage::ImageDimension; ++axis)
  {
    index[axis] += static_cast<itk::IndexValueType>(random() % (region.GetSize(axis) + 2)) - 1;
  }
  return index;
}

template <typename TImages>
class CudaConnectedComponentsConnectedThresholdImages : public testing::Test
{};

template <typename TInputPixel, typename TOutputPixel, unsigned int VDimension>
struct Images
{
  using InputType = itk::Image<TInputPixel, VDimension>;
  using OutputType = itk::Image<TOutputPixel, VDimension>;
};
using ImageTypes = TestTypes<Images<short, unsigned char, 3>,
                             Images<float, float, 2>,
                             Images<unsigned char, unsigned char, 2>,
                             Images<signed char, signed char, 3>,
                             Images<unsigned short, unsigned short, 2>,
                             Images<int, unsigned char, 3>,
                             Images<unsigned int, short, 2>,
                             Images<long, double, 3>,
                             Images<unsigned long, unsigned long, 2>,
                             Images<long long, unsigned char, 2>,
                             Images<unsigned long long, unsigned char, 3>,
                             Images<char, char, 2>,
                             Images<bool, bool, 2>,
                             Images<double, unsigned char, 3>>;
TYPED_TEST_SUITE(CudaConnectedComponentsConnectedThresholdImages, ImageTypes, );

TYPED_TEST(CudaConnectedComponentsConnectedThresholdImages, MatchItk)
{
  using InputType = typename TypeParam::InputType;
  using OutputType = typename TypeParam::OutputType;
  using PixelType = typename InputType::PixelType;
  using OutputPixelType = typename OutputType::PixelType;
  using Limits = std::numeric_limits<PixelType>;
  std::vector<PixelType> values(12, 1);
  values.insert(values.end(), { 0, 0, 0, 0, 0, static_cast<PixelType>(3), Limits::max(), Limits::lowest() });
  std::vector<PixelType> limits{ Limits::lowest(), 0, 1, static_cast<PixelType>(2), Limits::max() };
  if (Limits::has_quiet_NaN)
  {
    values.insert(values.end(), { Limits::quiet_NaN(), static_cast<PixelType>(-0.0), Limits::infinity() });
    limits.insert(limits.end(), { Limits::quiet_NaN(), static_cast<PixelType>(-0.0), Limits::infinity() });
  }
  typename InputType::SizeType size;
  size.Fill(InputType::ImageDimension == 2 ? 16 : 6);
  size[0] = 70;
  std::mt19937 random(Seed);
  const auto   image = MakeValues<InputType>(size, values, Seed);
  std::size_t  count = 0;
  for (const PixelType lower : limits)
  {
    for (const PixelType upper : limits) // also below the lower limit
    {
      SCOPED_TRACE(testing::Message() << "from " << +lower << " to " << +upper);
      std::vector<typename InputType::IndexType> seeds;
      for (int i = 0; i < 3; ++i)
      {
        seeds.push_back(RandomIndex(*image, random));
      }
      count += ExpectSameAsItk<InputType, OutputType>(image, [&](auto & filter) {
        filter.SetLower(lower);
        filter.SetUpper(upper);
        filter.SetReplaceValue(std::numeric_limits<OutputPixelType>::max());
        for (const auto & seed : seeds)
        {
          filter.AddSeed(seed);
        }
      });
      if (this->HasFailure())
      {
        return;
      }
    }
  }
  EXPECT_GT(count, 1000U);
}

using VolumeType = itk::Image<short, 3>;
using MaskType = itk::Image<unsigned char, 3>;
using FilterType = itk::CudaConnectedThresholdImageFilter<VolumeType, MaskType>;
using MaskFilterType = itk::CudaConnectedThresholdImageFilter<MaskType, MaskType>;

TEST(CudaConnectedComponentsConnectedThreshold, ShapesMatchItk)
{
  using PlaneType = itk::Image<unsigned char, 2>;
  std::mt19937 random(Seed);
  std::size_t  count = 0;
  for (const TestImage & shape : MakeShapes())
  {
    if (shape.pixels.empty() || shape.pixels.size() > 20000)
    {
      continue;
    }
    SCOPED_TRACE(shape.name);
    const auto compare = [&](auto image) {
      using ImageType = typename decltype(image)::ObjectType;
      const auto first = std::find(shape.pixels.begin(), shape.pixels.end(), 1) - shape.pixels.begin();
      const auto seed = image->ComputeIndex(first == static_cast<std::ptrdiff_t>(shape.pixels.size()) ? 0 : first);
      const auto other = RandomIndex(*image, random);
      for (const int lower : { 0, 1 })
      {
        count += ExpectSameAsItk<ImageType, ImageType>(image, [&](auto & filter) {
          filter.SetLower(static_cast<unsigned char>(lower));
          filter.SetUpper(static_cast<unsigned char>(lower));
          filter.SetSeed(lower == 1 ? seed : other);
        });
      }
    };
    compare(MakeItkImage<MaskType>(shape));
    if (shape.size[2] == 1)
    {
      compare(MakeItkImage<PlaneType>(shape));
    }
    if (HasFailure())
    {
      return;
    }
  }
  EXPECT_GT(count, 10000U);
}

TEST(CudaConnectedComponentsConnectedThreshold, ThinImagesMatchItk)
{
  std::mt19937 random(Seed);
  for (const MaskType::SizeType size : { MaskType::SizeType{ { 1, 1, 1 } },
                                         { { 1, 90, 1 } },
                                         { { 1, 1, 90 } },
                                         { { 90, 1, 1 } },
                                         { { 1, 40, 9 } },
                                         { { 40, 1, 9 } },
                                         { { 40, 9, 1 } },
                                         { { 32, 5, 4 } },
                                         { { 64, 2, 2 } } })
  {
    SCOPED_TRACE(size);
    const auto image = MakeValues<MaskType>(size, { 0, 1, 1, 1, 1 }, Seed + 1);
    ExpectSameAsItk<MaskType, MaskType>(image, [&](auto & filter) {
      filter.SetLower(1);
      for (int i = 0; i < 4; ++i)
      {
        filter.AddSeed(RandomIndex(*image, random));
      }
      random.seed(Seed);
    });
  }
  // Images of one dimension compile with ITK, too.
  using LineType = itk::Image<unsigned char, 1>;
  const auto line = MakeValues<LineType>({ { 300 } }, { 0, 1, 1, 1, 1, 1, 1, 1 }, Seed + 2);
  EXPECT_GT((ExpectSameAsItk<LineType, LineType>(line,
                                                 [](auto & filter) {
                                                   filter.SetLower(1);
                                                   filter.AddSeed({ { 20 } });
                                                   filter.AddSeed({ { 120 } });
                                                 })),
            0U);
}

/** Makes a volume of two boxes. The first has `size` rows of 12 pixels along y and along z. */
VolumeType::Pointer
MakeBoxes(itk::SizeValueType size)
{
  auto image = VolumeType::New();
  image->SetRegions(VolumeType::SizeType{ { 30, 110, 100 } });
  image->Allocate(true);
  for (itk::ImageRegionIteratorWithIndex<VolumeType> it(image, image->GetBufferedRegion()); !it.IsAtEnd(); ++it)
  {
    const auto index = it.GetIndex();
    const auto isInside = [&index](unsigned int axis, itk::SizeValueType length) {
      return index[axis] >= 5 && index[axis] < 5 + static_cast<itk::IndexValueType>(length);
    };
    const bool isInBox = isInside(0, 12) && isInside(1, size) && isInside(2, size);
    const bool isInOther = index[0] > 20 && index[1] > 100 && index[2] == 7;
    it.Set(isInBox ? 100 + index[0] % 2 : isInOther ? 100 : 0);
  }
  return image;
}

TEST(CudaConnectedComponentsConnectedThreshold, SmallRegionsAreForTheCpu)
{
  for (const bool isSmall : { true, false })
  {
    SCOPED_TRACE(isSmall);
    const auto image = MakeBoxes(isSmall ? 12 : 92);
    const auto ours = FilterType::New();
    const auto itks = MakeItks<VolumeType, MaskType>();
    const auto setUp = [&image](auto & filter) {
      filter.SetInput(image);
      filter.SetLower(100);
      filter.SetUpper(101);
      filter.SetSeed({ { 10, 10, 10 } });
    };
    setUp(*ours);
    setUp(*itks);
    itks->Update();
    EXPECT_EQ(ExceptionOf(*ours), "");
    ExpectSameBytes<MaskType>(ours->GetOutput(), itks->GetOutput());
    EXPECT_EQ(ours->GetBackendUsed(), isSmall ? BackendEnum::CPU : ExpectedBackend());
    EXPECT_EQ(ours->GetFallbackReason() == "the CPU does so little work sooner", isSmall);
    ours->GPUEnabledOff();
    EXPECT_EQ(ExceptionOf(*ours), "");
    EXPECT_EQ(ours->GetBackendUsed(), BackendEnum::CPU);
    EXPECT_EQ(ours->GetFallbackReason(), "");
    ours->GPUEnabledOn();
    ours->CPUFallbackOff();
    EXPECT_EQ(ExceptionOf(*ours).empty(), ExpectedBackend() == BackendEnum::CUDA);
    if (isSmall)
    {
      // It reports its progress, and can be aborted.
      ours->CPUFallbackOn();
      ExpectProgressWithoutLabels(*ours);
    }
  }
}

TEST(CudaConnectedComponentsConnectedThreshold, ThresholdsMayComeFromThePipeline)
{
  using PixelObjectType = FilterType::InputPixelObjectType;
  const auto image = MakeValues<VolumeType>({ { 30, 20, 10 } }, { 0, 1, 2, 3, 4 }, Seed + 3);
  const auto ours = FilterType::New();
  const auto itks = MakeItks<VolumeType, MaskType>();
  const auto lower = PixelObjectType::New();
  const auto upper = PixelObjectType::New();
  const auto setUp = [&](auto & filter) {
    filter.SetInput(image);
    filter.SetLowerInput(lower);
    filter.SetUpperInput(upper);
    for (itk::IndexValueType i = -3; i < 7; ++i)
    {
      filter.AddSeed({ { i, i, i } });
    }
  };
  setUp(*ours);
  setUp(*itks);
  upper->Set(4);
  for (const short value : { 1, 3, 5, 0 })
  {
    lower->Set(value);
    itks->Update();
    EXPECT_EQ(ExceptionOf(*ours), "");
    ExpectSameBytes<MaskType>(ours->GetOutput(), itks->GetOutput());
    EXPECT_EQ(ours->GetLower(), value);
  }
  // Without an object, both take the lowest value of the type for both limits.
  itks->SetUpperInput(nullptr);
  ours->SetUpperInput(nullptr);
  itks->Update();
  EXPECT_EQ(ExceptionOf(*ours), "");
  ExpectSameBytes<MaskType>(ours->GetOutput(), itks->GetOutput());
  EXPECT_EQ(ours->GetUpper(), itks->GetUpper());
  // An update without changes does nothing.
  const auto time = ours->GetOutput()->GetUpdateMTime();
  EXPECT_EQ(ExceptionOf(*ours), "");
  EXPECT_EQ(ours->GetOutput()->GetUpdateMTime(), time);
}

TEST(CudaConnectedComponentsConnectedThreshold, DefaultsAreThoseOfItk)
{
  const auto ours = FilterType::New();
  const auto itks = MakeItks<VolumeType, MaskType>();
  EXPECT_EQ(ours->GetLower(), itks->GetLower());
  EXPECT_EQ(ours->GetUpper(), itks->GetUpper());
  EXPECT_EQ(ours->GetReplaceValue(), itks->GetReplaceValue());
  EXPECT_EQ(ours->GetConnectivity(), itks->GetConnectivity());
  // Without an input, without seeds, with a value of 0, and with an unknown connectivity.
  EXPECT_EQ(Comparable(ExceptionOf(*ours)), Comparable(ExceptionOf(*itks)));
  const auto image = MakeValues<VolumeType>({ { 30, 20, 40 } }, { 0, 1 }, Seed + 4);
  const auto setUps = { std::function<void(itk::ConnectedThresholdImageFilter<VolumeType, MaskType> &)>(
                          [&](auto & filter) { filter.SetInput(image); }),
                        { [](auto & filter) { filter.SetSeed({ { 0, 0, 0 } }); } },
                        { [](auto & filter) { filter.SetReplaceValue(0); } },
                        { [](auto & filter) {
                          filter.SetReplaceValue(3);
                          filter.SetConnectivity(static_cast<ConnectivityEnum>(2));
                        } } };
  for (const auto & setUp : setUps)
  {
    setUp(*ours);
    setUp(*itks);
    itks->Update();
    EXPECT_EQ(ExceptionOf(*ours), "");
    ExpectSameBytes<MaskType>(ours->GetOutput(), itks->GetOutput());
  }
}

TEST(CudaConnectedComponentsConnectedThreshold, ItkDoesOtherImages)
{
  const auto check = [](auto * image, auto * output, const std::string & reason) {
    using InputType = std::remove_pointer_t<decltype(image)>;
    using OutputType = std::remove_pointer_t<decltype(output)>;
    const auto ours = itk::CudaConnectedThresholdImageFilter<InputType, OutputType>::New();
    const auto itks = MakeItks<InputType, OutputType>();
    const auto setUp = [image](auto & filter) {
      filter.SetInput(image);
      filter.SetLower(1);
      filter.SetConnectivity(ConnectivityEnum::FullConnectivity);
      filter.SetReplaceValue(3);
      typename InputType::IndexType index;
      index.Fill(0);
      filter.AddSeed(index);
      index.Fill(1);
      filter.AddSeed(index);
    };
    setUp(*ours);
    setUp(*itks);
    itks->Update();
    EXPECT_EQ(ExceptionOf(*ours), "");
    ExpectSameImages<OutputType>(ours->GetOutput(), itks->GetOutput());
    EXPECT_EQ(ours->GetBackendUsed(), BackendEnum::ITK);
    EXPECT_EQ(ours->GetFallbackReason(), reason);
    ours->CPUFallbackOff();
    EXPECT_NE(ExceptionOf(*ours).find(reason), std::string::npos);
  };
  using SeriesType = itk::Image<unsigned char, 4>;
  const std::string type = "the type of the image is not supported on the GPU";
  check(MakeValues<SeriesType>({ { 9, 8, 7, 6 } }, { 0, 1 }, Seed + 5).GetPointer(),
        SeriesType::New().GetPointer(),
        "dimension 4 is not supported on the GPU");
  if (sizeof(long double) > 8)
  {
    using LongType = itk::Image<long double, 2>;
    check(MakeValues<LongType>({ { 40, 31 } }, { 0, 1 }, Seed + 6).GetPointer(), LongType::New().GetPointer(), type);
  }
}

TEST(CudaConnectedComponentsConnectedThreshold, EmptyImageGivesEmptyImage)
{
  const auto check = [](auto * image) {
    using ImageType = std::remove_pointer_t<decltype(image)>;
    image->SetRegions(typename ImageType::SizeType{ { 0, 3 } });
    image->Allocate();
    const auto filter = itk::CudaConnectedThresholdImageFilter<ImageType, ImageType>::New();
    filter->SetInput(image);
    filter->AddSeed({ { 0, 0 } });
    filter->CPUFallbackOff();
    EXPECT_EQ(ExceptionOf(*filter), "");
    EXPECT_EQ(filter->GetOutput()->GetBufferedRegion().GetNumberOfPixels(), 0U);
    EXPECT_EQ(filter->GetBackendUsed(), BackendEnum::CPU);
    ExpectProgressWithoutLabels(*filter);
  };
  check(itk::Image<unsigned char, 2>::New().GetPointer());
  check(itk::Image<unsigned char, 4>::New().GetPointer());
}

/** Grows large regions. */
const auto SetSettings = [](auto & filter) {
  filter.SetLower(1);
  filter.CPUFallbackOff();
  filter.SetGPUEnabled(ExpectedBackend() == BackendEnum::CUDA);
  for (itk::IndexValueType i = -3; i < 17; ++i)
  {
    filter.AddSeed({ { i, i, i } });
  }
};

TEST(CudaConnectedComponentsConnectedThreshold, NeedsTheWholeInput)
{
  ExpectRegions<MaskFilterType>(SetSettings);
  ExpectRegions<MaskFilterType>([](auto & filter) {
    SetSettings(filter);
    filter.CPUFallbackOn();
  });
}

TEST(CudaConnectedComponentsConnectedThreshold, RecoversFromExceptions)
{
  ExpectRecoveries<MaskFilterType>([](auto & filter) {
    SetSettings(filter);
    filter.CPUFallbackOn();
    filter.SetAlgorithm(AlgorithmEnum::RunUnionFind); // so that no region is small
  });
}

// ITK's filter uses one thread, so programs grow many regions in a loop on all threads of the pool.
TEST(CudaConnectedComponentsConnectedThreshold, RunsInLoopsOfThePool)
{
  const Watchdog           watchdog;
  constexpr std::size_t    count = 64;
  const auto               image = MakeItkImage<MaskType>(MakeRandom({ 100, 90, 80 }, 90, 1, Seed));
  const auto               expected = MakeItks<MaskType, MaskType>();
  std::vector<std::string> exceptions(count);
  std::vector<int>         areSame(count); // not bool: threads write to neighboring elements
  const auto               setUp = [&image](auto & filter) {
    filter.SetInput(image);
    filter.SetLower(1);
    filter.SetSeed({ { 50, 45, 40 } });
    filter.SetConnectivity(ConnectivityEnum::FullConnectivity);
  };
  setUp(*expected);
  expected->Update();
  ASSERT_NE(expected->GetOutput()->GetPixel({ { 50, 45, 40 } }), 0) << "the region has pixels";
  itk::PoolMultiThreader::New()->ParallelizeArray(
    0,
    count,
    [&](itk::SizeValueType i) {
      const auto filter = MaskFilterType::New();
      setUp(*filter);
      exceptions[i] = ExceptionOf(*filter);
      areSame[i] = std::equal(expected->GetOutput()->GetBufferPointer(),
                              expected->GetOutput()->GetBufferPointer() + 100 * 90 * 80,
                              filter->GetOutput()->GetBufferPointer());
    },
    nullptr);
  EXPECT_EQ(exceptions, std::vector<std::string>(count));
  EXPECT_EQ(areSame, std::vector<int>(count, 1));
}

TEST(CudaConnectedComponentsConnectedThreshold, SameOnTheGpu)
{
  SKIP_WITHOUT_DEVICE();
  ExpectSameOnDevice<MaskFilterType>(SetSettings);
}

} // namespace connected_threshold_test
