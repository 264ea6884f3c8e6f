// SPDX-License-Identifier: Apache-2.0
#ifndef itkCudaConnectedComponentStatistics_hxx
#define itkCudaConnectedComponentStatistics_hxx

#include "CudaConnectedComponentsDetail/CentralMoments.h"
#include "CudaConnectedComponentsDetail/LabelRows.h"

#include "itkContinuousIndex.h"
#include "itkMath.h"

#include <algorithm>
#include <cmath>
#include <sstream>
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
          pixels.sums[a] = CudaConnectedComponentsDetail::IntegerOf(table.sums[a][i]);
          for (unsigned int b = a; b < VDimension; ++b)
          {
            pixels.products[CudaConnectedComponentsDetail::AxisPair(VDimension, a, b)] =
              CudaConnectedComponentsDetail::IntegerOf(productsOf(a, b)[i]);
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
CudaConnectedComponentStatistics<VDimension>::CudaConnectedComponentStatistics(
  const CudaConnectedComponentsDetail::SeriesTable & table,
  const ImageType &                                  image,
  std::int64_t                                       backgroundValue)
  : CudaConnectedComponentStatistics(std::vector<ObjectType>(table.counts.size()), image, backgroundValue)
{
  using namespace CudaConnectedComponentsDetail;
  const auto & start = image.GetBufferedRegion().GetIndex();
  for (std::size_t i = 0; i < m_Objects.size(); ++i)
  {
    ObjectType &          object = m_Objects[i];
    PixelSums<VDimension> pixels;
    object.numberOfPixels = table.counts[i];
    pixels.count = table.counts[i];
    ContinuousIndex<double, VDimension> centroid;
    for (unsigned int axis = 0; axis < VDimension; ++axis)
    {
      const std::size_t at = i * VDimension + axis;
      object.boundingBox.SetIndex(axis, start[axis] + static_cast<IndexValueType>(table.minimums[at]));
      object.boundingBox.SetSize(axis, static_cast<SizeValueType>(table.maximums[at] - table.minimums[at] + 1));
      const double mean = table.sums[at].ToDouble() / static_cast<double>(table.counts[i]);
      centroid[axis] = static_cast<double>(start[axis]) + mean;
      pixels.sums[axis] = IntegerOf(table.sums[at]);
    }
    image.TransformContinuousIndexToPhysicalPoint(centroid, object.centroid);
    for (unsigned int pair = 0; pair < CountAxisPairs(VDimension); ++pair)
    {
      pixels.products[pair] = IntegerOf(table.products[i * CountAxisPairs(VDimension) + pair]);
    }
    object.indexMoments = CentralMoments(pixels);
    if (!table.intensities.sums.empty())
    {
      const CudaConnectedComponentIntensities & intensities = table.intensities;
      object.intensities = {
        intensities.minimums[i], intensities.maximums[i], intensities.sums[i], intensities.variances[i]
      };
    }
  }
}

template <unsigned int VDimension>
auto
CudaConnectedComponentStatistics<VDimension>::GetLabels() const -> std::vector<LabelType>
{
  std::vector<LabelType> labels(m_Objects.size());
  for (std::size_t i = 0; i < labels.size(); ++i)
  {
    labels[i] = static_cast<LabelType>(
      CudaConnectedComponentsDetail::LabelOfRow(i, static_cast<std::uint64_t>(m_BackgroundValue)));
  }
  return labels;
}

template <unsigned int VDimension>
auto
CudaConnectedComponentStatistics<VDimension>::GetShape(LabelType label) const -> ShapeType
{
  const ObjectType & object = this->At(label);
  if (!object.indexMoments)
  {
    itkGenericExceptionMacro(<< "The shape of the object with label " << label
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
  const auto       numbers = CudaConnectedComponentsDetail::ShapeOf(
    VDimension, moments.GetVnlMatrix().data_block(), this->GetEquivalentSphericalRadius(label));
  ShapeType shape;
  shape.elongation = numbers.elongation;
  shape.flatness = numbers.flatness;
  for (unsigned int axis = 0; axis < VDimension; ++axis)
  {
    shape.principalMoments[axis] = numbers.principalMoments[axis];
    shape.equivalentEllipsoidDiameter[axis] = numbers.equivalentEllipsoidDiameter[axis];
    for (unsigned int column = 0; column < VDimension; ++column)
    {
      shape.principalAxes[axis][column] = numbers.principalAxes[axis * VDimension + column];
    }
  }
  return shape;
}

template <unsigned int VDimension>
double
CudaConnectedComponentStatistics<VDimension>::GetEquivalentSphericalRadius(LabelType label) const
{
  const double sizeOfUnitSphere = std::pow(Math::pi, VDimension / 2.0) / std::tgamma(VDimension / 2.0 + 1.0);
  return std::pow(this->GetPhysicalSize(label) / sizeOfUnitSphere, 1.0 / VDimension);
}

template <unsigned int VDimension>
auto
CudaConnectedComponentStatistics<VDimension>::Find(LabelType label) const -> const ObjectType *
{
  const auto background = static_cast<std::uint64_t>(m_BackgroundValue);
  const auto row = CudaConnectedComponentsDetail::RowOfLabel(label, background);
  return label != background && row < m_Objects.size() ? &m_Objects[static_cast<std::size_t>(row)] : nullptr;
}

template <unsigned int VDimension>
auto
CudaConnectedComponentStatistics<VDimension>::At(LabelType label) const -> const ObjectType &
{
  const ObjectType * const object = this->Find(label);
  if (object == nullptr)
  {
    std::ostringstream labels;
    if (!m_Objects.empty())
    {
      const std::vector<LabelType> all = this->GetLabels();
      labels << ", with labels from " << all.front() << " to " << all.back();
    }
    itkGenericExceptionMacro(<< "There is no object with label " << label << ". There are " << m_Objects.size()
                             << " objects" << labels.str() << ", and the background value is " << m_BackgroundValue
                             << '.');
  }
  return *object;
}

template <unsigned int VDimension>
auto
CudaConnectedComponentStatistics<VDimension>::IntensitiesAt(LabelType label) const -> const IntensitiesType &
{
  const ObjectType & object = this->At(label);
  if (!object.intensities)
  {
    itkGenericExceptionMacro(<< "The intensities of the object with label " << label
                             << " are not known, because no second image was measured. Call SetIntensityImage() of the "
                                "filter, or set CudaConnectedComponentLabeler::Options::intensities.");
  }
  return *object.intensities;
}

} // end namespace itk

#endif
