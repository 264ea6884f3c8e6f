// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_algorithms_analysis_ComponentTable_h
#define ccl_algorithms_analysis_ComponentTable_h

// The table of components while it is computed: one array for each column, all in one block of memory. Row r belongs to
// the component with rank r.

#include "primitives/Atomics.h"
#include "primitives/Grid.h"
#include "primitives/Sums.h"

#include "itkCudaConnectedComponentTable.h"

#include <algorithm>
#include <type_traits>

namespace itk::ccl
{

using TableColumns = CudaConnectedComponentTable::Columns;
using ColumnFlag = bool TableColumns::*;

/** How a measurement of a component follows from the measurements of disjoint sets of its pixels. */
enum class Merging
{
  Sum,
  Minimum,
  Maximum
};

/** A column of a table. */
template <Merging VMerging>
struct Column
{
  ColumnFlag isWanted;

  /** Sets an element to the measurement of no pixels. */
  template <typename T>
  CCL_HOST_DEVICE
  static void
  Clear(T & element)
  {
    if constexpr (VMerging == Merging::Minimum)
    {
      element = static_cast<T>(~T{ 0 });
    }
    else
    {
      element = T{};
    }
  }

  template <typename T>
  CCL_HOST_DEVICE
  static void
  Merge(T & element, const T & value)
  {
    if constexpr (VMerging == Merging::Sum)
    {
      element += value;
    }
    else
    {
      const bool isReplaced = VMerging == Merging::Minimum ? value < element : value > element;
      element = isReplaced ? value : element;
    }
  }

  /** Does the same. Threads may merge at the same time. The atomic operations do not read the minimum and the maximum
   * first, so that a thread on the device does not wait for them. */
  template <typename TStored, typename T>
  CCL_HOST_DEVICE
  static void
  MergeAtomically(TStored * element, const T & value)
  {
    if constexpr (VMerging == Merging::Sum)
    {
      AtomicAdd(element, value);
    }
    else if constexpr (VMerging == Merging::Minimum)
    {
      AtomicMin(element, value);
    }
    else
    {
      AtomicMax(element, value);
    }
  }
};

/** Whether a record has sums of products. */
template <typename TRecord, typename = void>
inline constexpr bool HasProducts = false;
template <typename TRecord>
inline constexpr bool HasProducts<TRecord, std::void_t<decltype(TRecord::products)>> = true;

/** Calls visit(column, members...) for each column that is measured, with its Column and its member of each record. The
 * records are tables, or the measurements of some pixels. Products are visited if all records have them. */
CCL_NO_EXECUTION_CHECK
template <typename TVisitor, typename... TRecords>
CCL_HOST_DEVICE
inline void
ForEachMeasurement(const TVisitor & visit, TRecords &... records)
{
  using Sum = Column<Merging::Sum>;
  using Minimum = Column<Merging::Minimum>;
  using Maximum = Column<Merging::Maximum>;
  visit(Sum{ &TableColumns::pixelCounts }, records.pixelCounts...);
  visit(Minimum{ &TableColumns::firstPixels }, records.firstPixels...);
  CCL_UNROLL
  for (unsigned int axis = 0; axis < 3; ++axis)
  {
    visit(Minimum{ &TableColumns::boundingBoxes }, records.minimums[axis]...);
    visit(Maximum{ &TableColumns::boundingBoxes }, records.maximums[axis]...);
    visit(Sum{ &TableColumns::sums }, records.sums[axis]...);
  }
  if constexpr ((HasProducts<TRecords> && ...))
  {
    CCL_UNROLL
    for (unsigned int i = 0; i < 6; ++i)
    {
      visit(Sum{ &TableColumns::products }, records.products[i]...);
    }
  }
}

/** The sums of products in a record of measurements, or nothing. */
template <typename TSum, bool VHasProducts>
struct ProductSums
{
  TSum products[6]; // xx, xy, xz, yy, yz, zz
};
template <typename TSum>
struct ProductSums<TSum, false>
{};

/** The measurements of some pixels of a component. TRun holds every pixel index of the image, and TSum every sum.
 * Merge() of the measurements of two disjoint sets of pixels gives the measurements of both. */
template <typename TRun, typename TSum, bool VHasProducts = true>
struct Measurements : ProductSums<TSum, VHasProducts>
{
  TRun pixelCounts;
  TRun firstPixels; // index in the order of Selection::PixelOrderEnum
  TRun minimums[3];
  TRun maximums[3];
  TSum sums[3];

  CCL_HOST_DEVICE
  void
  Merge(const Measurements & other)
  {
    ForEachMeasurement(
      [](auto column, auto & element, const auto & value) { column.Merge(element, value); }, *this, other);
  }
};

/** The columns of a table that a selection reads. A column that is not wanted is null. */
template <typename TRun>
struct SelectionColumns
{
  TRun * pixelCounts;
  TRun * firstPixels;
  TRun * minimums[3];
  TRun * maximums[3];

  /** Returns the faces of the image that the component of a row touches, as CudaConnectedComponentTable::faces. The
   * table must have boxes. */
  CCL_HOST_DEVICE
  std::uint8_t
  FacesAt(std::uint64_t row, const Grid & size) const
  {
    const std::uint64_t sizes[3] = { size.x, size.y, size.z };
    unsigned int        faces = 0;
    for (unsigned int axis = 0; axis < 3; ++axis)
    {
      if (sizes[axis] > 1)
      {
        faces |= static_cast<unsigned int>(minimums[axis][row] == 0) << 2 * axis;
        faces |= static_cast<unsigned int>(maximums[axis][row] == sizes[axis] - 1) << (2 * axis + 1);
      }
    }
    return static_cast<std::uint8_t>(faces);
  }
};

/** All columns of a table. */
template <typename TRun, typename TSum>
struct ComponentTable : SelectionColumns<TRun>
{
  using ValueType = Measurements<TRun, TSum>;
  using SumType = typename StoredSum<TSum>::Type;

  SumType * sums[3];
  SumType * products[6];

  /** Returns whether there is a column besides the pixel counts. */
  bool
  HasMoreThanPixelCounts() const
  {
    return this->firstPixels != nullptr || this->minimums[0] != nullptr || sums[0] != nullptr || products[0] != nullptr;
  }

  /** Prepares a row for Add(). */
  CCL_HOST_DEVICE
  void
  Clear(std::uint64_t row) const
  {
    ForEachMeasurement(
      [row](auto column, auto * elements) {
        if (elements != nullptr)
        {
          column.Clear(elements[row]);
        }
      },
      *this);
  }

  /** Adds the measurements of some pixels to a row. Threads may add at the same time. */
  template <bool VHasProducts>
  CCL_HOST_DEVICE
  void
  Add(std::uint64_t row, const Measurements<TRun, TSum, VHasProducts> & value) const
  {
    ForEachMeasurement(
      [row](auto column, auto * elements, const auto & measured) {
        if (elements != nullptr)
        {
          column.MergeAtomically(elements + row, measured);
        }
      },
      *this,
      value);
  }
};

/** A table to which AddToRows() adds measurements without products. They need fewer registers, so more warps run at the
 * same time. */
template <typename TRun, typename TSum>
struct TableWithoutProducts : ComponentTable<TRun, TSum>
{
  using ValueType = Measurements<TRun, TSum, false>;
};

/** Calls visit(isWanted, elements) for each column of a table, with its flag in TableColumns. */
template <typename TVisitor, typename TRun, typename TSum>
void
ForEachColumn(const TVisitor & visit, ComponentTable<TRun, TSum> & table)
{
  ForEachMeasurement([&visit](auto column, auto & elements) { visit(column.isWanted, elements); }, table);
}

/** Does the same for each column that tables of callers have in common. */
template <typename TVisitor, typename... TTables>
void
ForEachColumn(const TVisitor & visit, TTables &... tables)
{
  ForEachMeasurement([&visit](auto column, auto &... elements) { visit(column.isWanted, elements...); }, tables...);
  visit(&TableColumns::faces, tables.faces...);
  visit(&TableColumns::values, tables.values...);
}

/** Returns the size of the memory of a table, in elements of 64 bits. */
template <typename TTable>
std::uint64_t
WordsOfTable(const TableColumns & wanted, std::uint64_t rows)
{
  std::uint64_t words = 0;
  TTable        table{};
  ForEachColumn(
    [&](auto isWanted, auto * elements) {
      words += wanted.*isWanted ? DivideUp(rows * sizeof(*elements), sizeof(words)) : 0;
    },
    table);
  return words;
}

/** Divides memory of WordsOfTable() elements into columns. */
template <typename TTable>
TTable
TableIn(std::uint64_t * memory, const TableColumns & wanted, std::uint64_t rows)
{
  TTable table{};
  ForEachColumn(
    [&](auto isWanted, auto *& elements) {
      if (wanted.*isWanted)
      {
        elements = reinterpret_cast<std::decay_t<decltype(elements)>>(memory);
        memory += DivideUp(rows * sizeof(*elements), sizeof(*memory));
      }
    },
    table);
  return table;
}

/** Divides the memory of a table of components of images of a size into columns. Columns along z are null for planes,
 * where all their elements would be 0. */
template <typename TTable>
TTable
ComponentTableIn(std::uint64_t * memory, const TableColumns & wanted, std::uint64_t rows, const Grid & size)
{
  auto table = TableIn<TTable>(memory, wanted, rows);
  if (size.z == 1)
  {
    table.minimums[2] = table.maximums[2] = nullptr;
    table.sums[2] = nullptr;
    table.products[2] = table.products[4] = table.products[5] = nullptr; // xz, yz and zz
  }
  return table;
}

/** Calls visitor(TSum{}) with the type that holds all sums of the wanted columns for an image: std::uint64_t or
 * UInt128. Indices of 32 bits have sums of 64 bits: see Request::GetIndexLimit(). */
template <typename TRun, typename TVisitor>
auto
VisitSumTypeFor(const Grid & size, const TableColumns & columns, const TVisitor & visitor)
{
  if constexpr (sizeof(TRun) == sizeof(std::uint64_t))
  {
    return AreSumsNarrow(size, columns.products) ? visitor(std::uint64_t{}) : visitor(UInt128{});
  }
  else
  {
    return visitor(std::uint64_t{});
  }
}

} // namespace itk::ccl

#endif
