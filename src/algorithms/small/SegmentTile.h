// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_algorithms_small_SegmentTile_h
#define ccl_algorithms_small_SegmentTile_h

// What the tiles of SegmentUnionFind.h share, and what each has for itself.

#include "primitives/Atomics.h"
#include "algorithms/small/Segments.h"

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
template <typename TRowGroup>
struct SegmentParents
{
  SegmentIds<TRowGroup> ids;
  std::uint32_t *       bySlot; // from firstSlot on
  std::uint32_t         firstSlot;

  CCL_HOST_DEVICE
  std::uint32_t *
  operator+(std::uint32_t id) const
  {
    return bySlot + (ids.SlotOf(id) - firstSlot);
  }

  CCL_HOST_DEVICE
  std::uint32_t &
  operator[](std::uint32_t id) const
  {
    return *(*this + id);
  }
};

/** How many segments a tile has, and where row groups are rows, how many its border has at the begin of the tile, and
 * how many are not of its border at the end. */
struct SegmentCounts
{
  std::uint32_t all;
  std::uint32_t ofBegin;
  std::uint32_t beforeEnd;
};

/** The roots of a piece, and those of its tile's pieces before it. */
struct SlabRoots
{
  std::uint32_t count;
  std::uint32_t before;
};

/** What the tiles share. */
template <typename TRowGroup>
struct Shared
{
  TileLayout<TRowGroup>     tiles;
  SegmentIds<TRowGroup>     ids;
  bool                      countsSegments;
  std::uint32_t             listCapacity; // of each tile
  RowGroupWord<TRowGroup> * words;
  SegmentParents<TRowGroup> parents;
  std::uint32_t *           segmentCounts; // of each tile
  SlabRoots *               slabs;
};

/** What a tile has for itself. */
template <typename TRowGroup>
struct Tile
{
  static constexpr unsigned int RowsOfRowGroup = TRowGroup::Rows * TRowGroup::Slices;

  std::uint32_t             index;
  TileBox                   box;
  std::uint32_t             words; // of all row groups
  RowGroupWord<TRowGroup> * bits;
  Word *                    rootBits; // of each row, in the order of pieces; none where row groups are rows
  SegmentParents<TRowGroup> parents;
  std::uint32_t *           rootOffsets; // each piece, less those before it in its tile
  SegmentCounts *           counts;
  std::uint32_t *           segments; // a list of them, where there is room: by it the threads share them evenly

  template <typename TThreadBlock>
  CCL_HOST_DEVICE
  Tile(const Shared<TRowGroup> & shared, const TThreadBlock & threadBlock)
    : index(threadBlock.index)
    , box(shared.tiles.BoxOf(index))
    , words(box.RowGroups() * shared.tiles.WordsOfRow())
    , bits(reinterpret_cast<RowGroupWord<TRowGroup> *>(threadBlock.memory))
    , rootBits(reinterpret_cast<Word *>(bits + WordsOfTile(shared.tiles)))
    , parents{ shared.ids.WithLayersOf(shared.tiles.RowGroupsOfLayerInTile()),
               rootBits + WordsOfTile(shared.tiles) * RootBitWordsPerWord,
               (box.z * shared.tiles.RowGroupsOfLayerInTile() + box.y) * shared.tiles.WordsOfRow() *
                 Segments::SlotsPerWord }
    , rootOffsets(parents.bySlot + WordsOfTile(shared.tiles) * Segments::SlotsPerWord)
    , counts(reinterpret_cast<SegmentCounts *>(rootOffsets + shared.tiles.SlabCount()))
    , segments(reinterpret_cast<std::uint32_t *>(counts + 1))
  {}

  CCL_HOST_DEVICE
  static std::uint32_t
  WordsOfTile(const TileLayout<TRowGroup> & tiles)
  {
    return tiles.RowGroupsOfTile() * tiles.WordsOfRow();
  }

  /** The memory of a tile in elements of 64 bits: an even number, so that the memory of each tile is aligned to
   * BundledWord. The list has room for `listCapacity` segments. */
  static std::uint64_t
  MemoryOf(const TileLayout<TRowGroup> & tiles, std::uint32_t listCapacity)
  {
    const std::uint64_t perWord = RowsOfRowGroup + RootBitWordsPerWord + Segments::SlotsPerWord;
    const std::uint64_t words =
      perWord * WordsOfTile(tiles) + tiles.SlabCount() + sizeof(SegmentCounts) / sizeof(std::uint32_t) + listCapacity;
    return DivideUp(words, 4) * 2;
  }

  /** The number of segments that the list has room for in so many elements of 64 bits. Nothing if the elements are too
   * few for a tile without a list. */
  static std::optional<std::uint32_t>
  ListCapacityIn(const TileLayout<TRowGroup> & tiles, std::uint64_t memory)
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

  /** Clears as many words of marks as a row group's word has rows. */
  CCL_HOST_DEVICE
  void
  ClearRootBits(std::uint32_t word) const
  {
    if constexpr (!TRowGroup::IsOneRow)
    {
      CCL_UNROLL
      for (unsigned int row = 0; row < RowsOfRowGroup; ++row)
      {
        rootBits[word * RowsOfRowGroup + row] = 0;
      }
    }
  }

  /** The place of a segment, counted from the tile's first. */
  CCL_HOST_DEVICE
  std::uint32_t
  SlotOf(std::uint32_t segment) const
  {
    return parents.ids.SlotOf(segment) - parents.firstSlot;
  }

  CCL_HOST_DEVICE
  WordPosition
  PositionOf(const Shared<TRowGroup> & shared, std::uint32_t word) const
  {
    const std::uint32_t group = shared.tiles.RowOfWord(word);
    return shared.tiles.PositionIn(box, group, word - group * shared.tiles.WordsOfRow());
  }

  /** Calls visit(number) for the segments of a word that start at some of its bits. */
  template <typename TVisitor>
  CCL_HOST_DEVICE
  void
  ForEachSegment(const Shared<TRowGroup> & shared, std::uint32_t word, Word mask, const TVisitor & visit) const
  {
    const RowGroupWord<TRowGroup> here = bits[word];
    Word                          starts = Segments::Starts(here.Columns()) & mask;
    if (starts == 0)
    {
      return;
    }
    if constexpr (TRowGroup::IsOneRow)
    {
      for (; starts != 0; starts &= starts - 1)
      {
        visit(parents.firstSlot + Segments::SlotAt(word, LowestBit(starts)));
      }
      return;
    }
    const WordPosition position = this->PositionOf(shared, word);
    for (; starts != 0; starts &= starts - 1)
    {
      visit(shared.ids.At(position, here, LowestBit(starts)));
    }
  }

  /** Whether the list has all segments. */
  CCL_HOST_DEVICE
  bool
  ListsAll(const Shared<TRowGroup> & shared) const
  {
    return counts->all <= shared.listCapacity;
  }

  /** Calls visit(number) for all segments of the tile. */
  CCL_NO_EXECUTION_CHECK
  template <typename TThreadBlock, typename TVisitor>
  CCL_HOST_DEVICE
  void
  ForEachSegment(const Shared<TRowGroup> & shared, const TThreadBlock & threadBlock, const TVisitor & visit) const
  {
    if (this->ListsAll(shared))
    {
      threadBlock.ForEach(counts->all, [&](std::uint32_t i) { visit(segments[i]); });
      return;
    }
    const WordParts parts(words);
    threadBlock.ForEach(parts.Count(), [&](std::uint32_t part) {
      this->ForEachSegment(shared, parts.WordOf(part), parts.MaskOf(part), visit);
    });
  }

  /** Calls visit(number, sum of valueAt(number) over the segments before it) for all segments of the tile, word by
   * word, and gives the sum over all. */
  CCL_NO_EXECUTION_CHECK
  template <typename TThreadBlock, typename TFunction, typename TVisitor>
  CCL_HOST_DEVICE
  std::uint32_t
  ScanSegments(const Shared<TRowGroup> & shared,
               const TThreadBlock &      threadBlock,
               const TFunction &         valueAt,
               const TVisitor &          visit) const
  {
    if (this->ListsAll(shared))
    {
      return threadBlock.ExclusiveScan(
        counts->all,
        [&](std::uint32_t i) { return valueAt(segments[i]); },
        [&](std::uint32_t i, std::uint32_t before) { visit(segments[i], before); });
    }
    const WordParts parts(words);
    return threadBlock.ExclusiveScan(
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
  template <typename TThreadBlock, typename TVisitor>
  CCL_HOST_DEVICE
  void
  ForEachSegmentOfBorder(const Shared<TRowGroup> & shared,
                         const TThreadBlock &      threadBlock,
                         const TVisitor &          visit) const
  {
    const TileBorder border = shared.tiles.template BorderOf<true>(box);
    if (border.Count() >= box.RowGroups())
    {
      this->ForEachSegment(shared, threadBlock, visit);
      return;
    }
    if (TRowGroup::IsOneRow && this->ListsAll(shared))
    {
      const std::uint32_t left = counts->beforeEnd - counts->ofBegin;
      threadBlock.ForEach(counts->all - left,
                          [&](std::uint32_t i) { visit(segments[i < counts->ofBegin ? i : i + left]); });
      return;
    }
    const WordParts parts(border.Count() * shared.tiles.WordsOfRow());
    threadBlock.ForEach(parts.Count(), [&](std::uint32_t part) {
      this->ForEachSegment(shared, this->WordOf(shared, border, parts.WordOf(part)), parts.MaskOf(part), visit);
    });
  }

  /** The word of the tile that is a border's word. */
  CCL_HOST_DEVICE
  std::uint32_t
  WordOf(const Shared<TRowGroup> & shared, const TileBorder & border, std::uint32_t wordOfBorder) const
  {
    const std::uint32_t group = shared.tiles.RowOfWord(wordOfBorder);
    return wordOfBorder + (border(group) - group) * shared.tiles.WordsOfRow();
  }

private:
  static constexpr unsigned int RootBitWordsPerWord = TRowGroup::IsOneRow ? 0 : RowsOfRowGroup;
};

} // namespace SegmentUnionFind

} // namespace itk::ccl

#endif
