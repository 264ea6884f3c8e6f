// SPDX-License-Identifier: Apache-2.0

// Tests of the write-out of masks: pixels and bits by the functors of the kernels, which run on the host here; rows of
// bits and runs that the labeler passes to the caller; and filled images in untouched memory.

#include "AnalysisTestSupport.h"
#include "DenseImages.h"

#include "algorithms/runs/MaskWriteOut.h"
#include "algorithms/runs/PackForeground.h"
#include "algorithms/runs/RunUnionFind.h"
#include "executors/host/HostExecutor.h"

#include <cstring>
#include <functional>
#include <memory>
#include <stdexcept>

namespace
{

using View = itk::CudaConnectedComponentImageView;
using itk::ccl::Grid;
using itk::ccl::HostExecutor;
using itk::ccl::Word;

/** The arguments of FillPixelsOfMask() for one image. The offsets move the arrays in memory, in pixels. */
struct FillCase
{
  Grid          size;
  std::uint64_t inputOffset = 0;
  std::uint64_t outputOffset = 0;
  bool          isInPlace = false; // then `inputOffset` is not used
  bool          isInside = false;
};

std::ostream &
operator<<(std::ostream & out, const FillCase & one)
{
  return out << one.size.x << " x " << one.size.y << " x " << one.size.z << ", input offset " << one.inputOffset
             << ", output offset " << one.outputOffset << (one.isInPlace ? ", in place" : "")
             << (one.isInside ? ", inside" : ", outside");
}

/** Returns random bits. Many words have equal bits. The bits after the end of a row are 0. */
std::vector<Word>
MakeMask(const Grid & size, std::mt19937 & random)
{
  const Grid        words = itk::ccl::WordsOf(size);
  std::vector<Word> mask(words.Count());
  for (std::uint64_t i = 0; i < mask.size(); ++i)
  {
    const auto          bits = static_cast<Word>(random());
    const Word          choices[] = { 0, ~Word{ 0 }, bits, bits & static_cast<Word>(random()) };
    const std::uint64_t left = size.x - i % words.x * 32;
    mask[i] = choices[random() % 4] & (left < 32 ? (Word{ 1 } << left) - 1 : ~Word{ 0 });
  }
  return mask;
}

/** Returns whether FillPixelsOfMask() writes the same pixels as a loop, and no pixels around the output. */
template <typename TIndex, typename TPixel>
bool
IsSameAsLoop(const HostExecutor & executor, const FillCase & one, std::mt19937 & random)
{
  const std::uint64_t     n = one.size.Count();
  const std::vector<Word> mask = MakeMask(one.size, random);
  const auto              value = static_cast<TPixel>(random() % 2 == 0 ? 0 : random());
  // No pixel follows the input, so that AddressSanitizer finds reads after its end.
  std::vector<TPixel>  input(one.inputOffset + n, TPixel{ 7 });
  std::vector<TPixel>  output(one.outputOffset + n + 16, TPixel{ 9 });
  const TPixel * const source = one.isInPlace ? output.data() + one.outputOffset : input.data() + one.inputOffset;
  for (std::uint64_t i = 0; i < n; ++i)
  {
    const auto pixel = static_cast<TPixel>(0x9E3779B97F4A7C15U * (i + 1) >> 7);
    input[one.inputOffset + i] = pixel;
    if (one.isInPlace)
    {
      output[one.outputOffset + i] = pixel;
    }
  }
  std::vector<TPixel> expected = output;
  const std::uint64_t wordsOfRow = itk::ccl::WordsOf(one.size).x;
  std::uint64_t       i = 0;
  for (std::uint64_t row = 0; row < one.size.y * one.size.z; ++row)
  {
    for (std::uint64_t x = 0; x < one.size.x; ++x, ++i)
    {
      const bool isInMask = (mask[row * wordsOfRow + x / 32] >> x % 32 & 1U) != 0;
      expected[one.outputOffset + i] = isInMask == one.isInside ? value : input[one.inputOffset + i];
    }
  }
  itk::ccl::FillPixelsOfMask<TIndex>(executor,
                                     itk::ccl::BitRows{ itk::ccl::WordsOf(one.size), mask.data() },
                                     source,
                                     one.size,
                                     one.isInside,
                                     value,
                                     output.data() + one.outputOffset);
  return output == expected;
}

template <typename TPixel>
class CudaConnectedComponentsFillPixels : public testing::Test
{};

// Kernels fill pixels of all types as unsigned integers of their size.
using PixelTypes = testing::Types<std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t>;
TYPED_TEST_SUITE(CudaConnectedComponentsFillPixels, PixelTypes);

TYPED_TEST(CudaConnectedComponentsFillPixels, AllWidthsAndOffsets)
{
  std::mt19937       random(51000);
  const HostExecutor executor;
  for (std::uint64_t width = 1; width <= 70; ++width)
  {
    FillCase one;
    one.size = { width, 1 + width % 3, 1 + width % 2 };
    for (one.inputOffset = 0; one.inputOffset < 16; ++one.inputOffset)
    {
      for (one.outputOffset = 0; one.outputOffset < 16; ++one.outputOffset)
      {
        one.isInside = random() % 2 == 0;
        one.isInPlace = random() % 8 == 0;
        ASSERT_TRUE((IsSameAsLoop<std::uint32_t, TypeParam>(executor, one, random))) << one << ", seed 51000";
        one.isInside = !one.isInside;
        one.isInPlace = random() % 8 == 0;
        ASSERT_TRUE((IsSameAsLoop<std::uint64_t, TypeParam>(executor, one, random)))
          << one << ", 64-bit indices, seed 51000";
      }
    }
  }
}

// The images have more pixels than the threads of a warp, or of a thread block, write at the same time.
TYPED_TEST(CudaConnectedComponentsFillPixels, LongAndManyRows)
{
  std::mt19937       random(52000);
  const HostExecutor executor;
  for (const Grid & size : { Grid{ 5000, 3, 2 },
                             { 4096, 2, 2 },
                             { 4099, 5, 1 },
                             { 40001, 1, 1 },
                             { 33, 300, 2 },
                             { 1, 9000, 1 },
                             { 2, 1500, 3 },
                             { 96, 70, 3 },
                             { 8191, 2, 1 } })
  {
    for (int repetition = 0; repetition < 6; ++repetition)
    {
      FillCase one;
      one.size = size;
      one.inputOffset = repetition == 0 ? 0 : random() % 16;
      one.outputOffset = repetition == 0 ? 0 : repetition % 2 == 0 ? one.inputOffset : random() % 16;
      one.isInPlace = repetition == 5;
      one.isInside = random() % 2 == 0;
      ASSERT_TRUE((IsSameAsLoop<std::uint32_t, TypeParam>(executor, one, random))) << one << ", seed 52000";
      ASSERT_TRUE((IsSameAsLoop<std::uint64_t, TypeParam>(executor, one, random)))
        << one << ", 64-bit indices, seed 52000";
    }
  }
}

// Threads write neighboring cells at the same time.
TYPED_TEST(CudaConnectedComponentsFillPixels, SeveralThreads)
{
  std::mt19937       random(53000);
  const HostExecutor executor(ThreadPool::For());
  FillCase           one;
  one.size = { 150001, 3, 2 };
  for (const std::uint64_t offset : { 0, 3 })
  {
    one.inputOffset = 1;
    one.outputOffset = offset;
    one.isInPlace = offset != 0;
    ASSERT_TRUE((IsSameAsLoop<std::uint32_t, TypeParam>(executor, one, random))) << one << ", seed 53000";
  }
}

/** Expects that StoreMask() writes the bits of the components that have labels. */
template <typename TRowGroup, typename TRun>
void
ExpectStoredMask(const TestImage & image, bool fullyConnected, unsigned int seed)
{
  using namespace itk::ccl;
  std::mt19937       random(seed);
  const Labels       itk = LabelByItk(image, fullyConnected);
  const Grid         size{ image.size[0], image.size[1], image.size[2] };
  const bool         isComplement = random() % 2 == 0;
  const TestImage    input = isComplement ? ComplementOf(image) : image;
  std::vector<Word>  bits(WordsOf(size).Count());
  const HostExecutor executor;
  const auto         grouped = PackRowGroups<TRowGroup>(executor, input.pixels.data(), size, bits.data(), isComplement);
  const auto         runs = LabelRuns<TRun>(executor,
                                    grouped.groups,
                                    TRowGroup::IsOneRow ? Neighbors::Face : Neighbors::Full,
                                    RunCapacity::AtMost(MostRunsOf(grouped.groups)));
  ASSERT_EQ(runs.componentCount.GetOrZero(), itk.objectCount);
  std::vector<bool> isKept(itk.objectCount);
  for (std::uint64_t component = 0; component < itk.objectCount; ++component)
  {
    isKept[component] = random() % 2 == 0;
  }
  for (std::uint64_t run = 0; run < runs.runCount.GetOrZero(); ++run)
  {
    TRun & label = runs.ranks[run];
    label = isKept[label] ? label : NoLabel<TRun>;
  }
  std::vector<Word> mask(bits.size(), 0xAAAAAAAAU);
  StoreMask(executor, runs.GetIndexed(), runs.GetRanks(), mask.data());

  std::vector<Word> expected(bits.size(), 0);
  for (std::uint64_t i = 0; i < image.pixels.size(); ++i)
  {
    const std::uint64_t x = i % size.x;
    if (itk.pixels[i] != 0 && isKept[itk.pixels[i] - 1])
    {
      expected[i / size.x * WordsOf(size).x + x / 32] |= Word{ 1 } << x % 32;
    }
  }
  EXPECT_EQ(mask == expected, true) << image.name << (fullyConnected ? ", full" : ", face")
                                    << (isComplement ? ", complement" : "") << ", runs of " << sizeof(TRun)
                                    << " bytes, seed " << seed;
}

// Images of more than 2^32 pixels use runs of 64 bits.
TEST(CudaConnectedComponentsStoreMask, RunsOf32And64Bits)
{
  unsigned int seed = 54000;
  for (const auto & size : std::vector<std::array<std::uint64_t, 3>>{
         { 1, 1, 1 }, { 31, 5, 1 }, { 33, 6, 1 }, { 130, 37, 1 }, { 64, 31, 5 }, { 65, 30, 8 }, { 1, 9, 50 } })
  {
    for (const unsigned int density : { 0U, 20U, 45U, 80U, 100U })
    {
      const TestImage image = MakeRandom(size, density, 1 + seed % 3, seed);
      itk::ccl::VisitRowGroup({ size[0], size[1], size[2] }, itk::ccl::Neighbors::Full, [&](auto group) {
        ExpectStoredMask<decltype(group), std::uint32_t>(image, true, seed);
        ExpectStoredMask<decltype(group), std::uint64_t>(image, true, seed + 1);
      });
      ExpectStoredMask<itk::ccl::SingleRow, std::uint32_t>(image, false, seed + 2);
      ExpectStoredMask<itk::ccl::SingleRow, std::uint64_t>(image, false, seed + 3);
      seed += 4;
    }
  }
}

class CudaConnectedComponentsMaskRows : public AnalysisTest
{};

/** The bits and the runs that the functions for packed rows pass. */
struct Passed
{
  std::vector<bool>          pixels;
  std::vector<std::uint32_t> labels;
  std::uint64_t              maskCount = 0;
  std::uint64_t              runCount = 0;
};

Passed
Pass(const CudaConnectedComponentLabeler & labeler, const TestImage & image)
{
  const std::uint64_t       columns = image.size[0];
  std::vector<std::uint8_t> pixels(image.pixels.size(), 9);
  Passed                    passed;
  passed.labels.assign(image.pixels.size(), 99);
  const auto packRow = [&](std::uint64_t row, std::uint32_t * words) {
    CudaConnectedComponentLabeler::PackRow(image.pixels.data() + row * columns, columns, words);
  };
  passed.maskCount = labeler.MaskPackedRows(packRow, image.size, [&](std::uint64_t row, const std::uint32_t * words) {
    std::uint64_t last = 0;
    CudaConnectedComponentLabeler::ForEachRange(
      words, columns, [&](std::uint64_t begin, std::uint64_t end, bool isInside) {
        EXPECT_EQ(begin, last);
        last = end;
        std::fill(pixels.begin() + row * columns + begin, pixels.begin() + row * columns + end, isInside);
      });
    EXPECT_EQ(last, columns);
    if (columns % 32 != 0)
    {
      EXPECT_EQ(words[columns / 32] >> columns % 32, 0U);
    }
  });
  passed.pixels.assign(pixels.begin(), pixels.end());
  passed.runCount = labeler.VisitRunsOfPackedRows(
    packRow, image.size, [&](std::uint64_t row, const std::vector<CudaConnectedComponentLabeler::Run> & runs) {
      auto * const labels = passed.labels.data() + row * columns;
      std::fill(labels, labels + columns, 0);
      for (std::size_t i = 0; i < runs.size(); ++i)
      {
        EXPECT_TRUE(runs[i].begin < runs[i].end && (i == 0 || runs[i - 1].end < runs[i].begin));
        std::fill(labels + runs[i].begin, labels + runs[i].end, static_cast<std::uint32_t>(runs[i].component + 1));
      }
    });
  return passed;
}

/** Makes an image of which most rows are empty. The other rows have one run each, and many of the runs lie at the end
 * of the row. */
TestImage
MakeSparseRows(const CudaConnectedComponentLabeler::SizeType & size, unsigned int seed)
{
  TestImage    image = MakeRandom(size, 0, 1, seed);
  std::mt19937 random(seed);
  for (auto row = image.pixels.begin(); row != image.pixels.end(); row += static_cast<std::ptrdiff_t>(size[0]))
  {
    if (random() % 5 == 0)
    {
      const std::uint64_t length = 1 + random() % std::min<std::uint64_t>(size[0], 40);
      const std::uint64_t begin = random() % 2 == 0 ? size[0] - length : random() % (size[0] - length + 1);
      std::fill_n(row + static_cast<std::ptrdiff_t>(begin), length, std::uint8_t{ 1 });
    }
  }
  image.name = "sparse rows, seed " + std::to_string(seed);
  return image;
}

TEST_P(CudaConnectedComponentsMaskRows, RowsOfBitsAndRuns)
{
  if (GetParam() == AnalysisWay::DeviceToDevice)
  {
    GTEST_SKIP() << "packed rows are in host memory";
  }
  unsigned int seed = 33000;
  for (const CudaConnectedComponentLabeler::SizeType size : { CudaConnectedComponentLabeler::SizeType{ 1, 1, 1 },
                                                              { 32, 5, 4 },
                                                              { 65, 33, 1 },
                                                              { 31, 17, 9 },
                                                              { 300, 871, 1 },
                                                              { 300, 70, 41 } })
  {
    seed += 2;
    for (const TestImage & image :
         { MakeRandom(size, 20, 2, seed - 1), MakeRandom(size, 55, 1, seed), MakeSparseRows(size, seed) })
    {
      for (const bool fullyConnected : { false, true })
      {
        const Labels                  itk = LabelByItk(image, fullyConnected);
        const auto                    table = MeasureByLoop(image, itk);
        CudaConnectedComponentLabeler labeler = LabelerFor(GetParam(), fullyConnected);
        for (const CudaConnectedComponentSelection & selection : SelectionsFor(table, image, seed))
        {
          if (selection.pixelOrder != PixelOrderEnum::Raster)
          {
            continue;
          }
          const auto                 rows = SelectByLoop(table, selection, FindSeeded(selection, image, itk));
          std::vector<std::uint32_t> newLabels(itk.objectCount + 1, 0);
          for (std::uint64_t i = 0; i < rows.size(); ++i)
          {
            newLabels[rows[i] + 1] = static_cast<std::uint32_t>(i + 1);
          }
          std::vector<std::uint32_t> expected;
          for (const std::uint32_t label : itk.pixels)
          {
            expected.push_back(newLabels[label]);
          }
          labeler.options.selection = selection;
          const Passed      passed = Pass(labeler, image);
          const std::string what = image.name + ", " + Describe(selection);
          EXPECT_EQ(passed.pixels, PixelsOf(itk, rows)) << what;
          EXPECT_EQ(passed.labels, expected) << what;
          EXPECT_EQ(passed.maskCount, rows.size()) << what;
          EXPECT_EQ(passed.runCount, rows.size()) << what;
        }
      }
    }
  }
}

// The exceptions of the caller's functions reach the caller.
TEST_P(CudaConnectedComponentsMaskRows, ExceptionsOfVisitors)
{
  if (GetParam() == AnalysisWay::DeviceToDevice)
  {
    GTEST_SKIP() << "packed rows are in host memory";
  }
  const TestImage image = MakeRandom({ 100, 80, 70 }, 50, 1, 37001);
  const auto      packRow = [&](std::uint64_t row, std::uint32_t * words) {
    CudaConnectedComponentLabeler::PackRow(image.pixels.data() + row * 100, 100, words);
  };
  const CudaConnectedComponentLabeler labeler = LabelerFor(GetParam(), true);
  const auto                          throwAtRow = [](std::uint64_t row) {
    if (row == 4321)
    {
      throw std::domain_error("row 4321");
    }
  };
  EXPECT_THROW(
    labeler.MaskPackedRows(packRow, image.size, [&](std::uint64_t row, const std::uint32_t *) { throwAtRow(row); }),
    std::domain_error);
  EXPECT_THROW(labeler.VisitRunsOfPackedRows(
                 packRow,
                 image.size,
                 [&](std::uint64_t row, const std::vector<CudaConnectedComponentLabeler::Run> &) { throwAtRow(row); }),
               std::domain_error);
}

/** Passes the runs of an image, and calls another function before it reads them.
 * \return the label of each pixel */
std::vector<std::uint32_t>
LabelsOfRuns(const CudaConnectedComponentLabeler & labeler,
             const TestImage &                     image,
             const std::function<void()> &         beforeRuns)
{
  const std::uint64_t        columns = image.size[0];
  std::vector<std::uint32_t> labels(image.pixels.size(), 0);
  const auto                 packRow = [&](std::uint64_t row, std::uint32_t * words) {
    CudaConnectedComponentLabeler::PackRow(image.pixels.data() + row * columns, columns, words);
  };
  labeler.VisitRunsOfPackedRows(
    packRow, image.size, [&](std::uint64_t row, const std::vector<CudaConnectedComponentLabeler::Run> & runs) {
      beforeRuns();
      for (std::size_t i = 0; i < runs.size(); ++i)
      {
        ASSERT_LT(runs[i].begin, runs[i].end);
        ASSERT_LE(runs[i].end, columns);
        std::fill(labels.begin() + row * columns + runs[i].begin,
                  labels.begin() + row * columns + runs[i].end,
                  static_cast<std::uint32_t>(runs[i].component + 1));
      }
    });
  return labels;
}

// The functions of the caller may call the labeler for another image.
TEST_P(CudaConnectedComponentsMaskRows, NestedCalls)
{
  if (GetParam() == AnalysisWay::DeviceToDevice)
  {
    GTEST_SKIP() << "packed rows are in host memory";
  }
  const TestImage outer = MakeRandom({ 130, 21, 2 }, 40, 1, 37002);
  const Labels    itk = LabelByItk(outer, true);
  // The inner images have more runs in a row than the outer image, or fewer.
  const TestImage inner[] = { MakeCheckerboard({ 500, 3, 1 }), MakeImage("full", { 40, 2, 2 }, 1) };
  // The thread pool does not run a loop in a loop.
  const AnalysisWay innerWay =
    GetParam() == AnalysisWay::HostToHost ? AnalysisWay::HostToHost : AnalysisWay::HostSequential;
  const CudaConnectedComponentLabeler labeler = LabelerFor(GetParam(), true);
  const CudaConnectedComponentLabeler innerLabeler = LabelerFor(innerWay, false);
  for (const TestImage & image : inner)
  {
    const std::vector<std::uint32_t> expected = LabelByItk(image, false).pixels;
    const auto                       visitInner = [&] {
      EXPECT_EQ(LabelsOfRuns(innerLabeler, image, [] {}) == expected, true) << image.name;
    };
    EXPECT_EQ(LabelsOfRuns(labeler, outer, visitInner) == itk.pixels, true) << image.name;
    // Another inner call throws, and the next calls must not notice it.
    const auto throwInInner = [&] { LabelsOfRuns(innerLabeler, image, [] { throw std::domain_error("inner"); }); };
    EXPECT_THROW(LabelsOfRuns(labeler, outer, throwInInner), std::domain_error);
    EXPECT_EQ(LabelsOfRuns(labeler, outer, [] {}) == itk.pixels, true) << image.name;
  }
}

/** An image with large and small boxes. Its output gets untouched memory, which the labeler need not clear. */
class BoxesOfDoubles
{
public:
  static constexpr std::uint64_t LargeBox = 40 * 20 * 5; // pixels
  static constexpr std::uint64_t LargeBoxes = 29;

  const CudaConnectedComponentLabeler::SizeType size{ 512, 300, 30 };
  std::vector<double>                           pixels;

  BoxesOfDoubles()
    : pixels(size[0] * size[1] * size[2], 0.0)
  {
    for (std::uint64_t box = 0; box < 144; ++box)
    {
      this->Set(pixels, box, box % 5 == 0 ? 1.5 + static_cast<double>(box) : -1.0);
    }
  }

  /** Returns an image with large boxes. Their pixels are those of this image, or `inside` if `isInside`. */
  std::vector<double>
  WithLargeBoxes(std::vector<double> other, bool isInside, double inside) const
  {
    for (std::uint64_t box = 0; box < 144; box += 5)
    {
      this->Set(other, box, isInside ? inside : 1.5 + static_cast<double>(box));
    }
    return other;
  }

private:
  void
  Set(std::vector<double> & image, std::uint64_t box, double value) const
  {
    const std::uint64_t begin[] = { box % 8 * 64 + 5, box / 8 % 6 * 50 + 7, box / 48 * 10 + 2 };
    const std::uint64_t small[] = { 3, 2, 1 };
    const std::uint64_t large[] = { 40, 20, 5 };
    const auto &        sides = box % 5 == 0 ? large : small;
    for (std::uint64_t z = begin[2]; z < begin[2] + sides[2]; ++z)
    {
      for (std::uint64_t y = begin[1]; y < begin[1] + sides[1]; ++y)
      {
        const auto row = image.begin() + (begin[0] + size[0] * (y + size[1] * z));
        std::fill(row, row + sides[0], value);
      }
    }
  }
};

TEST_P(CudaConnectedComponentsMaskRows, UntouchedOutput)
{
  if (GetParam() == AnalysisWay::DeviceToDevice)
  {
    GTEST_SKIP() << "the option is for host memory";
  }
  const BoxesOfDoubles image;
  const std::uint64_t  n = image.pixels.size();
  const std::uint64_t  bytes = n * sizeof(double);
  ASSERT_GE(bytes, itk::ccl::Tuning::HostUntouchedBytes) << "the test needs a larger image";
  CudaConnectedComponentLabeler labeler = LabelerFor(GetParam(), true);
  labeler.options.outputIsUntouched = true;
  labeler.options.selection.minimumSize = BoxesOfDoubles::LargeBox;
  struct Case
  {
    const char * name;
    bool         isInside;
    double       value;
    bool         isInPlace;
  };
  // -0.0 has bits that are not 0.
  for (const Case & one : { Case{ "outside 0", false, 0.0, false },
                            { "outside 4", false, 4.0, false },
                            { "outside -0", false, -0.0, false },
                            { "inside 0", true, 0.0, false },
                            { "outside 0, in place", false, 0.0, true },
                            { "inside 0, in place", true, 0.0, true } })
  {
    const std::unique_ptr<double[]> output(new double[n]); // not initialized
    const double *                  input = image.pixels.data();
    if (one.isInPlace)
    {
      std::copy(image.pixels.begin(), image.pixels.end(), output.get());
      input = output.get();
    }
    EXPECT_EQ(one.isInside ? labeler.Fill(View::Of(input, image.size), View::Of(output.get(), image.size), one.value)
                           : labeler.Mask(View::Of(input, image.size), View::Of(output.get(), image.size), one.value),
              BoxesOfDoubles::LargeBoxes)
      << one.name;
    const std::vector<double> expected =
      image.WithLargeBoxes(one.isInside ? image.pixels : std::vector<double>(n, one.value), one.isInside, one.value);
    EXPECT_EQ(std::memcmp(output.get(), expected.data(), bytes), 0) << one.name;
  }
}

INSTANTIATE_TEST_SUITE_P(Ways,
                         CudaConnectedComponentsMaskRows,
                         testing::ValuesIn(AllWays),
                         [](const testing::TestParamInfo<AnalysisWay> & instance) { return NameOf(instance.param); });

} // namespace
