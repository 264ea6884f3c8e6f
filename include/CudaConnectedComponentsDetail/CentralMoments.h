// SPDX-License-Identifier: Apache-2.0
#ifndef CudaConnectedComponentsDetail_CentralMoments_h
#define CudaConnectedComponentsDetail_CentralMoments_h

#include "itkCudaConnectedComponentTable.h"

#include <array>
#include <cmath>
#include <cstdint>

namespace itk
{
namespace CudaConnectedComponentsDetail
{

/** An unsigned integer of 128 bits, an extension of gcc and clang. */
__extension__ typedef unsigned __int128 UInt128;
/** A signed integer of 128 bits, an extension of gcc and clang. */
__extension__ typedef __int128 Int128;

/** Returns a sum of a table as an integer. */
inline UInt128
IntegerOf(const CudaConnectedComponentTable::Sum & sum)
{
  return static_cast<UInt128>(sum.high) << 64 | sum.low;
}

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
  std::uint64_t                                   count = 0;
  std::array<UInt128, VDimension>                 sums{};     // of the indices
  std::array<UInt128, CountAxisPairs(VDimension)> products{}; // of two indices, in the order of AxisPair()
};

/** Returns the second central moments of the pixels of an object in index coordinates: for each pair of axes, the mean
 * product of the distances from the centroid. The object must have a pixel. The rounding error is a few units in the
 * last place of sqrt(xx * yy) for the moment xy. It does not depend on the place of the object in the image. */
template <unsigned int VDimension>
std::array<double, CountAxisPairs(VDimension)>
CentralMoments(const PixelSums<VDimension> & pixels)
{
  // The origin moves to a pixel near the centroid. The sums stay exact: they are computed modulo 2^128, and the sums
  // from the new origin are less than 2^127. The centroid is then within half a pixel of the origin. So the last
  // subtraction, which rounds, cancels one bit at most.
  const auto                      count = static_cast<double>(pixels.count);
  std::array<UInt128, VDimension> origin;
  std::array<UInt128, VDimension> shiftedSums;
  std::array<double, VDimension>  means;
  for (unsigned int axis = 0; axis < VDimension; ++axis)
  {
    origin[axis] = static_cast<std::uint64_t>(std::floor(static_cast<double>(pixels.sums[axis]) / count + 0.5));
    shiftedSums[axis] = pixels.sums[axis] - origin[axis] * pixels.count;
    means[axis] = static_cast<double>(static_cast<Int128>(shiftedSums[axis])) / count;
  }
  std::array<double, CountAxisPairs(VDimension)> moments;
  for (unsigned int a = 0; a < VDimension; ++a)
  {
    for (unsigned int b = a; b < VDimension; ++b)
    {
      const unsigned int pair = AxisPair(VDimension, a, b);
      const UInt128      shifted = pixels.products[pair] - origin[a] * pixels.sums[b] - origin[b] * shiftedSums[a];
      moments[pair] = static_cast<double>(static_cast<Int128>(shifted)) / count - means[a] * means[b];
    }
  }
  return moments;
}

} // namespace CudaConnectedComponentsDetail
} // namespace itk

#endif
