// SPDX-License-Identifier: Apache-2.0
#ifndef itkCudaConnectedComponentSelection_h
#define itkCudaConnectedComponentSelection_h

#include "itkCudaConnectedComponentImageView.h"
#include "itkCudaConnectedComponentsEnums.h"

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
  /** Whether components touch the border of the image. */
  using BorderEnum = CudaConnectedComponentsEnums::Border;
  /** The old name of BorderEnum. */
  using Border [[deprecated("use BorderEnum")]] = BorderEnum;

  /** The orders of the pixels of an image. */
  using PixelOrderEnum = CudaConnectedComponentsEnums::PixelOrder;
  /** The old name of PixelOrderEnum. */
  using PixelOrder [[deprecated("use PixelOrderEnum")]] = PixelOrderEnum;

  /** The orders of the labels. */
  using OrderEnum = CudaConnectedComponentsEnums::LabelOrder;
  /** The old name of OrderEnum. */
  using Order [[deprecated("use OrderEnum")]] = OrderEnum;

  /** Selects components of at least this many pixels. The default is 0: all. */
  std::uint64_t minimumSize = 0;

  /** Selects components of at most this many pixels. The default selects all. */
  std::uint64_t maximumSize = std::numeric_limits<std::uint64_t>::max();

  /** The number of components to select: the largest of the components that satisfy the other conditions. If two
   * components have the same size, the component with the earlier first pixel counts as larger. The default is 0: all.
   */
  std::uint64_t numberOfLargest = 0;

  /** Whether `numberOfLargest` is the number for each value, not for all values of an image. The default is false. It
   * needs labeling by value. NaN equals nothing, so each component of NaN is the largest of its value. */
  bool perValue = false;

  /** Whether all components as large as the largest are selected. The default is false. It needs a `numberOfLargest` of
   * 1, without `perValue`. */
  bool keepsTies = false;

  /** \class SizesOfValue
   * \brief The sizes of the components with a value.
   * \ingroup CudaConnectedComponents */
  struct SizesOfValue
  {
    /** The value. A value that no pixel can have, and NaN, select nothing. */
    CudaConnectedComponentImageView::Value value;
    /** The fewest pixels of a component. */
    std::uint64_t minimumSize = 0;
    /** The most pixels of a component. */
    std::uint64_t maximumSize = std::numeric_limits<std::uint64_t>::max();
  };

  /** If not empty, the conditions apply only to components with these values. All other components are selected. Each
   * value may be there once. It needs labeling by value, and `perValue` if there is a `numberOfLargest`. The default
   * is empty. */
  std::vector<SizesOfValue> sizesOfValues;

  /** Whether the components that the conditions above and below do not select are selected instead. The default is
   * false. */
  bool invert = false;

  /** Selects components by their position. The default is Any. */
  BorderEnum border = BorderEnum::Any;

  /** Selects components that contain at least one of these pixels. A seed is the index { x, y, z } of a pixel. It must
   * lie in the image; otherwise, functions throw CudaConnectedComponentError (InvalidArgument). A seed in the
   * background selects nothing. The default is an empty list: no condition. */
  std::vector<std::array<std::uint64_t, 3>> seeds;

  /** The order of the labels. The default is FirstPixel. */
  OrderEnum order = OrderEnum::FirstPixel;

  /** The order of the pixels, for `order`, for `numberOfLargest` and for CudaConnectedComponentTable::firstPixels. The
   * default is Raster. TransposedRaster gives an array in Fortran order the labels of the same array in C order. */
  PixelOrderEnum pixelOrder = PixelOrderEnum::Raster;

  /** Returns whether this selects all components, in the raster order of their first pixels.
   * \return true if no component is removed, and the labels have the order of ITK */
  bool
  IsDefault() const
  {
    return minimumSize <= 1 && maximumSize == std::numeric_limits<std::uint64_t>::max() && numberOfLargest == 0 &&
           sizesOfValues.empty() && !invert && border == BorderEnum::Any && seeds.empty() &&
           order == OrderEnum::FirstPixel && pixelOrder == PixelOrderEnum::Raster;
  }
};

} // namespace itk

#endif
