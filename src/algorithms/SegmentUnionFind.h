// SPDX-License-Identifier: Apache-2.0
#ifndef SegmentUnionFind_h
#define SegmentUnionFind_h

// Union-find on segments, tile by tile, for face and full connectivity in planes and volumes.
//
// For images that are small enough for all of their bits and segments to lie in the fast memory of one kernel's blocks.
// Each block has a tile of bundles: it labels that alone, is united with the others in memory that all share, and
// writes its labels; the way of tiles is that of Oliveira and Lotufo (SIBGRAPI 2010). The root of a component is the
// segment of its first pixel, so that labels follow from counting roots.

#include "SegmentContacts.h"
#include "SegmentExpansion.h"
#include "SegmentPacking.h"
#include "SegmentRanking.h"
#include "UnionFind.h"

namespace itk::ccl
{

namespace SegmentUnionFind
{

/** A word of a tile, and its neighbours: in the tile, or, where VElsewhere, in other tiles. */
template <bool VElsewhere, typename TBundle>
struct WordInTile
{
  const Shared<TBundle> & shared;
  const Tile<TBundle> &   tile;
  std::uint32_t           word;
  BundleWordPlace         place;

  template <typename TOffset>
  CCL_HOST_DEVICE
  bool
  HasNeighbor() const
  {
    return shared.tiles.template HasNeighbor<TOffset>(place) &&
           shared.tiles.template HasNeighborIn<TOffset>(tile.box, place) != VElsewhere;
  }

  template <typename TOffset>
  CCL_HOST_DEVICE
  std::uint32_t
  IndexOfNeighbor() const
  {
    return VElsewhere ? shared.tiles.template NeighborWord<TOffset>(place)
                      : shared.tiles.template NeighborWordIn<TOffset>(word);
  }

  CCL_HOST_DEVICE
  const BundledWord<TBundle> *
  GetWords() const
  {
    return VElsewhere ? shared.words : tile.bits;
  }
};

/** Calls visit(place, otherPlace) for the segments of some bits of a tile's word, and those that touch them in the
 * bundles before their own: in the same tile, or, where VElsewhere, in other tiles, of which places are those in the
 * image. */
template <bool VElsewhere, typename TBundle, typename TVisitor>
CCL_HOST_DEVICE
void
ForEachContact(const Shared<TBundle> & shared,
               const Tile<TBundle> &   tile,
               std::uint32_t           word,
               Word                    mask,
               const TVisitor &        visit)
{
  const WordInTile<VElsewhere, TBundle> at{ shared, tile, word, tile.PlaceOf(shared, word) };
  const SegmentedWord<TBundle>          own(tile.bits, word, at.place.x);
  if (!own.HasPixels())
  {
    return;
  }
  CCL_UNROLL
  for (unsigned int neighbor = 0; neighbor < NeighborCountOf<TBundle>; ++neighbor)
  {
    VisitNeighbor<TBundle>(neighbor, [&](auto offset) {
      using OffsetType = decltype(offset);
      if (!at.template HasNeighbor<OffsetType>())
      {
        return;
      }
      const SegmentContacts<TBundle, OffsetType> contacts(
        own,
        SegmentedWord<TBundle>(at.GetWords(), at.template IndexOfNeighbor<OffsetType>(), at.place.x),
        shared.tiles.IsFullyConnected());
      Word left = contacts.bits & mask;
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
    this->LinkAndList(tile, team, parts);
    tile.ForEachSegment(shared, team, compress);
    team.ForEach(parts.Count(), [&](std::uint32_t part) {
      const auto unite = [&](std::uint32_t place, std::uint32_t otherPlace) {
        const std::uint32_t a = Load(tile.parents.byPlace + place);
        const std::uint32_t b = Load(tile.parents.byPlace + otherPlace);
        if (a != b)
        {
          UnionSplicing(tile.parents, a, b);
        }
      };
      this->UniteAlongBundle(tile, parts, part, unite);
      ForEachContact<false>(shared, tile, parts.WordOf(part), parts.MaskOf(part), unite);
    });
    const bool       isOnlyTile = shared.tiles.Count() == 1;
    const TileBorder border = shared.tiles.template BorderOf<true>(tile.box);
    tile.ForEachSegment(shared, team, [&](std::uint32_t segment) {
      compress(segment);
      const std::uint32_t word = tile.PlaceOf(segment) / Segments::PerWord;
      if (!isOnlyTile && shared.tiles.IsInBorder(border, shared.tiles.RowOfWord(word)))
      {
        this->Expose(tile, segment);
      }
    });
  }

private:
  /** Links the segments, and counts and lists them. */
  CCL_NO_EXECUTION_CHECK
  template <typename TTeam>
  CCL_HOST_DEVICE
  void
  LinkAndList(const Tile<TBundle> & tile, const TTeam & team, const Parts & parts) const
  {
    const TileBorder border = shared.tiles.template BorderOf<true>(tile.box);
    team.ForEachSum(
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
          if (TBundle::IsOneRow && word == border.atBegin * shared.tiles.WordsOfRow())
          {
            tile.counts->ofBegin = before;
          }
          if (TBundle::IsOneRow && word == (border.height - border.atEnd) * shared.tiles.WordsOfRow())
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
    const WordInTile<false, TBundle> at{ shared, tile, word, tile.PlaceOf(shared, word) };
    const SegmentedWord<TBundle>     own(tile.bits, word, at.place.x);
    const bool                       hasOther = at.template HasNeighbor<OffsetType>();
    // Without a bundle before it, its own serves, and has no contacts.
    SegmentContacts<TBundle, OffsetType> contacts(
      own,
      hasOther ? SegmentedWord<TBundle>(tile.bits, at.template IndexOfNeighbor<OffsetType>(), at.place.x) : own,
      shared.tiles.IsFullyConnected());
    contacts.bits = hasOther ? contacts.bits : 0;
    for (Word left = starts; left != 0; left &= left - 1)
    {
      const unsigned int  start = LowestBit(left);
      const std::uint32_t segment = shared.numbers.At(at.place, own.here, start);
      const Word          first = contacts.FirstOf(start);
      tile.parents[segment] =
        first == 0 ? segment : Lower(segment, this->NumberAt(tile, contacts.OtherPlaceAt(LowestBit(first))));
      list(segment);
    }
    if ((starts & 1U) != 0 && own.GoesOn())
    {
      const std::uint32_t segment = shared.numbers.At(at.place, own.here, 0);
      tile.parents[segment] = Lower(segment, this->NumberAt(tile, own.PlaceAt(-1)));
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

  /** Publishes the root of a compressed segment. */
  CCL_HOST_DEVICE
  void
  Expose(const Tile<TBundle> & tile, std::uint32_t segment) const
  {
    const std::uint32_t root = Load(tile.parents + segment);
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
    const TileBorder    border = shared.tiles.template BorderOf<false>(tile.box);
    const Parts         parts(border.Count() * shared.tiles.WordsOfRow());
    team.ForEach(parts.Count(), [&](std::uint32_t part) {
      const auto unite = [&](std::uint32_t place, std::uint32_t otherPlace) {
        this->Unite(tile.parents.byPlace[place], otherPlace);
      };
      ForEachContact<true>(shared, tile, tile.WordOf(shared, border, parts.WordOf(part)), parts.MaskOf(part), unite);
    });
  }

private:
  CCL_HOST_DEVICE
  void
  Unite(std::uint32_t root, std::uint32_t otherPlace) const
  {
    const std::uint32_t parent = Load(shared.parents + root);
    const std::uint32_t other = Load(shared.parents.byPlace + otherPlace);
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
template <typename TBundle, typename TPixelRows, typename TOutput, typename TExecutor>
CCL_HOST_DEVICE
void
LabelBySegments(const TExecutor &               executor,
                const TPixelRows &              pixels,
                const BundleTiles<TBundle> &    tiles,
                const SegmentNumbers<TBundle> & numbers,
                std::uint32_t                   maximumSegments,
                std::uint32_t                   listCapacity,
                const Numbering &               numbering,
                TOutput *                       output,
                LabeledSegments *               result)
{
  using namespace SegmentUnionFind;
  const std::uint64_t   words = std::uint64_t{ tiles.Bundles() } * tiles.WordsOfRow();
  const auto            bits = executor.template Allocate<BundledWord<TBundle>>(words);
  const auto            parents = executor.template Allocate<std::uint32_t>(words * Segments::PerWord);
  const auto            segmentCounts = executor.template Allocate<std::uint32_t>(tiles.Count());
  const auto            pieces = executor.template Allocate<PieceRoots>(tiles.PieceCount());
  const bool            countsSegments = maximumSegments < words * Segments::MaximumPerWord;
  const Shared<TBundle> shared{
    tiles,       numbers, countsSegments, listCapacity, bits.get(), { numbers, parents.get(), 0 }, segmentCounts.get(),
    pieces.get()
  };

  executor.ForEachTile(PackTile<TBundle, TPixelRows>{ shared, pixels });
  if (countsSegments)
  {
    executor.Wait();
    const std::uint32_t segments = executor.SumTiles(segmentCounts.get());
    if (segments > maximumSegments)
    {
      executor.ForEachTile([&](const auto & team) {
        if (team.index == 0)
        {
          team.Once([&] { *result = { false, 0 }; });
        }
      });
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
