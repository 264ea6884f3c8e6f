// SPDX-License-Identifier: Apache-2.0
#include "Ways.h"

#include "DenseImages.h"
#include "ThreadPool.h"

#include "algorithms/published/ForegroundBytes.h"
#include "algorithms/published/GatherRunLabels.h"
#include "algorithms/published/PublishedRanking.h"
#include "algorithms/runs/HostRows.h"
#include "algorithms/runs/PackForeground.h"
#include "algorithms/runs/RowUnionFind.h"
#include "algorithms/runs/RunLabelWriteOut.h"
#include "executors/host/HostExecutor.h"

#include "itkCudaConnectedComponentAlgorithms.h"

#include <sstream>

using AlgorithmEnum = itk::CudaConnectedComponentsEnums::Algorithm;
using itk::CudaConnectedComponentLabeler;
using namespace itk::ccl;

namespace
{

using View = itk::CudaConnectedComponentImageView;

/** Reads the labels of runs from an image of labels. Expects that writing them out gives the same image. */
template <typename TRowGroup, typename TLabel>
void
ExpectLabelsOfRuns(const HostExecutor & executor, const TestImage & image, const std::vector<TLabel> & labels)
{
  const Grid          size{ image.size[0], image.size[1], image.size[2] };
  std::vector<Word>   bits(WordsOf(size).Count());
  const auto          grouped = PackRowGroups<TRowGroup>(executor, image.pixels.data(), size, bits.data());
  std::vector<TLabel> runOffsets(grouped.groups.columns.words.Count());
  StoreRunOffsets(executor, grouped.groups, runOffsets.data());
  const IndexedRuns<TRowGroup, TLabel> runs{ grouped.groups, runOffsets.data() };
  std::vector<TLabel>                  runLabels(CountRuns<TLabel>(executor, grouped.groups));
  GatherLabelsOfRuns(executor, labels.data(), size, runs, runLabels.data());
  std::vector<TLabel> written(image.pixels.size());
  // The labels start at 1, and the ranks at 0.
  std::for_each(runLabels.begin(), runLabels.end(), [](TLabel & label) { --label; });
  WriteRunLabels(executor, runs, RanksOfRuns(runLabels.data()), size, LabelValues::For(TLabel{ 0 }), written.data());
  EXPECT_EQ(written, labels) << image.name << ": labels of runs";
}

/** Labels an image with a published algorithm. VDimension is 3 for a plane that is labeled as a volume of one plane. */
template <unsigned int VDimension, typename TLabel>
Labels
LabelAsPublishedOnHost(const HostExecutor & executor, const Method & method, const TestImage & image)
{
  using Ranking = PublishedRanking<VDimension, TLabel, HostExecutor>;
  const Grid          size{ image.size[0], image.size[1], image.size[2] };
  std::vector<TLabel> labels(image.pixels.size(), TLabel{ 0xABCDEF });
  LabelByPublishedAlgorithm<VDimension>(executor,
                                        method.algorithm,
                                        image.pixels.data(),
                                        size,
                                        { method.fullyConnected, method.inlineCompression },
                                        labels.data());
  const std::vector<TLabel> labelsOfAlgorithm = labels;
  const Ranking             ranking(executor, method.algorithm, labels.data(), size, LabelValues::For(TLabel{ 0 }));
  Labels                    result;
  result.objectCount = ranking.GetComponentCount();
  ranking.Relabel(executor, labels.data());
  result.pixels.assign(labels.begin(), labels.end());

  for (const std::int32_t background : { 5, -1 })
  {
    const LabelValues         values = LabelValues::For(background);
    std::vector<TLabel>       ranked = labelsOfAlgorithm;
    std::vector<std::int32_t> withBackground(image.pixels.size(), 77);
    std::vector<std::int32_t> expected;
    Ranking(executor, method.algorithm, ranked.data(), size, values).Relabel(executor, withBackground.data());
    for (const TLabel label : labels)
    {
      expected.push_back(label == 0 ? background : static_cast<std::int32_t>(values.LabelOf(label - 1)));
    }
    EXPECT_EQ(withBackground, expected) << image.name << ": background " << background;
  }

  // From host to host, the labels of the runs are gathered from the pixels. Writing them out must give the same image.
  const Grid grouped{ size.x, size.y, VDimension == 2 ? 1 : std::max<std::uint64_t>(2, size.z) };
  VisitRowGroup(grouped, NeighborsOf(method.fullyConnected), [&](auto group) {
    ExpectLabelsOfRuns<decltype(group)>(executor, image, labels);
  });
  return result;
}

/** Divides words as an executor with many threads does, each time in another way. */
class ManyThreadsExecutor : public HostExecutor
{
public:
  using HostExecutor::HostExecutor;

  unsigned int
  GetPartBits(unsigned int) const
  {
    return m_PartBits++ % 6;
  }

private:
  mutable unsigned int m_PartBits = 0;
};

/** Labels the runs of single rows by row, in one part and in many, of few runs and of many, and expects the ranks of
 * `expected`, the columns of the runs, and the pixels of `labels`. */
template <typename TRun>
void
ExpectSameByRow(const ParallelFor &                                  parallelFor,
                const TestImage &                                    image,
                const CudaConnectedComponentLabeler::RowPackerType & packRow,
                Neighbors                                            neighbors,
                const LabeledRuns<SingleRow, TRun, HostExecutor> &   expected,
                const std::vector<std::uint32_t> &                   labels)
{
  const Grid        size{ image.size[0], image.size[1], image.size[2] };
  std::vector<Word> bits(WordsOf(size).Count());
  for (const PartSize & leastPart : { PartSize::Whole(), PartSize{ 1 }, PartSize{ 1, 0 } })
  {
    const bool          hasManyParts = leastPart.work == 1;
    const std::string   what = image.name + (hasManyParts ? ": many parts by row" : ": one part by row");
    const std::uint64_t pixelsPerChunk = hasManyParts ? 3 * size.x : Tuning::HostPixelsPerChunk;
    const auto          packed = PackRows<SingleRow>(parallelFor, packRow, size, bits.data(), pixelsPerChunk);
    const auto          runs = LabelRunsByRow<TRun>(parallelFor, packed, neighbors, {}, true, leastPart);
    const std::uint64_t runCount = runs.runCount.limit;
    ASSERT_EQ(runCount, expected.runCount.limit) << what;
    EXPECT_EQ(runs.componentCount.GetOrZero(), expected.componentCount.GetOrZero()) << what;
    EXPECT_TRUE(std::equal(runs.ranks.get(), runs.ranks.get() + runCount, expected.ranks.get())) << what << ": ranks";
    EXPECT_TRUE(std::equal(runs.runOffsets.get(), runs.runOffsets.get() + bits.size(), expected.runOffsets.get()))
      << what << ": offsets";
    for (const bool hasBackground : { false, true })
    {
      std::vector<std::uint32_t> written(image.pixels.size(), hasBackground ? 0 : 66);
      WriteLabelRows<std::uint32_t>(parallelFor,
                                    packed,
                                    HostRanks(runs.ranks.get(), runs.columnsOfRuns),
                                    RanksOfImages<TRun>{},
                                    LabelValues::For(std::uint32_t{ 0 }),
                                    hasBackground,
                                    ImageView::Of(written.data(), image.size));
      EXPECT_EQ(written, labels) << what;
    }
  }
}

template <typename TRowGroup, typename TRun>
Labels
LabelRunsOnHost(const HostExecutor & executor,
                const ParallelFor &  parallelFor,
                const TestImage &    image,
                Neighbors            neighbors)
{
  const Grid size{ image.size[0], image.size[1], image.size[2] };
  const Grid words = WordsOf(size);

  std::vector<Word> bits(words.Count(), ~Word{ 0 });
  const auto        packRow = [&](std::uint64_t row, std::uint32_t * rowWords) {
    CudaConnectedComponentLabeler::PackRow(image.pixels.data() + row * size.x, size.x, rowWords);
  };
  const auto hostBits = PackRows<TRowGroup>(parallelFor, packRow, size, bits.data());

  std::vector<Word> packed(words.Count(), ~Word{ 0 });
  const auto        packedColumns = PackRowGroups<TRowGroup>(executor, image.pixels.data(), size, packed.data());
  EXPECT_EQ(packed, bits) << image.name << ": bits";
  std::vector<std::uint8_t> unpacked(image.pixels.size(), 7);
  UnpackForeground(executor, BitRows{ words, bits.data() }, size, unpacked.data());
  std::vector<std::uint8_t> binarized(image.pixels.size(), 7);
  BinarizeForeground(executor, image.pixels.data(), size, binarized.data());
  EXPECT_EQ(unpacked, binarized) << image.name << ": bytes";

  const auto          grouped = CollectRowGroups<TRowGroup>(executor, size, packed.data());
  const std::uint64_t columnCount = grouped.groups.columns.words.Count();
  for (const Word * columns : { packedColumns.groups.columns.bits, hostBits.groups.columns.bits })
  {
    EXPECT_TRUE(std::equal(columns, columns + columnCount, grouped.groups.columns.bits)) << image.name << ": columns";
  }
  const auto labelRuns = [&](const RunCapacity & capacity) {
    return LabelRuns<TRun>(executor, hostBits.groups, neighbors, capacity);
  };
  const auto runs = labelRuns(RunCapacity::Exactly(CountRuns<TRun>(executor, hostBits.groups)));
  const auto most = RunCapacity::AtMost(MostRunsOf(hostBits.groups));
  auto       uncounted = labelRuns(most);
  EXPECT_EQ(runs.runCount.limit, hostBits.runs.total) << image.name;
  EXPECT_EQ(uncounted.runCount.GetOrZero(), hostBits.runs.total) << image.name;
  EXPECT_EQ(uncounted.componentCount.GetOrZero(), runs.componentCount.GetOrZero()) << image.name;
  EXPECT_TRUE(std::equal(runs.ranks.get(), runs.ranks.get() + hostBits.runs.total, uncounted.ranks.get()))
    << image.name << ": ranks of uncounted runs";
  uncounted.SetRunCount(hostBits.runs.total, ColumnLimitOf(hostBits.groups, most));
  EXPECT_EQ(uncounted.componentCount.GetOrZero(), runs.componentCount.GetOrZero()) << image.name;
  const auto columnsOf = [](const RunColumns<TRun> & columns) {
    std::vector<TRun> both(columns.first, columns.first + columns.runCount);
    both.insert(both.end(), columns.last, columns.last + columns.runCount);
    return both;
  };
  if (runs.columnsOfRuns.first != nullptr)
  {
    EXPECT_EQ(columnsOf(uncounted.columnsOfRuns), columnsOf(runs.columnsOfRuns)) << image.name;
  }
  TRun          count = 0;
  std::uint64_t runCount = 0;
  const auto    ranked = LabelRuns<TRun>(ManyThreadsExecutor(parallelFor),
                                      hostBits.groups,
                                      neighbors,
                                      RunCapacity::AtMost(hostBits.runs.total),
                                         {},
                                         { true, &count, &runCount });
  EXPECT_EQ(runCount, hostBits.runs.total);
  EXPECT_EQ(count, runs.componentCount.GetOrZero());

  Labels            result{ std::vector<std::uint32_t>(image.pixels.size(), 77), runs.componentCount.GetOrZero() };
  const LabelValues labelValues = LabelValues::For(std::uint32_t{ 0 });
  WriteLabelRows<std::uint32_t>(parallelFor,
                                hostBits,
                                HostRanks(runs.ranks.get()),
                                {},
                                labelValues,
                                false,
                                ImageView::Of(result.pixels.data(), { size.x, size.y, size.z }));

  std::vector<std::uint32_t> written(image.pixels.size(), 88);
  WriteRunLabels(executor, runs.GetIndexed(), runs.GetRanks(), size, labelValues, written.data());
  EXPECT_EQ(written, result.pixels) << image.name << ": label write-out";
  std::fill(written.begin(), written.end(), 99);
  WriteRunLabels(executor, ranked.GetIndexed(), ranked.GetRanks(), size, labelValues, written.data());
  EXPECT_EQ(written, result.pixels) << image.name << ": ranks of roots";
  if constexpr (TRowGroup::IsOneRow)
  {
    ExpectSameByRow(parallelFor, image, packRow, neighbors, runs, result.pixels);
  }
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
    const Grid      grouped{ image.size[0], image.size[1], isPlane ? 1 : std::max<std::uint64_t>(2, image.size[2]) };
    const Neighbors neighbors = NeighborsOf(method.fullyConnected);
    const auto      label = [&](auto group) {
      using RowGroupType = decltype(group);
      return way == Way::Host64Bit
                    ? LabelRunsOnHost<RowGroupType, std::uint64_t>(executor, parallelFor, image, neighbors)
                    : LabelRunsOnHost<RowGroupType, std::uint32_t>(executor, parallelFor, image, neighbors);
    };
    const Labels result = VisitRowGroup(grouped, neighbors, label);
    if (method.fullyConnected)
    {
      const Labels ofSingleRows = label(SingleRow{});
      EXPECT_EQ(ofSingleRows.objectCount, result.objectCount) << image.name << ": single rows";
      EXPECT_TRUE(ofSingleRows.pixels == result.pixels) << image.name << ": single rows";
    }
    return result;
  }
  if (way == Way::Host64Bit)
  {
    return isPlane ? LabelAsPublishedOnHost<2, std::uint64_t>(executor, method, image)
                   : LabelAsPublishedOnHost<3, std::uint64_t>(executor, method, image);
  }
  return isPlane ? LabelAsPublishedOnHost<2, std::uint32_t>(executor, method, image)
                 : LabelAsPublishedOnHost<3, std::uint32_t>(executor, method, image);
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
  result.objectCount =
    LabelerFor(method).Label(View::OnDevice(static_cast<const std::uint8_t *>(input.get()), image.size),
                             View::OnDevice(static_cast<std::uint32_t *>(output.get()), image.size));
  CudaTestSupport::CopyToHost(result.pixels.data(), output.get(), outputBytes);
  return result;
}

Labels
LabelHostToHost(const Method & method, const TestImage & image)
{
  Labels result{ std::vector<std::uint32_t>(image.pixels.size(), 99), 0 };
  result.objectCount =
    LabelerFor(method).Label(View::Of(image.pixels.data(), image.size), View::Of(result.pixels.data(), image.size));
  return result;
}

} // namespace

std::string
NameOf(Way way)
{
  switch (way)
  {
    case Way::HostSequential:
      return "HostSequential";
    case Way::HostThreads:
      return "HostThreads";
    case Way::HostVolume:
      return "HostVolume";
    case Way::Host64Bit:
      return "Host64Bit";
    case Way::DeviceToDevice:
      return "DeviceToDevice";
    default:
      return "HostToHost";
  }
}

std::string
ReasonToSkip(Way way)
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
  const bool          hasAutomatic = way == Way::DeviceToDevice || way == Way::HostToHost;
  std::vector<Method> methods;
  for (const auto & row : itk::CudaConnectedComponentAlgorithms::GetAll())
  {
    if (!IsTested(row.title) || (row.algorithm == AlgorithmEnum::Automatic && !hasAutomatic))
    {
      continue;
    }
    methods.push_back({ row.algorithm, true, true });
    if (row.hasInlineCompression)
    {
      methods.push_back({ row.algorithm, true, false });
    }
    if (!row.needsFullConnectivity)
    {
      methods.push_back({ row.algorithm, false, true });
    }
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
