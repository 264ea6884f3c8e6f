// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_algorithms_analysis_UnpackIntensities_h
#define ccl_algorithms_analysis_UnpackIntensities_h

// From the rows of MeasureIntensities.h to the columns that the caller gets.

#include "algorithms/analysis/IntensityValue.h"

#include <cmath>
#include <limits>

namespace itk::ccl
{

namespace UnpackIntensities
{

using Integer = CudaConnectedComponentIntensities::Integer;

/** The numbers of a row that have the same type for all pixel types. */
struct Numbers
{
  double sum;
  double sumOfSquares;
  double minimum;
  double maximum;
  double variance;
};

inline Integer
SignedInteger(const WideInteger<2> & value)
{
  return { { value.digits[0], value.digits[1], value.IsNegative() ? ~std::uint64_t{ 0 } : 0 } };
}

/** Returns the integer of a key. */
inline Integer
IntegerOfKey(std::uint64_t key, bool isSigned)
{
  const std::uint64_t digit = isSigned ? key ^ SignBit : key;
  const std::uint64_t higher = isSigned && (digit & SignBit) != 0 ? ~std::uint64_t{ 0 } : 0;
  return { { digit, higher, higher } };
}

/** Returns the variance of n > 1 pixels from their sum and the sum of their squares. The sum of squares is a multiple
 * of 2^squareShift in squares of the unit of the sum. */
inline double
VarianceOf(std::uint64_t pixelCount, const Integer & sum, const WideInteger<3> & squares, unsigned int squareShift)
{
  WideInteger<3> magnitude{ { sum.digits[0], sum.digits[1], sum.digits[2] } };
  if (magnitude.IsNegative())
  {
    magnitude.Negate();
  }
  // n * (sum of squares) - sum * sum: below 2^251 for 2^40 pixels, and below 2^295 for 2^62 pixels of several blocks
  const WideInteger<4> product = Multiply(WideInteger<1>{ { pixelCount } }, squares);
  WideInteger<6>       numerator{ { product.digits[0], product.digits[1], product.digits[2], product.digits[3] } };
  if (squareShift != 0)
  {
    numerator.ShiftLeft(squareShift);
  }
  WideInteger<6> square = Multiply(magnitude, magnitude);
  square.Negate();
  numerator.Add(square);
  if (numerator.IsNegative()) // by the rounding of the squares
  {
    return 0.0;
  }
  const auto n = static_cast<double>(pixelCount);
  return Integer::NearestDouble(numerator.digits, 6) / (n * (n - 1.0));
}

/** Returns the numbers of integers. */
inline Numbers
NumbersOfIntegers(const IntensityValue & value, bool isSigned)
{
  const Integer sum = SignedInteger(value.sum);
  return { sum.ToDouble(),
           Integer::NearestDouble(value.squares.digits, 3),
           IntegerOfKey(value.minimum, isSigned).ToDouble(),
           IntegerOfKey(value.maximum, isSigned).ToDouble(),
           value.pixelCount > 1 ? VarianceOf(value.pixelCount, sum, value.squares, 0) : 0.0 };
}

/** Returns the numbers of floating-point numbers.
 * \param sum of the pixels, instead of value.sum, which is too narrow for some components of several blocks */
inline Numbers
NumbersOfFloats(const IntensityValue & value, const Integer & sum)
{
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const bool       hasRange = value.minimum <= value.maximum;
  Numbers          numbers{ nan, nan, nan, nan, value.pixelCount > 1 ? nan : 0.0 };
  if (hasRange)
  {
    numbers.minimum = DoubleOfKey(value.minimum);
    numbers.maximum = DoubleOfKey(value.maximum);
  }
  if (value.nanCount != 0 || !hasRange)
  {
    return numbers;
  }
  const IntensityRange range = IntensityRange::Of(value);
  if (!range.isFinite)
  {
    const double lowest = numbers.minimum == -infinity ? -infinity : 0.0;
    const double highest = numbers.maximum == infinity ? infinity : 0.0;
    numbers.sum = lowest + highest;
    numbers.sumOfSquares = infinity;
    return numbers;
  }
  const unsigned int exponent = range.Exponent();
  numbers.sum = std::ldexp(sum.ToDouble(), FixedPoint::SumUnit(exponent));
  numbers.sumOfSquares = std::ldexp(Integer::NearestDouble(value.squares.digits, 3), FixedPoint::SquareUnit(exponent));
  if (value.pixelCount > 1)
  {
    const unsigned int squareShift = FixedPoint::SquareShift + 2 * FixedPoint::SumShift;
    numbers.variance =
      std::ldexp(VarianceOf(value.pixelCount, sum, value.squares, squareShift), 2 * FixedPoint::SumUnit(exponent));
  }
  return numbers;
}

} // namespace UnpackIntensities

/** Returns the columns of an array of rows in host memory. `type` is the type of the pixels. */
inline CudaConnectedComponentIntensities
Unpack(PixelType type, const IntensityValue * rows, std::uint64_t rowCount)
{
  using namespace UnpackIntensities;
  const bool                        isFloat = IsFloat(type);
  const bool                        isWide = type == PixelType::Int64 || type == PixelType::UInt64;
  const bool                        isSigned = IsSigned(type);
  CudaConnectedComponentIntensities columns;
  columns.pixelCounts.reserve(rowCount);
  for (auto * column :
       { &columns.sums, &columns.sumsOfSquares, &columns.minimums, &columns.maximums, &columns.variances })
  {
    column->reserve(rowCount);
  }
  for (auto * column : { &columns.exactSums, &columns.exactSumsOfSquares })
  {
    column->reserve(isFloat ? 0 : rowCount);
  }
  for (auto * column : { &columns.exactMinimums, &columns.exactMaximums })
  {
    column->reserve(isWide ? rowCount : 0);
  }
  for (const IntensityValue * row = rows; row != rows + rowCount; ++row)
  {
    const Numbers numbers =
      isFloat ? NumbersOfFloats(*row, SignedInteger(row->sum)) : NumbersOfIntegers(*row, isSigned);
    columns.pixelCounts.push_back(row->pixelCount);
    columns.sums.push_back(numbers.sum);
    columns.sumsOfSquares.push_back(numbers.sumOfSquares);
    columns.minimums.push_back(numbers.minimum);
    columns.maximums.push_back(numbers.maximum);
    columns.variances.push_back(numbers.variance);
    if (!isFloat)
    {
      columns.exactSums.push_back(SignedInteger(row->sum));
      columns.exactSumsOfSquares.push_back(
        { { row->squares.digits[0], row->squares.digits[1], row->squares.digits[2] } });
    }
    if (isWide)
    {
      columns.exactMinimums.push_back(IntegerOfKey(row->minimum, isSigned));
      columns.exactMaximums.push_back(IntegerOfKey(row->maximum, isSigned));
    }
  }
  return columns;
}

} // namespace itk::ccl

#endif
