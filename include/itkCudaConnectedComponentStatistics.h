// SPDX-License-Identifier: Apache-2.0
#ifndef itkCudaConnectedComponentStatistics_h
#define itkCudaConnectedComponentStatistics_h

#include "itkCudaConnectedComponentTable.h"

#include "CudaConnectedComponentsDetail/CentralMoments.h"
#include "CudaConnectedComponentsDetail/SeriesTable.h"

#include "itkImageBase.h"
#include "itkMatrix.h"
#include "itkVector.h"

#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <vector>

namespace itk
{

/** \class CudaConnectedComponentStatistics
 * \brief Sizes, bounding boxes, centroids, shapes and intensities of the objects of an image, in the coordinates of the
 * image.
 *
 * \code
 * filter->ComputeStatisticsOn();
 * filter->Update();
 * const auto & statistics = filter->GetStatistics();
 * for (const auto label : statistics.GetLabels())
 * {
 *   std::cout << label << ": " << statistics.GetPhysicalSize(label) << " mm^3 at " << statistics.GetCentroid(label)
 *             << '\n';
 * }
 * \endcode
 *
 * The functions have the names of ShapeLabelObject, and return the same values up to rounding. Their argument is a
 * label, as in LabelStatisticsImageFilter. GetLabels() returns all labels. For a number that is no label, they throw an
 * ExceptionObject with the number and the labels.
 *
 * The object stores its own values. It does not use the table or the image after its construction.
 *
 * \par Shapes
 * GetPrincipalMoments(), GetPrincipalAxes(), GetElongation(), GetFlatness() and GetEquivalentEllipsoidDiameter() need
 * the products of the indices. The filter measures them. A table needs the column `products`. Each of these functions
 * computes all numbers of the shape. A program that needs several of them should call GetShape() once.
 *
 * \par
 * An object is degenerate if all centers of its pixels lie at one point, on a line or in a plane of a volume. Its
 * smallest principal moments are then exactly 0, and no number is NaN or infinite. ShapeLabelObject has the same
 * numbers if its moments are exactly 0. Its moments often are small numbers of any sign instead, because ITK subtracts
 * large numbers.
 *
 * \par
 * The table shows degenerate objects of an image with 3 dimensions. The principal moments are in ascending order. In
 * the table, 0 < a <= b. In a plane, an object on a line has the values of an object on a line in a volume, with the
 * moments 0 and b.
 *
 * | centers of the pixels | principal moments | elongation  | flatness | ellipsoid diameters |
 * | --------------------- | ----------------- | ----------- | -------- | ------------------- |
 * | at one point          | 0, 0, 0           | 0           | 0        | 0, 0, 0             |
 * | on a line             | 0, 0, b           | 0           | 0        | 0, 0, 0             |
 * | in a plane            | 0, a, b           | sqrt(b / a) | 0        | 0, 0, 0             |
 *
 * \par Intensities
 * GetMinimum(), GetMaximum(), GetMean(), GetSum(), GetVariance() and GetStandardDeviation() describe the pixels of a
 * second image in an object. They have the names of StatisticsLabelObject, and the definitions of
 * LabelStatisticsImageFilter. They need CudaConnectedComponentImageFilter::SetIntensityImage(), or a table with
 * `intensities`. If the pixels of the second image are integers, the sum is the exact sum, rounded once to double. If
 * they are floating-point numbers, its error is at most 1e-12 of the sum of the magnitudes. If a pixel of the object is
 * NaN, the mean, the sum, the variance and the standard deviation are NaN. The minimum and the maximum ignore NaN.
 * CudaConnectedComponentIntensities has more on rounding and on infinite pixels.
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

  /** The type of a label. */
  using LabelType = IdentifierType;
  /** The type of an image of any pixel type. */
  using ImageType = ImageBase<VDimension>;
  /** The type of a bounding box: index and size in pixels. */
  using RegionType = ImageRegion<VDimension>;
  /** The type of a centroid: a physical point. */
  using PointType = Point<double, VDimension>;
  /** The type of principal moments and of diameters: one number for each principal axis. */
  using VectorType = Vector<double, VDimension>;
  /** The type of principal axes: each row is an axis. */
  using MatrixType = Matrix<double, VDimension, VDimension>;
  /** The type of second moments in index coordinates, for example xx, xy, xz, yy, yz, zz. */
  using MomentsType = std::array<double, VDimension *(VDimension + 1) / 2>;

  /** \class IntensitiesType
   * \brief The intensities of one object: its pixels in a second image.
   * \ingroup CudaConnectedComponents */
  struct IntensitiesType
  {
    /** GetMinimum() */
    double minimum = 0.0;
    /** GetMaximum() */
    double maximum = 0.0;
    /** GetSum() */
    double sum = 0.0;
    /** GetVariance() */
    double variance = 0.0;
  };

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
    /** The second central moments in index coordinates: the mean products of the distances from the centroid, in
     * pixels^2. Without a value, the shape of the object is not known. */
    std::optional<MomentsType> indexMoments;
    /** The intensities. Without a value, they are not known. */
    std::optional<IntensitiesType> intensities;
  };

  /** \class ShapeType
   * \brief The shape of one object: the numbers that follow from its second moments.
   * \ingroup CudaConnectedComponents */
  struct ShapeType
  {
    /** GetPrincipalMoments() */
    VectorType principalMoments{};
    /** GetPrincipalAxes() */
    MatrixType principalAxes;
    /** GetElongation() */
    double elongation = 0.0;
    /** GetFlatness() */
    double flatness = 0.0;
    /** GetEquivalentEllipsoidDiameter() */
    VectorType equivalentEllipsoidDiameter{};
  };

  /** Creates statistics of 0 objects. */
  CudaConnectedComponentStatistics() = default;

  /** Creates statistics from a table.
   * \param table a table with the columns `pixelCounts`, `boundingBoxes` and `sums`, of an image with the size of the
   * buffered region of `image`. With the column `products`, the shapes are known, too. With
   * `intensities`, the intensities are known, too.
   * \param image an image with the start index, spacing, origin and direction of the input. Its pixels are not read.
   * \param backgroundValue the background value of the labels. The table does not contain it.
   * \exception ExceptionObject the table lacks one of the three columns, or a part of a column. Or VDimension exceeds
   * 3, the dimension of a table. */
  CudaConnectedComponentStatistics(const CudaConnectedComponentTable & table,
                                   const ImageType &                   image,
                                   std::int64_t                        backgroundValue = 0);

  /** Creates statistics from the measurements of each object.
   * \param objects the measurements, in the order of the labels
   * \param image an image with the spacing and direction of the input. Its pixels are not read.
   * \param backgroundValue the background value of the labels */
  CudaConnectedComponentStatistics(std::vector<ObjectType> objects,
                                   const ImageType &       image,
                                   std::int64_t            backgroundValue = 0);

  /** Creates statistics from the measurements of an image of any number of dimensions. The filter calls this
   * constructor.
   * \param table the measurements
   * \param image an image with the start index, spacing, origin and direction of the input. Its pixels are not read.
   * \param backgroundValue the background value of the labels */
  CudaConnectedComponentStatistics(const CudaConnectedComponentsDetail::SeriesTable & table,
                                   const ImageType &                                  image,
                                   std::int64_t                                       backgroundValue);

  /** Returns the number of objects.
   * \return the number of objects; 0 for a default-constructed object */
  SizeValueType
  GetNumberOfObjects() const
  {
    return static_cast<SizeValueType>(m_Objects.size());
  }

  /** Returns the labels of the objects, in ascending order.
   * \return one label for each object. If the background value is 0, they are 1, 2, 3 and so on. */
  std::vector<LabelType>
  GetLabels() const;

  /** Returns whether there is an object with a label.
   * \param label any number
   * \return false for the background value, and for a number that is no label */
  bool
  HasLabel(LabelType label) const
  {
    return this->Find(label) != nullptr;
  }

  /** Returns the number of pixels of an object.
   * \param label the label of the object
   * \return the number of pixels, at least 1
   * \exception ExceptionObject there is no such object */
  SizeValueType
  GetNumberOfPixels(LabelType label) const
  {
    return this->At(label).numberOfPixels;
  }

  /** Returns the size of an object: the number of pixels times the product of the spacings.
   * \param label the label of the object
   * \return the size, in mm^2 or mm^3 if the spacing is in mm
   * \exception ExceptionObject there is no such object */
  double
  GetPhysicalSize(LabelType label) const
  {
    return static_cast<double>(this->At(label).numberOfPixels) * m_PixelSize;
  }

  /** Returns the smallest region that contains an object. The function returns a copy, so keep the region before you
   * keep a reference to its size or its index.
   * \param label the label of the object
   * \return the region, in indices of the image
   * \exception ExceptionObject there is no such object */
  RegionType
  GetBoundingBox(LabelType label) const
  {
    return this->At(label).boundingBox;
  }

  /** Returns the centroid of an object: the mean of the physical points of its pixels. The function returns a copy.
   * \param label the label of the object
   * \return the physical point, in mm if the spacing is in mm
   * \exception ExceptionObject there is no such object */
  PointType
  GetCentroid(LabelType label) const
  {
    return this->At(label).centroid;
  }

  /** Returns all numbers of the shape of an object, in one computation.
   * \param label the label of the object
   * \return the values of GetPrincipalMoments(), GetPrincipalAxes(), GetElongation(), GetFlatness() and
   * GetEquivalentEllipsoidDiameter()
   * \exception ExceptionObject there is no such object. Or its shape is not known, because the table had no column
   * `products`. */
  ShapeType
  GetShape(LabelType label) const;

  /** Returns the principal moments of an object: the variances of the physical points of its pixels along the principal
   * axes. They are the eigenvalues of the covariance matrix of the points, with the number of pixels as divisor. A
   * pixel is the point at its center: as in ITK, its extent adds nothing. The error is at most 1e-14 of the largest
   * moment, anywhere in space. A moment below 1e-14 of the largest moment is rounding, and is returned as 0.
   * \param label the label of the object
   * \return the moments in ascending order, at least 0, in mm^2 if the spacing is in mm. A degenerate object has
   * moments that are 0.
   * \exception ExceptionObject there is no such object, or its shape is not known: see GetShape() */
  VectorType
  GetPrincipalMoments(LabelType label) const
  {
    return this->GetShape(label).principalMoments;
  }

  /** Returns the principal axes of an object: the unit eigenvectors of the covariance matrix of its points.
   * \param label the label of the object
   * \return a rotation matrix, without unit. Row j is the physical direction of the axis of principal moment j. The
   * signs of the axes are arbitrary, except that the determinant is 1. If moments are equal, any orthogonal directions
   * that span the same space may be their axes. So a degenerate object has axes, too. An object of one pixel has the
   * axes of the physical space.
   * \exception ExceptionObject there is no such object, or its shape is not known: see GetShape() */
  MatrixType
  GetPrincipalAxes(LabelType label) const
  {
    return this->GetShape(label).principalAxes;
  }

  /** Returns the elongation of an object: the square root of the ratio of the largest principal moment to the next
   * smaller moment.
   * \param label the label of the object
   * \return the elongation, without unit: at least 1; or 0 if the next smaller moment is 0, as for pixels on a line. As
   * in ITK, a moment of at most 2.2e-17 (mm^2 if the spacing is in mm) counts as 0 here. In images of one dimension,
   * the elongation is 1.
   * \exception ExceptionObject there is no such object, or its shape is not known: see GetShape() */
  double
  GetElongation(LabelType label) const
  {
    return this->GetShape(label).elongation;
  }

  /** Returns the flatness of an object: the square root of the ratio of the second smallest principal moment to the
   * smallest moment. In a plane, it is equal to the elongation.
   * \param label the label of the object
   * \return the flatness, without unit: at least 1; or 0 if the smallest moment is 0, as for pixels in a plane of a
   * volume. As in ITK, a moment of at most 2.2e-17 (mm^2 if the spacing is in mm) counts as 0 here. In images of one
   * dimension, the flatness is 1.
   * \exception ExceptionObject there is no such object, or its shape is not known: see GetShape() */
  double
  GetFlatness(LabelType label) const
  {
    return this->GetShape(label).flatness;
  }

  /** Returns the diameters of an ellipsoid with the size of an object and with axes in the ratio of the square roots of
   * its principal moments.
   * \param label the label of the object
   * \return the diameters along the principal axes, in ascending order, in mm if the spacing is in mm. If a principal
   * moment is 0, all diameters are 0.
   * \exception ExceptionObject there is no such object, or its shape is not known: see GetShape() */
  VectorType
  GetEquivalentEllipsoidDiameter(LabelType label) const
  {
    return this->GetShape(label).equivalentEllipsoidDiameter;
  }

  /** Returns the radius of a sphere with the size of an object: GetPhysicalSize(). In a plane, it is the radius of a
   * circle. The number does not need the column `products`.
   * \param label the label of the object
   * \return the radius, greater than 0, in mm if the spacing is in mm
   * \exception ExceptionObject there is no such object */
  double
  GetEquivalentSphericalRadius(LabelType label) const;

  /** Returns the surface of a sphere with the size of an object: GetPhysicalSize(). In a plane, it is the perimeter of
   * a circle. The number does not need the column `products`.
   * \param label the label of the object
   * \return the surface, greater than 0, in mm^2 or mm (in a plane) if the spacing is in mm
   * \exception ExceptionObject there is no such object */
  double
  GetEquivalentSphericalPerimeter(LabelType label) const
  {
    return VDimension * this->GetPhysicalSize(label) / this->GetEquivalentSphericalRadius(label);
  }

  /** Returns whether the intensities of the objects are known.
   * \return true if there are objects, and if a second image was measured */
  bool
  HasIntensities() const
  {
    return !m_Objects.empty() && m_Objects.front().intensities;
  }

  /** Returns the lowest intensity of an object.
   * \param label the label of the object
   * \return the lowest pixel that is not NaN, in the unit of the intensity image. NaN if all pixels are NaN. An integer
   * of 64 bits is rounded to the nearest number.
   * \exception ExceptionObject there is no such object, or its intensities are not known: see HasIntensities() */
  double
  GetMinimum(LabelType label) const
  {
    return this->IntensitiesAt(label).minimum;
  }

  /** Returns the highest intensity of an object.
   * \param label the label of the object
   * \return the highest pixel that is not NaN, in the unit of the intensity image. NaN if all pixels are NaN. An
   * integer of 64 bits is rounded to the nearest number.
   * \exception ExceptionObject there is no such object, or its intensities are not known: see HasIntensities() */
  double
  GetMaximum(LabelType label) const
  {
    return this->IntensitiesAt(label).maximum;
  }

  /** Returns the mean intensity of an object.
   * \param label the label of the object
   * \return GetSum() divided by GetNumberOfPixels(), in the unit of the intensity image
   * \exception ExceptionObject there is no such object, or its intensities are not known: see HasIntensities() */
  double
  GetMean(LabelType label) const
  {
    return this->IntensitiesAt(label).sum / static_cast<double>(this->At(label).numberOfPixels);
  }

  /** Returns the sum of the intensities of an object.
   * \param label the label of the object
   * \return the sum, in the unit of the intensity image
   * \exception ExceptionObject there is no such object, or its intensities are not known: see HasIntensities() */
  double
  GetSum(LabelType label) const
  {
    return this->IntensitiesAt(label).sum;
  }

  /** Returns the variance of the intensities of an object, with the divisor n - 1 for n pixels.
   * \param label the label of the object
   * \return the variance, at least 0, in the square of the unit of the intensity image. 0 for an object of one pixel.
   * \exception ExceptionObject there is no such object, or its intensities are not known: see HasIntensities() */
  double
  GetVariance(LabelType label) const
  {
    return this->IntensitiesAt(label).variance;
  }

  /** Returns the standard deviation of the intensities of an object.
   * \param label the label of the object
   * \return the square root of GetVariance(), in the unit of the intensity image
   * \exception ExceptionObject there is no such object, or its intensities are not known: see HasIntensities() */
  double
  GetStandardDeviation(LabelType label) const
  {
    return std::sqrt(this->IntensitiesAt(label).variance);
  }

private:
  /** The measurements of an object in index coordinates. Indices count from the first pixel of the image. */
  struct MeasuresType
  {
    CudaConnectedComponentsDetail::PixelSums<VDimension> pixels;
    std::array<std::uint64_t, VDimension>                minimums;
    std::array<std::uint64_t, VDimension>                maximums;
  };

  /** Sets all objects: getMeasures(i, measures) has the measurements of object i. */
  template <typename TGetMeasures>
  void
  SetObjects(const ImageType &                         image,
             const CudaConnectedComponentIntensities & intensities,
             bool                                      hasProducts,
             const TGetMeasures &                      getMeasures);

  /** Returns the measurements of an object, or null if there is no such object. */
  const ObjectType *
  Find(LabelType label) const;

  /** Returns the measurements of an object. Throws an ExceptionObject if there is no such object. */
  const ObjectType &
  At(LabelType label) const;

  /** Returns the intensities of an object. Throws an ExceptionObject if there is no such object, or if its intensities
   * are not known. */
  const IntensitiesType &
  IntensitiesAt(LabelType label) const;

  std::vector<ObjectType> m_Objects;
  double                  m_PixelSize{ 1.0 }; // product of the spacings
  MatrixType              m_IndexToPhysical;  // without the translation
  std::int64_t            m_BackgroundValue{ 0 };
};

} // end namespace itk

#ifndef ITK_MANUAL_INSTANTIATION
#  include "itkCudaConnectedComponentStatistics.hxx"
#endif

#endif
