// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_algorithms_analysis_IntensityValue_h
#define ccl_algorithms_analysis_IntensityValue_h

// The intensities of a component while they are measured.
//
// All additions are additions of integers, so the result does not depend on their order, and the device computes the
// same bits as the host. Sums of floating-point numbers are sums of fixed-point numbers. For 2^40 pixels, the errors
// are at most 2^-44 of the sum of the magnitudes. Demmel and Nguyen ("Fast reproducible floating-point summation",
// ARITH 2013) align all summands with the largest one, too.

#include "primitives/Atomics.h"
#include "primitives/OrderedKeys.h"
#include "primitives/PixelTypes.h"
#include "primitives/WideInteger.h"

#include "itkCudaConnectedComponentIntensities.h"

#include <algorithm>

namespace itk::ccl
{

/** The part of a view that kernels read. The pixels of a row are adjacent. */
struct IntensityImage
{
  const void * pixels;
  PixelType    type;
  std::int64_t rowStride;       // in pixels
  std::int64_t sliceStride;     // in pixels
  std::int64_t imageStride = 0; // in pixels

  static IntensityImage
  Of(const ImageView & view)
  {
    const auto size = static_cast<std::int64_t>(SizeOf(view.type));
    return { view.pixels, view.type, view.strides[1] / size, view.strides[2] / size, view.imageStride / size };
  }
};

/** The intensities of some pixels of a component. Merge() of the intensities of two disjoint sets of pixels gives the
 * intensities of both. 2^40 pixels of any type do not overflow. */
struct IntensityValue
{
  std::uint64_t  pixelCount;
  std::uint64_t  nanCount; // pixels that are NaN
  std::uint64_t  minimum;  // key of the lowest intensity that is not NaN; higher than `maximum` if there is none
  std::uint64_t  maximum;  // key of the highest intensity that is not NaN
  WideInteger<2> sum;      // signed; in units of 2^FixedPoint::SumUnit() for floating-point numbers
  WideInteger<3> squares;  // unsigned; in units of 2^FixedPoint::SquareUnit() for floating-point numbers

  /** Returns the intensities of no pixel. */
  CCL_HOST_DEVICE
  static IntensityValue
  Empty()
  {
    return { 0, 0, ~std::uint64_t{ 0 }, 0, {}, {} };
  }

  CCL_HOST_DEVICE
  void
  ExtendRange(std::uint64_t otherMinimum, std::uint64_t otherMaximum)
  {
    minimum = otherMinimum < minimum ? otherMinimum : minimum;
    maximum = otherMaximum > maximum ? otherMaximum : maximum;
  }

  CCL_HOST_DEVICE
  void
  Merge(const IntensityValue & other)
  {
    pixelCount += other.pixelCount;
    nanCount += other.nanCount;
    this->ExtendRange(other.minimum, other.maximum);
    sum.Add(other.sum);
    squares.Add(other.squares);
  }
};

/** A table of intensities, for AddToRows(). */
struct IntensityRows
{
  using ValueType = IntensityValue;

  IntensityValue * rows;

  CCL_HOST_DEVICE
  void
  Clear(std::uint64_t row) const
  {
    rows[row] = IntensityValue::Empty();
  }

  /** Adds the intensities of some pixels to a row. Threads may add at the same time. */
  CCL_HOST_DEVICE
  void
  Add(std::uint64_t row, const IntensityValue & value) const
  {
    IntensityValue & to = rows[row];
    if (value.pixelCount != 0)
    {
      AtomicAdd(&to.pixelCount, value.pixelCount);
    }
    if (value.nanCount != 0)
    {
      AtomicAdd(&to.nanCount, value.nanCount);
    }
    if (value.minimum <= value.maximum)
    {
      AtomicMin(&to.minimum, value.minimum);
      AtomicMax(&to.maximum, value.maximum);
    }
    AtomicAdd(&to.sum, value.sum);
    AtomicAdd(&to.squares, value.squares);
  }
};

/** Floating-point numbers as integers. A number is m * 2^(e - Bias) with an integer m of 53 bits, and e is 1 to 2046.
 * The unit of a component depends on the highest e of its pixels, its `exponent`. */
struct FixedPoint
{
  static constexpr int          Bias = 1075;
  static constexpr unsigned int SumShift = 32;    // 2^40 numbers below 2^(53 + 32) have a sum below 2^127
  static constexpr unsigned int SquareShift = 19; // 2^40 numbers below 2^(106 - 19) have a sum below 2^128

  /** Returns e of a number that is not infinite, from its bits. */
  CCL_HOST_DEVICE
  static unsigned int
  ExponentOf(std::uint64_t bits)
  {
    const auto field = static_cast<unsigned int>(bits >> 52 & 0x7FFU);
    return field == 0 ? 1 : field; // denormal numbers have the lowest exponent
  }

  /** Returns m of a number from its bits, without the sign. */
  CCL_HOST_DEVICE
  static std::uint64_t
  MantissaOf(std::uint64_t bits)
  {
    const std::uint64_t fraction = bits & ((std::uint64_t{ 1 } << 52) - 1);
    return (bits >> 52 & 0x7FFU) == 0 ? fraction : fraction | std::uint64_t{ 1 } << 52;
  }

  /** Returns the exponent of the unit of a component's sum, for the component's `exponent`. */
  static int
  SumUnit(unsigned int exponent)
  {
    return static_cast<int>(exponent) - Bias - static_cast<int>(SumShift);
  }

  /** Returns the exponent of the unit of a component's sum of squares, for the component's `exponent`. */
  static int
  SquareUnit(unsigned int exponent)
  {
    return 2 * (static_cast<int>(exponent) - Bias) + static_cast<int>(SquareShift);
  }
};

/** The range of the floating-point intensities of a component. */
struct IntensityRange
{
  std::uint64_t minimumBits;
  std::uint64_t maximumBits;
  bool          isFinite; // all pixels are neither infinite nor NaN

  CCL_HOST_DEVICE
  static IntensityRange
  Of(const IntensityValue & value)
  {
    constexpr std::uint64_t infinity = std::uint64_t{ 0x7FF } << 52;
    const std::uint64_t     minimum = BitsOfKey(value.minimum);
    const std::uint64_t     maximum = BitsOfKey(value.maximum);
    return { minimum, maximum, value.nanCount == 0 && minimum != (infinity | SignBit) && maximum != infinity };
  }

  /** Returns the highest FixedPoint::ExponentOf() of the component. */
  CCL_HOST_DEVICE
  unsigned int
  Exponent() const
  {
    const unsigned int ofMinimum = FixedPoint::ExponentOf(minimumBits);
    const unsigned int ofMaximum = FixedPoint::ExponentOf(maximumBits);
    return ofMinimum > ofMaximum ? ofMinimum : ofMaximum;
  }
};

} // namespace itk::ccl

#endif
