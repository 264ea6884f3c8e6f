// SPDX-License-Identifier: Apache-2.0

// Tests of the intensities that the labeler measures for its tables, on the host and on a device.

#include "AnalysisTestSupport.h"

#include <cmath>
#include <cstring>
#include <limits>

namespace
{

using itk::CudaConnectedComponentIntensities;

class Intensities : public AnalysisTest
{};

/** An intensity image with gaps between its rows and slices. */
template <typename TPixel>
struct PaddedImage
{
  std::vector<TPixel> pixels;
  std::uint64_t       rowStride;
  std::uint64_t       sliceStride;

  PaddedImage(const TestImage & image, unsigned int seed)
    : rowStride(image.size[0] + 3)
    , sliceStride(rowStride * (image.size[1] + 1))
  {
    std::mt19937_64 random(seed);
    pixels.resize(sliceStride * image.size[2]);
    for (TPixel & pixel : pixels)
    {
      if constexpr (std::is_integral_v<TPixel>)
      {
        pixel = static_cast<TPixel>(random());
      }
      else
      {
        pixel = static_cast<TPixel>(std::ldexp(static_cast<double>(random() % 2000001) - 1e6, random() % 60));
      }
    }
  }

  TPixel
  At(const TestImage & image, std::uint64_t index) const
  {
    const std::uint64_t row = index / image.size[0];
    return pixels[index % image.size[0] + row % image.size[1] * rowStride + row / image.size[1] * sliceStride];
  }
};

/** Returns the table with intensities, by a function that also writes labels, or that only measures. */
template <typename TPixel>
CudaConnectedComponentTable
Measure(AnalysisWay                     way,
        CudaConnectedComponentLabeler & labeler,
        const TestImage &               image,
        const PaddedImage<TPixel> &     intensities,
        bool                            withLabels)
{
  const auto describe = [&](const TPixel * pixels) -> CudaConnectedComponentIntensities::Image {
    return {
      pixels, CudaConnectedComponentIntensities::Image::TypeOf<TPixel>(), intensities.rowStride, intensities.sliceStride
    };
  };
  CudaConnectedComponentTable table;
  if (way != AnalysisWay::DeviceToDevice)
  {
    labeler.options.intensities = describe(intensities.pixels.data());
    if (!withLabels)
    {
      return labeler.MeasureHostMemory(image.pixels.data(), image.size);
    }
    std::vector<std::uint8_t> mask(image.pixels.size());
    labeler.MaskHostMemory(image.pixels.data(), image.size, mask.data(), std::uint8_t{ 0 }, &table);
    return table;
  }
  const std::uint64_t bytes = intensities.pixels.size() * sizeof(TPixel);
  const auto          input = CudaTestSupport::AllocateDevice(image.pixels.size());
  const auto          labels = CudaTestSupport::AllocateDevice(image.pixels.size() * 4);
  const auto          second = CudaTestSupport::AllocateDevice(bytes);
  CudaTestSupport::CopyToDevice(input.get(), image.pixels.data(), image.pixels.size());
  CudaTestSupport::CopyToDevice(second.get(), intensities.pixels.data(), bytes);
  labeler.options.intensities = describe(static_cast<const TPixel *>(second.get()));
  const auto * const pixels = static_cast<const std::uint8_t *>(input.get());
  if (!withLabels)
  {
    return labeler.MeasureDeviceMemory(pixels, image.size);
  }
  labeler.LabelDeviceMemory(pixels, image.size, static_cast<std::uint32_t *>(labels.get()), 0, &table);
  return table;
}

bool
HasSameBytes(const std::vector<double> & a, const std::vector<double> & b)
{
  // memcmp() does not take null pointers, which empty vectors have.
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0);
}

/** Expects the right intensities, and the same bytes as on one thread of the host. */
template <typename TPixel>
void
ExpectIntensities(AnalysisWay way, const TestImage & image, bool fullyConnected, unsigned int seed)
{
  const Labels              itk = LabelByItk(image, fullyConnected);
  const auto                expected = MeasureByLoop(image, itk);
  const PaddedImage<TPixel> intensities(image, seed);
  for (const CudaConnectedComponentSelection & selection : SelectionsFor(expected, image, seed))
  {
    if (selection.pixelOrder != PixelOrder::Raster)
    {
      continue;
    }
    const std::string          what = image.name + ", " + Describe(selection) + ", seed " + std::to_string(seed);
    const auto                 rows = SelectByLoop(expected, selection, FindSeeded(selection, image, itk));
    std::vector<std::uint64_t> rowOfLabel(itk.objectCount + 1, ~std::uint64_t{ 0 });
    for (std::uint64_t row = 0; row < rows.size(); ++row)
    {
      rowOfLabel[rows[row] + 1] = row;
    }
    struct Expected
    {
      std::uint64_t count = 0;
      long double   sum = 0;
      long double   magnitudes = 0;
      long double   squares = 0;
      double        minimum = std::numeric_limits<double>::infinity();
      double        maximum = -std::numeric_limits<double>::infinity();
    };
    std::vector<Expected> byLoop(rows.size());
    for (std::uint64_t i = 0; i < image.pixels.size(); ++i)
    {
      const std::uint64_t row = rowOfLabel[itk.pixels[i]];
      if (row < rows.size())
      {
        const TPixel pixel = intensities.At(image, i);
        Expected &   sums = byLoop[row];
        ++sums.count;
        sums.sum += pixel;
        sums.magnitudes += std::fabs(static_cast<long double>(pixel));
        sums.squares += static_cast<long double>(pixel) * pixel;
        sums.minimum = std::min(sums.minimum, static_cast<double>(pixel));
        sums.maximum = std::max(sums.maximum, static_cast<double>(pixel));
      }
    }

    CudaConnectedComponentLabeler labeler = LabelerFor(way, fullyConnected);
    CudaConnectedComponentLabeler onHost = LabelerFor(AnalysisWay::HostSequential, fullyConnected);
    labeler.options.selection = onHost.options.selection = selection;
    const auto table = Measure(way, labeler, image, intensities, seed % 2 == 0);
    const auto columns = table.intensities;
    ASSERT_EQ(columns.pixelCounts.size(), rows.size()) << what;
    for (std::uint64_t row = 0; row < rows.size(); ++row)
    {
      const Expected & sums = byLoop[row];
      ASSERT_EQ(columns.pixelCounts[row], sums.count) << what;
      ASSERT_EQ(columns.minimums[row], sums.minimum) << what;
      ASSERT_EQ(columns.maximums[row], sums.maximum) << what;
      ASSERT_LE(std::fabs(columns.sums[row] - sums.sum), 1e-12L * sums.magnitudes) << what;
      ASSERT_LE(std::fabs(columns.sumsOfSquares[row] - sums.squares), 1e-12L * sums.squares) << what;
    }
    const auto reference = Measure(AnalysisWay::HostSequential, onHost, image, intensities, false).intensities;
    EXPECT_TRUE(HasSameBytes(columns.sums, reference.sums)) << what;
    EXPECT_TRUE(HasSameBytes(columns.sumsOfSquares, reference.sumsOfSquares)) << what;
    EXPECT_TRUE(HasSameBytes(columns.variances, reference.variances)) << what;
    EXPECT_EQ(columns.exactSums, reference.exactSums) << what;
    EXPECT_EQ(columns.exactSumsOfSquares, reference.exactSumsOfSquares) << what;
  }
}

TEST_P(Intensities, AllPixelTypes)
{
  unsigned int seed = 41000;
  for (const CudaConnectedComponentLabeler::SizeType size :
       { CudaConnectedComponentLabeler::SizeType{ 1, 1, 1 }, { 70, 31, 1 }, { 33, 21, 15 } })
  {
    for (const bool fullyConnected : { false, true })
    {
      const TestImage image = MakeRandom(size, 45, 1 + seed % 3, seed);
      ExpectIntensities<std::uint8_t>(GetParam(), image, fullyConnected, ++seed);
      ExpectIntensities<std::int16_t>(GetParam(), image, fullyConnected, ++seed);
      ExpectIntensities<std::uint32_t>(GetParam(), image, fullyConnected, ++seed);
      ExpectIntensities<std::int64_t>(GetParam(), image, fullyConnected, ++seed);
      ExpectIntensities<std::uint64_t>(GetParam(), image, fullyConnected, ++seed);
      ExpectIntensities<float>(GetParam(), image, fullyConnected, ++seed);
      ExpectIntensities<double>(GetParam(), image, fullyConnected, ++seed);
    }
  }
}

TEST_P(Intensities, LargeComponents)
{
  ExpectIntensities<std::int16_t>(GetParam(), MakeRandom({ 200, 131, 39 }, 55, 3, 42001), true, 42001);
  ExpectIntensities<float>(GetParam(), MakeRandom({ 200, 131, 39 }, 55, 3, 42002), false, 42002);
}

TEST_P(Intensities, EveryAlgorithm)
{
  const TestImage             image = MakeRandom({ 65, 43, 9 }, 25, 2, 43001);
  const PaddedImage<float>    intensities(image, 43001);
  CudaConnectedComponentTable first;
  for (const auto & row : itk::CudaConnectedComponentAlgorithms::GetAll())
  {
    CudaConnectedComponentLabeler labeler = LabelerFor(GetParam(), true);
    labeler.options.algorithm = row.algorithm;
    const auto table = Measure(GetParam(), labeler, image, intensities, true);
    first = first.intensities.sums.empty() ? table : first;
    EXPECT_GT(table.intensities.sums.size(), 10U);
    EXPECT_TRUE(HasSameBytes(table.intensities.sums, first.intensities.sums)) << row.identifier;
  }
}

TEST_P(Intensities, ImagesWithoutComponentsAndErrors)
{
  CudaConnectedComponentLabeler labeler = LabelerFor(GetParam(), true);
  const TestImage               empty = MakeImage("empty", { 20, 10, 2 });
  const PaddedImage<float>      intensities(empty, 1);
  EXPECT_TRUE(Measure(GetParam(), labeler, empty, intensities, false).intensities.sums.empty());
  labeler.options.intensities = {};
  if (GetParam() != AnalysisWay::DeviceToDevice)
  {
    const TestImage full = MakeImage("full", { 20, 10, 2 }, 1);
    EXPECT_TRUE(labeler.MeasureHostMemory(full.pixels.data(), full.size).intensities.sums.empty());
    return;
  }
  const auto input = CudaTestSupport::AllocateDevice(400);
  labeler.options.intensities = {
    intensities.pixels.data(), itk::CudaConnectedComponentsEnums::PixelType::Float, 20, 200
  };
  ExpectError(Kind::InvalidArgument, "the intensity image is not in the memory of CUDA device", [&] {
    labeler.MeasureDeviceMemory(static_cast<const std::uint8_t *>(input.get()), { 20, 10, 2 });
  });
  labeler.options.intensities.pixels = static_cast<const char *>(input.get()) + 1;
  ExpectError(Kind::InvalidArgument, "the address of the intensity image is not a multiple of its pixel size", [&] {
    labeler.MeasureDeviceMemory(static_cast<const std::uint8_t *>(input.get()), { 20, 10, 2 });
  });
}

INSTANTIATE_TEST_SUITE_P(Ways,
                         Intensities,
                         testing::ValuesIn(AllWays),
                         [](const testing::TestParamInfo<AnalysisWay> & instance) { return NameOf(instance.param); });

} // namespace
