// SPDX-License-Identifier: Apache-2.0

// The tables of blocks.

#include "itkCudaConnectedComponentBlocks.h"

#include "engine/BlockChecks.h"
#include "algorithms/analysis/SelectComponents.h"
#include "algorithms/blocks/BlockTable.h"
#include "executors/host/HostExecutor.h"

#include <string>

namespace itk
{

using namespace ccl;

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
  Require(rows.intensities.pixelCounts.empty() || !rows.intensities.exactSums.empty(),
          "the intensities must be integers: sums of floating-point numbers depend on the cuts");
  bool isComplete = true;
  ForEachIntensityColumn(
    [&](const auto & from) {
      const void * const exact[] = { &rows.intensities.exactMinimums, &rows.intensities.exactMaximums };
      const bool         isExact = &from == exact[0] || &from == exact[1];
      isComplete = isComplete && (isExact || from.empty() == rows.intensities.pixelCounts.empty());
    },
    rows.intensities);
  Require(isComplete && rows.intensities.exactMinimums.empty() == rows.intensities.exactMaximums.empty(),
          "a column of the intensities of the block is missing");
  if (isFirst)
  {
    table = MakeColumnsLike(rows, componentCount);
  }
  table.componentCount = table.originalComponentCount = componentCount;
  table.componentCounts = { componentCount };
  AddRowsTo(rows, labels, table);
}

std::vector<std::uint64_t>
CudaConnectedComponentBlocks::Select(const CudaConnectedComponentTable &     table,
                                     const SizeType &                        imageSize,
                                     const CudaConnectedComponentSelection & selection)
{
  RequireImageSize(imageSize);
  Require(selection.seeds.empty(), "seeds are pixels, and a table has none: look up the labels of the pixels instead");
  Require(!selection.perValue && selection.sizesOfValues.empty(),
          "the components of blocks are not selected by values");
  Require(!selection.keepsTies || selection.numberOfLargest == 1,
          "selection.keepsTies is for the largest component of an image: set numberOfLargest to 1");
  Require(selection.pixelOrder == CudaConnectedComponentSelection::PixelOrderEnum::Raster,
          "the components of blocks are in raster order");
  const std::uint64_t count = table.componentCount;
  Require(count <= imageSize[0] * imageSize[1] * imageSize[2], "the table has more rows than the image has pixels");
  const TableColumns columns = ColumnsFor(selection, TableColumns{ false });
  ForEachColumn(
    [&columns, count](auto isWanted, const auto & column) {
      Require(!(columns.*isWanted) || column.size() == count,
              "the table lacks a column that the selection reads: pixelCounts or boundingBoxes");
    },
    table);
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
  const HostExecutor          executor{ ParallelFor(SequentialFor) };
  const std::uint64_t * const allAreSeeded = nullptr;
  const Grid                  size{ imageSize[0], imageSize[1], imageSize[2] };
  const auto selected = ccl::Select<std::uint64_t>(executor, read, allAreSeeded, { count }, size, {}, selection);
  std::vector<std::uint64_t> labels(selected.positions.get(), selected.positions.get() + count);
  for (std::uint64_t & label : labels)
  {
    label = label == NoLabel<std::uint64_t> ? 0 : label + 1;
  }
  return labels;
}

} // namespace itk
