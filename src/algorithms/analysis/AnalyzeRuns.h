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

#include <optional>
#include <utility>

namespace itk::ccl
{

/** The components of a stack after the analysis. */
template <typename TRun, typename TExecutor>
struct AnalyzedComponents
{
  template <typename T>
  using BufferType = decltype(std::declval<const TExecutor &>().template Allocate<T>(0));

  std::uint64_t                                      foundCount; // components of all images
  std::optional<SelectedComponents<TRun, TExecutor>> selected;   // nothing if the selection keeps all components
  BufferType<std::uint64_t> table; // memory of a ComponentTable, if the request wants one; see UnpackTable.h

  /** Returns the number of components that the selection keeps, which is the number of rows of the table. On the
   * device, it waits for this number, but not for later work. */
  std::uint64_t
  GetKeptCount() const
  {
    return selected ? selected->count.Get() : foundCount;
  }
};

/** Measures and selects the components of labeled runs.
 * \param ranksOfRuns the rank of the component of each run. If components are selected, gets their positions in the
 * order of the labels, or NoLabel.
 * \param componentCount number of components of the runs */
template <typename TRowGroup, typename TRun, typename TExecutor>
AnalyzedComponents<TRun, TExecutor>
AnalyzeRuns(const TExecutor &                    executor,
            const IndexedRuns<TRowGroup, TRun> & runs,
            TRun *                               ranksOfRuns,
            const BoundedCount<TRun> &           runCount,
            const RanksOfImages<TRun> &          imageRanks,
            std::uint64_t                        componentCount,
            const Request &                      request)
{
  const TableColumns columns = ColumnsFor(request.selection, request.columns);
  const ImageStack   stack = StackOf<TRowGroup>(request.size, request.images);
  return VisitSumTypeFor(request.size, columns, [&](auto sum) -> AnalyzedComponents<TRun, TExecutor> {
    using TableType = ComponentTable<TRun, decltype(sum)>;
    const auto allocate = [&](std::uint64_t rows) {
      return executor.template Allocate<std::uint64_t>(DivideUp(TableType::BytesFor(columns, rows), 8));
    };
    auto            memory = allocate(componentCount);
    const TableType table = TableType::In(memory.get(), columns, componentCount);
    MeasureComponents(executor,
                      runs,
                      ranksOfRuns,
                      stack,
                      request.selection.pixelOrder == Selection::PixelOrder::TransposedRaster,
                      componentCount,
                      table);
    if (request.selection.IsDefault())
    {
      return { componentCount, std::nullopt, std::move(memory) };
    }
    const auto seeded =
      MarkSeededComponents(executor, runs, ranksOfRuns, componentCount, stack, request.selection.seeds);
    auto selected = Select(executor,
                           table,
                           request.selection.seeds.empty() ? nullptr : seeded.get(),
                           componentCount,
                           request.size,
                           imageRanks,
                           request.selection);
    RenumberRuns(executor, selected.positions.get(), runCount, ranksOfRuns);
    if (!request.wantsTable)
    {
      return { componentCount, std::move(selected), allocate(0) };
    }
    const std::uint64_t rows = selected.count.Get();
    auto                memoryOfSelected = allocate(rows);
    CopySelectedRows(executor, table, selected, TableType::In(memoryOfSelected.get(), columns, rows));
    return { componentCount, std::move(selected), std::move(memoryOfSelected) };
  });
}

} // namespace itk::ccl

#endif
