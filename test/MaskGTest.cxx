// SPDX-License-Identifier: Apache-2.0

// Tests of masks: selected components of an image as bits, as runs, and as filled pixels.

#include "AnalysisTestSupport.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <limits>

namespace
{

class Mask : public AnalysisTest
{};

/** Returns an image whose foreground is the background of another image. */
TestImage
ComplementOf(TestImage image)
{
  for (std::uint8_t & pixel : image.pixels)
  {
    pixel = pixel == 0;
  }
  return image;
}

/** Returns whether each pixel belongs to one of the given components. */
std::vector<bool>
PixelsOf(const Labels & labels, const std::vector<std::uint64_t> & rows)
{
  std::vector<bool> isSelected(labels.objectCount + 1, false);
  for (const std::uint64_t row : rows)
  {
    isSelected[row + 1] = true;
  }
  std::vector<bool> pixels;
  for (const std::uint32_t label : labels.pixels)
  {
    pixels.push_back(isSelected[label]);
  }
  return pixels;
}

/** Fills an image inside or outside the selected components. `offset` moves the arrays in memory, in pixels. */
template <typename TPixel>
std::vector<TPixel>
Fill(AnalysisWay                                     way,
     const CudaConnectedComponentLabeler &           labeler,
     const std::vector<TPixel> &                     input,
     const CudaConnectedComponentLabeler::SizeType & size,
     bool                                            isInside,
     TPixel                                          value,
     bool                                            isInPlace,
     std::uint64_t                                   inputOffset,
     std::uint64_t                                   outputOffset)
{
  const auto fill = [&](const TPixel * from, TPixel * to) {
    if (way != AnalysisWay::DeviceToDevice)
    {
      return isInside ? labeler.FillHostMemory(from, size, to, value) : labeler.MaskHostMemory(from, size, to, value);
    }
    return isInside ? labeler.FillDeviceMemory(from, size, to, value) : labeler.MaskDeviceMemory(from, size, to, value);
  };
  const std::uint64_t n = input.size();
  std::vector<TPixel> from(inputOffset, TPixel{ 7 });
  from.insert(from.end(), input.begin(), input.end());
  from.resize(n + 32, TPixel{ 7 });
  std::vector<TPixel> to(n + 32, TPixel{ 9 });
  outputOffset = isInPlace ? inputOffset : outputOffset;
  if (way != AnalysisWay::DeviceToDevice)
  {
    auto & written = isInPlace ? from : to;
    fill(from.data() + inputOffset, written.data() + outputOffset);
    to = written;
  }
  else
  {
    const std::uint64_t bytes = (n + 32) * sizeof(TPixel);
    const auto          deviceFrom = CudaTestSupport::AllocateDevice(bytes);
    const auto          deviceTo = CudaTestSupport::AllocateDevice(bytes);
    const auto &        written = isInPlace ? deviceFrom : deviceTo;
    CudaTestSupport::CopyToDevice(deviceFrom.get(), from.data(), bytes);
    CudaTestSupport::CopyToDevice(deviceTo.get(), to.data(), bytes);
    fill(static_cast<const TPixel *>(deviceFrom.get()) + inputOffset,
         static_cast<TPixel *>(written.get()) + outputOffset);
    CudaTestSupport::CopyToHost(to.data(), written.get(), bytes);
  }
  // The pixels around the output must not change.
  const TPixel around = isInPlace ? TPixel{ 7 } : TPixel{ 9 };
  EXPECT_TRUE(std::all_of(to.begin(), to.begin() + outputOffset, [&](TPixel pixel) { return pixel == around; }));
  EXPECT_TRUE(std::all_of(to.begin() + outputOffset + n, to.end(), [&](TPixel pixel) { return pixel == around; }));
  return { to.begin() + outputOffset, to.begin() + outputOffset + n };
}

/** Expects that all functions select the right pixels of an image. */
template <typename TPixel>
void
ExpectMasks(AnalysisWay way, const TestImage & image, unsigned int seed)
{
  std::mt19937        random(seed);
  std::vector<TPixel> input;
  for (const std::uint8_t pixel : image.pixels)
  {
    input.push_back(static_cast<TPixel>(pixel));
  }
  for (const bool fullyConnected : { false, true })
  {
    const bool                    isComplement = random() % 2 == 0;
    const TestImage               foreground = isComplement ? ComplementOf(image) : image;
    const Labels                  itk = LabelByItk(foreground, fullyConnected);
    const auto                    table = MeasureByLoop(foreground, itk);
    const auto                    transposed = MeasureByLoop(foreground, itk, PixelOrder::TransposedRaster);
    CudaConnectedComponentLabeler labeler = LabelerFor(way, fullyConnected);
    labeler.options.complement = isComplement;
    for (const CudaConnectedComponentSelection & selection : SelectionsFor(table, foreground, seed))
    {
      const auto &      expected = selection.pixelOrder == PixelOrder::Raster ? table : transposed;
      const auto        rows = SelectByLoop(expected, selection, FindSeeded(selection, foreground, itk));
      const auto        selected = PixelsOf(itk, rows);
      const std::string what = image.name + (fullyConnected ? ", full, " : ", face, ") +
                               (isComplement ? "complement, " : "") + Describe(selection) + ", seed " +
                               std::to_string(seed);
      labeler.options.selection = selection;

      const bool          isInside = random() % 2 == 0;
      const bool          isInPlace = random() % 3 == 0;
      const auto          value = static_cast<TPixel>(random() % 3 == 0 ? 0 : 5);
      const std::uint64_t inputOffset = random() % 2 == 0 ? 0 : random() % 16;
      const std::uint64_t outputOffset = random() % 2 == 0 ? inputOffset : random() % 16;
      std::vector<TPixel> filled = input;
      for (std::uint64_t i = 0; i < filled.size(); ++i)
      {
        filled[i] = selected[i] == isInside ? value : filled[i];
      }
      EXPECT_EQ(Fill(way, labeler, input, image.size, isInside, value, isInPlace, inputOffset, outputOffset) == filled,
                true)
        << what << (isInside ? ", inside" : ", outside") << (isInPlace ? ", in place" : "");
    }
  }
}

TEST_P(Mask, RandomImagesOfAllPixelSizes)
{
  const CudaConnectedComponentLabeler::SizeType sizes[] = {
    { 1, 1, 1 }, { 17, 1, 1 }, { 1, 19, 3 }, { 33, 29, 1 }, { 64, 16, 8 }, { 31, 9, 11 }, { 130, 7, 5 }, { 16, 16, 16 }
  };
  unsigned int seed = 31000;
  for (const auto & size : sizes)
  {
    for (const unsigned int density : { 0U, 30U, 60U, 100U })
    {
      const TestImage image = MakeRandom(size, density, 1 + seed % 3, seed);
      ExpectMasks<std::uint8_t>(GetParam(), image, seed++);
      ExpectMasks<std::int16_t>(GetParam(), image, seed++);
      ExpectMasks<float>(GetParam(), image, seed++);
      ExpectMasks<std::uint64_t>(GetParam(), image, seed++);
      ExpectMasks<double>(GetParam(), image, seed++);
    }
  }
}

TEST_P(Mask, LargerImages)
{
  ExpectMasks<std::uint8_t>(GetParam(), MakeRandom({ 254, 131, 39 }, 45, 2, 32001), 32001);
  ExpectMasks<std::int16_t>(GetParam(), MakeRandom({ 1023, 517, 1 }, 55, 1, 32002), 32002);
}

TEST_P(Mask, FillsTheHolesOfShells)
{
  const TestImage               image = MakeShells({ 21, 19, 17 });
  CudaConnectedComponentLabeler labeler = LabelerFor(GetParam(), false);
  labeler.options.complement = true;
  labeler.options.selection.border = Border::NotTouching;
  const auto filled = Fill<std::uint8_t>(GetParam(), labeler, image.pixels, image.size, true, 1, false, 0, 0);
  // The outer shell is all that remains visible from outside.
  EXPECT_EQ(std::count(filled.begin(), filled.end(), 0), 0);
}

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
    packRow, image.size, [&](std::uint64_t row, const CudaConnectedComponentLabeler::Run * runs, std::uint64_t count) {
      auto * const labels = passed.labels.data() + row * columns;
      std::fill(labels, labels + columns, 0);
      for (std::uint64_t i = 0; i < count; ++i)
      {
        EXPECT_TRUE(runs[i].begin < runs[i].end && (i == 0 || runs[i - 1].end < runs[i].begin));
        std::fill(labels + runs[i].begin, labels + runs[i].end, static_cast<std::uint32_t>(runs[i].component + 1));
      }
    });
  return passed;
}

TEST_P(Mask, RowsOfBitsAndRuns)
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
                                                              { 300, 70, 41 } })
  {
    for (const unsigned int density : { 20U, 55U })
    {
      ++seed;
      const TestImage image = MakeRandom(size, density, 1 + seed % 2, seed);
      for (const bool fullyConnected : { false, true })
      {
        const Labels                  itk = LabelByItk(image, fullyConnected);
        const auto                    table = MeasureByLoop(image, itk);
        CudaConnectedComponentLabeler labeler = LabelerFor(GetParam(), fullyConnected);
        for (const CudaConnectedComponentSelection & selection : SelectionsFor(table, image, seed))
        {
          if (selection.pixelOrder != PixelOrder::Raster)
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

TEST_P(Mask, UntouchedOutput)
{
  if (GetParam() == AnalysisWay::DeviceToDevice)
  {
    GTEST_SKIP() << "the option is for host memory";
  }
  const TestImage               image = MakeRandom({ 512, 300, 40 }, 2, 8, 34001);
  const Labels                  itk = LabelByItk(image, true);
  const auto                    table = MeasureByLoop(image, itk);
  CudaConnectedComponentLabeler labeler = LabelerFor(GetParam(), true);
  labeler.options.outputIsUntouched = true;
  labeler.options.selection.numberOfLargest = 3;
  const auto selected = PixelsOf(itk, SelectByLoop(table, labeler.options.selection));
  for (const std::uint8_t outside : { 0, 4 })
  {
    const std::unique_ptr<std::uint8_t[]> output(new std::uint8_t[image.pixels.size()]);
    EXPECT_EQ(labeler.MaskHostMemory(image.pixels.data(), image.size, output.get(), outside), 3U);
    std::uint64_t errors = 0;
    for (std::uint64_t i = 0; i < image.pixels.size(); ++i)
    {
      errors += output[i] != (selected[i] ? image.pixels[i] : outside);
    }
    EXPECT_EQ(errors, 0U);
  }
}

TEST_P(Mask, EveryAlgorithm)
{
  const TestImage image = MakeRandom({ 65, 43, 9 }, 25, 2, 35001);
  const Labels    itk = LabelByItk(image, true);
  const auto      table = MeasureByLoop(image, itk);
  for (const auto & row : itk::CudaConnectedComponentAlgorithms::GetAll())
  {
    CudaConnectedComponentLabeler labeler = LabelerFor(GetParam(), true);
    labeler.options.algorithm = row.algorithm;
    for (const std::uint64_t largest : { 0, 2 })
    {
      labeler.options.selection.numberOfLargest = largest;
      const auto                selected = PixelsOf(itk, SelectByLoop(table, labeler.options.selection));
      std::vector<std::uint8_t> expected = image.pixels;
      for (std::uint64_t i = 0; i < expected.size(); ++i)
      {
        expected[i] = selected[i] ? expected[i] : 3;
      }
      EXPECT_EQ(Fill<std::uint8_t>(GetParam(), labeler, image.pixels, image.size, false, 3, false, 0, 0), expected)
        << row.identifier << ", largest " << largest;
    }
  }
}

TEST_P(Mask, SpecialFloatsKeepTheirBits)
{
  const double                  nan = std::numeric_limits<double>::quiet_NaN();
  std::vector<double>           input{ nan, -0.0, 3, 0, -nan, 1e308, 5e-324, 0, -0.0, 2 };
  CudaConnectedComponentLabeler labeler = LabelerFor(GetParam(), false);
  labeler.options.selection.minimumSize = 3;
  const auto                output = Fill<double>(GetParam(), labeler, input, { 10, 1, 1 }, false, -0.0, false, 0, 0);
  const std::vector<double> expected{ -0.0, -0.0, -0.0, -0.0, -nan, 1e308, 5e-324, -0.0, -0.0, -0.0 };
  EXPECT_EQ(std::memcmp(output.data(), expected.data(), sizeof(double) * 10), 0);
}

TEST_P(Mask, Errors)
{
  const TestImage               image = MakeRandom({ 9, 8, 7 }, 50, 1, 36001);
  CudaConnectedComponentLabeler labeler = LabelerFor(GetParam(), false);
  labeler.options.selection.seeds = { { 8, 7, 6 }, { 9, 0, 0 } };
  ExpectError(Kind::InvalidArgument, "the seed 9, 0, 0 lies outside the image of 9 x 8 x 7 pixels", [&] {
    Fill<std::uint8_t>(GetParam(), labeler, image.pixels, image.size, false, 0, false, 0, 0);
  });
  labeler.options.selection.seeds.clear();
  std::uint8_t * const none = nullptr;
  ExpectError(Kind::InvalidArgument, "the output is a null pointer", [&] {
    if (GetParam() == AnalysisWay::DeviceToDevice)
    {
      labeler.MaskDeviceMemory<std::uint8_t>(none, image.size, none);
    }
    labeler.MaskHostMemory(image.pixels.data(), image.size, none);
  });
  EXPECT_EQ(labeler.MaskHostMemory<std::uint8_t>(none, { 0, 5, 5 }, none), 0U);
}

// The exceptions of the caller's functions reach the caller.
TEST_P(Mask, ExceptionsOfVisitors)
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
  EXPECT_THROW(
    labeler.VisitRunsOfPackedRows(
      packRow,
      image.size,
      [&](std::uint64_t row, const CudaConnectedComponentLabeler::Run *, std::uint64_t) { throwAtRow(row); }),
    std::domain_error);
}

INSTANTIATE_TEST_SUITE_P(Ways,
                         Mask,
                         testing::ValuesIn(AllWays),
                         [](const testing::TestParamInfo<AnalysisWay> & instance) { return NameOf(instance.param); });

} // namespace
