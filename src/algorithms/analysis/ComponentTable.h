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

namespace itk::ccl
{

using TableColumns = CudaConnectedComponentTable::Columns;

/** The measurements of some pixels of a component. TRun holds every pixel index of the image, and TSum every sum.
 * Merge() of the measurements of two disjoint sets of pixels gives the measurements of both. */
template <typename TRun, typename TSum>
struct Measurements
{
  TRun pixelCount;
  TRun firstPixel; // index in the order of Selection::PixelOrderEnum
  TRun minimum[3];
  TRun maximum[3];
  TSum sums[3];
  TSum products[6]; // xx, xy, xz, yy, yz, zz

  CCL_HOST_DEVICE
  void
  Merge(const Measurements & other)
  {
    pixelCount += other.pixelCount;
    firstPixel = other.firstPixel < firstPixel ? other.firstPixel : firstPixel;
    CCL_UNROLL
    for (unsigned int axis = 0; axis < 3; ++axis)
    {
      minimum[axis] = other.minimum[axis] < minimum[axis] ? other.minimum[axis] : minimum[axis];
      maximum[axis] = other.maximum[axis] > maximum[axis] ? other.maximum[axis] : maximum[axis];
      sums[axis] += other.sums[axis];
    }
    CCL_UNROLL
    for (unsigned int i = 0; i < 6; ++i)
    {
      products[i] += other.products[i];
    }
  }
};

/** The columns of a table. A column that is not wanted is null. */
template <typename TRun, typename TSum>
struct ComponentTable
{
  using ValueType = Measurements<TRun, TSum>;
  using SumType = typename StoredSum<TSum>::Type;

  TRun *    pixelCounts;
  TRun *    firstPixels;
  TRun *    minimums[3];
  TRun *    maximums[3];
  SumType * sums[3];
  SumType * products[6];

  /** Returns the size in bytes of the memory for a table. */
  static std::uint64_t
  BytesFor(const TableColumns & columns, std::uint64_t rows)
  {
    const std::uint64_t sumColumns = (columns.sums ? 3 : 0) + (columns.products ? 6 : 0);
    const std::uint64_t runColumns = columns.pixelCounts + columns.firstPixels + (HasBoxes(columns) ? 6 : 0);
    return rows * (sumColumns * sizeof(SumType) + runColumns * sizeof(TRun));
  }

  /** Divides memory of BytesFor() bytes into columns. The widest elements come first, so all are aligned. */
  static ComponentTable
  In(void * memory, const TableColumns & columns, std::uint64_t rows)
  {
    ComponentTable table{};
    auto *         sum = static_cast<SumType *>(memory);
    const auto     takeSums = [&sum, rows](auto & arrays) {
      for (SumType *& array : arrays)
      {
        array = sum;
        sum += rows;
      }
    };
    if (columns.sums)
    {
      takeSums(table.sums);
    }
    if (columns.products)
    {
      takeSums(table.products);
    }
    auto *     run = reinterpret_cast<TRun *>(sum);
    const auto take = [&run, rows](TRun *& array) {
      array = run;
      run += rows;
    };
    if (columns.pixelCounts)
    {
      take(table.pixelCounts);
    }
    if (columns.firstPixels)
    {
      take(table.firstPixels);
    }
    if (HasBoxes(columns))
    {
      std::for_each(table.minimums, table.minimums + 3, take);
      std::for_each(table.maximums, table.maximums + 3, take);
    }
    return table;
  }

  /** Returns whether there is a column besides the pixel counts. */
  bool
  HasMoreThanPixelCounts() const
  {
    return firstPixels != nullptr || minimums[0] != nullptr || sums[0] != nullptr || products[0] != nullptr;
  }

  /** Prepares a row for Add(). */
  CCL_HOST_DEVICE
  void
  Clear(std::uint64_t row) const
  {
    Set(pixelCounts, row, TRun{ 0 });
    Set(firstPixels, row, static_cast<TRun>(~TRun{ 0 }));
    CCL_UNROLL
    for (unsigned int axis = 0; axis < 3; ++axis)
    {
      Set(minimums[axis], row, static_cast<TRun>(~TRun{ 0 }));
      Set(maximums[axis], row, TRun{ 0 });
      Set(sums[axis], row, SumType{});
    }
    CCL_UNROLL
    for (unsigned int i = 0; i < 6; ++i)
    {
      Set(products[i], row, SumType{});
    }
  }

  /** Adds the measurements of some pixels to a row. Threads may add at the same time. The atomic operations do not read
   * the minimum and the maximum first, so that a thread on the device does not wait for them. */
  CCL_HOST_DEVICE
  void
  Add(std::uint64_t row, const ValueType & value) const
  {
    if (pixelCounts != nullptr)
    {
      AtomicAdd(pixelCounts + row, value.pixelCount);
    }
    Lower(firstPixels, row, value.firstPixel);
    CCL_UNROLL
    for (unsigned int axis = 0; axis < 3; ++axis)
    {
      Lower(minimums[axis], row, value.minimum[axis]);
      Raise(maximums[axis], row, value.maximum[axis]);
      AddTo(sums[axis], row, value.sums[axis]);
    }
    CCL_UNROLL
    for (unsigned int i = 0; i < 6; ++i)
    {
      AddTo(products[i], row, value.products[i]);
    }
  }

  /** Copies a row of another table with the same columns. */
  CCL_HOST_DEVICE
  void
  Copy(std::uint64_t row, const ComponentTable & other, std::uint64_t otherRow) const
  {
    CopyOne(pixelCounts, row, other.pixelCounts, otherRow);
    CopyOne(firstPixels, row, other.firstPixels, otherRow);
    CCL_UNROLL
    for (unsigned int axis = 0; axis < 3; ++axis)
    {
      CopyOne(minimums[axis], row, other.minimums[axis], otherRow);
      CopyOne(maximums[axis], row, other.maximums[axis], otherRow);
      CopyOne(sums[axis], row, other.sums[axis], otherRow);
    }
    CCL_UNROLL
    for (unsigned int i = 0; i < 6; ++i)
    {
      CopyOne(products[i], row, other.products[i], otherRow);
    }
  }

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

private:
  static bool
  HasBoxes(const TableColumns & columns)
  {
    return columns.boundingBoxes || columns.faces;
  }

  template <typename T>
  CCL_HOST_DEVICE
  static void
  Set(T * column, std::uint64_t row, T value)
  {
    if (column != nullptr)
    {
      column[row] = value;
    }
  }

  template <typename T>
  CCL_HOST_DEVICE
  static void
  CopyOne(T * column, std::uint64_t row, const T * other, std::uint64_t otherRow)
  {
    if (column != nullptr)
    {
      column[row] = other[otherRow];
    }
  }

  CCL_HOST_DEVICE
  static void
  Lower(TRun * column, std::uint64_t row, TRun value)
  {
    if (column != nullptr)
    {
      AtomicMin(column + row, value);
    }
  }

  CCL_HOST_DEVICE
  static void
  Raise(TRun * column, std::uint64_t row, TRun value)
  {
    if (column != nullptr)
    {
      AtomicMax(column + row, value);
    }
  }

  CCL_HOST_DEVICE
  static void
  AddTo(SumType * column, std::uint64_t row, TSum value)
  {
    if (column != nullptr)
    {
      AtomicAdd(column + row, value);
    }
  }
};

/** Calls visitor(TSum{}) with the type that holds all sums of the wanted columns for an image. */
template <typename TVisitor>
auto
VisitSumTypeFor(const Grid & size, const TableColumns & columns, const TVisitor & visitor)
{
  const UInt128 longest = std::max({ size.x, size.y, size.z });
  return VisitSumType(size.Count(), columns.products ? longest * longest : longest, visitor);
}

} // namespace itk::ccl

#endif
