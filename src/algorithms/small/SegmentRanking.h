// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_algorithms_small_SegmentRanking_h
#define ccl_algorithms_small_SegmentRanking_h

// Ranks the roots of a tile: the rank of a root is the number of earlier roots in the tile. The label write-out adds
// the number of earlier roots in other tiles (SegmentLabelWriteOut.h). The order of roots is the order of first pixels,
// which is the order of ITK's labels.

#include "algorithms/small/SegmentTile.h"
#include "primitives/UnionFind.h"

namespace itk::ccl
{

namespace SegmentUnionFind
{

/** Returns the root of a segment in global memory. Other tiles may replace roots by their ranks at the same time, so a
 * Ranked value also means a root. Each step up the tree is stored as the segment's parent, so that other threads have a
 * shorter path. */
template <typename TParents>
CCL_HOST_DEVICE
inline std::uint32_t
FindRanked(TParents parents, std::uint32_t a)
{
  const std::uint32_t segment = a;
  for (std::uint32_t parent = Load(parents + a); parent != a && (parent & Ranked) == 0; parent = Load(parents + a))
  {
    a = parent;
    Store(parents + segment, a);
  }
  return a;
}

/** Settles the roots of a tile whose components have their roots in other tiles, and ranks the other roots. */
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
        shared, threadBlock, [&](std::uint32_t segment) { this->SettleTileRoot(tile, segment); });
    }
    if constexpr (TRowGroup::IsOneRow)
    {
      const std::uint32_t count = this->RankAlongRows(tile, threadBlock);
      // The tile is one slab.
      threadBlock.Once([&] { shared.slabs[tile.index] = { count, 0 }; });
    }
    else
    {
      const std::uint32_t count = this->RankByRootBits(tile, threadBlock);
      const std::uint32_t slabs = tiles.SlabsOf(tile.box);
      threadBlock.ForEach(slabs, [&](std::uint32_t i) {
        const std::uint32_t offset = tile.rootOffsets[i];
        shared.slabs[tiles.SlabIn(tile.box, i)] = { (i + 1 < slabs ? tile.rootOffsets[i + 1] : count) - offset,
                                                    offset };
      });
    }
  }

private:
  /** Ranks the roots of a tile if row groups are single rows: the scan then visits the segments in the order of their
   * first pixels. Returns the number of roots. */
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
      [&](std::uint32_t segment, std::uint32_t prefix) {
        if (this->IsRoot(tile, segment))
        {
          this->RankRoot(tile, segment, prefix);
        }
      });
  }

  /** Ranks the roots of a tile if row groups have several rows. The scan of the segments then has another order than
   * the first pixels, so a scan of the root bits ranks the roots. Sets tile.rootOffsets[i] to the number of roots in
   * the tile before its i-th slab. Returns the number of roots. */
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
      [&](std::uint32_t word, std::uint32_t prefix) {
        const std::uint32_t row = tiles.RowOfWord(word);
        const std::uint32_t x = word - row * wordsOfRow;
        if (x == 0 && tiles.BeginsSlab(row))
        {
          tile.rootOffsets[tiles.SlabOfRow(row)] = prefix;
        }
        Word left = tile.rootBits[word];
        if (left == 0)
        {
          return;
        }
        const auto         rowInGroup = tiles.RowIn(tile.box, row);
        const WordPosition position{ rowInGroup.position.group, x, rowInGroup.position.y, rowInGroup.position.z };
        for (std::uint32_t rank = prefix; left != 0; left &= left - 1, ++rank)
        {
          this->RankRoot(tile, shared.ids.At(position, rowInGroup.row, rowInGroup.slice, LowestBit(left)), rank);
        }
      });
  }

  /** Settles the tile's root of a segment if the root of the component lies in another tile. Several segments can share
   * the tile's root, so threads may do this concurrently. */
  CCL_HOST_DEVICE
  void
  SettleTileRoot(const Tile<TRowGroup> & tile, std::uint32_t segment) const
  {
    const std::uint32_t root = Load(tile.parents + segment);
    if ((root & Settled) != 0)
    {
      return;
    }
    const std::uint32_t value = Load(tile.parents + root);
    if ((value & Settled) == 0)
    {
      const std::uint32_t componentRoot = FindRanked(shared.parents, root);
      if (componentRoot != root)
      {
        AtomicCompareExchange(tile.parents + root, value, Settled | componentRoot);
      }
    }
  }

  CCL_HOST_DEVICE
  bool
  IsRoot(const Tile<TRowGroup> & tile, std::uint32_t segment) const
  {
    return tile.parents[segment] == segment;
  }

  /** Sets the root bit of a segment if the segment is a root. The bit lies in the row of the first pixel, at the even
   * column of the segment's start. */
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

  /** Replaces the parent of a root by its rank, also in global memory, where other tiles look it up. */
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
