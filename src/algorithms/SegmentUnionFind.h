// SPDX-License-Identifier: Apache-2.0
#ifndef SegmentUnionFind_h
#define SegmentUnionFind_h

// Union-find on segments, tile by tile, for face and full connectivity in planes and volumes.
//
// For images that are small enough for all of their bits and segments to lie in the fast memory of one kernel's blocks.
// Each block has a tile of rows: it labels that alone, is united with the others in memory that all share, and writes
// its labels; the way of tiles is that of Oliveira and Lotufo (SIBGRAPI 2010). The root of a component is the segment
// of its first pixel, so that labels follow from counting roots.

#include "SegmentExpansion.h"
#include "SegmentTiles.h"
#include "UnionFind.h"

namespace itk::ccl
{

namespace SegmentUnionFind
{

/** Finds a segment's root, while roots may be replaced by their ranks. Every step up the tree is published, for others
 * to start from. */
CCL_HOST_DEVICE
inline std::uint32_t
FindRanked(std::uint32_t * parents, std::uint32_t a)
{
  const std::uint32_t id = a;
  for (std::uint32_t parent = Load(parents + a); parent != a && (parent & Ranked) == 0; parent = Load(parents + a))
  {
    a = parent;
    Store(parents + id, a);
  }
  return a;
}

/** Packs a tile, and counts its segments where that is asked for. */
template <typename TPackWord>
struct PackTile
{
  Shared    shared;
  TPackWord packWord;

  CCL_NO_EXECUTION_CHECK
  template <typename TTeam>
  CCL_HOST_DEVICE
  void
  operator()(const TTeam & team) const
  {
    const Tile          tile(shared.tiles, team);
    const std::uint32_t wordsOfRow = shared.tiles.WordsOfRow();
    team.ForEach(tile.words, [&](std::uint32_t word) {
      const std::uint32_t row = word / wordsOfRow;
      // The rows of all slices follow each other in memory.
      const Word packed = packWord({ word - row * wordsOfRow, tile.firstRow + row, 0 });
      tile.bits[word] = packed;
      shared.bits[tile.firstWord + word] = packed;
    });
    if (shared.countsSegments)
    {
      const std::uint32_t segments =
        team.Sum(tile.words, [&](std::uint32_t word) { return CountBits(Segments::Starts(tile.bits[word])); });
      team.ForEach(1, [&](std::uint32_t) { shared.segmentCounts[tile.index] = segments; });
    }
  }
};

/** Calls visit(segment, other) for the segments of a part of a word, and those that touch them in the rows before their
 * own: in rows of the same tile, or, where VElsewhere, in those of other tiles, whose segments are counted from the
 * first of all. */
template <bool VElsewhere, typename TVisitor>
CCL_HOST_DEVICE
void
ForEachContact(const Shared &   shared,
               const Tile &     tile,
               const Parts &    parts,
               std::uint32_t    part,
               const TVisitor & visit)
{
  const RowTiles &    tiles = shared.tiles;
  const std::uint32_t word = parts.WordOf(part);
  const std::uint32_t row = word / tiles.WordsOfRow();
  const std::uint32_t x = word - row * tiles.WordsOfRow();
  const SegmentedWord own(tile.bits, word, x);
  if (!own.HasPixels())
  {
    return;
  }
  const std::uint32_t neighborCount = VElsewhere ? tiles.NeighborCount() : tiles.NeighborCountInTile();
  for (std::uint32_t neighbor = 0; neighbor < neighborCount; ++neighbor)
  {
    const std::uint32_t other = tiles.NeighborOf(tile.firstRow + row, neighbor);
    if (other == RowTiles::NoRow || (other < tile.firstRow) != VElsewhere)
    {
      continue;
    }
    const std::uint32_t   otherRow = VElsewhere ? other : other - tile.firstRow;
    const SegmentedWord   otherWord(VElsewhere ? shared.bits : tile.bits, otherRow * tiles.WordsOfRow() + x, x);
    const SegmentContacts contacts(own, otherWord, shared.fullyConnected);
    contacts.ForEach(parts.MaskOf(part), visit);
  }
}

/** Links each segment of a tile to the root of what it is connected to in the tile. */
struct LabelTile
{
  Shared shared;

  CCL_NO_EXECUTION_CHECK
  template <typename TTeam>
  CCL_HOST_DEVICE
  void
  operator()(const TTeam & team) const
  {
    const Tile  tile(shared.tiles, team);
    const Parts parts(tile.words);
    const auto  compress = [&](std::uint32_t part) {
      tile.ForEachSegment(parts, part, [&](std::uint32_t segment) { CompressHalving(tile.parents, segment); });
    };
    team.ForEach(parts.Count(), [&](std::uint32_t part) { this->LinkToFirst(tile, parts, part); });
    team.ForEach(parts.Count(), compress);
    team.ForEach(parts.Count(), [&](std::uint32_t part) {
      ForEachContact<false>(shared, tile, parts, part, [&](std::uint32_t segment, std::uint32_t other) {
        UnionSplicing(tile.parents, segment, other);
      });
    });
    team.ForEach(parts.Count(), compress);
    if (shared.tiles.Count() > 1)
    {
      const Parts exposed = tile.PartsAtEnds(shared.tiles);
      team.ForEach(exposed.Count(), [&](std::uint32_t part) {
        this->Expose(tile, tile.WordAtEnds(exposed, part), exposed.MaskOf(part));
      });
    }
  }

private:
  /** Links each segment that starts in a part to the one that it goes on from, or to the first in the row before it
   * that touches it, if any. */
  CCL_HOST_DEVICE
  void
  LinkToFirst(const Tile & tile, const Parts & parts, std::uint32_t part) const
  {
    const std::uint32_t wordsOfRow = shared.tiles.WordsOfRow();
    const std::uint32_t word = parts.WordOf(part);
    const Word          starts = Segments::Starts(tile.bits[word]) & parts.MaskOf(part);
    if (starts == 0)
    {
      return;
    }
    const std::uint32_t row = word / wordsOfRow;
    const std::uint32_t x = word - row * wordsOfRow;
    const SegmentedWord own(tile.bits, word, x);
    const bool          hasOther = row > 0 && shared.tiles.NeighborOf(tile.firstRow + row, 0) != RowTiles::NoRow;
    // Without a row before it, its own serves: none of its contacts are used.
    const SegmentContacts contacts(
      own, SegmentedWord(tile.bits, hasOther ? word - wordsOfRow : word, x), shared.fullyConnected);
    const Word usable = hasOther ? contacts.bits : 0;
    for (Word left = starts; left != 0; left &= left - 1)
    {
      const unsigned int  start = LowestBit(left);
      const std::uint32_t segment = Segments::At(word, own.bits, start);
      // Up to the first pixel after it.
      const Word    columns = Segments::From(own.bits, start);
      const Word    touching = usable & (columns | columns << 1);
      std::uint32_t parent = segment;
      if (start == 0 && own.GoesOn())
      {
        parent = own.At(-1);
      }
      else if (touching != 0)
      {
        parent = contacts.OtherAt(LowestBit(touching));
      }
      tile.parents[segment] = parent;
    }
  }

  /** Publishes the roots of the segments of a part of a word. */
  CCL_HOST_DEVICE
  void
  Expose(const Tile & tile, std::uint32_t word, Word mask) const
  {
    tile.ForEachSegment(word, mask, [&](std::uint32_t segment) {
      const std::uint32_t root = Load(tile.parents + segment) & ~Exposed;
      AtomicOr(tile.parents + root, Exposed);
      Store(shared.parents + tile.firstSegment + root, tile.firstSegment + root);
      Store(shared.parents + tile.firstSegment + segment, tile.firstSegment + root);
    });
  }
};

/** Unites the roots of a tile with those of other tiles before it that touch them. */
struct UniteTiles
{
  Shared shared;

  CCL_NO_EXECUTION_CHECK
  template <typename TTeam>
  CCL_HOST_DEVICE
  void
  operator()(const TTeam & team) const
  {
    const Tile  tile(shared.tiles, team);
    const Parts parts(shared.tiles.RowsWithNeighborsElsewhere(tile.index) * shared.tiles.WordsOfRow());
    team.ForEach(KnownPairs::Count, [&](std::uint32_t i) { tile.pairs.Clear(i); });
    team.ForEach(parts.Count(), [&](std::uint32_t part) {
      ForEachContact<true>(shared, tile, parts, part, [&](std::uint32_t segment, std::uint32_t other) {
        const std::uint32_t parent = tile.parents[segment];
        const std::uint32_t root = (parent & Exposed) != 0 ? segment : parent;
        const std::uint32_t otherRoot = Load(shared.parents + other);
        if (!tile.pairs.IsKnown(root, otherRoot))
        {
          UnionHalving(shared.parents, tile.firstSegment + root, otherRoot);
        }
      });
    });
  }
};

/** Finds the root of the component of each root of a tile, and ranks those that are the tile's. */
struct RankRoots
{
  Shared shared;

  CCL_NO_EXECUTION_CHECK
  template <typename TTeam>
  CCL_HOST_DEVICE
  void
  operator()(const TTeam & team) const
  {
    const Tile tile(shared.tiles, team);
    if (shared.tiles.Count() > 1)
    {
      const Parts exposed = tile.PartsAtEnds(shared.tiles);
      team.ForEach(exposed.Count(), [&](std::uint32_t part) {
        this->FindRootsElsewhere(tile, tile.WordAtEnds(exposed, part), exposed.MaskOf(part));
      });
    }
    const Parts parts(tile.words);
    const auto  findRoots = [&](std::uint32_t part) {
      std::uint32_t roots = 0;
      tile.ForEachSegment(parts, part, [&](std::uint32_t segment) {
        std::uint32_t & parent = tile.parents[segment];
        if ((parent & ~Exposed) == segment)
        {
          parent = Ranked | (parent & Exposed);
          ++roots;
        }
      });
      return roots;
    };
    const std::uint32_t count = team.ForEachSum(parts.Count(), findRoots, [&](std::uint32_t part, std::uint32_t rank) {
      tile.ForEachSegment(parts, part, [&](std::uint32_t segment) {
        const std::uint32_t parent = tile.parents[segment];
        if ((parent & Ranked) != 0)
        {
          if ((parent & Exposed) != 0)
          {
            Store(shared.parents + tile.firstSegment + segment, Ranked | rank);
          }
          tile.parents[segment] = Ranked | rank;
          ++rank;
        }
      });
    });
    team.ForEach(1, [&](std::uint32_t) { shared.rootCounts[tile.index] = count; });
  }

private:
  /** Settles the roots, among the tile's, of the segments of a part of a word, where that of the component is another
   * tile's. */
  CCL_HOST_DEVICE
  void
  FindRootsElsewhere(const Tile & tile, std::uint32_t word, Word mask) const
  {
    tile.ForEachSegment(word, mask, [&](std::uint32_t segment) {
      const std::uint32_t parent = Load(tile.parents + segment);
      if ((parent & Settled) != 0)
      {
        return;
      }
      const std::uint32_t root = parent & ~Exposed;
      const std::uint32_t known = Load(tile.parents + root);
      if ((known & Settled) == 0)
      {
        const std::uint32_t ofAll = FindRanked(shared.parents, tile.firstSegment + root);
        if (ofAll != tile.firstSegment + root)
        {
          AtomicCompareExchange(tile.parents + root, known, Settled | ofAll);
        }
      }
    });
  }
};

} // namespace SegmentUnionFind

/** What LabelBySegments gives. */
struct LabeledSegments
{
  bool          isLabeled;
  std::uint32_t objectCount;
};

/** Labels an image of which packWord(cell) gives the bits of a word's pixels, from pixels to pixels. Where it has more
 * segments than `maximumSegments`, nothing is written. Where the numbering has no room for the objects, their number is
 * right and the labels are not. `executor` is KernelExecutor, or what offers the same. */
CCL_NO_EXECUTION_CHECK
template <typename TPackWord, typename TOutput, typename TExecutor>
CCL_HOST_DEVICE
LabeledSegments
LabelBySegments(const TExecutor & executor,
                const TPackWord & packWord,
                const RowTiles &  tiles,
                bool              fullyConnected,
                std::uint32_t     maximumSegments,
                const Numbering & numbering,
                TOutput *         output)
{
  using namespace SegmentUnionFind;
  const std::uint64_t words = std::uint64_t{ tiles.Count() } * tiles.WordsOfTile();
  const auto          bits = executor.template Allocate<Word>(words);
  const auto          parents = executor.template Allocate<std::uint32_t>(words * Segments::PerWord);
  const auto          segmentCounts = executor.template Allocate<std::uint32_t>(tiles.Count());
  const auto          rootCounts = executor.template Allocate<std::uint32_t>(tiles.Count());
  const bool          countsSegments = maximumSegments < words * Segments::PerWord;
  const Shared        shared{ tiles,         fullyConnected,      countsSegments,  bits.get(),
                       parents.get(), segmentCounts.get(), rootCounts.get() };

  executor.ForEachTile(PackTile<TPackWord>{ shared, packWord });
  if (countsSegments)
  {
    executor.Wait();
    if (executor.SumTiles(segmentCounts.get()) > maximumSegments)
    {
      return { false, 0 };
    }
  }
  executor.ForEachTile(LabelTile{ shared });
  if (tiles.Count() > 1)
  {
    executor.Wait();
    executor.ForEachTile(UniteTiles{ shared });
    executor.Wait();
  }
  executor.ForEachTile(RankRoots{ shared });
  executor.Wait();
  executor.ForEachTile(WriteTile<TOutput>{ shared, numbering, output });
  return { true, executor.SumTiles(rootCounts.get()) };
}

} // namespace itk::ccl

#endif
