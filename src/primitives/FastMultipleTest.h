// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_primitives_FastMultipleTest_h
#define ccl_primitives_FastMultipleTest_h

#include "primitives/HostDevice.h"

#include <cstdint>

namespace itk::ccl
{

/** Tells which integers are multiples of a divisor. It multiplies by the reciprocal, because division is slow on the
 * device and on the host. Lemire, Kaser and Kurz, "Faster Remainder by Direct Computation", Software: Practice and
 * Experience 49(6), 2019, Section 3.2. */
class FastMultipleTest
{
public:
  /** \param divisor fast from 1 to 2^32 - 1. It may be 0, for images without words, if no number is tested. */
  CCL_HOST_DEVICE
  explicit FastMultipleTest(std::uint64_t divisor)
    : m_Divisor(divisor)
    , m_Reciprocal(divisor == 0 ? 0 : ~std::uint64_t{ 0 } / divisor + 1)
  {}

  CCL_HOST_DEVICE
  bool
  operator()(std::uint64_t number) const
  {
    // The lower 64 bits of the product are the fractional part of number / m_Divisor. The comparison is exact if both
    // numbers have at most 32 bits. The reciprocal of 1 wraps around to 0, and all numbers are its multiples.
    return (number | m_Divisor) >> 32 == 0 ? number * m_Reciprocal <= m_Reciprocal - 1 : number % m_Divisor == 0;
  }

  /** Does the same without a branch. The divisor must have at most 32 bits, too. */
  CCL_HOST_DEVICE
  bool
  operator()(std::uint32_t number) const
  {
    return number * m_Reciprocal <= m_Reciprocal - 1;
  }

private:
  std::uint64_t m_Divisor;
  std::uint64_t m_Reciprocal;
};

} // namespace itk::ccl

#endif
