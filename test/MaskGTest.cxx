// SPDX-License-Identifier: Apache-2.0

// Tests of the functions that fill selected components of an image, or the pixels outside them.

#include "AnalysisTestSupport.h"

#include <cstring>
#include <limits>
#include <stdexcept>

namespace
{

using View = itk::CudaConnectedComponentImageView;

class CudaConnectedComponentsMask : public AnalysisTest
{};

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
    const auto                    transposed = MeasureByLoop(foreground, itk, PixelOrderEnum::TransposedRaster);
    CudaConnectedComponentLabeler labeler = LabelerFor(way, fullyConnected);
    labeler.options.complement = isComplement;
    labeler.options.columns = AllColumns();
    for (const CudaConnectedComponentSelection & selection : SelectionsFor(table, foreground, seed))
    {
      const auto &      expected = selection.pixelOrder == PixelOrderEnum::Raster ? table : transposed;
      const auto        rows = SelectByLoop(expected, selection, FindSeeded(selection, foreground, itk));
      const auto        selected = PixelsOf(itk, rows);
      const std::string what = image.name + (fullyConnected ? ", full, " : ", face, ") +
                               (isComplement ? "complement, " : "") + Describe(selection) + ", seed " +
                               std::to_string(seed);
      labeler.options.selection = selection;

      CudaConnectedComponentTable filledTable;
      FillSettings                settings;
      settings.isInside = random() % 2 == 0;
      settings.isInPlace = random() % 3 == 0;
      settings.inputOffset = random() % 2 == 0 ? 0 : random() % 16;
      settings.outputOffset = random() % 2 == 0 ? settings.inputOffset : random() % 16;
      settings.table = random() % 2 == 0 ? &filledTable : nullptr;
      const auto          value = static_cast<TPixel>(random() % 3 == 0 ? 0 : 5);
      std::vector<TPixel> pixels = input;
      for (std::uint64_t i = 0; i < pixels.size(); ++i)
      {
        pixels[i] = selected[i] == settings.isInside ? value : pixels[i];
      }
      const auto filled = Fill(way, labeler, input, image.size, value, settings);
      EXPECT_EQ(filled.pixels == pixels, true)
        << what << (settings.isInside ? ", inside" : ", outside") << (settings.isInPlace ? ", in place" : "");
      EXPECT_EQ(filled.count, rows.size()) << what;
      if (settings.table != nullptr)
      {
        ExpectRows(filledTable, expected, rows, labeler.options.columns, what);
      }
    }
  }
}

TEST_P(CudaConnectedComponentsMask, RandomImagesOfAllPixelSizes)
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

TEST_P(CudaConnectedComponentsMask, LargerImages)
{
  ExpectMasks<std::uint8_t>(GetParam(), MakeRandom({ 254, 131, 39 }, 45, 2, 32001), 32001);
  ExpectMasks<std::int16_t>(GetParam(), MakeRandom({ 1023, 517, 1 }, 55, 1, 32002), 32002);
}

/** Fills the holes of an image with 1 by a flood fill of the background from the border. A hole is background that the
 * flood does not reach. An axis with one pixel has no border. */
std::vector<std::uint8_t>
FillHolesByFlood(const TestImage & image, bool fullyConnected)
{
  std::vector<std::uint8_t>                 filled(image.pixels.size(), 1);
  std::vector<std::array<std::uint64_t, 3>> reached;
  const auto                                reach = [&](const std::array<std::uint64_t, 3> & at) {
    const std::uint64_t i = image.IndexOf(at[0], at[1], at[2]);
    if (image.pixels[i] == 0 && filled[i] != 0)
    {
      filled[i] = 0;
      reached.push_back(at);
    }
  };
  for (std::uint64_t i = 0; i < image.pixels.size(); ++i)
  {
    const std::uint64_t                row = i / image.size[0];
    const std::array<std::uint64_t, 3> at{ i % image.size[0], row % image.size[1], row / image.size[1] };
    for (unsigned int axis = 0; axis < 3; ++axis)
    {
      if (image.size[axis] > 1 && (at[axis] == 0 || at[axis] == image.size[axis] - 1))
      {
        reach(at);
      }
    }
  }
  while (!reached.empty())
  {
    const auto from = reached.back();
    reached.pop_back();
    for (unsigned int neighbor = 0; neighbor < 27; ++neighbor)
    {
      // 0, 1 and 2 stand for the steps -1, 0 and 1.
      const unsigned int                 step[] = { neighbor % 3, neighbor / 3 % 3, neighbor / 9 };
      const unsigned int                 distance = (step[0] != 1) + (step[1] != 1) + (step[2] != 1);
      const std::array<std::uint64_t, 3> to{ from[0] + step[0] - 1, from[1] + step[1] - 1, from[2] + step[2] - 1 };
      // -1 wraps around.
      if ((fullyConnected || distance == 1) && to[0] < image.size[0] && to[1] < image.size[1] && to[2] < image.size[2])
      {
        reach(to);
      }
    }
  }
  for (std::uint64_t i = 0; i < image.pixels.size(); ++i)
  {
    filled[i] = image.pixels[i] != 0 ? image.pixels[i] : filled[i];
  }
  return filled;
}

/** Fills the holes of an image with 1 by the labeler. `fullyConnected` is the connectivity of the background. */
Filled<std::uint8_t>
FillHoles(AnalysisWay way, const TestImage & image, bool fullyConnected)
{
  CudaConnectedComponentLabeler labeler = LabelerFor(way, fullyConnected);
  labeler.options.complement = true;
  labeler.options.selection.border = BorderEnum::NotTouching;
  FillSettings settings;
  settings.isInside = true;
  return Fill<std::uint8_t>(way, labeler, image.pixels, image.size, 1, settings);
}

/** Returns an image with a margin of background of 2 pixels on all sides. */
TestImage
WithMargin(const TestImage & image)
{
  TestImage larger =
    MakeImage(image.name + " with a margin", { image.size[0] + 4, image.size[1] + 4, image.size[2] + 4 });
  for (std::uint64_t i = 0; i < image.pixels.size(); ++i)
  {
    const std::uint64_t row = i / image.size[0];
    larger.pixels[larger.IndexOf(i % image.size[0] + 2, row % image.size[1] + 2, row / image.size[1] + 2)] =
      image.pixels[i];
  }
  return larger;
}

TEST_P(CudaConnectedComponentsMask, FillsHolesAsAFloodDoes)
{
  std::vector<TestImage> images{ WithMargin(MakeShells({ 21, 19, 17 })), MakeShells({ 21, 19, 17 }) };
  unsigned int           seed = 38000;
  for (const CudaConnectedComponentLabeler::SizeType & size :
       std::vector<CudaConnectedComponentLabeler::SizeType>{ { 1, 1, 1 },
                                                             { 9, 1, 1 },
                                                             { 37, 29, 1 },
                                                             { 150, 131, 1 },
                                                             { 1, 40, 33 },
                                                             { 41, 1, 30 },
                                                             { 33, 21, 2 },
                                                             { 45, 31, 19 } })
  {
    for (const unsigned int density : { 50U, 65U, 80U })
    {
      images.push_back(MakeRandom(size, density, 1 + seed % 2, seed));
      ++seed;
    }
  }
  std::uint64_t holes = 0;
  for (const TestImage & image : images)
  {
    for (const bool fullyConnected : { false, true })
    {
      const auto filled = FillHoles(GetParam(), image, fullyConnected);
      EXPECT_EQ(filled.pixels == FillHolesByFlood(image, fullyConnected), true)
        << image.name << (fullyConnected ? ", full" : ", face");
      holes += filled.count;
    }
  }
  EXPECT_GT(holes, 1000U);
}

TEST_P(CudaConnectedComponentsMask, HolesThatMeetTheBorderDiagonally)
{
  // The hole of the plane and the hole of the volume meet a background pixel at a corner of the image.
  const TestImage plane{ "plane", { 4, 3, 1 }, { 0, 1, 0, 0, 1, 0, 1, 0, 0, 1, 0, 0 } };
  TestImage       volume = MakeImage("volume", { 3, 3, 3 }, 1);
  volume.pixels[volume.IndexOf(1, 1, 1)] = 0;
  volume.pixels[volume.IndexOf(2, 2, 2)] = 0;
  for (const TestImage & image : { plane, volume })
  {
    TestImage withoutHole = image;
    withoutHole.pixels[image.IndexOf(1, 1, image.size[2] / 2)] = 1;
    const auto face = FillHoles(GetParam(), image, false);
    EXPECT_EQ(face.pixels, withoutHole.pixels) << image.name;
    EXPECT_EQ(face.count, 1U) << image.name;
    const auto full = FillHoles(GetParam(), image, true);
    EXPECT_EQ(full.pixels, image.pixels) << image.name;
    EXPECT_EQ(full.count, 0U) << image.name;
  }
}

TEST_P(CudaConnectedComponentsMask, EveryAlgorithm)
{
  const TestImage image = MakeRandom({ 65, 43, 9 }, 25, 2, 35001);
  const Labels    itk = LabelByItk(image, true);
  const auto      table = MeasureByLoop(image, itk);
  for (const bool isComplement : { false, true })
  {
    const TestImage input = isComplement ? ComplementOf(image) : image;
    for (const auto & row : itk::CudaConnectedComponentAlgorithms::GetAll())
    {
      CudaConnectedComponentLabeler labeler = LabelerFor(GetParam(), true);
      labeler.options.algorithm = row.algorithm;
      labeler.options.complement = isComplement;
      for (const std::uint64_t largest : { 0, 2 })
      {
        labeler.options.selection.numberOfLargest = largest;
        const auto                rows = SelectByLoop(table, labeler.options.selection);
        const auto                selected = PixelsOf(itk, rows);
        std::vector<std::uint8_t> expected = input.pixels;
        for (std::uint64_t i = 0; i < expected.size(); ++i)
        {
          expected[i] = selected[i] ? expected[i] : 3;
        }
        const auto        filled = Fill<std::uint8_t>(GetParam(), labeler, input.pixels, image.size, 3);
        const std::string what =
          std::string(row.identifier) + ", largest " + std::to_string(largest) + (isComplement ? ", complement" : "");
        EXPECT_EQ(filled.pixels == expected, true) << what;
        EXPECT_EQ(filled.count, rows.size()) << what;
      }
    }
  }
}

TEST_P(CudaConnectedComponentsMask, SpecialFloatsKeepTheirBits)
{
  const double                  nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<double>     input{ nan, -0.0, 3, 0, -nan, 1e308, 5e-324, 0, -0.0, 2 };
  CudaConnectedComponentLabeler labeler = LabelerFor(GetParam(), false);
  labeler.options.selection.minimumSize = 3;
  const auto                output = Fill<double>(GetParam(), labeler, input, { 10, 1, 1 }, -0.0).pixels;
  const std::vector<double> expected{ -0.0, -0.0, -0.0, -0.0, -nan, 1e308, 5e-324, -0.0, -0.0, -0.0 };
  EXPECT_EQ(std::memcmp(output.data(), expected.data(), sizeof(double) * 10), 0);
}

/** Calls the functions with literals of type int as the values of pixels. */
template <typename TPixel>
void
ExpectLiterals(AnalysisWay way)
{
  const std::vector<TPixel>                     input{ 3, 0, 4, 4 };
  std::vector<TPixel>                           output(4, TPixel{ 9 });
  const CudaConnectedComponentLabeler::SizeType size{ 4, 1, 1 };
  CudaConnectedComponentTable                   table;
  CudaConnectedComponentLabeler                 labeler = LabelerFor(way, false);
  labeler.options.selection.minimumSize = 2;
  const std::vector<TPixel> masked{ 0, 0, 4, 4 };
  const std::vector<TPixel> filled{ 3, 0, 1, 1 };
  if (way != AnalysisWay::DeviceToDevice)
  {
    EXPECT_EQ(labeler.Mask(View::Of(input.data(), size), View::Of(output.data(), size), 0), 1U);
    EXPECT_EQ(output, masked);
    EXPECT_EQ(labeler.Fill(View::Of(input.data(), size), View::Of(output.data(), size), 1), 1U);
    EXPECT_EQ(output, filled);
    EXPECT_EQ(labeler.Mask(View::Of(input.data(), size), View::Of(output.data(), size), 0, &table), 1U);
    EXPECT_EQ(table.componentCount, 1U);
    return;
  }
  const std::uint64_t  bytes = 4 * sizeof(TPixel);
  const auto           deviceInput = CudaTestSupport::AllocateDevice(bytes);
  const auto           deviceOutput = CudaTestSupport::AllocateDevice(bytes);
  const TPixel * const from = static_cast<const TPixel *>(deviceInput.get());
  TPixel * const       to = static_cast<TPixel *>(deviceOutput.get());
  CudaTestSupport::CopyToDevice(deviceInput.get(), input.data(), bytes);
  EXPECT_EQ(labeler.Mask(View::OnDevice(from, size), View::OnDevice(to, size), 0), 1U);
  CudaTestSupport::CopyToHost(output.data(), to, bytes);
  EXPECT_EQ(output, masked);
  EXPECT_EQ(labeler.Fill(View::OnDevice(from, size), View::OnDevice(to, size), 1), 1U);
  CudaTestSupport::CopyToHost(output.data(), to, bytes);
  EXPECT_EQ(output, filled);
  EXPECT_EQ(labeler.Mask(View::OnDevice(from, size), View::OnDevice(to, size), 0, &table), 1U);
  EXPECT_EQ(table.componentCount, 1U);
}

TEST_P(CudaConnectedComponentsMask, ValuesMayBeLiterals)
{
  ExpectLiterals<std::uint8_t>(GetParam());
  ExpectLiterals<std::int16_t>(GetParam());
  ExpectLiterals<std::int64_t>(GetParam());
  ExpectLiterals<float>(GetParam());
}

TEST(CudaConnectedComponentsMask, ValuesMustFitThePixels)
{
  CudaConnectedComponentLabeler labeler;
  labeler.options.onHost = true;
  const auto fill = [&](auto pixel, View::Value value) {
    labeler.Fill(View::Of(&pixel, { 1, 1, 1 }), View::Of(&pixel, { 1, 1, 1 }), value);
    return pixel;
  };
  const auto expectError = [&](auto pixel, View::Value value, const std::string & part) {
    ExpectError(KindEnum::InvalidArgument, part, [&] { fill(pixel, value); });
  };
  constexpr auto highest = std::numeric_limits<std::uint64_t>::max();
  constexpr auto lowest = std::numeric_limits<std::int64_t>::min();
  EXPECT_EQ(fill(std::uint8_t{ 1 }, 255.0), 255);
  EXPECT_EQ(fill(std::uint64_t{ 1 }, highest), highest);
  EXPECT_EQ(fill(std::int64_t{ 1 }, lowest), lowest);
  EXPECT_EQ(fill(1.0F, -3), -3.0F);
  EXPECT_EQ(fill(1.0F, 0.1), 0.1F);
  expectError(std::uint8_t{ 1 }, 256, "no pixel of the type UInt8 has the value 256");
  expectError(std::uint8_t{ 1 }, -1, "no pixel of the type UInt8 has the value -1");
  expectError(std::int16_t{ 1 }, 0.5, "no pixel of the type Int16 has the value 0.5");
  expectError(std::int64_t{ 1 }, highest, "has the value 18446744073709551615");
  expectError(std::int64_t{ 1 }, 9223372036854775808.0, "no pixel of the type Int64");
  expectError(std::int32_t{ 1 }, std::nan(""), "no pixel of the type Int32 has the value nan");
  expectError(true, 2, "no pixel of the type Bool has the value 2");
}

TEST_P(CudaConnectedComponentsMask, SeedsMustLieInTheImage)
{
  const TestImage               image = MakeRandom({ 9, 8, 7 }, 50, 1, 36001);
  CudaConnectedComponentLabeler labeler = LabelerFor(GetParam(), false);
  for (const auto & [x, y, z] : { std::array<std::uint64_t, 3>{ 9, 0, 0 }, { 0, 8, 0 }, { 0, 0, 7 }, { ~0ULL, 0, 0 } })
  {
    labeler.options.selection.seeds = { { 8, 7, 6 }, { x, y, z } };
    const std::string seed = std::to_string(x) + ", " + std::to_string(y) + ", " + std::to_string(z);
    for (const bool isInside : { false, true })
    {
      FillSettings settings;
      settings.isInside = isInside;
      ExpectError(KindEnum::InvalidArgument, "the seed " + seed + " lies outside the image of 9 x 8 x 7 pixels", [&] {
        Fill<std::uint8_t>(GetParam(), labeler, image.pixels, image.size, 0, settings);
      });
    }
  }
}

TEST_P(CudaConnectedComponentsMask, AlgorithmsForFullConnectivityOnly)
{
  const TestImage image = MakeRandom({ 9, 8, 7 }, 50, 1, 36002);
  for (const AlgorithmEnum algorithm : { AlgorithmEnum::BlockUnionFind, AlgorithmEnum::BlockKomuraEquivalence })
  {
    for (const bool isInside : { false, true })
    {
      CudaConnectedComponentLabeler labeler = LabelerFor(GetParam(), false);
      labeler.options.algorithm = algorithm;
      FillSettings settings;
      settings.isInside = isInside;
      ExpectError(KindEnum::InvalidArgument, "labels with full connectivity only", [&] {
        Fill<std::uint8_t>(GetParam(), labeler, image.pixels, image.size, 0, settings);
      });
    }
  }
}

TEST_P(CudaConnectedComponentsMask, NullPointers)
{
  const TestImage                               image = MakeRandom({ 9, 8, 7 }, 50, 1, 36003);
  const CudaConnectedComponentLabeler           labeler = LabelerFor(GetParam(), false);
  const CudaConnectedComponentLabeler::SizeType size = image.size;
  std::uint8_t * const                          none = nullptr;
  if (GetParam() == AnalysisWay::DeviceToDevice)
  {
    const auto   memory = CudaTestSupport::AllocateDevice(image.pixels.size());
    auto * const pixels = static_cast<std::uint8_t *>(memory.get());
    const char * outputIsNull = "the output is a null pointer";
    ExpectError(KindEnum::InvalidArgument, outputIsNull, [&] {
      labeler.Mask(View::OnDevice(pixels, size), View::OnDevice(none, size));
    });
    ExpectError(KindEnum::InvalidArgument, outputIsNull, [&] {
      labeler.Fill(View::OnDevice(pixels, size), View::OnDevice(none, size), 1);
    });
    ExpectError(KindEnum::InvalidArgument, "the input", [&] {
      labeler.Mask(View::OnDevice(none, size), View::OnDevice(pixels, size));
    });
    ExpectError(KindEnum::InvalidArgument, "the input", [&] {
      labeler.Fill(View::OnDevice(none, size), View::OnDevice(pixels, size), 1);
    });
    ExpectError(KindEnum::InvalidArgument, "the input", [&] {
      labeler.Label(View::OnDevice(none, size), View::OnDevice(pixels, size));
    });
    ExpectError(KindEnum::InvalidArgument, "the input", [&] { labeler.Measure(View::OnDevice(none, size)); });
    return;
  }
  std::vector<std::uint8_t> pixels = image.pixels;
  const auto expectNull = [](const auto & function) { ExpectError(KindEnum::InvalidArgument, "null", function); };
  expectNull([&] { labeler.Mask(View::Of(pixels.data(), size), View::Of(none, size)); });
  expectNull([&] { labeler.Fill(View::Of(pixels.data(), size), View::Of(none, size), 1); });
  expectNull([&] { labeler.Mask(View::Of(none, size), View::Of(pixels.data(), size)); });
  expectNull([&] { labeler.Fill(View::Of(none, size), View::Of(pixels.data(), size), 1); });
  expectNull([&] { labeler.Label(View::Of(none, size), View::Of(pixels.data(), size)); });
  expectNull([&] { labeler.Measure(View::Of(none, size)); });
  EXPECT_EQ(pixels, image.pixels);
}

// Images without pixels may have null pointers, and seeds that lie outside.
TEST_P(CudaConnectedComponentsMask, ImagesWithoutPixels)
{
  CudaConnectedComponentLabeler labeler = LabelerFor(GetParam(), true);
  labeler.options.selection.seeds = { { 4, 0, 0 } };
  for (const CudaConnectedComponentLabeler::SizeType & size :
       std::vector<CudaConnectedComponentLabeler::SizeType>{ { 0, 5, 5 }, { 5, 0, 5 }, { 5, 5, 0 }, { 0, 0, 0 } })
  {
    const std::uint8_t * const  input = nullptr;
    std::uint8_t * const        output = nullptr;
    CudaConnectedComponentTable table;
    table.componentCount = 77;
    if (GetParam() == AnalysisWay::DeviceToDevice)
    {
      EXPECT_EQ(labeler.Mask(View::OnDevice(input, size), View::OnDevice(output, size)), 0U);
      EXPECT_EQ(labeler.Fill(View::OnDevice(input, size), View::OnDevice(output, size), 1, &table), 0U);
    }
    else
    {
      EXPECT_EQ(labeler.Mask(View::Of(input, size), View::Of(output, size)), 0U);
      EXPECT_EQ(labeler.Fill(View::Of(input, size), View::Of(output, size), 1, &table), 0U);
    }
    EXPECT_EQ(table.componentCount, 0U);
  }
}

TEST_P(CudaConnectedComponentsMask, MemoryThatADeviceCannotUse)
{
  if (GetParam() != AnalysisWay::DeviceToDevice)
  {
    GTEST_SKIP() << "the functions use host memory";
  }
  const CudaConnectedComponentLabeler::SizeType size{ 9, 8, 7 };
  const auto                                    memory = CudaTestSupport::AllocateDevice(2048);
  auto * const                                  pixels = static_cast<std::int16_t *>(memory.get());
  auto * const                  misaligned = reinterpret_cast<std::int16_t *>(static_cast<char *>(memory.get()) + 1);
  std::vector<std::int16_t>     onHost(9 * 8 * 7, 1);
  CudaConnectedComponentLabeler labeler = LabelerFor(GetParam(), false);
  const auto expectErrors = [&](const std::string & part, const std::int16_t * input, std::int16_t * output) {
    ExpectError(KindEnum::InvalidArgument, part, [&] {
      labeler.Mask(View::OnDevice(input, size), View::OnDevice(output, size));
    });
    ExpectError(KindEnum::InvalidArgument, part, [&] {
      labeler.Fill(View::OnDevice(input, size), View::OnDevice(output, size), 1);
    });
  };
  expectErrors("the address of the input is not a multiple of its pixel size of 2 bytes", misaligned, pixels);
  expectErrors("the address of the output is not a multiple of its pixel size of 2 bytes", pixels, misaligned);
  expectErrors("the input is not in the memory of CUDA device", onHost.data(), pixels);
  expectErrors("the output is not in the memory of CUDA device", pixels, onHost.data());
  EXPECT_EQ(onHost, std::vector<std::int16_t>(onHost.size(), 1));
}

TEST_P(CudaConnectedComponentsMask, IntensitiesMustBeAligned)
{
  const TestImage                  image = MakeRandom({ 9, 8, 7 }, 50, 1, 36004);
  const std::vector<std::uint16_t> onHost(600, 1);
  const auto                       onDevice =
    GetParam() == AnalysisWay::DeviceToDevice ? CudaTestSupport::AllocateDevice(1200) : std::shared_ptr<void>();
  const void * const          begin = onDevice ? onDevice.get() : static_cast<const void *>(onHost.data());
  CudaConnectedComponentTable table;
  FillSettings                settings;
  settings.table = &table;
  CudaConnectedComponentLabeler labeler = LabelerFor(GetParam(), false);
  using ImageView = itk::CudaConnectedComponentImageView;
  labeler.options.intensities = ImageView::Of(static_cast<const char *>(begin) + 1,
                                              ImageView::PixelTypeEnum::UInt16,
                                              image.size,
                                              onDevice ? ImageView::MemoryEnum::Device : ImageView::MemoryEnum::Host);
  for (const bool isInside : { false, true })
  {
    settings.isInside = isInside;
    ExpectError(KindEnum::InvalidArgument,
                "the address of the intensity image is not a multiple of its pixel size",
                [&] { Fill<std::uint8_t>(GetParam(), labeler, image.pixels, image.size, 0, settings); });
  }
}

// The device reports only the begin and the end of the work.
TEST_P(CudaConnectedComponentsMask, ProgressCanAbort)
{
  const TestImage             image = MakeRandom({ 130, 120, 9 }, 30, 1, 36005);
  CudaConnectedComponentTable table;
  FillSettings                settings;
  settings.table = &table;
  table.componentCount = 77;
  for (const float stage : { 0.0F, 0.3F, 0.6F })
  {
    if (stage > 0 && GetParam() == AnalysisWay::DeviceToDevice)
    {
      continue;
    }
    for (const bool isInside : { false, true })
    {
      settings.isInside = isInside;
      CudaConnectedComponentLabeler labeler = LabelerFor(GetParam(), false);
      labeler.options.progress = [stage](float progress) {
        if (progress >= stage)
        {
          throw std::domain_error("aborted");
        }
      };
      EXPECT_THROW(Fill<std::uint8_t>(GetParam(), labeler, image.pixels, image.size, 0, settings), std::domain_error);
      EXPECT_EQ(table.componentCount, 77U);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Ways,
                         CudaConnectedComponentsMask,
                         testing::ValuesIn(AllWays),
                         [](const testing::TestParamInfo<AnalysisWay> & instance) { return NameOf(instance.param); });

} // namespace
