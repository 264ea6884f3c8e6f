// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_algorithms_analysis_AnalyzeRuns_h
#define ccl_algorithms_analysis_AnalyzeRuns_h

// The steps between the union of runs and the label write-out: measures the components, selects some of them, and gives
// the final labels to the runs.

#include "algorithms/Request.h"
#include "algorithms/analysis/MarkSeeds.h"
#include "algorithms/analysis/MeasureRuns.h"
#include "algorithms/analysis/SelectComponents.h"
#include "primitives/Grid.h"

#include <utility>

namespace itk::ccl
{

/** The components of an image after the analysis. */
template <typename TExecutor>
struct AnalyzedComponents
{
  using BufferType = decltype(std::declval<const TExecutor &>().template Allocate<std::uint64_t>(0));

  std::uint64_t foundCount; // components of the image
  std::uint64_t keptCount;  // components that the selection keeps, and rows of the table
  BufferType    table;      // memory of a ComponentTable, if the request wants one; see UnpackTable.h
};

/** Measures and selects the components of labeled runs.
 * \param labelsOfRuns the label of each run, by request.LabelValuesOfRuns(). Gets the final labels.
 * \param componentCount number of components of the runs */
template <typename TRowGroup, typename TRun, typename TExecutor>
AnalyzedComponents<TExecutor>
AnalyzeRuns(const TExecutor &                    executor,
            const IndexedRuns<TRowGroup, TRun> & runs,
            TRun *                               labelsOfRuns,
            std::uint64_t                        runCount,
            std::uint64_t                        componentCount,
            const Request &                      request)
{
  const TableColumns columns = ColumnsFor(request.selection, request.columns);
  return VisitSumTypeFor(request.size, columns, [&](auto sum) -> AnalyzedComponents<TExecutor> {
    using TableType = ComponentTable<TRun, decltype(sum)>;
    const auto allocate = [&](std::uint64_t rows) {
      return executor.template Allocate<std::uint64_t>(DivideUp(TableType::BytesFor(columns, rows), 8));
    };
    auto            memory = allocate(componentCount);
    const TableType table = TableType::In(memory.get(), columns, componentCount);
    MeasureComponents(executor,
                      runs,
                      labelsOfRuns,
                      request.LabelValuesOfRuns(),
                      request.size,
                      request.selection.pixelOrder == Selection::PixelOrder::TransposedRaster,
                      componentCount,
                      table);
    if (request.selection.IsDefault())
    {
      return { componentCount, componentCount, std::move(memory) };
    }
    const auto seeded = MarkSeededComponents(executor, runs, labelsOfRuns, componentCount, request.selection.seeds);
    const auto selected = Select(executor,
                                 table,
                                 request.selection.seeds.empty() ? nullptr : seeded.get(),
                                 componentCount,
                                 request.size,
                                 request.selection,
                                 request.labelValues);
    RelabelRuns(executor, selected.labels.get(), runCount, labelsOfRuns);
    if (!request.wantsTable)
    {
      return { componentCount, selected.count, allocate(0) };
    }
    auto memoryOfSelected = allocate(selected.count);
    CopySelectedRows(executor, table, selected, TableType::In(memoryOfSelected.get(), columns, selected.count));
    return { componentCount, selected.count, std::move(memoryOfSelected) };
  });
}

} // namespace itk::ccl

#endif
