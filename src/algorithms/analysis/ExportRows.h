// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_algorithms_analysis_ExportRows_h
#define ccl_algorithms_analysis_ExportRows_h

// From the table of all components to the table that the caller gets: the rows of the kept components, in the order of
// their labels.

#include "algorithms/analysis/AnalyzeRuns.h"

#include "itkCudaConnectedComponentDeviceCall.h"

#include <type_traits>

namespace itk::ccl
{

using CallersTable = CudaConnectedComponentDeviceTable;

/** Kernel functor that copies the rows of kept components to the columns of the caller. A cell is a row of them. */
template <typename TRun, typename TSum>
struct ExportRow
{
  ComponentTable<TRun, TSum> from;
  const TRun *               ranks; // of the kept components; null if all are kept
  RanksOfImages<TRun>        imageRanks;
  Grid                       size;
  CallersTable               to;
  const TRun *               runOfRanks = nullptr; // a run of each component, for `to.values`
  RunValues                  values{};             // of the runs

  CCL_HOST_DEVICE
  void
  operator()(const Cell & cell) const
  {
    const std::uint64_t row = cell.x;
    const std::uint64_t rank = ranks == nullptr ? row : std::uint64_t{ ranks[row] };
    if (to.images != nullptr || to.labels != nullptr)
    {
      const std::uint64_t image = imageRanks.ImageOf(static_cast<TRun>(row));
      if (to.images != nullptr)
      {
        to.images[row] = image;
      }
      if (to.labels != nullptr)
      {
        to.labels[row] = row - imageRanks.FirstOf(image) + 1;
      }
    }
    ForEachMeasurement(
      [row, rank](auto, auto * column, const auto * measured) {
        if (column != nullptr)
        {
          // Sums get 128 bits. Planes have no columns along z.
          using ElementType = std::decay_t<decltype(*column)>;
          column[row] = measured == nullptr ? ElementType{} : ElementType{ measured[rank] };
        }
      },
      to,
      from);
    if (to.areas != nullptr)
    {
      to.areas[row] = static_cast<double>(from.pixelCounts[rank]);
    }
    if (to.faces != nullptr)
    {
      to.faces[row] = from.FacesAt(rank, size);
    }
    if (to.values != nullptr)
    {
      to.values[row] = values.KeyOf(runOfRanks[rank]);
    }
    CCL_UNROLL
    for (unsigned int axis = 0; axis < 3; ++axis)
    {
      if (to.ends[axis] != nullptr)
      {
        to.ends[axis][row] = (from.maximums[axis] == nullptr ? 0 : std::uint64_t{ from.maximums[axis][rank] }) + 1;
      }
      if (to.means[axis] != nullptr)
      {
        using SumType = CudaConnectedComponentTable::Sum;
        const SumType sum = from.sums[axis] == nullptr ? SumType{} : SumType{ from.sums[axis][rank] };
        to.means[axis][row] = (static_cast<double>(sum.high) * 18446744073709551616.0 + static_cast<double>(sum.low)) /
                              static_cast<double>(from.pixelCounts[rank]);
      }
    }
  }
};

/** Copies the rows of the kept components to columns in the executor's memory. `rows` is their number, and `values` are
 * those of the runs. */
template <typename TRun, typename TExecutor>
void
ExportRows(const TExecutor &                           executor,
           const AnalyzedComponents<TRun, TExecutor> & analyzed,
           const RanksOfImages<TRun> &                 imageRanks,
           const RunValues &                           values,
           const BoundedCount<TRun> &                  rows,
           const Request &                             request,
           const CallersTable &                        table)
{
  const TableColumns columns = ColumnsFor(request.selection, request.columns);
  VisitSumTypeFor<TRun>(request.size, columns, [&](auto sum) {
    const auto from = ComponentTableIn<ComponentTable<TRun, decltype(sum)>>(
      analyzed.table.get(), columns, analyzed.found.limit, request.size);
    executor.ForEach(
      rows,
      ExportRow<TRun, decltype(sum)>{
        from, analyzed.GetKeptRanks(), imageRanks, request.size, table, analyzed.runOfRanks.get(), values });
  });
}

/** Does the same for selected runs. */
template <typename TRowGroup, typename TRun, typename TExecutor>
void
ExportRows(const TExecutor &                                executor,
           const SelectedRuns<TRowGroup, TRun, TExecutor> & selected,
           const BoundedCount<TRun> &                       rows,
           const Request &                                  request,
           const CallersTable &                             table)
{
  ExportRows(executor, *selected.analyzed, selected.imageRanks, selected.labeled.values.ofRuns, rows, request, table);
}

/** Gives a table on the host the wanted columns. Returns their addresses. */
inline CallersTable
MakeColumns(CudaConnectedComponentTable & table, const TableColumns & wanted, std::uint64_t rows)
{
  CallersTable columns{ rows };
  ForEachColumn(
    [&](auto isWanted, auto & elements, auto *& address) {
      if (wanted.*isWanted)
      {
        elements.resize(rows);
        address = elements.data();
      }
    },
    table,
    columns);
  return columns;
}

/** Copies columns on the host to a table. */
inline void
FillColumns(CudaConnectedComponentTable & table, const CallersTable & columns, std::uint64_t rows)
{
  ForEachColumn(
    [rows](auto, auto & elements, const auto * column) {
      if (column != nullptr)
      {
        elements.assign(column, column + rows);
      }
    },
    table,
    columns);
}

} // namespace itk::ccl

#endif
