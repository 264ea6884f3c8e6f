// SPDX-License-Identifier: Apache-2.0
#ifndef itkCudaConnectedComponentSelection_h
#define itkCudaConnectedComponentSelection_h

#include <array>
#include <cstdint>
#include <limits>
#include <vector>

namespace itk
{

/** \class CudaConnectedComponentSelection
 * \brief Selects components by size, position and seeds, and sets the order of their labels.
 *
 * A component that is not selected becomes background. The default selects all components, in the order of
 * itk::ConnectedComponentImageFilter.
 *
 * \sa CudaConnectedComponentLabeler::Options
 *
 * \ingroup CudaConnectedComponents
 */
struct CudaConnectedComponentSelection
{
  /** Whether components touch the border of the image. The border is the faces of CudaConnectedComponentTable::faces.
   */
  enum class Border : std::uint8_t
  {
    Any,        // selects all components
    Touching,   // selects components that touch the border
    NotTouching // selects components that do not touch the border
  };

  /** The order of the pixels of an image. It decides which pixel of a component is the first. */
  enum class PixelOrder : std::uint8_t
  {
    Raster,          // x fastest, then y, then z: the order of ITK, and in memory of images without gaps
    TransposedRaster // z fastest, then y, then x: the order in memory of the transposed image
  };

  /** The order of the labels. */
  enum class Order : std::uint8_t
  {
    FirstPixel, // the order of the first pixels of the components
    Size        // the largest component first. Components of the same size are in the order of their first pixels.
  };

  /** Selects components of at least this many pixels. The default is 0: all. */
  std::uint64_t minimumSize = 0;

  /** Selects components of at most this many pixels. The default selects all. */
  std::uint64_t maximumSize = std::numeric_limits<std::uint64_t>::max();

  /** The number of components to select: the largest of the components that satisfy the other conditions. If two
   * components have the same size, the component with the earlier first pixel counts as larger. The default is 0: all.
   */
  std::uint64_t numberOfLargest = 0;

  /** Selects components by their position. The default is Any. */
  Border border = Border::Any;

  /** Selects components that contain at least one of these pixels. A seed is the index { x, y, z } of a pixel. It must
   * lie in the image; otherwise, functions throw CudaConnectedComponentError (InvalidArgument). A seed in the
   * background selects nothing. The default is an empty list: no condition. */
  std::vector<std::array<std::uint64_t, 3>> seeds;

  /** The order of the labels. The default is FirstPixel. */
  Order order = Order::FirstPixel;

  /** The order of the pixels, for `order`, for `numberOfLargest` and for CudaConnectedComponentTable::firstPixels. The
   * default is Raster. TransposedRaster gives an array in Fortran order the labels of the same array in C order. */
  PixelOrder pixelOrder = PixelOrder::Raster;

  /** Returns whether this selects all components, in the raster order of their first pixels.
   * \return true if no component is removed, and the labels have the order of ITK */
  bool
  IsDefault() const
  {
    return minimumSize <= 1 && maximumSize == std::numeric_limits<std::uint64_t>::max() && numberOfLargest == 0 &&
           border == Border::Any && seeds.empty() && order == Order::FirstPixel && pixelOrder == PixelOrder::Raster;
  }
};

} // namespace itk

#endif
