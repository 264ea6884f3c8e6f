// SPDX-License-Identifier: Apache-2.0
#ifndef itkCudaConnectedComponentForeground_h
#define itkCudaConnectedComponentForeground_h

#include "itkCudaConnectedComponentError.h"
#include "itkCudaConnectedComponentImageView.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace itk
{

/** \class CudaConnectedComponentForeground
 * \brief Says which pixels are foreground: those that are not 0, that have one of a few values, or that lie in a range.
 *
 * \code
 * using Foreground = itk::CudaConnectedComponentForeground;
 * labeler.options.foreground = Foreground::EqualTo(7);
 * labeler.options.foreground = Foreground::AnyOf({ 2, 5, 6 });
 * labeler.options.foreground = Foreground::Between(0.5, std::numeric_limits<double>::infinity());
 * \endcode
 *
 * \par Comparison
 * Pixels are compared in their own type. A floating-point type takes the value that is nearest to a number. An integer
 * type has no pixel that equals 0.5 or 1000000: such a number selects nothing. Between(0.5, 1000000) selects all
 * positive pixels of an integer type. A finite limit beyond the largest finite pixel moves to that pixel, so infinity
 * is not in the range. 0.0 and -0.0 are equal.
 *
 * \par NaN
 * NaN is not 0, equals nothing, and lies in no range.
 *
 * \par Thread safety
 * It is a plain value. Several threads may use copies of it.
 *
 * \sa CudaConnectedComponentLabeler::Options
 *
 * \ingroup CudaConnectedComponents
 */
class CudaConnectedComponentForeground
{
public:
  /** A number. Functions take integers, bool, float and double. */
  using ValueType = CudaConnectedComponentImageView::Value;

  /** The kinds of foreground. */
  using KindEnum = CudaConnectedComponentsEnums::ForegroundKind;
  /** The old name of KindEnum. */
  using Kind [[deprecated("use KindEnum")]] = KindEnum;

  /** The most values of AnyOf(). */
  static constexpr std::size_t MaximumValues = 32;

  /** Selects the pixels that are not 0. */
  CudaConnectedComponentForeground() = default;

  /** Returns the foreground of the pixels that equal a value.
   * \param value the value
   * \return the foreground */
  static CudaConnectedComponentForeground
  EqualTo(const ValueType & value)
  {
    return { KindEnum::AnyOf, { value } };
  }

  /** Returns the foreground of the pixels that equal one of several values.
   * \param values the values, at most MaximumValues. Without values, nothing is foreground.
   * \return the foreground
   * \exception CudaConnectedComponentError InvalidArgument: there are too many values */
  static CudaConnectedComponentForeground
  AnyOf(std::vector<ValueType> values)
  {
    if (values.size() > MaximumValues)
    {
      throw CudaConnectedComponentError(CudaConnectedComponentError::KindEnum::InvalidArgument,
                                        "the foreground has " + std::to_string(values.size()) + " values instead of " +
                                          std::to_string(MaximumValues) +
                                          " or fewer: select a range, or make a mask first");
    }
    return { KindEnum::AnyOf, std::move(values) };
  }

  /** Returns the foreground of the pixels in a range: lower <= pixel <= upper.
   * \param lower the lower limit. Minus infinity is no limit.
   * \param upper the upper limit. Infinity is no limit. If it is less than `lower`, nothing is foreground.
   * \return the foreground */
  static CudaConnectedComponentForeground
  Between(const ValueType & lower, const ValueType & upper)
  {
    return { KindEnum::Between, { lower, upper } };
  }

  /** Returns the kind.
   * \return the kind */
  KindEnum
  GetKind() const
  {
    return m_Kind;
  }

  /** Returns the values.
   * \return the values of AnyOf(), or the two limits of Between() */
  const std::vector<ValueType> &
  GetValues() const
  {
    return m_Values;
  }

private:
  CudaConnectedComponentForeground(KindEnum kind, std::vector<ValueType> values)
    : m_Kind(kind)
    , m_Values(std::move(values))
  {}

  KindEnum               m_Kind = KindEnum::NotZero;
  std::vector<ValueType> m_Values;
};

} // namespace itk

#endif
