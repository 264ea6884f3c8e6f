// SPDX-License-Identifier: Apache-2.0

// Tests of the parts of the algorithm for small images: tiles, segment ids, and the memory of a tile.

#include "primitives/FastDivision.h"
#include "algorithms/small/SegmentTile.h"
#include "TestImages.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>

using namespace itk::ccl;

namespace
{

/** Returns the row groups of a border. Expects that the border has each of them once. */
std::set<std::uint32_t>
RowGroupsOf(const TileBorder & border)
{
  std::set<std::uint32_t> groups;
  for (std::uint32_t i = 0; i < border.Count(); ++i)
  {
    EXPECT_TRUE(groups.insert(border(i)).second) << i;
  }
  return groups;
}

/** Expects that the tiles cover an image, and that the borders and neighbors of their row groups are correct. */
template <typename TRowGroup>
void
ExpectTilesOfTheImage(const Grid & size, std::uint32_t tileCount)
{
  struct InTile
  {
    std::uint32_t tile;
    std::uint32_t group;
  };
  const TileLayout<TRowGroup>            tiles(size, !TRowGroup::IsOneRow, tileCount);
  const Grid                             grid = TRowGroup::GridOf(size);
  std::map<std::uint32_t, InTile>        inTiles;
  std::map<std::uint32_t, std::uint32_t> firstRowOfSlab;
  std::map<std::uint32_t, std::uint32_t> lastRowOfSlab;
  ASSERT_LE(tiles.Count(), tileCount);
  for (std::uint32_t tile = 0; tile < tiles.Count(); ++tile)
  {
    const TileBox box = tiles.BoxOf(tile);
    ASSERT_LE(box.RowGroups(), tiles.RowGroupsOfTile());
    std::set<std::uint32_t> rows;
    for (std::uint32_t group = 0; group < box.RowGroups(); ++group)
    {
      const WordPosition position = tiles.PositionIn(box, group, 0);
      if (position.y >= grid.y)
      {
        continue;
      }
      ASSERT_LT(position.z, grid.z);
      ASSERT_EQ(position.group, position.z * grid.y + position.y);
      ASSERT_TRUE(inTiles.emplace(position.group, InTile{ tile, group }).second);
      for (unsigned int i = 0; i < TRowGroup::Rows * TRowGroup::Slices; ++i)
      {
        const unsigned int  slice = i / TRowGroup::Rows;
        const std::uint32_t row = tiles.RowsBefore(box, position, i % TRowGroup::Rows, slice);
        EXPECT_TRUE(rows.insert(row).second);
        EXPECT_LT(row, box.RowGroups() * TRowGroup::Rows * TRowGroup::Slices);
        const auto at = tiles.RowIn(box, row);
        EXPECT_EQ(at.position.group, position.group);
        EXPECT_EQ(at.slice * TRowGroup::Rows + at.row, i);

        const std::uint32_t slab = tiles.SlabOf(position, slice);
        ASSERT_LT(tiles.SlabOfRow(row), tiles.SlabsOf(box));
        EXPECT_EQ(tiles.SlabIn(box, tiles.SlabOfRow(row)), slab);
        // Slabs must be in the order of their pixels.
        const std::uint32_t rowOfImage =
          (position.z * TRowGroup::Slices + slice) * 1000 + position.y * TRowGroup::Rows + i % 2;
        const auto first = firstRowOfSlab.emplace(slab, rowOfImage).first;
        first->second = std::min(first->second, rowOfImage);
        lastRowOfSlab[slab] = std::max(lastRowOfSlab[slab], rowOfImage);
      }
    }
    for (std::uint32_t row = 0; row < box.RowGroups() * TRowGroup::Rows * TRowGroup::Slices; ++row)
    {
      EXPECT_EQ(tiles.BeginsSlab(row), row == 0 || tiles.SlabOfRow(row) != tiles.SlabOfRow(row - 1));
    }
  }
  ASSERT_EQ(inTiles.size(), tiles.RowGroups());
  ASSERT_EQ(inTiles.size(), grid.y * grid.z);
  EXPECT_EQ(firstRowOfSlab.size(), tiles.SlabCount());
  for (auto slab = firstRowOfSlab.begin(); slab != firstRowOfSlab.end(); ++slab)
  {
    EXPECT_TRUE(slab == firstRowOfSlab.begin() || slab->second > lastRowOfSlab[std::prev(slab)->first]);
  }

  for (const auto & [group, own] : inTiles)
  {
    const TileBox           box = tiles.BoxOf(own.tile);
    const WordPosition      position = tiles.PositionIn(box, own.group, 0);
    std::set<std::uint32_t> expected;
    for (std::uint32_t other = 0; other < group; ++other)
    {
      const auto distance = [](std::uint32_t a, std::uint32_t b) { return a > b ? a - b : b - a; };
      const auto y = distance(position.y, static_cast<std::uint32_t>(other % grid.y));
      const auto z = distance(position.z, static_cast<std::uint32_t>(other / grid.y));
      if (TRowGroup::IsOneRow ? y + z == 1 : y <= 1 && z <= 1)
      {
        expected.insert(other);
      }
    }
    const TileBorder border = tiles.template BorderOf<true>(box);
    EXPECT_EQ(tiles.IsInBorder(border, own.group), RowGroupsOf(border).count(own.group) == 1);
    std::set<std::uint32_t> neighbors;
    for (unsigned int neighbor = 0; neighbor < NeighborCountOf<TRowGroup>; ++neighbor)
    {
      VisitNeighbor<TRowGroup>(neighbor, [&](auto offset) {
        using OffsetType = decltype(offset);
        if (!tiles.template HasNeighbor<OffsetType>(position))
        {
          return;
        }
        const std::uint32_t word = tiles.template NeighborWord<OffsetType>(position);
        const std::uint32_t neighborRowGroup = word / tiles.WordsOfRow();
        EXPECT_EQ(word % tiles.WordsOfRow(), 0U);
        neighbors.insert(neighborRowGroup);
        const InTile & other = inTiles.at(neighborRowGroup);
        EXPECT_EQ(tiles.template HasNeighborIn<OffsetType>(box, position), other.tile == own.tile);
        if (other.tile == own.tile)
        {
          EXPECT_EQ(tiles.template NeighborWordIn<OffsetType>(own.group * tiles.WordsOfRow() + 1),
                    other.group * tiles.WordsOfRow() + 1);
        }
        else
        {
          const TileBox otherBox = tiles.BoxOf(other.tile);
          EXPECT_EQ(RowGroupsOf(tiles.template BorderOf<false>(box)).count(own.group), 1U);
          EXPECT_EQ(RowGroupsOf(border).count(own.group), 1U);
          EXPECT_EQ(RowGroupsOf(tiles.template BorderOf<true>(otherBox)).count(other.group), 1U);
        }
      });
    }
    EXPECT_EQ(neighbors, expected) << "row group " << group;
  }
}

} // namespace

TEST(CudaConnectedComponentsTileLayout, TilesMatchTheImage)
{
  for (const Grid size :
       { Grid{ 5, 7, 1 }, Grid{ 40, 3, 5 }, Grid{ 1, 1, 9 }, Grid{ 70, 6, 4 }, Grid{ 9, 21, 7 }, Grid{ 3, 30, 31 } })
  {
    for (const std::uint32_t tileCount : { 1U, 2U, 3U, 4U, 7U, 20U, 100U })
    {
      SCOPED_TRACE(std::to_string(size.x) + " x " + std::to_string(size.y) + " x " + std::to_string(size.z) +
                   ", tiles: " + std::to_string(tileCount));
      ExpectTilesOfTheImage<SingleRow>(size, tileCount);
      ExpectTilesOfTheImage<VolumeRowGroup>(size, tileCount);
      if (size.z == 1)
      {
        ExpectTilesOfTheImage<PlaneRowGroup>(size, tileCount);
      }
    }
  }
}

namespace
{

/** Expects that the segment ids of an image rise with the first pixels, and that an id gives slot and position. */
template <typename TRowGroup>
void
ExpectIdsInOrder(const TestImage & image)
{
  const Grid                             size{ image.size[0], image.size[1], image.size[2] };
  const Grid                             words = WordsOf(TRowGroup::GridOf(size));
  const SegmentIds<TRowGroup>            ids(size);
  const TileLayout<TRowGroup>            tiles(size, true, 1);
  std::map<std::uint32_t, std::uint64_t> firstPixels;
  std::set<std::uint32_t>                slots;
  for (std::uint64_t index = 0; index < words.Count(); ++index)
  {
    const Cell         cell = CellAt(words, index);
    const WordPosition position =
      tiles.PositionOf(static_cast<std::uint32_t>(index / words.x), static_cast<std::uint32_t>(cell.x));
    RowGroupWord<TRowGroup> word{};
    const auto              pixelAt = [&](unsigned int row, unsigned int bit) -> std::uint64_t {
      return tiles.PixelsBefore(position, row % TRowGroup::Rows, row / TRowGroup::Rows) + position.x * BitsPerWord +
             bit;
    };
    for (unsigned int row = 0; row < word.Count; ++row)
    {
      for (unsigned int bit = 0; bit < BitsPerWord && position.x * BitsPerWord + bit < size.x; ++bit)
      {
        if (tiles.HasRow(position, row % TRowGroup::Rows, row / TRowGroup::Rows) &&
            image.pixels[pixelAt(row, bit)] != 0)
        {
          word.rows[row] |= Word{ 1 } << bit;
        }
      }
    }
    for (Word starts = Segments::Starts(word.Columns()); starts != 0; starts &= starts - 1)
    {
      const unsigned int  start = LowestBit(starts);
      const std::uint32_t id = ids.At(position, word, start);
      const Word          segment = Segments::From(word.Columns(), start);
      const unsigned int  row = word.FirstRowIn(segment);
      EXPECT_EQ(Segments::StartOf(word.Columns(), HighestBit(segment)), start);
      EXPECT_LT(id, SegmentIds<TRowGroup>::Limit(size));
      EXPECT_TRUE(firstPixels.emplace(id, pixelAt(row, LowestBit(word.rows[row] & segment))).second);
      EXPECT_EQ(ids.SlotOf(id), Segments::SlotAt(static_cast<std::uint32_t>(index), start));
      EXPECT_TRUE(slots.insert(ids.SlotOf(id)).second);
      EXPECT_EQ(ids.RowGroupOf(id).group, position.group);
      if constexpr (!TRowGroup::IsOneRow)
      {
        EXPECT_EQ(ids.RowGroupOf(id).y, position.y);
        EXPECT_EQ(ids.RowGroupOf(id).z, position.z);
        // A tile may have layers of another size. Here its layers have 3 more row groups than the image's.
        EXPECT_EQ(ids.WithLayersOf(static_cast<std::uint32_t>(words.y) + 3).SlotOf(id),
                  Segments::SlotAt(static_cast<std::uint32_t>(index + position.z * 3 * words.x), start));
      }
      EXPECT_EQ(ids.SliceOf(id) * TRowGroup::Rows + ids.RowOf(id), row);
    }
  }
  std::uint64_t last = 0;
  for (const auto & [id, pixel] : firstPixels)
  {
    EXPECT_TRUE(id == firstPixels.begin()->first || pixel > last) << image.name;
    last = pixel;
  }
}

} // namespace

TEST(CudaConnectedComponentsSegmentIds, RiseWithFirstPixels)
{
  for (const unsigned int seed : { 1U, 2U, 3U })
  {
    for (const Grid size : { Grid{ 70, 9, 1 }, Grid{ 33, 1, 5 }, Grid{ 7, 5, 1 }, Grid{ 100, 4, 7 }, Grid{ 1, 8, 3 } })
    {
      const TestImage image = MakeRandom({ size.x, size.y, size.z }, 40, 1, seed);
      ExpectIdsInOrder<SingleRow>(image);
      ExpectIdsInOrder<VolumeRowGroup>(image);
      if (size.z == 1)
      {
        ExpectIdsInOrder<PlaneRowGroup>(image);
      }
    }
  }
}

TEST(CudaConnectedComponentsFastDivision, GivesQuotients)
{
  for (const std::uint32_t divisor : { 1U, 2U, 3U, 7U, 17U, 100U, 4095U, 4096U, 65535U })
  {
    const FastDivision  divide(divisor);
    const std::uint32_t limit = 0xFFFFFFFFU / divisor;
    for (std::uint32_t quotient = 0; quotient <= 3000; ++quotient)
    {
      for (const std::uint32_t dividend :
           { quotient, quotient * divisor, quotient * divisor + divisor - 1, limit - quotient })
      {
        if (dividend <= limit)
        {
          ASSERT_EQ(divide(dividend), dividend / divisor) << dividend << " / " << divisor;
        }
      }
    }
  }
}

namespace
{

/** Expects that the list of segments fits into the memory of a tile, and that it grows with the memory until it has
 * room for all segments. */
template <typename TRowGroup>
void
ExpectListToFit(const Grid & size)
{
  using TileType = SegmentUnionFind::Tile<TRowGroup>;
  const TileLayout<TRowGroup> tiles(size, true, 7);
  const std::uint64_t         segments = TileType::WordsOfTile(tiles) * Segments::MaximumPerWord;
  const std::uint64_t         least = TileType::MemoryOf(tiles, 0);
  const std::uint64_t         most = TileType::MemoryOf(tiles, static_cast<std::uint32_t>(segments));
  EXPECT_FALSE(TileType::ListCapacityIn(tiles, least - 1));
  std::uint32_t capacity = 0;
  for (std::uint64_t memory = least; memory <= most + 3; ++memory)
  {
    const auto next = TileType::ListCapacityIn(tiles, memory);
    ASSERT_TRUE(next) << memory;
    ASSERT_LE(TileType::MemoryOf(tiles, *next), memory);
    ASSERT_GE(*next, capacity) << memory;
    capacity = *next;
  }
  EXPECT_EQ(capacity, segments);
}

} // namespace

TEST(CudaConnectedComponentsSegmentTiles, ListCapacityFitsTheMemory)
{
  ExpectListToFit<SingleRow>({ 100, 97, 1 });
  ExpectListToFit<SingleRow>({ 33, 11, 9 });
  ExpectListToFit<VolumeRowGroup>({ 207, 20, 11 });
}
