// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_primitives_Vec4_h
#define ccl_primitives_Vec4_h

// Four neighboring pixels of the output, which the device writes in one access, and the bits that select their labels.

#include "primitives/Bits.h"

#include <cstdint>
#include <type_traits>

namespace itk::ccl
{

/** Four neighboring pixels. The device writes them in one access, or in two if a pixel has 8 bytes. */
template <typename TOutput>
struct alignas(4 * sizeof(TOutput) < 16 ? 4 * sizeof(TOutput) : 16) Vec4
{
  TOutput pixels[4];
};

/** Returns the distance in pixels (0 to 3) of an address from the last aligned address before it. A Vec4 may only start
 * at an aligned address: a multiple of the size of four pixels. */
template <typename TOutput>
CCL_HOST_DEVICE
inline unsigned int
MisalignmentOf(const TOutput * address)
{
  return reinterpret_cast<std::uintptr_t>(address) / sizeof(TOutput) % 4;
}

/** Writes the pixels of a vector that lie in a row, in one access if all four do. `pixels` is the first pixel of the
 * row, and `size` its number of pixels. `x` is the position of the vector in the row, and `pixels + x` must be aligned.
 * If the vector starts before the row, x is negative and wraps around. */
template <typename TOutput, typename TIndex>
CCL_HOST_DEVICE
inline void
StoreVec4(TOutput * pixels, TIndex size, TIndex x, const Vec4<TOutput> & vector)
{
  static_assert(std::is_unsigned<TIndex>::value, "indices wrap around");
  if (x < size && size - x >= 4)
  {
    *reinterpret_cast<Vec4<TOutput> *>(pixels + x) = vector;
    return;
  }
  CCL_UNROLL
  for (unsigned int i = 0; i < 4; ++i)
  {
    const TIndex pixel = x + i;
    if (pixel < size)
    {
      pixels[pixel] = vector.pixels[i];
    }
  }
}

/** A window of VCount bits of a row, from x on: where its bits lie in the words of the row. Up to VBefore of the bits
 * may lie before the row; x is negative then and wraps around. If x lies after the row, the bits have no meaning. If
 * VBefore is 0, x and VCount must be such that the window lies in one word. */
template <typename TIndex, unsigned int VCount, unsigned int VBefore>
struct BitWindow
{
  TIndex       word;    // x of the word with the first bit of the window that lies in the row
  unsigned int bit;     // position of this bit in the word
  unsigned int skipped; // number of bits of the window that lie before the row
  bool         hasNext; // whether the window extends into the next word of the row

  BitWindow() = default;

  CCL_HOST_DEVICE
  BitWindow(TIndex x, TIndex rowSize)
    : word((x < rowSize ? x : 0) / BitsPerWord)
    , bit(static_cast<unsigned int>((x < rowSize ? x : 0) % BitsPerWord))
    , skipped(0)
    , hasNext(false)
  {
    if constexpr (VBefore > 0)
    {
      const TIndex distance = TIndex{ 0 } - x; // from x to the row, if x lies before the row
      skipped = distance <= VBefore ? static_cast<unsigned int>(distance) : 0;
      hasNext = bit + VCount > BitsPerWord && rowSize - word * BitsPerWord > BitsPerWord;
    }
  }

  /** Returns the bits of the window, from the words `word` and `word + 1` of the row. Bits before the row are 0. If
   * hasNext is false, `next` must be 0. */
  CCL_HOST_DEVICE
  unsigned int
  Extract(Word here, Word next) const
  {
    const auto bits = static_cast<unsigned int>((std::uint64_t{ next } << BitsPerWord | here) >> bit);
    return bits << skipped & ((1U << VCount) - 1);
  }
};

/** Returns the bit at which the second sequence of ones starts in a window of four bits, or 0 if there is none. */
CCL_HOST_DEVICE
constexpr unsigned int
SecondStart(unsigned int window)
{
  return window & ~(window << 1) & (window - 1);
}

/** The labels of four neighboring columns. Those of background columns have no meaning. */
template <typename TOutput>
struct Vec4Labels
{
  TOutput ofColumns[4];
};

/** Returns four pixels: the label of its column if the pixel's bit of `window` is set, else the background value. */
template <typename TOutput>
CCL_HOST_DEVICE
inline Vec4<TOutput>
MakeVec4(unsigned int window, const Vec4Labels<TOutput> & labels, TOutput background)
{
  Vec4<TOutput> vector;
  CCL_UNROLL
  for (unsigned int i = 0; i < 4; ++i)
  {
    vector.pixels[i] = window >> i & 1U ? labels.ofColumns[i] : background;
  }
  return vector;
}

} // namespace itk::ccl

#endif
