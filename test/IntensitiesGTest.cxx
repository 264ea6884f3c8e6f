// SPDX-License-Identifier: Apache-2.0

// Tests of the intensities of components: integers of several digits, fixed-point sums, and their columns. The host
// runs the functors of the kernels.

#include "Oracle.h"
#include "TestTypes.h"
#include "ThreadPool.h"

#include "algorithms/analysis/MeasureIntensities.h"
#include "algorithms/analysis/UnpackIntensities.h"
#include "algorithms/runs/HostRows.h"
#include "algorithms/runs/RunUnionFind.h"

#include "itkCudaConnectedComponentLabeler.h"
#include "itkImage.h"
#include "itkLabelStatisticsImageFilter.h"

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <random>
#include <thread>

namespace
{

using namespace itk::ccl;
using itk::CudaConnectedComponentIntensities;
using Integer = CudaConnectedComponentIntensities::Integer;

constexpr double Infinity = std::numeric_limits<double>::infinity();
constexpr double NaN = std::numeric_limits<double>::quiet_NaN();

/** The intensities of one component, by a plain loop. */
struct Expected
{
  std::uint64_t  pixelCount = 0;
  bool           hasNaN = false;
  Int128         sum = 0;          // of integers
  WideInteger<3> squares{};        // of integers
  long double    floatSum = 0;     // of floating-point numbers
  long double    floatSquares = 0; // of floating-point numbers
  long double    magnitudes = 0;   // sum of the magnitudes of floating-point numbers
  long double    deviations = 0;   // sum of the squares of the distances from the mean
  long double    minimum = Infinity;
  long double    maximum = -Infinity;

  template <typename T>
  void
  Add(T pixel)
  {
    ++pixelCount;
    if constexpr (std::is_floating_point<T>::value)
    {
      const long double wide = pixel;
      floatSum += wide;
      floatSquares += wide * wide;
      magnitudes += std::abs(wide);
    }
    else
    {
      const Int128  wide = pixel;
      const UInt128 square =
        static_cast<UInt128>(wide < 0 ? -wide : wide) * static_cast<UInt128>(wide < 0 ? -wide : wide);
      sum += wide;
      squares.Add(WideInteger<3>::Of(square));
      floatSum += static_cast<long double>(wide);
    }
    hasNaN = hasNaN || pixel != pixel;
    minimum = static_cast<long double>(pixel) < minimum ? static_cast<long double>(pixel) : minimum;
    maximum = static_cast<long double>(pixel) > maximum ? static_cast<long double>(pixel) : maximum;
  }
};

/** An image of intensities, with gaps between rows and slices. */
template <typename T>
struct Intensities
{
  std::vector<T> buffer;
  IntensityImage image;

  /** Makes an image whose pixel at index i is valueAt(i), i being its raster index. The gaps are filled with `gap`. */
  template <typename TFunction>
  Intensities(const Grid & size, std::uint64_t rowGap, std::uint64_t sliceGap, T gap, const TFunction & valueAt)
  {
    constexpr std::uint64_t margin = 3;
    const std::uint64_t     rowStride = size.x + rowGap;
    const std::uint64_t     sliceStride = rowStride * size.y + sliceGap;
    buffer.assign(margin + sliceStride * size.z, gap);
    for (std::uint64_t i = 0; i < size.Count(); ++i)
    {
      const Cell at = CellAt(size, i);
      buffer[margin + at.x + rowStride * at.y + sliceStride * at.z] = valueAt(i);
    }
    image = { buffer.data() + margin,
              ImageView::TypeOf<T>(),
              static_cast<std::int64_t>(rowStride),
              static_cast<std::int64_t>(sliceStride) };
  }

  T
  At(const Cell & at) const
  {
    return static_cast<const T *>(image.pixels)[at.x + image.rowStride * at.y + image.sliceStride * at.z];
  }
};

/** The components of an image: labeled runs, and the label of each pixel. The selection drops components and changes
 * the order of the others, as AnalyzeRuns() does. */
template <typename TRowGroup, typename TRun>
struct Components
{
  Grid                                       size;
  std::vector<Word>                          bits;
  HostBits<TRowGroup>                        hostBits;
  LabeledRuns<TRowGroup, TRun, HostExecutor> runs;
  std::uint64_t                              count = 0; // components that have rows
  std::vector<std::uint64_t>                 rowOf;     // of each pixel, or NoRow

  static HostBits<TRowGroup>
  Pack(const TestImage & image, const Grid & size, Word * bits)
  {
    const auto packRow = [&](std::uint64_t row, Word * words) {
      itk::CudaConnectedComponentLabeler::PackRow(image.pixels.data() + row * size.x, size.x, words);
    };
    return PackRows<TRowGroup>(SequentialFor, packRow, size, bits);
  }

  Components(const TestImage & image, bool isSelecting, unsigned int seed)
    : size{ image.size[0], image.size[1], image.size[2] }
    , bits(WordsOf(size).Count())
    , hostBits(Pack(image, size, bits.data()))
    , runs(LabelRuns<TRun>(HostExecutor(),
                           hostBits.groups,
                           TRowGroup::IsOneRow ? Neighbors::Face : Neighbors::Full,
                           RunCapacity::Exactly(hostBits.runs.total)))
  {
    std::mt19937               random(seed);
    const std::uint64_t        found = runs.componentCount.GetOrZero();
    std::vector<TRun>          rows(found, NoLabel<TRun>);
    std::vector<std::uint64_t> order(found);
    std::iota(order.begin(), order.end(), 0);
    if (isSelecting)
    {
      std::shuffle(order.begin(), order.end(), random);
    }
    for (const std::uint64_t component : order)
    {
      if (!isSelecting || random() % 3 != 0)
      {
        rows[component] = static_cast<TRun>(count++);
      }
    }
    const std::uint64_t runCount = hostBits.runs.total;
    for (std::uint64_t run = 0; run < runCount; ++run)
    {
      runs.ranks[run] = rows[runs.ranks[run]];
    }
    constexpr std::uint64_t none = ~std::uint64_t{ 0 };
    rowOf.resize(size.Count());
    WriteLabelRows<std::uint64_t>(SequentialFor,
                                  hostBits,
                                  HostRanks(runs.ranks.get()),
                                  {},
                                  LabelValues::For(none),
                                  false,
                                  ImageView::Of(rowOf.data(), { size.x, size.y, size.z }));
    std::replace(rowOf.begin(), rowOf.end(), none, std::uint64_t{ NoRow });
  }

  /** Measures in all ways of the host, and expects the same bytes. Returns the rows. */
  std::vector<IntensityValue>
  Measure(const IntensityImage & image) const
  {
    std::vector<std::vector<IntensityValue>> results;
    std::vector<ParallelFor>                 loops{ SequentialFor };
    // A smaller image has one chunk, and other threads would only wake up.
    if (size.Count() > Tuning::HostPixelsPerChunk)
    {
      loops.push_back(ThreadPool::For());
    }
    for (const ParallelFor & parallelFor : loops)
    {
      results.emplace_back(count);
      MeasureIntensitiesOfRuns(
        HostExecutor(parallelFor), runs.GetIndexed(), runs.ranks.get(), size, image, count, results.back().data());
    }
    for (const auto & result : results)
    {
      EXPECT_TRUE(count == 0 ||
                  std::memcmp(result.data(), results.front().data(), count * sizeof(IntensityValue)) == 0);
    }
    return results.front();
  }
};

/** Expects a number within an error. Infinities and NaN must be equal. */
void
ExpectNear(double actual, long double expected, long double error, const std::string & what)
{
  if (std::isnan(expected) || std::isinf(static_cast<double>(expected)))
  {
    EXPECT_EQ(std::isnan(actual), std::isnan(expected)) << what;
    EXPECT_TRUE(std::isnan(expected) || actual == static_cast<double>(expected)) << what << ": " << actual;
    return;
  }
  // The result is rounded to double, which may be denormal.
  const long double rounding = std::abs(expected) * DBL_EPSILON + std::numeric_limits<double>::denorm_min();
  EXPECT_LE(std::abs(actual - expected), error + rounding) << what << ": " << actual << " instead of " << expected;
}

void
ExpectInteger(const Integer & actual, const WideInteger<3> & expected, const std::string & what)
{
  EXPECT_TRUE(std::equal(actual.digits.begin(), actual.digits.end(), expected.digits)) << what;
}

WideInteger<3>
ThreeDigits(Int128 value)
{
  auto wide = WideInteger<3>::Of(static_cast<UInt128>(value));
  wide.digits[2] = value < 0 ? ~std::uint64_t{ 0 } : 0;
  return wide;
}

/** Expects the columns of all components. */
template <typename T>
void
ExpectColumns(const CudaConnectedComponentIntensities & columns,
              const std::vector<Expected> &             expected,
              const std::string &                       what)
{
  constexpr bool isFloat = std::is_floating_point<T>::value;
  constexpr bool isWide = !isFloat && sizeof(T) == 8;
  const auto     n = expected.size();
  ASSERT_EQ(columns.pixelCounts.size(), n) << what;
  ASSERT_EQ(columns.sums.size(), n) << what;
  ASSERT_EQ(columns.variances.size(), n) << what;
  ASSERT_EQ(columns.exactSums.size(), isFloat ? 0 : n) << what;
  ASSERT_EQ(columns.exactSumsOfSquares.size(), isFloat ? 0 : n) << what;
  ASSERT_EQ(columns.exactMinimums.size(), isWide ? n : 0) << what;
  ASSERT_EQ(columns.exactMaximums.size(), isWide ? n : 0) << what;
  for (std::size_t row = 0; row < n; ++row)
  {
    const std::string name = what + ", row " + std::to_string(row);
    const Expected &  one = expected[row];
    EXPECT_EQ(columns.pixelCounts[row], one.pixelCount) << name;
    long double squares = one.floatSquares;
    if constexpr (isFloat)
    {
      ExpectNear(columns.sums[row], one.floatSum, 1e-12L * one.magnitudes, name + ": sum");
      ExpectNear(columns.sumsOfSquares[row], squares, 1e-12L * squares, name + ": squares");
    }
    else
    {
      ExpectInteger(columns.exactSums[row], ThreeDigits(one.sum), name + ": exact sum");
      ExpectInteger(columns.exactSumsOfSquares[row], one.squares, name + ": exact squares");
      EXPECT_EQ(columns.sums[row], static_cast<double>(one.sum)) << name;
      EXPECT_EQ(columns.sumsOfSquares[row], Integer::NearestDouble(one.squares.digits, 3)) << name;
      squares = columns.sumsOfSquares[row];
    }
    const bool hasRange = one.minimum <= one.maximum;
    ExpectNear(columns.minimums[row], hasRange ? one.minimum : NaN, 0, name + ": minimum");
    ExpectNear(columns.maximums[row], hasRange ? one.maximum : NaN, 0, name + ": maximum");
    if constexpr (isWide)
    {
      ExpectInteger(columns.exactMinimums[row], ThreeDigits(static_cast<T>(one.minimum)), name + ": exact minimum");
      ExpectInteger(columns.exactMaximums[row], ThreeDigits(static_cast<T>(one.maximum)), name + ": exact maximum");
    }
    if (one.pixelCount == 1)
    {
      EXPECT_EQ(columns.variances[row], 0.0) << name;
    }
    else
    {
      const auto        count = static_cast<long double>(one.pixelCount);
      const long double variance = one.deviations / (count - 1);
      // The expected value has rounding errors of its own: up to 2^-64 of the sum in each addition.
      const long double error =
        isFloat ? 1e-12L * squares / count : 1e-17L * squares / count + count * 1e-19L * variance;
      ExpectNear(columns.variances[row], variance, error, name + ": variance");
    }
    if (!one.hasNaN)
    {
      ExpectNear(columns.GetMean(row),
                 static_cast<long double>(columns.sums[row]) / static_cast<long double>(one.pixelCount),
                 0,
                 name + ": mean");
    }
  }
}

/** Measures the components of an image, and compares with a loop. */
template <typename T, typename TRowGroup, typename TRun>
void
ExpectSameAsLoop(const Components<TRowGroup, TRun> & components,
                 const Intensities<T> &              intensities,
                 const std::string &                 what)
{
  std::vector<Expected> expected(components.count);
  const auto            visit = [&](const auto & visitor) {
    for (std::uint64_t i = 0; i < components.rowOf.size(); ++i)
    {
      if (components.rowOf[i] != NoRow)
      {
        visitor(expected[components.rowOf[i]], intensities.At(CellAt(components.size, i)));
      }
    }
  };
  visit([](Expected & row, T pixel) { row.Add(pixel); });
  visit([](Expected & row, T pixel) {
    const long double distance = pixel - row.floatSum / static_cast<long double>(row.pixelCount);
    row.deviations += distance * distance;
  });
  const auto rows = components.Measure(intensities.image);
  ExpectColumns<T>(Unpack(intensities.image.type, rows.data(), rows.size()), expected, what);
}

/** Returns a random pixel: mostly any bits, sometimes a limit of the type. Floating-point numbers are finite. */
template <typename T>
T
RandomPixel(std::mt19937_64 & random)
{
  if constexpr (std::is_floating_point<T>::value)
  {
    const double mantissa = std::uniform_real_distribution<double>(-1, 1)(random);
    const int    exponents = std::numeric_limits<T>::max_exponent;
    switch (random() % 4)
    {
      case 0:
        return static_cast<T>(mantissa);
      case 1:
        return static_cast<T>(std::ldexp(mantissa, static_cast<int>(random() % 40) - 20));
      case 2:
        return static_cast<T>(std::ldexp(mantissa, static_cast<int>(random() % exponents) - exponents / 2));
      default:
        return static_cast<T>(static_cast<int>(random() % 4096) - 1024); // as in CT
    }
  }
  else
  {
    switch (random() % 8)
    {
      case 0:
        return std::numeric_limits<T>::max();
      case 1:
        return std::numeric_limits<T>::min();
      default:
        return static_cast<T>(random() >> random() % 64);
    }
  }
}

/** Compares all ways and types of runs for one image. */
template <typename T>
void
ExpectSameAsLoopOnImage(const TestImage & image, unsigned int seed)
{
  std::mt19937_64      random(seed);
  const Grid           size{ image.size[0], image.size[1], image.size[2] };
  const auto           pixelAt = [&random](std::uint64_t) { return RandomPixel<T>(random); };
  const Intensities<T> intensities(size, seed % 3, seed % 5, std::numeric_limits<T>::max(), pixelAt);
  for (const bool fullyConnected : { false, true })
  {
    VisitRowGroup(size, NeighborsOf(fullyConnected), [&](auto group) {
      using GroupType = decltype(group);
      const std::string what = image.name + ", seed " + std::to_string(seed) + (fullyConnected ? ", full" : ", face");
      ExpectSameAsLoop(Components<GroupType, std::uint32_t>(image, false, seed), intensities, what);
      ExpectSameAsLoop(Components<GroupType, std::uint64_t>(image, true, seed), intensities, what + ", selected");
    });
  }
}

template <typename T>
class CudaConnectedComponentsIntensitiesOf : public testing::Test
{};

using PixelTypes = TestTypes<std::uint8_t,
                             std::int16_t,
                             float,
                             std::int8_t,
                             std::uint16_t,
                             std::int32_t,
                             std::uint32_t,
                             std::int64_t,
                             std::uint64_t,
                             double>;
TYPED_TEST_SUITE(CudaConnectedComponentsIntensitiesOf, PixelTypes);

TYPED_TEST(CudaConnectedComponentsIntensitiesOf, Shapes)
{
  unsigned int seed = 31000;
  for (const TestImage & image : MakeShapes())
  {
    ExpectSameAsLoopOnImage<TypeParam>(image, seed++);
  }
}

TYPED_TEST(CudaConnectedComponentsIntensitiesOf, RandomImages)
{
  unsigned int seed = 32000;
  for (const unsigned int density : { 5U, 30U, 60U, 97U })
  {
    for (const unsigned int granularity : { 1U, 4U })
    {
      for (const auto & size : std::vector<std::array<std::uint64_t, 3>>{
             { 1, 70, 1 }, { 33, 1, 1 }, { 130, 37, 1 }, { 64, 31, 5 }, { 65, 30, 7 }, { 1, 1, 50 } })
      {
        ExpectSameAsLoopOnImage<TypeParam>(MakeRandom(size, density, granularity, seed), seed);
        ++seed;
      }
    }
  }
}

TYPED_TEST(CudaConnectedComponentsIntensitiesOf, SeveralChunks)
{
  ExpectSameAsLoopOnImage<TypeParam>(MakeRandom({ 300, 130, 30 }, 40, 3, 33000), 33000);
  ExpectSameAsLoopOnImage<TypeParam>(MakeRandom({ 600, 1500, 1 }, 55, 1, 33001), 33001);
}

/** An image with one component: all pixels of a row. */
template <typename T>
CudaConnectedComponentIntensities
MeasureRow(const std::vector<T> & pixels)
{
  TestImage image{ "row", { pixels.size(), 1, 1 }, std::vector<std::uint8_t>(pixels.size(), 1) };
  const Components<SingleRow, std::uint32_t> components(image, false, 0);
  const auto rows = components.Measure(IntensityImage::Of(ImageView::Of(pixels.data(), image.size)));
  EXPECT_EQ(rows.size(), 1U);
  return Unpack(ImageView::TypeOf<T>(), rows.data(), rows.size());
}

TEST(CudaConnectedComponentsIntensities, BoolCountsAsUInt8)
{
  const bool                                 pixels[] = { true, false, true, true };
  const TestImage                            image{ "row", { 4, 1, 1 }, { 1, 1, 1, 1 } };
  const Components<SingleRow, std::uint32_t> components(image, false, 0);
  const auto rows = components.Measure(IntensityImage::Of(ImageView::Of(pixels, image.size)));
  const auto columns = Unpack(ImageView::TypeOf<bool>(), rows.data(), 1);
  EXPECT_EQ(columns.sums[0], 3.0);
  EXPECT_EQ(columns.GetMean(0), 0.75);
  EXPECT_EQ(columns.variances[0], 0.25);
  EXPECT_EQ(columns.GetSigma(0), 0.5);
}

TEST(CudaConnectedComponentsIntensities, NaNAndInfinity)
{
  const auto expect =
    [](const std::vector<double> & pixels, double sum, double squares, double minimum, double maximum) {
      const auto columns = MeasureRow(pixels);
      const auto expectSame = [](double a, double b) {
        EXPECT_TRUE(a == b || (std::isnan(a) && std::isnan(b))) << a << b;
      };
      expectSame(columns.sums[0], sum);
      expectSame(columns.sumsOfSquares[0], squares);
      expectSame(columns.minimums[0], minimum);
      expectSame(columns.maximums[0], maximum);
      EXPECT_TRUE(pixels.size() == 1 ? columns.variances[0] == 0.0 : std::isnan(columns.variances[0]));
      EXPECT_EQ(columns.pixelCounts[0], pixels.size());
    };
  expect({ 1, NaN, 3 }, NaN, NaN, 1, 3);
  expect({ NaN, NaN }, NaN, NaN, NaN, NaN);
  expect({ NaN }, NaN, NaN, NaN, NaN);
  expect({ 1, Infinity, 3 }, Infinity, Infinity, 1, Infinity);
  expect({ -Infinity, 3 }, -Infinity, Infinity, -Infinity, 3);
  expect({ -Infinity, 3, Infinity }, NaN, Infinity, -Infinity, Infinity);
  expect({ Infinity, Infinity }, Infinity, Infinity, Infinity, Infinity);
  expect({ -Infinity, -Infinity }, -Infinity, Infinity, -Infinity, -Infinity);
  expect({ -Infinity }, -Infinity, Infinity, -Infinity, -Infinity);
  expect({ Infinity, NaN }, NaN, NaN, Infinity, Infinity);
}

TEST(CudaConnectedComponentsIntensities, SignedZeros)
{
  for (const std::vector<float> & pixels : { std::vector<float>{ 0.0F, -0.0F }, { -0.0F, 0.0F } })
  {
    const auto columns = MeasureRow(pixels);
    EXPECT_TRUE(std::signbit(columns.minimums[0]));
    EXPECT_FALSE(std::signbit(columns.maximums[0]));
    EXPECT_EQ(columns.sums[0], 0.0);
    EXPECT_EQ(columns.variances[0], 0.0);
  }
}

TEST(CudaConnectedComponentsIntensities, LargestAndSmallestNumbers)
{
  const double largest = std::numeric_limits<double>::max();
  const double smallest = std::numeric_limits<double>::denorm_min();
  auto         columns = MeasureRow<double>({ largest, largest, -largest });
  EXPECT_EQ(columns.sums[0], largest); // without an overflow of the first two
  EXPECT_EQ(columns.sumsOfSquares[0], Infinity);
  EXPECT_EQ(columns.variances[0], Infinity);
  columns = MeasureRow<double>({ largest, largest });
  EXPECT_EQ(columns.sums[0], Infinity);
  EXPECT_EQ(columns.variances[0], 0.0);
  columns = MeasureRow<double>({ smallest, smallest, 5 * smallest });
  EXPECT_EQ(columns.sums[0], 7 * smallest);
  EXPECT_EQ(columns.sumsOfSquares[0], 0.0);
  columns = MeasureRow<double>({ largest, smallest, -largest });
  EXPECT_EQ(columns.sums[0], 0.0); // smallest is less than 1e-12 of the magnitudes
}

TEST(CudaConnectedComponentsIntensities, ConstantsHaveNoVariance)
{
  std::mt19937_64 random(34000);
  for (int repetition = 0; repetition < 200; ++repetition)
  {
    const auto pixel = RandomPixel<double>(random);
    const auto count = 2 + random() % 100;
    EXPECT_EQ(MeasureRow(std::vector<double>(count, pixel)).variances[0], 0.0) << pixel << ", seed 34000";
    EXPECT_EQ(MeasureRow(std::vector<float>(count, RandomPixel<float>(random))).variances[0], 0.0) << "seed 34000";
    const auto integer = RandomPixel<std::int64_t>(random);
    EXPECT_EQ(MeasureRow(std::vector<std::int64_t>(count, integer)).variances[0], 0.0) << integer;
  }
}

TEST(CudaConnectedComponentsIntensities, SmallVarianceOfLargeNumbers)
{
  // Sums of double would have lost the variance.
  EXPECT_EQ(MeasureRow<double>({ 1e9, 1e9 + 1, 1e9 + 2 }).variances[0], 1.0);
  EXPECT_EQ(MeasureRow<std::uint64_t>({ (1ULL << 63) + 1, (1ULL << 63) + 2, (1ULL << 63) + 3 }).variances[0], 1.0);
}

/** Returns the value of 2^40 equal pixels. */
template <typename T>
IntensityValue
ManyPixels(T pixel)
{
  IntensityValue value = IntensityValue::Empty();
  if constexpr (std::is_floating_point<T>::value)
  {
    MeasureIntensities::AddRange(&pixel, 1, value);
    MeasureIntensities::AddFixedPoint(&pixel, 1, FixedPoint::ExponentOf(BitsOf(pixel)), value);
  }
  else
  {
    MeasureIntensities::AddIntegers(&pixel, 1, false, value);
  }
  for (int i = 0; i < 40; ++i)
  {
    const IntensityValue half = value;
    value.Merge(half);
  }
  return value;
}

template <typename T>
CudaConnectedComponentIntensities
ColumnsOfManyPixels(T pixel)
{
  const IntensityValue value = ManyPixels(pixel);
  return Unpack(ImageView::TypeOf<T>(), &value, 1);
}

TEST(CudaConnectedComponentsIntensities, TheLargestImagesDoNotOverflow)
{
  const double many = std::ldexp(1.0, 40);
  for (const std::int64_t pixel :
       { std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max() })
  {
    const auto columns = ColumnsOfManyPixels(pixel);
    EXPECT_EQ(columns.sums[0], static_cast<double>(pixel) * many);
    EXPECT_EQ(columns.exactSums[0].IsNegative(), pixel < 0);
    EXPECT_EQ(columns.exactMinimums[0].digits[0], static_cast<std::uint64_t>(pixel));
    EXPECT_EQ(columns.sumsOfSquares[0], std::ldexp(1.0, 126 + 40));
    EXPECT_EQ(columns.variances[0], 0.0);
  }
  const auto unsignedColumns = ColumnsOfManyPixels(std::numeric_limits<std::uint64_t>::max());
  // (2^64 - 1)^2 * 2^40 = 2^168 - 2^105 + 2^40
  const std::array<std::uint64_t, 3> squares{ 1ULL << 40, ~0ULL - (1ULL << 41) + 1, (1ULL << 40) - 1 };
  EXPECT_EQ(unsignedColumns.exactSumsOfSquares[0].digits, squares);
  EXPECT_EQ(unsignedColumns.variances[0], 0.0);
  const double largest = std::nextafter(2.0, 0.0);
  for (const double pixel : { largest, -largest, 1.0, -1.0, 1.0 / 3 })
  {
    const auto columns = ColumnsOfManyPixels(pixel);
    EXPECT_EQ(columns.sums[0], pixel * many);
    EXPECT_DOUBLE_EQ(columns.sumsOfSquares[0], pixel * pixel * many);
    EXPECT_EQ(columns.variances[0], 0.0);
  }
  EXPECT_EQ(ColumnsOfManyPixels(-3.0F).sums[0], -3.0 * many);
}

TEST(CudaConnectedComponentsIntensities, ManySmallPixelsBesideALargeOne)
{
  // One pixel is 1, and 2^40 pixels together have a third of its value or a ninth of its square.
  const double       large = 1.0;
  const unsigned int exponent = FixedPoint::ExponentOf(BitsOf(large));
  for (const int power : { -40, -20 })
  {
    const double   small = std::ldexp(1.0 / 3.0, power);
    IntensityValue value = IntensityValue::Empty();
    MeasureIntensities::AddRange(&small, 1, value);
    MeasureIntensities::AddFixedPoint(&small, 1, exponent, value);
    for (int i = 0; i < 40; ++i)
    {
      const IntensityValue half = value;
      value.Merge(half);
    }
    MeasureIntensities::AddRange(&large, 1, value);
    MeasureIntensities::AddFixedPoint(&large, 1, exponent, value);
    const auto   columns = Unpack(PixelType::Double, &value, 1);
    const double sum = 1.0 + std::ldexp(1.0 / 3.0, power + 40);
    EXPECT_NEAR(columns.sums[0], sum, 1e-12 * sum);
    const double squares = 1.0 + std::ldexp(1.0 / 9.0, 2 * power + 40);
    EXPECT_NEAR(columns.sumsOfSquares[0], squares, 1e-12 * squares);
  }
}

TEST(CudaConnectedComponentsIntensities, WithinTheBoundForAnyMagnitudes)
{
  std::mt19937_64 random(35000);
  for (int repetition = 0; repetition < 300; ++repetition)
  {
    std::vector<double> pixels;
    const int           range = 1 + static_cast<int>(random() % 200);
    const int           offset = static_cast<int>(random() % 1600) - 800;
    for (auto count = 1 + random() % 500; count > 0; --count)
    {
      const double mantissa = std::uniform_real_distribution<double>(-1, 1)(random);
      pixels.push_back(std::ldexp(mantissa, offset + static_cast<int>(random() % static_cast<unsigned int>(range))));
      if (random() % 2 == 0)
      {
        pixels.push_back(-pixels.back()); // cancellation
      }
    }
    std::shuffle(pixels.begin(), pixels.end(), random);
    Expected expected;
    for (const double pixel : pixels)
    {
      expected.Add(pixel);
    }
    const auto columns = MeasureRow(pixels);
    const auto what = "seed 35000, repetition " + std::to_string(repetition);
    ExpectNear(columns.sums[0], expected.floatSum, 1e-15L * expected.magnitudes, what);
    ExpectNear(columns.sumsOfSquares[0], expected.floatSquares, 1e-15L * expected.floatSquares, what);
    std::shuffle(pixels.begin(), pixels.end(), random);
    const auto shuffled = MeasureRow(pixels);
    EXPECT_EQ(shuffled.sums, columns.sums) << what;
    EXPECT_EQ(shuffled.sumsOfSquares, columns.sumsOfSquares) << what;
    EXPECT_EQ(shuffled.variances, columns.variances) << what;
  }
}

template <typename T>
class CudaConnectedComponentsIntensitiesLikeItk : public testing::Test
{};
using ItkPixelTypes = TestTypes<std::uint8_t, std::int16_t, float, std::int32_t, double>;
TYPED_TEST_SUITE(CudaConnectedComponentsIntensitiesLikeItk, ItkPixelTypes);

TYPED_TEST(CudaConnectedComponentsIntensitiesLikeItk, LabelStatistics)
{
  using ImageType = itk::Image<TypeParam, 3>;
  using LabelImageType = itk::Image<std::uint32_t, 3>;
  const unsigned int           seed = 36000;
  const TestImage              mask = MakeRandom({ 61, 47, 23 }, 30, 2, seed);
  const Labels                 labels = LabelByItk(mask, true);
  typename ImageType::SizeType size{ { 61, 47, 23 } };
  auto                         image = ImageType::New();
  image->SetRegions(size);
  image->Allocate();
  auto labelImage = LabelImageType::New();
  labelImage->SetRegions(size);
  labelImage->Allocate();
  std::mt19937_64 random(seed);
  for (std::size_t i = 0; i < mask.pixels.size(); ++i)
  {
    image->GetBufferPointer()[i] = static_cast<TypeParam>(static_cast<int>(random() % 4096) - 1024 + 0.1);
    labelImage->GetBufferPointer()[i] = labels.pixels[i];
  }
  auto filter = itk::LabelStatisticsImageFilter<ImageType, LabelImageType>::New();
  filter->SetInput(image);
  filter->SetLabelInput(labelImage);
  filter->Update();

  const Components<VolumeRowGroup, std::uint32_t> components(mask, false, 0);
  ASSERT_EQ(components.count, labels.objectCount);
  const auto rows = components.Measure(IntensityImage::Of(ImageView::Of(image->GetBufferPointer(), mask.size)));
  const auto columns = Unpack(ImageView::TypeOf<TypeParam>(), rows.data(), rows.size());
  for (std::uint32_t row = 0; row < components.count; ++row)
  {
    const std::uint32_t label = row + 1;
    const double        square = columns.sumsOfSquares[row] / static_cast<double>(columns.pixelCounts[row]);
    EXPECT_EQ(columns.pixelCounts[row], filter->GetCount(label));
    EXPECT_EQ(columns.minimums[row], filter->GetMinimum(label));
    EXPECT_EQ(columns.maximums[row], filter->GetMaximum(label));
    EXPECT_NEAR(columns.sums[row], filter->GetSum(label), 1e-12 * std::sqrt(square) * columns.pixelCounts[row]);
    EXPECT_NEAR(columns.GetMean(row), filter->GetMean(label), 1e-12 * std::sqrt(square));
    EXPECT_NEAR(columns.variances[row], filter->GetVariance(label), 1e-11 * square);
    EXPECT_NEAR(columns.GetSigma(row), filter->GetSigma(label), 1e-5 * std::sqrt(square));
  }
}

TEST(CudaConnectedComponentsWideInteger, AddsInAnyOrderOnThreads)
{
  constexpr unsigned int      threads = 8;
  constexpr unsigned int      perThread = 20000;
  std::mt19937_64             random(37000);
  std::vector<WideInteger<3>> summands(threads * perThread);
  WideInteger<3>              expected{};
  for (WideInteger<3> & summand : summands)
  {
    for (std::uint64_t & digit : summand.digits)
    {
      // Digits of 0 and 2^64 - 1 make and pass on carries.
      digit = random() % 3 == 0 ? ~std::uint64_t{ 0 } : random() % 3 == 0 ? 0 : random();
    }
    expected.Add(summand);
  }
  WideInteger<3>           sum{};
  std::vector<std::thread> running;
  for (unsigned int thread = 0; thread < threads; ++thread)
  {
    running.emplace_back([&, thread] {
      for (unsigned int i = 0; i < perThread; ++i)
      {
        AtomicAdd(&sum, summands[thread * perThread + i]);
      }
    });
  }
  for (std::thread & thread : running)
  {
    thread.join();
  }
  EXPECT_TRUE(std::equal(sum.digits, sum.digits + 3, expected.digits)) << "seed 37000";
}

TEST(CudaConnectedComponentsWideInteger, MatchesIntegersOf128Bits)
{
  std::mt19937_64 random(38000);
  for (int repetition = 0; repetition < 100000; ++repetition)
  {
    const auto any = [&random] {
      return static_cast<UInt128>(random() >> random() % 64) << random() % 64 >> random() % 9;
    };
    const UInt128 a = any();
    const UInt128 b = any();
    auto          sum = WideInteger<2>::Of(a);
    sum.Add(WideInteger<2>::Of(b));
    const auto expectEqual = [&](const WideInteger<2> & actual, UInt128 expected) {
      const auto wide = WideInteger<2>::Of(expected);
      ASSERT_TRUE(actual.digits[0] == wide.digits[0] && actual.digits[1] == wide.digits[1])
        << "seed 38000, repetition " << repetition;
    };
    expectEqual(sum, a + b);
    auto negative = WideInteger<2>::Of(a);
    negative.Negate();
    expectEqual(negative, 0 - a);
    const unsigned int shift = 1 + random() % 127;
    auto               shifted = WideInteger<2>::Of(a);
    shifted.ShiftLeft(shift);
    expectEqual(shifted, a << shift);
    const WideInteger<1> narrow[] = { { { static_cast<std::uint64_t>(a) } }, { { static_cast<std::uint64_t>(b) } } };
    expectEqual(Multiply(narrow[0], narrow[1]), static_cast<UInt128>(narrow[0].digits[0]) * narrow[1].digits[0]);
    ASSERT_EQ(Integer::NearestDouble(WideInteger<2>::Of(a).digits, 2), static_cast<double>(a)) << "seed 38000";
  }
}

TEST(CudaConnectedComponentsWideInteger, MultipliesSeveralDigits)
{
  // (2^128 - 1)^2 = 2^256 - 2^129 + 1
  const WideInteger<2> all{ { ~0ULL, ~0ULL } };
  const WideInteger<4> square = Multiply(all, all);
  EXPECT_EQ(square.digits[0], 1U);
  EXPECT_EQ(square.digits[1], 0U);
  EXPECT_EQ(square.digits[2], ~0ULL - 1);
  EXPECT_EQ(square.digits[3], ~0ULL);
}

TEST(CudaConnectedComponentsWideInteger, RoundsToTheNearestNumber)
{
  // 2^160 + 2^107 lies between two numbers. The lowest bit decides.
  std::uint64_t digits[] = { 0, 1ULL << 43, 1ULL << 32 };
  EXPECT_EQ(Integer::NearestDouble(digits, 3), std::ldexp(1.0, 160));
  digits[0] = 1;
  EXPECT_EQ(Integer::NearestDouble(digits, 3), std::ldexp(1.0 + DBL_EPSILON, 160));
  EXPECT_EQ(Integer::NearestDouble(digits, 0), 0.0);
  const Integer minusOne{ { ~0ULL, ~0ULL, ~0ULL } };
  EXPECT_EQ(minusOne.ToDouble(), -1.0);
}

TEST(CudaConnectedComponentsOrderedKeys, KeepTheOrder)
{
  const double numbers[] = { -Infinity, -DBL_MAX, -1,      -DBL_MIN, -5e-324, -0.0,
                             0.0,       5e-324,   DBL_MIN, 1,        DBL_MAX, Infinity };
  for (std::size_t i = 0; i + 1 < std::size(numbers); ++i)
  {
    EXPECT_LT(KeyOf(numbers[i]), KeyOf(numbers[i + 1]));
    EXPECT_EQ(BitsOf(DoubleOfKey(KeyOf(numbers[i]))), BitsOf(numbers[i]));
  }
  EXPECT_LT(KeyOf(std::int8_t{ -128 }), KeyOf(std::int8_t{ 127 }));
  EXPECT_LT(KeyOf(std::int64_t{ -1 }), KeyOf(std::int64_t{ 0 }));
  EXPECT_LT(KeyOf(std::uint64_t{ 1 }), KeyOf(~std::uint64_t{ 0 }));
}

} // namespace
