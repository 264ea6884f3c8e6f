// SPDX-License-Identifier: Apache-2.0
#ifndef SegmentTiles_h
#define SegmentTiles_h

// What the tiles of SegmentUnionFind.h share, and what each has for itself.

#include "Atomics.h"
#include "Segments.h"

#include <algorithm>
#include <optional>

namespace itk::ccl
{

namespace SegmentUnionFind
{

// Marks among parents. Numbers of segments are lower than all of them.

/** With the rank of a root, among those of its piece. */
inline constexpr std::uint32_t Ranked = std::uint32_t{ 1 } << 30;

/** With the root of the component, which is another tile's, and at last with a label. */
inline constexpr std::uint32_t Settled = std::uint32_t{ 1 } << 31;

/** The parents of segments, for those that have a segment's number, or its place. */
template <typename TBundle>
struct SegmentParents
{
  SegmentNumbers<TBundle> numbers;
  std::uint32_t *         byPlace; // from firstPlace on
  std::uint32_t           firstPlace;

  CCL_HOST_DEVICE
  std::uint32_t *
  operator+(std::uint32_t number) const
  {
    return byPlace + (numbers.PlaceOf(number) - firstPlace);
  }

  CCL_HOST_DEVICE
  std::uint32_t &
  operator[](std::uint32_t number) const
  {
    return *(*this + number);
  }
};

/** How many segments a tile has, and where bundles are rows, how many its border has at the begin of the tile, and how
 * many are not of its border at the end. */
struct SegmentCounts
{
  std::uint32_t all;
  std::uint32_t ofBegin;
  std::uint32_t beforeEnd;
};

/** The roots of a piece, and those of its tile's pieces before it. */
struct PieceRoots
{
  std::uint32_t count;
  std::uint32_t before;
};

/** What the tiles share. */
template <typename TBundle>
struct Shared
{
  BundleTiles<TBundle>    tiles;
  SegmentNumbers<TBundle> numbers;
  bool                    countsSegments;
  std::uint32_t           listCapacity; // of each tile
  BundledWord<TBundle> *  words;
  SegmentParents<TBundle> parents;
  std::uint32_t *         segmentCounts; // of each tile
  PieceRoots *            pieces;
};

/** What a tile has for itself. */
template <typename TBundle>
struct Tile
{
  static constexpr unsigned int RowsOfBundle = TBundle::Rows * TBundle::Slices;

  std::uint32_t           index;
  TileBox                 box;
  std::uint32_t           words; // of all bundles
  BundledWord<TBundle> *  bits;
  Word *                  rootMarks; // of each row, in the order of pieces; none where bundles are rows
  SegmentParents<TBundle> parents;
  std::uint32_t *         rootsBefore; // each piece, less those before it in its tile
  SegmentCounts *         counts;
  std::uint32_t *         segments; // a list of them, where there is room: by it the threads share them evenly

  template <typename TTeam>
  CCL_HOST_DEVICE
  Tile(const Shared<TBundle> & shared, const TTeam & team)
    : index(team.index)
    , box(shared.tiles.BoxOf(index))
    , words(box.Bundles() * shared.tiles.WordsOfRow())
    , bits(reinterpret_cast<BundledWord<TBundle> *>(team.memory))
    , rootMarks(reinterpret_cast<Word *>(bits + WordsOfTile(shared.tiles)))
    , parents{ shared.numbers.WithLayersOf(shared.tiles.BundlesOfLayerInTile()),
               rootMarks + WordsOfTile(shared.tiles) * MarksPerWord,
               (box.z * shared.tiles.BundlesOfLayerInTile() + box.y) * shared.tiles.WordsOfRow() * Segments::PerWord }
    , rootsBefore(parents.byPlace + WordsOfTile(shared.tiles) * Segments::PerWord)
    , counts(reinterpret_cast<SegmentCounts *>(rootsBefore + shared.tiles.PieceCount()))
    , segments(reinterpret_cast<std::uint32_t *>(counts + 1))
  {}

  CCL_HOST_DEVICE
  static std::uint32_t
  WordsOfTile(const BundleTiles<TBundle> & tiles)
  {
    return tiles.BundlesOfTile() * tiles.WordsOfRow();
  }

  /** The memory of a tile in elements of 64 bits: an even number, so that the memory of each tile is aligned to
   * BundledWord. The list has room for `listCapacity` segments. */
  static std::uint64_t
  MemoryOf(const BundleTiles<TBundle> & tiles, std::uint32_t listCapacity)
  {
    const std::uint64_t perWord = RowsOfBundle + MarksPerWord + Segments::PerWord;
    const std::uint64_t words =
      perWord * WordsOfTile(tiles) + tiles.PieceCount() + sizeof(SegmentCounts) / sizeof(std::uint32_t) + listCapacity;
    return DivideUp(words, 4) * 2;
  }

  /** The number of segments that the list has room for in so many elements of 64 bits. Nothing if the elements are too
   * few for a tile without a list. */
  static std::optional<std::uint32_t>
  ListCapacityIn(const BundleTiles<TBundle> & tiles, std::uint64_t memory)
  {
    const std::uint64_t needed = MemoryOf(tiles, 0);
    if (needed > memory)
    {
      return std::nullopt;
    }
    // MemoryOf() counts two elements for four segments.
    const std::uint64_t capacity = std::min<std::uint64_t>(
      (memory - needed) / 2 * 4, WordsOfTile(tiles) * std::uint64_t{ Segments::MaximumPerWord });
    return static_cast<std::uint32_t>(capacity);
  }

  /** Clears as many words of marks as a bundle's word has rows. */
  CCL_HOST_DEVICE
  void
  ClearRootMarks(std::uint32_t word) const
  {
    if constexpr (!TBundle::IsOneRow)
    {
      CCL_UNROLL
      for (unsigned int row = 0; row < RowsOfBundle; ++row)
      {
        rootMarks[word * RowsOfBundle + row] = 0;
      }
    }
  }

  /** The place of a segment, counted from the tile's first. */
  CCL_HOST_DEVICE
  std::uint32_t
  PlaceOf(std::uint32_t segment) const
  {
    return parents.numbers.PlaceOf(segment) - parents.firstPlace;
  }

  CCL_HOST_DEVICE
  BundleWordPlace
  PlaceOf(const Shared<TBundle> & shared, std::uint32_t word) const
  {
    const std::uint32_t bundle = shared.tiles.RowOfWord(word);
    return shared.tiles.PlaceIn(box, bundle, word - bundle * shared.tiles.WordsOfRow());
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
        visit(parents.firstPlace + Segments::PlaceAt(word, LowestBit(starts)));
      }
      return;
    }
    const BundleWordPlace place = this->PlaceOf(shared, word);
    for (; starts != 0; starts &= starts - 1)
    {
      visit(shared.numbers.At(place, here, LowestBit(starts)));
    }
  }

  /** Whether the list has all segments. */
  CCL_HOST_DEVICE
  bool
  ListsAll(const Shared<TBundle> & shared) const
  {
    return counts->all <= shared.listCapacity;
  }

  /** Calls visit(number) for all segments of the tile. */
  CCL_NO_EXECUTION_CHECK
  template <typename TTeam, typename TVisitor>
  CCL_HOST_DEVICE
  void
  ForEachSegment(const Shared<TBundle> & shared, const TTeam & team, const TVisitor & visit) const
  {
    if (this->ListsAll(shared))
    {
      team.ForEach(counts->all, [&](std::uint32_t i) { visit(segments[i]); });
      return;
    }
    const Parts parts(words);
    team.ForEach(parts.Count(), [&](std::uint32_t part) {
      this->ForEachSegment(shared, parts.WordOf(part), parts.MaskOf(part), visit);
    });
  }

  /** Calls visit(number, sum of valueAt(number) over the segments before it) for all segments of the tile, word by
   * word, and gives the sum over all. */
  CCL_NO_EXECUTION_CHECK
  template <typename TTeam, typename TFunction, typename TVisitor>
  CCL_HOST_DEVICE
  std::uint32_t
  ForEachSegmentSum(const Shared<TBundle> & shared,
                    const TTeam &           team,
                    const TFunction &       valueAt,
                    const TVisitor &        visit) const
  {
    if (this->ListsAll(shared))
    {
      return team.ForEachSum(
        counts->all,
        [&](std::uint32_t i) { return valueAt(segments[i]); },
        [&](std::uint32_t i, std::uint32_t before) { visit(segments[i], before); });
    }
    const Parts parts(words);
    return team.ForEachSum(
      parts.Count(),
      [&](std::uint32_t part) {
        std::uint32_t sum = 0;
        this->ForEachSegment(
          shared, parts.WordOf(part), parts.MaskOf(part), [&](std::uint32_t segment) { sum += valueAt(segment); });
        return sum;
      },
      [&](std::uint32_t part, std::uint32_t before) {
        this->ForEachSegment(shared, parts.WordOf(part), parts.MaskOf(part), [&](std::uint32_t segment) {
          const std::uint32_t value = valueAt(segment);
          visit(segment, before);
          before += value;
        });
      });
  }

  /** Calls visit(number) for the segments of the tile that may touch those of other tiles, and maybe for others. */
  CCL_NO_EXECUTION_CHECK
  template <typename TTeam, typename TVisitor>
  CCL_HOST_DEVICE
  void
  ForEachSegmentOfBorder(const Shared<TBundle> & shared, const TTeam & team, const TVisitor & visit) const
  {
    const TileBorder border = shared.tiles.template BorderOf<true>(box);
    if (border.Count() >= box.Bundles())
    {
      this->ForEachSegment(shared, team, visit);
      return;
    }
    if (TBundle::IsOneRow && this->ListsAll(shared))
    {
      const std::uint32_t left = counts->beforeEnd - counts->ofBegin;
      team.ForEach(counts->all - left, [&](std::uint32_t i) { visit(segments[i < counts->ofBegin ? i : i + left]); });
      return;
    }
    const Parts parts(border.Count() * shared.tiles.WordsOfRow());
    team.ForEach(parts.Count(), [&](std::uint32_t part) {
      this->ForEachSegment(shared, this->WordOf(shared, border, parts.WordOf(part)), parts.MaskOf(part), visit);
    });
  }

  /** The word of the tile that is a border's word. */
  CCL_HOST_DEVICE
  std::uint32_t
  WordOf(const Shared<TBundle> & shared, const TileBorder & border, std::uint32_t wordOfBorder) const
  {
    const std::uint32_t bundle = shared.tiles.RowOfWord(wordOfBorder);
    return wordOfBorder + (border(bundle) - bundle) * shared.tiles.WordsOfRow();
  }

private:
  static constexpr unsigned int MarksPerWord = TBundle::IsOneRow ? 0 : RowsOfBundle;
};

} // namespace SegmentUnionFind

} // namespace itk::ccl

#endif
