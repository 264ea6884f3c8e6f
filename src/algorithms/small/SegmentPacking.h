// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_algorithms_small_SegmentPacking_h
#define ccl_algorithms_small_SegmentPacking_h

// Converts the pixels of a tile to the bits of its row groups. This is the first phase of SegmentUnionFind.h.

#include "algorithms/small/SegmentTile.h"

namespace itk::ccl
{

namespace SegmentUnionFind
{

/** Packs the pixels of a tile to bits, and clears the root bits of the tile. Counts the tile's segments if
 * `shared.countsSegments` is true. `pixels` is a PixelRows, or another type whose Visit() calls a function with a
 * PixelRows. */
template <typename TRowGroup, typename TPixelRows>
struct PackTile
{
  Shared<TRowGroup> shared;
  TPixelRows        pixels;

  CCL_NO_EXECUTION_CHECK
  template <typename TThreadBlock>
  CCL_HOST_DEVICE
  void
  operator()(const TThreadBlock & threadBlock) const
  {
    const Tile<TRowGroup> tile(shared, threadBlock);
    pixels.Visit([&](const auto & rows) { this->Pack(threadBlock, tile, rows); });
    if (shared.countsSegments)
    {
      const std::uint32_t segments = threadBlock.Reduce(
        tile.words, [&](std::uint32_t word) { return CountBits(Segments::Starts(tile.bits[word].Columns())); });
      threadBlock.Once([&] { shared.segmentCounts[tile.index] = segments; });
    }
  }

private:
  static constexpr unsigned int RowsOfRowGroup = Tile<TRowGroup>::RowsOfRowGroup;

  CCL_NO_EXECUTION_CHECK
  template <typename TThreadBlock, typename TRows>
  CCL_HOST_DEVICE
  void
  Pack(const TThreadBlock & threadBlock, const Tile<TRowGroup> & tile, const TRows & rows) const
  {
    if (TRowGroup::IsOneRow && rows.AreAligned())
    {
      threadBlock.ForEach(tile.words, [&](std::uint32_t word) {
        const WordPosition position = tile.PositionOf(shared, word);
        this->StoreWord(tile, word, position, [&](unsigned int, std::uint32_t rowBegin) {
          return rows.AlignedWord(rowBegin, position.x);
        });
      });
      return;
    }
    // Aligned words are shifted against the words of the row. So first read the aligned words of each row, and then
    // join two of them to each word of the row. The memory of the parents holds the aligned words, as it is not in use
    // yet.
    const TileLayout<TRowGroup> & tiles = shared.tiles;
    Word * const                  aligned = tile.parents.bySlot;
    const std::uint32_t           alignedWords = tiles.WordsOfRow() + 1;
    const FastDivision            divideByAlignedWords(alignedWords);
    threadBlock.ForEach(tile.box.RowGroups() * RowsOfRowGroup * alignedWords, [&](std::uint32_t alignedWord) {
      const std::uint32_t rowOfTile = divideByAlignedWords(alignedWord);
      const unsigned int  row = rowOfTile % RowsOfRowGroup;
      const WordPosition  position = tiles.PositionIn(tile.box, rowOfTile / RowsOfRowGroup, 0);
      if (tiles.HasRow(position, row % TRowGroup::Rows, row / TRowGroup::Rows))
      {
        aligned[alignedWord] =
          rows.AlignedWord(tiles.PixelsBefore(position, row % TRowGroup::Rows, row / TRowGroup::Rows),
                           alignedWord - rowOfTile * alignedWords);
      }
    });
    threadBlock.ForEach(tile.words, [&](std::uint32_t word) {
      const WordPosition  position = tile.PositionOf(shared, word);
      const std::uint32_t xEnd = (position.x + 1) * BitsPerWord;
      const Word          inRow =
        xEnd <= tiles.RowSize() ? ~Word{ 0 } : BitsThrough(tiles.RowSize() - position.x * BitsPerWord - 1);
      const std::uint32_t firstRow = tiles.RowOfWord(word) * RowsOfRowGroup;
      this->StoreWord(tile, word, position, [&](unsigned int row, std::uint32_t rowBegin) {
        const Word * const  first = aligned + (firstRow + row) * alignedWords + position.x;
        const std::uint64_t both = std::uint64_t{ first[1] } << BitsPerWord | first[0];
        return static_cast<Word>(both >> rows.PixelsSkipped(rowBegin)) & inRow;
      });
    });
  }

  /** Stores one word of a row group in the tile and in global memory, and clears the root bits of the word.
   * `bitsOf(row, rowBegin)` returns the bits of one row. `rowBegin` is the index of the row's first pixel. */
  template <typename TFunction>
  CCL_HOST_DEVICE
  void
  StoreWord(const Tile<TRowGroup> & tile,
            std::uint32_t           word,
            const WordPosition &    position,
            const TFunction &       bitsOf) const
  {
    const TileLayout<TRowGroup> & tiles = shared.tiles;
    RowGroupWord<TRowGroup>       packed{};
    CCL_UNROLL
    for (unsigned int row = 0; row < RowsOfRowGroup; ++row)
    {
      if (tiles.HasRow(position, row % TRowGroup::Rows, row / TRowGroup::Rows))
      {
        packed.rows[row] = bitsOf(row, tiles.PixelsBefore(position, row % TRowGroup::Rows, row / TRowGroup::Rows));
      }
    }
    tile.bits[word] = packed;
    tile.ClearRootBits(word);
    // A box can extend past the end of the image.
    if (tiles.HasRow(position, 0, 0))
    {
      shared.words[position.group * tiles.WordsOfRow() + position.x] = packed;
    }
  }
};

} // namespace SegmentUnionFind

} // namespace itk::ccl

#endif
