// SPDX-License-Identifier: Apache-2.0

// Tests of the selection and order of objects, and of their sizes.

#include "ObjectsTestSupport.h"
#include "TestTypes.h"

#include "itkCommand.h"

#include <random>

namespace objects_test
{

template <typename TInputPixel, typename TOutputPixel, unsigned int VDimension>
struct Types
{
  using InputPixelType = TInputPixel;
  using OutputPixelType = TOutputPixel;
  static constexpr unsigned int Dimension = VDimension;
};

template <typename T>
class CudaConnectedComponentsFilterObjectsOfTypes : public testing::Test
{};
using AllTypes = TestTypes<Types<unsigned char, unsigned short, 3>,
                           Types<short, unsigned int, 2>,
                           Types<float, signed char, 3>,
                           Types<unsigned char, unsigned char, 2>,
                           Types<bool, unsigned long long, 3>,
                           Types<unsigned char, short, 4>>;
TYPED_TEST_SUITE(CudaConnectedComponentsFilterObjectsOfTypes, AllTypes);

TYPED_TEST(CudaConnectedComponentsFilterObjectsOfTypes, RandomImagesAndSettings)
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

TEST(CudaConnectedComponentsFilterObjects, AllSettingsOfPlanes)
{
  ExpectSameObjectsForAllSettings(MakeNoise<PlaneType>({ { 133, 127 } }, 40, 1, 1801).GetPointer());
}

TEST(CudaConnectedComponentsFilterObjects, AllSettingsOfVolumes)
{
  ExpectSameObjectsForAllSettings(MakeNoise<VolumeType>({ { 39, 31, 17 } }, 12, 1, 1802).GetPointer());
}

TEST(CudaConnectedComponentsFilterObjects, AllSettingsWithoutObjectsAndWithOneObject)
{
  for (const std::uint8_t value : { 0, 1 })
  {
    ExpectSameObjectsForAllSettings(MakeItkImage<PlaneType>(MakeImage("plane", { 33, 5, 1 }, value)).GetPointer());
    ExpectSameObjectsForAllSettings(MakeItkImage<VolumeType>(MakeImage("volume", { 33, 5, 3 }, value)).GetPointer());
  }
  ExpectSameObjectsForAllSettings(MakeItkImage<PlaneType>(MakeSpiral(65)).GetPointer());
}

TEST(CudaConnectedComponentsFilterObjects, SameSizesAreInTheOrderOfFirstPixels)
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

TEST(CudaConnectedComponentsFilterObjects, ManySpecksAndAFewLabelsOfOneByte)
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

TEST(CudaConnectedComponentsFilterObjects, OneOfAMillionSpecks)
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
      EXPECT_EQ(filter->GetStatistics().GetBoundingBox(1), PlaneType::RegionType({ { 1000, 499 } }, { { 3, 3 } }));
      const unsigned char * const pixels = filter->GetOutput()->GetBufferPointer();
      EXPECT_EQ(std::count(pixels, pixels + 2048 * 1024, 1), 5);
      EXPECT_EQ(std::count(pixels, pixels + 2048 * 1024, 0), 2048 * 1024 - 5);
      EXPECT_EQ(filter->GetOutput()->GetPixel({ { 1001, 500 } }), 1);
    }
  });
}

TEST(CudaConnectedComponentsFilterObjects, TooManyObjects)
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

TEST(CudaConnectedComponentsFilterObjects, FourDimensionsNeedLabelsForAllObjects)
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

TEST(CudaConnectedComponentsFilterObjects, Abort)
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

TEST(CudaConnectedComponentsFilterObjects, UpdatesWithOtherSettings)
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

TEST(CudaConnectedComponentsFilterObjects, EachSettingRunsTheFilterAgain)
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
  EXPECT_EQ(filter->GetStatistics().GetNumberOfPixels(4), 3U);

  const itk::ModifiedTimeType before = filter->GetMTime();
  filter->SetMinimumObjectSize(3);
  filter->SetNumberOfObjectsToKeep(4);
  filter->SortByObjectSizeOn();
  filter->ComputeStatisticsOn();
  EXPECT_EQ(filter->GetMTime(), before);
}

TEST(CudaConnectedComponentsFilterObjects, SizesOfLabelsBelongToTheLastRun)
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
  EXPECT_EQ(LabelAt(filter->GetStatistics(), 0), 0U);
  EXPECT_EQ(LabelAt(filter->GetStatistics(), 1), 2U);
}

TEST(CudaConnectedComponentsFilterObjects, BeforeTheFirstUpdate)
{
  auto filter = itk::CudaConnectedComponentImageFilter<PlaneType, PlaneLabelsType>::New();
  EXPECT_EQ(filter->GetMinimumObjectSize(), 0U);
  EXPECT_EQ(filter->GetNumberOfObjectsToKeep(), 0U);
  EXPECT_FALSE(filter->GetSortByObjectSize());
  EXPECT_FALSE(filter->GetComputeStatistics());
  ExpectNoResults(*filter);
}

TEST(CudaConnectedComponentsFilterObjects, ImageWithoutPixels)
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

TEST(CudaConnectedComponentsFilterObjects, PrintedSettings)
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

} // namespace objects_test
