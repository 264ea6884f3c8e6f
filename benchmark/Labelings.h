// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_benchmark_Labelings_h
#define ccl_benchmark_Labelings_h

// Labels and measures images by runs, on any executor. The steps are the steps of the library.

#include "DenseImages.h"

#include "algorithms/analysis/ExportRows.h"
#include "algorithms/runs/RunUnionFind.h"

namespace itk::ccl
{

/** Returns the capacity for all runs. Waits for their number if there is no room for the most possible ones. */
template <typename TRowGroup, typename TExecutor>
RunCapacity
CapacityForAll(const TExecutor & executor, const RowGroupBits<TRowGroup> & groups)
{
  const auto capacity = CapacityFor<std::uint32_t>(groups, PixelType::UInt8);
  return capacity.runs == MostRunsOf(groups) ? capacity
                                             : RunCapacity::Exactly(CountRuns<std::uint32_t>(executor, groups));
}

/** Labels an image by runs. Writes ITK's labels. */
template <typename TRowGroup, typename TExecutor>
void
LabelByRuns(const TExecutor &    executor,
            const std::uint8_t * input,
            const Grid &         size,
            Neighbors            neighbors,
            std::uint32_t *      labels)
{
  const auto bits = executor.template Allocate<Word>(WordsOf(size).Count());
  const auto grouped = PackRowGroups<TRowGroup>(executor, input, size, bits.get());
  const auto capacity = CapacityForAll(executor, grouped.groups);
  const auto runs = LabelRuns<std::uint32_t>(executor, grouped.groups, neighbors, capacity);
  WriteRunLabels(executor, runs.GetIndexed(), runs.GetRanks(), size, LabelValues::For(std::uint32_t{ 0 }), labels);
}

/** Labels the runs of an image, and measures and selects its components. Calls write(runs, labels) with the final label
 * of each run, and then visit(table, components) with the table in the executor's memory. */
template <typename TExecutor, typename TWriter, typename TVisitor>
void
MeasureByRuns(const TExecutor &    executor,
              const std::uint8_t * input,
              const Request &      request,
              const TWriter &      write,
              const TVisitor &     visit)
{
  VisitRowGroup(request.size, request.neighbors, [&](auto group) {
    const auto bits = executor.template Allocate<Word>(WordsOf(request.size).Count());
    const auto grouped = PackRowGroups<decltype(group)>(executor, input, request.size, bits.get());
    const auto capacity = CapacityForAll(executor, grouped.groups);
    auto       runs = LabelRuns<std::uint32_t>(executor, grouped.groups, request.neighbors, capacity);
    const auto selected = SelectComponentsOf(executor, std::move(runs), request);
    write(selected.labeled.GetIndexed(), selected.labeled.ranks.get());
    const std::uint64_t kept = Await(executor, selected.kept);
    const auto rows = executor.template Allocate<std::uint64_t>(WordsOfTable<CallersTable>(request.columns, kept));
    const auto table = TableIn<CallersTable>(rows.get(), request.columns, kept);
    ExportRows(executor, selected, { kept }, request, table);
    visit(table, kept);
  });
}

/** Returns a writer for MeasureByRuns() that writes labels, unless `labels` is null. */
template <typename TExecutor>
auto
LabelWriter(const TExecutor & executor, const Request & request, std::uint32_t * labels)
{
  return [=, &executor, &request](const auto & runs, const std::uint32_t * labelsOfRuns) {
    if (labels != nullptr)
    {
      WriteRunLabels(
        executor, runs, RanksOfRuns(labelsOfRuns), request.size, LabelValues::For(std::uint32_t{ 0 }), labels);
    }
  };
}

/** Returns a request for labels whose background is 0. */
inline Request
RequestFor(const Grid & size, bool fullyConnected)
{
  Request request;
  request.size = size;
  request.neighbors = NeighborsOf(fullyConnected);
  request.labelValues = LabelValues::For(std::uint32_t{ 0 });
  return request;
}

/** Returns a request for labels and a table. */
inline Request
TableRequestFor(const Grid & size, const itk::CudaConnectedComponentTable::Columns & columns, bool fullyConnected)
{
  Request request = RequestFor(size, fullyConnected);
  request.columns = columns;
  request.wantsTable = true;
  request.output = OutputKind::Labels;
  return request;
}

} // namespace itk::ccl

#endif
