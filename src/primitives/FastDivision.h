// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_primitives_FastDivision_h
#define ccl_primitives_FastDivision_h

#include "primitives/HostDevice.h"

#include <cstdint>

namespace itk::ccl
{

/** Divides many integers by the same divisor, rounded down. It multiplies by the reciprocal, because the device has no
 * instruction for integer division.
 *
 * The product of each dividend and the divisor must be lower than 2^32. The reciprocal is rounded up, which makes the
 * quotient too large by less than dividend / 2^32. This error must stay below 1 / divisor, the smallest distance of a
 * fractional quotient from the next integer. */
class FastDivision
{
public:
  CCL_HOST_DEVICE
  explicit FastDivision(std::uint32_t divisor)
    : m_Reciprocal(std::uint64_t{ ~std::uint32_t{ 0 } / divisor } + 1)
  {}

  CCL_HOST_DEVICE
  std::uint32_t
  operator()(std::uint32_t dividend) const
  {
    // The product has 64 bits because the reciprocal has: the reciprocal of 1 is 2^32, which 32 bits cannot hold.
    return static_cast<std::uint32_t>(dividend * m_Reciprocal >> 32);
  }

private:
  std::uint64_t m_Reciprocal;
};

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

private:
  std::uint64_t m_Divisor;
  std::uint64_t m_Reciprocal;
};

} // namespace itk::ccl

#endif
