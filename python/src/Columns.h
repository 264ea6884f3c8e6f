// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_python_Columns_h
#define ccl_python_Columns_h

// From a table of components to a dictionary of NumPy arrays.

#include "Settings.h"

#include "primitives/Sums.h"

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

/** Returns the covariance of two coordinates of the pixels of a component: the mean product of their distances from the
 * means. A sum of 2^128 and more would be needed only for more than 2^31 pixels along an axis. */
inline double
CovarianceOf(const itk::CudaConnectedComponentTable::Sum & product,
             const itk::CudaConnectedComponentTable::Sum & a,
             const itk::CudaConnectedComponentTable::Sum & b,
             std::uint64_t                                 pixels)
{
  using itk::ccl::UInt128;
  const auto    wide = [](const auto & sum) { return UInt128{ sum.high } << 64 | sum.low; };
  const UInt128 minuend = wide(product) * pixels;
  const UInt128 subtrahend = wide(a) * wide(b);
  const double  count = static_cast<double>(pixels);
  const double  difference =
    minuend >= subtrahend ? static_cast<double>(minuend - subtrahend) : -static_cast<double>(subtrahend - minuend);
  return difference / count / count;
}

/** A table of components, and the means and covariances of the coordinates. Boxes end after their last pixels. */
struct Columns
{
  itk::CudaConnectedComponentTable   table;
  std::array<std::vector<double>, 3> means;       // along x, y and z, if they are wanted
  std::array<std::vector<double>, 6> covariances; // xx, xy, xz, yy, yz and zz, if they are wanted

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
    unsigned int pair = 0;
    for (unsigned int a = 0; settings.wantsCovariances && a < 3; ++a)
    {
      for (unsigned int b = a; b < 3; ++b, ++pair)
      {
        covariances[pair].resize(table.componentCount);
        for (std::size_t row = 0; row < table.componentCount; ++row)
        {
          covariances[pair][row] =
            CovarianceOf(table.products[pair][row], table.sums[a][row], table.sums[b][row], table.pixelCounts[row]);
        }
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
  auto & [table, means, covariances] = columns;
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
  if (settings.wantsFirsts)
  {
    dictionary["first"] = MakeArray(std::move(table.firstPixels));
  }
  for (unsigned int pair = 0; settings.wantsCovariances && pair < 6; ++pair)
  {
    constexpr const char * names[] = { "xx", "xy", "xz", "yy", "yz", "zz" };
    dictionary[(std::string("covariance_") + names[pair]).c_str()] = MakeArray(std::move(covariances[pair]));
  }
  if (settings.wantsIntensities)
  {
    dictionary["intensity_sum"] = MakeArray(std::move(table.intensities.sums));
    dictionary["intensity_min"] = MakeArray(std::move(table.intensities.minimums));
    dictionary["intensity_max"] = MakeArray(std::move(table.intensities.maximums));
    dictionary["intensity_variance"] = MakeArray(std::move(table.intensities.variances));
  }
  if (settings.isBatch)
  {
    dictionary["counts"] = MakeArray(std::move(table.componentCounts));
  }
  return dictionary;
}

#endif
