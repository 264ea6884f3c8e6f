// SPDX-License-Identifier: Apache-2.0
#ifndef itkCudaConnectedComponentStatistics_hxx
#define itkCudaConnectedComponentStatistics_hxx

#include "CudaConnectedComponentsDetail/LabelRows.h"

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
CudaConnectedComponentStatistics<VDimension>::At(SizeValueType i) const -> const ObjectType &
{
  if (i >= m_Objects.size())
  {
    itkGenericExceptionMacro(<< "There is no object with index " << i << ". The number of objects is "
                             << m_Objects.size() << ", and the first object has index 0.");
  }
  return m_Objects[i];
}

} // end namespace itk

#endif
