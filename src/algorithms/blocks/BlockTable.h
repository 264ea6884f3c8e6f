// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_algorithms_blocks_BlockTable_h
#define ccl_algorithms_blocks_BlockTable_h

// The rows of the components of a block. They add up to the rows of several blocks: all measurements are integers.
// Floating-point intensities take two steps: see BlockIntensities.h.

#include "algorithms/analysis/ComponentTable.h"
#include "algorithms/analysis/UnpackIntensities.h"
#include "algorithms/blocks/BlockGrid.h"

#include <cstdint>
#include <vector>

namespace itk::ccl
{

using Table = CudaConnectedComponentTable;
using Intensities = CudaConnectedComponentIntensities;

/** Returns the columns that a block measures: the wanted columns, and those that they follow from in the whole image.
 */
inline TableColumns
ColumnsOfBlock(const TableColumns & wanted, bool isByValue)
{
  TableColumns columns = wanted;
  columns.values |= isByValue;
  columns.boundingBoxes |= columns.faces;
  columns.sums |= columns.products;
  columns.pixelCounts |= columns.sums;
  return columns;
}

inline Table::Sum
SumOf(UInt128 value)
{
  return { static_cast<std::uint64_t>(value), static_cast<std::uint64_t>(value >> 64) };
}

/** Changes the columns of ColumnsOfBlock() to indices of the whole image. */
inline void
ShiftRows(const Block & block, Table & table)
{
  const Block::SizeType & origin = block.origin;
  const Grid              size{ block.size[0], block.size[1], block.size[2] };
  const Grid              imageSize{ block.imageSize[0], block.imageSize[1], block.imageSize[2] };
  for (auto & pixel : table.firstPixels)
  {
    const Cell cell = CellAt(size, pixel);
    pixel = IndexOf(imageSize, { cell.x + origin[0], cell.y + origin[1], cell.z + origin[2] });
  }
  for (unsigned int axis = 0; axis < 3; ++axis)
  {
    for (auto * const column : { &table.minimums[axis], &table.maximums[axis] })
    {
      for (auto & index : *column)
      {
        index += origin[axis];
      }
    }
  }
  for (std::size_t row = 0; row < table.faces.size(); ++row)
  {
    unsigned int faces = 0;
    for (unsigned int axis = 0; axis < 3; ++axis)
    {
      if (block.imageSize[axis] > 1)
      {
        faces |= table.minimums[axis][row] == 0 ? Table::FaceBit(axis, false) : 0U;
        faces |= table.maximums[axis][row] == block.imageSize[axis] - 1 ? Table::FaceBit(axis, true) : 0U;
      }
    }
    table.faces[row] = static_cast<std::uint8_t>(faces);
  }
  // The sum of (x + a)(y + b) is that of xy, b x, a y and a b.
  unsigned int product = 0;
  for (unsigned int axis = 0; axis < 3; ++axis)
  {
    for (unsigned int other = axis; other < 3; ++other, ++product)
    {
      auto & column = table.products[product];
      for (std::size_t row = 0; row < column.size(); ++row)
      {
        column[row] = SumOf(IntegerOf(column[row]) + origin[other] * IntegerOf(table.sums[axis][row]) +
                            origin[axis] * IntegerOf(table.sums[other][row]) +
                            UInt128{ origin[axis] } * origin[other] * table.pixelCounts[row]);
      }
    }
  }
  for (unsigned int axis = 0; axis < 3; ++axis)
  {
    auto & column = table.sums[axis];
    for (std::size_t row = 0; row < column.size(); ++row)
    {
      column[row] = SumOf(IntegerOf(column[row]) + UInt128{ origin[axis] } * table.pixelCounts[row]);
    }
  }
}

/** Removes the columns that are not wanted. */
inline void
RemoveColumns(const TableColumns & wanted, Table & table)
{
  ForEachColumn(
    [&wanted](auto isWanted, auto & column) {
      if (!(wanted.*isWanted))
      {
        column = {};
      }
    },
    table);
}

/** Calls visit(columns...) for each column of the intensities of tables. */
template <typename TVisitor, typename... TIntensities>
void
ForEachIntensityColumn(const TVisitor & visit, TIntensities &... intensities)
{
  visit(intensities.pixelCounts...);
  visit(intensities.sums...);
  visit(intensities.sumsOfSquares...);
  visit(intensities.minimums...);
  visit(intensities.maximums...);
  visit(intensities.variances...);
  visit(intensities.exactSums...);
  visit(intensities.exactSumsOfSquares...);
  visit(intensities.exactMinimums...);
  visit(intensities.exactMaximums...);
}

namespace BlockTable
{

/** Merges an element of a measured column. */
template <typename TColumn, typename T>
void
MergeElement(TColumn column, T & element, const T & value)
{
  if constexpr (std::is_same<T, Table::Sum>::value)
  {
    element = SumOf(IntegerOf(element) + IntegerOf(value));
  }
  else
  {
    column.Merge(element, value);
  }
}

inline WideInteger<3>
WideOf(const Intensities::Integer & value)
{
  return { { value.digits[0], value.digits[1], value.digits[2] } };
}

inline void
Add(Intensities::Integer & sum, const Intensities::Integer & summand)
{
  WideInteger<3> wide = WideOf(sum);
  wide.Add(WideOf(summand));
  sum.digits = { wide.digits[0], wide.digits[1], wide.digits[2] };
}

inline bool
IsLess(const Intensities::Integer & a, const Intensities::Integer & b)
{
  return a.IsNegative() != b.IsNegative()
           ? a.IsNegative()
           : std::lexicographical_compare(a.digits.rbegin(), a.digits.rend(), b.digits.rbegin(), b.digits.rend());
}

/** Returns whether a number precedes another one. NaN is no number, and -0.0 precedes 0.0. */
inline bool
IsLess(double a, double b)
{
  return !std::isnan(a) && !std::isnan(b) && KeyOf(a) < KeyOf(b);
}

/** Adds a row of intensities: integers, or the ranges or the sums of floating-point numbers. */
inline void
AddIntensities(const Intensities & from, std::size_t row, Intensities & to, std::size_t toRow)
{
  const bool isFirst = to.pixelCounts[toRow] == 0;
  to.pixelCounts[toRow] += from.pixelCounts[row];
  if (!from.minimums.empty())
  {
    double & minimum = to.minimums[toRow];
    double & maximum = to.maximums[toRow];
    if (isFirst || std::isnan(minimum) || IsLess(from.minimums[row], minimum))
    {
      minimum = from.minimums[row];
    }
    if (isFirst || std::isnan(maximum) || IsLess(maximum, from.maximums[row]))
    {
      maximum = from.maximums[row];
    }
  }
  if (from.exactSums.empty())
  {
    return;
  }
  Add(to.exactSums[toRow], from.exactSums[row]);
  Add(to.exactSumsOfSquares[toRow], from.exactSumsOfSquares[row]);
  if (from.sums.empty())
  {
    return;
  }
  if (!from.exactMinimums.empty())
  {
    if (isFirst || IsLess(from.exactMinimums[row], to.exactMinimums[toRow]))
    {
      to.exactMinimums[toRow] = from.exactMinimums[row];
    }
    if (isFirst || IsLess(to.exactMaximums[toRow], from.exactMaximums[row]))
    {
      to.exactMaximums[toRow] = from.exactMaximums[row];
    }
  }
  const auto & sum = to.exactSums[toRow];
  const auto & squares = to.exactSumsOfSquares[toRow];
  to.sums[toRow] = sum.ToDouble();
  to.sumsOfSquares[toRow] = squares.ToDouble();
  const std::uint64_t count = to.pixelCounts[toRow];
  to.variances[toRow] = count > 1 ? UnpackIntensities::VarianceOf(count, sum, WideOf(squares), 0) : 0.0;
}

} // namespace BlockTable

/** Makes the columns of a table for AddRows(): those of another table. */
inline Table
MakeColumnsLike(const Table & rows, std::uint64_t componentCount)
{
  Table table;
  ForEachMeasurement(
    [componentCount](auto column, auto & elements, const auto & like) {
      if (!like.empty())
      {
        elements.resize(componentCount);
        for (auto & element : elements)
        {
          if constexpr (!std::is_same<decltype(element), Table::Sum &>::value)
          {
            column.Clear(element);
          }
        }
      }
    },
    table,
    rows);
  table.faces.resize(rows.faces.empty() ? 0 : componentCount);
  table.values.resize(rows.values.empty() ? 0 : componentCount);
  ForEachIntensityColumn(
    [componentCount](auto & elements, const auto & like) { elements.resize(like.empty() ? 0 : componentCount); },
    table.intensities,
    rows.intensities);
  return table;
}

/** Adds rows to a table that has the same columns.
 * \param labels the row of the table that each row belongs to, plus 1; 0 if it belongs to none */
inline void
AddRowsTo(const Table & rows, const std::vector<std::uint64_t> & labels, Table & table)
{
  const auto forEachRow = [&labels](const auto & column, const auto & visit) {
    for (std::size_t row = 0; row < column.size(); ++row)
    {
      if (labels[row] != 0)
      {
        visit(row, labels[row] - 1);
      }
    }
  };
  ForEachMeasurement(
    [&forEachRow](auto column, auto & to, const auto & from) {
      forEachRow(from, [&, column](std::size_t row, std::size_t toRow) {
        BlockTable::MergeElement(column, to[toRow], from[row]);
      });
    },
    table,
    rows);
  forEachRow(rows.faces, [&](std::size_t row, std::size_t toRow) {
    table.faces[toRow] = static_cast<std::uint8_t>(table.faces[toRow] | rows.faces[row]);
  });
  forEachRow(rows.values, [&](std::size_t row, std::size_t toRow) { table.values[toRow] = rows.values[row]; });
  forEachRow(rows.intensities.pixelCounts, [&](std::size_t row, std::size_t toRow) {
    BlockTable::AddIntensities(rows.intensities, row, table.intensities, toRow);
  });
}

} // namespace itk::ccl

#endif
