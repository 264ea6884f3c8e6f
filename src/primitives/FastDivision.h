// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_primitives_FastDivision_h
#define ccl_primitives_FastDivision_h

#include "primitives/HostDevice.h"

#include <cstdint>

namespace itk::ccl
{

/** Divides many numbers by the same one, by a multiplication: the device has no instruction for division. The product
 * of each dividend and the divisor must be lower than 2^32: the error of the reciprocal then stays below what parts a
 * quotient's fraction from 1. */
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
    // 2^32, the reciprocal of 1, alone does not fit into 32 bits.
    return static_cast<std::uint32_t>(dividend * m_Reciprocal >> 32);
  }

private:
  std::uint64_t m_Reciprocal;
};

} // namespace itk::ccl

#endif
