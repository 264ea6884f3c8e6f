// SPDX-License-Identifier: Apache-2.0
#include "FastDivision.h"
#include "SegmentTiles.h"
#include "TestImages.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>

using namespace itk::ccl;

namespace
{

/** The bundles of a tile that a border has. */
std::set<std::uint32_t>
BundlesOf(const TileBorder & border)
{
  std::set<std::uint32_t> bundles;
  for (std::uint32_t i = 0; i < border.Count(); ++i)
  {
    EXPECT_TRUE(bundles.insert(border(i)).second) << i;
  }
  return bundles;
}

template <typename TBundle>
void
ExpectTilesOfTheImage(const Grid & size, std::uint32_t tileCount)
{
  struct InTile
  {
    std::uint32_t tile;
    std::uint32_t bundle;
  };
  const BundleTiles<TBundle>             tiles(size, !TBundle::IsOneRow, tileCount);
  const Grid                             grid = TBundle::Of(size);
  std::map<std::uint32_t, InTile>        inTiles;
  std::map<std::uint32_t, std::uint32_t> firstRowOfPiece;
  std::map<std::uint32_t, std::uint32_t> lastRowOfPiece;
  ASSERT_LE(tiles.Count(), tileCount);
  for (std::uint32_t tile = 0; tile < tiles.Count(); ++tile)
  {
    const TileBox box = tiles.BoxOf(tile);
    ASSERT_LE(box.Bundles(), tiles.BundlesOfTile());
    std::set<std::uint32_t> rows;
    for (std::uint32_t bundle = 0; bundle < box.Bundles(); ++bundle)
    {
      const BundleWordPlace place = tiles.PlaceIn(box, bundle, 0);
      if (place.y >= grid.y)
      {
        continue;
      }
      ASSERT_LT(place.z, grid.z);
      ASSERT_EQ(place.bundle, place.z * grid.y + place.y);
      ASSERT_TRUE(inTiles.emplace(place.bundle, InTile{ tile, bundle }).second);
      for (unsigned int i = 0; i < TBundle::Rows * TBundle::Slices; ++i)
      {
        const unsigned int  slice = i / TBundle::Rows;
        const std::uint32_t row = tiles.RowsBefore(box, place, i % TBundle::Rows, slice);
        EXPECT_TRUE(rows.insert(row).second);
        EXPECT_LT(row, box.Bundles() * TBundle::Rows * TBundle::Slices);
        const auto at = tiles.RowIn(box, row);
        EXPECT_EQ(at.place.bundle, place.bundle);
        EXPECT_EQ(at.slice * TBundle::Rows + at.row, i);

        const std::uint32_t piece = tiles.PieceOf(place, slice);
        ASSERT_LT(tiles.PieceOfRow(row), tiles.PiecesOf(box));
        EXPECT_EQ(tiles.PieceIn(box, tiles.PieceOfRow(row)), piece);
        // Pieces in the order of their pixels.
        const std::uint32_t rowOfImage = (place.z * TBundle::Slices + slice) * 1000 + place.y * TBundle::Rows + i % 2;
        const auto          first = firstRowOfPiece.emplace(piece, rowOfImage).first;
        first->second = std::min(first->second, rowOfImage);
        lastRowOfPiece[piece] = std::max(lastRowOfPiece[piece], rowOfImage);
      }
    }
    for (std::uint32_t row = 0; row < box.Bundles() * TBundle::Rows * TBundle::Slices; ++row)
    {
      EXPECT_EQ(tiles.BeginsPiece(row), row == 0 || tiles.PieceOfRow(row) != tiles.PieceOfRow(row - 1));
    }
  }
  ASSERT_EQ(inTiles.size(), tiles.Bundles());
  ASSERT_EQ(inTiles.size(), grid.y * grid.z);
  EXPECT_EQ(firstRowOfPiece.size(), tiles.PieceCount());
  for (auto piece = firstRowOfPiece.begin(); piece != firstRowOfPiece.end(); ++piece)
  {
    EXPECT_TRUE(piece == firstRowOfPiece.begin() || piece->second > lastRowOfPiece[std::prev(piece)->first]);
  }

  for (const auto & [bundle, own] : inTiles)
  {
    const TileBox           box = tiles.BoxOf(own.tile);
    const BundleWordPlace   place = tiles.PlaceIn(box, own.bundle, 0);
    std::set<std::uint32_t> expected;
    for (std::uint32_t other = 0; other < bundle; ++other)
    {
      const auto distance = [](std::uint32_t a, std::uint32_t b) { return a > b ? a - b : b - a; };
      const auto y = distance(place.y, static_cast<std::uint32_t>(other % grid.y));
      const auto z = distance(place.z, static_cast<std::uint32_t>(other / grid.y));
      if (TBundle::IsOneRow ? y + z == 1 : y <= 1 && z <= 1)
      {
        expected.insert(other);
      }
    }
    const TileBorder border = tiles.template BorderOf<true>(box);
    EXPECT_EQ(tiles.IsInBorder(border, own.bundle), BundlesOf(border).count(own.bundle) == 1);
    std::set<std::uint32_t> neighbors;
    for (unsigned int neighbor = 0; neighbor < NeighborCountOf<TBundle>; ++neighbor)
    {
      VisitNeighbor<TBundle>(neighbor, [&](auto offset) {
        using OffsetType = decltype(offset);
        if (!tiles.template HasNeighbor<OffsetType>(place))
        {
          return;
        }
        const std::uint32_t word = tiles.template NeighborWord<OffsetType>(place);
        const std::uint32_t neighborBundle = word / tiles.WordsOfRow();
        EXPECT_EQ(word % tiles.WordsOfRow(), 0U);
        neighbors.insert(neighborBundle);
        const InTile & other = inTiles.at(neighborBundle);
        EXPECT_EQ(tiles.template HasNeighborIn<OffsetType>(box, place), other.tile == own.tile);
        if (other.tile == own.tile)
        {
          EXPECT_EQ(tiles.template NeighborWordIn<OffsetType>(own.bundle * tiles.WordsOfRow() + 1),
                    other.bundle * tiles.WordsOfRow() + 1);
        }
        else
        {
          const TileBox otherBox = tiles.BoxOf(other.tile);
          EXPECT_EQ(BundlesOf(tiles.template BorderOf<false>(box)).count(own.bundle), 1U);
          EXPECT_EQ(BundlesOf(border).count(own.bundle), 1U);
          EXPECT_EQ(BundlesOf(tiles.template BorderOf<true>(otherBox)).count(other.bundle), 1U);
        }
      });
    }
    EXPECT_EQ(neighbors, expected) << "bundle " << bundle;
  }
}

} // namespace

TEST(BundleTiles, AreThoseOfTheImage)
{
  for (const Grid size :
       { Grid{ 5, 7, 1 }, Grid{ 40, 3, 5 }, Grid{ 1, 1, 9 }, Grid{ 70, 6, 4 }, Grid{ 9, 21, 7 }, Grid{ 3, 30, 31 } })
  {
    for (const std::uint32_t tileCount : { 1U, 2U, 3U, 4U, 7U, 20U, 100U })
    {
      SCOPED_TRACE(std::to_string(size.x) + " x " + std::to_string(size.y) + " x " + std::to_string(size.z) +
                   ", tiles: " + std::to_string(tileCount));
      ExpectTilesOfTheImage<RowBundle>(size, tileCount);
      ExpectTilesOfTheImage<VolumeBundle>(size, tileCount);
      if (size.z == 1)
      {
        ExpectTilesOfTheImage<PlaneBundle>(size, tileCount);
      }
    }
  }
}

namespace
{

template <typename TBundle>
void
ExpectNumbersInOrder(const TestImage & image)
{
  const Grid                             size{ image.size[0], image.size[1], image.size[2] };
  const Grid                             words = WordsOf(TBundle::Of(size));
  const SegmentNumbers<TBundle>          numbers(size);
  const BundleTiles<TBundle>             tiles(size, true, 1);
  std::map<std::uint32_t, std::uint64_t> firstPixels;
  std::set<std::uint32_t>                places;
  for (std::uint64_t index = 0; index < words.Count(); ++index)
  {
    const Cell            cell = CellAt(words, index);
    const BundleWordPlace place =
      tiles.PlaceOf(static_cast<std::uint32_t>(index / words.x), static_cast<std::uint32_t>(cell.x));
    BundledWord<TBundle> word{};
    const auto           pixelAt = [&](unsigned int row, unsigned int bit) -> std::uint64_t {
      return tiles.PixelsBefore(place, row % TBundle::Rows, row / TBundle::Rows) + place.x * BitsPerWord + bit;
    };
    for (unsigned int row = 0; row < word.Count; ++row)
    {
      for (unsigned int bit = 0; bit < BitsPerWord && place.x * BitsPerWord + bit < size.x; ++bit)
      {
        if (tiles.HasRow(place, row % TBundle::Rows, row / TBundle::Rows) && image.pixels[pixelAt(row, bit)] != 0)
        {
          word.rows[row] |= Word{ 1 } << bit;
        }
      }
    }
    for (Word starts = Segments::Starts(word.Columns()); starts != 0; starts &= starts - 1)
    {
      const unsigned int  start = LowestBit(starts);
      const std::uint32_t number = numbers.At(place, word, start);
      const Word          segment = Segments::From(word.Columns(), start);
      const unsigned int  row = word.FirstRowIn(segment);
      EXPECT_EQ(Segments::StartOf(word.Columns(), HighestBit(segment)), start);
      EXPECT_LT(number, SegmentNumbers<TBundle>::Limit(size));
      EXPECT_TRUE(firstPixels.emplace(number, pixelAt(row, LowestBit(word.rows[row] & segment))).second);
      EXPECT_EQ(numbers.PlaceOf(number), Segments::PlaceAt(static_cast<std::uint32_t>(index), start));
      EXPECT_TRUE(places.insert(numbers.PlaceOf(number)).second);
      EXPECT_EQ(numbers.BundleOf(number).bundle, place.bundle);
      if constexpr (!TBundle::IsOneRow)
      {
        EXPECT_EQ(numbers.BundleOf(number).y, place.y);
        EXPECT_EQ(numbers.BundleOf(number).z, place.z);
        // As in a tile of which the layers have three bundles more.
        EXPECT_EQ(numbers.WithLayersOf(static_cast<std::uint32_t>(words.y) + 3).PlaceOf(number),
                  Segments::PlaceAt(static_cast<std::uint32_t>(index + place.z * 3 * words.x), start));
      }
      EXPECT_EQ(numbers.SliceOf(number) * TBundle::Rows + numbers.RowOf(number), row);
    }
  }
  std::uint64_t last = 0;
  for (const auto & [number, pixel] : firstPixels)
  {
    EXPECT_TRUE(number == firstPixels.begin()->first || pixel > last) << image.name;
    last = pixel;
  }
}

} // namespace

TEST(SegmentNumbers, RiseWithFirstPixels)
{
  for (const unsigned int seed : { 1U, 2U, 3U })
  {
    for (const Grid size : { Grid{ 70, 9, 1 }, Grid{ 33, 1, 5 }, Grid{ 7, 5, 1 }, Grid{ 100, 4, 7 }, Grid{ 1, 8, 3 } })
    {
      const TestImage image = MakeRandom({ size.x, size.y, size.z }, 40, 1, seed);
      ExpectNumbersInOrder<RowBundle>(image);
      ExpectNumbersInOrder<VolumeBundle>(image);
      if (size.z == 1)
      {
        ExpectNumbersInOrder<PlaneBundle>(image);
      }
    }
  }
}

TEST(FastDivision, GivesQuotients)
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

template <typename TBundle>
void
ExpectRoomInMemory(const Grid & size)
{
  using TileType = SegmentUnionFind::Tile<TBundle>;
  const BundleTiles<TBundle> tiles(size, true, 7);
  const std::uint64_t        segments = TileType::WordsOfTile(tiles) * Segments::MaximumPerWord;
  const std::uint64_t        least = TileType::MemoryOf(tiles, 0);
  const std::uint64_t        most = TileType::MemoryOf(tiles, static_cast<std::uint32_t>(segments));
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

TEST(SegmentTiles, HaveRoomForWhatIsLeft)
{
  ExpectRoomInMemory<RowBundle>({ 100, 97, 1 });
  ExpectRoomInMemory<RowBundle>({ 33, 11, 9 });
  ExpectRoomInMemory<VolumeBundle>({ 207, 20, 11 });
}
