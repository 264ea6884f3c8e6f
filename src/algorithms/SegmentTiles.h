// SPDX-License-Identifier: Apache-2.0
#ifndef SegmentTiles_h
#define SegmentTiles_h

// What the tiles of SegmentUnionFind.h share, and what each has for itself.

#include "KnownPairs.h"
#include "RowTiles.h"
#include "Segments.h"

namespace itk::ccl
{

namespace SegmentUnionFind
{

// Marks among parents. Numbers of segments are lower than all of them.

/** With a root of a tile: other tiles may have segments of its component. */
inline constexpr std::uint32_t Exposed = std::uint32_t{ 1 } << 29;

/** With the rank of a root, among those of its tile. */
inline constexpr std::uint32_t Ranked = std::uint32_t{ 1 } << 30;

/** With the root of the component, which is another tile's, and at last with a label. */
inline constexpr std::uint32_t Settled = std::uint32_t{ 1 } << 31;

/** What the tiles share. */
struct Shared
{
  RowTiles        tiles;
  bool            fullyConnected;
  bool            countsSegments;
  Word *          bits;
  std::uint32_t * parents;
  std::uint32_t * segmentCounts; // of each tile
  std::uint32_t * rootCounts;
};

/** What a tile has for itself. Its words and segments are counted from its first ones on. */
struct Tile
{
  std::uint32_t   index;
  std::uint32_t   firstRow;
  std::uint32_t   rows;
  std::uint32_t   words;
  std::uint32_t   firstWord;
  std::uint32_t   firstSegment;
  KnownPairs      pairs;
  Word *          bits;
  std::uint32_t * parents;
  std::uint32_t * rootsBefore; // each tile

  template <typename TTeam>
  CCL_HOST_DEVICE
  Tile(const RowTiles & tiles, const TTeam & team)
    : index(team.index)
    , firstRow(tiles.FirstRow(index))
    , rows(tiles.RowsOf(index))
    , words(rows * tiles.WordsOfRow())
    , firstWord(firstRow * tiles.WordsOfRow())
    , firstSegment(firstWord * Segments::PerWord)
    , pairs{ team.memory }
    , bits(reinterpret_cast<Word *>(pairs.pairs + KnownPairs::Count))
    , parents(bits + tiles.WordsOfTile())
    , rootsBefore(parents + tiles.WordsOfTile() * Segments::PerWord)
  {}

  /** How many elements of 64 bits that takes. */
  static std::uint64_t
  MemoryOf(const RowTiles & tiles)
  {
    return KnownPairs::Count +
           DivideUp(std::uint64_t{ tiles.WordsOfTile() } * (1 + Segments::PerWord) + tiles.Count(), 2);
  }

  /** Calls visit(segment) for the segments of a word that start at some of its bits, which lie side by side. */
  template <typename TVisitor>
  CCL_HOST_DEVICE
  void
  ForEachSegment(std::uint32_t word, Word mask, const TVisitor & visit) const
  {
    const Word          starts = Segments::Starts(bits[word]);
    const std::uint32_t first = word * Segments::PerWord + CountBits(starts & ((mask & (~mask + 1)) - 1));
    const std::uint32_t end = first + CountBits(starts & mask);
    for (std::uint32_t segment = first; segment < end; ++segment)
    {
      visit(segment);
    }
  }

  /** As above, for a part of a word. */
  template <typename TVisitor>
  CCL_HOST_DEVICE
  void
  ForEachSegment(const Parts & parts, std::uint32_t part, const TVisitor & visit) const
  {
    this->ForEachSegment(parts.WordOf(part), parts.MaskOf(part), visit);
  }

  /** The words at the tile's two ends, of rows that may have neighbours in other tiles. */
  CCL_HOST_DEVICE
  Parts
  PartsAtEnds(const RowTiles & tiles) const
  {
    const std::uint32_t atEnds = 2 * tiles.RowsWithNeighborsElsewhere(index) * tiles.WordsOfRow();
    return Parts(atEnds < words ? atEnds : words);
  }

  /** Which word of the tile has a part at its ends. */
  CCL_HOST_DEVICE
  std::uint32_t
  WordAtEnds(const Parts & atEnds, std::uint32_t part) const
  {
    const std::uint32_t word = atEnds.WordOf(part);
    return word < atEnds.words / 2 ? word : word + words - atEnds.words;
  }
};

} // namespace SegmentUnionFind

} // namespace itk::ccl

#endif
