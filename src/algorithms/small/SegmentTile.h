// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_algorithms_small_SegmentTile_h
#define ccl_algorithms_small_SegmentTile_h

// The memory of the kernel for small images: the arrays in global memory that all tiles share (Shared), and the arrays
// in shared memory that each tile has for itself (Tile).

#include "primitives/Atomics.h"
#include "algorithms/small/Segments.h"

#include <algorithm>
#include <optional>

namespace itk::ccl
{

namespace SegmentUnionFind
{

// Flags in the array of parents. Segment ids are lower than both flags.

/** The other bits are the rank of a root among the roots of its tile. */
inline constexpr std::uint32_t Ranked = std::uint32_t{ 1 } << 30;

/** In the parents of a tile only. The other bits are the id of the component's root, which is in another tile. The
 * label write-out replaces the id by the label, and sets the flag for the tile's own roots, too. */
inline constexpr std::uint32_t Settled = std::uint32_t{ 1 } << 31;

/** The parents of segments: ids of segments, or values with a flag. `parents[id]` and `bySlot[slot - firstSlot]` are
 * the parent of a segment. */
template <typename TRowGroup>
struct SegmentParents
{
  SegmentIds<TRowGroup> ids;
  std::uint32_t *       bySlot;    // starts with the parent of slot firstSlot
  std::uint32_t         firstSlot; // 0 in global memory

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

/** Segment counts of a tile. The last two are set only if row groups are single rows and the border is not the whole
 * tile. */
struct SegmentCounts
{
  std::uint32_t all;       // total
  std::uint32_t ofBegin;   // in the leading border
  std::uint32_t beforeEnd; // index of the first in the trailing border
};

/** Root counts of a slab. */
struct SlabRoots
{
  std::uint32_t count;  // roots of the slab
  std::uint32_t offset; // roots of earlier slabs of the same tile
};

/** The data that all tiles share. The arrays lie in global memory. */
template <typename TRowGroup>
struct Shared
{
  TileLayout<TRowGroup>     tiles;
  SegmentIds<TRowGroup>     ids;
  bool                      countsSegments; // whether the number of segments is limited
  std::uint32_t             listCapacity;   // segments for which the list of each tile has room
  RowGroupWord<TRowGroup> * words;          // bits of all row groups of the image
  SegmentParents<TRowGroup> parents;        // set only for segments at borders, their roots, and roots of components
  std::uint32_t *           segmentCounts;  // of each tile; set only if countsSegments
  SlabRoots *               slabs;          // of each slab
};

/** The data of a tile. The arrays lie in the shared memory of its thread block, and last for the whole kernel. */
template <typename TRowGroup>
struct Tile
{
  static constexpr unsigned int RowsOfRowGroup = TRowGroup::Rows * TRowGroup::Slices;

  std::uint32_t             index;
  TileBox                   box;
  std::uint32_t             words; // number of words of all row groups
  RowGroupWord<TRowGroup> * bits;
  // One bit for each even column of each row, set at roots. Rows are in the order of slabs. Empty for single rows.
  Word *                    rootBits;
  SegmentParents<TRowGroup> parents;
  // RankRoots sets one value for each slab of the tile: the roots of the tile in earlier slabs. WriteTile sets one
  // value for each slab of the image: the difference between a root's rank in the image and its rank in its tile.
  std::uint32_t * rootOffsets;
  SegmentCounts * counts;
  // The ids of all segments, if listCapacity is large enough. The list gives each thread the same number of segments.
  std::uint32_t * segments;

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

  /** Returns the number of words of the largest tile. */
  CCL_HOST_DEVICE
  static std::uint32_t
  WordsOfTile(const TileLayout<TRowGroup> & tiles)
  {
    return tiles.RowGroupsOfTile() * tiles.WordsOfRow();
  }

  /** Returns the memory that the largest tile needs, in elements of 64 bits. The list has room for `listCapacity`
   * segments. The number is even: if the memory of tiles is one array, each tile is aligned to RowGroupWord. */
  static std::uint64_t
  MemoryOf(const TileLayout<TRowGroup> & tiles, std::uint32_t listCapacity)
  {
    const std::uint64_t perWord = RowsOfRowGroup + RootBitWordsPerWord + Segments::SlotsPerWord;
    const std::uint64_t words =
      perWord * WordsOfTile(tiles) + tiles.SlabCount() + sizeof(SegmentCounts) / sizeof(std::uint32_t) + listCapacity;
    return DivideUp(words, 4) * 2;
  }

  /** Returns for how many segments the list has room if a tile gets `memory` elements of 64 bits, at most the segments
   * that a tile can have. Returns nothing if the elements are too few for a tile without a list. */
  static std::optional<std::uint32_t>
  ListCapacityIn(const TileLayout<TRowGroup> & tiles, std::uint64_t memory)
  {
    const std::uint64_t needed = MemoryOf(tiles, 0);
    if (needed > memory)
    {
      return std::nullopt;
    }
    // MemoryOf() rounds up to 2 elements, which hold 4 segments.
    const std::uint64_t capacity = std::min<std::uint64_t>(
      (memory - needed) / 2 * 4, WordsOfTile(tiles) * std::uint64_t{ Segments::MaximumPerWord });
    return static_cast<std::uint32_t>(capacity);
  }

  /** Clears the root bits, one word of each row. The calls for all words of the tile clear all root bits. */
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

  /** Returns the slot of a segment relative to the tile's first slot. */
  CCL_HOST_DEVICE
  std::uint32_t
  SlotOf(std::uint32_t segment) const
  {
    return parents.ids.SlotOf(segment) - parents.firstSlot;
  }

  /** Returns the position in the image of a word. `word` is the word's index in the tile. */
  CCL_HOST_DEVICE
  WordPosition
  PositionOf(const Shared<TRowGroup> & shared, std::uint32_t word) const
  {
    const std::uint32_t group = shared.tiles.RowOfWord(word);
    return shared.tiles.PositionIn(box, group, word - group * shared.tiles.WordsOfRow());
  }

  /** Calls visit(id) for the segments of a word that start at a bit of `mask`. `word` is an index in the tile. */
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

  /** Returns whether the list has room for all segments of the tile. */
  CCL_HOST_DEVICE
  bool
  ListsAll(const Shared<TRowGroup> & shared) const
  {
    return counts->all <= shared.listCapacity;
  }

  /** Calls visit(id) for all segments of the tile, concurrently. */
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

  /** Calls visit(id, prefix) for all segments of the tile. The prefix is the sum of valueAt(id) of all earlier
   * segments. The order of segments is word by word. Returns the sum of all values. */
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
        [&](std::uint32_t i, std::uint32_t prefix) { visit(segments[i], prefix); });
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
      [&](std::uint32_t part, std::uint32_t prefix) {
        this->ForEachSegment(shared, parts.WordOf(part), parts.MaskOf(part), [&](std::uint32_t segment) {
          const std::uint32_t value = valueAt(segment);
          visit(segment, prefix);
          prefix += value;
        });
      });
  }

  /** Calls visit(id) for the segments of the border: all segments that may be adjacent to other tiles. It may also
   * visit segments outside the border. */
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
      const std::uint32_t interior = counts->beforeEnd - counts->ofBegin;
      threadBlock.ForEach(counts->all - interior,
                          [&](std::uint32_t i) { visit(segments[i < counts->ofBegin ? i : i + interior]); });
      return;
    }
    const WordParts parts(border.Count() * shared.tiles.WordsOfRow());
    threadBlock.ForEach(parts.Count(), [&](std::uint32_t part) {
      this->ForEachSegment(shared, this->WordOf(shared, border, parts.WordOf(part)), parts.MaskOf(part), visit);
    });
  }

  /** Returns the index in the tile of a word of the border. `wordOfBorder` is the word's index in the border. */
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
