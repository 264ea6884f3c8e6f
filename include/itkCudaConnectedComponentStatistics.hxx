// SPDX-License-Identifier: Apache-2.0
#ifndef itkCudaConnectedComponentStatistics_hxx
#define itkCudaConnectedComponentStatistics_hxx

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
  : CudaConnectedComponentStatistics(std::vector<ObjectType>(), image, backgroundValue)
{
  using namespace CudaConnectedComponentsDetail;
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
    const bool hasProducts = std::any_of(
      table.products.begin(), table.products.end(), [](const auto & products) { return !products.empty(); });
    for (unsigned int a = 0; a < VDimension; ++a)
    {
      require("minimums", table.minimums[a].size());
      require("maximums", table.maximums[a].size());
      require("sums", table.sums[a].size());
      for (unsigned int b = a; b < VDimension && hasProducts; ++b)
      {
        require("products", table.products[AxisPair(3, a, b)].size());
      }
    }
    if (!table.intensities.sums.empty())
    {
      require("intensities.minimums", table.intensities.minimums.size());
      require("intensities.maximums", table.intensities.maximums.size());
      require("intensities.sums", table.intensities.sums.size());
      require("intensities.variances", table.intensities.variances.size());
    }
    m_Objects.resize(static_cast<std::size_t>(table.componentCount));
    this->SetObjects(image, table.intensities, hasProducts, [&table](std::size_t i, MeasuresType & measures) {
      measures.pixels.count = table.pixelCounts[i];
      for (unsigned int a = 0; a < VDimension; ++a)
      {
        measures.minimums[a] = table.minimums[a][i];
        measures.maximums[a] = table.maximums[a][i];
        measures.pixels.sums[a] = table.sums[a][i];
        for (unsigned int b = a; b < VDimension; ++b)
        {
          // A plane has products in a table of 3 axes.
          const auto & products = table.products[AxisPair(3, a, b)];
          if (!products.empty())
          {
            measures.pixels.products[AxisPair(VDimension, a, b)] = products[i];
          }
        }
      }
    });
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
  constexpr unsigned int pairs = CountAxisPairs(VDimension);
  this->SetObjects(image, table.intensities, true, [&table](std::size_t i, MeasuresType & measures) {
    measures.pixels.count = table.counts[i];
    std::copy_n(&table.minimums[i * VDimension], VDimension, measures.minimums.begin());
    std::copy_n(&table.maximums[i * VDimension], VDimension, measures.maximums.begin());
    std::copy_n(&table.sums[i * VDimension], VDimension, measures.pixels.sums.begin());
    std::copy_n(&table.products[i * pairs], pairs, measures.pixels.products.begin());
  });
}

template <unsigned int VDimension>
template <typename TGetMeasures>
void
CudaConnectedComponentStatistics<VDimension>::SetObjects(const ImageType &                         image,
                                                         const CudaConnectedComponentIntensities & intensities,
                                                         bool                                      hasProducts,
                                                         const TGetMeasures &                      getMeasures)
{
  using namespace CudaConnectedComponentsDetail;
  const auto & start = image.GetBufferedRegion().GetIndex();
  MeasuresType measures;
  for (std::size_t i = 0; i < m_Objects.size(); ++i)
  {
    getMeasures(i, measures);
    ObjectType & object = m_Objects[i];
    object.numberOfPixels = static_cast<SizeValueType>(measures.pixels.count);
    ContinuousIndex<double, VDimension> centroid;
    for (unsigned int axis = 0; axis < VDimension; ++axis)
    {
      const std::uint64_t minimum = measures.minimums[axis];
      object.boundingBox.SetIndex(axis, start[axis] + static_cast<IndexValueType>(minimum));
      object.boundingBox.SetSize(axis, static_cast<SizeValueType>(measures.maximums[axis] - minimum + 1));
      const double mean = measures.pixels.sums[axis].ToDouble() / static_cast<double>(measures.pixels.count);
      centroid[axis] = static_cast<double>(start[axis]) + mean;
    }
    image.TransformContinuousIndexToPhysicalPoint(centroid, object.centroid);
    if (hasProducts)
    {
      object.indexMoments = CentralMoments(measures.pixels);
    }
    if (!intensities.sums.empty())
    {
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
  ShapeType        shape;
  CudaConnectedComponentsDetail::ComputeShape(VDimension,
                                              moments.GetVnlMatrix().data_block(),
                                              this->GetEquivalentSphericalRadius(label),
                                              { shape.principalMoments.GetDataPointer(),
                                                shape.principalAxes.GetVnlMatrix().data_block(),
                                                shape.equivalentEllipsoidDiameter.GetDataPointer(),
                                                shape.elongation,
                                                shape.flatness });
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
