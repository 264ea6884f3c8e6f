// SPDX-License-Identifier: Apache-2.0
#ifndef SegmentPacking_h
#define SegmentPacking_h

// From the pixels of a tile to the bits of its bundles.

#include "SegmentTiles.h"

namespace itk::ccl
{

namespace SegmentUnionFind
{

/** Packs a tile, and counts its segments where that is asked for. `pixels` is PixelRows, or what offers the same. */
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
    constexpr unsigned int       rowsOfBundle = Tile<TBundle>::RowsOfBundle;
    const BundleTiles<TBundle> & tiles = shared.tiles;
    const Tile<TBundle>          tile(shared, team);
    // Words of pixels as memory has them, which begin before the row; they lie where parents will.
    Word * const        aligned = tile.parents.byPlace;
    const std::uint32_t alignedWords = tiles.WordsOfRow() + 1;
    const FastDivision  divideByAlignedWords(alignedWords);
    team.ForEach(tile.box.Bundles() * rowsOfBundle * alignedWords, [&](std::uint32_t i) {
      const std::uint32_t   rowOfTile = divideByAlignedWords(i);
      const std::uint32_t   bundle = rowOfTile / rowsOfBundle;
      const unsigned int    row = rowOfTile % rowsOfBundle;
      const BundleWordPlace place = tiles.PlaceIn(tile.box, bundle, 0);
      if (tiles.HasRow(place, row % TBundle::Rows, row / TBundle::Rows))
      {
        aligned[i] = pixels.AlignedWord(tiles.PixelsBefore(place, row % TBundle::Rows, row / TBundle::Rows),
                                        i - rowOfTile * alignedWords);
      }
    });
    team.ForEach(tile.words, [&](std::uint32_t word) {
      const BundleWordPlace place = tile.PlaceOf(shared, word);
      const std::uint32_t   xEnd = (place.x + 1) * BitsPerWord;
      const Word            inRow =
        xEnd <= tiles.RowSize() ? ~Word{ 0 } : BitsThrough(tiles.RowSize() - place.x * BitsPerWord - 1);
      const std::uint32_t  firstRow = tiles.RowOfWord(word) * rowsOfBundle;
      BundledWord<TBundle> packed{};
      CCL_UNROLL
      for (unsigned int row = 0; row < rowsOfBundle; ++row)
      {
        if (tiles.HasRow(place, row % TBundle::Rows, row / TBundle::Rows))
        {
          const Word * const  first = aligned + (firstRow + row) * alignedWords + place.x;
          const std::uint64_t both = std::uint64_t{ first[1] } << BitsPerWord | first[0];
          const unsigned int  skipped =
            pixels.PixelsSkipped(tiles.PixelsBefore(place, row % TBundle::Rows, row / TBundle::Rows));
          packed.rows[row] = static_cast<Word>(both >> skipped) & inRow;
        }
      }
      tile.bits[word] = packed;
      if (tiles.HasRow(place, 0, 0))
      {
        shared.words[place.bundle * tiles.WordsOfRow() + place.x] = packed;
      }
    });
    if (shared.countsSegments)
    {
      const std::uint32_t segments = team.Sum(
        tile.words, [&](std::uint32_t word) { return CountBits(Segments::Starts(tile.bits[word].Columns())); });
      team.ForEach(1, [&](std::uint32_t) { shared.segmentCounts[tile.index] = segments; });
    }
  }
};

} // namespace SegmentUnionFind

} // namespace itk::ccl

#endif
