// SPDX-License-Identifier: Apache-2.0

// Tests of the intensities that the labeler measures for its tables, on the host and on a device.

#include "AnalysisTestSupport.h"

#include <cmath>
#include <cstring>
#include <iterator>
#include <limits>
#include <memory>

namespace
{

using View = itk::CudaConnectedComponentImageView;

using itk::CudaConnectedComponentIntensities;

class CudaConnectedComponentsLabelerIntensities : public AnalysisTest
{};

/** Returns a random intensity. Floating-point numbers have a size as in images.
 * \param hasSpecials whether one of 50 floating-point numbers is NaN, infinite, denormal or -0.0 */
template <typename TPixel>
TPixel
RandomPixel(std::mt19937_64 & random, bool hasSpecials)
{
  if constexpr (std::is_same_v<TPixel, bool>)
  {
    return random() % 3 == 0;
  }
  else if constexpr (std::is_integral_v<TPixel>)
  {
    return static_cast<TPixel>(random());
  }
  else
  {
    using Limits = std::numeric_limits<TPixel>;
    if (hasSpecials && random() % 50 == 0)
    {
      const TPixel specials[] = { Limits::quiet_NaN(),   Limits::infinity(), -Limits::infinity(),
                                  TPixel(-0.0),          TPixel(0.0),        Limits::denorm_min(),
                                  -Limits::denorm_min(), Limits::min() / 4,  -3 * Limits::denorm_min() };
      return specials[random() % std::size(specials)];
    }
    return static_cast<TPixel>(
      std::ldexp(static_cast<double>(random() % 2000001) - 1e6, static_cast<int>(random() % 60)));
  }
}

/** An intensity image with gaps between its rows and slices. */
template <typename TPixel>
struct PaddedImage
{
  std::uint64_t             rowStride;
  std::uint64_t             sliceStride;
  std::uint64_t             count;  // pixels with the gaps
  std::unique_ptr<TPixel[]> pixels; // std::vector<bool> has no array of bool

  PaddedImage(const TestImage & image, unsigned int seed, bool hasSpecials = false)
    : rowStride(image.size[0] + 3)
    , sliceStride(rowStride * (image.size[1] + 1))
    , count(sliceStride * image.size[2])
    , pixels(new TPixel[count])
  {
    std::mt19937_64 random(seed);
    for (std::uint64_t i = 0; i < count; ++i)
    {
      pixels[i] = RandomPixel<TPixel>(random, hasSpecials);
    }
  }

  TPixel
  At(const TestImage & image, std::uint64_t index) const
  {
    const std::uint64_t row = index / image.size[0];
    return pixels[index % image.size[0] + row % image.size[1] * rowStride + row / image.size[1] * sliceStride];
  }
};

/** What a function writes besides the table. */
enum class Written
{
  Nothing,
  Labels,
  Mask
};

/** Returns the table with intensities. */
template <typename TPixel>
CudaConnectedComponentTable
Measure(AnalysisWay                     way,
        CudaConnectedComponentLabeler & labeler,
        const TestImage &               image,
        const PaddedImage<TPixel> &     intensities,
        Written                         written)
{
  const auto describe = [&](const TPixel * pixels, View::MemoryEnum memory) {
    View       view = View::Of(pixels, image.size, memory);
    const auto bytes = static_cast<std::int64_t>(sizeof(TPixel));
    view.strides[1] = static_cast<std::int64_t>(intensities.rowStride) * bytes;
    view.strides[2] = static_cast<std::int64_t>(intensities.sliceStride) * bytes;
    return view;
  };
  CudaConnectedComponentTable table;
  if (way != AnalysisWay::DeviceToDevice)
  {
    labeler.options.intensities = describe(intensities.pixels.get(), View::MemoryEnum::Host);
    const std::uint8_t * const pixels = image.pixels.data();
    std::vector<std::uint32_t> labels(image.pixels.size());
    std::vector<std::uint8_t>  mask(image.pixels.size());
    switch (written)
    {
      case Written::Nothing:
        return labeler.Measure(View::Of(pixels, image.size));
      case Written::Labels:
        labeler.Label(View::Of(pixels, image.size), View::Of(labels.data(), image.size), 0, &table);
        break;
      case Written::Mask:
        labeler.Mask(View::Of(pixels, image.size), View::Of(mask.data(), image.size), 0, &table);
        break;
    }
    return table;
  }
  const std::uint64_t bytes = intensities.count * sizeof(TPixel);
  const auto          input = CudaTestSupport::AllocateDevice(image.pixels.size());
  const auto          output = CudaTestSupport::AllocateDevice(image.pixels.size() * 4);
  const auto          second = CudaTestSupport::AllocateDevice(bytes);
  CudaTestSupport::CopyToDevice(input.get(), image.pixels.data(), image.pixels.size());
  CudaTestSupport::CopyToDevice(second.get(), intensities.pixels.get(), bytes);
  labeler.options.intensities = describe(static_cast<const TPixel *>(second.get()), View::MemoryEnum::Device);
  const auto * const pixels = static_cast<const std::uint8_t *>(input.get());
  switch (written)
  {
    case Written::Nothing:
      return labeler.Measure(View::OnDevice(pixels, image.size));
    case Written::Labels:
      labeler.Label(View::OnDevice(pixels, image.size),
                    View::OnDevice(static_cast<std::uint32_t *>(output.get()), image.size),
                    0,
                    &table);
      break;
    case Written::Mask:
      labeler.Mask(View::OnDevice(pixels, image.size),
                   View::OnDevice(static_cast<std::uint8_t *>(output.get()), image.size),
                   0,
                   &table);
      break;
  }
  return table;
}

bool
HasSameBytes(const std::vector<double> & a, const std::vector<double> & b)
{
  // memcmp() does not take null pointers, which empty vectors have.
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0);
}

/** Expects equal bytes in all columns. */
void
ExpectSameColumns(const CudaConnectedComponentIntensities & columns,
                  const CudaConnectedComponentIntensities & expected,
                  const std::string &                       what)
{
  EXPECT_EQ(columns.pixelCounts, expected.pixelCounts) << what;
  EXPECT_TRUE(HasSameBytes(columns.sums, expected.sums)) << what;
  EXPECT_TRUE(HasSameBytes(columns.sumsOfSquares, expected.sumsOfSquares)) << what;
  EXPECT_TRUE(HasSameBytes(columns.minimums, expected.minimums)) << what;
  EXPECT_TRUE(HasSameBytes(columns.maximums, expected.maximums)) << what;
  EXPECT_TRUE(HasSameBytes(columns.variances, expected.variances)) << what;
  EXPECT_TRUE(columns.exactSums == expected.exactSums) << what;
  EXPECT_TRUE(columns.exactSumsOfSquares == expected.exactSumsOfSquares) << what;
  EXPECT_TRUE(columns.exactMinimums == expected.exactMinimums) << what;
  EXPECT_TRUE(columns.exactMaximums == expected.exactMaximums) << what;
}

/** Returns whether a number is within an error. Infinities and NaN must be equal. */
bool
IsNear(double actual, long double expected, long double error)
{
  if (std::isnan(expected) || std::isinf(expected))
  {
    return std::isnan(expected) ? std::isnan(actual) : actual == static_cast<double>(expected);
  }
  return std::fabs(actual - expected) <= error + std::numeric_limits<double>::denorm_min();
}

/** The intensities of one component, by a plain loop. */
template <typename TPixel>
struct Expected
{
  std::uint64_t count = 0;
  long double   sum = 0;
  long double   magnitudes = 0;
  long double   squares = 0;
  bool          hasRange = false; // whether a pixel is not NaN
  TPixel        minimum{};
  TPixel        maximum{};

  void
  Add(TPixel pixel)
  {
    const auto wide = static_cast<long double>(pixel);
    ++count;
    sum += wide;
    magnitudes += std::fabs(wide);
    squares += wide * wide;
    if (!std::isnan(wide))
    {
      minimum = hasRange ? std::min(minimum, pixel) : pixel;
      maximum = hasRange ? std::max(maximum, pixel) : pixel;
      hasRange = true;
    }
  }
};

/** Returns an integer as 192 bits in two's complement. */
template <typename TInteger>
CudaConnectedComponentIntensities::Integer
WideIntegerOf(TInteger value)
{
  const std::uint64_t sign = value < TInteger{} ? ~std::uint64_t{ 0 } : 0;
  return { { static_cast<std::uint64_t>(value), sign, sign } };
}

/** Expects the columns of all components. */
template <typename TPixel>
void
ExpectColumns(const CudaConnectedComponentIntensities & columns,
              const std::vector<Expected<TPixel>> &     expected,
              const std::string &                       what)
{
  constexpr bool isFloat = std::is_floating_point_v<TPixel>;
  constexpr bool isWide = !isFloat && sizeof(TPixel) == 8;
  const double   nan = std::numeric_limits<double>::quiet_NaN();
  ASSERT_EQ(columns.pixelCounts.size(), expected.size()) << what;
  ASSERT_EQ(columns.exactSums.size(), isFloat ? 0 : expected.size()) << what;
  ASSERT_EQ(columns.exactMinimums.size(), isWide ? expected.size() : 0) << what;
  ASSERT_EQ(columns.exactMaximums.size(), isWide ? expected.size() : 0) << what;
  for (std::uint64_t row = 0; row < expected.size(); ++row)
  {
    const Expected<TPixel> & one = expected[row];
    ASSERT_EQ(columns.pixelCounts[row], one.count) << what;
    ASSERT_TRUE(IsNear(columns.sums[row], one.sum, 1e-12L * one.magnitudes)) << what << ", row " << row;
    ASSERT_TRUE(IsNear(columns.sumsOfSquares[row], one.squares, 1e-12L * one.squares)) << what << ", row " << row;
    const double minimum = one.hasRange ? static_cast<double>(one.minimum) : nan;
    const double maximum = one.hasRange ? static_cast<double>(one.maximum) : nan;
    ASSERT_TRUE(columns.minimums[row] == minimum || (!one.hasRange && std::isnan(columns.minimums[row]))) << what;
    ASSERT_TRUE(columns.maximums[row] == maximum || (!one.hasRange && std::isnan(columns.maximums[row]))) << what;
    if constexpr (isWide)
    {
      ASSERT_TRUE(columns.exactMinimums[row] == WideIntegerOf(one.minimum)) << what << ", row " << row;
      ASSERT_TRUE(columns.exactMaximums[row] == WideIntegerOf(one.maximum)) << what << ", row " << row;
    }
  }
}

/** Expects the right intensities, and the same bytes as on one thread of the host. */
template <typename TPixel>
void
ExpectIntensities(AnalysisWay       way,
                  const TestImage & image,
                  bool              fullyConnected,
                  unsigned int      seed,
                  bool              hasSpecials = false)
{
  const Labels              itk = LabelByItk(image, fullyConnected);
  const auto                inRaster = MeasureByLoop(image, itk);
  const auto                inTransposed = MeasureByLoop(image, itk, PixelOrderEnum::TransposedRaster);
  const PaddedImage<TPixel> intensities(image, seed, hasSpecials);
  unsigned int              choice = seed;
  for (const CudaConnectedComponentSelection & selection : SelectionsFor(inRaster, image, seed))
  {
    const auto        written = static_cast<Written>(choice++ % 3);
    const std::string what = image.name + (fullyConnected ? ", full, " : ", face, ") + Describe(selection) +
                             ", written " + std::to_string(static_cast<int>(written)) + ", seed " +
                             std::to_string(seed);
    const auto &               table = selection.pixelOrder == PixelOrderEnum::Raster ? inRaster : inTransposed;
    const auto                 rows = SelectByLoop(table, selection, FindSeeded(selection, image, itk));
    std::vector<std::uint64_t> rowOfLabel(itk.objectCount + 1, rows.size());
    for (std::uint64_t row = 0; row < rows.size(); ++row)
    {
      rowOfLabel[rows[row] + 1] = row;
    }
    std::vector<Expected<TPixel>> expected(rows.size());
    for (std::uint64_t i = 0; i < image.pixels.size(); ++i)
    {
      const std::uint64_t row = rowOfLabel[itk.pixels[i]];
      if (row < rows.size())
      {
        expected[row].Add(intensities.At(image, i));
      }
    }

    CudaConnectedComponentLabeler labeler = LabelerFor(way, fullyConnected);
    CudaConnectedComponentLabeler onHost = LabelerFor(AnalysisWay::HostSequential, fullyConnected);
    labeler.options.selection = onHost.options.selection = selection;
    const auto columns = Measure(way, labeler, image, intensities, written).intensities;
    ExpectColumns(columns, expected, what);
    ExpectSameColumns(
      columns, Measure(AnalysisWay::HostSequential, onHost, image, intensities, Written::Nothing).intensities, what);
  }
}

TEST_P(CudaConnectedComponentsLabelerIntensities, AllPixelTypes)
{
  unsigned int seed = 41000;
  for (const CudaConnectedComponentLabeler::SizeType size :
       { CudaConnectedComponentLabeler::SizeType{ 1, 1, 1 }, { 70, 31, 1 }, { 33, 21, 15 } })
  {
    for (const bool fullyConnected : { false, true })
    {
      const TestImage image = MakeRandom(size, 45, 1 + seed % 3, seed);
      ExpectIntensities<bool>(GetParam(), image, fullyConnected, ++seed);
      ExpectIntensities<std::int8_t>(GetParam(), image, fullyConnected, ++seed);
      ExpectIntensities<std::uint8_t>(GetParam(), image, fullyConnected, ++seed);
      ExpectIntensities<std::int16_t>(GetParam(), image, fullyConnected, ++seed);
      ExpectIntensities<std::uint16_t>(GetParam(), image, fullyConnected, ++seed);
      ExpectIntensities<std::int32_t>(GetParam(), image, fullyConnected, ++seed);
      ExpectIntensities<std::uint32_t>(GetParam(), image, fullyConnected, ++seed);
      ExpectIntensities<std::int64_t>(GetParam(), image, fullyConnected, ++seed);
      ExpectIntensities<std::uint64_t>(GetParam(), image, fullyConnected, ++seed);
      ExpectIntensities<float>(GetParam(), image, fullyConnected, ++seed);
      ExpectIntensities<double>(GetParam(), image, fullyConnected, ++seed);
    }
  }
}

// Small components have few special values, and large components have many.
TEST_P(CudaConnectedComponentsLabelerIntensities, NaNInfinityAndDenormals)
{
  unsigned int seed = 44000;
  for (const CudaConnectedComponentLabeler::SizeType size :
       { CudaConnectedComponentLabeler::SizeType{ 130, 61, 1 }, { 33, 21, 15 } })
  {
    for (const unsigned int density : { 12U, 45U })
    {
      const TestImage image = MakeRandom(size, density, 1 + seed % 3, seed);
      ExpectIntensities<float>(GetParam(), image, seed % 2 == 0, seed, true);
      ExpectIntensities<double>(GetParam(), image, seed % 2 != 0, seed + 1, true);
      seed += 3;
    }
  }
}

TEST_P(CudaConnectedComponentsLabelerIntensities, LargeComponents)
{
  ExpectIntensities<std::int16_t>(GetParam(), MakeRandom({ 200, 131, 13 }, 55, 3, 42001), true, 42001);
  ExpectIntensities<float>(GetParam(), MakeRandom({ 200, 131, 13 }, 55, 3, 42002), false, 42002);
}

// The intensities are measured before the output is written, which may be the same memory.
TEST_P(CudaConnectedComponentsLabelerIntensities, OutputMayBeTheIntensityImage)
{
  const AnalysisWay         way = GetParam();
  const TestImage           image = MakeRandom({ 67, 45, 7 }, 25, 2, 45001);
  const std::uint64_t       bytes = image.pixels.size() * sizeof(std::int16_t);
  std::vector<std::int16_t> ct; // CT numbers in the foreground, and 0 in the background
  std::mt19937              random(45001);
  for (const std::uint8_t pixel : image.pixels)
  {
    ct.push_back(static_cast<std::int16_t>(pixel == 0 ? 0 : 1 + random() % 3000));
  }
  CudaConnectedComponentLabeler onHost = LabelerFor(AnalysisWay::HostSequential, true);
  onHost.options.intensities = View::Of(ct.data(), image.size);
  const CudaConnectedComponentIntensities expected = onHost.Measure(View::Of(ct.data(), image.size)).intensities;
  ASSERT_GT(expected.sums.size(), 10U);

  for (const auto & row : itk::CudaConnectedComponentAlgorithms::GetAll())
  {
    // Calls measure(labeler, mask, memory, table) with copies of the mask and the CT numbers that the way can use.
    const auto expectSame = [&](const std::string & name, const auto & measure) {
      std::vector<std::int16_t>     copy = ct;
      const std::uint8_t *          mask = image.pixels.data();
      std::int16_t *                memory = copy.data();
      std::shared_ptr<void>         deviceMask;
      std::shared_ptr<void>         deviceMemory;
      CudaConnectedComponentLabeler labeler = LabelerFor(way, true);
      if (way == AnalysisWay::DeviceToDevice)
      {
        deviceMask = CudaTestSupport::AllocateDevice(image.pixels.size());
        deviceMemory = CudaTestSupport::AllocateDevice(bytes);
        CudaTestSupport::CopyToDevice(deviceMask.get(), image.pixels.data(), image.pixels.size());
        CudaTestSupport::CopyToDevice(deviceMemory.get(), ct.data(), bytes);
        mask = static_cast<const std::uint8_t *>(deviceMask.get());
        memory = static_cast<std::int16_t *>(deviceMemory.get());
      }
      labeler.options.algorithm = row.algorithm;
      labeler.options.intensities = View::Of(
        memory, image.size, way == AnalysisWay::DeviceToDevice ? View::MemoryEnum::Device : View::MemoryEnum::Host);
      CudaConnectedComponentTable table;
      EXPECT_EQ(measure(labeler, mask, memory, &table), expected.sums.size()) << name;
      ExpectSameColumns(table.intensities, expected, name + ", " + row.identifier);
      if (way == AnalysisWay::DeviceToDevice)
      {
        CudaTestSupport::CopyToHost(copy.data(), memory, bytes);
      }
      EXPECT_TRUE(copy != ct) << name << ": nothing was written";
    };
    const auto where = way == AnalysisWay::DeviceToDevice ? View::MemoryEnum::Device : View::MemoryEnum::Host;
    using Labeler = CudaConnectedComponentLabeler;
    using Mask = const std::uint8_t *;
    using Memory = std::int16_t *;
    using Table = CudaConnectedComponentTable *;
    expectSame("fill in place", [&](const Labeler & labeler, Mask, Memory memory, Table table) {
      const auto view = View::Of(memory, image.size, where);
      return labeler.Fill(view, view, 7, table);
    });
    expectSame("mask in place with a value outside", [&](const Labeler & labeler, Mask, Memory memory, Table table) {
      const auto view = View::Of(memory, image.size, where);
      return labeler.Mask(view, view, -1000, table);
    });
    expectSame("labels", [&](const Labeler & labeler, Mask mask, Memory memory, Table table) {
      return labeler.Label(View::Of(mask, image.size, where), View::Of(memory, image.size, where), 0, table);
    });
  }
}

TEST_P(CudaConnectedComponentsLabelerIntensities, EveryAlgorithm)
{
  const TestImage             image = MakeRandom({ 65, 43, 9 }, 25, 2, 43001);
  const PaddedImage<float>    intensities(image, 43001);
  CudaConnectedComponentTable first;
  for (const auto & row : itk::CudaConnectedComponentAlgorithms::GetAll())
  {
    CudaConnectedComponentLabeler labeler = LabelerFor(GetParam(), true);
    labeler.options.algorithm = row.algorithm;
    const auto table = Measure(GetParam(), labeler, image, intensities, Written::Mask);
    first = first.intensities.sums.empty() ? table : first;
    EXPECT_GT(table.intensities.sums.size(), 10U);
    EXPECT_TRUE(HasSameBytes(table.intensities.sums, first.intensities.sums)) << row.identifier;
  }
}

TEST_P(CudaConnectedComponentsLabelerIntensities, ImagesWithoutComponents)
{
  CudaConnectedComponentLabeler labeler = LabelerFor(GetParam(), true);
  const TestImage               empty = MakeImage("empty", { 20, 10, 2 });
  const PaddedImage<float>      intensities(empty, 1);
  for (const Written written : { Written::Nothing, Written::Labels, Written::Mask })
  {
    EXPECT_TRUE(Measure(GetParam(), labeler, empty, intensities, written).intensities.sums.empty());
  }
}

TEST_P(CudaConnectedComponentsLabelerIntensities, NoIntensityImage)
{
  const CudaConnectedComponentLabeler labeler = LabelerFor(GetParam(), true);
  const TestImage                     full = MakeImage("full", { 20, 10, 2 }, 1);
  if (GetParam() != AnalysisWay::DeviceToDevice)
  {
    EXPECT_TRUE(labeler.Measure(View::Of(full.pixels.data(), full.size)).intensities.sums.empty());
    return;
  }
  const auto input = CudaTestSupport::AllocateDevice(400);
  CudaTestSupport::CopyToDevice(input.get(), full.pixels.data(), 400);
  const auto * const pixels = static_cast<const std::uint8_t *>(input.get());
  EXPECT_TRUE(labeler.Measure(View::OnDevice(pixels, full.size)).intensities.sums.empty());
}

TEST_P(CudaConnectedComponentsLabelerIntensities, StridesMustNotBeTooSmall)
{
  struct Strides
  {
    CudaConnectedComponentLabeler::SizeType size;
    std::uint64_t                           row;
    std::uint64_t                           slice;
    bool                                    isValid;
  };
  for (const Strides & one : { Strides{ { 5, 4, 3 }, 0, 0, false }, // the default
                               { { 5, 4, 3 }, 5, 0, false },
                               { { 5, 4, 3 }, 0, 20, false },
                               { { 5, 4, 3 }, 4, 20, false },
                               { { 5, 4, 3 }, 5, 19, false },
                               { { 5, 4, 3 }, 6, 22, false },
                               { { 5, 4, 1 }, 0, 0, false },
                               { { 5, 4, 1 }, 4, 20, false },
                               { { 1, 4, 1 }, 0, 4, false },
                               { { 5, 1, 3 }, 5, 4, false },
                               { { 5, 4, 3 }, 5, 20, true },
                               { { 5, 4, 3 }, 6, 24, true },
                               { { 5, 4, 1 }, 5, 0, true },
                               { { 1, 4, 3 }, 1, 4, true } })
  {
    const TestImage    image = MakeImage("full", one.size, 1);
    PaddedImage<float> intensities(image, 1);
    const std::string  what = image.name + ", strides " + std::to_string(one.row) + ", " + std::to_string(one.slice);
    // The strides are only smaller than the strides of the padded image, so all pixels are in its memory.
    ASSERT_LE(one.row, intensities.rowStride) << what;
    ASSERT_LE(one.slice, intensities.sliceStride) << what;
    intensities.rowStride = one.row;
    intensities.sliceStride = one.slice;
    for (const Written written : { Written::Nothing, Written::Labels, Written::Mask })
    {
      CudaConnectedComponentLabeler labeler = LabelerFor(GetParam(), false);
      if (one.isValid)
      {
        const auto table = Measure(GetParam(), labeler, image, intensities, written);
        EXPECT_EQ(table.intensities.pixelCounts, table.pixelCounts) << what;
      }
      else
      {
        SCOPED_TRACE(what);
        ExpectError(
          KindEnum::InvalidArgument, "stride", [&] { Measure(GetParam(), labeler, image, intensities, written); });
      }
    }
  }
}

TEST_P(CudaConnectedComponentsLabelerIntensities, MemoryThatADeviceCannotUse)
{
  if (GetParam() != AnalysisWay::DeviceToDevice)
  {
    GTEST_SKIP() << "the functions use host memory";
  }
  CudaConnectedComponentLabeler                 labeler = LabelerFor(GetParam(), true);
  const CudaConnectedComponentLabeler::SizeType size{ 20, 10, 2 };
  const std::vector<float>                      onHost(400);
  const auto                                    input = CudaTestSupport::AllocateDevice(400);
  const auto * const                            pixels = static_cast<const std::uint8_t *>(input.get());
  labeler.options.intensities = View::Of(onHost.data(), size, View::MemoryEnum::Device);
  ExpectError(KindEnum::InvalidArgument, "the intensity image is not in the memory of CUDA device", [&] {
    labeler.Measure(View::OnDevice(pixels, size));
  });
  labeler.options.intensities.pixels = static_cast<char *>(input.get()) + 1;
  ExpectError(KindEnum::InvalidArgument, "the address of the intensity image is not a multiple of its pixel size", [&] {
    labeler.Measure(View::OnDevice(pixels, size));
  });
}

INSTANTIATE_TEST_SUITE_P(Ways,
                         CudaConnectedComponentsLabelerIntensities,
                         testing::ValuesIn(AllWays),
                         [](const testing::TestParamInfo<AnalysisWay> & instance) { return NameOf(instance.param); });

} // namespace
