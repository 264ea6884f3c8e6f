// SPDX-License-Identifier: Apache-2.0
#include "CudaConnectedComponentsDetail/SeriesTable.h"

#include "itkMath.h"

#include <vnl/algo/vnl_determinant.h>
#include <vnl/algo/vnl_symmetric_eigensystem.h>

#include <algorithm>
#include <cmath>

namespace itk
{
namespace CudaConnectedComponentsDetail
{

Shape
ShapeOf(unsigned int dimension, const double * moments, double equivalentRadius)
{
  // ShapeLabelMapFilter calls the same function. The eigenvalues ascend.
  const vnl_symmetric_eigensystem<double> eigensystem(vnl_matrix<double>(moments, dimension, dimension));

  Shape        shape;
  auto &       principal = shape.principalMoments;
  const double rounding = 1e-14 * eigensystem.D(dimension - 1);
  for (unsigned int axis = 0; axis < dimension; ++axis)
  {
    const double moment = eigensystem.D(axis);
    principal.push_back(moment > rounding ? moment : 0.0);
  }
  const vnl_matrix<double> axes = eigensystem.V.transpose();
  shape.principalAxes.assign(axes.begin(), axes.end());
  if (vnl_determinant(eigensystem.V) < 0.0)
  {
    std::for_each(shape.principalAxes.end() - static_cast<std::ptrdiff_t>(dimension),
                  shape.principalAxes.end(),
                  [](double & element) { element *= -1.0; });
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

  double product = 1.0;
  for (const double moment : principal)
  {
    product *= moment;
  }
  const double mean = std::pow(product, 1.0 / dimension);
  const double diameter = 2.0 * equivalentRadius;
  for (const double moment : principal)
  {
    shape.equivalentEllipsoidDiameter.push_back(mean > 0.0 ? diameter * std::sqrt(moment / mean) : 0.0);
  }
  return shape;
}

} // namespace CudaConnectedComponentsDetail
} // namespace itk
