// SPDX-License-Identifier: Apache-2.0
#include "CudaConnectedComponentsDetail/CentralMoments.h"
#include "CudaConnectedComponentsDetail/SeriesTable.h"

#include "itkMath.h"

#include "primitives/WideInteger.h"

#include <vnl/algo/vnl_determinant.h>
#include <vnl/algo/vnl_symmetric_eigensystem.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

namespace itk
{
namespace CudaConnectedComponentsDetail
{

void
ComputeCentralMoments(unsigned int                             dimension,
                      std::uint64_t                            count,
                      const CudaConnectedComponentTable::Sum * sums,
                      const CudaConnectedComponentTable::Sum * products,
                      double *                                 moments)
{
  using ccl::IntegerOf;
  using ccl::UInt128;

  // The origin moves to a pixel near the centroid. The sums stay exact: they are computed modulo 2^128, and the sums
  // from the new origin are less than 2^127. The centroid is then within half a pixel of the origin. So the last
  // subtraction, which rounds, cancels one bit at most.
  struct Axis
  {
    UInt128 origin;
    UInt128 shiftedSum;
    double  mean;
  };
  const auto divisor = static_cast<double>(count);
  const auto toDouble = [](UInt128 value) { return static_cast<double>(static_cast<ccl::Int128>(value)); };
  const auto axisOf = [&](unsigned int axis) {
    const UInt128 sum = IntegerOf(sums[axis]);
    const UInt128 origin = static_cast<std::uint64_t>(std::floor(static_cast<double>(sum) / divisor + 0.5));
    const UInt128 shiftedSum = sum - origin * count;
    return Axis{ origin, shiftedSum, toDouble(shiftedSum) / divisor };
  };
  for (unsigned int a = 0; a < dimension; ++a)
  {
    const Axis axisA = axisOf(a);
    for (unsigned int b = a; b < dimension; ++b)
    {
      const Axis         axisB = axisOf(b);
      const unsigned int pair = AxisPair(dimension, a, b);
      const UInt128      shifted =
        IntegerOf(products[pair]) - axisA.origin * IntegerOf(sums[b]) - axisB.origin * axisA.shiftedSum;
      moments[pair] = toDouble(shifted) / divisor - axisA.mean * axisB.mean;
    }
  }
}

void
ComputeShape(unsigned int dimension, const double * moments, double equivalentRadius, const Shape & shape)
{
  // ShapeLabelMapFilter calls the same function. The eigenvalues ascend.
  const vnl_symmetric_eigensystem<double> eigensystem(vnl_matrix<double>(moments, dimension, dimension));

  double * const principal = shape.principalMoments;
  const double   rounding = 1e-14 * eigensystem.D(dimension - 1);
  for (unsigned int axis = 0; axis < dimension; ++axis)
  {
    const double moment = eigensystem.D(axis);
    principal[axis] = moment > rounding ? moment : 0.0;
  }
  const vnl_matrix<double> axes = eigensystem.V.transpose();
  std::copy(axes.begin(), axes.end(), shape.principalAxes);
  if (vnl_determinant(eigensystem.V) < 0.0)
  {
    double * const last = shape.principalAxes + dimension * (dimension - 1);
    std::transform(last, last + dimension, last, std::negate<>());
  }

  if (dimension < 2)
  {
    shape.elongation = shape.flatness = 1.0;
  }
  else
  {
    const auto ratioOf = [](double larger, double smaller) {
      return Math::AlmostEquals(smaller, 0.0) ? 0.0 : std::sqrt(larger / smaller);
    };
    shape.elongation = ratioOf(principal[dimension - 1], principal[dimension - 2]);
    shape.flatness = ratioOf(principal[1], principal[0]);
  }

  const double product = std::accumulate(principal, principal + dimension, 1.0, std::multiplies<>());
  const double mean = std::pow(product, 1.0 / dimension);
  const double diameter = 2.0 * equivalentRadius;
  std::transform(principal, principal + dimension, shape.equivalentEllipsoidDiameter, [=](double moment) {
    return mean > 0.0 ? diameter * std::sqrt(moment / mean) : 0.0;
  });
}

} // namespace CudaConnectedComponentsDetail
} // namespace itk
