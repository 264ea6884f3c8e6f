// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_primitives_Vec4_h
#define ccl_primitives_Vec4_h

#include "primitives/Bits.h"

#include <cstdint>
#include <type_traits>

namespace itk::ccl
{

/** Four pixels that the device writes in one access. */
template <typename TOutput>
struct alignas(4 * sizeof(TOutput) < 16 ? 4 * sizeof(TOutput) : 16) Vec4
{
  TOutput pixels[4];
};

/** How many pixels an address lies behind one where a quad may start. */
template <typename TOutput>
CCL_HOST_DEVICE
inline unsigned int
MisalignmentOf(const TOutput * address)
{
  return reinterpret_cast<std::uintptr_t>(address) / sizeof(TOutput) % 4;
}

/** Writes those of four pixels from x on that lie in a row, or any other sequence, of a size; all of them in one
 * access. `pixels + x` must be where a quad may start; where that is before the row, x has wrapped around. */
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
    const TIndex at = x + i;
    if (at < size)
    {
      pixels[at] = vector.pixels[i];
    }
  }
}

/** Where VCount bits of a row from x on lie in its words. Up to VBefore of them may lie before the row, where x has
 * wrapped around; those after the row are of no use. */
template <typename TIndex, unsigned int VCount, unsigned int VBefore>
struct BitWindow
{
  TIndex       word;
  unsigned int bit;
  unsigned int skipped; // before the row
  bool         hasNext; // the next word has some of them, too

  BitWindow() = default;

  CCL_HOST_DEVICE
  BitWindow(TIndex x, TIndex rowSize)
    : word((x < rowSize ? x : 0) / BitsPerWord)
    , bit(static_cast<unsigned int>((x < rowSize ? x : 0) % BitsPerWord))
    , skipped(0)
    , hasNext(false)
  {
    // Without any before the row, x is where a quad may start, which has no part in the next word.
    if constexpr (VBefore > 0)
    {
      const TIndex before = TIndex{ 0 } - x;
      skipped = before <= VBefore ? static_cast<unsigned int>(before) : 0;
      hasNext = bit + VCount > BitsPerWord && rowSize - word * BitsPerWord > BitsPerWord;
    }
  }

  /** The bits, of the words that have them. */
  CCL_HOST_DEVICE
  unsigned int
  Of(Word here, Word next) const
  {
    const auto bits = static_cast<unsigned int>((std::uint64_t{ next } << BitsPerWord | here) >> bit);
    return bits << skipped & ((1U << VCount) - 1);
  }
};

/** Where the second sequence of ones starts in four bits, as a bit; 0 where there is none. */
CCL_HOST_DEVICE
constexpr unsigned int
SecondStart(unsigned int window)
{
  return window & ~(window << 1) & (window - 1);
}

/** The labels of four pixels or columns, of which at most two sequences are foreground. */
template <typename TOutput>
struct Vec4Labels
{
  TOutput      first;
  TOutput      second;
  unsigned int secondStart; // a bit, or 0

  CCL_HOST_DEVICE
  TOutput
  At(unsigned int i) const
  {
    return (0U - secondStart) >> i & 1U ? second : first;
  }
};

/** Four pixels, of which a window of four bits tells the foreground. */
template <typename TOutput>
CCL_HOST_DEVICE
inline Vec4<TOutput>
MakeVec4(unsigned int window, const Vec4Labels<TOutput> & labels, TOutput background)
{
  Vec4<TOutput> vector;
  CCL_UNROLL
  for (unsigned int i = 0; i < 4; ++i)
  {
    vector.pixels[i] = window >> i & 1U ? labels.At(i) : background;
  }
  return vector;
}

} // namespace itk::ccl

#endif
