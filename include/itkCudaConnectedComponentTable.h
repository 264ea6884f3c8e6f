// SPDX-License-Identifier: Apache-2.0
#ifndef itkCudaConnectedComponentTable_h
#define itkCudaConnectedComponentTable_h

#include "itkCudaConnectedComponentIntensities.h"

#include <array>
#include <cstdint>
#include <vector>

namespace itk
{

/** \class CudaConnectedComponentTable
 * \brief Measurements of the connected components of an image, or of the images of a batch: one row for each component.
 *
 * The table has one array for each column. Row i has the i-th label: label i + 1 if the background value is 0. A column
 * that was not asked for is empty. All measurements but `intensities` are integers, in pixels. So they are exact. Two
 * runs give the same table. The index of a pixel is { x, y, z }, from 0 to the size of the image - 1. A plane has z =
 * 0.
 *
 * \par Batches
 * The rows of the first image come first, then the rows of the second image. `componentCounts` divides the rows among
 * the images. All indices are in the image of the component.
 *
 * \par Thread safety
 * Several threads may read a table at the same time. No other thread may use a table that a thread changes.
 *
 * \sa CudaConnectedComponentLabeler
 * \sa CudaConnectedComponentStatistics for physical units
 *
 * \ingroup CudaConnectedComponents
 */
struct CudaConnectedComponentTable
{
  /** \class Columns
   * \brief Selects the columns of a table. A column that is not selected is not computed, and takes no memory.
   * \ingroup CudaConnectedComponents */
  struct Columns
  {
    /** Selects `pixelCounts`. The default is true. */
    bool pixelCounts = true;
    /** Selects `minimums` and `maximums`. The default is false. */
    bool boundingBoxes = false;
    /** Selects `sums`. The default is false. */
    bool sums = false;
    /** Selects `products`. The default is false. */
    bool products = false;
    /** Selects `firstPixels`. The default is false. */
    bool firstPixels = false;
    /** Selects `faces`. The default is false. */
    bool faces = false;
    /** Selects `values`, which labeling by value has. The default is false. */
    bool values = false;
  };

  /** \class Sum
   * \brief An unsigned integer of 128 bits. A sum over an image of 2^40 pixels needs them.
   * \ingroup CudaConnectedComponents */
  struct Sum
  {
    /** The lower 64 bits. */
    std::uint64_t low = 0;
    /** The upper 64 bits. */
    std::uint64_t high = 0;

    /** Converts the sum to a floating-point number.
     * \return the nearest floating-point number, or one of the two nearest */
    double
    ToDouble() const
    {
      return static_cast<double>(high) * 18446744073709551616.0 + static_cast<double>(low);
    }

    /** Returns whether two sums are equal. */
    friend bool
    operator==(const Sum & a, const Sum & b)
    {
      return a.low == b.low && a.high == b.high;
    }
    /** Returns whether two sums differ. */
    friend bool
    operator!=(const Sum & a, const Sum & b)
    {
      return !(a == b);
    }
  };

  /** Returns the bit of a face of the image in the elements of `faces`.
   * \param axis 0 for x, 1 for y, 2 for z
   * \param isUpper true for the face with the highest index along the axis, false for the face with the lowest index
   * \return bit 2 * axis for the lower face, and bit 2 * axis + 1 for the upper face */
  static constexpr std::uint8_t
  FaceBit(unsigned int axis, bool isUpper)
  {
    return static_cast<std::uint8_t>(1U << (2 * axis + (isUpper ? 1 : 0)));
  }

  /** The number of rows: the components that the selection kept, in all images. */
  std::uint64_t componentCount = 0;

  /** The number of rows of each image: one element for each image. */
  std::vector<std::uint64_t> componentCounts;

  /** The number of components in all images, before the selection. */
  std::uint64_t originalComponentCount = 0;

  /** The number of pixels of each component. */
  std::vector<std::uint64_t> pixelCounts;

  /** The bounding box of each component: its lowest index along x, y and z. */
  std::array<std::vector<std::uint64_t>, 3> minimums;

  /** The bounding box of each component: its highest index along x, y and z. The pixels with this index belong to the
   * box. */
  std::array<std::vector<std::uint64_t>, 3> maximums;

  /** The sums of x, of y and of z over the pixels of each component. Divided by the number of pixels, they are the
   * centroid. */
  std::array<std::vector<Sum>, 3> sums;

  /** The sums of the products xx, xy, xz, yy, yz and zz over the pixels of each component. */
  std::array<std::vector<Sum>, 6> products;

  /** The raster index of the first pixel of each component: x + size[0] * (y + size[1] * z). With
   * CudaConnectedComponentSelection::PixelOrderEnum::TransposedRaster, it is z + size[2] * (y + size[1] * x). */
  std::vector<std::uint64_t> firstPixels;

  /** The faces of the image that each component touches: the FaceBit() of each face. An axis along which the image has
   * one pixel has no faces. So the components of a plane touch faces along x and y only. */
  std::vector<std::uint8_t> faces;

  /** The value of each component in labeling by value: the bits of its pixels as an unsigned integer.
   * A bool is 0 or 1, -0.0 is 0, and NaN has all bits of the type set. */
  std::vector<std::uint64_t> values;

  /** The intensities of each component in a second image, `intensities` of CudaConnectedComponentLabeler::Options. Its
   * columns are empty if there is no such image. */
  CudaConnectedComponentIntensities intensities;
};

} // namespace itk

#endif
