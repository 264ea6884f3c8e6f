// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_algorithms_runs_MaskWriteOut_h
#define ccl_algorithms_runs_MaskWriteOut_h

// The write-out of a mask: first the bits of the pixels whose runs have labels, then the pixels of an image. No image
// of labels is made.

#include "primitives/LabelValues.h"
#include "primitives/Runs.h"

#include <algorithm>
#include <cstdint>

namespace itk::ccl
{

namespace MaskWriteOut
{

/** Kernel functor that writes the bits of the pixels whose run has a label. A cell is a word of columns. */
template <typename TRowGroup, typename TRun>
struct StoreBits
{
  IndexedRuns<TRowGroup, TRun> runs;
  const TRun *                 labels;
  Word *                       mask; // as many words as runs.groups.rows

  CCL_HOST_DEVICE
  void
  operator()(const Cell & word) const
  {
    Word selected = 0;
    for (auto list = runs.RunsIn(word); !list.IsAtEnd();)
    {
      Word       columns = 0;
      const TRun run = list.Next(columns);
      selected |= labels[run] == NoLabel<TRun> ? 0 : columns;
    }
    runs.groups.ForEachRow(word.y, word.z, [&](unsigned int row, unsigned int slice) {
      const std::uint64_t at = runs.groups.RowBegin(word.y, word.z, row, slice) + word.x;
      mask[at] = runs.groups.rows.bits[at] & selected;
    });
  }
};

/** Kernel functor that writes an image: a value to the pixels with a bit of `isInside`, and the pixels of the input to
 * all others. A cell is 16 bytes of the output, in the order of memory, so they may lie in several rows. The first cell
 * starts at an aligned address, and so it may start before the output. */
template <typename TPixel, typename TIndex>
struct FillPixels
{
  static constexpr unsigned int PixelsPerCell = 16 / sizeof(TPixel);

  BitRows        mask;
  const TPixel * input;
  Grid           size;
  bool           isInside;
  TPixel         value;
  TPixel *       output;

  /** Returns the number of pixels between the start of the first cell and the output. */
  CCL_HOST_DEVICE
  static unsigned int
  MisalignmentOf(const TPixel * pixels)
  {
    return reinterpret_cast<std::uintptr_t>(pixels) % 16 / sizeof(TPixel);
  }

  CCL_HOST_DEVICE
  Grid
  GetCells() const
  {
    return Grid{ DivideUp(size.Count() + MisalignmentOf(output), PixelsPerCell) };
  }

  CCL_HOST_DEVICE
  void
  operator()(const Cell & cell) const
  {
    const unsigned int  misalignment = MisalignmentOf(output);
    const unsigned int  skipped = cell.x == 0 ? misalignment : 0; // pixels of the cell before the output
    const std::uint64_t first = cell.x * PixelsPerCell + skipped - misalignment;
    const std::uint64_t rest = size.Count() - first;
    const unsigned int  count =
      rest < PixelsPerCell - skipped ? static_cast<unsigned int>(rest) : PixelsPerCell - skipped;
    const unsigned int all = (1U << count) - 1;
    const unsigned int bits = this->BitsFrom(static_cast<TIndex>(first), count);
    const unsigned int filled = isInside ? bits : ~bits & all;

    struct alignas(16) Pixels
    {
      TPixel values[PixelsPerCell];
    };
    const bool isWhole = count == PixelsPerCell;
    if (isWhole && (filled == all || MisalignmentOf(input) == misalignment))
    {
      Pixels pixels{};
      if (filled != all)
      {
        pixels = *reinterpret_cast<const Pixels *>(input + first);
      }
      CCL_UNROLL
      for (unsigned int i = 0; i < PixelsPerCell; ++i)
      {
        pixels.values[i] = (filled >> i & 1U) != 0 ? value : pixels.values[i];
      }
      *reinterpret_cast<Pixels *>(output + first) = pixels;
      return;
    }
    for (unsigned int i = 0; i < count; ++i)
    {
      output[first + i] = (filled >> i & 1U) != 0 ? value : input[first + i];
    }
  }

private:
  /** Returns the bits of `count` pixels, from a raster index on. */
  CCL_HOST_DEVICE
  unsigned int
  BitsFrom(TIndex first, unsigned int count) const
  {
    const auto   rowSize = static_cast<TIndex>(size.x);
    TIndex       row = first / rowSize;
    TIndex       x = first - row * rowSize;
    unsigned int bits = 0;
    for (unsigned int found = 0; found < count;)
    {
      const auto   bit = static_cast<unsigned int>(x % BitsPerWord);
      const TIndex left = rowSize - x; // pixels to the end of the row
      const Word   word = mask.bits[row * static_cast<TIndex>(mask.words.x) + x / BitsPerWord] >> bit;
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
StoreMask(const TExecutor & executor, const IndexedRuns<TRowGroup, TRun> & runs, const TRun * labels, Word * mask)
{
  executor.ForEach(runs.groups.columns.words, MaskWriteOut::StoreBits<TRowGroup, TRun>{ runs, labels, mask });
}

/** Writes an image: a value to the pixels inside a mask, or to the pixels outside it, and the pixels of the input to
 * all others. `output` may be `input`.
 * \tparam TIndex a type that holds all raster indices of the image */
template <typename TIndex, typename TPixel, typename TExecutor>
void
FillPixelsOfMask(const TExecutor & executor,
                 const BitRows &   mask,
                 const TPixel *    input,
                 const Grid &      size,
                 bool              isInside,
                 TPixel            value,
                 TPixel *          output)
{
  const MaskWriteOut::FillPixels<TPixel, TIndex> functor{ mask, input, size, isInside, value, output };
  executor.ForEach(functor.GetCells(), functor);
}

} // namespace itk::ccl

#endif
