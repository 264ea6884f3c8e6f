// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_algorithms_small_SegmentRanking_h
#define ccl_algorithms_small_SegmentRanking_h

// From the trees of a tile to the ranks of its roots.

#include "algorithms/small/SegmentTile.h"
#include "primitives/UnionFind.h"

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

/** Finds the root of the component of each root of a tile, and ranks those that are the tile's. */
template <typename TRowGroup>
struct RankRoots
{
  Shared<TRowGroup> shared;

  CCL_NO_EXECUTION_CHECK
  template <typename TThreadBlock>
  CCL_HOST_DEVICE
  void
  operator()(const TThreadBlock & threadBlock) const
  {
    const TileLayout<TRowGroup> & tiles = shared.tiles;
    const Tile<TRowGroup>         tile(shared, threadBlock);
    if (tiles.Count() > 1)
    {
      tile.ForEachSegmentOfBorder(
        shared, threadBlock, [&](std::uint32_t segment) { this->FindRootElsewhere(tile, segment); });
    }
    if constexpr (TRowGroup::IsOneRow)
    {
      const std::uint32_t count = this->RankAlongRows(tile, threadBlock);
      // The tile is one piece.
      threadBlock.Once([&] { shared.slabs[tile.index] = { count, 0 }; });
    }
    else
    {
      const std::uint32_t count = this->RankByRootBits(tile, threadBlock);
      const std::uint32_t slabs = tiles.SlabsOf(tile.box);
      threadBlock.ForEach(slabs, [&](std::uint32_t i) {
        const std::uint32_t before = tile.rootOffsets[i];
        shared.slabs[tiles.SlabIn(tile.box, i)] = { (i + 1 < slabs ? tile.rootOffsets[i + 1] : count) - before,
                                                    before };
      });
    }
  }

private:
  /** Ranks the roots of a tile of rows, where segments follow each other in the order of their first pixels; gives
   * their number. */
  CCL_NO_EXECUTION_CHECK
  template <typename TThreadBlock>
  CCL_HOST_DEVICE
  std::uint32_t
  RankAlongRows(const Tile<TRowGroup> & tile, const TThreadBlock & threadBlock) const
  {
    return tile.ScanSegments(
      shared,
      threadBlock,
      [&](std::uint32_t segment) { return std::uint32_t{ this->IsRoot(tile, segment) }; },
      [&](std::uint32_t segment, std::uint32_t before) {
        if (this->IsRoot(tile, segment))
        {
          this->RankRoot(tile, segment, before);
        }
      });
  }

  /** The same for row groups of more rows, by marks in the rows of first pixels. Leaves in tile.rootsBefore those
   * before each piece of the tile, in the tile. */
  CCL_NO_EXECUTION_CHECK
  template <typename TThreadBlock>
  CCL_HOST_DEVICE
  std::uint32_t
  RankByRootBits(const Tile<TRowGroup> & tile, const TThreadBlock & threadBlock) const
  {
    const TileLayout<TRowGroup> & tiles = shared.tiles;
    tile.ForEachSegment(shared, threadBlock, [&](std::uint32_t segment) { this->SetBitIfRoot(tile, segment); });
    const std::uint32_t wordsOfRow = tiles.WordsOfRow();
    return threadBlock.ExclusiveScan(
      tile.words * Tile<TRowGroup>::RowsOfRowGroup,
      [&](std::uint32_t word) { return CountBits(tile.rootBits[word]); },
      [&](std::uint32_t word, std::uint32_t before) {
        const std::uint32_t row = tiles.RowOfWord(word);
        const std::uint32_t x = word - row * wordsOfRow;
        if (x == 0 && tiles.BeginsSlab(row))
        {
          tile.rootOffsets[tiles.SlabOfRow(row)] = before;
        }
        Word left = tile.rootBits[word];
        if (left == 0)
        {
          return;
        }
        const auto         of = tiles.RowIn(tile.box, row);
        const WordPosition position{ of.position.group, x, of.position.y, of.position.z };
        for (std::uint32_t rank = before; left != 0; left &= left - 1, ++rank)
        {
          this->RankRoot(tile, shared.ids.At(position, of.row, of.slice, LowestBit(left)), rank);
        }
      });
  }

  /** Settles the root, among the tile's, of a segment, where that of the component is another tile's. */
  CCL_HOST_DEVICE
  void
  FindRootElsewhere(const Tile<TRowGroup> & tile, std::uint32_t segment) const
  {
    const std::uint32_t root = Load(tile.parents + segment);
    if ((root & Settled) != 0)
    {
      return;
    }
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

  CCL_HOST_DEVICE
  bool
  IsRoot(const Tile<TRowGroup> & tile, std::uint32_t segment) const
  {
    return tile.parents[segment] == segment;
  }

  /** Marks a segment that is a root, in the row of its first pixel, at the even column of its start. */
  CCL_HOST_DEVICE
  void
  SetBitIfRoot(const Tile<TRowGroup> & tile, std::uint32_t segment) const
  {
    if (this->IsRoot(tile, segment))
    {
      const SegmentIds<TRowGroup> & ids = shared.ids;
      const std::uint32_t           row =
        shared.tiles.RowsBefore(tile.box, ids.RowGroupOf(segment), ids.RowOf(segment), ids.SliceOf(segment));
      const std::uint32_t start = ids.StartOf(segment);
      AtomicOr(tile.rootBits + row * shared.tiles.WordsOfRow() + start / BitsPerWord, Word{ 1 } << start % BitsPerWord);
    }
  }

  CCL_HOST_DEVICE
  void
  RankRoot(const Tile<TRowGroup> & tile, std::uint32_t segment, std::uint32_t rank) const
  {
    tile.parents[segment] = Ranked | rank;
    if (shared.tiles.Count() > 1)
    {
      Store(shared.parents + segment, Ranked | rank);
    }
  }
};

} // namespace SegmentUnionFind

} // namespace itk::ccl

#endif
