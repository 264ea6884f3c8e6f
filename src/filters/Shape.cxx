// SPDX-License-Identifier: Apache-2.0
#include "CudaConnectedComponentsDetail/SeriesTable.h"

#include "itkMath.h"

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
