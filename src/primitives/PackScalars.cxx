// SPDX-License-Identifier: Apache-2.0
#include "primitives/PackScalars.h"

// Packs 32 pixels at a time with SSE2, which every x86-64 processor has. Pixels of 8 bytes, and other processors, use
// the portable PackWord().

#include "primitives/PackPixels.h"

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

/** Returns a byte for each of 16 pixels: 0xFF if the pixel is 0, else 0. */
__m128i
AreZero(const std::uint8_t * pixels)
{
  return _mm_cmpeq_epi8(LoadVector(pixels), _mm_setzero_si128());
}

__m128i
AreZero(const std::uint16_t * pixels)
{
  const __m128i zero = _mm_setzero_si128();
  return _mm_packs_epi16(_mm_cmpeq_epi16(LoadVector(pixels), zero), _mm_cmpeq_epi16(LoadVector(pixels + 8), zero));
}

/** Does the same for pixels of 4 bytes. `compare` returns 32 bits of ones for each of 4 pixels that is 0. */
template <typename TPixel, typename TCompare>
__m128i
AreZero(const TPixel * pixels, const TCompare & compare)
{
  return _mm_packs_epi16(_mm_packs_epi32(compare(pixels), compare(pixels + 4)),
                         _mm_packs_epi32(compare(pixels + 8), compare(pixels + 12)));
}

__m128i
AreZero(const std::uint32_t * pixels)
{
  return AreZero(pixels,
                 [](const std::uint32_t * four) { return _mm_cmpeq_epi32(LoadVector(four), _mm_setzero_si128()); });
}

__m128i
AreZero(const float * pixels)
{
  return AreZero(
    pixels, [](const float * four) { return _mm_castps_si128(_mm_cmpeq_ps(_mm_loadu_ps(four), _mm_setzero_ps())); });
}

/** Returns the bits of 32 pixels. */
template <typename TPixel>
Word
PackWordFast(const TPixel * pixels)
{
  const auto low = static_cast<Word>(_mm_movemask_epi8(AreZero(pixels)));
  const auto high = static_cast<Word>(_mm_movemask_epi8(AreZero(pixels + 16)));
  return ~(low | high << 16);
}

Word
PackWordFast(const std::uint64_t * pixels)
{
  return PackWord(pixels); // SSE2 has no comparison of 64-bit integers.
}

Word
PackWordFast(const double * pixels)
{
  return PackWord(pixels);
}

#else

template <typename TPixel>
Word
PackWordFast(const TPixel * pixels)
{
  return PackWord(pixels);
}

#endif

} // namespace

template <typename TPixel>
void
PackScalars(const TPixel * pixels, std::uint64_t count, Word * words)
{
  for (; count >= BitsPerWord; count -= BitsPerWord, pixels += BitsPerWord, ++words)
  {
    *words = PackWordFast(pixels);
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

} // namespace itk::ccl
