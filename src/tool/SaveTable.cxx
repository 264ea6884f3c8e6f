// SPDX-License-Identifier: Apache-2.0
#include "SaveTable.h"

#include "Failure.h"
#include "ComponentSize.h"

#include "itkCudaConnectedComponentStatistics.h"

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

/** Columns that a table has only if the user asks for them. */
struct TableParts
{
  bool hasShapes;
  bool hasIntensities;
};

void
AddShapeNames(unsigned int dimension, std::vector<std::string> & names)
{
  names.emplace_back("elongation");
  if (dimension > 2)
  {
    names.emplace_back("flatness");
  }
  names.emplace_back("equivalent_radius_mm");
  for (unsigned int i = 0; i < dimension; ++i)
  {
    names.push_back("ellipsoid_diameter_" + std::to_string(i) + "_mm");
  }
  for (unsigned int i = 0; i < dimension; ++i)
  {
    names.push_back("principal_moment_" + std::to_string(i) + "_mm2");
  }
  for (unsigned int i = 0; i < dimension; ++i)
  {
    for (unsigned int axis = 0; axis < dimension; ++axis)
    {
      names.push_back("principal_axis_" + std::to_string(i) + '_' + "xyz"[axis]);
    }
  }
}

std::vector<std::string>
ColumnNames(unsigned int dimension, const TableParts & parts)
{
  std::vector<std::string> names{ "label", "area" };
  for (unsigned int i = 0; i < 2 * dimension; ++i)
  {
    names.push_back("bbox-" + std::to_string(i));
  }
  for (unsigned int axis = 0; axis < dimension; ++axis)
  {
    names.push_back("centroid-" + std::to_string(axis));
  }
  names.push_back("area_" + PhysicalUnit(dimension));
  for (unsigned int axis = 0; axis < dimension; ++axis)
  {
    names.push_back(std::string("centroid_") + "xyz"[axis]);
  }
  if (parts.hasShapes)
  {
    AddShapeNames(dimension, names);
  }
  if (parts.hasIntensities)
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
         itk::IdentifierType                                       label,
         const TFunction &                                         add)
{
  const auto shape = statistics.GetShape(label);
  add(shape.elongation);
  if (VDimension > 2)
  {
    add(shape.flatness);
  }
  add(statistics.GetEquivalentSphericalRadius(label));
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
         const TableParts &                                        parts,
         bool                                                      isJson,
         itk::IdentifierType                                       label)
{
  const auto               start = image.GetLargestPossibleRegion().GetIndex();
  const auto               box = statistics.GetBoundingBox(label);
  const auto               centroid = IndexCentroid<VDimension>(statistics, image, label);
  std::vector<std::string> values;
  // The library for JSON writes the shortest number that reads back as the same value.
  const auto add = [&values](auto value) { values.push_back(nlohmann::json(value).dump()); };
  add(label);
  add(statistics.GetNumberOfPixels(label));
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
  add(statistics.GetPhysicalSize(label));
  for (unsigned int axis = 0; axis < VDimension; ++axis)
  {
    add(statistics.GetCentroid(label)[axis]);
  }
  if (parts.hasShapes)
  {
    AddShape<VDimension>(statistics, label, add);
  }
  if (parts.hasIntensities)
  {
    for (const double value : { statistics.GetMean(label),
                                statistics.GetStandardDeviation(label),
                                statistics.GetMinimum(label),
                                statistics.GetMaximum(label),
                                statistics.GetSum(label) })
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
  image->SetSpacing(spacing);
  image->SetOrigin(origin);
  image->SetDirection(direction);
  const itk::CudaConnectedComponentStatistics<VDimension> statistics(table, *image, backgroundValue);
  const auto                                              names = ColumnNames(VDimension, parts);
  const char *                                            separator = "\n  ";
  stream << (isJson ? "[" : CsvLine(names));
  // Rows are written one by one, because their text is much larger than the statistics.
  for (const itk::IdentifierType label : statistics.GetLabels())
  {
    const auto values = ValuesOf<VDimension>(statistics, *image, parts, isJson, label);
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
             bool                                     hasShapes,
             bool                                     hasIntensities,
             const std::string &                      file)
{
  auto workshop = std::make_unique<Workshop>(file);
  errno = 0;
  std::ofstream stream(workshop->GetFile(), std::ios::binary);
  const auto    write = geometry.dimension == 2 ? WriteRows<2> : WriteRows<3>;
  write(table, geometry, backgroundValue, { hasShapes, hasIntensities }, IsJson(file), stream);
  stream.close();
  if (!stream)
  {
    const std::string reason = errno != 0 ? std::generic_category().message(errno) : "unknown error";
    throw Failure(file + ": cannot be written: " + reason);
  }
  return workshop;
}
