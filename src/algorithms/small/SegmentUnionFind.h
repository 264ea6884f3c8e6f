// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_algorithms_small_SegmentUnionFind_h
#define ccl_algorithms_small_SegmentUnionFind_h

// Labels a small image in one kernel, by union-find on segments. It labels planes and volumes, under face and full
// connectivity.
//
// The image is divided into tiles, one for each thread block (Oliveira and Lotufo, SIBGRAPI 2010). The bits and the
// trees of a tile lie in the shared memory of its thread block, which is fast. Other tiles read its bits, its border
// and the ranks of its roots in global memory. The kernel is cooperative: its thread blocks can wait for each other, so
// all phases run in one launch.
//
// The elements of the union-find are segments. A segment has an id and a slot (Segments.h). Trees are built of ids,
// which rise with the segments' first pixels. A parent never has a higher id than its child. So the root of a component
// is the segment of its first pixel, and a component's rank is the number of roots with lower ids. The slot tells where
// the parent lies in memory.
//
// Phases. A line of dashes is a barrier for all tiles. Between most other phases, the threads of one tile wait for each
// other.
// 1. Pack the pixels of the tile to bits. Copy the bits to global memory, for other tiles.
//    ---- Only if the number of segments is limited: add up the segments of all tiles, and stop if there are too many.
// 2. Link each segment to an earlier adjacent segment of the tile, and list the segments of the tile.
// 3. Compress: replace the parent of each segment by the root.
// 4. Unite the trees of adjacent segments in the tile, and compress again.
// 5. Publish border roots: copy the parents of border segments to global memory, for other tiles.
//    ----
// 6. Unite tiles: unite the roots of adjacent segments of two tiles, in global memory.
//    ----
// 7. Rank roots: count the roots of components in each tile. Look up the roots that lie in other tiles.
//    ----
// 8. Write labels: add the roots of earlier tiles to the ranks, and write the label of each pixel.
// An image of one tile has no phases 5 and 6.

#include "algorithms/small/SegmentAdjacency.h"
#include "algorithms/small/SegmentLabelWriteOut.h"
#include "algorithms/small/SegmentPacking.h"
#include "algorithms/small/SegmentRanking.h"
#include "primitives/UnionFind.h"

namespace itk::ccl
{

namespace SegmentUnionFind
{

/** A word of a tile. Finds the neighboring words in other tiles if VOtherTiles is true, else in the same tile. */
template <bool VOtherTiles, typename TRowGroup>
struct WordInTile
{
  const Shared<TRowGroup> & shared;
  const Tile<TRowGroup> &   tile;
  std::uint32_t             word; // index in the tile
  WordPosition              position;

  /** Returns whether there is a word at an offset in the selected tiles. */
  template <typename TOffset>
  CCL_HOST_DEVICE
  bool
  HasNeighbor() const
  {
    return shared.tiles.template HasNeighbor<TOffset>(position) &&
           shared.tiles.template HasNeighborIn<TOffset>(tile.box, position) != VOtherTiles;
  }

  /** Returns the index in GetWords() of the word at an offset. */
  template <typename TOffset>
  CCL_HOST_DEVICE
  std::uint32_t
  IndexOfNeighbor() const
  {
    return VOtherTiles ? shared.tiles.template NeighborWord<TOffset>(position)
                       : shared.tiles.template NeighborWordIn<TOffset>(word);
  }

  /** Returns the words to which IndexOfNeighbor() refers. */
  CCL_HOST_DEVICE
  const RowGroupWord<TRowGroup> *
  GetWords() const
  {
    return VOtherTiles ? shared.words : tile.bits;
  }
};

/** Calls visit(slot, otherSlot) for each segment of a word and each adjacent segment in an earlier row group, if `mask`
 * has the bit of their adjacency. Can visit a pair several times. The earlier row groups are in other tiles if
 * VOtherTiles is true, and in the same tile otherwise. Slots are relative to the tile's first slot; slots of other
 * tiles are slots in the image. */
template <bool VOtherTiles, typename TRowGroup, typename TVisitor>
CCL_HOST_DEVICE
void
ForEachAdjacent(const Shared<TRowGroup> & shared,
                const Tile<TRowGroup> &   tile,
                std::uint32_t             word,
                Word                      mask,
                const TVisitor &          visit)
{
  const WordInTile<VOtherTiles, TRowGroup> at{ shared, tile, word, tile.PositionOf(shared, word) };
  const SegmentedWord<TRowGroup>           own(tile.bits, word, at.position.x);
  if (!own.HasPixels())
  {
    return;
  }
  CCL_UNROLL
  for (unsigned int neighbor = 0; neighbor < NeighborCountOf<TRowGroup>; ++neighbor)
  {
    VisitNeighbor<TRowGroup>(neighbor, [&](auto offset) {
      using OffsetType = decltype(offset);
      if (!at.template HasNeighbor<OffsetType>())
      {
        return;
      }
      const SegmentAdjacency<TRowGroup, OffsetType> adjacency(
        own,
        SegmentedWord<TRowGroup>(at.GetWords(), at.template IndexOfNeighbor<OffsetType>(), at.position.x),
        shared.tiles.IsFullyConnected());
      Word left = adjacency.bits & mask;
      while (left != 0)
      {
        const unsigned int bit = LowestBit(left);
        visit(adjacency.OwnSlotAt(bit), adjacency.OtherSlotAt(bit));
        left &= ~adjacency.SamePair(bit);
      }
    });
  }
}

/** Links, compresses and unites the segments of a tile. After it, the parent of each segment is its root in the tile.
 * The parents of border segments are also in global memory. */
template <typename TRowGroup>
struct LabelTile
{
  Shared<TRowGroup> shared;

  CCL_NO_EXECUTION_CHECK
  template <typename TThreadBlock>
  CCL_HOST_DEVICE
  void
  operator()(const TThreadBlock & threadBlock) const
  {
    const Tile<TRowGroup> tile(shared, threadBlock);
    const WordParts       parts(tile.words);
    const auto            compress = [&](std::uint32_t segment) { CompressHalving(tile.parents, segment); };
    this->LinkAndList(tile, threadBlock, parts);
    tile.ForEachSegment(shared, threadBlock, compress);
    threadBlock.ForEach(parts.Count(), [&](std::uint32_t part) {
      const auto unite = [&](std::uint32_t slot, std::uint32_t otherSlot) {
        const std::uint32_t a = Load(tile.parents.bySlot + slot);
        const std::uint32_t b = Load(tile.parents.bySlot + otherSlot);
        if (a != b)
        {
          UnionSplicing(tile.parents, a, b);
        }
      };
      this->UniteAlongRowGroup(tile, parts, part, unite);
      ForEachAdjacent<false>(shared, tile, parts.WordOf(part), parts.MaskOf(part), unite);
    });
    const bool       isOnlyTile = shared.tiles.Count() == 1;
    const TileBorder border = shared.tiles.template BorderOf<true>(tile.box);
    tile.ForEachSegment(shared, threadBlock, [&](std::uint32_t segment) {
      compress(segment);
      const std::uint32_t word = tile.SlotOf(segment) / Segments::SlotsPerWord;
      if (!isOnlyTile && shared.tiles.IsInBorder(border, shared.tiles.RowOfWord(word)))
      {
        this->Publish(tile, segment);
      }
    });
  }

private:
  /** Links the segments of the tile, counts them, and lists them. */
  CCL_NO_EXECUTION_CHECK
  template <typename TThreadBlock>
  CCL_HOST_DEVICE
  void
  LinkAndList(const Tile<TRowGroup> & tile, const TThreadBlock & threadBlock, const WordParts & parts) const
  {
    const TileBorder border = shared.tiles.template BorderOf<true>(tile.box);
    threadBlock.ExclusiveScan(
      parts.Count(),
      [&](std::uint32_t part) {
        return CountBits(Segments::Starts(tile.bits[parts.WordOf(part)].Columns()) & parts.MaskOf(part));
      },
      [&](std::uint32_t part, std::uint32_t prefix) {
        const std::uint32_t word = parts.WordOf(part);
        std::uint32_t       count = prefix;
        this->LinkToFirst(tile, parts, part, [&](std::uint32_t segment) {
          if (count < shared.listCapacity)
          {
            tile.segments[count] = segment;
          }
          ++count;
        });
        if ((parts.MaskOf(part) & 1U) != 0) // the first part of its word
        {
          if (TRowGroup::IsOneRow && word == border.atBegin * shared.tiles.WordsOfRow())
          {
            tile.counts->ofBegin = prefix;
          }
          if (TRowGroup::IsOneRow && word == (border.height - border.atEnd) * shared.tiles.WordsOfRow())
          {
            tile.counts->beforeEnd = prefix;
          }
        }
        if (part + 1 == parts.Count())
        {
          tile.counts->all = count;
        }
      });
  }

  /** Links each segment that starts in a part of a word, and calls list(id) for it. The parent is the segment that it
   * continues in the previous word, or the first adjacent segment in the previous row group of its layer. A segment
   * remains a root if that segment has a higher id: its first pixel can be later, if row groups have several rows. */
  template <typename TList>
  CCL_HOST_DEVICE
  void
  LinkToFirst(const Tile<TRowGroup> & tile, const WordParts & parts, std::uint32_t part, const TList & list) const
  {
    using OffsetType = RowGroupOffset<-1, 0>;
    const std::uint32_t word = parts.WordOf(part);
    const Word          starts = Segments::Starts(tile.bits[word].Columns()) & parts.MaskOf(part);
    if (starts == 0)
    {
      return;
    }
    const WordInTile<false, TRowGroup> at{ shared, tile, word, tile.PositionOf(shared, word) };
    const SegmentedWord<TRowGroup>     own(tile.bits, word, at.position.x);
    const bool                         hasOther = at.template HasNeighbor<OffsetType>();
    // Without a previous row group, the own word takes its place, and there are no adjacencies.
    SegmentAdjacency<TRowGroup, OffsetType> adjacency(
      own,
      hasOther ? SegmentedWord<TRowGroup>(tile.bits, at.template IndexOfNeighbor<OffsetType>(), at.position.x) : own,
      shared.tiles.IsFullyConnected());
    adjacency.bits = hasOther ? adjacency.bits : 0;
    for (Word left = starts; left != 0; left &= left - 1)
    {
      const unsigned int  start = LowestBit(left);
      const std::uint32_t segment = shared.ids.At(at.position, own.here, start);
      const Word          first = adjacency.FirstOf(start);
      tile.parents[segment] =
        first == 0 ? segment : Lower(segment, this->IdAt(tile, adjacency.OtherSlotAt(LowestBit(first))));
      list(segment);
    }
    if ((starts & 1U) != 0 && own.GoesOn())
    {
      const std::uint32_t segment = shared.ids.At(at.position, own.here, 0);
      tile.parents[segment] = Lower(segment, this->IdAt(tile, own.SlotAt(-1)));
    }
  }

  CCL_HOST_DEVICE
  static std::uint32_t
  Lower(std::uint32_t a, std::uint32_t b)
  {
    return a < b ? a : b;
  }

  /** Returns the id of the segment at a slot. The slot is relative to the tile's first slot. */
  CCL_HOST_DEVICE
  std::uint32_t
  IdAt(const Tile<TRowGroup> & tile, std::uint32_t slot) const
  {
    if constexpr (TRowGroup::IsOneRow)
    {
      return tile.parents.firstSlot + slot;
    }
    const std::uint32_t word = slot / Segments::SlotsPerWord;
    return shared.ids.AtSlot(tile.PositionOf(shared, word), tile.bits[word], slot);
  }

  /** Unites the segment at the start of a word with the segment that it continues. LinkToFirst() always links the two
   * if row groups are single rows. Otherwise the ids can have the wrong order for a link. */
  template <typename TUnite>
  CCL_HOST_DEVICE
  void
  UniteAlongRowGroup(const Tile<TRowGroup> & tile,
                     const WordParts &       parts,
                     std::uint32_t           part,
                     const TUnite &          unite) const
  {
    const std::uint32_t word = parts.WordOf(part);
    if constexpr (!TRowGroup::IsOneRow)
    {
      if ((parts.MaskOf(part) & tile.bits[word].Columns() & 1U) != 0)
      {
        const SegmentedWord<TRowGroup> own(tile.bits, word, tile.PositionOf(shared, word).x);
        if (own.GoesOn())
        {
          unite(own.SlotAt(0), own.SlotAt(-1));
        }
      }
    }
  }

  /** Copies the root of a compressed segment to global memory. */
  CCL_HOST_DEVICE
  void
  Publish(const Tile<TRowGroup> & tile, std::uint32_t segment) const
  {
    const std::uint32_t root = Load(tile.parents + segment);
    Store(shared.parents + root, root);
    Store(shared.parents + segment, root);
  }
};

/** Unites the roots of a tile with the roots of other tiles, if they have adjacent segments. The parents in global
 * memory change, and the parents of the tile do not. */
template <typename TRowGroup>
struct UniteTiles
{
  Shared<TRowGroup> shared;

  CCL_NO_EXECUTION_CHECK
  template <typename TThreadBlock>
  CCL_HOST_DEVICE
  void
  operator()(const TThreadBlock & threadBlock) const
  {
    const Tile<TRowGroup> tile(shared, threadBlock);
    const TileBorder      border = shared.tiles.template BorderOf<false>(tile.box);
    const WordParts       parts(border.Count() * shared.tiles.WordsOfRow());
    threadBlock.ForEach(parts.Count(), [&](std::uint32_t part) {
      const auto unite = [&](std::uint32_t slot, std::uint32_t otherSlot) {
        this->Unite(tile.parents.bySlot[slot], otherSlot);
      };
      ForEachAdjacent<true>(shared, tile, tile.WordOf(shared, border, parts.WordOf(part)), parts.MaskOf(part), unite);
    });
  }

private:
  /** Unites a root of the tile with the segment at a slot of another tile. */
  CCL_HOST_DEVICE
  void
  Unite(std::uint32_t root, std::uint32_t otherSlot) const
  {
    const std::uint32_t parent = Load(shared.parents + root);
    const std::uint32_t other = Load(shared.parents.bySlot + otherSlot);
    if (parent == other)
    {
      return;
    }
    // Most of these segments are roots. So one step up both trees is enough, and the two loads overlap.
    const std::uint32_t low = parent < other ? parent : other;
    const std::uint32_t high = parent < other ? other : parent;
    const std::uint32_t parentOfLow = Load(shared.parents + low);
    const std::uint32_t parentOfHigh = Load(shared.parents + high);
    const std::uint32_t old = parentOfHigh == high ? AtomicMin(shared.parents + high, parentOfLow) : parentOfHigh;
    if (old != high && old != parentOfLow)
    {
      // UnionSplicing() is faster inside tiles, but makes long chains across tiles.
      UnionHalving(shared.parents, old, parentOfLow);
    }
  }
};

} // namespace SegmentUnionFind

/** Labels an image. All threads of the kernel call it.
 * \param executor a tile executor (executors/Executor.h) with as many tiles as `tiles`
 * \param pixels a PixelRows, or a type whose Visit() calls a function with a PixelRows
 * \param tiles,ids of an image with the size of `pixels`; all ids must be lower than SegmentUnionFind::Ranked
 * \param maximumSegments if the image has more segments, `result->isLabeled` is false, and no label is written
 * \param listCapacity the segments for which the list of each tile has room: see Tile::ListCapacityIn()
 * \param labelValues if there are too few label values, the object count is correct but the labels are not
 * \param output the labels, one for each pixel
 * \param result is written once, by tile 0 */
CCL_NO_EXECUTION_CHECK
template <typename TRowGroup, typename TPixelRows, typename TOutput, typename TExecutor>
CCL_HOST_DEVICE
void
LabelBySegments(const TExecutor &             executor,
                const TPixelRows &            pixels,
                const TileLayout<TRowGroup> & tiles,
                const SegmentIds<TRowGroup> & ids,
                std::uint32_t                 maximumSegments,
                std::uint32_t                 listCapacity,
                const LabelValues &           labelValues,
                TOutput *                     output,
                LabeledSegments *             result)
{
  using namespace SegmentUnionFind;
  const std::uint64_t     words = std::uint64_t{ tiles.RowGroups() } * tiles.WordsOfRow();
  const auto              bits = executor.template Allocate<RowGroupWord<TRowGroup>>(words);
  const auto              parents = executor.template Allocate<std::uint32_t>(words * Segments::SlotsPerWord);
  const auto              segmentCounts = executor.template Allocate<std::uint32_t>(tiles.Count());
  const auto              slabs = executor.template Allocate<SlabRoots>(tiles.SlabCount());
  const bool              countsSegments = maximumSegments < words * Segments::MaximumPerWord;
  const Shared<TRowGroup> shared{
    tiles, ids, countsSegments, listCapacity, bits.get(), { ids, parents.get(), 0 }, segmentCounts.get(), slabs.get()
  };

  executor.ForEachTile(PackTile<TRowGroup, TPixelRows>{ shared, pixels });
  if (countsSegments)
  {
    executor.Wait();
    const std::uint32_t segments = executor.ReduceTiles(segmentCounts.get());
    if (segments > maximumSegments)
    {
      executor.ForEachTile([&](const auto & threadBlock) {
        if (threadBlock.index == 0)
        {
          threadBlock.Once([&] { *result = { false, 0 }; });
        }
      });
      return;
    }
  }
  executor.ForEachTile(LabelTile<TRowGroup>{ shared });
  if (tiles.Count() > 1)
  {
    executor.Wait();
    executor.ForEachTile(UniteTiles<TRowGroup>{ shared });
    executor.Wait();
  }
  executor.ForEachTile(RankRoots<TRowGroup>{ shared });
  executor.Wait();
  executor.ForEachTile(WriteTile<TRowGroup, TOutput>{ shared, labelValues, output, result });
}

} // namespace itk::ccl

#endif
