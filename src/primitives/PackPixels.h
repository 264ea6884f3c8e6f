// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_primitives_PackPixels_h
#define ccl_primitives_PackPixels_h

// From pixels to bits, where pixels that are not zero are foreground. IsForeground() decides this.
// Foreground::NotZero(), the byte comparisons of PackFour() and the comparisons of published algorithms (Blocks.h) must
// agree with it.

#include "primitives/Bits.h"

namespace itk::ccl
{

/** Returns whether a pixel is foreground: not zero. NaN is foreground, -0.0 is background. */
template <typename TPixel>
CCL_HOST_DEVICE
constexpr bool
IsForeground(TPixel pixel)
{
  return pixel != TPixel{ 0 };
}

#ifdef __CUDACC__

/** Moves the lowest bits of four bytes that are 0 or 1 side by side. */
__device__ inline Word
GatherFour(unsigned int bytes)
{
  return bytes * 0x01020408U >> 24 & 15U;
}

/** Returns the bits of four bytes: 1 for a byte that is not 0. In each byte, (byte | 0x80) - 1 keeps the top bit unless
 * the lower bits are 0, and borrows nothing from the next byte. Clang's __vsetne4() takes three times as many
 * instructions. */
__device__ inline Word
PackFour(unsigned int bytes)
{
  const unsigned int highBits = 0x80808080U;
  const unsigned int areForeground = (((bytes | highBits) - 0x01010101U) | bytes) & highBits;
  return GatherFour(areForeground >> 7);
}

#endif

} // namespace itk::ccl

#endif
