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

/** The measurements of the objects of an image with any number of dimensions, one array for each measurement. */
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

/** The numbers of a shape that follow from the second moments of an object. An array has an element for each axis. */
struct Shape
{
  double * principalMoments;
  double * principalAxes; // a matrix, row by row
  double * equivalentEllipsoidDiameter;
  double & elongation;
  double & flatness;
};

/** Computes the shape of an object.
 * \param moments the matrix of the second central moments in physical units, row by row
 * \param equivalentRadius the radius of the sphere with the size of the object */
CudaConnectedComponents_EXPORT void
ComputeShape(unsigned int dimension, const double * moments, double equivalentRadius, const Shape & shape);

} // namespace CudaConnectedComponentsDetail
} // namespace itk

#endif
