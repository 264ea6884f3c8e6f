// SPDX-License-Identifier: Apache-2.0
#ifndef CudaConnectedComponentsDetail_CentralMoments_h
#define CudaConnectedComponentsDetail_CentralMoments_h

#include "CudaConnectedComponentsExport.h"
#include "itkCudaConnectedComponentTable.h"

#include <array>
#include <cstdint>

namespace itk
{
namespace CudaConnectedComponentsDetail
{

/** Returns the number of pairs of axes. */
constexpr unsigned int
CountAxisPairs(unsigned int dimension)
{
  return dimension * (dimension + 1) / 2;
}

/** Returns the position of a pair of axes in the order xx, xy, xz, yy, yz, zz. The axis a must not come after b. */
constexpr unsigned int
AxisPair(unsigned int dimension, unsigned int a, unsigned int b)
{
  return a * dimension - a * (a + 1) / 2 + b;
}

/** Exact sums over the pixels of an object. The index of a pixel counts from the first pixel of the image. */
template <unsigned int VDimension>
struct PixelSums
{
  using SumType = CudaConnectedComponentTable::Sum;

  std::uint64_t                                   count = 0;
  std::array<SumType, VDimension>                 sums{};     // of the indices
  std::array<SumType, CountAxisPairs(VDimension)> products{}; // of two indices, in the order of AxisPair()
};

/** Does the work of CentralMoments() for any dimension. */
CudaConnectedComponents_EXPORT void
ComputeCentralMoments(unsigned int                             dimension,
                      std::uint64_t                            count,
                      const CudaConnectedComponentTable::Sum * sums,
                      const CudaConnectedComponentTable::Sum * products,
                      double *                                 moments);

/** Returns the second central moments of the pixels of an object in index coordinates: for each pair of axes, the mean
 * product of the distances from the centroid. The object must have a pixel. The rounding error is a few units in the
 * last place of sqrt(xx * yy) for the moment xy. It does not depend on the place of the object in the image. */
template <unsigned int VDimension>
std::array<double, CountAxisPairs(VDimension)>
CentralMoments(const PixelSums<VDimension> & pixels)
{
  std::array<double, CountAxisPairs(VDimension)> moments;
  ComputeCentralMoments(VDimension, pixels.count, pixels.sums.data(), pixels.products.data(), moments.data());
  return moments;
}

} // namespace CudaConnectedComponentsDetail
} // namespace itk

#endif
