// SPDX-License-Identifier: Apache-2.0
#include "Ways.h"

#include "BlockKomuraEquivalence.h"
#include "BlockUnionFind.h"
#include "Foreground.h"
#include "HostExecutor.h"
#include "HostRows.h"
#include "HostTiles.h"
#include "Renumbering.h"
#include "RunExpansion.h"
#include "RunUnionFind.h"
#include "SegmentUnionFind.h"
#include "ThreadPool.h"

#include <sstream>

using AlgorithmEnum = itk::CudaConnectedComponentsEnums::Algorithm;
using itk::CudaConnectedComponentLabeler;
using namespace itk::ccl;

namespace
{

template <unsigned int VDimension, typename TLabel>
Labels
LabelBlocksOnHost(const HostExecutor & executor, const Method & method, const TestImage & image)
{
  const Grid          size{ image.size[0], image.size[1], image.size[2] };
  const Numbering     numbering = Numbering::For(TLabel{ 0 });
  std::vector<TLabel> labels(image.pixels.size(), TLabel{ 0xABCDEF });
  std::vector<TLabel> finalLabels(BlocksOf<VDimension>(size).Count());
  if (method.algorithm == AlgorithmEnum::BlockUnionFind)
  {
    LabelByBlockUnionFind<VDimension>(executor, image.pixels.data(), size, labels.data(), method.inlineCompression);
  }
  else
  {
    LabelByBlockKomuraEquivalence<VDimension>(
      executor, image.pixels.data(), size, labels.data(), method.inlineCompression);
  }
  Labels result;
  result.objectCount = RankBlocks<VDimension>(executor, labels.data(), size, numbering, finalLabels.data());

  // The labels of runs, as host to host takes them, must be those of the pixels.
  using BundleType = std::conditional_t<VDimension == 2, PlaneBundle, VolumeBundle>;
  const Grid          words = WordsOf(size);
  std::vector<Word>   bits(words.Count());
  const auto          bundled = PackForeground<BundleType>(executor, image.pixels.data(), size, bits.data());
  const auto          counted = CountRuns<TLabel>(executor, bundled.bundles);
  std::vector<TLabel> runsBefore(bundled.bundles.columns.words.Count());
  NumberRuns(executor, counted, runsBefore.data());
  const NumberedRuns<BundleType, TLabel> runs{ bundled.bundles, runsBefore.data() };
  std::vector<TLabel>                    runLabels(counted.GetCount());
  GatherRunLabels<VDimension>(executor, labels.data(), finalLabels.data(), size, runs, runLabels.data());

  RelabelBlocks<VDimension>(executor, labels.data(), finalLabels.data(), size, numbering, labels.data());
  result.pixels.assign(labels.begin(), labels.end());

  std::vector<TLabel> expanded(image.pixels.size());
  ExpandRuns(executor, runs, runLabels.data(), size, TLabel{ 0 }, expanded.data());
  EXPECT_EQ(expanded, labels) << image.name << ": labels of runs";
  return result;
}

/** What Automatic does to small images on the device, with one tile, some, and many. */
template <typename TBundle>
void
ExpectSameBySegments(const ParallelFor & parallelFor,
                     bool                fullyConnected,
                     const TestImage &   image,
                     const Labels &      expected)
{
  const Grid                                size{ image.size[0], image.size[1], image.size[2] };
  const Foreground::PixelRows<std::uint8_t> pixels{ image.pixels.data(), size };
  std::vector<Word>                         bits(WordsOf(size).Count());
  const auto    bundled = PackForeground<TBundle>(HostExecutor(SequentialFor), image.pixels.data(), size, bits.data());
  std::uint32_t segments = 0;
  for (std::uint64_t word = 0; word < bundled.bundles.columns.words.Count(); ++word)
  {
    segments += CountBits(Segments::Starts(bundled.bundles.columns.bits[word]));
  }
  for (const std::uint32_t tileCount : { 1U, 5U, 200U })
  {
    const BundleTiles<TBundle> tiles(size, fullyConnected, tileCount);
    // Without a list, with one that is too short for most, and with one for all.
    const std::uint32_t           wordsOfTile = SegmentUnionFind::Tile<TBundle>::WordsOfTile(tiles);
    const std::uint32_t           listCapacity = tileCount == 1   ? 0
                                                 : tileCount == 5 ? 16
                                                                  : wordsOfTile * Segments::MaximumPerWord;
    const SegmentNumbers<TBundle> numbers(size);
    const HostTiles               executor(
      parallelFor, tiles.Count(), SegmentUnionFind::Tile<TBundle>::MemoryOf(tiles, listCapacity));
    Labels     labels{ std::vector<std::uint32_t>(image.pixels.size(), 66), 0 };
    const auto label = [&](std::uint32_t maximumSegments) {
      const Numbering numbering = Numbering::For(std::uint32_t{ 0 });
      LabeledSegments labeled{};
      LabelBySegments(
        executor, pixels, tiles, numbers, maximumSegments, listCapacity, numbering, labels.pixels.data(), &labeled);
      return labeled;
    };
    if (segments > 0)
    {
      EXPECT_FALSE(label(segments - 1).isLabeled) << image.name;
      EXPECT_EQ(labels.pixels, std::vector<std::uint32_t>(image.pixels.size(), 66)) << image.name;
    }
    const LabeledSegments labeled = label(segments);
    EXPECT_TRUE(labeled.isLabeled) << image.name;
    labels.objectCount = labeled.objectCount;
    ExpectSame(labels, expected, image.name + " by segments, tiles: " + std::to_string(tiles.Count()));
  }
}

template <typename TBundle, typename TRun>
Labels
LabelRunsOnHost(const HostExecutor & executor, const ParallelFor & parallelFor, const TestImage & image)
{
  const Grid size{ image.size[0], image.size[1], image.size[2] };
  const Grid words = WordsOf(size);

  std::vector<Word> bits(words.Count(), ~Word{ 0 });
  const auto        packRow = [&](std::uint64_t row, std::uint32_t * rowWords) {
    CudaConnectedComponentLabeler::PackRow(image.pixels.data() + row * size.x, size.x, rowWords);
  };
  const auto hostBits = PackRows<TBundle>(parallelFor, packRow, size, bits.data());

  std::vector<Word> packed(words.Count(), ~Word{ 0 });
  const auto        packedColumns = PackForeground<TBundle>(executor, image.pixels.data(), size, packed.data());
  EXPECT_EQ(packed, bits) << image.name << ": bits";
  std::vector<std::uint8_t> unpacked(image.pixels.size(), 7);
  UnpackForeground(executor, BitRows{ words, bits.data() }, size, unpacked.data());
  std::vector<std::uint8_t> binarized(image.pixels.size(), 7);
  BinarizeForeground(executor, image.pixels.data(), size, binarized.data());
  EXPECT_EQ(unpacked, binarized) << image.name << ": bytes";

  const auto          bundled = BundleBits<TBundle>(executor, BitRows{ words, packed.data() });
  const std::uint64_t columnCount = bundled.bundles.columns.words.Count();
  for (const Word * columns : { packedColumns.bundles.columns.bits, hostBits.bundles.columns.bits })
  {
    EXPECT_TRUE(std::equal(columns, columns + columnCount, bundled.bundles.columns.bits)) << image.name << ": columns";
  }
  const auto        counted = CountRuns<TRun>(executor, bundled.bundles);
  const auto        countedByRows = hostBits.template CountRuns<TRun>();
  std::vector<TRun> runsBefore(columnCount);
  std::vector<TRun> runsBeforeByRows(columnCount);
  NumberRuns(executor, counted, runsBefore.data());
  NumberRuns(executor, countedByRows, runsBeforeByRows.data());
  EXPECT_EQ(counted.GetCount(), countedByRows.GetCount()) << image.name;
  EXPECT_EQ(runsBefore, runsBeforeByRows) << image.name;
  const auto runs = LabelRuns(executor, countedByRows, Numbering::For(std::uint32_t{ 0 }));

  Labels result{ std::vector<std::uint32_t>(image.pixels.size(), 77), runs.CountObjects() };
  ExpandRows(parallelFor, hostBits, runs.labels.get(), size, std::uint32_t{ 0 }, false, result.pixels.data());

  std::vector<std::uint32_t> expanded(image.pixels.size(), 88);
  ExpandRuns(executor, runs.GetNumbered(), runs.labels.get(), size, std::uint32_t{ 0 }, expanded.data());
  EXPECT_EQ(expanded, result.pixels) << image.name << ": expansion";
  return result;
}

Labels
LabelOnHost(Way way, const Method & method, const TestImage & image)
{
  const ParallelFor  parallelFor = way == Way::HostThreads ? ThreadPool::For() : ParallelFor(SequentialFor);
  const HostExecutor executor(parallelFor);
  const bool         isPlane = image.size[2] == 1 && way != Way::HostVolume;
  if (method.algorithm == AlgorithmEnum::RunUnionFind)
  {
    const Grid bundled{ image.size[0], image.size[1], isPlane ? 1 : std::max<std::uint64_t>(2, image.size[2]) };
    return VisitBundle(bundled, method.fullyConnected, [&](auto bundle) {
      using BundleType = decltype(bundle);
      const Labels labels = way == Way::HostWide
                              ? LabelRunsOnHost<BundleType, std::uint64_t>(executor, parallelFor, image)
                              : LabelRunsOnHost<BundleType, std::uint32_t>(executor, parallelFor, image);
      using TileBundleType = std::conditional_t<std::is_same_v<BundleType, PlaneBundle>, RowBundle, BundleType>;
      ExpectSameBySegments<TileBundleType>(parallelFor, method.fullyConnected, image, labels);
      return labels;
    });
  }
  if (way == Way::HostWide)
  {
    return isPlane ? LabelBlocksOnHost<2, std::uint64_t>(executor, method, image)
                   : LabelBlocksOnHost<3, std::uint64_t>(executor, method, image);
  }
  return isPlane ? LabelBlocksOnHost<2, std::uint32_t>(executor, method, image)
                 : LabelBlocksOnHost<3, std::uint32_t>(executor, method, image);
}

CudaConnectedComponentLabeler
LabelerFor(const Method & method)
{
  CudaConnectedComponentLabeler labeler;
  labeler.options.algorithm = method.algorithm;
  labeler.options.fullyConnected = method.fullyConnected;
  labeler.options.inlineCompression = method.inlineCompression;
  return labeler;
}

Labels
LabelDeviceToDevice(const Method & method, const TestImage & image)
{
  Labels              result{ std::vector<std::uint32_t>(image.pixels.size(), 99), 0 };
  const std::uint64_t outputBytes = image.pixels.size() * sizeof(std::uint32_t);
  const auto          input = CudaTestSupport::AllocateDevice(image.pixels.size());
  const auto          output = CudaTestSupport::AllocateDevice(outputBytes);
  CudaTestSupport::CopyToDevice(input.get(), image.pixels.data(), image.pixels.size());
  CudaTestSupport::CopyToDevice(output.get(), result.pixels.data(), outputBytes);
  result.objectCount = LabelerFor(method).LabelDeviceMemory(
    static_cast<const std::uint8_t *>(input.get()), image.size, static_cast<std::uint32_t *>(output.get()));
  CudaTestSupport::CopyToHost(result.pixels.data(), output.get(), outputBytes);
  return result;
}

Labels
LabelHostToHost(const Method & method, const TestImage & image)
{
  Labels result{ std::vector<std::uint32_t>(image.pixels.size(), 99), 0 };
  result.objectCount = LabelerFor(method).LabelHostMemory(image.pixels.data(), image.size, result.pixels.data());
  return result;
}

} // namespace

std::string
NameOf(Way way)
{
  switch (way)
  {
    case Way::HostSteps:
      return "HostSteps";
    case Way::HostThreads:
      return "HostThreads";
    case Way::HostVolume:
      return "HostVolume";
    case Way::HostWide:
      return "HostWide";
    case Way::DeviceToDevice:
      return "DeviceToDevice";
    default:
      return "HostToHost";
  }
}

std::string
WhyNot(Way way)
{
  const bool needsDevice = way == Way::DeviceToDevice || way == Way::HostToHost;
  return needsDevice ? CudaTestSupport::WhyNoDevice() : "";
}

std::string
NameOf(const Method & method)
{
  std::ostringstream name;
  name << method.algorithm << (method.fullyConnected ? ", full" : ", face") << " connectivity"
       << (method.inlineCompression ? ", inline compression" : "");
  return name.str();
}

std::vector<Method>
MethodsOf(Way way)
{
  std::vector<Method> methods{ { AlgorithmEnum::BlockUnionFind, true, false },
                               { AlgorithmEnum::BlockUnionFind, true, true },
                               { AlgorithmEnum::BlockKomuraEquivalence, true, false },
                               { AlgorithmEnum::BlockKomuraEquivalence, true, true },
                               { AlgorithmEnum::RunUnionFind, true, true },
                               { AlgorithmEnum::RunUnionFind, false, true } };
  if (way == Way::DeviceToDevice || way == Way::HostToHost)
  {
    methods.push_back({ AlgorithmEnum::Automatic, true, true });
    methods.push_back({ AlgorithmEnum::Automatic, false, true });
  }
  return methods;
}

Labels
LabelBy(Way way, const Method & method, const TestImage & image)
{
  switch (way)
  {
    case Way::DeviceToDevice:
      return LabelDeviceToDevice(method, image);
    case Way::HostToHost:
      return LabelHostToHost(method, image);
    default:
      return LabelOnHost(way, method, image);
  }
}
