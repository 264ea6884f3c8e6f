// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_tool_SaveTable_h
#define ccl_tool_SaveTable_h

#include "ReadImage.h"
#include "Workshop.h"

#include "primitives/PixelTypes.h"

#include "itkCudaConnectedComponentTable.h"

#include <cstdint>
#include <memory>
#include <string>

/** The columns that a table has only if the user asks for them. */
struct TableParts
{
  bool                hasShapes;
  bool                hasIntensities;
  bool                hasValues;
  itk::ccl::PixelType valueType;         // of the values
  bool                areLabels = false; // whether the values are the labels: the rows are in their order
};

/** Returns whether the name of a file has the ending of a table: .csv or .json. */
bool
IsTableName(const std::string & file);

/** Writes a table with one row for each object, in the order of the labels. The table is in a temporary folder next to
 * the file. Deliver() of the result moves it to the file.
 *
 * The columns have the names and values of regionprops_table() of scikit-image, in the order of its axes (z, y, x), in
 * pixels: label, area, bbox-0, ..., centroid-0, ... In labeling by value, the next column is value. Further columns
 * have physical values, in ITK's coordinates: area_mm2 or area_mm3, centroid_x, centroid_y, centroid_z. A .json file
 * has an array of objects with these keys.
 *
 * The columns of shapes have the values of CudaConnectedComponentStatistics::ShapeType: elongation, flatness (not in
 * planes, where it equals the elongation), equivalent_radius_mm, ellipsoid_diameter_0_mm, ..., principal_moment_0_mm2,
 * ..., and principal_axis_0_x, ... Principal axis 0 has the smallest moment.
 *
 * The columns of intensities are intensity_mean, intensity_sigma (with the divisor n - 1), intensity_min, intensity_max
 * and intensity_sum. Numbers that are not finite are nan, inf and -inf in a .csv file, and null in a .json file.
 *
 * `geometry` is the geometry of the labels. `backgroundValue` is the background of the output: no object has this
 * label. Throws Failure. */
std::unique_ptr<Workshop>
PrepareTable(const itk::CudaConnectedComponentTable & table,
             const Geometry &                         geometry,
             std::int64_t                             backgroundValue,
             const TableParts &                       parts,
             const std::string &                      file);

#endif
