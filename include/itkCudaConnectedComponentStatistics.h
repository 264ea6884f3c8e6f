// SPDX-License-Identifier: Apache-2.0
#ifndef itkCudaConnectedComponentStatistics_h
#define itkCudaConnectedComponentStatistics_h

#include "itkCudaConnectedComponentTable.h"
#include "itkImageBase.h"

#include <cstdint>
#include <vector>

namespace itk
{

/** \class CudaConnectedComponentStatistics
 * \brief Sizes, bounding boxes and centroids of the objects of an image, in the coordinates of the image.
 *
 * \code
 * filter->ComputeStatisticsOn();
 * filter->Update();
 * const auto & statistics = filter->GetStatistics();
 * for (itk::SizeValueType i = 0; i < statistics.GetNumberOfObjects(); ++i)
 * {
 *   std::cout << statistics.GetLabel(i) << ": " << statistics.GetPhysicalSize(i) << " mm^3 at "
 *             << statistics.GetCentroid(i) << '\n';
 * }
 * \endcode
 *
 * The functions have the names of ShapeLabelObject, and return the same values up to rounding. Their argument is the
 * index of an object, from 0 to GetNumberOfObjects() - 1, in the order of the labels. For another index, they throw an
 * ExceptionObject with the index and the number of objects.
 *
 * The object stores its own values. It does not use the table or the image after its construction.
 *
 * \tparam VDimension the dimension of the image
 *
 * \par Thread safety
 * Several threads may read an object at the same time. No other thread may use an object that a thread changes.
 *
 * \sa CudaConnectedComponentImageFilter::GetStatistics()
 * \sa CudaConnectedComponentTable for the measurements in pixels
 * \sa ShapeLabelObject
 *
 * \ingroup CudaConnectedComponents
 */
template <unsigned int VDimension>
class CudaConnectedComponentStatistics
{
public:
  /** The dimension of the image. */
  static constexpr unsigned int ImageDimension = VDimension;

  /** The type of an image of any pixel type. */
  using ImageType = ImageBase<VDimension>;
  /** The type of a bounding box: index and size in pixels. */
  using RegionType = ImageRegion<VDimension>;
  /** The type of a centroid: a physical point. */
  using PointType = Point<double, VDimension>;

  /** \class ObjectType
   * \brief The measurements of one object.
   * \ingroup CudaConnectedComponents */
  struct ObjectType
  {
    /** The number of pixels. */
    SizeValueType numberOfPixels = 0;
    /** The smallest region that contains the object. */
    RegionType boundingBox;
    /** The mean of the physical points of the pixels. */
    PointType centroid{};
  };

  /** Creates statistics of 0 objects. */
  CudaConnectedComponentStatistics() = default;

  /** Creates statistics from a table.
   * \param table a table with the columns `pixelCounts`, `boundingBoxes` and `sums`, of an image with the size of the
   * buffered region of `image`
   * \param image an image with the start index, spacing, origin and direction of the input. Its pixels are not read.
   * \param backgroundValue the background value of the labels. The table does not contain it.
   * \exception ExceptionObject the table lacks a column. Or VDimension exceeds 3, the dimension of a table. */
  CudaConnectedComponentStatistics(const CudaConnectedComponentTable & table,
                                   const ImageType &                   image,
                                   std::int64_t                        backgroundValue = 0);

  /** Creates statistics from the measurements of each object.
   * \param objects the measurements, in the order of the labels
   * \param image an image with the spacing of the input. Its pixels are not read.
   * \param backgroundValue the background value of the labels */
  CudaConnectedComponentStatistics(std::vector<ObjectType> objects,
                                   const ImageType &       image,
                                   std::int64_t            backgroundValue = 0);

  /** Returns the number of objects.
   * \return the number of objects; 0 for a default-constructed object */
  SizeValueType
  GetNumberOfObjects() const
  {
    return static_cast<SizeValueType>(m_Objects.size());
  }

  /** Returns the label of an object in the output.
   * \param i the index of the object
   * \return the label. If the background value is 0, the label is i + 1.
   * \exception ExceptionObject there is no such object */
  IdentifierType
  GetLabel(SizeValueType i) const;

  /** Returns the number of pixels of an object.
   * \param i the index of the object
   * \return the number of pixels, at least 1
   * \exception ExceptionObject there is no such object */
  SizeValueType
  GetNumberOfPixels(SizeValueType i) const
  {
    return this->At(i).numberOfPixels;
  }

  /** Returns the size of an object: the number of pixels times the product of the spacings.
   * \param i the index of the object
   * \return the size, in mm^2 or mm^3 if the spacing is in mm
   * \exception ExceptionObject there is no such object */
  double
  GetPhysicalSize(SizeValueType i) const
  {
    return static_cast<double>(this->At(i).numberOfPixels) * m_PixelSize;
  }

  /** Returns the smallest region that contains an object.
   * \param i the index of the object
   * \return the region, in indices of the image
   * \exception ExceptionObject there is no such object */
  const RegionType &
  GetBoundingBox(SizeValueType i) const
  {
    return this->At(i).boundingBox;
  }

  /** Returns the centroid of an object: the mean of the physical points of its pixels.
   * \param i the index of the object
   * \return the physical point, in mm if the spacing is in mm
   * \exception ExceptionObject there is no such object */
  const PointType &
  GetCentroid(SizeValueType i) const
  {
    return this->At(i).centroid;
  }

private:
  /** Returns the measurements of an object. Throws an ExceptionObject if there is no such object. */
  const ObjectType &
  At(SizeValueType i) const;

  std::vector<ObjectType> m_Objects;
  double                  m_PixelSize{ 1.0 }; // product of the spacings
  std::int64_t            m_BackgroundValue{ 0 };
};

} // end namespace itk

#ifndef ITK_MANUAL_INSTANTIATION
#  include "itkCudaConnectedComponentStatistics.hxx"
#endif

#endif
