// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_python_Columns_h
#define ccl_python_Columns_h

// From a table of components to a dictionary of NumPy arrays.

#include "Settings.h"

#include "itkCudaConnectedComponentTable.h"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

/** A table of components, and the means of the coordinates. Boxes end after their last pixels. */
struct Columns
{
  itk::CudaConnectedComponentTable   table;
  std::array<std::vector<double>, 3> means; // along x, y and z, if they are wanted

  /** Needs no GIL: tables may be large. */
  Columns(itk::CudaConnectedComponentTable && measured, const Settings & settings)
    : table(std::move(measured))
  {
    for (std::vector<std::uint64_t> & ends : table.maximums)
    {
      for (std::uint64_t & end : ends)
      {
        ++end;
      }
    }
    for (unsigned int axis = 0; settings.wantsMeans && axis < 3; ++axis)
    {
      means[axis].resize(table.componentCount);
      for (std::size_t row = 0; row < means[axis].size(); ++row)
      {
        means[axis][row] = table.sums[axis][row].ToDouble() / static_cast<double>(table.pixelCounts[row]);
      }
    }
  }
};

/** Makes a NumPy array that owns a column. Its integers of 64 bits are signed. */
template <typename T>
nanobind::object
MakeArray(std::vector<T> && values)
{
  using Number = std::conditional_t<std::is_same<T, std::uint64_t>::value, std::int64_t, T>;
  auto                    owned = std::make_unique<std::vector<T>>(std::move(values));
  const nanobind::capsule owner(owned.get(),
                                [](void * vector) noexcept { delete static_cast<std::vector<T> *>(vector); });
  std::vector<T> &        column = *owned.release();
  return nanobind::cast(nanobind::ndarray<nanobind::numpy, Number, nanobind::ndim<1>>(
    reinterpret_cast<Number *>(column.data()), { column.size() }, owner));
}

/** Returns the number of labels as an integer or, for a batch, as a NumPy array with an element for each image. */
inline nanobind::object
MakeCounts(std::uint64_t count, itk::CudaConnectedComponentTable && table, bool isBatch)
{
  return isBatch ? MakeArray(std::move(table.componentCounts)) : nanobind::cast(count);
}

/** Makes a dictionary of the columns. For a batch, "counts" has the number of components of each image. */
inline nanobind::dict
MakeDictionary(Columns && columns, const Settings & settings)
{
  auto & [table, means] = columns;
  nanobind::dict dictionary;
  dictionary["num_pixels"] = MakeArray(std::move(table.pixelCounts));
  for (unsigned int axis = 0; axis < 3; ++axis)
  {
    const std::string name(1, "xyz"[axis]);
    if (settings.wantsBoxes)
    {
      dictionary[("start_" + name).c_str()] = MakeArray(std::move(table.minimums[axis]));
      dictionary[("end_" + name).c_str()] = MakeArray(std::move(table.maximums[axis]));
    }
    if (settings.wantsMeans)
    {
      dictionary[("mean_" + name).c_str()] = MakeArray(std::move(means[axis]));
    }
  }
  if (settings.wantsFaces)
  {
    dictionary["faces"] = MakeArray(std::move(table.faces));
  }
  if (settings.wantsValues)
  {
    dictionary["value"] = MakeArray(std::move(table.values));
  }
  if (settings.isBatch)
  {
    dictionary["counts"] = MakeArray(std::move(table.componentCounts));
  }
  return dictionary;
}

#endif
