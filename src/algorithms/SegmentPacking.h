// SPDX-License-Identifier: Apache-2.0
#ifndef SegmentPacking_h
#define SegmentPacking_h

// From the pixels of a tile to the bits of its bundles.

#include "SegmentTiles.h"

namespace itk::ccl
{

namespace SegmentUnionFind
{

/** Packs a tile, and counts its segments where that is asked for; clears what the tile has for later. `pixels` is
 * PixelRows, or what gives them by Visit(). */
template <typename TBundle, typename TPixelRows>
struct PackTile
{
  Shared<TBundle> shared;
  TPixelRows      pixels;

  CCL_NO_EXECUTION_CHECK
  template <typename TTeam>
  CCL_HOST_DEVICE
  void
  operator()(const TTeam & team) const
  {
    const Tile<TBundle> tile(shared, team);
    pixels.Visit([&](const auto & rows) { this->Pack(team, tile, rows); });
    if (shared.countsSegments)
    {
      const std::uint32_t segments = team.Sum(
        tile.words, [&](std::uint32_t word) { return CountBits(Segments::Starts(tile.bits[word].Columns())); });
      team.Once([&] { shared.segmentCounts[tile.index] = segments; });
    }
  }

private:
  static constexpr unsigned int RowsOfBundle = Tile<TBundle>::RowsOfBundle;

  CCL_NO_EXECUTION_CHECK
  template <typename TTeam, typename TRows>
  CCL_HOST_DEVICE
  void
  Pack(const TTeam & team, const Tile<TBundle> & tile, const TRows & rows) const
  {
    if (TBundle::IsOneRow && rows.AreAligned())
    {
      team.ForEach(tile.words, [&](std::uint32_t word) {
        const BundleWordPlace place = tile.PlaceOf(shared, word);
        this->Keep(tile, word, place, [&](unsigned int, std::uint32_t pixelsBefore) {
          return rows.AlignedWord(pixelsBefore, place.x);
        });
      });
      return;
    }
    // First words of pixels as memory has them, which begin before the row; they lie where parents will.
    const BundleTiles<TBundle> & tiles = shared.tiles;
    Word * const                 aligned = tile.parents.byPlace;
    const std::uint32_t          alignedWords = tiles.WordsOfRow() + 1;
    const FastDivision           divideByAlignedWords(alignedWords);
    team.ForEach(tile.box.Bundles() * RowsOfBundle * alignedWords, [&](std::uint32_t alignedWord) {
      const std::uint32_t   rowOfTile = divideByAlignedWords(alignedWord);
      const unsigned int    row = rowOfTile % RowsOfBundle;
      const BundleWordPlace place = tiles.PlaceIn(tile.box, rowOfTile / RowsOfBundle, 0);
      if (tiles.HasRow(place, row % TBundle::Rows, row / TBundle::Rows))
      {
        aligned[alignedWord] = rows.AlignedWord(tiles.PixelsBefore(place, row % TBundle::Rows, row / TBundle::Rows),
                                                alignedWord - rowOfTile * alignedWords);
      }
    });
    team.ForEach(tile.words, [&](std::uint32_t word) {
      const BundleWordPlace place = tile.PlaceOf(shared, word);
      const std::uint32_t   xEnd = (place.x + 1) * BitsPerWord;
      const Word            inRow =
        xEnd <= tiles.RowSize() ? ~Word{ 0 } : BitsThrough(tiles.RowSize() - place.x * BitsPerWord - 1);
      const std::uint32_t firstRow = tiles.RowOfWord(word) * RowsOfBundle;
      this->Keep(tile, word, place, [&](unsigned int row, std::uint32_t pixelsBefore) {
        const Word * const  first = aligned + (firstRow + row) * alignedWords + place.x;
        const std::uint64_t both = std::uint64_t{ first[1] } << BitsPerWord | first[0];
        return static_cast<Word>(both >> rows.PixelsSkipped(pixelsBefore)) & inRow;
      });
    });
  }

  /** Keeps the bits of a bundle's word, of which bitsOf(row, pixels before the row) gives those of each row, and clears
   * its marks. */
  template <typename TFunction>
  CCL_HOST_DEVICE
  void
  Keep(const Tile<TBundle> & tile, std::uint32_t word, const BundleWordPlace & place, const TFunction & bitsOf) const
  {
    const BundleTiles<TBundle> & tiles = shared.tiles;
    BundledWord<TBundle>         packed{};
    CCL_UNROLL
    for (unsigned int row = 0; row < RowsOfBundle; ++row)
    {
      if (tiles.HasRow(place, row % TBundle::Rows, row / TBundle::Rows))
      {
        packed.rows[row] = bitsOf(row, tiles.PixelsBefore(place, row % TBundle::Rows, row / TBundle::Rows));
      }
    }
    tile.bits[word] = packed;
    tile.ClearRootMarks(word);
    if (tiles.HasRow(place, 0, 0))
    {
      shared.words[place.bundle * tiles.WordsOfRow() + place.x] = packed;
    }
  }
};

} // namespace SegmentUnionFind

} // namespace itk::ccl

#endif
