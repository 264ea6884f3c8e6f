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
std::vector<std::string>
ColumnNames()
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

/** Returns the values of a row, in the order of ColumnNames(). */
template <unsigned int VDimension>
std::vector<std::string>
ValuesOf(const itk::CudaConnectedComponentStatistics<VDimension> & statistics,
         const itk::ImageBase<VDimension> &                        image,
         std::int64_t                                              backgroundValue,
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
             const std::string &                                       file)
{
  auto       workshop = std::make_unique<Workshop>(file);
  const auto names = ColumnNames<VDimension>();
  const bool isJson = IsJson(file);
  errno = 0;
  std::ofstream stream(workshop->GetFile(), std::ios::binary);
  stream << (isJson ? "[" : CsvLine(names));
  // Rows are written one by one, because their text is much larger than the statistics.
  for (itk::SizeValueType i = 0; i < statistics.GetNumberOfObjects() && stream; ++i)
  {
    const auto values = ValuesOf<VDimension>(statistics, image, backgroundValue, i);
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
                const std::string &                              file);
template std::unique_ptr<Workshop>
PrepareTable<3>(const itk::CudaConnectedComponentStatistics<3> & statistics,
                const itk::ImageBase<3> &                        image,
                std::int64_t                                     backgroundValue,
                const std::string &                              file);
