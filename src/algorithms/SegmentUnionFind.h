// SPDX-License-Identifier: Apache-2.0
#ifndef SegmentUnionFind_h
#define SegmentUnionFind_h

// Union-find on segments, tile by tile, for face and full connectivity in planes and volumes.
//
// For images that are small enough for all of their bits and segments to lie in the fast memory of one kernel's blocks.
// Each block has a tile of bundles: it labels that alone, is united with the others in memory that all share, and
// writes its labels; the way of tiles is that of Oliveira and Lotufo (SIBGRAPI 2010). The root of a component is the
// segment of its first pixel, so that labels follow from counting roots.

#include "SegmentExpansion.h"
#include "SegmentTiles.h"
#include "UnionFind.h"

namespace itk::ccl
{

namespace SegmentUnionFind
{

/** Finds a segment's root, while roots may be replaced by their ranks. Every step up the tree is published, for others
 * to start from. */
template <typename TParents>
CCL_HOST_DEVICE
inline std::uint32_t
FindRanked(TParents parents, std::uint32_t a)
{
  const std::uint32_t id = a;
  for (std::uint32_t parent = Load(parents + a); parent != a && (parent & Ranked) == 0; parent = Load(parents + a))
  {
    a = parent;
    Store(parents + id, a);
  }
  return a;
}

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
    Word * const        aligned = tile.parents.parents;
    const std::uint32_t alignedWords = tiles.WordsOfRow() + 1;
    const FastDivision  divideByAlignedWords(alignedWords);
    team.ForEach(tile.bundles * rowsOfBundle * alignedWords, [&](std::uint32_t i) {
      const std::uint32_t   rowOfTile = divideByAlignedWords(i);
      const std::uint32_t   bundle = rowOfTile / rowsOfBundle;
      const unsigned int    row = rowOfTile % rowsOfBundle;
      const BundleWordPlace place = tiles.PlaceOf(tile.firstBundle + bundle, 0);
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
      const std::uint32_t  firstRow = (place.bundle - tile.firstBundle) * rowsOfBundle;
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
        tile.rootMarks[word * rowsOfBundle + row] = 0;
      }
      tile.bits[word] = packed;
      shared.words[tile.firstWord + word] = packed;
    });
    if (shared.countsSegments)
    {
      const std::uint32_t segments = team.Sum(
        tile.words, [&](std::uint32_t word) { return CountBits(Segments::Starts(tile.bits[word].Columns())); });
      team.ForEach(1, [&](std::uint32_t) { shared.segmentCounts[tile.index] = segments; });
    }
  }
};

/** Calls visit(place, otherPlace) for the segments of a part of a word, and those that touch them in the bundles before
 * their own, but for those to which LabelTile has linked them: in the same tile, or, where VElsewhere, in other tiles,
 * of which places are those in the image. */
template <bool VElsewhere, typename TBundle, typename TVisitor>
CCL_HOST_DEVICE
void
ForEachContact(const Shared<TBundle> & shared,
               const Tile<TBundle> &   tile,
               const Parts &           parts,
               std::uint32_t           part,
               const TVisitor &        visit)
{
  const std::uint32_t          word = parts.WordOf(part);
  const BundleWordPlace        place = tile.PlaceOf(shared, word);
  const SegmentedWord<TBundle> own(tile.bits, word, place.x);
  if (!own.HasPixels())
  {
    return;
  }
  CCL_UNROLL
  for (unsigned int neighbor = 0; neighbor < NeighborCountOf<TBundle>; ++neighbor)
  {
    VisitNeighbor<TBundle>(neighbor, [&](auto offset) {
      using OffsetType = decltype(offset);
      if (!shared.tiles.template HasNeighbor<OffsetType>(place))
      {
        return;
      }
      const std::uint32_t bundle = shared.tiles.template NeighborOf<OffsetType>(place).bundle;
      if ((bundle < tile.firstBundle) != VElsewhere)
      {
        return;
      }
      const std::uint32_t                        otherWord = bundle * shared.tiles.WordsOfRow() + place.x;
      const SegmentContacts<TBundle, OffsetType> contacts(
        own,
        VElsewhere ? SegmentedWord<TBundle>(shared.words, otherWord, place.x)
                   : SegmentedWord<TBundle>(tile.bits, otherWord - tile.firstWord, place.x),
        shared.tiles.IsFullyConnected());
      Word left = contacts.bits & parts.MaskOf(part);
      if constexpr (!VElsewhere && TBundle::IsOneRow && OffsetType::Y == -1)
      {
        left &= ~contacts.Firsts();
      }
      while (left != 0)
      {
        const unsigned int bit = LowestBit(left);
        visit(contacts.OwnPlaceAt(bit), contacts.OtherPlaceAt(bit));
        left &= ~contacts.SamePair(bit);
      }
    });
  }
}

/** Links each segment of a tile to the root of what it is connected to in the tile. */
template <typename TBundle>
struct LabelTile
{
  Shared<TBundle> shared;

  CCL_NO_EXECUTION_CHECK
  template <typename TTeam>
  CCL_HOST_DEVICE
  void
  operator()(const TTeam & team) const
  {
    const Tile<TBundle> tile(shared, team);
    const Parts         parts(tile.words);
    const auto          compress = [&](std::uint32_t segment) { CompressHalving(tile.parents, segment); };
    team.ForEach(tile.pairs.Count(), [&](std::uint32_t i) { tile.pairs.Clear(i); });
    this->LinkAndList(tile, team, parts);
    tile.ForEachSegment(shared, team, compress);
    team.ForEach(parts.Count(), [&](std::uint32_t part) {
      const auto unite = [&](std::uint32_t place, std::uint32_t otherPlace) {
        const std::uint32_t a = Load(tile.parents.parents + place);
        const std::uint32_t b = Load(tile.parents.parents + otherPlace);
        if (a != b && !tile.pairs.Keeps(a < b ? a : b, a < b ? b : a))
        {
          UnionSplicing(tile.parents, a, b);
        }
      };
      this->UniteAlongBundle(tile, parts, part, unite);
      ForEachContact<false>(shared, tile, parts, part, unite);
    });
    team.ForEach(tile.pairs.Count(), [&](std::uint32_t i) {
      tile.pairs.Take(i, [&](std::uint32_t a, std::uint32_t b) { UnionSplicing(tile.parents, a, b); });
    });
    tile.ForEachSegment(shared, team, compress);
    if (shared.tiles.Count() > 1)
    {
      tile.ForEachSegmentAtEnds(shared, team, [&](std::uint32_t segment) { this->Expose(tile, segment); });
    }
  }

private:
  CCL_NO_EXECUTION_CHECK
  template <typename TTeam>
  CCL_HOST_DEVICE
  void
  LinkAndList(const Tile<TBundle> & tile, const TTeam & team, const Parts & parts) const
  {
    if (!shared.listsSegments)
    {
      team.ForEach(parts.Count(),
                   [&](std::uint32_t part) { this->LinkToFirst(tile, parts, part, [](std::uint32_t) {}); });
      return;
    }
    const std::uint32_t count = team.ForEachSum(
      parts.Count(),
      [&](std::uint32_t part) {
        return CountBits(Segments::Starts(tile.bits[parts.WordOf(part)].Columns()) & parts.MaskOf(part));
      },
      [&](std::uint32_t part, std::uint32_t before) {
        std::uint32_t * next = tile.segments + 1 + before;
        this->LinkToFirst(tile, parts, part, [&](std::uint32_t segment) { *next++ = segment; });
      });
    team.ForEach(1, [&](std::uint32_t) { tile.segments[0] = count; });
  }

  /** Links each segment that starts in a part to the one that it goes on from, or to the first in the bundle before it
   * in its layer that touches it; to none that has a higher number. Calls list(segment) for each. */
  template <typename TList>
  CCL_HOST_DEVICE
  void
  LinkToFirst(const Tile<TBundle> & tile, const Parts & parts, std::uint32_t part, const TList & list) const
  {
    using OffsetType = BundleOffset<-1, 0>;
    const std::uint32_t word = parts.WordOf(part);
    const Word          starts = Segments::Starts(tile.bits[word].Columns()) & parts.MaskOf(part);
    if (starts == 0)
    {
      return;
    }
    const std::uint32_t          wordsOfRow = shared.tiles.WordsOfRow();
    const BundleWordPlace        place = tile.PlaceOf(shared, word);
    const SegmentedWord<TBundle> own(tile.bits, word, place.x);
    const bool                   hasOther = word >= wordsOfRow && shared.tiles.template HasNeighbor<OffsetType>(place);
    // Without a bundle before it, its own serves: none of its contacts are used.
    const SegmentContacts<TBundle, OffsetType> contacts(
      own,
      hasOther ? SegmentedWord<TBundle>(tile.bits, word - wordsOfRow, place.x) : own,
      shared.tiles.IsFullyConnected());
    for (Word left = starts; left != 0; left &= left - 1)
    {
      const unsigned int  start = LowestBit(left);
      const std::uint32_t segment = shared.numbers.At(place, own.here, start);
      const Word          first = hasOther ? contacts.FirstOf(start) : 0;
      std::uint32_t       parent = segment;
      if (start == 0 && own.GoesOn())
      {
        parent = this->NumberAt(tile, own.PlaceAt(-1));
      }
      else if (first != 0)
      {
        parent = this->NumberAt(tile, contacts.OtherPlaceAt(LowestBit(first)));
      }
      tile.parents[segment] = parent < segment ? parent : segment;
      list(segment);
    }
  }

  /** The number of the segment at a place of the tile. */
  CCL_HOST_DEVICE
  std::uint32_t
  NumberAt(const Tile<TBundle> & tile, std::uint32_t place) const
  {
    if constexpr (TBundle::IsOneRow)
    {
      return tile.parents.firstPlace + place;
    }
    const std::uint32_t word = place / Segments::PerWord;
    return shared.numbers.AtPlace(tile.PlaceOf(shared, word), tile.bits[word], place);
  }

  /** Unites the segment that starts a word with the one that it goes on from, where it could not be linked to that. */
  template <typename TUnite>
  CCL_HOST_DEVICE
  void
  UniteAlongBundle(const Tile<TBundle> & tile, const Parts & parts, std::uint32_t part, const TUnite & unite) const
  {
    const std::uint32_t word = parts.WordOf(part);
    if constexpr (!TBundle::IsOneRow)
    {
      if ((parts.MaskOf(part) & tile.bits[word].Columns() & 1U) != 0)
      {
        const SegmentedWord<TBundle> own(tile.bits, word, tile.PlaceOf(shared, word).x);
        if (own.GoesOn())
        {
          unite(own.PlaceAt(0), own.PlaceAt(-1));
        }
      }
    }
  }

  /** Publishes the root of a segment. */
  CCL_HOST_DEVICE
  void
  Expose(const Tile<TBundle> & tile, std::uint32_t segment) const
  {
    const std::uint32_t root = Load(tile.parents + segment) & ~Exposed;
    AtomicOr(tile.parents + root, Exposed);
    Store(shared.parents + root, root);
    Store(shared.parents + segment, root);
  }
};

/** Unites the roots of a tile with those of other tiles before it that touch them. */
template <typename TBundle>
struct UniteTiles
{
  Shared<TBundle> shared;

  CCL_NO_EXECUTION_CHECK
  template <typename TTeam>
  CCL_HOST_DEVICE
  void
  operator()(const TTeam & team) const
  {
    const Tile<TBundle> tile(shared, team);
    const Parts         parts(shared.tiles.BundlesAtEnd(tile.index) * shared.tiles.WordsOfRow());
    team.ForEach(parts.Count(), [&](std::uint32_t part) {
      ForEachContact<true>(shared, tile, parts, part, [&](std::uint32_t place, std::uint32_t otherPlace) {
        const std::uint32_t root = tile.parents.parents[place] & ~Exposed;
        if (!tile.pairs.Keeps(root, otherPlace))
        {
          this->Unite(root, otherPlace);
        }
      });
    });
    team.ForEach(tile.pairs.Count(), [&](std::uint32_t i) {
      tile.pairs.Take(i, [&](std::uint32_t root, std::uint32_t otherPlace) { this->Unite(root, otherPlace); });
    });
  }

private:
  CCL_HOST_DEVICE
  void
  Unite(std::uint32_t root, std::uint32_t otherPlace) const
  {
    const std::uint32_t parent = Load(shared.parents + root);
    const std::uint32_t other = Load(shared.parents.parents + otherPlace);
    if (parent != other)
    {
      UnionHalving(shared.parents, parent, other);
    }
  }
};

/** Finds the root of the component of each root of a tile, and ranks those that are the tile's. */
template <typename TBundle>
struct RankRoots
{
  Shared<TBundle> shared;

  CCL_NO_EXECUTION_CHECK
  template <typename TTeam>
  CCL_HOST_DEVICE
  void
  operator()(const TTeam & team) const
  {
    const BundleTiles<TBundle> & tiles = shared.tiles;
    const Tile<TBundle>          tile(shared, team);
    if (tiles.Count() > 1)
    {
      tile.ForEachSegmentAtEnds(shared, team, [&](std::uint32_t segment) { this->FindRootElsewhere(tile, segment); });
    }
    tile.ForEachSegment(shared, team, [&](std::uint32_t segment) { this->MarkIfRoot(tile, segment); });
    tiles.ForEachPiece(tile.index, [&](const BundleWordPlace & begin, std::uint32_t bundles, unsigned int slice) {
      const std::uint32_t wordsOfRow = tiles.WordsOfRow();
      const Word * const  marks = tile.rootMarks + tiles.RowsBefore(tile.index, begin, 0, slice) * wordsOfRow;
      const std::uint32_t count = team.ForEachSum(
        bundles * TBundle::Rows * wordsOfRow,
        [&](std::uint32_t word) { return CountBits(marks[word]); },
        [&](std::uint32_t word, std::uint32_t rank) {
          if (marks[word] == 0)
          {
            return;
          }
          const std::uint32_t   row = tiles.BundleOfWord(word);
          const std::uint32_t   bundle = row / TBundle::Rows;
          const BundleWordPlace place{ begin.bundle + bundle, word - row * wordsOfRow, begin.y + bundle, begin.z };
          for (Word left = marks[word]; left != 0; left &= left - 1)
          {
            this->RankRoot(tile, shared.numbers.At(place, row % TBundle::Rows, slice, LowestBit(left)), rank++);
          }
        });
      team.ForEach(1, [&](std::uint32_t) { shared.rootCounts[tiles.PieceOf(begin, slice)] = count; });
    });
  }

private:
  /** Settles the root, among the tile's, of a segment, where that of the component is another tile's. */
  CCL_HOST_DEVICE
  void
  FindRootElsewhere(const Tile<TBundle> & tile, std::uint32_t segment) const
  {
    const std::uint32_t parent = Load(tile.parents + segment);
    if ((parent & Settled) != 0)
    {
      return;
    }
    const std::uint32_t root = parent & ~Exposed;
    const std::uint32_t known = Load(tile.parents + root);
    if ((known & Settled) == 0)
    {
      const std::uint32_t ofAll = FindRanked(shared.parents, root);
      if (ofAll != root)
      {
        AtomicCompareExchange(tile.parents + root, known, Settled | ofAll);
      }
    }
  }

  /** Marks a segment that is a root, in the row of its first pixel. */
  CCL_HOST_DEVICE
  void
  MarkIfRoot(const Tile<TBundle> & tile, std::uint32_t segment) const
  {
    if ((tile.parents[segment] & ~Exposed) != segment)
    {
      return;
    }
    if constexpr (TBundle::IsOneRow)
    {
      const std::uint32_t place = segment - tile.parents.firstPlace;
      AtomicOr(tile.rootMarks + place / Segments::PerWord, Word{ 1 } << 2 * (place % Segments::PerWord));
    }
    else
    {
      const SegmentNumbers<TBundle> & numbers = shared.numbers;
      const BundleWordPlace           place = shared.tiles.PlaceOf(numbers.BundleOf(segment), 0);
      const std::uint32_t             row =
        shared.tiles.RowsBefore(tile.index, place, numbers.RowOf(segment), numbers.SliceOf(segment));
      const std::uint32_t start = numbers.StartOf(segment);
      AtomicOr(tile.rootMarks + row * shared.tiles.WordsOfRow() + start / BitsPerWord,
               Word{ 1 } << start % BitsPerWord);
    }
  }

  CCL_HOST_DEVICE
  void
  RankRoot(const Tile<TBundle> & tile, std::uint32_t segment, std::uint32_t rank) const
  {
    std::uint32_t & parent = tile.parents[segment];
    if ((parent & Exposed) != 0)
    {
      Store(shared.parents + segment, Ranked | rank);
    }
    parent = Ranked | rank;
  }
};

} // namespace SegmentUnionFind

/** Labels an image, from pixels to pixels. Where it has more segments than `maximumSegments`, nothing is written. Where
 * the numbering has no room for the objects, their number is right and the labels are not. `pixels` is PixelRows, or
 * what offers the same, and `executor` KernelExecutor. */
CCL_NO_EXECUTION_CHECK
template <typename TBundle, typename TPixelRows, typename TOutput, typename TExecutor>
CCL_HOST_DEVICE
void
LabelBySegments(const TExecutor &               executor,
                const TPixelRows &              pixels,
                const BundleTiles<TBundle> &    tiles,
                const SegmentNumbers<TBundle> & numbers,
                std::uint32_t                   maximumSegments,
                bool                            listsSegments,
                const Numbering &               numbering,
                TOutput *                       output,
                LabeledSegments *               result)
{
  using namespace SegmentUnionFind;
  const std::uint64_t   words = std::uint64_t{ tiles.Bundles() } * tiles.WordsOfRow();
  const auto            bits = executor.template Allocate<BundledWord<TBundle>>(words);
  const auto            parents = executor.template Allocate<std::uint32_t>(words * Segments::PerWord);
  const auto            segmentCounts = executor.template Allocate<std::uint32_t>(tiles.Count());
  const auto            rootCounts = executor.template Allocate<std::uint32_t>(tiles.PieceCount());
  const bool            countsSegments = maximumSegments < words * Segments::PerWord;
  const Shared<TBundle> shared{ tiles,
                                numbers,
                                countsSegments,
                                listsSegments,
                                bits.get(),
                                { numbers, parents.get(), 0 },
                                segmentCounts.get(),
                                rootCounts.get() };

  executor.ForEachTile(PackTile<TBundle, TPixelRows>{ shared, pixels });
  if (countsSegments)
  {
    executor.Wait();
    const std::uint32_t segments = executor.SumTiles(segmentCounts.get());
    if (segments > maximumSegments)
    {
      executor.ForEachTile(
        [&](const auto & team) { team.ForEach(team.index == 0, [&](std::uint32_t) { *result = { false, 0 }; }); });
      return;
    }
  }
  executor.ForEachTile(LabelTile<TBundle>{ shared });
  if (tiles.Count() > 1)
  {
    executor.Wait();
    executor.ForEachTile(UniteTiles<TBundle>{ shared });
    executor.Wait();
  }
  executor.ForEachTile(RankRoots<TBundle>{ shared });
  executor.Wait();
  executor.ForEachTile(WriteTile<TBundle, TOutput>{ shared, numbering, output, result });
}

} // namespace itk::ccl

#endif
