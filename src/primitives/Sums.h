// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_primitives_Sums_h
#define ccl_primitives_Sums_h

// The integer types of exact sums over the pixels of an image. 64 bits suffice for all images of ordinary size.

#include "itkCudaConnectedComponentTable.h"

#include <cstdint>

namespace itk::ccl
{

/** An unsigned integer of 128 bits, an extension of gcc, clang and nvcc. */
__extension__ typedef unsigned __int128 UInt128;

/** Returns a sum of a table as an integer. */
inline UInt128
IntegerOf(const CudaConnectedComponentTable::Sum & sum)
{
  return static_cast<UInt128>(sum.high) << 64 | sum.low;
}

/** Maps the type of a sum in registers to its type in memory. Atomic operations change the halves of 128 bits
 * separately. */
template <typename TSum>
struct StoredSum
{
  using Type = TSum;
};
template <>
struct StoredSum<UInt128>
{
  using Type = CudaConnectedComponentTable::Sum;
};

/** Calls visitor(TSum{}) with std::uint64_t if sums of `count` values up to `maximum` fit in 64 bits, and else with
 * UInt128. */
template <typename TVisitor>
auto
VisitSumType(std::uint64_t count, UInt128 maximum, const TVisitor & visitor)
{
  const bool isNarrow = maximum == 0 || count <= static_cast<UInt128>(~std::uint64_t{ 0 }) / maximum;
  return isNarrow ? visitor(std::uint64_t{}) : visitor(UInt128{});
}

} // namespace itk::ccl

#endif
