// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_algorithms_analysis_UnpackTable_h
#define ccl_algorithms_analysis_UnpackTable_h

// From the memory of a ComponentTable to the table that the caller gets.

#include "algorithms/Request.h"
#include "algorithms/analysis/SelectComponents.h"
#include "primitives/BitRows.h"
#include "primitives/PixelTypes.h"

#include <algorithm>
#include <vector>

namespace itk::ccl
{

/** Calls visitor(ComponentTable<TRun, TSum>::In(memory)) with the types of the table of a request. */
template <typename TVisitor>
auto
VisitTable(const Request & request, void * memory, std::uint64_t rows, const TVisitor & visitor)
{
  const TableColumns columns = ColumnsFor(request.selection, request.columns);
  return VisitIndexType(request.GetIndexLimit(), [&](auto run) {
    return VisitSumTypeFor(request.size, columns, [&](auto sum) {
      return visitor(ComponentTable<decltype(run), decltype(sum)>::In(memory, columns, rows));
    });
  });
}

/** Returns the size in bytes of the memory of a request's table. */
inline std::uint64_t
TableBytes(const Request & request, std::uint64_t rows)
{
  const TableColumns columns = ColumnsFor(request.selection, request.columns);
  return VisitTable(
    request, nullptr, 0, [&](const auto & table) { return std::decay_t<decltype(table)>::BytesFor(columns, rows); });
}

namespace UnpackTable
{

inline CudaConnectedComponentTable::Sum
MakeSum(std::uint64_t sum)
{
  return { sum, 0 };
}

inline CudaConnectedComponentTable::Sum
MakeSum(const WideSum & sum)
{
  return { sum.low, sum.high };
}

} // namespace UnpackTable

/** Writes the wanted columns of a table on the host to the caller's table. `size` is the size of the image. */
template <typename TTable>
void
Unpack(const TTable &                from,
       const TableColumns &          wanted,
       const Grid &                  size,
       std::uint64_t                 rows,
       CudaConnectedComponentTable & table)
{
  const auto copy = [rows](const auto * column, bool isWanted, std::vector<std::uint64_t> & to) {
    if (isWanted)
    {
      to.assign(column, column + rows);
    }
  };
  const auto copySums = [rows](const auto * column, bool isWanted, auto & to) {
    if (isWanted)
    {
      to.resize(rows);
      std::transform(column, column + rows, to.begin(), [](const auto & sum) { return UnpackTable::MakeSum(sum); });
    }
  };
  copy(from.pixelCounts, wanted.pixelCounts, table.pixelCounts);
  copy(from.firstPixels, wanted.firstPixels, table.firstPixels);
  for (unsigned int axis = 0; axis < 3; ++axis)
  {
    copy(from.minimums[axis], wanted.boundingBoxes, table.minimums[axis]);
    copy(from.maximums[axis], wanted.boundingBoxes, table.maximums[axis]);
    copySums(from.sums[axis], wanted.sums, table.sums[axis]);
  }
  for (unsigned int i = 0; i < 6; ++i)
  {
    copySums(from.products[i], wanted.products, table.products[i]);
  }
  if (wanted.faces)
  {
    table.faces.resize(rows);
    for (std::uint64_t row = 0; row < rows; ++row)
    {
      table.faces[row] = from.FacesAt(row, size);
    }
  }
}

/** Writes the columns that the request wants to `table`. `memory` is the memory of a ComponentTable on the host. */
inline void
Unpack(const Request & request, void * memory, std::uint64_t rows, CudaConnectedComponentTable & table)
{
  VisitTable(
    request, memory, rows, [&](const auto & from) { Unpack(from, request.columns, request.size, rows, table); });
}

} // namespace itk::ccl

#endif
