// SPDX-License-Identifier: Apache-2.0

// Batches: each image has the labels, the selections and the rows of the table that it has by itself.

#include "AnalysisTestSupport.h"
#include "Oracle.h"
#include "TestImages.h"

#include <gtest/gtest.h>

#include <cstring>
#include <numeric>

namespace
{

using Size = CudaConnectedComponentLabeler::SizeType;

/** Images of one size. Every third one is random, and the others are empty, full or have one pixel. */
std::vector<TestImage>
MakeImages(const Size & size, std::uint64_t count, unsigned int seed)
{
  std::mt19937           random(seed);
  std::vector<TestImage> images;
  for (std::uint64_t i = 0; i < count; ++i)
  {
    const unsigned int density = (seed + i) % 4 == 0 ? 0 : (seed + i) % 7 == 1 ? 100 : 5 + random() % 60;
    images.push_back(MakeRandom(size, density, 1 + random() % 3, random()));
    if (density == 0 && (seed + i) % 8 == 0 && !images.back().pixels.empty())
    {
      images.back().pixels[random() % images.back().pixels.size()] = 3;
    }
  }
  return images;
}

/** Arrays of images in the memory of a way, with gaps between rows, slices and images. */
template <typename T>
class Batch
{
public:
  Batch(AnalysisWay way, const Size & size, std::uint64_t images, std::uint64_t gap, T fill)
    : m_IsOnDevice(way == AnalysisWay::DeviceToDevice)
  {
    const std::uint64_t row = size[0] + gap;
    const std::uint64_t slice = row * size[1] + 2 * gap;
    const std::uint64_t image = slice * size[2] + 3 * gap;
    m_Pixels.assign(image * images + 16, fill);
    m_Device = m_IsOnDevice ? CudaTestSupport::AllocateDevice(m_Pixels.size() * sizeof(T)) : nullptr;
    T * const first = m_IsOnDevice ? static_cast<T *>(m_Device.get()) : m_Pixels.data();
    view = View::Of(first, size, m_IsOnDevice ? View::MemoryEnum::Device : View::MemoryEnum::Host);
    view.images = images;
    const auto bytes = [](std::uint64_t pixels) { return static_cast<std::int64_t>(pixels * sizeof(T)); };
    view.strides = { bytes(1), bytes(row), bytes(slice) };
    view.imageStride = bytes(image);
  }

  /** Calls visit(pixel, image, i) for the pixel with raster index i of an image. */
  template <typename TVisitor>
  void
  ForEach(const TVisitor & visit)
  {
    for (std::uint64_t image = 0; image < view.images; ++image)
    {
      for (std::uint64_t i = 0; i < view.size[0] * view.size[1] * view.size[2]; ++i)
      {
        const std::uint64_t index[] = { i % view.size[0],
                                        i / view.size[0] % view.size[1],
                                        i / view.size[0] / view.size[1] };
        std::int64_t        offset = static_cast<std::int64_t>(image) * view.imageStride;
        for (unsigned int axis = 0; axis < 3; ++axis)
        {
          offset += static_cast<std::int64_t>(index[axis]) * view.strides[axis];
        }
        visit(m_Pixels[static_cast<std::uint64_t>(offset) / sizeof(T)], image, i);
      }
    }
  }

  void
  Upload()
  {
    if (m_IsOnDevice)
    {
      CudaTestSupport::CopyToDevice(m_Device.get(), m_Pixels.data(), m_Pixels.size() * sizeof(T));
    }
  }
  void
  Download()
  {
    if (m_IsOnDevice)
    {
      CudaTestSupport::CopyToHost(m_Pixels.data(), m_Device.get(), m_Pixels.size() * sizeof(T));
    }
  }

  /** Returns the number of elements with a value, those of the gaps included. */
  std::uint64_t
  Count(T value) const
  {
    return static_cast<std::uint64_t>(std::count(m_Pixels.begin(), m_Pixels.end(), value));
  }

  View view;

private:
  bool                  m_IsOnDevice;
  std::vector<T>        m_Pixels;
  std::shared_ptr<void> m_Device;
};

template <typename T>
Batch<T>
BatchOf(AnalysisWay way, const std::vector<TestImage> & images, const Size & size, std::uint64_t gap)
{
  Batch<T> batch(way, size, images.size(), gap, T{ 1 });
  batch.ForEach(
    [&](T & pixel, std::uint64_t image, std::uint64_t i) { pixel = static_cast<T>(images[image].pixels[i]); });
  batch.Upload();
  return batch;
}

/** What ITK and plain loops find in each image of a batch, for a selection. */
struct Expected
{
  std::vector<Labels>                      labels;
  std::vector<CudaConnectedComponentTable> tables;
  std::vector<std::vector<std::uint64_t>>  rows;   // kept components of each image, in the order of their labels
  std::vector<std::uint64_t>               counts; // their numbers

  Expected(const std::vector<TestImage> &          images,
           bool                                    fullyConnected,
           const CudaConnectedComponentSelection & selection)
  {
    for (const TestImage & image : images)
    {
      labels.push_back(LabelByItk(image, fullyConnected));
      tables.push_back(MeasureByLoop(image, labels.back(), selection.pixelOrder));
      rows.push_back(SelectByLoop(tables.back(), selection, FindSeeded(selection, image, labels.back())));
      counts.push_back(rows.back().size());
    }
  }

  /** Returns the expected label of a pixel. */
  std::uint32_t
  LabelAt(std::uint64_t image, std::uint64_t i) const
  {
    const std::uint32_t label = labels[image].pixels[i];
    const auto found = label == 0 ? rows[image].end() : std::find(rows[image].begin(), rows[image].end(), label - 1);
    return found == rows[image].end() ? 0 : static_cast<std::uint32_t>(found - rows[image].begin() + 1);
  }
};

void
ExpectTable(const CudaConnectedComponentTable &          table,
            const Expected &                             expected,
            const CudaConnectedComponentTable::Columns & columns,
            const std::string &                          what)
{
  EXPECT_EQ(table.componentCounts, expected.counts) << what;
  std::uint64_t found = 0;
  std::uint64_t begin = 0;
  for (std::size_t image = 0; image < expected.tables.size(); ++image)
  {
    found += expected.tables[image].componentCount;
    const std::uint64_t end = begin + expected.counts[image];
    ASSERT_LE(end, table.componentCount) << what;
    CudaConnectedComponentTable one;
    one.componentCount = expected.counts[image];
    one.originalComponentCount = expected.tables[image].componentCount;
    const auto cut = [begin, end](const auto & column, auto & to) {
      if (!column.empty())
      {
        to.assign(column.begin() + static_cast<std::ptrdiff_t>(begin),
                  column.begin() + static_cast<std::ptrdiff_t>(end));
      }
    };
    cut(table.pixelCounts, one.pixelCounts);
    cut(table.firstPixels, one.firstPixels);
    cut(table.faces, one.faces);
    for (unsigned int axis = 0; axis < 3; ++axis)
    {
      cut(table.minimums[axis], one.minimums[axis]);
      cut(table.maximums[axis], one.maximums[axis]);
      cut(table.sums[axis], one.sums[axis]);
    }
    for (unsigned int i = 0; i < 6; ++i)
    {
      cut(table.products[i], one.products[i]);
    }
    ExpectRows(one, expected.tables[image], expected.rows[image], columns, what + ", image " + std::to_string(image));
    begin = end;
  }
  EXPECT_EQ(begin, table.componentCount) << what;
  EXPECT_EQ(found, table.originalComponentCount) << what;
}

class CudaConnectedComponentsBatch : public AnalysisTest
{};

} // namespace

TEST_P(CudaConnectedComponentsBatch, SameLabelsAndTablesAsEachImage)
{
  const AnalysisWay way = GetParam();
  const Size        sizes[] = { { 5, 4, 1 },  { 33, 7, 1 }, { 64, 9, 1 }, { 1, 1, 1 },  { 7, 5, 3 },
                                { 40, 3, 2 }, { 3, 9, 5 },  { 32, 4, 4 }, { 70, 6, 7 }, { 1, 3, 5 } };
  unsigned int      seed = 1;
  for (const Size & size : sizes)
  {
    for (const std::uint64_t count : { 1, 2, 3, 9, 40 })
    {
      for (const bool fullyConnected : { false, true })
      {
        const auto images = MakeImages(size, count, seed);
        const auto firstTable = MeasureByLoop(images.front(), LabelByItk(images.front(), fullyConnected));
        const auto selections = SelectionsFor(firstTable, images.front(), seed);
        for (std::size_t i = 0; i < selections.size(); ++i)
        {
          const std::string what = NameOf(way) + ": " + std::to_string(count) + " images of " + View::TextOf(size) +
                                   (fullyConnected ? ", full, " : ", faces, ") + Describe(selections[i]) + ", seed " +
                                   std::to_string(seed);
          const Expected expected(images, fullyConnected, selections[i]);
          auto           labeler = LabelerFor(way, fullyConnected);
          labeler.options.selection = selections[i];
          labeler.options.columns = AllColumns();

          const std::uint64_t  gap = (seed + i) % 3;
          auto                 input = BatchOf<std::int16_t>(way, images, size, gap);
          Batch<std::uint32_t> output(way, size, count, (seed + i) % 4, 0xABCDEF);
          output.Upload();
          CudaConnectedComponentTable table;
          const std::uint64_t         total = labeler.Label(input.view, output.view, 0, i % 2 == 0 ? &table : nullptr);
          EXPECT_EQ(total, std::accumulate(expected.counts.begin(), expected.counts.end(), std::uint64_t{ 0 })) << what;
          output.Download();
          std::uint64_t different = 0;
          output.ForEach([&](std::uint32_t label, std::uint64_t image, std::uint64_t pixel) {
            different += label != expected.LabelAt(image, pixel);
          });
          EXPECT_EQ(different, 0U) << what;
          const std::uint64_t pixels = size[0] * size[1] * size[2] * count;
          std::uint64_t       all = 0;
          output.ForEach([&](std::uint32_t, std::uint64_t, std::uint64_t) { ++all; });
          EXPECT_EQ(all, pixels) << what;
          Batch<std::uint32_t> untouched(way, size, count, (seed + i) % 4, 0xABCDEF);
          EXPECT_EQ(output.Count(0xABCDEF), untouched.Count(0xABCDEF) - pixels) << what << ": the gaps";
          if (i % 2 == 0)
          {
            ExpectTable(table, expected, AllColumns(), what);
          }
          else
          {
            ExpectTable(labeler.Measure(input.view), expected, AllColumns(), what);
          }
        }
        ++seed;
      }
    }
  }
}

TEST_P(CudaConnectedComponentsBatch, SameMasksAsEachImage)
{
  const AnalysisWay way = GetParam();
  unsigned int      seed = 500;
  for (const Size & size : { Size{ 33, 7, 1 }, Size{ 7, 5, 3 }, Size{ 32, 4, 4 }, Size{ 35, 6, 5 } })
  {
    for (const std::uint64_t count : { 2, 7 })
    {
      for (const bool fullyConnected : { false, true })
      {
        const auto images = MakeImages(size, count, ++seed);
        const auto firstTable = MeasureByLoop(images.front(), LabelByItk(images.front(), fullyConnected));
        for (const auto & selection : SelectionsFor(firstTable, images.front(), seed))
        {
          const Expected expected(images, fullyConnected, selection);
          auto           labeler = LabelerFor(way, fullyConnected);
          labeler.options.selection = selection;
          auto                input = BatchOf<std::uint8_t>(way, images, size, 0);
          const bool          isInside = seed % 2 == 0;
          const bool          isInPlace = seed % 3 == 0;
          Batch<std::uint8_t> other(way, size, count, 0, 77);
          other.Upload();
          auto &                      output = isInPlace ? input : other;
          CudaConnectedComponentTable table;
          isInside ? labeler.Fill(input.view, output.view, 9, &table)
                   : labeler.Mask(input.view, output.view, 9, &table);
          EXPECT_EQ(table.componentCounts, expected.counts);
          output.Download();
          std::uint64_t different = 0;
          output.ForEach([&](std::uint8_t pixel, std::uint64_t image, std::uint64_t i) {
            const bool isKept = expected.LabelAt(image, i) != 0;
            different += pixel != (isKept == isInside ? 9 : images[image].pixels[i]);
          });
          EXPECT_EQ(different, 0U) << NameOf(way) << ": " << count << " images of " << View::TextOf(size)
                                   << (fullyConnected ? ", full, " : ", faces, ") << Describe(selection) << ", seed "
                                   << seed;
        }
      }
    }
  }
}

TEST_P(CudaConnectedComponentsBatch, HolesOfEachImage)
{
  const AnalysisWay      way = GetParam();
  const Size             size{ 21, 9, 5 };
  const auto             images = MakeImages(size, 6, 77);
  std::vector<TestImage> complements;
  std::transform(images.begin(), images.end(), std::back_inserter(complements), ComplementOf);
  CudaConnectedComponentSelection holes;
  holes.border = BorderEnum::NotTouching;
  const Expected expected(complements, false, holes);
  auto           labeler = LabelerFor(way, false);
  labeler.options.complement = true;
  labeler.options.selection = holes;
  auto                        input = BatchOf<std::uint8_t>(way, images, size, 0);
  Batch<std::uint8_t>         output(way, size, images.size(), 0, 77);
  CudaConnectedComponentTable table;
  labeler.Fill(input.view, output.view, 9, &table);
  EXPECT_EQ(table.componentCounts, expected.counts);
  output.Download();
  output.ForEach([&](std::uint8_t pixel, std::uint64_t image, std::uint64_t i) {
    ASSERT_EQ(pixel, expected.LabelAt(image, i) != 0 ? 9 : images[image].pixels[i]) << image << ", " << i;
  });
}

// The ranks of a batch need more labels than its pixels have, and the ranks of each image do not.
TEST_P(CudaConnectedComponentsBatch, EachImageMayHaveAllLabelsOfTheType)
{
  const AnalysisWay way = GetParam();
  const Size        size{ 32, 16, 1 };
  TestImage         dots{ "dots", size, std::vector<std::uint8_t>(512, 0) };
  for (std::size_t i = 0; i < 127; ++i)
  {
    dots.pixels[i * 2 + i / 16 * 32] = 1; // each second pixel of each second row
  }
  std::vector<TestImage> images(5, dots);
  Batch<std::int8_t>     output(way, size, images.size(), 0, 99);
  auto                   input = BatchOf<float>(way, images, size, 0);
  const auto             labeler = LabelerFor(way, true);
  for (const std::uint64_t background : { std::uint64_t{ 0 }, std::uint64_t{ 5 } })
  {
    EXPECT_EQ(labeler.Label(input.view, output.view, background), 5U * 127);
    output.Download();
    output.ForEach([&](std::int8_t label, std::uint64_t, std::uint64_t i) {
      const auto rank = static_cast<std::int8_t>(i % 64 / 2 + i / 64 * 16);
      const auto expected =
        dots.pixels[i] == 0 ? background : std::uint64_t(rank + (std::uint64_t(rank) >= background));
      ASSERT_EQ(label, static_cast<std::int8_t>(expected)) << i;
    });
  }
  images[3].pixels[511] = 1;
  input = BatchOf<float>(way, images, size, 0);
  ExpectError(KindEnum::TooManyObjects,
              "Number of objects (128) greater than maximum of output pixel type (127).",
              [&] { labeler.Label(input.view, output.view); });
}

TEST_P(CudaConnectedComponentsBatch, IntensitiesOfEachImage)
{
  const AnalysisWay way = GetParam();
  const Size        size{ 37, 5, 3 };
  const auto        images = MakeImages(size, 7, 901);
  auto              input = BatchOf<std::uint8_t>(way, images, size, 0);
  Batch<float>      intensities(way, size, images.size(), 2, 1e30F);
  intensities.ForEach(
    [](float & pixel, std::uint64_t image, std::uint64_t i) { pixel = static_cast<float>(image * 1000 + i % 61); });
  intensities.Upload();
  auto labeler = LabelerFor(way, true);
  labeler.options.selection.minimumSize = 2;
  labeler.options.intensities = intensities.view;
  const auto    table = labeler.Measure(input.view);
  std::uint64_t row = 0;
  for (std::size_t image = 0; image < images.size(); ++image)
  {
    auto one = LabelerFor(AnalysisWay::HostSequential, true);
    one.options.selection.minimumSize = 2;
    std::vector<float> pixels;
    intensities.ForEach([&](float pixel, std::uint64_t at, std::uint64_t) {
      if (at == image)
      {
        pixels.push_back(pixel);
      }
    });
    one.options.intensities = View::Of(pixels.data(), size);
    const auto expected = one.Measure(View::Of(images[image].pixels.data(), size));
    ASSERT_EQ(table.componentCounts[image], expected.componentCount);
    for (std::uint64_t i = 0; i < expected.componentCount; ++i, ++row)
    {
      EXPECT_EQ(table.pixelCounts[row], expected.pixelCounts[i]);
      EXPECT_EQ(table.intensities.minimums[row], expected.intensities.minimums[i]);
      EXPECT_EQ(table.intensities.maximums[row], expected.intensities.maximums[i]);
      EXPECT_EQ(table.intensities.sums[row], expected.intensities.sums[i]);
    }
  }
  EXPECT_EQ(row, table.componentCount);
}

TEST_P(CudaConnectedComponentsBatch, ManySmallImages)
{
  const AnalysisWay    way = GetParam();
  const Size           size{ 3, 2, 1 };
  const std::uint64_t  count = 100000; // more than the thread blocks that a kernel may have along z
  Batch<std::uint8_t>  input(way, size, count, 0, 0);
  Batch<std::uint16_t> output(way, size, count, 0, 9);
  const auto           labeler = LabelerFor(way, false);
  input.ForEach([](std::uint8_t & pixel, std::uint64_t image, std::uint64_t i) { pixel = (image >> i % 6) & 1; });
  input.Upload();
  CudaConnectedComponentTable table;
  labeler.Label(input.view, output.view, 0, &table);
  output.Download();
  // Each of the 64 images with 6 pixels occurs again and again.
  std::vector<std::uint64_t> counts;
  std::vector<Labels>        expected;
  for (std::uint64_t bits = 0; bits < 64; ++bits)
  {
    TestImage image{ "bits", size, {} };
    for (unsigned int i = 0; i < 6; ++i)
    {
      image.pixels.push_back(bits >> i & 1);
    }
    expected.push_back(LabelByItk(image, false));
  }
  output.ForEach([&](std::uint16_t label, std::uint64_t image, std::uint64_t i) {
    ASSERT_EQ(label, expected[image % 64].pixels[i]) << image << ", " << i;
  });
  for (std::uint64_t image = 0; image < count; ++image)
  {
    counts.push_back(expected[image % 64].objectCount);
  }
  EXPECT_EQ(table.componentCounts, counts);
}

TEST_P(CudaConnectedComponentsBatch, NoImagesAndNoPixels)
{
  const AnalysisWay way = GetParam();
  const auto        labeler = LabelerFor(way, true);
  for (const Size & size : { Size{ 4, 3, 2 }, Size{ 0, 3, 2 }, Size{ 4, 0, 1 }, Size{ 4, 3, 0 } })
  {
    for (const std::uint64_t count : { 0, 1, 5 })
    {
      if (count != 0 && size[0] * size[1] * size[2] != 0)
      {
        continue;
      }
      Batch<std::uint8_t>         input(way, size, count, 0, 1);
      Batch<std::uint32_t>        output(way, size, count, 0, 9);
      CudaConnectedComponentTable table;
      EXPECT_EQ(labeler.Label(input.view, output.view, 0, &table), 0U);
      EXPECT_EQ(table.componentCounts, std::vector<std::uint64_t>(count, 0));
      EXPECT_EQ(labeler.Measure(input.view).componentCounts, std::vector<std::uint64_t>(count, 0));
    }
  }
}

TEST_P(CudaConnectedComponentsBatch, BadArgumentsAreErrors)
{
  const AnalysisWay    way = GetParam();
  const Size           size{ 8, 4, 2 };
  const auto           labeler = LabelerFor(way, true);
  Batch<std::uint8_t>  input(way, size, 3, 0, 1);
  Batch<std::uint32_t> output(way, size, 3, 0, 9);
  const auto           expectError = [&](const View & in, const View & out, const std::string & part) {
    ExpectError(KindEnum::InvalidArgument, part, [&] { labeler.Label(in, out); });
  };
  auto other = output.view;
  other.images = 2;
  expectError(input.view, other, "the output has 2 images instead of 3");
  auto wide = input.view;
  wide.images = std::uint64_t{ 1 } << 36;
  other.images = wide.images;
  expectError(wide, other, "the batch has more than 2^40 pixels: 68719476736 images of 8 x 4 x 2");
  auto overlapping = output.view;
  overlapping.imageStride = 0;
  expectError(input.view, overlapping, "image stride of the output, 0 bytes");
  overlapping = output.view;
  overlapping.strides[1] = 4;
  expectError(input.view, overlapping, "row stride of the output, 4 bytes");
}

INSTANTIATE_TEST_SUITE_P(Ways, CudaConnectedComponentsBatch, testing::ValuesIn(AllWays), [](const auto & tested) {
  return NameOf(tested.param);
});
