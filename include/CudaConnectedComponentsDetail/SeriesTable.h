// SPDX-License-Identifier: Apache-2.0
#ifndef CudaConnectedComponentsDetail_SeriesTable_h
#define CudaConnectedComponentsDetail_SeriesTable_h

#include "CudaConnectedComponentsExport.h"
#include "itkCudaConnectedComponentTable.h"
#include "itkIntTypes.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace itk
{
namespace CudaConnectedComponentsDetail
{

/** The measurements of the objects of an image with any number of dimensions, one after another. */
struct SeriesTable
{
  std::size_t                                   dimension{ 0 };
  std::vector<SizeValueType>                    counts;
  std::vector<std::uint64_t>                    minimums; // for each object, its lowest index along each axis
  std::vector<std::uint64_t>                    maximums;
  std::vector<CudaConnectedComponentTable::Sum> sums;     // for each object, the sums of the indices along each axis
  std::vector<CudaConnectedComponentTable::Sum> products; // for each object, in the order of AxisPair()
  CudaConnectedComponentIntensities             intensities;
};

/** The numbers of a shape that follow from the second moments of an object. */
struct Shape
{
  std::vector<double> principalMoments;
  std::vector<double> principalAxes; // row by row
  double              elongation;
  double              flatness;
  std::vector<double> equivalentEllipsoidDiameter;
};

/** Computes the shape of an object.
 * \param moments the matrix of the second central moments in physical units, row by row
 * \param equivalentRadius the radius of the sphere with the size of the object */
CudaConnectedComponents_EXPORT Shape
ShapeOf(unsigned int dimension, const double * moments, double equivalentRadius);

} // namespace CudaConnectedComponentsDetail
} // namespace itk

#endif
