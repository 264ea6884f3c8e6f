// SPDX-License-Identifier: Apache-2.0

// Tests of the statistics of objects, from the filter and by themselves.

#include "ObjectsTestSupport.h"

namespace statistics_test
{

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

TEST(CudaConnectedComponentsStatistics, OfObliquePlanes) { ExpectStatisticsOfObliqueImages<2>({ { 131, 129 } }, 30); }

TEST(CudaConnectedComponentsStatistics, OfObliqueVolumes) { ExpectStatisticsOfObliqueImages<3>({ { 41, 33, 29 } }, 8); }

TEST(CudaConnectedComponentsStatistics, OfFourDimensions)
{
  ExpectStatisticsOfObliqueImages<4>({ { 15, 17, 13, 5 } }, 2);
}

TEST(CudaConnectedComponentsStatistics, OfTheFilterCanBeCopied)
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
  EXPECT_EQ(copy.GetNumberOfPixels(62), 3U);
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

TEST(CudaConnectedComponentsStatistics, ByThemselves)
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
  EXPECT_EQ(statistics.GetLabels(), (std::vector<itk::IdentifierType>{ 0, 2 }));
  EXPECT_TRUE(statistics.HasLabel(0));
  EXPECT_FALSE(statistics.HasLabel(1));
  EXPECT_TRUE(statistics.HasLabel(2));
  EXPECT_FALSE(statistics.HasLabel(3));
  EXPECT_EQ(statistics.GetNumberOfPixels(0), 3U);
  EXPECT_EQ(statistics.GetNumberOfPixels(2), 9U);
  EXPECT_EQ(statistics.GetPhysicalSize(0), 3.0);
  EXPECT_EQ(statistics.GetPhysicalSize(2), 9.0);
  EXPECT_EQ(statistics.GetBoundingBox(0), PlaneType::RegionType({ { 100, -20 } }, { { 2, 2 } }));
  EXPECT_EQ(statistics.GetBoundingBox(2), PlaneType::RegionType({ { 105, -17 } }, { { 3, 3 } }));
  EXPECT_NEAR(statistics.GetCentroid(0)[0], 10.0 - 2.0 * (-20.0 + 1.0 / 3.0), 1e-12);
  EXPECT_NEAR(statistics.GetCentroid(0)[1], -3.0 + 0.5 * (100.0 + 2.0 / 3.0), 1e-12);
  EXPECT_NEAR(statistics.GetCentroid(2)[0], 10.0 - 2.0 * (-20.0 + 4.0), 1e-12);
  EXPECT_NEAR(statistics.GetCentroid(2)[1], -3.0 + 0.5 * (100.0 + 6.0), 1e-12);
}

TEST(CudaConnectedComponentsStatistics, OfOtherBackgrounds)
{
  const auto image = VolumeType::New();
  for (const auto & expected : { std::make_pair(0, std::make_pair(1U, 2U)),
                                 { 1, { 0U, 2U } },
                                 { 2, { 0U, 1U } },
                                 { 77, { 0U, 1U } },
                                 { -1, { 0U, 1U } } })
  {
    const itk::CudaConnectedComponentStatistics<3> statistics(MakeTable(), *image, expected.first);
    EXPECT_EQ(LabelAt(statistics, 0), expected.second.first) << expected.first;
    EXPECT_EQ(LabelAt(statistics, 1), expected.second.second) << expected.first;
  }
  EXPECT_EQ(itk::CudaConnectedComponentStatistics<3>(MakeTable(), *image).GetLabels().front(), 1U);
}

TEST(CudaConnectedComponentsStatistics, OfTheLargestSums)
{
  auto table = MakeTable();
  // A row of 2^40 pixels. The sum is 2^39 * (2^40 - 1).
  table.pixelCounts[1] = std::uint64_t{ 1 } << 40;
  table.minimums[0][1] = 0;
  table.maximums[0][1] = (std::uint64_t{ 1 } << 40) - 1;
  table.sums[0][1] = { std::uint64_t{ 0 } - (std::uint64_t{ 1 } << 39), (std::uint64_t{ 1 } << 15) - 1 };
  const itk::CudaConnectedComponentStatistics<3> statistics(table, *VolumeType::New());
  EXPECT_EQ(statistics.GetBoundingBox(2).GetSize(0), std::uint64_t{ 1 } << 40);
  EXPECT_NEAR(statistics.GetCentroid(2)[0], 549755813887.5, 1e-3);
  EXPECT_EQ(statistics.GetPhysicalSize(2), 1099511627776.0);
}

TEST(CudaConnectedComponentsStatistics, ThrowForWrongLabels)
{
  const auto                                     image = VolumeType::New();
  const itk::CudaConnectedComponentStatistics<3> two(MakeTable(), *image);
  const itk::CudaConnectedComponentStatistics<3> none;
  EXPECT_NO_THROW(two.GetCentroid(2));
  EXPECT_THROW(two.GetCentroid(0), itk::ExceptionObject); // the background
  EXPECT_THROW(two.GetNumberOfPixels(3), itk::ExceptionObject);
  EXPECT_THROW(two.GetPhysicalSize(3), itk::ExceptionObject);
  EXPECT_THROW(two.GetBoundingBox(3), itk::ExceptionObject);
  EXPECT_THROW(two.GetCentroid(3), itk::ExceptionObject);
  EXPECT_TRUE(none.GetLabels().empty());
  const std::string ofTwo = DescriptionOf([&] { two.GetCentroid(17); });
  EXPECT_NE(ofTwo.find("label 17. There are 2 objects, with labels from 1 to 2,"), std::string::npos) << ofTwo;
  const std::string ofNone = DescriptionOf([&] { none.GetCentroid(0); });
  EXPECT_NE(ofNone.find("label 0. There are 0 objects,"), std::string::npos) << ofNone;
}

TEST(CudaConnectedComponentsStatistics, ThrowForWrongTables)
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

} // namespace statistics_test
