// SPDX-License-Identifier: Apache-2.0
#ifndef itkCudaConnectedComponentStatistics_hxx
#define itkCudaConnectedComponentStatistics_hxx

#include "CudaConnectedComponentsDetail/CentralMoments.h"
#include "CudaConnectedComponentsDetail/LabelRows.h"

#include "itkMath.h"

#include <vnl/algo/vnl_determinant.h>
#include <vnl/algo/vnl_symmetric_eigensystem.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace itk
{

template <unsigned int VDimension>
CudaConnectedComponentStatistics<VDimension>::CudaConnectedComponentStatistics(
  const CudaConnectedComponentTable & table,
  const ImageType &                   image,
  std::int64_t                        backgroundValue)
  : CudaConnectedComponentStatistics(std::vector<ObjectType>(table.componentCount), image, backgroundValue)
{
  if constexpr (VDimension > 3)
  {
    itkGenericExceptionMacro(<< "A CudaConnectedComponentTable has measurements along 3 axes, but the image has "
                             << VDimension << " dimensions.");
  }
  else
  {
    const auto require = [&table](const char * column, std::size_t rows) {
      if (rows != table.componentCount)
      {
        itkGenericExceptionMacro(<< "The column " << column << " of the table has " << rows << " rows, but there are "
                                 << table.componentCount
                                 << " objects. Select the column in CudaConnectedComponentLabeler::Options::columns.");
      }
    };
    require("pixelCounts", table.pixelCounts.size());
    for (unsigned int axis = 0; axis < VDimension; ++axis)
    {
      require("minimums", table.minimums[axis].size());
      require("maximums", table.maximums[axis].size());
      require("sums", table.sums[axis].size());
    }

    // A plane has products in a table of 3 axes.
    const auto productsOf = [&table](unsigned int a,
                                     unsigned int b) -> const std::vector<CudaConnectedComponentTable::Sum> & {
      return table.products[CudaConnectedComponentsDetail::AxisPair(3, a, b)];
    };
    const bool hasProducts = std::any_of(
      table.products.begin(), table.products.end(), [](const auto & products) { return !products.empty(); });
    for (unsigned int a = 0; a < VDimension && hasProducts; ++a)
    {
      for (unsigned int b = a; b < VDimension; ++b)
      {
        require("products", productsOf(a, b).size());
      }
    }
    const CudaConnectedComponentIntensities & intensities = table.intensities;
    const bool                                hasIntensities = !intensities.sums.empty();
    if (hasIntensities)
    {
      require("intensities.minimums", intensities.minimums.size());
      require("intensities.maximums", intensities.maximums.size());
      require("intensities.sums", intensities.sums.size());
      require("intensities.variances", intensities.variances.size());
    }
    const auto toInteger = [](const CudaConnectedComponentTable::Sum & sum) {
      return static_cast<CudaConnectedComponentsDetail::UInt128>(sum.high) << 64 | sum.low;
    };

    const auto & start = image.GetBufferedRegion().GetIndex();
    for (std::size_t i = 0; i < m_Objects.size(); ++i)
    {
      ObjectType & object = m_Objects[i];
      object.numberOfPixels = static_cast<SizeValueType>(table.pixelCounts[i]);
      ContinuousIndex<double, VDimension> centroid;
      for (unsigned int axis = 0; axis < VDimension; ++axis)
      {
        const std::uint64_t minimum = table.minimums[axis][i];
        object.boundingBox.SetIndex(axis, start[axis] + static_cast<IndexValueType>(minimum));
        object.boundingBox.SetSize(axis, static_cast<SizeValueType>(table.maximums[axis][i] - minimum + 1));
        const double mean = table.sums[axis][i].ToDouble() / static_cast<double>(table.pixelCounts[i]);
        centroid[axis] = static_cast<double>(start[axis]) + mean;
      }
      image.TransformContinuousIndexToPhysicalPoint(centroid, object.centroid);
      if (hasProducts)
      {
        CudaConnectedComponentsDetail::PixelSums<VDimension> pixels;
        pixels.count = table.pixelCounts[i];
        for (unsigned int a = 0; a < VDimension; ++a)
        {
          pixels.sums[a] = toInteger(table.sums[a][i]);
          for (unsigned int b = a; b < VDimension; ++b)
          {
            pixels.products[CudaConnectedComponentsDetail::AxisPair(VDimension, a, b)] = toInteger(productsOf(a, b)[i]);
          }
        }
        object.indexMoments = CudaConnectedComponentsDetail::CentralMoments(pixels);
      }
      if (hasIntensities)
      {
        object.intensities = {
          intensities.minimums[i], intensities.maximums[i], intensities.sums[i], intensities.variances[i]
        };
      }
    }
  }
}

template <unsigned int VDimension>
CudaConnectedComponentStatistics<VDimension>::CudaConnectedComponentStatistics(std::vector<ObjectType> objects,
                                                                               const ImageType &       image,
                                                                               std::int64_t            backgroundValue)
  : m_Objects(std::move(objects))
  , m_BackgroundValue(backgroundValue)
{
  for (unsigned int axis = 0; axis < VDimension; ++axis)
  {
    m_PixelSize *= image.GetSpacing()[axis];
    for (unsigned int row = 0; row < VDimension; ++row)
    {
      m_IndexToPhysical[row][axis] = image.GetDirection()[row][axis] * image.GetSpacing()[axis];
    }
  }
}

template <unsigned int VDimension>
IdentifierType
CudaConnectedComponentStatistics<VDimension>::GetLabel(SizeValueType i) const
{
  this->At(i); // throws if there is no such object
  return static_cast<IdentifierType>(
    CudaConnectedComponentsDetail::LabelOfRow(i, static_cast<std::uint64_t>(m_BackgroundValue)));
}

template <unsigned int VDimension>
auto
CudaConnectedComponentStatistics<VDimension>::GetShape(SizeValueType i) const -> ShapeType
{
  const ObjectType & object = this->At(i);
  if (!object.indexMoments)
  {
    itkGenericExceptionMacro(<< "The shape of the object with index " << i
                             << " is not known, because its products were not measured. Select the column products in "
                                "CudaConnectedComponentLabeler::Options::columns.");
  }

  MatrixType indexMoments;
  for (unsigned int a = 0; a < VDimension; ++a)
  {
    for (unsigned int b = a; b < VDimension; ++b)
    {
      indexMoments[a][b] = indexMoments[b][a] =
        (*object.indexMoments)[CudaConnectedComponentsDetail::AxisPair(VDimension, a, b)];
    }
  }
  const MatrixType moments = m_IndexToPhysical * indexMoments * MatrixType(m_IndexToPhysical.GetTranspose());
  // ShapeLabelMapFilter calls the same function. The eigenvalues ascend.
  const vnl_symmetric_eigensystem<double> eigensystem(moments.GetVnlMatrix().as_matrix());

  ShapeType    shape;
  VectorType & principal = shape.principalMoments;
  const double rounding = 1e-14 * eigensystem.D(VDimension - 1);
  for (unsigned int axis = 0; axis < VDimension; ++axis)
  {
    const double moment = eigensystem.D(axis);
    principal[axis] = moment > rounding ? moment : 0.0;
  }
  shape.principalAxes = eigensystem.V.transpose();
  if (vnl_determinant(eigensystem.V) < 0.0)
  {
    for (unsigned int axis = 0; axis < VDimension; ++axis)
    {
      shape.principalAxes[VDimension - 1][axis] *= -1.0;
    }
  }

  if constexpr (VDimension < 2)
  {
    shape.elongation = shape.flatness = 1.0;
  }
  else
  {
    const auto ratioOf = [](double larger, double smaller) {
      return Math::AlmostEquals(smaller, 0.0) ? 0.0 : std::sqrt(larger / smaller);
    };
    shape.elongation = ratioOf(principal[VDimension - 1], principal[VDimension - 2]);
    shape.flatness = ratioOf(principal[1], principal[0]);
  }

  double product = 1.0;
  for (unsigned int axis = 0; axis < VDimension; ++axis)
  {
    product *= principal[axis];
  }
  const double mean = std::pow(product, 1.0 / VDimension);
  const double diameter = 2.0 * this->GetEquivalentSphericalRadius(i);
  for (unsigned int axis = 0; axis < VDimension; ++axis)
  {
    shape.equivalentEllipsoidDiameter[axis] = mean > 0.0 ? diameter * std::sqrt(principal[axis] / mean) : 0.0;
  }
  return shape;
}

template <unsigned int VDimension>
double
CudaConnectedComponentStatistics<VDimension>::GetEquivalentSphericalRadius(SizeValueType i) const
{
  const double sizeOfUnitSphere = std::pow(Math::pi, VDimension / 2.0) / std::tgamma(VDimension / 2.0 + 1.0);
  return std::pow(this->GetPhysicalSize(i) / sizeOfUnitSphere, 1.0 / VDimension);
}

template <unsigned int VDimension>
auto
CudaConnectedComponentStatistics<VDimension>::At(SizeValueType i) const -> const ObjectType &
{
  if (i >= m_Objects.size())
  {
    itkGenericExceptionMacro(<< "There is no object with index " << i << ". The number of objects is "
                             << m_Objects.size() << ", and the first object has index 0.");
  }
  return m_Objects[i];
}

template <unsigned int VDimension>
auto
CudaConnectedComponentStatistics<VDimension>::IntensitiesAt(SizeValueType i) const -> const IntensitiesType &
{
  const ObjectType & object = this->At(i);
  if (!object.intensities)
  {
    itkGenericExceptionMacro(<< "The intensities of the object with index " << i
                             << " are not known, because no second image was measured. Call SetIntensityImage() of the "
                                "filter, or set CudaConnectedComponentLabeler::Options::intensities.");
  }
  return *object.intensities;
}

} // end namespace itk

#endif
