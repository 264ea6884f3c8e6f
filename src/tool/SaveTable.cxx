// SPDX-License-Identifier: Apache-2.0
#include "SaveTable.h"

#include "Failure.h"
#include "MinimumSize.h"

#include "CudaConnectedComponentsDetail/LabelRows.h"

#include <nlohmann/json.hpp>

#include <cerrno>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <vector>

namespace
{

bool
IsJson(const std::string & file)
{
  return std::filesystem::path(file).extension() == ".json";
}

template <unsigned int VDimension>
void
AddShapeNames(std::vector<std::string> & names)
{
  names.emplace_back("elongation");
  if (VDimension > 2)
  {
    names.emplace_back("flatness");
  }
  names.emplace_back("equivalent_radius_mm");
  for (unsigned int i = 0; i < VDimension; ++i)
  {
    names.push_back("ellipsoid_diameter_" + std::to_string(i) + "_mm");
  }
  for (unsigned int i = 0; i < VDimension; ++i)
  {
    names.push_back("principal_moment_" + std::to_string(i) + "_mm2");
  }
  for (unsigned int i = 0; i < VDimension; ++i)
  {
    for (unsigned int axis = 0; axis < VDimension; ++axis)
    {
      names.push_back("principal_axis_" + std::to_string(i) + '_' + "xyz"[axis]);
    }
  }
}

template <unsigned int VDimension>
std::vector<std::string>
ColumnNames(const TableParts & parts)
{
  std::vector<std::string> names{ "label", "area" };
  for (unsigned int i = 0; i < 2 * VDimension; ++i)
  {
    names.push_back("bbox-" + std::to_string(i));
  }
  for (unsigned int axis = 0; axis < VDimension; ++axis)
  {
    names.push_back("centroid-" + std::to_string(axis));
  }
  names.push_back("area_" + PhysicalUnit(VDimension));
  for (unsigned int axis = 0; axis < VDimension; ++axis)
  {
    names.push_back(std::string("centroid_") + "xyz"[axis]);
  }
  if (parts.shapes)
  {
    AddShapeNames<VDimension>(names);
  }
  if (parts.intensities != nullptr)
  {
    names.insert(names.end(),
                 { "intensity_mean", "intensity_sigma", "intensity_min", "intensity_max", "intensity_sum" });
  }
  return names;
}

/** Returns the mean index of the pixels of an object, from the first pixel of the image. */
template <unsigned int VDimension>
itk::ContinuousIndex<double, VDimension>
IndexCentroid(const itk::CudaConnectedComponentStatistics<VDimension> & statistics,
              const itk::ImageBase<VDimension> &                        image,
              itk::SizeValueType                                        i)
{
  const auto start = image.GetLargestPossibleRegion().GetIndex();
  const auto pixelCount = static_cast<double>(statistics.GetNumberOfPixels(i));
  auto       centroid = image.template TransformPhysicalPointToContinuousIndex<double>(statistics.GetCentroid(i));
  for (unsigned int axis = 0; axis < VDimension; ++axis)
  {
    // The sum of the indices is an integer. To round it removes the error of the transform.
    centroid[axis] = std::round((centroid[axis] - static_cast<double>(start[axis])) * pixelCount) / pixelCount;
  }
  return centroid;
}

/** Returns the text of a number that is not finite, for CSV. */
std::string
NotFinite(double value)
{
  if (std::isnan(value))
  {
    return "nan";
  }
  return value < 0.0 ? "-inf" : "inf";
}

/** Adds the shape of an object, in the order of AddShapeNames(). */
template <unsigned int VDimension, typename TFunction>
void
AddShape(const itk::CudaConnectedComponentStatistics<VDimension> & statistics,
         itk::SizeValueType                                        i,
         const TFunction &                                         add)
{
  const auto shape = statistics.GetShape(i);
  add(shape.elongation);
  if (VDimension > 2)
  {
    add(shape.flatness);
  }
  add(statistics.GetEquivalentSphericalRadius(i));
  for (unsigned int j = 0; j < VDimension; ++j)
  {
    add(shape.equivalentEllipsoidDiameter[j]);
  }
  for (unsigned int j = 0; j < VDimension; ++j)
  {
    add(shape.principalMoments[j]);
  }
  for (unsigned int j = 0; j < VDimension; ++j)
  {
    for (unsigned int axis = 0; axis < VDimension; ++axis)
    {
      add(shape.principalAxes[j][axis]);
    }
  }
}

/** Returns the values of a row, in the order of ColumnNames(). */
template <unsigned int VDimension>
std::vector<std::string>
ValuesOf(const itk::CudaConnectedComponentStatistics<VDimension> & statistics,
         const itk::ImageBase<VDimension> &                        image,
         std::int64_t                                              backgroundValue,
         const TableParts &                                        parts,
         bool                                                      isJson,
         itk::SizeValueType                                        i)
{
  const auto               start = image.GetLargestPossibleRegion().GetIndex();
  const auto               box = statistics.GetBoundingBox(i);
  const auto               centroid = IndexCentroid<VDimension>(statistics, image, i);
  std::vector<std::string> values;
  // The library for JSON writes the shortest number that reads back as the same value.
  const auto add = [&values](auto value) { values.push_back(nlohmann::json(value).dump()); };
  add(itk::CudaConnectedComponentsDetail::LabelOfRow(i, static_cast<std::uint64_t>(backgroundValue)));
  add(statistics.GetNumberOfPixels(i));
  // The first axis of NumPy is the last axis of ITK.
  for (unsigned int axis = VDimension; axis-- > 0;)
  {
    add(box.GetIndex(axis) - start[axis]);
  }
  for (unsigned int axis = VDimension; axis-- > 0;)
  {
    add(box.GetIndex(axis) - start[axis] + static_cast<itk::IndexValueType>(box.GetSize(axis)));
  }
  for (unsigned int axis = VDimension; axis-- > 0;)
  {
    add(centroid[axis]);
  }
  add(statistics.GetPhysicalSize(i));
  for (unsigned int axis = 0; axis < VDimension; ++axis)
  {
    add(statistics.GetCentroid(i)[axis]);
  }
  if (parts.shapes)
  {
    AddShape<VDimension>(statistics, i, add);
  }
  if (parts.intensities != nullptr)
  {
    const auto row = static_cast<std::size_t>(i);
    for (const double value : { parts.intensities->GetMean(row),
                                parts.intensities->GetSigma(row),
                                parts.intensities->minimums[row],
                                parts.intensities->maximums[row],
                                parts.intensities->sums[row] })
    {
      values.push_back(std::isfinite(value) || isJson ? nlohmann::json(value).dump() : NotFinite(value));
    }
  }
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

} // namespace

bool
IsTableName(const std::string & file)
{
  return std::filesystem::path(file).extension() == ".csv" || IsJson(file);
}

template <unsigned int VDimension>
std::unique_ptr<Workshop>
PrepareTable(const itk::CudaConnectedComponentStatistics<VDimension> & statistics,
             const itk::ImageBase<VDimension> &                        image,
             std::int64_t                                              backgroundValue,
             const TableParts &                                        parts,
             const std::string &                                       file)
{
  auto       workshop = std::make_unique<Workshop>(file);
  const auto names = ColumnNames<VDimension>(parts);
  const bool isJson = IsJson(file);
  errno = 0;
  std::ofstream stream(workshop->GetFile(), std::ios::binary);
  stream << (isJson ? "[" : CsvLine(names));
  // Rows are written one by one, because their text is much larger than the statistics.
  for (itk::SizeValueType i = 0; i < statistics.GetNumberOfObjects() && stream; ++i)
  {
    const auto values = ValuesOf<VDimension>(statistics, image, backgroundValue, parts, isJson, i);
    stream << (isJson ? (i > 0 ? ",\n  " : "\n  ") + JsonObject(names, values) : CsvLine(values));
  }
  stream << (isJson ? "\n]\n" : "");
  stream.close();
  if (!stream)
  {
    const std::string reason = errno != 0 ? std::generic_category().message(errno) : "unknown error";
    throw Failure(file + ": cannot be written: " + reason);
  }
  return workshop;
}

template std::unique_ptr<Workshop>
PrepareTable<2>(const itk::CudaConnectedComponentStatistics<2> & statistics,
                const itk::ImageBase<2> &                        image,
                std::int64_t                                     backgroundValue,
                const TableParts &                               parts,
                const std::string &                              file);
template std::unique_ptr<Workshop>
PrepareTable<3>(const itk::CudaConnectedComponentStatistics<3> & statistics,
                const itk::ImageBase<3> &                        image,
                std::int64_t                                     backgroundValue,
                const TableParts &                               parts,
                const std::string &                              file);
