// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_primitives_Bits_h
#define ccl_primitives_Bits_h

#include "primitives/HostDevice.h"

#include <cstdint>

namespace itk::ccl
{

inline constexpr unsigned int BitsPerWord = 32;

/** The pixels of a part of a row, the first in the lowest bit. */
using Word = std::uint32_t;

CCL_HOST_DEVICE
inline unsigned int
CountBits(Word word)
{
#ifdef __CUDA_ARCH__
  return __popc(word);
#else
  // Without an instruction for it, as on any x86-64, compilers call a function for their builtin.
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

/** Position of the lowest bit that is set. The word must not be 0. */
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

/** Position of the highest bit that is set. The word must not be 0. */
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

/** The bits up to and including `bit`. */
template <typename TWord = Word>
CCL_HOST_DEVICE
constexpr TWord
BitsThrough(unsigned int bit)
{
  return (TWord{ 2 } << bit) - 1;
}

/** All bits below the first one after `bit` that is not set. */
template <typename TWord>
CCL_HOST_DEVICE
constexpr TWord
BitsBelowGap(TWord word, unsigned int bit)
{
  const TWord gaps = ~word & ~BitsThrough<TWord>(bit);
  return (gaps & (~gaps + 1)) - 1;
}

} // namespace itk::ccl

#endif
