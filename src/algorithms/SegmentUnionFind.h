// SPDX-License-Identifier: Apache-2.0
#ifndef SegmentUnionFind_h
#define SegmentUnionFind_h

// Union-find on segments, tile by tile, for face and full connectivity in planes and volumes.
//
// For images that are small enough for all of their bits and segments to lie in the fast memory of one kernel's blocks.
// Each block has a tile of rows: it labels that alone, is united with the others in memory that all share, and writes
// its labels; the way of tiles is that of Oliveira and Lotufo (SIBGRAPI 2010). The root of a component is the segment
// of its first pixel, so that labels follow from counting roots.

#include "KnownPairs.h"
#include "Numbering.h"
#include "Quads.h"
#include "RowTiles.h"
#include "Segments.h"
#include "UnionFind.h"

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
    team.ForEach(parts.Count(), [&](std::uint32_t part) { this->Unite(tile, parts, part); });
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

  /** Unites the segments of a part with those of neighbouring rows of the tile that touch them. */
  CCL_HOST_DEVICE
  void
  Unite(const Tile & tile, const Parts & parts, std::uint32_t part) const
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
    for (std::uint32_t neighbor = 0; neighbor < tiles.NeighborCountInTile(); ++neighbor)
    {
      const std::uint32_t other = tiles.NeighborOf(tile.firstRow + row, neighbor);
      if (other != RowTiles::NoRow && other >= tile.firstRow)
      {
        const SegmentedWord   otherWord(tile.bits, (other - tile.firstRow) * tiles.WordsOfRow() + x, x);
        const SegmentContacts contacts(own, otherWord, shared.fullyConnected);
        contacts.ForEach(parts.MaskOf(part), [&](std::uint32_t segment, std::uint32_t otherSegment) {
          UnionSplicing(tile.parents, segment, otherSegment);
        });
      }
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

/** Calls visit(root, otherRoot) for the roots of a tile, and those of other tiles before it, of which segments touch;
 * not often for the same two. The roots of other tiles are counted from the first segment of all. */
CCL_NO_EXECUTION_CHECK
template <typename TTeam, typename TVisitor>
CCL_HOST_DEVICE
void
ForEachContactOfTiles(const TTeam & team, const Shared & shared, const Tile & tile, const TVisitor & visit)
{
  const RowTiles &    tiles = shared.tiles;
  const std::uint32_t wordsOfRow = tiles.WordsOfRow();
  const Parts         parts(tiles.RowsWithNeighborsElsewhere(tile.index) * wordsOfRow);
  team.ForEach(KnownPairs::Count, [&](std::uint32_t i) { tile.pairs.Clear(i); });
  team.ForEach(parts.Count(), [&](std::uint32_t part) {
    const std::uint32_t word = parts.WordOf(part);
    const std::uint32_t row = word / wordsOfRow;
    const std::uint32_t x = word - row * wordsOfRow;
    const SegmentedWord own(tile.bits, word, x);
    if (!own.HasPixels())
    {
      return;
    }
    for (std::uint32_t neighbor = 0; neighbor < tiles.NeighborCount(); ++neighbor)
    {
      const std::uint32_t other = tiles.NeighborOf(tile.firstRow + row, neighbor);
      if (other != RowTiles::NoRow && other < tile.firstRow)
      {
        const SegmentedWord   otherWord(shared.bits, other * wordsOfRow + x, x);
        const SegmentContacts contacts(own, otherWord, shared.fullyConnected);
        contacts.ForEach(parts.MaskOf(part), [&](std::uint32_t segment, std::uint32_t otherSegment) {
          const std::uint32_t parent = tile.parents[segment];
          const std::uint32_t root = (parent & Exposed) != 0 ? segment : parent;
          const std::uint32_t otherRoot = Load(shared.parents + otherSegment);
          if (!tile.pairs.IsKnown(root, otherRoot))
          {
            visit(root, otherRoot);
          }
        });
      }
    }
  });
}

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
    const Tile tile(shared.tiles, team);
    ForEachContactOfTiles(team, shared, tile, [&](std::uint32_t root, std::uint32_t otherRoot) {
      UnionHalving(shared.parents, tile.firstSegment + root, otherRoot);
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

/** Writes the labels of a tile's pixels. */
template <typename TOutput>
struct WriteTile
{
  Shared    shared;
  Numbering numbering;
  TOutput * output;

  CCL_NO_EXECUTION_CHECK
  template <typename TTeam>
  CCL_HOST_DEVICE
  void
  operator()(const TTeam & team) const
  {
    const RowTiles & tiles = shared.tiles;
    const Tile       tile(tiles, team);
    const Parts      parts(tile.words);
    team.ForEachSum(
      tiles.Count(),
      [&](std::uint32_t other) { return shared.rootCounts[other]; },
      [&](std::uint32_t other, std::uint32_t before) { tile.rootsBefore[other] = before; });
    team.ForEach(parts.Count(), [&](std::uint32_t part) {
      tile.ForEachSegment(parts, part, [&](std::uint32_t segment) {
        std::uint32_t & parent = tile.parents[segment];
        if ((parent & (Ranked | Settled)) != 0)
        {
          parent = Settled | static_cast<std::uint32_t>(numbering.LabelOf(this->RankOf(tile, parent)));
        }
      });
    });

    const std::uint32_t pixels = tile.rows * tiles.RowSize();
    TOutput * const     begin = output + std::uint64_t{ tile.firstRow } * tiles.RowSize();
    const std::uint32_t before = MisalignmentOf(begin);
    team.ForEach((pixels + before + 3) / 4, [&](std::uint32_t quad) {
      this->WriteQuad(tile, begin, pixels, static_cast<std::int64_t>(4 * quad) - before);
    });
  }

private:
  /** The rank of a component, from what is kept of the tile's root. */
  CCL_HOST_DEVICE
  std::uint32_t
  RankOf(const Tile & tile, std::uint32_t parent) const
  {
    if ((parent & Ranked) != 0)
    {
      return (parent & ~Ranked) + tile.rootsBefore[tile.index];
    }
    const std::uint32_t root = parent & ~Settled;
    return (shared.parents[root] & ~Ranked) + tile.rootsBefore[root / (shared.tiles.WordsOfTile() * Segments::PerWord)];
  }

  CCL_HOST_DEVICE
  TOutput
  LabelOf(const Tile & tile, std::uint32_t segment) const
  {
    const std::uint32_t parent = tile.parents[segment];
    const std::uint32_t label = (parent & Settled) != 0 ? parent : tile.parents[parent];
    return static_cast<TOutput>(label & ~Settled);
  }

  /** Writes four pixels, in one access where all are the tile's. */
  CCL_HOST_DEVICE
  void
  WriteQuad(const Tile & tile, TOutput * begin, std::uint32_t pixels, std::int64_t first) const
  {
    const std::uint32_t rowSize = shared.tiles.RowSize();
    const std::uint32_t from = first < 0 ? 0 : static_cast<std::uint32_t>(first);
    const std::uint32_t end = first + 4 < pixels ? static_cast<std::uint32_t>(first + 4) : pixels;
    const std::uint32_t row = from / rowSize;
    std::uint32_t       x = from - row * rowSize;
    std::uint32_t       rowBegin = row * shared.tiles.WordsOfRow();
    Quad<TOutput>       quad;
    const auto          isInside = [&](unsigned int i) { return first + i >= 0 && first + i < pixels; };
    CCL_UNROLL
    for (TOutput & pixel : quad.pixels)
    {
      pixel = static_cast<TOutput>(numbering.background);
    }
    // What one word has of the quad, after the other: two segments at most.
    for (std::uint32_t at = from; at < end;)
    {
      const std::uint32_t word = rowBegin + x / BitsPerWord;
      const unsigned int  bit = x % BitsPerWord;
      std::uint32_t       count = end - at < rowSize - x ? end - at : rowSize - x;
      count = count < BitsPerWord - bit ? count : BitsPerWord - bit;
      const Word         bits = tile.bits[word];
      const unsigned int window = bits >> bit & BitsThrough(count - 1);
      if (window != 0)
      {
        const unsigned int  secondStart = window & ~(window << 1) & (window - 1);
        const std::uint32_t segment = Segments::At(word, bits, bit + LowestBit(Word{ window }));
        const TOutput       label = this->LabelOf(tile, segment);
        const TOutput       second = secondStart != 0 ? this->LabelOf(tile, segment + 1) : label;
        const unsigned int  place = static_cast<unsigned int>(at - first);
        CCL_UNROLL
        for (unsigned int i = 0; i < 4; ++i)
        {
          if (i >= place && (window >> (i - place) & 1U) != 0)
          {
            quad.pixels[i] = (0U - secondStart) >> (i - place) & (secondStart != 0) ? second : label;
          }
        }
      }
      at += count;
      x += count;
      if (x == rowSize)
      {
        x = 0;
        rowBegin += shared.tiles.WordsOfRow();
      }
    }
    if (isInside(0) && isInside(3))
    {
      *reinterpret_cast<Quad<TOutput> *>(begin + first) = quad;
      return;
    }
    CCL_UNROLL
    for (unsigned int i = 0; i < 4; ++i)
    {
      if (isInside(i))
      {
        begin[first + i] = quad.pixels[i];
      }
    }
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
 * segments than `maximumSegments`, nothing is written. Where the numbering has no room for the objects,
 * their number is right and the labels are not. `executor` is KernelExecutor, or what offers the same. */
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
