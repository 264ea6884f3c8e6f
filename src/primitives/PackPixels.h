// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_primitives_PackPixels_h
#define ccl_primitives_PackPixels_h

// From pixels to bits, where pixels that are not zero are foreground. IsForeground() decides this.
// Foreground::NotZero(), the byte comparisons of PackFour() and the comparisons of published algorithms (Blocks.h) must
// agree with it.

#include "primitives/Bits.h"

#include <cstdint>

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

/** Returns the bits of up to 32 pixels. */
template <typename TPixel>
CCL_HOST_DEVICE
inline Word
PackPixels(const TPixel * pixels, unsigned int count)
{
  Word word = 0;
  for (unsigned int bit = 0; bit < count; ++bit)
  {
    word |= static_cast<Word>(IsForeground(pixels[bit])) << bit;
  }
  return word;
}

#ifdef __CUDACC__

/** Moves the lowest bits of four bytes that are 0 or 1 side by side. */
__device__ inline Word
GatherFour(unsigned int bytes)
{
  return bytes * 0x01020408U >> 24 & 15U;
}

/** Returns the bits of four bytes. */
__device__ inline Word
PackFour(unsigned int bytes)
{
  return GatherFour(__vsetne4(bytes, 0));
}

/** Returns the bits of 32 pixels at an address that is a multiple of 16. Loads 16 bytes at a time. */
template <typename TPixel>
__device__ inline Word
PackAlignedWord(const TPixel * pixels)
{
  constexpr unsigned int pixelsPerLoad = sizeof(uint4) / sizeof(TPixel);
  Word                   word = 0;
  CCL_UNROLL
  for (unsigned int begin = 0; begin < BitsPerWord; begin += pixelsPerLoad)
  {
    union
    {
      uint4  loaded;
      TPixel values[pixelsPerLoad];
    };
    loaded = *reinterpret_cast<const uint4 *>(pixels + begin);
    if constexpr (sizeof(TPixel) == 1)
    {
      word |= (PackFour(loaded.x) | PackFour(loaded.y) << 4 | PackFour(loaded.z) << 8 | PackFour(loaded.w) << 12)
              << begin;
    }
    else
    {
      CCL_UNROLL
      for (unsigned int i = 0; i < pixelsPerLoad; ++i)
      {
        word |= static_cast<Word>(IsForeground(values[i])) << (begin + i);
      }
    }
  }
  return word;
}

#endif

} // namespace itk::ccl

#endif
