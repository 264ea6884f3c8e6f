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

} // namespace itk::ccl

#endif
