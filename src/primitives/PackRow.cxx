// SPDX-License-Identifier: Apache-2.0
#include "primitives/PackRow.h"

// Compares 32 pixels at a time with one value, with ranges or with their neighbors, with SSE2, which every x86-64
// processor has. Pixels of 8 bytes and other processors use portable loops.

#include "primitives/PixelTypes.h"

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

// Repeat() returns a vector of copies of a pixel. AreEqual() compares the pixels of two vectors. Join() makes a vector
// of one byte for each of 16 pixels, by calls of equal(first), which compares the pixels of one vector from the first
// on.

__m128i
Load(const void * address)
{
  return _mm_loadu_si128(static_cast<const __m128i *>(address));
}

__m128i
Repeat(std::uint8_t pixel)
{
  return _mm_set1_epi8(static_cast<char>(pixel));
}

__m128i
AreEqual(std::uint8_t, __m128i a, __m128i b)
{
  return _mm_cmpeq_epi8(a, b);
}

template <typename TEqual>
__m128i
Join(std::uint8_t, unsigned int first, const TEqual & equal)
{
  return equal(first);
}

__m128i
Repeat(std::uint16_t pixel)
{
  return _mm_set1_epi16(static_cast<short>(pixel));
}

__m128i
AreEqual(std::uint16_t, __m128i a, __m128i b)
{
  return _mm_cmpeq_epi16(a, b);
}

template <typename TEqual>
__m128i
Join(std::uint16_t, unsigned int first, const TEqual & equal)
{
  return _mm_packs_epi16(equal(first), equal(first + 8));
}

__m128i
Repeat(std::uint32_t pixel)
{
  return _mm_set1_epi32(static_cast<int>(pixel));
}

__m128i
AreEqual(std::uint32_t, __m128i a, __m128i b)
{
  return _mm_cmpeq_epi32(a, b);
}

template <typename TEqual>
__m128i
Join(std::uint32_t, unsigned int first, const TEqual & equal)
{
  return _mm_packs_epi16(_mm_packs_epi32(equal(first), equal(first + 4)),
                         _mm_packs_epi32(equal(first + 8), equal(first + 12)));
}

/** Compares the pixels of a vector with a range: all bits of a pixel are 1 if it lies in the range. */
__m128i
AreInRange(std::uint8_t, __m128i pixels, __m128i first, __m128i extent)
{
  return _mm_cmpeq_epi8(_mm_subs_epu8(_mm_sub_epi8(pixels, first), extent), _mm_setzero_si128());
}

__m128i
AreInRange(std::uint16_t, __m128i pixels, __m128i first, __m128i extent)
{
  return _mm_cmpeq_epi16(_mm_subs_epu16(_mm_sub_epi16(pixels, first), extent), _mm_setzero_si128());
}

__m128i
AreInRange(std::uint32_t, __m128i pixels, __m128i first, __m128i extent)
{
  // SSE2 compares signed numbers only.
  const __m128i sign = _mm_set1_epi32(static_cast<int>(0x80000000U));
  const __m128i offset = _mm_sub_epi32(pixels, first);
  const __m128i isAbove = _mm_cmpgt_epi32(_mm_xor_si128(offset, sign), _mm_xor_si128(extent, sign));
  return _mm_cmpeq_epi32(isAbove, _mm_setzero_si128());
}

/** Returns the bits of 32 pixels: 1 where equal() finds pixels equal. */
template <typename TBits, typename TEqual>
Word
JoinBits(const TEqual & equal)
{
  const auto low = static_cast<Word>(_mm_movemask_epi8(Join(TBits{}, 0, equal)));
  const auto high = static_cast<Word>(_mm_movemask_epi8(Join(TBits{}, 16, equal)));
  return low | high << 16;
}

/** Returns the bits of 32 pixels: 1 for a pixel that equals the value after the mask. */
template <typename TBits>
Word
EqualBits(const TBits * pixels, __m128i mask, __m128i value)
{
  return JoinBits<TBits>(
    [=](unsigned int first) { return AreEqual(TBits{}, _mm_and_si128(Load(pixels + first), mask), value); });
}

#endif

/** Asks for 32 pixels one page ahead, which may lie after the end of the image. Many processors do not fetch across the
 * end of a page of 4 KiB on their own. */
template <typename TBits>
void
PrefetchNextPage(const TBits * pixels)
{
  constexpr std::uintptr_t pageSize = 4096;
  constexpr std::uintptr_t cacheLineSize = 64;
  const auto               nextPage = reinterpret_cast<std::uintptr_t>(pixels) + pageSize;
  for (std::uintptr_t offset = 0; offset < BitsPerWord * sizeof(TBits); offset += cacheLineSize)
  {
    __builtin_prefetch(reinterpret_cast<const void *>(nextPage + offset));
  }
}

/** Returns the value with which EqualBits() compares. */
template <typename TBits>
TBits
Repeat(TBits pixel)
{
  return pixel;
}

/** Does the work of EqualBits() without vectors. */
template <typename TBits>
Word
EqualBits(const TBits * pixels, TBits mask, TBits value)
{
  // The pixels may be of another type of the same size, such as long long, and at any address.
  TBits copies[BitsPerWord];
  std::memcpy(copies, pixels, sizeof(copies));
  Word word = 0;
  for (unsigned int bit = 0; bit < BitsPerWord; ++bit)
  {
    word |= static_cast<Word>((copies[bit] & mask) == value) << bit;
  }
  return word;
}

/** Returns the bits of 32 pixels: 1 for a pixel that differs from the pixel before it. */
template <typename TBits>
Word
RunStartBits(const TBits * pixels)
{
#ifdef __SSE2__
  if constexpr (sizeof(TBits) < 8)
  {
    return ~JoinBits<TBits>(
      [=](unsigned int first) { return AreEqual(TBits{}, Load(pixels + first), Load(pixels + first - 1)); });
  }
#endif
  TBits copies[BitsPerWord + 1];
  std::memcpy(copies, pixels - 1, sizeof(copies));
  Word word = 0;
  for (unsigned int bit = 0; bit < BitsPerWord; ++bit)
  {
    word |= static_cast<Word>(copies[bit + 1] != copies[bit]) << bit;
  }
  return word;
}

/** Calls pack(pixels) for each 32 pixels of a row, and stores the word that it returns. The last pixels of a long row
 * are packed with pixels before them; those of a short row are copied, and followed by `filler`. */
template <typename TBits, typename TPack>
void
ForEachWord(const TBits * pixels, std::uint64_t count, TBits filler, Word * words, const TPack & pack)
{
  const bool isLong = count >= BitsPerWord;
  for (; count >= BitsPerWord; count -= BitsPerWord, pixels += BitsPerWord, ++words)
  {
    PrefetchNextPage(pixels);
    *words = pack(pixels);
  }
  if (count > 0 && isLong)
  {
    const std::uint64_t missing = BitsPerWord - count;
    *words = pack(pixels - missing) >> missing;
  }
  else if (count > 0)
  {
    TBits last[BitsPerWord];
    std::memcpy(last, pixels, count * sizeof(TBits));
    std::fill(last + count, last + BitsPerWord, filler);
    *words = pack(last) & ((Word{ 1 } << count) - 1);
  }
}

/** Returns the bits of 32 pixels: 1 for a pixel in a range. */
template <typename TBits>
Word
BitsInRange(const TBits * pixels, const BitRange<TBits> & range)
{
#ifdef __SSE2__
  if constexpr (sizeof(TBits) < 8)
  {
    const __m128i firsts = Repeat(range.first);
    const __m128i extents = Repeat(range.extent);
    return JoinBits<TBits>(
      [=](unsigned int first) { return AreInRange(TBits{}, Load(pixels + first), firsts, extents); });
  }
#endif
  TBits copies[BitsPerWord];
  std::memcpy(copies, pixels, sizeof(copies));
  Word word = 0;
  for (unsigned int bit = 0; bit < BitsPerWord; ++bit)
  {
    word |= static_cast<Word>(range.Contains(copies[bit])) << bit;
  }
  return word;
}

/** Packs the pixels of a foreground with several values. */
template <typename TBits>
Word
BitsInRanges(const TBits * pixels, const Foreground & foreground)
{
  Word word = 0;
  for (unsigned int i = 0; i < foreground.count; ++i)
  {
    word |= BitsInRange(pixels, foreground.RangeAt<TBits>(i));
  }
  return foreground.isInverted ? ~word : word;
}

template <typename TBits>
void
PackBits(const TBits * pixels, std::uint64_t count, const Foreground & foreground, Word * words)
{
  TBits mask;
  TBits value;
  if (foreground.IsOneValue(mask, value))
  {
    const auto masks = Repeat(mask);
    const auto values = Repeat(value);
    const Word inverted = foreground.isInverted ? ~Word{ 0 } : 0;
    ForEachWord(
      pixels, count, TBits{ 0 }, words, [=](const TBits * here) { return EqualBits(here, masks, values) ^ inverted; });
    return;
  }
  ForEachWord(
    pixels, count, TBits{ 0 }, words, [&foreground](const TBits * here) { return BitsInRanges(here, foreground); });
}

template <typename TBits>
void
PackStarts(const TBits * pixels, std::uint64_t count, Word * words)
{
  for (; count >= BitsPerWord; count -= BitsPerWord, pixels += BitsPerWord, ++words)
  {
    PrefetchNextPage(pixels);
    *words = RunStartBits(pixels);
  }
  if (count > 0)
  {
    TBits last[BitsPerWord + 1];
    std::memcpy(last, pixels - 1, (count + 1) * sizeof(TBits));
    std::fill(last + count + 1, last + BitsPerWord + 1, last[count]);
    *words = RunStartBits(last + 1);
  }
}

template <typename TBits>
bool
PackBinaryBits(const TBits * pixels, std::uint64_t count, const Foreground & foreground, TBits other, Word * words)
{
  TBits mask;
  TBits value;
  Word  known = ~Word{ 0 }; // a bit is 0 if the pixel of any word has a third value
  if (foreground.IsOneValue(mask, value))
  {
    const auto masks = Repeat(mask);
    const auto values = Repeat(value);
    const auto all = Repeat(static_cast<TBits>(~TBits{ 0 }));
    const auto others = Repeat(other);
    const Word inverted = foreground.isInverted ? ~Word{ 0 } : 0;
    ForEachWord(pixels, count, other, words, [&](const TBits * here) {
      const Word word = EqualBits(here, masks, values) ^ inverted;
      known &= word | EqualBits(here, all, others);
      return word;
    });
  }
  else
  {
    ForEachWord(pixels, count, other, words, [&](const TBits * here) {
      const Word word = BitsInRanges(here, foreground);
      known &= word | EqualBits(here, static_cast<TBits>(~TBits{ 0 }), other);
      return word;
    });
  }
  return known == ~Word{ 0 };
}

} // namespace

void
PackRow(const void * pixels, std::size_t pixelSize, std::uint64_t count, const Foreground & foreground, Word * words)
{
  VisitSize(pixelSize,
            [&](auto bits) { PackBits(static_cast<const decltype(bits) *>(pixels), count, foreground, words); });
}

void
PackRunStarts(const void * pixels, std::size_t pixelSize, std::uint64_t count, Word * words)
{
  VisitSize(pixelSize, [&](auto bits) { PackStarts(static_cast<const decltype(bits) *>(pixels), count, words); });
}

bool
PackBinaryRow(const void *       pixels,
              std::size_t        pixelSize,
              std::uint64_t      count,
              const Foreground & foreground,
              std::uint64_t      other,
              Word *             words)
{
  return VisitSize(pixelSize, [&](auto bits) {
    using BitsType = decltype(bits);
    return PackBinaryBits(
      static_cast<const BitsType *>(pixels), count, foreground, static_cast<BitsType>(other), words);
  });
}

} // namespace itk::ccl
