// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_python_Columns_h
#define ccl_python_Columns_h

// From a table of components to a dictionary of NumPy arrays.

#include "Settings.h"

#include "itkCudaConnectedComponentTable.h"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

/** The columns of the components, for Python. Axes are x, y and z. */
struct Columns
{
  std::vector<std::pair<std::string, std::vector<std::int64_t>>> integers;
  std::vector<std::pair<std::string, std::vector<double>>>       means;
  std::vector<std::uint8_t>                                      faces;
  std::vector<std::int64_t>                                      counts; // components of each image

  /** Converts a table. Needs no GIL: tables may be large. */
  Columns(itk::CudaConnectedComponentTable && table, const Settings & settings)
    : faces(std::move(table.faces))
    , counts(table.componentCounts.begin(), table.componentCounts.end())
  {
    const auto add = [this](const std::string & name, const std::vector<std::uint64_t> & column) {
      integers.emplace_back(name, std::vector<std::int64_t>(column.begin(), column.end()));
    };
    add("num_pixels", table.pixelCounts);
    for (unsigned int axis = 0; axis < 3; ++axis)
    {
      const std::string name(1, "xyz"[axis]);
      if (settings.wantsBoxes)
      {
        add("minimum_" + name, table.minimums[axis]);
        add("maximum_" + name, table.maximums[axis]);
      }
      if (settings.wantsMeans)
      {
        std::vector<double> column(table.componentCount);
        for (std::size_t row = 0; row < column.size(); ++row)
        {
          column[row] = table.sums[axis][row].ToDouble() / static_cast<double>(table.pixelCounts[row]);
        }
        means.emplace_back("mean_" + name, std::move(column));
      }
    }
  }
};

/** Makes a NumPy array that owns a column. */
template <typename T>
nanobind::object
MakeArray(std::vector<T> && values)
{
  auto                    owned = std::make_unique<std::vector<T>>(std::move(values));
  const nanobind::capsule owner(owned.get(),
                                [](void * vector) noexcept { delete static_cast<std::vector<T> *>(vector); });
  std::vector<T> &        column = *owned.release();
  return nanobind::cast(
    nanobind::ndarray<nanobind::numpy, T, nanobind::ndim<1>>(column.data(), { column.size() }, owner));
}

/** Returns the number of labels as an integer or, for a batch, as a NumPy array with an element for each image. */
inline nanobind::object
MakeCounts(std::uint64_t count, const itk::CudaConnectedComponentTable & table, bool isBatch)
{
  return isBatch ? MakeArray(std::vector<std::int64_t>(table.componentCounts.begin(), table.componentCounts.end()))
                 : nanobind::cast(count);
}

/** Makes a dictionary of the columns. For a batch, "counts" has the number of components of each image. */
inline nanobind::dict
MakeDictionary(Columns && columns, const Settings & settings)
{
  nanobind::dict dictionary;
  const auto     add = [&dictionary](auto & named) {
    for (auto & [name, column] : named)
    {
      dictionary[name.c_str()] = MakeArray(std::move(column));
    }
  };
  add(columns.integers);
  add(columns.means);
  if (settings.wantsFaces)
  {
    dictionary["faces"] = MakeArray(std::move(columns.faces));
  }
  if (settings.isBatch)
  {
    dictionary["counts"] = MakeArray(std::move(columns.counts));
  }
  return dictionary;
}

#endif
