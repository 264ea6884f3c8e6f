// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_primitives_Sums_h
#define ccl_primitives_Sums_h

// The integer types of exact sums over the pixels of an image. 64 bits suffice for all images of ordinary size.

#include "primitives/Grid.h"

#include "itkCudaConnectedComponentTable.h"

#include <algorithm>
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

/** Returns whether the sums of the coordinates of an image's pixels, or those of products of two coordinates, fit in 64
 * bits. */
inline bool
AreSumsNarrow(const Grid & size, bool areOfProducts)
{
  const UInt128 longest = std::max({ size.x, size.y, size.z });
  const UInt128 largest = areOfProducts ? longest * longest : longest;
  return largest == 0 || size.Count() <= static_cast<UInt128>(~std::uint64_t{ 0 }) / largest;
}

} // namespace itk::ccl

#endif
