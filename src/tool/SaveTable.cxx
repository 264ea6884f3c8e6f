// SPDX-License-Identifier: Apache-2.0
#include "SaveTable.h"

#include "ComponentSize.h"
#include "PixelValues.h"

#include "itkCudaConnectedComponentStatistics.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <functional>
#include <numeric>
#include <ostream>
#include <type_traits>
#include <vector>

namespace
{

bool
IsJson(const std::string & file)
{
  return std::filesystem::path(file).extension() == ".json";
}

/** Returns the mean index of the pixels of an object, from the first pixel of the image. */
template <unsigned int VDimension>
itk::ContinuousIndex<double, VDimension>
IndexCentroid(const itk::CudaConnectedComponentStatistics<VDimension> & statistics,
              const itk::ImageBase<VDimension> &                        image,
              itk::IdentifierType                                       label)
{
  const auto start = image.GetLargestPossibleRegion().GetIndex();
  const auto pixelCount = static_cast<double>(statistics.GetNumberOfPixels(label));
  auto       centroid = image.template TransformPhysicalPointToContinuousIndex<double>(statistics.GetCentroid(label));
  for (unsigned int axis = 0; axis < VDimension; ++axis)
  {
    // The sum of the indices is an integer. To round it removes the error of the transform.
    centroid[axis] = std::round((centroid[axis] - static_cast<double>(start[axis])) * pixelCount) / pixelCount;
  }
  return centroid;
}

/** Calls add(value, prefix, number, suffix) for each column of the row of an object. The name of a column has these
 * three parts; a number below 0 is left out. `value` has the bits of the value of the object. */
template <unsigned int VDimension, typename TFunction>
void
VisitRow(const itk::CudaConnectedComponentStatistics<VDimension> & statistics,
         const itk::ImageBase<VDimension> &                        image,
         const TableParts &                                        parts,
         itk::IdentifierType                                       label,
         std::uint64_t                                             value,
         const TFunction &                                         add)
{
  constexpr std::array<const char *, 3> axes{ "x", "y", "z" };
  constexpr int                         last = VDimension - 1;
  const std::string                     unit = PhysicalUnit(VDimension);
  const auto                            start = image.GetLargestPossibleRegion().GetIndex();
  const auto                            box = statistics.GetBoundingBox(label);
  const auto                            centroid = IndexCentroid<VDimension>(statistics, image, label);
  const auto                            addValue = [&](const char * name) {
    VisitPixelType(parts.valueType, [&](auto number) {
      std::memcpy(&number, &value, sizeof(number)); // the low bytes are first
      if constexpr (std::is_same_v<decltype(number), float>)
      {
        // As double, 0.1F has the digits 0.10000000149011612.
        char text[64]{};
        std::to_chars(text, text + sizeof(text) - 1, number);
        add(std::strtod(text, nullptr), name, -1, "");
      }
      else
      {
        add(number, name, -1, "");
      }
    });
  };
  if (parts.areLabels)
  {
    addValue("label");
  }
  else
  {
    add(label, "label", -1, "");
  }
  add(statistics.GetNumberOfPixels(label), "area", -1, "");
  // The first axis of NumPy is the last axis of ITK.
  for (int i = 0; i <= last; ++i)
  {
    add(box.GetIndex(last - i) - start[last - i], "bbox-", i, "");
  }
  for (int i = 0; i <= last; ++i)
  {
    const auto size = static_cast<itk::IndexValueType>(box.GetSize(last - i));
    add(box.GetIndex(last - i) - start[last - i] + size, "bbox-", last + 1 + i, "");
  }
  for (int i = 0; i <= last; ++i)
  {
    add(centroid[last - i], "centroid-", i, "");
  }
  if (parts.hasValues && !parts.areLabels)
  {
    addValue("value");
  }
  add(statistics.GetPhysicalSize(label), "area_", -1, unit.c_str());
  for (int axis = 0; axis <= last; ++axis)
  {
    add(statistics.GetCentroid(label)[axis], "centroid_", -1, axes[axis]);
  }
  if (parts.hasShapes)
  {
    const auto shape = statistics.GetShape(label);
    add(shape.elongation, "elongation", -1, "");
    if (VDimension > 2)
    {
      add(shape.flatness, "flatness", -1, "");
    }
    add(statistics.GetEquivalentSphericalRadius(label), "equivalent_radius_mm", -1, "");
    for (int i = 0; i <= last; ++i)
    {
      add(shape.equivalentEllipsoidDiameter[i], "ellipsoid_diameter_", i, "_mm");
    }
    for (int i = 0; i <= last; ++i)
    {
      add(shape.principalMoments[i], "principal_moment_", i, "_mm2");
    }
    for (int i = 0; i <= last; ++i)
    {
      for (int axis = 0; axis <= last; ++axis)
      {
        add(shape.principalAxes[i][axis], "principal_axis_", i, (std::string("_") + axes[axis]).c_str());
      }
    }
  }
  if (parts.hasIntensities)
  {
    add(statistics.GetMean(label), "intensity_mean", -1, "");
    add(statistics.GetStandardDeviation(label), "intensity_sigma", -1, "");
    add(statistics.GetMinimum(label), "intensity_min", -1, "");
    add(statistics.GetMaximum(label), "intensity_max", -1, "");
    add(statistics.GetSum(label), "intensity_sum", -1, "");
  }
}

/** Returns the names of the columns. */
template <unsigned int VDimension>
std::vector<std::string>
ColumnNames(const itk::ImageBase<VDimension> & image, const TableParts & parts)
{
  // The names do not depend on the object. This one has all measurements.
  typename itk::CudaConnectedComponentStatistics<VDimension>::ObjectType object;
  object.numberOfPixels = 1;
  object.indexMoments.emplace();
  object.intensities.emplace();
  std::vector<std::string> names;
  VisitRow<VDimension>(
    { { object }, image }, image, parts, 1, 0, [&](auto, const char * prefix, int number, const char * suffix) {
      names.push_back(prefix + (number < 0 ? "" : std::to_string(number)) + suffix);
    });
  return names;
}

/** Returns the values of a row, in the order of ColumnNames(). */
template <unsigned int VDimension>
std::vector<std::string>
ValuesOf(const itk::CudaConnectedComponentStatistics<VDimension> & statistics,
         const itk::ImageBase<VDimension> &                        image,
         const TableParts &                                        parts,
         bool                                                      isJson,
         itk::IdentifierType                                       label,
         std::uint64_t                                             valueOfObject)
{
  std::vector<std::string> values;
  VisitRow<VDimension>(
    statistics, image, parts, label, valueOfObject, [&](auto value, const char *, int, const char *) {
      const auto number = static_cast<double>(value);
      // The library for JSON writes the shortest number that reads back as the same value, and null for no number.
      const bool isJsonNumber = isJson || std::isfinite(number);
      values.push_back(isJsonNumber         ? nlohmann::json(value).dump()
                       : std::isnan(number) ? "nan"
                                            : std::to_string(number));
    });
  return values;
}

std::string
CsvLine(const std::vector<std::string> & values)
{
  std::string line;
  for (const std::string & value : values)
  {
    line += (line.empty() ? "" : ",") + value;
  }
  return line + '\n';
}

std::string
JsonObject(const std::vector<std::string> & names, const std::vector<std::string> & values)
{
  std::string object;
  for (std::size_t column = 0; column < names.size(); ++column)
  {
    object += (column > 0 ? ", \"" : "{\"") + names[column] + "\": " + values[column];
  }
  return object + '}';
}

/** Writes the rows of a table. */
template <unsigned int VDimension>
void
WriteRows(const itk::CudaConnectedComponentTable & table,
          const Geometry &                         geometry,
          std::int64_t                             backgroundValue,
          const TableParts &                       parts,
          bool                                     isJson,
          std::ostream &                           stream)
{
  const auto image = itk::ImageBase<VDimension>::New();
  auto       spacing = image->GetSpacing();
  auto       origin = image->GetOrigin();
  auto       direction = image->GetDirection();
  for (unsigned int axis = 0; axis < VDimension; ++axis)
  {
    spacing[axis] = geometry.space->GetSpacing()[axis];
    origin[axis] = geometry.space->GetOrigin()[axis];
    for (unsigned int row = 0; row < VDimension; ++row)
    {
      direction[row][axis] = geometry.space->GetDirection()[row][axis];
    }
  }
  // The statistics multiply the spacings for the size of a pixel, which is true of axes at right angles only.
  const double pixelSize = std::accumulate(spacing.Begin(), spacing.End(), 1.0, std::multiplies<>());
  const double shear = geometry.pixelSize / pixelSize;
  spacing[0] *= shear;
  for (unsigned int row = 0; row < VDimension; ++row)
  {
    direction[row][0] /= shear;
  }
  image->SetSpacing(spacing);
  image->SetOrigin(origin);
  image->SetDirection(direction);
  const itk::CudaConnectedComponentStatistics<VDimension> statistics(table, *image, backgroundValue);
  const auto                                              names = ColumnNames<VDimension>(*image, parts);
  const char *                                            separator = "\n  ";
  stream << (isJson ? "[" : CsvLine(names));
  // Rows are written one by one, because their text is much larger than the statistics.
  const auto               labels = statistics.GetLabels();
  std::vector<std::size_t> rows(labels.size());
  std::iota(rows.begin(), rows.end(), std::size_t{ 0 });
  if (parts.areLabels)
  {
    VisitPixelType(parts.valueType, [&](auto number) {
      const auto valueOf = [&](std::size_t row) {
        std::memcpy(&number, &table.values[row], sizeof(number));
        return number;
      };
      // NaN comes last.
      std::stable_sort(rows.begin(), rows.end(), [&](std::size_t a, std::size_t b) {
        const auto value = valueOf(a);
        const auto other = valueOf(b);
        return value < other || (value == value && other != other);
      });
    });
  }
  for (const std::size_t row : rows)
  {
    const itk::IdentifierType label = labels[row];
    const std::uint64_t       value = parts.hasValues ? table.values[row] : 0;
    const auto                values = ValuesOf<VDimension>(statistics, *image, parts, isJson, label, value);
    stream << (isJson ? separator + JsonObject(names, values) : CsvLine(values));
    separator = ",\n  ";
  }
  stream << (isJson ? "\n]\n" : "");
}

} // namespace

bool
IsTableName(const std::string & file)
{
  return std::filesystem::path(file).extension() == ".csv" || IsJson(file);
}

std::unique_ptr<Workshop>
PrepareTable(const itk::CudaConnectedComponentTable & table,
             const Geometry &                         geometry,
             std::int64_t                             backgroundValue,
             const TableParts &                       parts,
             const std::string &                      file)
{
  return PrepareText(file, [&](std::ostream & stream) {
    const auto write = geometry.dimension == 2 ? WriteRows<2> : WriteRows<3>;
    write(table, geometry, backgroundValue, parts, IsJson(file), stream);
  });
}
