// SPDX-License-Identifier: Apache-2.0
#ifndef itkCudaConnectedComponentIntensities_h
#define itkCudaConnectedComponentIntensities_h

#include "itkCudaConnectedComponentImageView.h"

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace itk
{

/** \class CudaConnectedComponentIntensities
 * \brief Statistics of the intensities of connected components: one row for each component.
 *
 * The intensities are the pixels of a second image. The object has one array for each column. Row i has the i-th label,
 * as in CudaConnectedComponentTable. All values have the unit of the intensity image, squares of values its square.
 *
 * \par Integers
 * If the pixels are integers, all sums are exact. `exactSums` and `exactSumsOfSquares` have these sums, and `sums` and
 * `sumsOfSquares` have the nearest floating-point numbers. bool counts as an unsigned integer of 8 bits.
 *
 * \par Floating-point numbers
 * If the pixels are float or double, the sums have an error of at most 1e-12 of the sum of the magnitudes of the
 * summands. The result does not depend on the order of the additions. So two calls give the same bytes, with any
 * number of threads, on the host and on any device. A sum does not overflow before its end: it is infinite only if its
 * value is too large for double.
 *
 * \par Infinity and NaN
 * If a pixel of a component is NaN, the sums and the variance are NaN. The minimum and the maximum ignore NaN. They are
 * NaN if all pixels are NaN. The sum with infinite pixels is infinite, or NaN if it has both infinities. The variance
 * is then NaN. -0.0 is less than 0.0.
 *
 * \par itk::LabelStatisticsImageFilter
 * The columns have the definitions of this filter. The filter rounds after each addition, so its sums are less
 * accurate, and its variance may be negative. If a component has no finite pixel, the filter's minimum or maximum may
 * be a limit of double.
 *
 * \par Thread safety
 * Several threads may read an object at the same time. No other thread may use an object that a thread changes.
 *
 * \sa CudaConnectedComponentTable
 * \sa CudaConnectedComponentLabeler
 *
 * \ingroup CudaConnectedComponents
 */
struct CudaConnectedComponentIntensities
{
  /** The second image. The pixels of a row must be adjacent. */
  using Image = CudaConnectedComponentImageView;

  /** \class Integer
   * \brief A signed integer of 192 bits. The squares of 2^40 pixels of 64 bits have a sum of up to 168 bits.
   * \ingroup CudaConnectedComponents */
  struct Integer
  {
    /** The 64-bit digits in two's complement, the lowest first. */
    std::array<std::uint64_t, 3> digits{};

    /** Returns whether the integer is negative.
     * \return true if it is less than 0 */
    bool
    IsNegative() const
    {
      return digits[2] >> 63 != 0;
    }

    /** Converts the integer to a floating-point number.
     * \return the nearest floating-point number; of two nearest numbers, the one whose last bit is 0 */
    double
    ToDouble() const
    {
      if (!this->IsNegative())
      {
        return NearestDouble(digits.data(), digits.size());
      }
      std::array<std::uint64_t, 3> magnitude{};
      std::uint64_t                carry = 1;
      for (std::size_t i = 0; i < digits.size(); ++i)
      {
        magnitude[i] = ~digits[i] + carry;
        carry = magnitude[i] < carry ? 1 : 0;
      }
      return -NearestDouble(magnitude.data(), magnitude.size());
    }

    /** Converts an unsigned integer to a floating-point number.
     * \param magnitude array of the 64-bit digits, the lowest first
     * \param count the number of digits, from 0 to 15
     * \return the nearest floating-point number; of two nearest numbers, the one whose last bit is 0 */
    static double
    NearestDouble(const std::uint64_t * magnitude, std::size_t count)
    {
      while (count > 0 && magnitude[count - 1] == 0)
      {
        --count;
      }
      if (count == 0)
      {
        return 0.0;
      }
      // The conversion of the highest 64 bits rounds. Its lowest bit stands for all lower bits.
      std::uint64_t high = magnitude[count - 1];
      int           shift = 0;
      while (high >> 63 == 0)
      {
        high <<= 1;
        ++shift;
      }
      std::uint64_t lower = 0;
      if (count > 1)
      {
        high |= shift == 0 ? 0 : magnitude[count - 2] >> (64 - shift);
        lower = magnitude[count - 2] << shift;
      }
      for (std::size_t i = 0; i + 2 < count; ++i)
      {
        lower |= magnitude[i];
      }
      high |= lower != 0 ? 1 : 0;
      return std::ldexp(static_cast<double>(high), 64 * static_cast<int>(count - 1) - shift);
    }

    /** Returns whether two integers are equal. */
    friend bool
    operator==(const Integer & a, const Integer & b)
    {
      return a.digits == b.digits;
    }
    /** Returns whether two integers differ. */
    friend bool
    operator!=(const Integer & a, const Integer & b)
    {
      return !(a == b);
    }
  };

  /** The number of pixels of each component, with the pixels that are NaN. */
  std::vector<std::uint64_t> pixelCounts;

  /** The sum of the intensities of each component. */
  std::vector<double> sums;

  /** The sum of the squares of the intensities of each component. */
  std::vector<double> sumsOfSquares;

  /** The lowest intensity of each component. For 64-bit integers, it is rounded to the nearest number. */
  std::vector<double> minimums;

  /** The highest intensity of each component. For 64-bit integers, it is rounded to the nearest number. */
  std::vector<double> maximums;

  /** The variance of the intensities of each component, with the divisor n - 1: the unbiased estimate from n pixels. It
   * is 0 for one pixel, also if that pixel is NaN or infinite. It is not negative. It is computed from the sums before
   * they are rounded to double. So for integers only the last digit of the result may be wrong. For floating-point
   * numbers, the error is less than 1e-12 of the mean of the squares. */
  std::vector<double> variances;

  /** The exact `sums`. Empty if the pixels are floating-point numbers. */
  std::vector<Integer> exactSums;

  /** The exact `sumsOfSquares`. Empty if the pixels are floating-point numbers. */
  std::vector<Integer> exactSumsOfSquares;

  /** The exact `minimums`. Empty unless the pixels are 64-bit integers. */
  std::vector<Integer> exactMinimums;

  /** The exact `maximums`. Empty unless the pixels are 64-bit integers. */
  std::vector<Integer> exactMaximums;

  /** Returns the mean intensity of a component.
   * \param row the row of the component, from 0 to pixelCounts.size() - 1
   * \return the sum divided by the number of pixels; infinite or NaN if the sum is */
  double
  GetMean(std::size_t row) const
  {
    return sums[row] / static_cast<double>(pixelCounts[row]);
  }

  /** Returns the standard deviation of the intensities of a component.
   * \param row the row of the component, from 0 to pixelCounts.size() - 1
   * \return the square root of the variance; NaN if the variance is NaN */
  double
  GetSigma(std::size_t row) const
  {
    return std::sqrt(variances[row]);
  }
};

} // namespace itk

#endif
