// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_algorithms_runs_PackForeground_h
#define ccl_algorithms_runs_PackForeground_h

// Makes the bits of row groups, from the pixels of an image or from the bits of its rows.

#include "primitives/PackPixels.h"
#include "primitives/RowGroups.h"

#include <utility>

namespace itk::ccl
{

namespace PackForeground
{

/** Returns the bits of the pixels of one word. A cell is a word of a row of the stack. */
template <typename TPixel>
struct PackWordAt
{
  StackPixels<const TPixel> pixels;
  ImageStack                stack;
  bool                      isComplement; // whether pixels that are 0 are the foreground

  CCL_HOST_DEVICE
  Word
  operator()(const Cell & cell) const
  {
    const std::uint64_t image = stack.ImageOf(cell.z);
    if (!stack.HasPixels(cell.z, image))
    {
      return 0;
    }
    const Word word = this->Pack(pixels.Row(stack, cell.y, cell.z, image), cell.x * BitsPerWord);
    return isComplement ? ComplementOfWord(word, stack.size.x, cell.x) : word;
  }

private:
  /** Packs the pixels of a row from x on. */
  CCL_HOST_DEVICE
  Word
  Pack(const TPixel * row, std::uint64_t x) const
  {
    const std::uint64_t rowSize = stack.size.x;
    const TPixel *      first = row + x;
    if (x + BitsPerWord > rowSize)
    {
      return PackPixels(first, static_cast<unsigned int>(rowSize - x));
    }
#ifdef __CUDA_ARCH__
    if (reinterpret_cast<std::uintptr_t>(first) % sizeof(uint4) == 0)
    {
      return PackAlignedWord(first);
    }
    // PackUnalignedBytes() reads up to 3 bytes before and after the word. They must belong to the images.
    if (sizeof(TPixel) == 1)
    {
      const bool isInside = pixels.isContiguous ? first - pixels.pixels >= 4 &&
                                                    pixels.pixels + this->CountPixels() - first >= BitsPerWord + 4
                                                : x >= 4 && x + BitsPerWord + 4 <= rowSize;
      if (isInside)
      {
        return PackUnalignedBytes(reinterpret_cast<const unsigned char *>(first));
      }
    }
#endif
    return PackWord(first);
  }

  CCL_HOST_DEVICE
  std::int64_t
  CountPixels() const
  {
    return static_cast<std::int64_t>(stack.size.Count() * stack.images);
  }
};

/** Writes the bits of the rows of a row group in one word, and the bits of its columns. A cell is a word of columns. */
template <typename TRowGroup, typename TPixel>
struct WriteWords
{
  PackWordAt<TPixel>      packWord;
  RowGroupBits<TRowGroup> groups;
  Word *                  bits;
  Word *                  columns; // not used if a row group is one row

  CCL_HOST_DEVICE
  void
  operator()(const Cell & cell) const
  {
    Word all = 0;
    groups.ForEachRow(cell.y, cell.z, [&](unsigned int row, unsigned int slice) {
      const Word word = packWord({ cell.x, cell.y * TRowGroup::Rows + row, cell.z * TRowGroup::Slices + slice });
      bits[groups.RowBegin(cell.y, cell.z, row, slice) + cell.x] = word;
      all |= word;
    });
    if constexpr (!TRowGroup::IsOneRow)
    {
      columns[IndexOf(groups.columns.words, cell)] = all;
    }
  }
};

/** Kernel functor that writes the bits of the columns of each row group. A cell is a word of columns. */
template <typename TRowGroup>
struct CollectColumns
{
  RowGroupBits<TRowGroup> groups;
  Word *                  columns;

  CCL_HOST_DEVICE
  void
  operator()(const Cell & word) const
  {
    columns[IndexOf(groups.columns.words, word)] = groups.Facing(word.y, word.z, word.x);
  }
};

} // namespace PackForeground

/** The bits of the row groups of a stack. Owns the memory of the columns, but not of the rows. */
template <typename TRowGroup, typename TExecutor>
struct GroupedBits
{
  using BufferType = decltype(std::declval<const TExecutor &>().template Allocate<Word>(0));

  BufferType              columns; // empty if a row group is one row
  RowGroupBits<TRowGroup> groups;

  GroupedBits(const TExecutor & executor, const ImageStack & stack, const Word * rows)
    : columns(
        executor.template Allocate<Word>(TRowGroup::IsOneRow ? 0 : TRowGroup::GridOf(WordsOf(stack.GetGrid())).Count()))
    , groups(stack, rows, columns.get())
  {}
};

/** Packs the pixels of a stack to the bits of its rows and columns. `bits` has an element for each word of the stack,
 * and gets the bits of the rows. If `isComplement`, pixels that are 0 are the foreground. */
template <typename TRowGroup, typename TPixel, typename TExecutor>
GroupedBits<TRowGroup, TExecutor>
PackRowGroups(const TExecutor &                 executor,
              const StackPixels<const TPixel> & pixels,
              const ImageStack &                stack,
              Word *                            bits,
              bool                              isComplement = false)
{
  GroupedBits<TRowGroup, TExecutor> grouped(executor, stack, bits);
  executor.ForEach(grouped.groups.columns.words,
                   PackForeground::WriteWords<TRowGroup, TPixel>{
                     { pixels, stack, isComplement }, grouped.groups, bits, grouped.columns.get() });
  return grouped;
}

/** Does the same for one image without gaps. */
template <typename TRowGroup, typename TPixel, typename TExecutor>
GroupedBits<TRowGroup, TExecutor>
PackRowGroups(const TExecutor & executor,
              const TPixel *    pixels,
              const Grid &      size,
              Word *            bits,
              bool              isComplement = false)
{
  return PackRowGroups<TRowGroup, TPixel>(
    executor, StackPixels<const TPixel>::Of(pixels, size), ImageStack(size), bits, isComplement);
}

/** Makes the bits of the columns from the bits of the rows. */
template <typename TRowGroup, typename TExecutor>
GroupedBits<TRowGroup, TExecutor>
CollectRowGroups(const TExecutor & executor, const ImageStack & stack, const Word * rows)
{
  GroupedBits<TRowGroup, TExecutor> grouped(executor, stack, rows);
  if constexpr (!TRowGroup::IsOneRow)
  {
    executor.ForEach(grouped.groups.columns.words,
                     PackForeground::CollectColumns<TRowGroup>{ grouped.groups, grouped.columns.get() });
  }
  return grouped;
}

} // namespace itk::ccl

#endif
