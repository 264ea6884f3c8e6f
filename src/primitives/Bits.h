// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_primitives_Bits_h
#define ccl_primitives_Bits_h

// Words of one bit per pixel, and operations on their bits. Bit 0 is the lowest bit.

#include "primitives/HostDevice.h"

#include <cstdint>

namespace itk::ccl
{

inline constexpr unsigned int BitsPerWord = 32;

/** 32 neighboring pixels of a row, one bit each. The first pixel is bit 0. Foreground pixels are 1. */
using Word = std::uint32_t;

/** Returns the number of bits that are set. */
CCL_HOST_DEVICE
inline unsigned int
CountBits(Word word)
{
#ifdef __CUDA_ARCH__
  return __popc(word);
#else
  // Baseline x86-64 has no instruction that counts bits. There, compilers turn their builtin into a function call. Most
  // words of medical images have no run that starts there, so the test for 0 saves time.
  if (word == 0)
  {
    return 0;
  }
  word -= word >> 1 & 0x55555555U;
  word = (word & 0x33333333U) + (word >> 2 & 0x33333333U);
  return ((word + (word >> 4)) & 0x0F0F0F0FU) * 0x01010101U >> 24;
#endif
}

CCL_HOST_DEVICE
inline unsigned int
CountBits(std::uint64_t word)
{
#ifdef __CUDA_ARCH__
  return __popcll(word);
#else
  return CountBits(static_cast<Word>(word)) + CountBits(static_cast<Word>(word >> 32));
#endif
}

/** Returns the position of the lowest bit that is set. The word must not be 0. */
CCL_HOST_DEVICE
inline unsigned int
LowestBit(Word word)
{
#ifdef __CUDA_ARCH__
  return __ffs(static_cast<int>(word)) - 1;
#else
  return static_cast<unsigned int>(__builtin_ctz(word));
#endif
}

CCL_HOST_DEVICE
inline unsigned int
LowestBit(std::uint64_t word)
{
#ifdef __CUDA_ARCH__
  return __ffsll(static_cast<long long>(word)) - 1;
#else
  return static_cast<unsigned int>(__builtin_ctzll(word));
#endif
}

/** Returns the position of the highest bit that is set. The word must not be 0. */
CCL_HOST_DEVICE
inline unsigned int
HighestBit(Word word)
{
#ifdef __CUDA_ARCH__
  return BitsPerWord - 1 - __clz(static_cast<int>(word));
#else
  return BitsPerWord - 1 - static_cast<unsigned int>(__builtin_clz(word));
#endif
}

CCL_HOST_DEVICE
inline unsigned int
HighestBit(std::uint64_t word)
{
#ifdef __CUDA_ARCH__
  return 63 - __clzll(static_cast<long long>(word));
#else
  return 63 - static_cast<unsigned int>(__builtin_clzll(word));
#endif
}

/** Returns a mask of bits 0 to `bit`. */
template <typename TWord = Word>
CCL_HOST_DEVICE
constexpr TWord
BitsThrough(unsigned int bit)
{
  return (TWord{ 2 } << bit) - 1;
}

/** A word has 2^partBits parts of adjacent bits. Returns the mask of one part: the lowest partBits bits of `index` are
 * the index of the part. */
CCL_HOST_DEVICE
constexpr Word
PartOfWord(std::uint64_t index, unsigned int partBits)
{
  const unsigned int width = BitsPerWord >> partBits;
  return BitsThrough(width - 1) << (static_cast<unsigned int>(index) & ((1U << partBits) - 1)) * width;
}

/** Returns a mask of all bits below the first gap after `bit`. A gap is a bit of the word that is not set. If there is
 * none, the mask has all bits. */
template <typename TWord>
CCL_HOST_DEVICE
constexpr TWord
BitsBelowGap(TWord word, unsigned int bit)
{
  const TWord gaps = ~word & ~BitsThrough<TWord>(bit);
  return (gaps & (~gaps + 1)) - 1;
}

/** Returns the first pixel of a row at or after x whose bit is `foreground`, or `end`, the size of the row, if there is
 * none. */
inline std::uint64_t
NextPixel(const Word * row, std::uint64_t x, std::uint64_t end, bool foreground)
{
  while (x < end)
  {
    const Word word = (foreground ? row[x / BitsPerWord] : ~row[x / BitsPerWord]) >> x % BitsPerWord;
    if (word != 0)
    {
      return x + LowestBit(word) < end ? x + LowestBit(word) : end;
    }
    x += BitsPerWord - x % BitsPerWord;
  }
  return end;
}

} // namespace itk::ccl

#endif
