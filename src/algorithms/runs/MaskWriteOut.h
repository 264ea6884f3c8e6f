// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_algorithms_runs_MaskWriteOut_h
#define ccl_algorithms_runs_MaskWriteOut_h

// The write-out of a mask: first the bits of the pixels whose runs have labels, then the pixels of an image. No image
// of labels is made.

#include "primitives/LabelValues.h"
#include "primitives/Runs.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

namespace itk::ccl
{

namespace MaskWriteOut
{

/** Returns the columns of a word whose run has a label. */
template <typename TRowGroup, typename TRun>
CCL_HOST_DEVICE
inline Word
SelectedColumns(const IndexedRuns<TRowGroup, TRun> & runs, const RanksOfRuns<TRun> & ranks, const Cell & word)
{
  Word selected = 0;
  for (auto list = runs.RunsIn(word); !list.IsAtEnd();)
  {
    Word       columns = 0;
    const TRun run = list.Next(columns);
    selected |= ranks[run] == NoLabel<TRun> ? 0 : columns;
  }
  return selected;
}

/** Kernel functor that writes the bits of the pixels whose run has a label. A cell is a word of columns. */
template <typename TRowGroup, typename TRun>
struct StoreBits
{
  IndexedRuns<TRowGroup, TRun> runs;
  RanksOfRuns<TRun>            ranks;
  Word *                       mask; // as many words as runs.groups.rows

  CCL_HOST_DEVICE
  void
  operator()(const Cell & word) const
  {
    const Word selected = SelectedColumns(runs, ranks, word);
    runs.groups.ForEachRow(word.y, word.z, [&](unsigned int row, unsigned int slice) {
      const std::uint64_t at = runs.groups.RowBegin(word.y, word.z, row, slice) + word.x;
      mask[at] = runs.groups.rows.bits[at] & selected;
    });
  }
};

/** Kernel functor that writes an image: a value to the pixels with a bit of `isInside`, and the pixels of the input to
 * all others. A cell is a vector of 16 bytes of the output, in the order of memory, so its pixels may lie in several
 * rows. The first vector starts at an aligned address, so it may start before the output. */
template <typename TPixel, typename TIndex>
struct FillPixels
{
  static_assert(std::is_unsigned<TPixel>::value, "pixels are bit patterns");

  static constexpr unsigned int PixelsPerVector = 16 / sizeof(TPixel);
  static constexpr unsigned int WordsPerVector = 16 / sizeof(Word);

  BitRows        mask;
  const TPixel * input;
  ImageStack     stack;
  bool           isInside;
  TPixel         value;
  TPixel *       output;

  CCL_HOST_DEVICE
  Grid
  GetCells() const
  {
    return Grid{ DivideUp(this->CountPixels() + MisalignmentOf(output), PixelsPerVector) };
  }

  CCL_HOST_DEVICE
  void
  operator()(const Cell & cell) const
  {
    const unsigned int  misalignment = MisalignmentOf(output);
    const unsigned int  skipped = cell.x == 0 ? misalignment : 0; // pixels of the vector before the output
    const std::uint64_t first = cell.x * PixelsPerVector + skipped - misalignment;
    const std::uint64_t rest = this->CountPixels() - first;
    const unsigned int  count =
      rest < PixelsPerVector - skipped ? static_cast<unsigned int>(rest) : PixelsPerVector - skipped;
    const unsigned int all = (1U << count) - 1;
    const unsigned int bits = this->BitsFrom(static_cast<TIndex>(first), count);
    const unsigned int filled = isInside ? bits : ~bits & all;
    if (filled == 0 && input == output)
    {
      return;
    }
    if (count == PixelsPerVector && (filled == all || MisalignmentOf(input) == misalignment))
    {
      Word pixels[WordsPerVector] = {};
      if (filled != all)
      {
        memcpy(pixels, CCL_ASSUME_ALIGNED(input + first, 16), sizeof(pixels));
      }
      this->FillWords(filled, pixels);
      memcpy(CCL_ASSUME_ALIGNED(output + first, 16), pixels, sizeof(pixels));
      return;
    }
    for (unsigned int i = 0; i < count; ++i)
    {
      output[first + i] = (filled >> i & 1U) != 0 ? value : input[first + i];
    }
  }

private:
  /** The lowest bit of each pixel in a word. */
  static constexpr Word LowestBits = sizeof(TPixel) == 1 ? 0x01010101U : sizeof(TPixel) == 2 ? 0x00010001U : 1;

  /** All bits of a pixel, or of the words of a pixel of 64 bits. */
  static constexpr Word AllBits = static_cast<Word>(std::numeric_limits<TPixel>::max());

  CCL_HOST_DEVICE
  std::uint64_t
  CountPixels() const
  {
    return stack.size.Count() * stack.images;
  }

  /** Returns the index of a row of pixels in the mask. */
  CCL_HOST_DEVICE
  TIndex
  RowOfMask(TIndex row) const
  {
    const auto emptyRows = static_cast<TIndex>((stack.slices - stack.size.z) * stack.size.y); // after each image
    return emptyRows == 0 ? row : row + row / static_cast<TIndex>(stack.size.y * stack.size.z) * emptyRows;
  }

  /** Returns the number of pixels between the last aligned address and the first pixel. */
  CCL_HOST_DEVICE
  static unsigned int
  MisalignmentOf(const TPixel * pixels)
  {
    return reinterpret_cast<std::uintptr_t>(pixels) % 16 / sizeof(TPixel);
  }

  /** Writes the value to the pixels of a vector that have a bit of `filled`. Work on words is faster than on pixels. */
  CCL_HOST_DEVICE
  void
  FillWords(unsigned int filled, Word (&words)[WordsPerVector]) const
  {
    CCL_UNROLL
    for (unsigned int word = 0; word < WordsPerVector; ++word)
    {
      // A pixel of 64 bits has two words. Smaller pixels are repeated in a word.
      const auto bits = static_cast<std::uint64_t>(value);
      const Word values =
        sizeof(TPixel) == 8 ? static_cast<Word>(bits >> 32 * (word % 2)) : static_cast<Word>(bits) * LowestBits;
      const Word filledBits = ExpandBits(filled, word);
      words[word] = (values & filledBits) | (words[word] & ~filledBits);
    }
  }

  /** Returns a word of a vector in which all bits of a pixel equal the pixel's bit in `bits`. */
  CCL_HOST_DEVICE
  static Word
  ExpandBits(unsigned int bits, unsigned int word)
  {
    if constexpr (sizeof(TPixel) == 8)
    {
      return (bits >> word / 2 & 1U) * AllBits;
    }
    else
    {
      // The product has the bit of pixel k of the word at the lowest bit of this pixel.
      constexpr unsigned int pixelsPerWord = sizeof(Word) / sizeof(TPixel);
      constexpr Word         spread = sizeof(TPixel) == 1 ? 0x00204081U : sizeof(TPixel) == 2 ? 0x8001U : 1;
      const Word             bitsOfWord = bits >> word * pixelsPerWord & ((1U << pixelsPerWord) - 1);
      return (bitsOfWord * spread & LowestBits) * AllBits;
    }
  }

  /** Returns the bits of `count` pixels, from a raster index on. */
  CCL_HOST_DEVICE
  unsigned int
  BitsFrom(TIndex first, unsigned int count) const
  {
    const auto   rowSize = static_cast<TIndex>(stack.size.x);
    TIndex       row = first / rowSize;
    TIndex       x = first - row * rowSize;
    unsigned int bits = 0;
    for (unsigned int found = 0; found < count;)
    {
      const auto   bit = static_cast<unsigned int>(x % BitsPerWord);
      const TIndex left = rowSize - x; // pixels to the end of the row
      const Word   word = mask.bits[this->RowOfMask(row) * static_cast<TIndex>(mask.words.x) + x / BitsPerWord] >> bit;
      bits |= word << found;
      const unsigned int step = left < BitsPerWord - bit ? static_cast<unsigned int>(left) : BitsPerWord - bit;
      found += step;
      x += step;
      if (x == rowSize)
      {
        x = 0;
        ++row;
      }
    }
    return bits & ((1U << count) - 1);
  }
};

} // namespace MaskWriteOut

/** Writes the bits of the pixels whose run has a label. `mask` has as many words as the rows of the image. */
template <typename TRowGroup, typename TRun, typename TExecutor>
void
StoreMask(const TExecutor &                    executor,
          const IndexedRuns<TRowGroup, TRun> & runs,
          const RanksOfRuns<TRun> &            ranks,
          Word *                               mask)
{
  executor.ForEach(runs.groups.columns.words, MaskWriteOut::StoreBits<TRowGroup, TRun>{ runs, ranks, mask });
}

/** Writes the images of a stack: a value to the pixels inside a mask, or to the pixels outside it, and the pixels of
 * the input to all others. The images have no gaps. `output` may be `input`.
 * \tparam TPixel the unsigned integer of the size of a pixel
 * \tparam TIndex a type that holds all raster indices of the image */
template <typename TIndex, typename TPixel, typename TExecutor>
void
FillPixelsOfMask(const TExecutor &  executor,
                 const BitRows &    mask,
                 const TPixel *     input,
                 const ImageStack & stack,
                 bool               isInside,
                 TPixel             value,
                 TPixel *           output)
{
  const MaskWriteOut::FillPixels<TPixel, TIndex> functor{ mask, input, stack, isInside, value, output };
  executor.ForEach(functor.GetCells(), functor);
}

} // namespace itk::ccl

#endif
