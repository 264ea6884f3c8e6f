// SPDX-License-Identifier: Apache-2.0
#ifndef Foreground_h
#define Foreground_h

// Between pixels of any type, bytes and bits: which pixels are foreground.

#include "Bundles.h"

#include <utility>

namespace itk::ccl
{

namespace Foreground
{

/** Sets the bits of one word's pixels. */
template <typename TPixel>
struct PackWord
{
  const TPixel * pixels;
  Grid           size;
  Word *         bits;

  CCL_HOST_DEVICE
  void
  operator()(const Cell & cell) const
  {
    const std::uint64_t begin = cell.x * BitsPerWord;
    const TPixel *      first = pixels + IndexOf(size, { begin, cell.y, cell.z });
    Word                word = 0;
    if (begin + BitsPerWord <= size.x)
    {
#ifdef __CUDA_ARCH__
      if (reinterpret_cast<std::uintptr_t>(first) % sizeof(uint4) == 0)
      {
        word = PackAligned(first);
      }
      else
#endif
      {
        CCL_UNROLL
        for (unsigned int bit = 0; bit < BitsPerWord; ++bit)
        {
          word |= static_cast<Word>(first[bit] != TPixel{ 0 }) << bit;
        }
      }
    }
    else
    {
      for (unsigned int bit = 0; bit < size.x - begin; ++bit)
      {
        word |= static_cast<Word>(first[bit] != TPixel{ 0 }) << bit;
      }
    }
    bits[IndexOf(WordsOf(size), cell)] = word;
  }

#ifdef __CUDACC__
  /** As the loop above, 16 bytes at a time. */
  static __device__ Word
  PackAligned(const TPixel * first)
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
      loaded = *reinterpret_cast<const uint4 *>(first + begin);
      CCL_UNROLL
      for (unsigned int i = 0; i < pixelsPerLoad; ++i)
      {
        word |= static_cast<Word>(values[i] != TPixel{ 0 }) << (begin + i);
      }
    }
    return word;
  }
#endif
};

/** Writes 1 for a foreground pixel of any type, and 0 for others. */
template <typename TPixel>
struct Binarize
{
  const TPixel * pixels;
  std::uint8_t * bytes;

  CCL_HOST_DEVICE
  void
  operator()(const Cell & pixel) const
  {
    bytes[pixel.x] = pixels[pixel.x] != TPixel{ 0 };
  }
};

/** Writes 1 for a pixel of which the bit is set, and 0 for others. */
struct UnpackBits
{
  BitRows        rows;
  Grid           size;
  std::uint8_t * bytes;

  CCL_HOST_DEVICE
  void
  operator()(const Cell & pixel) const
  {
    const Word word = rows.bits[rows.RowBegin(pixel.y, pixel.z) + pixel.x / BitsPerWord];
    bytes[IndexOf(size, pixel)] = word >> pixel.x % BitsPerWord & 1U;
  }
};

} // namespace Foreground

/** Packs an image to bits; `bits` has WordsOf(size) elements. */
template <typename TPixel, typename TExecutor>
void
PackForeground(const TExecutor & executor, const TPixel * pixels, const Grid & size, Word * bits)
{
  executor.ForEach(WordsOf(size), Foreground::PackWord<TPixel>{ pixels, size, bits });
}

/** Bits of an image's bundles, with memory for those of their columns. */
template <typename TBundle, typename TExecutor>
struct BundledBits
{
  using BufferType = decltype(std::declval<const TExecutor &>().template Allocate<Word>(0));

  BufferType          columns; // empty where bundles are rows
  BundleRows<TBundle> bundles;
};

/** Finds the columns of bundles that have a foreground pixel. */
template <typename TBundle, typename TExecutor>
BundledBits<TBundle, TExecutor>
BundleBits(const TExecutor & executor, const BitRows & rows)
{
  if constexpr (TBundle::IsOneRow)
  {
    return { executor.template Allocate<Word>(0), { rows, rows } };
  }
  else
  {
    const Grid                words = TBundle::Of(rows.words);
    auto                      columns = executor.template Allocate<Word>(words.Count());
    const BundleRows<TBundle> bundles{ rows, { words, columns.get() } };
    executor.ForEach(words, CollectColumns<TBundle>{ bundles, columns.get() });
    return { std::move(columns), bundles };
  }
}

/** Reduces an image to one byte per pixel. */
template <typename TPixel, typename TExecutor>
void
BinarizeForeground(const TExecutor & executor, const TPixel * pixels, const Grid & size, std::uint8_t * bytes)
{
  executor.ForEach(Grid{ size.Count() }, Foreground::Binarize<TPixel>{ pixels, bytes });
}

/** Expands bits to one byte per pixel. */
template <typename TExecutor>
void
UnpackForeground(const TExecutor & executor, const BitRows & rows, const Grid & size, std::uint8_t * bytes)
{
  executor.ForEach(size, Foreground::UnpackBits{ rows, size, bytes });
}

} // namespace itk::ccl

#endif
