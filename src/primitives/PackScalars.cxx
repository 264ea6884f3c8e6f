// SPDX-License-Identifier: Apache-2.0
#include "primitives/PackScalars.h"

// Packs 32 pixels at a time with SSE2, which every x86-64 processor has. Pixels of 8 bytes, and other processors, use
// portable loops.

#include "primitives/PackPixels.h"

#include <algorithm>
#include <cstring>

#ifdef __SSE2__
#  include <emmintrin.h>
#endif

namespace itk::ccl
{

namespace
{

#ifdef __SSE2__

__m128i
LoadVector(const void * address)
{
  return _mm_loadu_si128(static_cast<const __m128i *>(address));
}

// Repeat() returns a vector of copies of a pixel. AreEqual() compares 16 pixels with such a vector, and returns a byte
// for each: 0xFF if the pixel is equal, else 0.

__m128i
Repeat(std::uint8_t pixel)
{
  return _mm_set1_epi8(static_cast<char>(pixel));
}

__m128i
AreEqual(const std::uint8_t * pixels, __m128i value)
{
  return _mm_cmpeq_epi8(LoadVector(pixels), value);
}

__m128i
Repeat(std::uint16_t pixel)
{
  return _mm_set1_epi16(static_cast<short>(pixel));
}

__m128i
AreEqual(const std::uint16_t * pixels, __m128i value)
{
  return _mm_packs_epi16(_mm_cmpeq_epi16(LoadVector(pixels), value), _mm_cmpeq_epi16(LoadVector(pixels + 8), value));
}

/** Packs the results of four comparisons. `compare` returns 32 bits of ones for each of 4 pixels that is equal. */
template <typename TPixel, typename TCompare>
__m128i
AreEqualByFours(const TPixel * pixels, const TCompare & compare)
{
  return _mm_packs_epi16(_mm_packs_epi32(compare(pixels), compare(pixels + 4)),
                         _mm_packs_epi32(compare(pixels + 8), compare(pixels + 12)));
}

__m128i
Repeat(std::uint32_t pixel)
{
  return _mm_set1_epi32(static_cast<int>(pixel));
}

__m128i
AreEqual(const std::uint32_t * pixels, __m128i value)
{
  return AreEqualByFours(pixels,
                         [value](const std::uint32_t * four) { return _mm_cmpeq_epi32(LoadVector(four), value); });
}

__m128
Repeat(float pixel)
{
  return _mm_set1_ps(pixel);
}

__m128i
AreEqual(const float * pixels, __m128 value)
{
  return AreEqualByFours(
    pixels, [value](const float * four) { return _mm_castps_si128(_mm_cmpeq_ps(_mm_loadu_ps(four), value)); });
}

/** Does the work of EqualBits() below. */
template <typename TPixel, typename TVector>
Word
EqualBitsOfVectors(const TPixel * pixels, TVector value)
{
  const auto low = static_cast<Word>(_mm_movemask_epi8(AreEqual(pixels, value)));
  const auto high = static_cast<Word>(_mm_movemask_epi8(AreEqual(pixels + 16, value)));
  return low | high << 16;
}

template <typename TPixel>
Word
EqualBits(const TPixel * pixels, __m128i value)
{
  return EqualBitsOfVectors(pixels, value);
}

Word
EqualBits(const float * pixels, __m128 value)
{
  return EqualBitsOfVectors(pixels, value);
}

#endif

/** Asks for 32 pixels one page ahead, which may lie after the end of the image. Many processors do not fetch across the
 * end of a page of 4 KiB on their own. */
template <typename TPixel>
void
PrefetchNextPage(const TPixel * pixels)
{
  constexpr std::uintptr_t pageSize = 4096;
  constexpr std::uintptr_t cacheLineSize = 64;
  const auto               nextPage = reinterpret_cast<std::uintptr_t>(pixels) + pageSize;
  for (std::uintptr_t offset = 0; offset < BitsPerWord * sizeof(TPixel); offset += cacheLineSize)
  {
    __builtin_prefetch(reinterpret_cast<const void *>(nextPage + offset));
  }
}

/** Returns the value with which EqualBits() compares. */
template <typename TPixel>
TPixel
Repeat(TPixel pixel)
{
  return pixel;
}

/** Returns the bits of 32 pixels: 1 for a pixel that equals the value. */
template <typename TPixel>
Word
EqualBits(const TPixel * pixels, TPixel value)
{
  // The pixels may be of another type of the same size, such as long long.
  TPixel copies[BitsPerWord];
  std::memcpy(copies, pixels, sizeof(copies));
  Word word = 0;
  for (unsigned int bit = 0; bit < BitsPerWord; ++bit)
  {
    word |= static_cast<Word>(copies[bit] == value) << bit;
  }
  return word;
}

} // namespace

template <typename TPixel>
void
PackScalars(const TPixel * pixels, std::uint64_t count, Word * words)
{
  const auto zero = Repeat(TPixel{ 0 });
  for (; count >= BitsPerWord; count -= BitsPerWord, pixels += BitsPerWord, ++words)
  {
    PrefetchNextPage(pixels);
    *words = ~EqualBits(pixels, zero);
  }
  if (count > 0)
  {
    *words = PackPixels(pixels, static_cast<unsigned int>(count));
  }
}

template void
PackScalars(const std::uint8_t * pixels, std::uint64_t count, Word * words);
template void
PackScalars(const std::uint16_t * pixels, std::uint64_t count, Word * words);
template void
PackScalars(const std::uint32_t * pixels, std::uint64_t count, Word * words);
template void
PackScalars(const std::uint64_t * pixels, std::uint64_t count, Word * words);
template void
PackScalars(const float * pixels, std::uint64_t count, Word * words);
template void
PackScalars(const double * pixels, std::uint64_t count, Word * words);

template <typename TPixel>
bool
PackEqualScalars(const TPixel * pixels, std::uint64_t count, TPixel value, TPixel other, Word * words)
{
  const auto values = Repeat(value);
  const auto others = Repeat(other);
  Word       known = ~Word{ 0 }; // a bit is 0 if the pixel of any word has a third value
  for (; count >= BitsPerWord; count -= BitsPerWord, pixels += BitsPerWord, ++words)
  {
    PrefetchNextPage(pixels);
    *words = EqualBits(pixels, values);
    known &= *words | EqualBits(pixels, others);
  }
  if (count > 0)
  {
    TPixel last[BitsPerWord];
    std::memcpy(last, pixels, count * sizeof(TPixel));
    std::fill(last + count, last + BitsPerWord, other);
    const Word inside = (Word{ 1 } << count) - 1;
    *words = EqualBits(last, values) & inside;
    known &= *words | EqualBits(last, others);
  }
  return known == ~Word{ 0 };
}

template bool
PackEqualScalars(const std::uint8_t *, std::uint64_t, std::uint8_t, std::uint8_t, Word *);
template bool
PackEqualScalars(const std::uint16_t *, std::uint64_t, std::uint16_t, std::uint16_t, Word *);
template bool
PackEqualScalars(const std::uint32_t *, std::uint64_t, std::uint32_t, std::uint32_t, Word *);
template bool
PackEqualScalars(const std::uint64_t *, std::uint64_t, std::uint64_t, std::uint64_t, Word *);

} // namespace itk::ccl
