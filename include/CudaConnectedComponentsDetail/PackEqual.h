// SPDX-License-Identifier: Apache-2.0
#ifndef CudaConnectedComponentsDetail_PackEqual_h
#define CudaConnectedComponentsDetail_PackEqual_h

#include "CudaConnectedComponentsDetail/EqualPixels.h"
#include "itkCudaConnectedComponentLabeler.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <type_traits>

// Loops over the pixels of a row of a mask. EqualPixels packs integers. The loops here work on blocks of a fixed size,
// without branches and without aliasing, so that compilers vectorize them with moderate optimization, too.

namespace itk
{
namespace CudaConnectedComponentsDetail
{

/** The number of pixels of a block. */
constexpr std::uint64_t MaskBlock = 32;

/** Returns whether two numbers have the same bytes, so that 0.0 differs from -0.0. */
template <typename TPixel>
bool
AreSameBytes(TPixel a, TPixel b)
{
  if constexpr (std::is_floating_point<TPixel>::value)
  {
    using BitsType = std::conditional_t<sizeof(TPixel) == 4, std::uint32_t, std::uint64_t>;
    static_assert(sizeof(TPixel) == sizeof(BitsType), "the pixels have 4 or 8 bytes");
    BitsType bitsOfA;
    BitsType bitsOfB;
    std::memcpy(&bitsOfA, &a, sizeof(a));
    std::memcpy(&bitsOfB, &b, sizeof(b));
    return bitsOfA == bitsOfB;
  }
  else
  {
    return a == b;
  }
}

/** Compares the pixels of a block with `value`. Returns 0 if each pixel equals `value` or has the bytes of `other`. */
template <typename TPixel>
unsigned char
CompareBlock(const TPixel * __restrict pixels, TPixel value, TPixel other, unsigned char * __restrict areEqual)
{
  unsigned char differences = 0;
  for (std::uint64_t i = 0; i < MaskBlock; ++i)
  {
    const auto isEqual = static_cast<unsigned char>(pixels[i] == value);
    const auto isOther = static_cast<unsigned char>(AreSameBytes(pixels[i], other));
    areEqual[i] = isEqual;
    differences = static_cast<unsigned char>(differences | ((isEqual | isOther) ^ 1));
  }
  return differences;
}

/** Does the work of PackEqual() for any type of pixels. */
template <typename TPixel>
bool
PackEqualByBlocks(const TPixel * pixels, std::uint64_t count, TPixel value, TPixel other, std::uint32_t * words)
{
  // Packs 2,048 pixels at a time, because their bytes stay in the fastest cache.
  constexpr std::uint64_t chunk = 2048;
  unsigned char           areEqual[chunk];
  unsigned char           differences = 0;
  for (std::uint64_t first = 0; first < count; first += chunk)
  {
    const std::uint64_t length = std::min(count - first, chunk);
    const std::uint64_t blocksEnd = length / MaskBlock * MaskBlock;
    for (std::uint64_t i = 0; i < blocksEnd; i += MaskBlock)
    {
      differences =
        static_cast<unsigned char>(differences | CompareBlock(pixels + first + i, value, other, areEqual + i));
    }
    if (blocksEnd < length)
    {
      TPixel block[MaskBlock];
      std::fill_n(block, MaskBlock, other);
      std::copy_n(pixels + first + blocksEnd, length - blocksEnd, block);
      differences = static_cast<unsigned char>(differences | CompareBlock(block, value, other, areEqual + blocksEnd));
    }
    CudaConnectedComponentLabeler::PackRow(areEqual, length, words + first / 32);
  }
  return differences == 0;
}

/** Packs the pixels of a row to bits: 1 for pixels that equal `value`.
 * \param words as for CudaConnectedComponentLabeler::PackRow()
 * \param other a value that many of the other pixels have
 * \return whether each pixel equals `value` or has the bytes of `other` */
template <typename TPixel>
bool
PackEqual(const TPixel * pixels, std::uint64_t count, TPixel value, TPixel other, std::uint32_t * words)
{
  if constexpr (std::is_integral<TPixel>::value && !std::is_same<TPixel, bool>::value && sizeof(TPixel) <= 8)
  {
    // Integers are equal if they have the same bytes.
    using BitsType = std::make_unsigned_t<TPixel>;
    return EqualPixels::Pack(
      pixels, sizeof(TPixel), count, static_cast<BitsType>(value), static_cast<BitsType>(other), words);
  }
  else
  {
    return PackEqualByBlocks(pixels, count, value, other, words);
  }
}

/** Copies the pixels of a block. Pixels that equal `value` become `replacement`. */
template <typename TPixel>
void
CopyAndReplaceBlock(const TPixel * __restrict pixels, TPixel value, TPixel replacement, TPixel * __restrict output)
{
  for (std::uint64_t i = 0; i < MaskBlock; ++i)
  {
    output[i] = pixels[i] == value ? replacement : pixels[i];
  }
}

/** Copies the pixels of a row. Pixels that equal `value` become `replacement`. */
template <typename TPixel>
void
CopyAndReplace(const TPixel * pixels, std::uint64_t count, TPixel value, TPixel replacement, TPixel * output)
{
  if (AreSameBytes(value, replacement) && value != TPixel{})
  {
    // Only zeros can be equal and have different bytes.
    std::copy_n(pixels, count, output);
    return;
  }
  const std::uint64_t blocksEnd = count / MaskBlock * MaskBlock;
  for (std::uint64_t i = 0; i < blocksEnd; i += MaskBlock)
  {
    CopyAndReplaceBlock(pixels + i, value, replacement, output + i);
  }
  std::replace_copy(pixels + blocksEnd, pixels + count, output + blocksEnd, value, replacement);
}

/** The bits of each byte, as eight bytes that are 0 or 1. */
struct BitsOfBytes
{
  constexpr BitsOfBytes()
  {
    for (unsigned int byte = 0; byte < 256; ++byte)
    {
      for (unsigned int bit = 0; bit < 8; ++bit)
      {
        bits[byte][bit] = byte >> bit & 1U;
      }
    }
  }

  unsigned char bits[256][8]{};
};

/** Sets the pixels of a block whose bits are 1 to a value. */
template <typename TPixel>
void
SetPixelsOfBlock(std::uint32_t word, TPixel value, TPixel * __restrict pixels)
{
  static constexpr BitsOfBytes table;
  unsigned char                bits[MaskBlock];
  for (unsigned int byte = 0; byte < 4; ++byte)
  {
    std::memcpy(bits + 8 * byte, table.bits[word >> 8 * byte & 0xFFU], 8);
  }
  for (std::uint64_t i = 0; i < MaskBlock; ++i)
  {
    pixels[i] = bits[i] != 0 ? value : pixels[i];
  }
}

/** Sets the pixels of a row whose bits are 1 to a value. The bits after the end of the row must be 0. */
template <typename TPixel>
void
SetPixels(const std::uint32_t * words, std::uint64_t count, TPixel value, TPixel * pixels)
{
  static_assert(MaskBlock == 32, "a block is a word");
  for (std::uint64_t first = 0; first < count; first += MaskBlock)
  {
    const std::uint32_t word = words[first / MaskBlock];
    if (word == 0)
    {
      continue;
    }
    if (word == 0xFFFFFFFF)
    {
      std::fill_n(pixels + first, MaskBlock, value);
    }
    else if (first + MaskBlock <= count)
    {
      SetPixelsOfBlock(word, value, pixels + first);
    }
    else
    {
      for (std::uint64_t i = first; i < count; ++i)
      {
        if ((word >> i % 32 & 1U) != 0)
        {
          pixels[i] = value;
        }
      }
    }
  }
}

} // namespace CudaConnectedComponentsDetail
} // namespace itk

#endif
