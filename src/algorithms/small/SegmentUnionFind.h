// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_algorithms_small_SegmentUnionFind_h
#define ccl_algorithms_small_SegmentUnionFind_h

// Union-find on segments, tile by tile, for face and full connectivity in planes and volumes.
//
// For images that are small enough for all of their bits and segments to lie in the fast memory of one kernel's blocks.
// Each block has a tile of row groups: it labels that alone, is united with the others in memory that all share, and
// writes its labels; the way of tiles is that of Oliveira and Lotufo (SIBGRAPI 2010). The root of a component is the
// segment of its first pixel, so that labels follow from counting roots.

#include "algorithms/small/SegmentAdjacency.h"
#include "algorithms/small/SegmentLabelWriteOut.h"
#include "algorithms/small/SegmentPacking.h"
#include "algorithms/small/SegmentRanking.h"
#include "primitives/UnionFind.h"

namespace itk::ccl
{

namespace SegmentUnionFind
{

/** A word of a tile, and its neighbours: in the tile, or, where VElsewhere, in other tiles. */
template <bool VElsewhere, typename TRowGroup>
struct WordInTile
{
  const Shared<TRowGroup> & shared;
  const Tile<TRowGroup> &   tile;
  std::uint32_t             word;
  WordPosition              position;

  template <typename TOffset>
  CCL_HOST_DEVICE
  bool
  HasNeighbor() const
  {
    return shared.tiles.template HasNeighbor<TOffset>(position) &&
           shared.tiles.template HasNeighborIn<TOffset>(tile.box, position) != VElsewhere;
  }

  template <typename TOffset>
  CCL_HOST_DEVICE
  std::uint32_t
  IndexOfNeighbor() const
  {
    return VElsewhere ? shared.tiles.template NeighborWord<TOffset>(position)
                      : shared.tiles.template NeighborWordIn<TOffset>(word);
  }

  CCL_HOST_DEVICE
  const RowGroupWord<TRowGroup> *
  GetWords() const
  {
    return VElsewhere ? shared.words : tile.bits;
  }
};

/** Calls visit(place, otherPlace) for the segments of some bits of a tile's word, and those that touch them in the
 * row groups before their own: in the same tile, or, where VElsewhere, in other tiles, of which places are those in the
 * image. */
template <bool VElsewhere, typename TRowGroup, typename TVisitor>
CCL_HOST_DEVICE
void
ForEachAdjacent(const Shared<TRowGroup> & shared,
                const Tile<TRowGroup> &   tile,
                std::uint32_t             word,
                Word                      mask,
                const TVisitor &          visit)
{
  const WordInTile<VElsewhere, TRowGroup> at{ shared, tile, word, tile.PositionOf(shared, word) };
  const SegmentedWord<TRowGroup>          own(tile.bits, word, at.position.x);
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

/** Links each segment of a tile to the root of what it is connected to in the tile. */
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
        this->Expose(tile, segment);
      }
    });
  }

private:
  /** Links the segments, and counts and lists them. */
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
      [&](std::uint32_t part, std::uint32_t before) {
        const std::uint32_t word = parts.WordOf(part);
        std::uint32_t       count = before;
        this->LinkToFirst(tile, parts, part, [&](std::uint32_t segment) {
          if (count < shared.listCapacity)
          {
            tile.segments[count] = segment;
          }
          ++count;
        });
        if ((parts.MaskOf(part) & 1U) != 0)
        {
          if (TRowGroup::IsOneRow && word == border.atBegin * shared.tiles.WordsOfRow())
          {
            tile.counts->ofBegin = before;
          }
          if (TRowGroup::IsOneRow && word == (border.height - border.atEnd) * shared.tiles.WordsOfRow())
          {
            tile.counts->beforeEnd = before;
          }
        }
        if (part + 1 == parts.Count())
        {
          tile.counts->all = count;
        }
      });
  }

  /** Links each segment that starts in a part to the one that it goes on from, or to the first in the row group before
   * it in its layer that touches it; to none that has a higher number. Calls list(segment) for each. */
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
    // Without a row group before it, its own serves, and has no contacts.
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

  /** The number of the segment at a place of the tile. */
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

  /** Unites the segment that starts a word with the one that it goes on from, where it could not be linked to that. */
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

  /** Publishes the root of a compressed segment. */
  CCL_HOST_DEVICE
  void
  Expose(const Tile<TRowGroup> & tile, std::uint32_t segment) const
  {
    const std::uint32_t root = Load(tile.parents + segment);
    Store(shared.parents + root, root);
    Store(shared.parents + segment, root);
  }
};

/** Unites the roots of a tile with those of other tiles before it that touch them. */
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
    // Both at once, and not one after the other: most are roots.
    const std::uint32_t low = parent < other ? parent : other;
    const std::uint32_t high = parent < other ? other : parent;
    const std::uint32_t parentOfLow = Load(shared.parents + low);
    const std::uint32_t parentOfHigh = Load(shared.parents + high);
    const std::uint32_t old = parentOfHigh == high ? AtomicMin(shared.parents + high, parentOfLow) : parentOfHigh;
    if (old != high && old != parentOfLow)
    {
      UnionHalving(shared.parents, old, parentOfLow);
    }
  }
};

} // namespace SegmentUnionFind

/** Labels an image, from pixels to pixels. Where it has more segments than `maximumSegments`, nothing is written. Where
 * the numbering has no room for the objects, their number is right and the labels are not. `pixels` is PixelRows, or
 * what gives them by Visit(), and `executor` KernelExecutor. */
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
