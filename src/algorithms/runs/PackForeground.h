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

/** Returns the bits of the pixels of one word. A cell is a word of a row. */
template <typename TPixel>
struct PackWordAt
{
  const TPixel * pixels;
  Grid           size;
  bool           isComplement; // whether pixels that are 0 are the foreground

  CCL_HOST_DEVICE
  Word
  operator()(const Cell & cell) const
  {
    const Word word = this->Pack(cell);
    return isComplement ? ComplementOfWord(word, size.x, cell.x) : word;
  }

private:
  CCL_HOST_DEVICE
  Word
  Pack(const Cell & cell) const
  {
    const std::uint64_t begin = cell.x * BitsPerWord;
    const TPixel *      first = pixels + IndexOf(size, { begin, cell.y, cell.z });
    if (begin + BitsPerWord > size.x)
    {
      return PackPixels(first, static_cast<unsigned int>(size.x - begin));
    }
#ifdef __CUDA_ARCH__
    if (reinterpret_cast<std::uintptr_t>(first) % sizeof(uint4) == 0)
    {
      return PackAlignedWord(first);
    }
    // PackUnalignedBytes() reads up to 3 bytes before and after the word. They must belong to the image.
    if (sizeof(TPixel) == 1 && first - pixels >= 4 && pixels + size.Count() - first >= BitsPerWord + 4)
    {
      return PackUnalignedBytes(reinterpret_cast<const unsigned char *>(first));
    }
#endif
    return PackWord(first);
  }
};

/** Writes the bits of the rows of a row group in one word, and the bits of its columns. A cell is a word of columns. */
template <typename TRowGroup, typename TPixel>
struct WriteWords
{
  PackWordAt<TPixel> packWord;
  Word *             bits;
  Word *             columns; // not used if a row group is one row

  CCL_HOST_DEVICE
  void
  operator()(const Cell & cell) const
  {
    const Grid                    words = WordsOf(packWord.size);
    const Grid                    groups = TRowGroup::GridOf(words);
    const RowGroupBits<TRowGroup> rows{ { words, bits }, { groups, columns } };
    Word                          all = 0;
    rows.ForEachRow(cell.y, cell.z, [&](unsigned int row, unsigned int slice) {
      const Word word = packWord({ cell.x, cell.y * TRowGroup::Rows + row, cell.z * TRowGroup::Slices + slice });
      bits[rows.RowBegin(cell.y, cell.z, row, slice) + cell.x] = word;
      all |= word;
    });
    if constexpr (!TRowGroup::IsOneRow)
    {
      columns[IndexOf(groups, cell)] = all;
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

/** The bits of the row groups of an image. Owns the memory of the columns, but not of the rows. */
template <typename TRowGroup, typename TExecutor>
struct GroupedBits
{
  using BufferType = decltype(std::declval<const TExecutor &>().template Allocate<Word>(0));

  BufferType              columns; // empty if a row group is one row
  RowGroupBits<TRowGroup> groups;

  GroupedBits(const TExecutor & executor, const BitRows & rows)
    : columns(executor.template Allocate<Word>(TRowGroup::IsOneRow ? 0 : TRowGroup::GridOf(rows.words).Count()))
    , groups{ rows, { TRowGroup::GridOf(rows.words), TRowGroup::IsOneRow ? rows.bits : columns.get() } }
  {}
};

/** Packs the pixels of an image to the bits of its rows and columns. `bits` has WordsOf(size) elements and gets the
 * bits of the rows. If `isComplement`, pixels that are 0 are the foreground. */
template <typename TRowGroup, typename TPixel, typename TExecutor>
GroupedBits<TRowGroup, TExecutor>
PackRowGroups(const TExecutor & executor,
              const TPixel *    pixels,
              const Grid &      size,
              Word *            bits,
              bool              isComplement = false)
{
  GroupedBits<TRowGroup, TExecutor> grouped(executor, { WordsOf(size), bits });
  executor.ForEach(
    grouped.groups.columns.words,
    PackForeground::WriteWords<TRowGroup, TPixel>{ { pixels, size, isComplement }, bits, grouped.columns.get() });
  return grouped;
}

/** Makes the bits of the columns from the bits of the rows. */
template <typename TRowGroup, typename TExecutor>
GroupedBits<TRowGroup, TExecutor>
CollectRowGroups(const TExecutor & executor, const BitRows & rows)
{
  GroupedBits<TRowGroup, TExecutor> grouped(executor, rows);
  if constexpr (!TRowGroup::IsOneRow)
  {
    executor.ForEach(grouped.groups.columns.words,
                     PackForeground::CollectColumns<TRowGroup>{ grouped.groups, grouped.columns.get() });
  }
  return grouped;
}

} // namespace itk::ccl

#endif
