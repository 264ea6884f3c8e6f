// SPDX-License-Identifier: Apache-2.0

// The tables of blocks.

#include "itkCudaConnectedComponentBlocks.h"

#include "engine/BlockChecks.h"
#include "engine/Requests.h"
#include "algorithms/analysis/SelectComponents.h"
#include "algorithms/blocks/BlockIntensities.h"
#include "executors/host/HostExecutor.h"

#include <algorithm>
#include <numeric>
#include <string>

namespace itk
{

using namespace ccl;

namespace
{

/** Which intensities a table has. */
enum class Kind
{
  None,
  Ranges, // of floating-point numbers
  Sums,   // of floating-point numbers, in the units of the components
  Integers,
  Other
};

Kind
KindOf(const Intensities & in)
{
  const bool hasCounts = !in.pixelCounts.empty();
  const bool hasRanges = !in.minimums.empty();
  const bool hasRounded = !in.sums.empty();
  const bool hasExact = !in.exactSums.empty();
  const bool isComplete = hasRanges == !in.maximums.empty() && hasRounded == !in.sumsOfSquares.empty() &&
                          hasRounded == !in.variances.empty() && hasExact == !in.exactSumsOfSquares.empty() &&
                          in.exactMinimums.empty() == in.exactMaximums.empty() &&
                          (in.exactMinimums.empty() || hasRounded) && hasCounts == (hasRanges || hasExact);
  if (!isComplete || hasRounded != (hasRanges && hasExact))
  {
    return Kind::Other;
  }
  return hasRounded ? Kind::Integers : hasRanges ? Kind::Ranges : hasExact ? Kind::Sums : Kind::None;
}

/** Throws CudaConnectedComponentError unless intensities have a kind and a number of rows. */
void
RequireIntensities(const Intensities & intensities, Kind kind, std::uint64_t rowCount, const char * message)
{
  bool isRight = KindOf(intensities) == (rowCount == 0 ? Kind::None : kind);
  ForEachIntensityColumn(
    [&](const auto & column) { isRight = isRight && (column.empty() || column.size() == rowCount); }, intensities);
  Require(isRight, message);
}

} // namespace

void
CudaConnectedComponentBlocks::AddRows(const CudaConnectedComponentTable & rows,
                                      const std::vector<std::uint64_t> &  labels,
                                      std::uint64_t                       componentCount,
                                      CudaConnectedComponentTable &       table)
{
  const std::uint64_t count = rows.componentCount;
  Require(labels.size() == count, [&] {
    return "the table of the block has " + std::to_string(count) + " rows, but there are " +
           std::to_string(labels.size()) + " labels";
  });
  for (const std::uint64_t label : labels)
  {
    Require(label <= componentCount, [&] {
      return "the label " + std::to_string(label) + " has no row in a table of " + std::to_string(componentCount) +
             " rows";
    });
  }
  RequireListable(componentCount);
  bool       isFirst = true;
  const auto visitAll = [&rows, &table](const auto & visit) {
    ForEachColumn([&visit](auto, const auto & from, const auto & to) { visit(from, to); }, rows, table);
    ForEachIntensityColumn(visit, rows.intensities, table.intensities);
  };
  visitAll([&isFirst](const auto &, const auto & to) { isFirst = isFirst && to.empty(); });
  visitAll([&](const auto & from, const auto & to) {
    Require(from.empty() || from.size() == count, "a column of the table of the block has another length than others");
    Require(isFirst || (count == 0 && from.empty()) ||
              (from.empty() == to.empty() && (to.empty() || to.size() == componentCount)),
            "the table has other columns than the table of the block, or another number of rows");
  });
  Require(
    KindOf(rows.intensities) != Kind::Other,
    "the intensities of the block are not those of Label() or MeasureIntensities(): a column is missing, or there "
    "are sums of floating-point numbers, which depend on the cuts");
  if (isFirst)
  {
    table = MakeColumnsLike(rows, componentCount);
  }
  table.componentCount = table.originalComponentCount = componentCount;
  table.componentCounts = { componentCount };
  AddRowsTo(rows, labels, table);
}

CudaConnectedComponentTable
CudaConnectedComponentBlocks::MeasureIntensities(const ViewType &                                       labels,
                                                 const ViewType &                                       intensities,
                                                 const std::vector<std::uint64_t> &                     newLabels,
                                                 const CudaConnectedComponentTable &                    table,
                                                 const CudaConnectedComponentLabeler::ParallelForType & parallelFor)
{
  const ParallelFor loop = parallelFor ? CheckedFor(parallelFor) : ParallelFor(SequentialFor);
  RequireLabels(loop, labels, newLabels.size());
  RequireMemory(intensities, "intensity image");
  RequireIn(ViewType::MemoryEnum::Host, intensities, "intensity image");
  RequireSize(intensities, labels.size, 1, "intensity image");
  RequireAdjacent(intensities, "intensity image");
  Require(intensities.type == PixelType::Float || intensities.type == PixelType::Double,
          "only floating-point intensities need a second pass: Label() measures integers");
  RequireIntensities(table.intensities,
                     Kind::Ranges,
                     table.componentCount,
                     "the intensities of the table are not the ranges of floating-point numbers that Label() returns");
  const std::uint64_t         count = newLabels.size();
  std::vector<IntensityValue> ranges(count, IntensityValue::Empty());
  for (std::uint64_t row = 0; row < count; ++row)
  {
    Require(newLabels[row] <= table.componentCount, [&] {
      return "the label " + std::to_string(newLabels[row]) + " has no row in a table of " +
             std::to_string(table.componentCount) + " rows";
    });
    ranges[row].nanCount = 1; // it needs no sums
    if (newLabels[row] != 0)
    {
      ranges[row] = RangeOf(table.intensities, newLabels[row] - 1);
    }
  }

  std::vector<IntensityValue> measured(count, IntensityValue::Empty());
  const HostExecutor          executor(loop);
  ccl::MeasureIntensities::ForEachPass(IntensityImage::Of(intensities), ranges.data(), [&](const auto & adder) {
    VisitWidth(labels.type, [&](auto zero) {
      const MeasureRowOfLabels<decltype(zero), std::decay_t<decltype(adder)>> functor{ labels, adder };
      executor.AddToRows(Grid{ labels.size[1], labels.size[2] }, functor, IntensityRows{ measured.data() });
    });
  });

  CudaConnectedComponentTable rows;
  rows.componentCount = rows.originalComponentCount = count;
  rows.componentCounts = { count };
  auto & sums = rows.intensities;
  sums.pixelCounts.reserve(count);
  sums.exactSums.reserve(count);
  sums.exactSumsOfSquares.reserve(count);
  for (std::uint64_t row = 0; row < count; ++row)
  {
    const IntensityValue & value = measured[row];
    Require(newLabels[row] == 0 || value.minimum > value.maximum ||
              (ranges[row].minimum <= value.minimum && value.maximum <= ranges[row].maximum),
            "an intensity lies outside the range of its component in the table: it is the table of another image, or a "
            "block is missing");
    sums.pixelCounts.push_back(value.pixelCount - value.nanCount);
    sums.exactSums.push_back(UnpackIntensities::SignedInteger(value.sum));
    sums.exactSumsOfSquares.push_back(
      { { value.squares.digits[0], value.squares.digits[1], value.squares.digits[2] } });
  }
  return rows;
}

void
CudaConnectedComponentBlocks::FinishIntensities(const CudaConnectedComponentTable & sums,
                                                CudaConnectedComponentTable &       table)
{
  const std::uint64_t count = table.componentCount;
  const auto &        ranges = table.intensities;
  RequireIntensities(ranges,
                     Kind::Ranges,
                     count,
                     "the intensities of the table are not the ranges of floating-point numbers that Label() returns");
  RequireIntensities(sums.intensities, Kind::Sums, count, "the sums are not those of the rows of the table");
  CudaConnectedComponentIntensities finished;
  for (auto * const column :
       { &finished.sums, &finished.sumsOfSquares, &finished.minimums, &finished.maximums, &finished.variances })
  {
    column->reserve(count);
  }
  for (std::uint64_t row = 0; row < count; ++row)
  {
    IntensityValue value = RangeOf(ranges, row);
    Require(sums.intensities.pixelCounts[row] <= value.pixelCount, [&] {
      return "there are sums of " + std::to_string(sums.intensities.pixelCounts[row]) + " pixels for a component of " +
             std::to_string(value.pixelCount) + ": a block was added twice";
    });
    value.nanCount = value.pixelCount - sums.intensities.pixelCounts[row];
    value.squares = BlockTable::WideOf(sums.intensities.exactSumsOfSquares[row]);
    const auto numbers = UnpackIntensities::NumbersOfFloats(value, sums.intensities.exactSums[row]);
    finished.sums.push_back(numbers.sum);
    finished.sumsOfSquares.push_back(numbers.sumOfSquares);
    finished.minimums.push_back(numbers.minimum);
    finished.maximums.push_back(numbers.maximum);
    finished.variances.push_back(numbers.variance);
  }
  finished.pixelCounts = std::move(table.intensities.pixelCounts);
  table.intensities = std::move(finished);
}

std::vector<std::uint64_t>
CudaConnectedComponentBlocks::Select(const CudaConnectedComponentTable &     table,
                                     const SizeType &                        imageSize,
                                     const CudaConnectedComponentSelection & selection,
                                     const std::vector<std::uint64_t> &      labelsOfSeeds,
                                     PixelTypeEnum                           valueType)
{
  RequireImageSize(imageSize);
  Require(!selection.keepsTies || (selection.numberOfLargest == 1 && !selection.perValue),
          "selection.keepsTies is for the largest component of an image: set numberOfLargest to 1");
  Require(selection.perValue || selection.sizesOfValues.empty() || selection.numberOfLargest == 0,
          "selection.sizesOfValues with a number of largest components needs selection.perValue");
  Require(selection.pixelOrder == CudaConnectedComponentSelection::PixelOrderEnum::Raster,
          "the components of blocks are in raster order");
  const std::uint64_t count = table.componentCount;
  Require(count <= imageSize[0] * imageSize[1] * imageSize[2], "the table has more rows than the image has pixels");
  const TableColumns columns = ColumnsFor(selection, TableColumns{ false });
  ForEachColumn(
    [&columns, count](auto isWanted, const auto & column) {
      Require(!(columns.*isWanted) || column.size() == count,
              "the table lacks a column that the selection reads: pixelCounts, boundingBoxes or values");
    },
    table);
  Require(labelsOfSeeds.size() == selection.seeds.size(), [&] {
    return "the selection has " + std::to_string(selection.seeds.size()) + " seeds, but there are " +
           std::to_string(labelsOfSeeds.size()) +
           " labels of seeds: a table has no pixels, so the caller looks them up";
  });
  std::vector<std::uint64_t> seeded(selection.seeds.empty() ? 0 : count);
  for (const std::uint64_t label : labelsOfSeeds)
  {
    Require(label <= count, [&] {
      return "the label " + std::to_string(label) + " of a seed has no row in a table of " + std::to_string(count) +
             " rows";
    });
    if (label != 0)
    {
      seeded[label - 1] = 1;
    }
  }
  // Select() only reads them.
  const auto pointerTo = [](bool isWanted, const std::vector<std::uint64_t> & column) {
    return isWanted ? const_cast<std::uint64_t *>(column.data()) : nullptr;
  };
  SelectionColumns<std::uint64_t> read{ pointerTo(columns.pixelCounts, table.pixelCounts), nullptr, {}, {} };
  for (unsigned int axis = 0; axis < 3; ++axis)
  {
    read.minimums[axis] = pointerTo(columns.boundingBoxes, table.minimums[axis]);
    read.maximums[axis] = pointerTo(columns.boundingBoxes, table.maximums[axis]);
  }
  // A component is its own run.
  SelectComponents::ComponentGroups<std::uint64_t> groups;
  const bool                                       isWide = SizeOf(valueType) == 8;
  std::vector<std::uint32_t>                       narrowKeys;
  std::vector<std::uint64_t>                       runs;
  if (columns.values)
  {
    const std::uint64_t highest = ~std::uint64_t{ 0 } >> (64 - 8 * SizeOf(valueType));
    Require(
      std::all_of(table.values.begin(), table.values.end(), [=](std::uint64_t value) { return value <= highest; }),
      "a value of the table does not fit in the type of the pixels");
    runs.resize(count);
    std::iota(runs.begin(), runs.end(), std::uint64_t{ 0 });
    if (!isWide)
    {
      narrowKeys.assign(table.values.begin(), table.values.end());
    }
    groups.values = RunValues::Of(valueType,
                                  isWide ? static_cast<const void *>(table.values.data())
                                         : static_cast<const void *>(narrowKeys.data()));
    groups.runOfRanks = runs.data();
  }
  const HostExecutor          executor{ ParallelFor(SequentialFor) };
  const Grid                  size{ imageSize[0], imageSize[1], imageSize[2] };
  const std::uint64_t * const seededOrAll = selection.seeds.empty() ? nullptr : seeded.data();
  const auto                  selected =
    ccl::Select<std::uint64_t>(executor, read, seededOrAll, { count }, size, groups, selection, valueType);
  std::vector<std::uint64_t> labels(selected.positions.get(), selected.positions.get() + count);
  for (std::uint64_t & label : labels)
  {
    label = label == NoLabel<std::uint64_t> ? 0 : label + 1;
  }
  return labels;
}

} // namespace itk
