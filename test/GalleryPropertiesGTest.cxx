// SPDX-License-Identifier: Apache-2.0

// Compares the properties of components by every way of the gallery and of HA (hardware accelerated) with the table of
// the library, and the table with a plain loop. All numbers are integers, and must be equal. If a way writes labels,
// they must be ITK's labels.

#include "AnalysisTestSupport.h"
#include "GalleryMeasurements.h"

// Tests with CUDA set GALLERY_ON_DEVICE.
#ifdef GALLERY_ON_DEVICE
#  include "GalleryOnDevice.h"
#endif

#include "executors/host/HostExecutor.h"
#include "gallery/PropertyMoments.h"
#include "primitives/Tuning.h"

#include <numeric>

using namespace itk::ccl;

namespace
{

using View = itk::CudaConnectedComponentImageView;

/** Where a way of the gallery runs. */
enum class PropertiesPlace
{
  HostSequential, // HostExecutor on one thread
  HostThreads,    // HostExecutor on several threads
  Device          // DeviceExecutor
};

std::string
NameOf(PropertiesPlace place)
{
  const char * const names[] = { "HostSequential", "HostThreads", "Device" };
  return names[static_cast<int>(place)];
}

struct HostBackend
{
  HostExecutor executor;

  template <typename T>
  static std::vector<std::uint64_t>
  Read(const T * memory, std::uint64_t count)
  {
    return { memory, memory + count };
  }
};

/** Measures the components of an image by a way of the gallery. `name` is the name of the way. */
template <typename TWay, typename TLabel>
GalleryMeasurement
MeasureBy([[maybe_unused]] const std::string & name,
          PropertiesPlace                      place,
          const TestImage &                    image,
          bool                                 fullyConnected)
{
#ifdef GALLERY_ON_DEVICE
  if (place == PropertiesPlace::Device)
  {
    return MeasureByGalleryOnDevice(name, sizeof(TLabel) == 8, image, fullyConnected);
  }
#endif
  const HostBackend backend{ HostExecutor(place == PropertiesPlace::HostThreads ? ThreadPool::For()
                                                                                : ParallelFor(SequentialFor)) };
  const Grid        size{ image.size[0], image.size[1], image.size[2] };
  return TWay::template Measure<TLabel>(backend, image.pixels.data(), size, fullyConnected);
}

/** The correct results for an image and a connectivity. */
struct Expectation
{
  CudaConnectedComponentTable table;
  Labels                      labels;
};

/** Returns the table of the library, and the labels of ITK's filter. */
Expectation
ExpectationFor(const TestImage & image, bool fullyConnected)
{
  CudaConnectedComponentLabeler labeler = LabelerFor(AnalysisWay::HostSequential, fullyConnected);
  labeler.options.columns = AllColumns();
  return { labeler.Measure(View::Of(image.pixels.data(), image.size)), LabelByItk(image, fullyConnected) };
}

/** Expects that a way measures the components of a table, in the order of its rows. */
void
ExpectMeasurement(const GalleryMeasurement & measurement, const Expectation & expected, const std::string & what)
{
  std::vector<std::uint64_t> rows(expected.table.componentCount);
  std::iota(rows.begin(), rows.end(), 0);
  ExpectRows(measurement.table, expected.table, rows, measurement.columns, what);
  if (!measurement.labels.empty())
  {
    const auto & pixels = expected.labels.pixels;
    EXPECT_TRUE(std::equal(measurement.labels.begin(), measurement.labels.end(), pixels.begin(), pixels.end())) << what;
  }
}

class CudaConnectedComponentsGalleryProperties : public testing::TestWithParam<PropertiesPlace>
{
protected:
  void
  SetUp() override
  {
    if (GetParam() == PropertiesPlace::Device)
    {
      SKIP_WITHOUT_DEVICE();
    }
  }

  /** Expects that all ways measure an image as expected. */
  static void
  ExpectMeasurements(const TestImage & image, bool fullyConnected, const Expectation & expected)
  {
    const Grid size{ image.size[0], image.size[1], image.size[2] };
    VisitGalleryMeasurements([&](const std::string & name, auto way) {
      using WayType = decltype(way);
      if (WayType::Supports(size, fullyConnected))
      {
        const std::string what = image.name + " by " + name + (fullyConnected ? ", full" : ", face") + " connectivity";
        ExpectMeasurement(
          MeasureBy<WayType, std::uint32_t>(name, GetParam(), image, fullyConnected), expected, what + ", 32 bits");
        ExpectMeasurement(
          MeasureBy<WayType, std::uint64_t>(name, GetParam(), image, fullyConnected), expected, what + ", 64 bits");
      }
    });
  }

  /** Compares all ways with the library. Skips images that are so small that HostExecutor would measure them on one of
   * its threads. */
  static void
  ExpectTableOfLibrary(const TestImage & image)
  {
    if (GetParam() == PropertiesPlace::HostThreads && image.pixels.size() <= Tuning::HostCellsOfOneThread)
    {
      return;
    }
    for (const bool fullyConnected : { false, true })
    {
      ExpectMeasurements(image, fullyConnected, ExpectationFor(image, fullyConnected));
    }
  }
};

// The table is not the only witness.
TEST_P(CudaConnectedComponentsGalleryProperties, PlainLoop)
{
  for (const TestImage & image : { MakeRandom({ 41, 29, 1 }, 45, 1, 1), MakeRandom({ 11, 9, 7 }, 30, 1, 2) })
  {
    for (const bool fullyConnected : { false, true })
    {
      const Labels      labels = LabelByItk(image, fullyConnected);
      const Expectation loop{ MeasureByLoop(image, labels), labels };
      ExpectMeasurements(image, fullyConnected, loop);
      const CudaConnectedComponentTable table = ExpectationFor(image, fullyConnected).table;
      ExpectMeasurement({ AllColumns(), table, {}, {} }, loop, image.name + " by the library");
    }
  }
}

TEST_P(CudaConnectedComponentsGalleryProperties, EveryPlaneUpTo12)
{
  unsigned int seed = 11001;
  for (std::uint64_t y = 1; y <= 12; ++y)
  {
    for (std::uint64_t x = 1; x <= 12; ++x, ++seed)
    {
      ExpectTableOfLibrary(MakeRandom({ x, y, 1 }, 20 + 10 * (seed % 7), 1 + seed % 2, seed));
    }
  }
}

// The widths lie around multiples of the 32 pixels of a word, and of the 128 runs that a thread block of FLSL adds at a
// time.
TEST_P(CudaConnectedComponentsGalleryProperties, EveryKindOfWidth)
{
  unsigned int seed = 12001;
  for (const std::uint64_t x : { 31, 32, 33, 63, 64, 65, 127, 128, 129, 255, 256, 257, 511, 513, 1025, 2049 })
  {
    ExpectTableOfLibrary(MakeRandom({ x, 5, 1 }, 30 + 15 * (seed % 4), 1, seed));
    ExpectTableOfLibrary(MakeRandom({ 5, x, 1 }, 30 + 15 * (seed % 4), 1, seed + 100));
    ++seed;
  }
  ExpectTableOfLibrary(MakeComb({ 1025, 9, 1 }));
  ExpectTableOfLibrary(MakeCheckerboard({ 1025, 9, 1 }));
}

TEST_P(CudaConnectedComponentsGalleryProperties, EveryTenthDensity)
{
  for (unsigned int density = 0; density <= 100; density += 10)
  {
    ExpectTableOfLibrary(MakeRandom({ 97, 95, 1 }, density, 1, 13001 + density));
    ExpectTableOfLibrary(MakeRandom({ 35, 17, 15 }, density, 1, 14001 + density));
  }
}

TEST_P(CudaConnectedComponentsGalleryProperties, EveryGranularity)
{
  for (unsigned int granularity = 1; granularity <= 16; ++granularity)
  {
    ExpectTableOfLibrary(MakeRandom({ 99, 93, 1 }, 50, granularity, 15001 + granularity));
  }
}

TEST_P(CudaConnectedComponentsGalleryProperties, Shapes)
{
  for (const TestImage & image : MakeShapes())
  {
    ExpectTableOfLibrary(image);
  }
}

TEST_P(CudaConnectedComponentsGalleryProperties, SeveralThreadBlocksAndChunks)
{
  for (const unsigned int density : { 35, 45, 60, 80 })
  {
    ExpectTableOfLibrary(MakeRandom({ 193, 191, 1 }, density, 1 + density % 4, 16001 + density));
  }
}

// The sum of one coordinate exceeds 32 bits.
TEST_P(CudaConnectedComponentsGalleryProperties, LargeSums)
{
  for (const TestImage & image : { MakeImage("full", { 92700, 1, 1 }, 1), MakeImage("full", { 9, 30900, 1 }, 1) })
  {
    ExpectMeasurements(image, false, ExpectationFor(image, false));
  }
}

INSTANTIATE_TEST_SUITE_P(
  Places,
  CudaConnectedComponentsGalleryProperties,
  testing::Values(PropertiesPlace::HostSequential, PropertiesPlace::HostThreads, PropertiesPlace::Device),
  [](const testing::TestParamInfo<PropertiesPlace> & instance) { return NameOf(instance.param); });

// Center and covariance follow from the sums. The numbers are exact in floating point.
TEST(CudaConnectedComponentsGalleryCenterAndCovariance, Rectangle)
{
  gallery::PropertySums<std::uint32_t> sums{};
  for (std::uint64_t y = 10; y < 12; ++y)
  {
    for (std::uint64_t x = 20; x < 24; ++x)
    {
      const auto pixel = gallery::SumsOfPixel<std::uint32_t>({ x, y });
      sums = { sums.size + pixel.size, sums.x + pixel.x,   sums.y + pixel.y,
               sums.xx + pixel.xx,     sums.yy + pixel.yy, sums.xy + pixel.xy };
    }
  }
  const gallery::Center center = gallery::GetCenter(sums);
  EXPECT_EQ(center.x, 21.5);
  EXPECT_EQ(center.y, 10.5);
  const gallery::Covariance covariance = gallery::GetCovariance(sums);
  EXPECT_EQ(covariance.xx, 1.25);
  EXPECT_EQ(covariance.yy, 0.25);
  EXPECT_EQ(covariance.xy, 0);
}

// The pixels are (0, 1) and (2, 0).
TEST(CudaConnectedComponentsGalleryCenterAndCovariance, NegativeCovariance)
{
  EXPECT_EQ(gallery::GetCovariance(gallery::PropertySums<std::uint64_t>{ 2, 2, 1, 4, 1, 0 }).xy, -0.5);
}

TEST(CudaConnectedComponentsGallerySums, FitUpTo65536)
{
  EXPECT_TRUE(gallery::SumsFit({ 65536, 65536 }));
  EXPECT_TRUE(gallery::SumsFit({ 1, 1 }));
  EXPECT_FALSE(gallery::SumsFit({ 100000, 100000 }));
  EXPECT_FALSE(gallery::SumsFit({ std::uint64_t{ 1 } << 40, 1 }));
}

} // namespace
