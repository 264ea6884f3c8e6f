// SPDX-License-Identifier: Apache-2.0
#ifndef SegmentTiles_h
#define SegmentTiles_h

// What the tiles of SegmentUnionFind.h share, and what each has for itself.

#include "PairTable.h"
#include "Segments.h"

namespace itk::ccl
{

namespace SegmentUnionFind
{

// Marks among parents. Numbers of segments are lower than all of them.

/** With a root of a tile: other tiles may have segments of its component. */
inline constexpr std::uint32_t Exposed = std::uint32_t{ 1 } << 29;

/** With the rank of a root, among those of its piece. */
inline constexpr std::uint32_t Ranked = std::uint32_t{ 1 } << 30;

/** With the root of the component, which is another tile's, and at last with a label. */
inline constexpr std::uint32_t Settled = std::uint32_t{ 1 } << 31;

/** The parents of segments that are given by their numbers: an array, of which the first element is at a place. */
template <typename TBundle>
struct SegmentParents
{
  SegmentNumbers<TBundle> numbers;
  std::uint32_t *         parents;
  std::uint32_t           firstPlace;

  CCL_HOST_DEVICE
  std::uint32_t *
  operator+(std::uint32_t number) const
  {
    return parents + (numbers.PlaceOf(number) - firstPlace);
  }

  CCL_HOST_DEVICE
  std::uint32_t &
  operator[](std::uint32_t number) const
  {
    return *(*this + number);
  }
};

/** What the tiles share. */
template <typename TBundle>
struct Shared
{
  BundleTiles<TBundle>    tiles;
  SegmentNumbers<TBundle> numbers;
  bool                    countsSegments;
  bool                    listsSegments;
  BundledWord<TBundle> *  words;
  SegmentParents<TBundle> parents;
  std::uint32_t *         segmentCounts; // of each tile
  std::uint32_t *         rootCounts;    // of each piece
};

/** What a tile has for itself: what it must, and, where listsSegments, a list of its segments, by which its threads
 * share them evenly. */
template <typename TBundle>
struct Tile
{
  static constexpr unsigned int RowsOfBundle = TBundle::Rows * TBundle::Slices;

  std::uint32_t           index;
  std::uint32_t           firstBundle;
  std::uint32_t           bundles;
  std::uint32_t           words; // of all bundles
  std::uint32_t           firstWord;
  PairTable               pairs;
  BundledWord<TBundle> *  bits;
  Word *                  rootMarks; // of each row, in the order of pieces: the starts of segments that are roots
  SegmentParents<TBundle> parents;
  std::uint32_t *         rootsBefore; // each piece
  std::uint32_t *         segments;    // their number, and the list of them, if any

  template <typename TTeam>
  CCL_HOST_DEVICE
  Tile(const Shared<TBundle> & shared, const TTeam & team)
    : index(team.index)
    , firstBundle(shared.tiles.FirstBundle(index))
    , bundles(shared.tiles.BundlesOf(index))
    , words(bundles * shared.tiles.WordsOfRow())
    , firstWord(firstBundle * shared.tiles.WordsOfRow())
    , pairs{ team.memory, PairBits(shared.listsSegments) }
    , bits(reinterpret_cast<BundledWord<TBundle> *>(pairs.pairs + pairs.Count()))
    , rootMarks(reinterpret_cast<Word *>(bits + WordsOfTile(shared.tiles)))
    , parents{ shared.numbers, rootMarks + WordsOfTile(shared.tiles) * RowsOfBundle, firstWord * Segments::PerWord }
    , rootsBefore(parents.parents + WordsOfTile(shared.tiles) * Segments::PerWord)
    , segments(rootsBefore + shared.tiles.PieceCount())
  {}

  CCL_HOST_DEVICE
  static std::uint32_t
  WordsOfTile(const BundleTiles<TBundle> & tiles)
  {
    return tiles.BundlesOfTile() * tiles.WordsOfRow();
  }

  /** Where there is no room for a list, there is little for pairs. */
  CCL_HOST_DEVICE
  static constexpr unsigned int
  PairBits(bool listsSegments)
  {
    return listsSegments ? TBundle::IsOneRow ? Tuning::PairBitsOfRows : Tuning::PairBitsOfBundles
                         : Tuning::PairBitsWithoutList;
  }

  /** How many elements of 64 bits that takes; an even number, for all tiles' memory to be aligned to BundledWord. */
  static std::uint64_t
  MemoryOf(const BundleTiles<TBundle> & tiles, bool listsSegments)
  {
    const std::uint64_t perWord = 2 * RowsOfBundle + Segments::PerWord + (listsSegments ? Segments::MaximumPerWord : 0);
    const std::uint64_t words = perWord * tiles.BundlesOfTile() * tiles.WordsOfRow() + tiles.PieceCount() + 1;
    return (std::uint64_t{ 1 } << PairBits(listsSegments)) + DivideUp(words, 4) * 2;
  }

  CCL_HOST_DEVICE
  BundleWordPlace
  PlaceOf(const Shared<TBundle> & shared, std::uint32_t word) const
  {
    const std::uint32_t bundle = shared.tiles.BundleOfWord(word);
    return shared.tiles.PlaceOf(firstBundle + bundle, word - bundle * shared.tiles.WordsOfRow());
  }

  /** Calls visit(number) for the segments of a word that start at some of its bits. */
  template <typename TVisitor>
  CCL_HOST_DEVICE
  void
  ForEachSegment(const Shared<TBundle> & shared, std::uint32_t word, Word mask, const TVisitor & visit) const
  {
    const BundledWord<TBundle> here = bits[word];
    Word                       starts = Segments::Starts(here.Columns()) & mask;
    if (starts == 0)
    {
      return;
    }
    if constexpr (TBundle::IsOneRow)
    {
      for (; starts != 0; starts &= starts - 1)
      {
        visit(Segments::PlaceAt(firstWord + word, LowestBit(starts)));
      }
      return;
    }
    const BundleWordPlace place = this->PlaceOf(shared, word);
    for (; starts != 0; starts &= starts - 1)
    {
      visit(shared.numbers.At(place, here, LowestBit(starts)));
    }
  }

  /** Calls visit(number) for all segments of the tile. */
  CCL_NO_EXECUTION_CHECK
  template <typename TTeam, typename TVisitor>
  CCL_HOST_DEVICE
  void
  ForEachSegment(const Shared<TBundle> & shared, const TTeam & team, const TVisitor & visit) const
  {
    if (shared.listsSegments)
    {
      team.ForEach(segments[0], [&](std::uint32_t i) { visit(segments[1 + i]); });
      return;
    }
    const Parts parts(words);
    team.ForEach(parts.Count(), [&](std::uint32_t part) {
      this->ForEachSegment(shared, parts.WordOf(part), parts.MaskOf(part), visit);
    });
  }

  /** Calls visit(number) for the segments of the tile that may touch those of other tiles, and maybe for others. */
  CCL_NO_EXECUTION_CHECK
  template <typename TTeam, typename TVisitor>
  CCL_HOST_DEVICE
  void
  ForEachSegmentAtEnds(const Shared<TBundle> & shared, const TTeam & team, const TVisitor & visit) const
  {
    const std::uint32_t atEnds = 2 * shared.tiles.BundlesAtEnd(index) * shared.tiles.WordsOfRow();
    if (atEnds >= words)
    {
      this->ForEachSegment(shared, team, visit);
      return;
    }
    const Parts parts(atEnds);
    team.ForEach(parts.Count(), [&](std::uint32_t part) {
      const std::uint32_t word = parts.WordOf(part);
      this->ForEachSegment(shared, word < atEnds / 2 ? word : word + words - atEnds, parts.MaskOf(part), visit);
    });
  }
};

} // namespace SegmentUnionFind

} // namespace itk::ccl

#endif
