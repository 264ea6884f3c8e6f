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

/** Gives the bits of one word's pixels. */
template <typename TPixel>
struct PackWord
{
  const TPixel * pixels;
  Grid           size;

  CCL_HOST_DEVICE
  Word
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
      else if (sizeof(TPixel) == 1 && first - pixels >= 4 && pixels + size.Count() - first >= BitsPerWord + 4)
      {
        word = PackBytes(reinterpret_cast<const unsigned char *>(first));
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
    return word;
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
      if constexpr (sizeof(TPixel) == 1)
      {
        word |= (PackFour(loaded.x) | PackFour(loaded.y) << 4 | PackFour(loaded.z) << 8 | PackFour(loaded.w) << 12)
                << begin;
      }
      else
      {
        CCL_UNROLL
        for (unsigned int i = 0; i < pixelsPerLoad; ++i)
        {
          word |= static_cast<Word>(values[i] != TPixel{ 0 }) << (begin + i);
        }
      }
    }
    return word;
  }

  /** The same for bytes anywhere but next to an end of the image, by the aligned 4 bytes that they lie in. */
  static __device__ Word
  PackBytes(const unsigned char * first)
  {
    const unsigned int   misalignment = reinterpret_cast<std::uintptr_t>(first) % 4;
    const unsigned int * aligned = reinterpret_cast<const unsigned int *>(first - misalignment);
    unsigned int         fours[BitsPerWord / 4 + 1];
    CCL_UNROLL
    for (unsigned int i = 0; i <= BitsPerWord / 4; ++i)
    {
      fours[i] = aligned[i];
    }
    Word word = 0;
    CCL_UNROLL
    for (unsigned int i = 0; i < BitsPerWord / 4; ++i)
    {
      word |= PackFour(__funnelshift_r(fours[i], fours[i + 1], 8 * misalignment)) << 4 * i;
    }
    return word;
  }

  /** Four bytes. */
  static __device__ Word
  PackFour(unsigned int bytes)
  {
    // A 1 in each byte that is not 0, and then those of the four bytes side by side.
    return __vsetne4(bytes, 0) * 0x01020408U >> 24 & 15U;
  }
#endif
};

/** Gives the bits of 32 pixels of a row from an address on where the device can read them at once: it may lie before
 * the row. Pixels are counted from the first of the image on. */
template <typename TPixel>
struct PixelRows
{
  const TPixel * pixels;
  Grid           size;

  /** Calls visitor(rows) with the rows of the right type: for rows whose type is known when they are used. */
  CCL_NO_EXECUTION_CHECK
  template <typename TVisitor>
  CCL_HOST_DEVICE
  auto
  Visit(const TVisitor & visitor) const
  {
    return visitor(*this);
  }

  /** How many pixels lie between the last such address and the first pixel of a row. */
  CCL_HOST_DEVICE
  unsigned int
  PixelsSkipped(std::uint32_t rowBegin) const
  {
    return reinterpret_cast<std::uintptr_t>(pixels + rowBegin) / sizeof(TPixel) % BitsPerWord;
  }

  /** Whether every row begins at such an address. */
  CCL_HOST_DEVICE
  bool
  AreAligned() const
  {
    return this->PixelsSkipped(0) == 0 && size.x % BitsPerWord == 0;
  }

  /** The bits of word x from that address on; those of other rows are any. */
  CCL_HOST_DEVICE
  Word
  AlignedWord(std::uint32_t rowBegin, std::uint32_t x) const
  {
    const std::int64_t begin =
      std::int64_t{ rowBegin } - this->PixelsSkipped(rowBegin) + std::int64_t{ x } * BitsPerWord;
    const std::int64_t rowEnd = rowBegin + static_cast<std::int64_t>(size.x);
#ifdef __CUDA_ARCH__
    if (begin >= 0 && begin + BitsPerWord <= static_cast<std::int64_t>(size.Count()))
    {
      return begin < rowEnd ? PackWord<TPixel>::PackAligned(pixels + begin) : 0;
    }
#endif
    Word word = 0;
    for (std::int64_t at = begin < rowBegin ? rowBegin : begin; at < begin + BitsPerWord && at < rowEnd; ++at)
    {
      word |= static_cast<Word>(pixels[at] != TPixel{ 0 }) << (at - begin);
    }
    return word;
  }
};

/** Writes the bits of the pixels of a bundle's rows in a word, and those of its columns. */
template <typename TBundle, typename TPixel>
struct WriteWords
{
  PackWord<TPixel> packWord;
  Word *           bits;
  Word *           columns; // none where bundles are rows

  CCL_HOST_DEVICE
  void
  operator()(const Cell & cell) const
  {
    const Grid                words = WordsOf(packWord.size);
    const Grid                bundles = TBundle::Of(words);
    const BundleRows<TBundle> rows{ { words, bits }, { bundles, columns } };
    Word                      all = 0;
    rows.ForEachRow(cell.y, cell.z, [&](unsigned int row, unsigned int slice) {
      const Word word = packWord({ cell.x, cell.y * TBundle::Rows + row, cell.z * TBundle::Slices + slice });
      bits[rows.RowBegin(cell.y, cell.z, row, slice) + cell.x] = word;
      all |= word;
    });
    if constexpr (!TBundle::IsOneRow)
    {
      columns[IndexOf(bundles, cell)] = all;
    }
  }
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

/** Bits of an image's bundles, with memory for those of their columns. */
template <typename TBundle, typename TExecutor>
struct BundledBits
{
  using BufferType = decltype(std::declval<const TExecutor &>().template Allocate<Word>(0));

  BufferType          columns; // empty where bundles are rows
  BundleRows<TBundle> bundles;

  BundledBits(const TExecutor & executor, const BitRows & rows)
    : columns(executor.template Allocate<Word>(TBundle::IsOneRow ? 0 : TBundle::Of(rows.words).Count()))
    , bundles{ rows, { TBundle::Of(rows.words), TBundle::IsOneRow ? rows.bits : columns.get() } }
  {}
};

/** Packs an image to bits; `bits` has WordsOf(size) elements. */
template <typename TBundle, typename TPixel, typename TExecutor>
BundledBits<TBundle, TExecutor>
PackForeground(const TExecutor & executor, const TPixel * pixels, const Grid & size, Word * bits)
{
  BundledBits<TBundle, TExecutor> bundled(executor, { WordsOf(size), bits });
  executor.ForEach(bundled.bundles.columns.words,
                   Foreground::WriteWords<TBundle, TPixel>{ { pixels, size }, bits, bundled.columns.get() });
  return bundled;
}

/** Finds the columns of bundles that have a foreground pixel. */
template <typename TBundle, typename TExecutor>
BundledBits<TBundle, TExecutor>
BundleBits(const TExecutor & executor, const BitRows & rows)
{
  BundledBits<TBundle, TExecutor> bundled(executor, rows);
  if constexpr (!TBundle::IsOneRow)
  {
    executor.ForEach(bundled.bundles.columns.words, CollectColumns<TBundle>{ bundled.bundles, bundled.columns.get() });
  }
  return bundled;
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
