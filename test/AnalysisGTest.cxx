// SPDX-License-Identifier: Apache-2.0

// Tests of the table of components, of their selection and of their order.

#include "AnalysisTestSupport.h"
#include "DenseImages.h"
#include "ScanTest.h"
#include "ThreadPool.h"

#include "algorithms/analysis/ExportRows.h"
#include "algorithms/runs/PackForeground.h"
#include "algorithms/runs/RunUnionFind.h"
#include "executors/host/HostExecutor.h"

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <thread>

namespace
{

using View = itk::CudaConnectedComponentImageView;

/** Labels an image. Returns the labels and the number of objects. */
template <typename TOutput>
std::pair<std::vector<TOutput>, std::uint64_t>
Label(AnalysisWay                           way,
      const CudaConnectedComponentLabeler & labeler,
      const TestImage &                     image,
      TOutput                               background,
      CudaConnectedComponentTable *         table)
{
  std::vector<TOutput> labels(image.pixels.size(), TOutput{ 99 });
  if (way != AnalysisWay::DeviceToDevice)
  {
    const std::uint64_t count =
      labeler.Label(View::Of(image.pixels.data(), image.size), View::Of(labels.data(), image.size), background, table);
    return { labels, count };
  }
  const std::uint64_t bytes = labels.size() * sizeof(TOutput);
  const auto          input = CudaTestSupport::AllocateDevice(image.pixels.size());
  const auto          output = CudaTestSupport::AllocateDevice(bytes);
  CudaTestSupport::CopyToDevice(input.get(), image.pixels.data(), image.pixels.size());
  const std::uint64_t count = labeler.Label(View::OnDevice(static_cast<const std::uint8_t *>(input.get()), image.size),
                                            View::OnDevice(static_cast<TOutput *>(output.get()), image.size),
                                            background,
                                            table);
  CudaTestSupport::CopyToHost(labels.data(), output.get(), bytes);
  return { labels, count };
}

CudaConnectedComponentTable
Measure(AnalysisWay way, const CudaConnectedComponentLabeler & labeler, const TestImage & image)
{
  if (way != AnalysisWay::DeviceToDevice)
  {
    return labeler.Measure(View::Of(image.pixels.data(), image.size));
  }
  const auto input = CudaTestSupport::AllocateDevice(image.pixels.size());
  CudaTestSupport::CopyToDevice(input.get(), image.pixels.data(), image.pixels.size());
  return labeler.Measure(View::OnDevice(static_cast<const std::uint8_t *>(input.get()), image.size));
}

class CudaConnectedComponentsAnalysis : public AnalysisTest
{
protected:
  /** Compares with ITK and loops. The labeler gets the image, or its complement. */
  static void
  ExpectTableAndSelections(const TestImage & image, unsigned int seed)
  {
    std::mt19937 random(seed);
    for (const bool fullyConnected : { false, true })
    {
      const bool                        isComplement = random() % 3 == 0;
      const TestImage                   input = isComplement ? ComplementOf(image) : image;
      const Labels                      itk = LabelByItk(image, fullyConnected);
      const CudaConnectedComponentTable inRaster = MeasureByLoop(image, itk);
      const CudaConnectedComponentTable inTransposed = MeasureByLoop(image, itk, PixelOrderEnum::TransposedRaster);
      CudaConnectedComponentLabeler     labeler = LabelerFor(GetParam(), fullyConnected);
      labeler.options.complement = isComplement;
      for (const CudaConnectedComponentSelection & selection : SelectionsFor(inRaster, image, seed))
      {
        const auto &      expected = selection.pixelOrder == PixelOrderEnum::Raster ? inRaster : inTransposed;
        const std::string what = image.name + (fullyConnected ? ", full, " : ", face, ") +
                                 (isComplement ? "complement, " : "") + Describe(selection);
        const auto rows = SelectByLoop(expected, selection, FindSeeded(selection, image, itk));
        labeler.options.selection = selection;
        labeler.options.columns = AllColumns();
        CudaConnectedComponentTable table;
        const auto [labels, count] = Label<std::uint32_t>(GetParam(), labeler, input, 0, &table);
        EXPECT_EQ(count, rows.size()) << what;
        ExpectRows(table, expected, rows, labeler.options.columns, what);
        EXPECT_EQ(labels, LabelsOf(itk, rows)) << what;

        labeler.options.columns = { seed % 2 == 0, seed % 3 == 0, seed % 5 == 0, seed % 7 == 0, false, seed % 4 == 0 };
        ExpectRows(
          Measure(GetParam(), labeler, input), expected, rows, labeler.options.columns, what + ", without labels");
        EXPECT_EQ(Label<std::uint32_t>(GetParam(), labeler, input, 0, nullptr).first, labels)
          << what << ", without a table";
      }
    }
  }

private:
  /** Returns the labels of the components of some rows, in the order of the rows. */
  static std::vector<std::uint32_t>
  LabelsOf(const Labels & itk, const std::vector<std::uint64_t> & rows)
  {
    std::vector<std::uint32_t> newLabels(itk.objectCount + 1, 0);
    for (std::uint64_t i = 0; i < rows.size(); ++i)
    {
      newLabels[rows[i] + 1] = static_cast<std::uint32_t>(i + 1);
    }
    std::vector<std::uint32_t> labels(itk.pixels.size());
    std::transform(itk.pixels.begin(), itk.pixels.end(), labels.begin(), [&](auto label) { return newLabels[label]; });
    return labels;
  }
};

TEST_P(CudaConnectedComponentsAnalysis, EveryPlaneUpTo9)
{
  unsigned int seed = 11001;
  for (std::uint64_t y = 1; y <= 9; ++y)
  {
    for (std::uint64_t x = 1; x <= 9; ++x, ++seed)
    {
      ExpectTableAndSelections(MakeRandom({ x, y, 1 }, 20 + 10 * (seed % 6), 1 + seed % 2, seed), seed);
    }
  }
}

TEST_P(CudaConnectedComponentsAnalysis, EveryVolumeUpTo4)
{
  unsigned int seed = 12001;
  for (std::uint64_t z = 1; z <= 4; ++z)
  {
    for (std::uint64_t y = 1; y <= 4; ++y)
    {
      for (std::uint64_t x = 1; x <= 4; ++x, ++seed)
      {
        ExpectTableAndSelections(MakeRandom({ x, y, z }, 5 + 9 * (seed % 7), 1, seed), seed);
      }
    }
  }
}

TEST_P(CudaConnectedComponentsAnalysis, SampleOfSizesDensitiesAndGranularities)
{
  std::mt19937 random(13001);
  for (unsigned int seed = 13001; seed < 13041; ++seed)
  {
    const bool                         isPlane = seed % 2 == 0;
    const auto                         side = [&] { return std::uint64_t{ 1 + random() % (isPlane ? 170 : 45) }; };
    const std::array<std::uint64_t, 3> size{ side(), side(), isPlane ? 1 : side() };
    ExpectTableAndSelections(MakeRandom(size, random() % 101, 1 + random() % 6, seed), seed);
  }
}

TEST_P(CudaConnectedComponentsAnalysis, Shapes)
{
  unsigned int seed = 14001;
  for (const TestImage & image : MakeShapes())
  {
    ExpectTableAndSelections(image, seed++);
  }
}

TEST_P(CudaConnectedComponentsAnalysis, SeveralThreadBlocksAndChunks)
{
  ExpectTableAndSelections(MakeRandom({ 1031, 257, 1 }, 50, 1, 15001), 15001);
  ExpectTableAndSelections(MakeRandom({ 131, 67, 43 }, 30, 1, 15002), 15002);
  ExpectTableAndSelections(MakeRandom({ 129, 130, 65 }, 40, 5, 15003), 15003);
  ExpectTableAndSelections(MakeRandom({ 3, 5, 7001 }, 40, 1, 15004), 15004);
  ExpectTableAndSelections(MakeRandom({ 100003, 1, 1 }, 50, 1, 15005), 15005);
  ExpectTableAndSelections(MakeRandom({ 1, 100003, 1 }, 50, 1, 15006), 15006);
  ExpectTableAndSelections(MakeImage("all foreground", { 301, 203, 11 }, 1), 15007);
}

// Two large components that alternate along x, and specks between them.
TEST_P(CudaConnectedComponentsAnalysis, TwoLargeComponentsInNoise)
{
  TestImage image = MakeRandom({ 256, 131, 17 }, 5, 1, 16001);
  for (std::uint64_t z = 0; z < image.size[2]; ++z)
  {
    for (std::uint64_t y = 0; y < image.size[1]; ++y)
    {
      for (std::uint64_t x = 0; x < image.size[0]; x += 4)
      {
        const bool isSpine = y == (x % 8 == 0 ? 0 : image.size[1] - 1);
        for (std::uint64_t i = 0; i < (isSpine ? 4U : 1U); ++i)
        {
          image.pixels[image.IndexOf(x + i, y, z)] = 1;
        }
      }
    }
  }
  image.name += " with two combs";
  ExpectTableAndSelections(image, 16001);
}

// The sum of the squares of x is about 2^66 / 3.
TEST_P(CudaConnectedComponentsAnalysis, SumsBeyond64Bits)
{
  const TestImage               image = MakeImage("a long row", { std::uint64_t{ 1 } << 22, 1, 1 }, 1);
  CudaConnectedComponentLabeler labeler = LabelerFor(GetParam(), false);
  labeler.options.columns = AllColumns();
  const CudaConnectedComponentTable table = Measure(GetParam(), labeler, image);
  ASSERT_EQ(table.componentCount, 1U);
  itk::ccl::UInt128 squares = 0;
  for (std::uint64_t x = 0; x < image.size[0]; ++x)
  {
    squares += x * x;
  }
  EXPECT_EQ(table.products[0][0].low, static_cast<std::uint64_t>(squares));
  EXPECT_EQ(table.products[0][0].high, static_cast<std::uint64_t>(squares >> 64));
  EXPECT_EQ(table.products[0][0].high, 1U);
  EXPECT_EQ(table.sums[0][0].low, (image.size[0] - 1) * image.size[0] / 2);
  EXPECT_DOUBLE_EQ(table.products[0][0].ToDouble(), static_cast<double>(squares));
}

TEST_P(CudaConnectedComponentsAnalysis, MoreThanAMillionComponents)
{
  const TestImage image = MakeRandom({ 257, 255, 223 }, 12, 1, 17001);
  const Labels    itk = LabelByItk(image, false);
  ASSERT_GT(itk.objectCount, std::uint64_t{ 1 } << 20);
  const auto                      expected = MeasureByLoop(image, itk);
  CudaConnectedComponentLabeler   labeler = LabelerFor(GetParam(), false);
  CudaConnectedComponentSelection selection;
  selection.numberOfLargest = 200;
  selection.order = OrderEnum::Size;
  labeler.options.selection = selection;
  labeler.options.columns = AllColumns();
  const auto                  rows = SelectByLoop(expected, selection);
  CudaConnectedComponentTable table;
  // Only the labels that are written must fit the type of the output.
  const auto [labels, count] = Label<std::uint8_t>(GetParam(), labeler, image, 0, &table);
  EXPECT_EQ(count, 200U);
  ExpectRows(table, expected, rows, labeler.options.columns, "200 largest");
  std::vector<std::uint64_t> sizes(201, 0);
  for (const std::uint8_t label : labels)
  {
    ASSERT_LE(label, 200);
    ++sizes[label];
  }
  EXPECT_EQ(std::vector<std::uint64_t>(sizes.begin() + 1, sizes.end()), table.pixelCounts);

  labeler.options.selection.numberOfLargest = 256;
  ExpectError(KindEnum::TooManyObjects,
              "Number of objects (256) greater than maximum of output pixel type (255).",
              [&] { Label<std::uint8_t>(GetParam(), labeler, image, 0, &table); });
  labeler.options.selection = {};
  ExpectRows(Measure(GetParam(), labeler, image), expected, SelectByLoop(expected, {}), AllColumns(), "all");
}

// Rejected components get the background value, also a negative one in a wide type.
TEST_P(CudaConnectedComponentsAnalysis, BackgroundValuesAreSkippedByTheLabels)
{
  const TestImage               image = MakeRandom({ 67, 45, 7 }, 20, 1, 18001);
  const Labels                  itk = LabelByItk(image, true);
  const auto                    expected = MeasureByLoop(image, itk);
  CudaConnectedComponentLabeler labeler = LabelerFor(GetParam(), true);
  labeler.options.selection.minimumSize = 3;
  labeler.options.selection.order = OrderEnum::Size;
  const auto rows = SelectByLoop(expected, labeler.options.selection);
  ASSERT_GT(rows.size(), 9U);
  for (const std::int64_t background : { -3, 0, 5 })
  {
    std::vector<std::int64_t> newLabels(itk.objectCount + 1, background);
    for (std::uint64_t i = 0; i < rows.size(); ++i)
    {
      const auto label = static_cast<std::int64_t>(i);
      newLabels[rows[i] + 1] = background >= 0 && label >= background ? label + 1 : label;
    }
    const auto labels = Label<std::int64_t>(GetParam(), labeler, image, background, nullptr).first;
    for (std::uint64_t i = 0; i < labels.size(); ++i)
    {
      ASSERT_EQ(labels[i], newLabels[itk.pixels[i]]) << "background " << background << ", pixel " << i;
    }
  }
}

// Without a table, published algorithms write the labels of an image directly.
TEST_P(CudaConnectedComponentsAnalysis, EveryAlgorithmGivesTheSameLabelsAndTable)
{
  for (const CudaConnectedComponentLabeler::SizeType & size :
       std::vector<CudaConnectedComponentLabeler::SizeType>{ { 20, 11, 5 }, { 67, 21, 1 }, { 65, 43, 9 } })
  {
    const TestImage image = MakeRandom(size, 25, 2, 19001);
    for (const bool fullyConnected : { false, true })
    {
      const Labels itk = LabelByItk(image, fullyConnected);
      const auto   expected = MeasureByLoop(image, itk);
      for (const bool isComplement : { false, true })
      {
        const TestImage               input = isComplement ? ComplementOf(image) : image;
        CudaConnectedComponentLabeler labeler = LabelerFor(GetParam(), fullyConnected);
        labeler.options.columns = AllColumns();
        labeler.options.complement = isComplement;
        for (const auto & row : itk::CudaConnectedComponentAlgorithms::GetAll())
        {
          if (row.needsFullConnectivity && !fullyConnected)
          {
            continue;
          }
          const std::string what = image.name + ", " + row.identifier + (fullyConnected ? ", full" : ", face") +
                                   (isComplement ? ", complement" : "");
          labeler.options.algorithm = row.algorithm;
          CudaConnectedComponentTable table;
          EXPECT_EQ(Label<std::uint32_t>(GetParam(), labeler, input, 0, &table).first == itk.pixels, true) << what;
          ExpectRows(table, expected, SelectByLoop(expected, {}), AllColumns(), what);
          const auto [labels, count] = Label<std::uint32_t>(GetParam(), labeler, input, 0, nullptr);
          EXPECT_EQ(labels == itk.pixels, true) << what << ", without a table";
          EXPECT_EQ(count, itk.objectCount) << what << ", without a table";
          ExpectRows(Measure(GetParam(), labeler, input),
                     expected,
                     SelectByLoop(expected, {}),
                     AllColumns(),
                     what + ", measured");
        }
      }
    }
  }
}

TEST_P(CudaConnectedComponentsAnalysis, ComplementOfPackedRows)
{
  if (GetParam() == AnalysisWay::DeviceToDevice)
  {
    GTEST_SKIP() << "packed rows are in host memory";
  }
  unsigned int seed = 24001;
  for (const CudaConnectedComponentLabeler::SizeType & size : std::vector<CudaConnectedComponentLabeler::SizeType>{
         { 1, 1, 1 }, { 31, 5, 1 }, { 32, 9, 4 }, { 65, 33, 3 }, { 300, 70, 41 } })
  {
    const TestImage image = MakeRandom(size, 30, 1 + seed % 2, seed);
    const TestImage complement = ComplementOf(image);
    ++seed;
    for (const bool fullyConnected : { false, true })
    {
      const Labels                  itk = LabelByItk(image, fullyConnected);
      CudaConnectedComponentLabeler labeler = LabelerFor(GetParam(), fullyConnected);
      labeler.options.complement = true;
      labeler.options.columns = AllColumns();
      const auto packRow = [&](std::uint64_t row, std::uint32_t * words) {
        CudaConnectedComponentLabeler::PackRow(complement.pixels.data() + row * size[0], size[0], words);
      };
      std::vector<std::uint32_t> labels(image.pixels.size(), 99);
      EXPECT_EQ(labeler.LabelPackedRows(packRow, View::Of(labels.data(), size)), itk.objectCount) << image.name;
      EXPECT_EQ(labels == itk.pixels, true) << image.name << (fullyConnected ? ", full" : ", face");
      const auto expected = MeasureByLoop(image, itk);
      ExpectRows(labeler.MeasurePackedRows(packRow, size),
                 expected,
                 SelectByLoop(expected, {}),
                 AllColumns(),
                 image.name + (fullyConnected ? ", full" : ", face"));
    }
  }
}

// A volume of full rows: runs of 2 x 2 rows with sums of 128 bits.
TEST_P(CudaConnectedComponentsAnalysis, SumsBeyond64BitsOfRowGroups)
{
  const TestImage               image = MakeImage("long rows", { std::uint64_t{ 1 } << 21, 3, 2 }, 1);
  CudaConnectedComponentLabeler labeler = LabelerFor(GetParam(), true);
  labeler.options.columns = AllColumns();
  const Labels labels{ std::vector<std::uint32_t>(image.pixels.size(), 1), 1 };
  ExpectRows(Measure(GetParam(), labeler, image), MeasureByLoop(image, labels), { 0 }, AllColumns(), image.name);
}

TEST_P(CudaConnectedComponentsAnalysis, SelectionsThatKeepNothingOrEverything)
{
  const TestImage                              image = MakeRandom({ 77, 35, 5 }, 30, 1, 21001);
  const auto                                   expected = MeasureByLoop(image, LabelByItk(image, false));
  std::vector<CudaConnectedComponentSelection> selections(4);
  selections[0].minimumSize = 5;
  selections[0].maximumSize = 4;
  selections[1].minimumSize = ~std::uint64_t{ 0 };
  selections[2].numberOfLargest = ~std::uint64_t{ 0 };
  selections[3].maximumSize = 0;
  selections[3].order = OrderEnum::Size;
  for (const auto & selection : selections)
  {
    CudaConnectedComponentLabeler labeler = LabelerFor(GetParam(), false);
    labeler.options.selection = selection;
    labeler.options.columns = AllColumns();
    CudaConnectedComponentTable table;
    const auto                  rows = SelectByLoop(expected, selection);
    const auto [labels, count] = Label<std::uint16_t>(GetParam(), labeler, image, 7, &table);
    EXPECT_EQ(count, rows.size());
    ExpectRows(table, expected, rows, AllColumns(), Describe(selection));
    const auto background = std::count(labels.begin(), labels.end(), 7);
    EXPECT_EQ(static_cast<std::uint64_t>(image.pixels.size() - background),
              std::accumulate(table.pixelCounts.begin(), table.pixelCounts.end(), std::uint64_t{ 0 }));
  }
}

TEST_P(CudaConnectedComponentsAnalysis, RefusesANullOutput)
{
  const TestImage                     image = MakeImage("full", { 40, 30, 1 }, 1);
  const CudaConnectedComponentLabeler labeler = LabelerFor(GetParam(), false);
  std::uint16_t * const               output = nullptr;
  ExpectError(KindEnum::InvalidArgument, "the output is a null pointer", [&] {
    labeler.Label(View::Of(image.pixels.data(), image.size), View::Of(output, image.size));
  });
  ExpectError(KindEnum::InvalidArgument, "the output is a null pointer", [&] {
    labeler.Label(View::OnDevice(image.pixels.data(), image.size), View::OnDevice(output, image.size));
  });
}

TEST_P(CudaConnectedComponentsAnalysis, ProgressCanAbortAndLeavesTheTable)
{
  const TestImage               image = MakeRandom({ 130, 120, 9 }, 30, 1, 22001);
  CudaConnectedComponentLabeler labeler = LabelerFor(GetParam(), false);
  CudaConnectedComponentTable   table;
  table.componentCount = 77;
  labeler.options.progress = [](float progress) {
    if (progress > 0.2F && progress < 1.0F)
    {
      throw std::runtime_error("aborted");
    }
  };
  if (GetParam() != AnalysisWay::DeviceToDevice) // reports only the begin and the end
  {
    EXPECT_THROW(Label<std::uint32_t>(GetParam(), labeler, image, 0, &table), std::runtime_error);
    EXPECT_EQ(table.componentCount, 77U);
  }
}

TEST_P(CudaConnectedComponentsAnalysis, SixteenThreadsAtOnce)
{
  if (GetParam() == AnalysisWay::HostThreads)
  {
    GTEST_SKIP() << "only one thread at a time may start a loop of the thread pool";
  }
  std::vector<std::thread> threads;
  for (unsigned int thread = 0; thread < 16; ++thread)
  {
    threads.emplace_back([thread] {
      const TestImage image = MakeRandom({ 70 + thread, 41, 11 }, 30, 1 + thread % 3, 23001 + thread);
      const bool      fullyConnected = thread % 2 == 0;
      const auto      expected = MeasureByLoop(image, LabelByItk(image, fullyConnected));
      for (unsigned int repetition = 0; repetition < 4; ++repetition)
      {
        CudaConnectedComponentLabeler labeler = LabelerFor(GetParam(), fullyConnected);
        labeler.options.columns = AllColumns();
        labeler.options.selection.minimumSize = 1 + repetition;
        labeler.options.selection.order = repetition % 2 == 0 ? OrderEnum::Size : OrderEnum::FirstPixel;
        CudaConnectedComponentTable table;
        Label<std::uint32_t>(GetParam(), labeler, image, 0, &table);
        ExpectRows(table, expected, SelectByLoop(expected, labeler.options.selection), AllColumns(), image.name);
        if (repetition == thread % 4)
        {
          CudaConnectedComponentLabeler::TrimMemory();
        }
      }
    });
  }
  for (std::thread & thread : threads)
  {
    thread.join();
  }
}

TEST_P(CudaConnectedComponentsAnalysis, ImageWithoutPixelsHasAnEmptyTable)
{
  CudaConnectedComponentLabeler labeler = LabelerFor(GetParam(), false);
  labeler.options.columns = AllColumns();
  const std::uint8_t                pixel = 1;
  const CudaConnectedComponentTable table = labeler.Measure(View::Of(&pixel, { 0, 5, 5 }));
  EXPECT_EQ(table.componentCount, 0U);
  EXPECT_TRUE(table.pixelCounts.empty());
}

INSTANTIATE_TEST_SUITE_P(Ways,
                         CudaConnectedComponentsAnalysis,
                         testing::ValuesIn(AllWays),
                         [](const testing::TestParamInfo<AnalysisWay> & instance) { return NameOf(instance.param); });

TEST(CudaConnectedComponentsMeasureRuns, SumsOfEveryPatternOf12Pixels)
{
  using namespace itk::ccl;
  for (const unsigned int shift : { 0U, 7U, 20U })
  {
    for (Word pattern = 1; pattern < 4096; ++pattern)
    {
      const Word pixels = pattern << shift;
      Word       x = 0;
      Word       xx = 0;
      for (unsigned int bit = 0; bit < BitsPerWord; ++bit)
      {
        x += (pixels >> bit & 1U) * bit;
        xx += (pixels >> bit & 1U) * bit * bit;
      }
      const MeasureRuns::WordSums sums = MeasureRuns::SumsOf(pixels, CountBits(pixels));
      ASSERT_EQ(sums.x, x) << pixels;
      ASSERT_EQ(sums.xx, xx) << pixels;
    }
  }
  const MeasureRuns::WordSums all = MeasureRuns::SumsOf(~Word{ 0 }, 32);
  EXPECT_EQ(all.x, 496U);
  EXPECT_EQ(all.xx, 10416U);
}

// Images of more than 2^32 pixels use 64-bit run indices.
TEST(CudaConnectedComponentsAnalyzeRuns, SameTableWith64BitRuns)
{
  using namespace itk::ccl;
  const TestImage    image = MakeRandom({ 65, 43, 9 }, 25, 2, 20001);
  const auto         expected = MeasureByLoop(image, LabelByItk(image, true));
  const Grid         size{ image.size[0], image.size[1], image.size[2] };
  std::vector<Word>  bits(WordsOf(size).Count());
  const HostExecutor executor;
  const auto         grouped = PackRowGroups<VolumeRowGroup>(executor, image.pixels.data(), size, bits.data());
  Request            request;
  request.size = size;
  request.neighbors = Neighbors::Full;
  request.labelValues = LabelValues::For(0U);
  request.columns = AllColumns();
  request.wantsTable = true;
  request.output = OutputKind::Labels;
  auto runs = LabelRuns<std::uint64_t>(
    executor, grouped.groups, request.neighbors, RunCapacity::AtMost(MostRunsOf(grouped.groups)));
  const auto          selected = SelectComponentsOf(executor, std::move(runs), request);
  const std::uint64_t kept = selected.kept.GetOrZero();
  ASSERT_EQ(kept, expected.componentCount);
  CudaConnectedComponentTable table;
  ExportRows(executor, selected, { kept }, request, MakeColumns(table, AllColumns(), kept));
  EXPECT_EQ(table.pixelCounts, expected.pixelCounts);
  EXPECT_EQ(table.firstPixels, expected.firstPixels);
  EXPECT_EQ(table.maximums, expected.maximums);
  EXPECT_EQ(table.products, expected.products);
  EXPECT_EQ(table.faces, expected.faces);
}

/** A HostExecutor that counts the results for which a caller may wait. */
class AwaitCountingExecutor : public itk::ccl::HostExecutor
{
public:
  template <typename T>
  HostExecutor::Result<T>
  AllocateResult() const
  {
    ++m_Count;
    return HostExecutor::AllocateResult<T>();
  }

  int
  GetCount() const
  {
    return m_Count;
  }

private:
  mutable int m_Count = 0;
};

TEST(CudaConnectedComponentsAnalyzeRuns, OnlySortsWait)
{
  using namespace itk::ccl;
  const TestImage   image = MakeRandom({ 65, 43, 9 }, 4, 1, 20002);
  const Grid        size{ image.size[0], image.size[1], image.size[2] };
  std::vector<Word> bits(WordsOf(size).Count());
  for (const std::uint64_t numberOfLargest : { 0, 1, 5 })
  {
    const AwaitCountingExecutor executor;
    Request                     request;
    request.size = size;
    request.selection.numberOfLargest = numberOfLargest;
    request.selection.minimumSize = 2;
    const auto grouped = PackRowGroups<SingleRow>(executor, image.pixels.data(), size, bits.data());
    auto       runs = LabelRuns<std::uint32_t>(
      executor, grouped.groups, request.neighbors, RunCapacity::AtMost(MostRunsOf(grouped.groups)));
    const auto analyzed = AnalyzeRuns(executor, runs, {}, request);
    EXPECT_EQ(executor.GetCount() > 0, numberOfLargest == 5) << numberOfLargest;
    EXPECT_GT(runs.componentCount.GetOrZero(), analyzed.GetKept().GetOrZero());
    EXPECT_GT(analyzed.GetKept().GetOrZero(), 0U);
  }
}

/** A number that an executor adds to the rows of a table. */
struct Summand
{
  std::uint64_t sum = 0;

  void
  Merge(const Summand & other)
  {
    sum += other.sum;
  }
};

/** A table of sums, for one thread. */
struct SumTable
{
  using ValueType = Summand;
  std::vector<std::uint64_t> * sums;

  void
  Add(std::uint64_t row, const Summand & value) const
  {
    sums->at(row) += value.sum;
  }
};

/** Cell i has i % 4 values: i, i + 1, i + 2. The row of a value is its remainder by `rows`. Every third value belongs
 * to no row. */
struct AddToSums
{
  std::uint64_t rows;

  struct List
  {
    std::uint64_t next = 0;
    std::uint64_t end = 0;

    bool
    IsAtEnd() const
    {
      return next == end;
    }
  };

  bool
  HasValues(std::uint64_t i) const
  {
    return i % 4 != 0;
  }

  List
  Begin(const itk::ccl::Cell & cell) const
  {
    return { cell.x, cell.x + cell.x % 4 };
  }

  std::uint64_t
  RowOf(std::uint64_t value) const
  {
    return value % 3 == 0 ? itk::ccl::NoRow : value % rows;
  }

  std::uint64_t
  Next(List & list, Summand & value) const
  {
    const std::uint64_t next = list.next++;
    value.sum = next;
    return this->RowOf(next);
  }
};

TEST(CudaConnectedComponentsHostExecutor, ScansValues)
{
  const auto read = [](const auto * memory, std::uint64_t count) { return std::vector(memory, memory + count); };
  ScanTest::ExpectPrefixesOfAllSizes(itk::ccl::HostExecutor(), read);
  ScanTest::ExpectPrefixesOfAllSizes(itk::ccl::HostExecutor(ThreadPool::For()), read);
}

TEST(CudaConnectedComponentsHostExecutor, AddToRowsSkipsValuesWithoutARow)
{
  for (const std::uint64_t rows : { 1, 2, 7 })
  {
    for (const std::uint64_t cells : { 1, 2, 6, 20000 })
    {
      const AddToSums            functor{ rows };
      std::vector<std::uint64_t> expected(rows, 0);
      for (std::uint64_t cell = 0; cell < cells; ++cell)
      {
        for (std::uint64_t value = cell; value < cell + cell % 4; ++value)
        {
          if (functor.RowOf(value) != itk::ccl::NoRow)
          {
            expected[functor.RowOf(value)] += value;
          }
        }
      }
      std::vector<std::uint64_t> sums(rows, 0);
      itk::ccl::HostExecutor().AddToRows(itk::ccl::Grid{ cells }, functor, SumTable{ &sums });
      EXPECT_EQ(sums, expected) << rows << " rows, " << cells << " cells";
    }
  }
}

} // namespace
