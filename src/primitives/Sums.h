// SPDX-License-Identifier: Apache-2.0
#ifndef Sums_h
#define Sums_h

#include "HostDevice.h"

#include <cstdint>

namespace itk::ccl
{

/** For ForEachSum of an executor: keeps the sum before each index. */
template <typename TSum>
struct KeepSums
{
  TSum * sums;

  CCL_HOST_DEVICE
  void
  operator()(std::uint64_t index, TSum before) const
  {
    sums[index] = before;
  }
};

} // namespace itk::ccl

#endif
