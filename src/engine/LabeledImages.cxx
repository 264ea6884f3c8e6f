// SPDX-License-Identifier: Apache-2.0
#include "engine/LabeledImages.h"

#include "engine/Checks.h"
#include "algorithms/analysis/ExportRows.h"
#include "algorithms/analysis/MeasureIntensities.h"
#include "algorithms/analysis/UnpackIntensities.h"
#include "algorithms/runs/HostRows.h"
#include "algorithms/runs/RunUnionFind.h"
#include "primitives/ImageRows.h"

#include <algorithm>

namespace itk::ccl
{

namespace
{

using RunType = std::uint64_t;

/** The runs of a label image, with the ranks of their components. */
struct RunsOfLabels
{
  Grid                            size;
  HostBuffer<Word>                words;
  HostBits<SingleRow>             bits; // refers to the words
  HostBuffer<RunType>             offsets;
  IndexedRuns<SingleRow, RunType> indexed;
  std::vector<RunType>            ranks;

  RunsOfLabels(const ParallelFor & parallelFor, const ImageView & image, const LabelValues & labelValues)
    : size(GridOf(image.size, image.images))
    , words(AllocateOnHost<Word>(WordsOf(size).Count()))
    , bits(PackRows<SingleRow>(
        parallelFor,
        [&, isLabel = Foreground::EqualTo(image.type, labelValues.background).Inverted()](std::uint64_t row,
                                                                                          Word *        rowWords) {
          PackRowOf(image, row, isLabel, rowWords);
        },
        size,
        words.get()))
    , offsets(AllocateOnHost<RunType>(bits.groups.columns.words.Count()))
    , indexed{ bits.groups, offsets.get() }
  {
    StoreRunOffsets(HostExecutor(parallelFor), bits.groups, offsets.get());
    ranks.reserve(bits.runs.total);
    const BitRows & rows = bits.groups.rows;
    for (std::uint64_t row = 0; row < image.size[1] * image.size[2]; ++row)
    {
      for (RunCursor run(rows.bits + row * rows.words.x, image.size[0]); run.Next();)
      {
        ranks.push_back(labelValues.RankOf(PixelOf(image, row, run.GetBegin())));
      }
    }
  }
};

} // namespace

LabelValues
LabelValuesOf(PixelType type, std::uint64_t background)
{
  return VisitLabelType(type, [&](auto label) { return LabelValues::For(static_cast<decltype(label)>(background)); });
}

CudaConnectedComponentTable
MeasureLabels(const ParallelFor &                          parallelFor,
              const ImageView &                            labels,
              const LabelValues &                          labelValues,
              const CudaConnectedComponentTable::Columns & columns,
              std::vector<std::uint64_t> &                 rowOfComponent,
              std::vector<std::uint64_t> &                 components)
{
  const HostExecutor executor(parallelFor);
  const RunsOfLabels runs(parallelFor, labels, labelValues);

  // A volume may have few of the components, so its table has no rows for the others.
  std::vector<RunType> rowOfRun;
  rowOfRun.reserve(runs.ranks.size());
  components.clear();
  for (const RunType component : runs.ranks)
  {
    std::uint64_t & row = rowOfComponent[component]; // counts from 1
    if (row == 0)
    {
      components.push_back(component);
      row = components.size();
    }
    rowOfRun.push_back(row - 1);
  }
  for (const std::uint64_t component : components)
  {
    rowOfComponent[component] = 0;
  }
  const std::uint64_t componentCount = components.size();

  CudaConnectedComponentTable table;
  const Grid &                size = runs.size;
  const TableColumns          measuredColumns = ColumnsFor({}, columns);
  VisitSumTypeFor<RunType>(size, columns, [&](auto sum) {
    using TableType = ComponentTable<RunType, decltype(sum)>;
    const auto memory = executor.Allocate<std::uint64_t>(WordsOfTable<TableType>(measuredColumns, componentCount));
    const auto measured = TableIn<TableType>(memory.get(), measuredColumns, componentCount);
    MeasureComponents(
      executor, runs.indexed, RanksOfRuns<RunType>(rowOfRun.data()), size, false, { componentCount }, measured);
    executor.ForEach(
      Grid{ componentCount },
      ExportRow<RunType, decltype(sum)>{ measured, nullptr, {}, size, MakeColumns(table, columns, componentCount) });
  });
  return table;
}

CudaConnectedComponentIntensities
MeasureIntensitiesOfLabels(const ParallelFor &            parallelFor,
                           const std::vector<ImageView> & labels,
                           const std::vector<ImageView> & intensities,
                           const LabelValues &            labelValues,
                           std::uint64_t                  componentCount)
{
  if (labels.empty())
  {
    return {};
  }
  using namespace MeasureIntensities;
  const HostExecutor executor(parallelFor);
  const auto         rows = executor.Allocate<IntensityValue>(componentCount);
  executor.ForEach(Grid{ componentCount }, ClearRows<IntensityRows>{ { rows.get() } });
  ForEachPass(IntensityImage::Of(intensities.front()), rows.get(), [&](auto adder) {
    for (std::size_t i = 0; i < labels.size(); ++i)
    {
      const RunsOfLabels runs(parallelFor, labels[i], labelValues);
      adder.image = IntensityImage::Of(intensities[i]);
      const MeasureWord<RunType, decltype(adder)> functor{
        { { runs.indexed.OfColumns() }, runs.bits.groups.rows, 1, 1, runs.ranks.data(), runs.size }, adder
      };
      executor.AddToRows(runs.bits.groups.columns.words, functor, IntensityRows{ rows.get() });
    }
  });
  return Unpack(intensities.front().type, rows.get(), componentCount);
}

KeptComponents
SelectComponentsBySize(const ParallelFor &                     parallelFor,
                       std::vector<std::uint64_t> &            pixelCounts,
                       const CudaConnectedComponentSelection & selection,
                       const LabelValues &                     labelValues)
{
  const HostExecutor                    executor(parallelFor);
  const auto                            count = pixelCounts.size();
  const SelectionColumns<std::uint64_t> table{ pixelCounts.data(), nullptr, {}, {} };
  const std::uint64_t * const           allAreSeeded = nullptr;
  const auto selected = Select<std::uint64_t>(executor, table, allAreSeeded, { count }, Grid{ count }, {}, selection);
  KeptComponents kept;
  kept.components.assign(selected.ranks.get(), selected.ranks.get() + selected.count.GetOrZero());
  kept.labels.resize(count);
  std::transform(
    selected.positions.get(), selected.positions.get() + count, kept.labels.begin(), [&](std::uint64_t rank) {
      return rank == NoLabel<std::uint64_t> ? labelValues.background : labelValues.LabelOf(rank);
    });
  return kept;
}

void
ReplaceLabels(const ParallelFor &                parallelFor,
              const ImageView &                  labels,
              const LabelValues &                labelValues,
              const std::vector<std::uint64_t> & newLabels)
{
  VisitLabelType(labels.type, [&](auto zero) {
    using LabelType = decltype(zero);
    const auto background = static_cast<LabelType>(labelValues.background);
    parallelFor(labels.size[1] * labels.size[2], [&](std::uint64_t row) {
      auto * const pixels = reinterpret_cast<LabelType *>(labels.Row(row));
      std::transform(pixels, pixels + labels.size[0], pixels, [&](LabelType label) {
        return label == background
                 ? label
                 : static_cast<LabelType>(newLabels[labelValues.RankOf(static_cast<std::uint64_t>(label))]);
      });
    });
  });
}

} // namespace itk::ccl
