// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_primitives_PackWord_h
#define ccl_primitives_PackWord_h

// From 32 pixels to a word of bits, in a kernel, for any foreground. All threads have the same foreground, so its
// branches do not diverge.

#include "primitives/Bits.h"
#include "primitives/Foreground.h"
#include "primitives/PackPixels.h"

#include <cstdint>
#include <cstring>

namespace itk::ccl
{

/** Loads 16 bytes at an address that is a multiple of 16. */
CCL_HOST_DEVICE
inline void
Load16Bytes(const char * address, std::uint32_t * words)
{
#ifdef __CUDA_ARCH__
  const uint4 four = *reinterpret_cast<const uint4 *>(address);
  words[0] = four.x;
  words[1] = four.y;
  words[2] = four.z;
  words[3] = four.w;
#else
  std::memcpy(words, address, 16);
#endif
}

/** Returns 32 bits, from bit `shift` of `word` on. `next` follows `word`. */
CCL_HOST_DEVICE
inline std::uint32_t
FunnelShiftRight(std::uint32_t word, std::uint32_t next, unsigned int shift)
{
#ifdef __CUDA_ARCH__
  return __funnelshift_r(word, next, shift);
#else
  return static_cast<std::uint32_t>((std::uint64_t{ next } << 32 | word) >> shift);
#endif
}

/** Neighboring pixels of a row in registers, at most 64 bytes. */
template <typename TBits>
struct PixelChunk
{
  static constexpr unsigned int Pixels = sizeof(TBits) <= 2 ? BitsPerWord : 64 / sizeof(TBits);
  static constexpr unsigned int Words = Pixels * sizeof(TBits) / 4;

  std::uint32_t words[Words];

  /** Returns the first `count` pixels, at a distance of `stride` pixels. The others are 0. It is not inlined: the code
   * is long, and the compiler would compute all addresses in advance. It is static, so that other chunks stay in
   * registers. */
  CCL_NOINLINE
  CCL_HOST_DEVICE
  static PixelChunk
  LoadStrided(const TBits * pixels, std::int64_t stride, unsigned int count)
  {
    PixelChunk chunk{};
    CCL_UNROLL
    for (unsigned int i = 0; i < Pixels; ++i)
    {
      const TBits pixel = i < count ? LoadPixel(pixels + static_cast<std::int64_t>(i) * stride) : TBits{ 0 };
      if constexpr (sizeof(TBits) == 8)
      {
        chunk.words[2 * i] = static_cast<std::uint32_t>(pixel);
        chunk.words[2 * i + 1] = static_cast<std::uint32_t>(pixel >> 32);
      }
      else
      {
        chunk.words[i * sizeof(TBits) / 4] |= std::uint32_t{ pixel } << 8 * (i * sizeof(TBits) % 4);
      }
    }
    return chunk;
  }

  /** Returns pixel i. */
  CCL_HOST_DEVICE
  TBits
  Get(unsigned int i) const
  {
    if constexpr (sizeof(TBits) == 8)
    {
      return std::uint64_t{ words[2 * i + 1] } << 32 | words[2 * i];
    }
    else
    {
      return static_cast<TBits>(words[i * sizeof(TBits) / 4] >> 8 * (i * sizeof(TBits) % 4));
    }
  }

  /** Returns the bits of the pixels with isInside(pixel). */
  template <typename TFunction>
  CCL_HOST_DEVICE
  Word
  Pack(const TFunction & isInside) const
  {
    Word bits = 0;
    CCL_UNROLL
    for (unsigned int i = 0; i < Pixels; ++i)
    {
      bits |= static_cast<Word>(isInside(this->Get(i))) << i;
    }
    return bits;
  }

  /** Returns the bits of the pixels whose bits differ from those of the pixel before. `before` is the pixel before the
   * first one. */
  CCL_HOST_DEVICE
  Word
  Changes(TBits before) const
  {
    constexpr unsigned int bitsOfPixel = 8 * sizeof(TBits);
    PixelChunk             differences;
    CCL_UNROLL
    for (unsigned int i = 0; i < Words; ++i)
    {
      if constexpr (sizeof(TBits) == 8)
      {
        differences.words[i] = words[i] ^ (i < 2 ? static_cast<std::uint32_t>(before >> 32 * i) : words[i - 2]);
      }
      else
      {
        // The word that ends one pixel earlier.
        const std::uint32_t last = i > 0 ? words[i - 1] : std::uint32_t{ before } << (32 - bitsOfPixel);
        differences.words[i] =
          words[i] ^ static_cast<std::uint32_t>((std::uint64_t{ words[i] } << 32 | last) >> (32 - bitsOfPixel));
      }
    }
#ifdef __CUDA_ARCH__
    if constexpr (sizeof(TBits) == 1)
    {
      Word bits = 0;
      CCL_UNROLL
      for (unsigned int i = 0; i < Words; ++i)
      {
        bits |= PackFour(differences.words[i]) << 4 * i;
      }
      return bits;
    }
#endif
    return differences.Pack([](TBits difference) { return difference != 0; });
  }

  /** Loads pixels at an address that is a multiple of 16. */
  CCL_HOST_DEVICE
  void
  LoadAligned(const TBits * pixels)
  {
    CCL_UNROLL
    for (unsigned int i = 0; i < Words; i += 4)
    {
      Load16Bytes(reinterpret_cast<const char *>(pixels) + 4 * i, words + i);
    }
  }

  /** The pixels of 16 bytes. */
  static constexpr unsigned int PixelsOf16Bytes = 16 / sizeof(TBits);

  /** Returns how many pixels lie between the last multiple of 16 bytes and an address. */
  CCL_HOST_DEVICE
  static unsigned int
  PixelsBefore(const TBits * pixels)
  {
    return reinterpret_cast<std::uintptr_t>(pixels) / sizeof(TBits) % PixelsOf16Bytes;
  }

  /** Loads the first `count` pixels at the address of a pixel. The others become 0. Reads whole groups of 16 bytes:
   * PixelsBefore() pixels before the address, and Pixels + PixelsOf16Bytes in all. */
  CCL_HOST_DEVICE
  void
  LoadFromGroups(const TBits * pixels, unsigned int count)
  {
    const unsigned int before = PixelsBefore(pixels);
    const unsigned int misalignment = before * sizeof(TBits);
    std::uint32_t      all[Words + 4];
    CCL_UNROLL
    for (unsigned int i = 0; i < Words + 4; i += 4)
    {
      Load16Bytes(reinterpret_cast<const char *>(pixels - before) + 4 * i, all + i);
    }
    // Moves by 8 bytes, then by 4, then by the rest. With an index that depends on the address, the bytes would not be
    // in registers.
    CCL_UNROLL
    for (unsigned int i = 0; i < Words + 2; ++i)
    {
      all[i] = misalignment >= 8 ? all[i + 2] : all[i];
    }
    CCL_UNROLL
    for (unsigned int i = 0; i < Words + 1; ++i)
    {
      all[i] = misalignment % 8 >= 4 ? all[i + 1] : all[i];
    }
    CCL_UNROLL
    for (unsigned int i = 0; i < Words; ++i)
    {
      words[i] = sizeof(TBits) < 4 ? FunnelShiftRight(all[i], all[i + 1], 8 * (misalignment % 4)) : all[i];
    }
    this->KeepFirst(count);
  }

private:
  /** Sets all pixels but the first `count` ones to 0. */
  CCL_HOST_DEVICE
  void
  KeepFirst(unsigned int count)
  {
    if (count >= Pixels)
    {
      return;
    }
    const unsigned int bits = 8 * sizeof(TBits) * count;
    CCL_UNROLL
    for (unsigned int i = 0; i < Words; ++i)
    {
      const unsigned int kept = bits < 32 * i ? 0 : bits - 32 * i;
      words[i] &= kept >= 32 ? ~0U : (1U << kept) - 1;
    }
  }

  CCL_HOST_DEVICE
  static TBits
  LoadPixel(const TBits * pixel)
  {
#ifdef __CUDA_ARCH__
    return *pixel;
#else
    // The pixel may be of another type of the same size.
    TBits bits;
    std::memcpy(&bits, pixel, sizeof(bits));
    return bits;
#endif
  }
};

#ifdef __CUDA_ARCH__

/** Returns the bits of bytes. PackFour(bytes) returns the bits of four of them. */
template <typename TPackFour>
__device__ inline Word
PackFours(const PixelChunk<std::uint8_t> & chunk, const TPackFour & packFour)
{
  Word bits = 0;
#  pragma unroll
  for (unsigned int i = 0; i < PixelChunk<std::uint8_t>::Words; ++i)
  {
    bits |= packFour(chunk.words[i]) << 4 * i;
  }
  return bits;
}

/** Returns four copies of a byte. */
__device__ inline unsigned int
FourTimes(std::uint8_t byte)
{
  return byte * 0x01010101U;
}

#endif

/** Returns the bits of the pixels that have the value of a test. */
template <typename TBits>
CCL_HOST_DEVICE
inline Word
PackChunk(const PixelChunk<TBits> & chunk, const ValueTest<TBits> & test)
{
#ifdef __CUDA_ARCH__
  if constexpr (sizeof(TBits) == 1)
  {
    const unsigned int values = FourTimes(test.value);
    const Word         others = PackFours(chunk, [=](unsigned int bytes) { return PackFour(bytes ^ values); });
    return ~others;
  }
#endif
  const TBits mask = test.mask;
  const TBits value = test.value;
  return chunk.Pack([=](TBits pixel) { return (pixel & mask) == value; });
}

/** Returns the bits of the pixels that are in a range of a test. */
template <typename TBits>
CCL_HOST_DEVICE
inline Word
PackChunk(const PixelChunk<TBits> & chunk, const RangeTest<TBits> & test)
{
  Word bits = 0;
  for (unsigned int i = 0; i < test.count; ++i)
  {
    const BitRange<TBits> range = test.ranges[i];
#ifdef __CUDA_ARCH__
    if constexpr (sizeof(TBits) == 1)
    {
      const unsigned int first = FourTimes(range.first);
      const unsigned int extent = FourTimes(range.extent);
      bits |=
        PackFours(chunk, [=](unsigned int bytes) { return GatherFour(__vsetleu4(__vsub4(bytes, first), extent)); });
      continue;
    }
#endif
    bits |= chunk.Pack([=](TBits pixel) { return range.Contains(pixel); });
  }
  return bits;
}

} // namespace itk::ccl

#endif
