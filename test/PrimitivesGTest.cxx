// SPDX-License-Identifier: Apache-2.0

// The decisions that the kernels take, one by one.

#include "BitRows.h"
#include "Blocks.h"
#include "FastDivision.h"
#include "Foreground.h"
#include "HostExecutor.h"
#include "HostRows.h"
#include "PairTable.h"
#include "Numbering.h"
#include "RunUnionFind.h"
#include "Segments.h"
#include "TestImages.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <random>
#include <set>

using namespace itk::ccl;

namespace
{

template <unsigned int VDimension>
void
ExpectNeighborhood()
{
  using Neighborhood = BlockNeighborhood<VDimension>;
  std::uint64_t seen = 0;
  for (unsigned int pixel = 0; pixel < Neighborhood::PixelCount; ++pixel)
  {
    seen |= std::uint64_t{ 1 } << Neighborhood::CubeBit(pixel);
  }
  for (unsigned int neighbor = 0; neighbor < Neighborhood::NeighborCount; ++neighbor)
  {
    const std::uint64_t pixels = Neighborhood::PixelsOf(neighbor);
    EXPECT_EQ(pixels & seen, 0U) << "neighbour " << neighbor << " has pixels of another block";
    seen |= pixels;
    // Of the neighbours that share more with the block more pixels can be next to it.
    const int offsets = std::abs(Neighborhood::OffsetX(neighbor)) + std::abs(Neighborhood::OffsetY(neighbor)) +
                        std::abs(Neighborhood::OffsetZ(neighbor));
    EXPECT_EQ(CountBits(static_cast<Word>(pixels)) + CountBits(static_cast<Word>(pixels >> 32)),
              1U << (VDimension - static_cast<unsigned int>(offsets)));
  }
  for (unsigned int foreground = 0; foreground < 1U << Neighborhood::PixelCount; ++foreground)
  {
    std::uint64_t expected = 0;
    for (unsigned int pixel = 0; pixel < Neighborhood::PixelCount; ++pixel)
    {
      if ((foreground >> pixel & 1U) == 0)
      {
        continue;
      }
      const int at = static_cast<int>(Neighborhood::CubeBit(pixel));
      for (int bit = 0; bit < (VDimension == 2 ? 16 : 64); ++bit)
      {
        const bool near = std::abs(bit % 4 - at % 4) <= 1 && std::abs(bit / 4 % 4 - at / 4 % 4) <= 1 &&
                          std::abs(bit / 16 - at / 16) <= 1;
        expected |= static_cast<std::uint64_t>(near) << bit;
      }
    }
    ASSERT_EQ(Neighborhood::Around(foreground), expected) << "foreground " << foreground;
  }
}

TEST(BlockNeighborhood, Plane) { ExpectNeighborhood<2>(); }
TEST(BlockNeighborhood, Volume) { ExpectNeighborhood<3>(); }

TEST(BlockNeighborhood, PaperNumbersTheSquareRowByRow)
{
  EXPECT_EQ(BlockNeighborhood<2>::Around(1), 0x777U);
  EXPECT_EQ(BlockNeighborhood<2>::Around(2), 0x777U << 1);
  EXPECT_EQ(BlockNeighborhood<2>::Around(4), 0x777U << 4);
  EXPECT_EQ(BlockNeighborhood<2>::PixelsOf(0), 1U << 0);           // P
  EXPECT_EQ(BlockNeighborhood<2>::PixelsOf(1), 1U << 1 | 1U << 2); // Q
  EXPECT_EQ(BlockNeighborhood<2>::PixelsOf(2), 1U << 3);           // R
  EXPECT_EQ(BlockNeighborhood<2>::PixelsOf(3), 1U << 4 | 1U << 8); // S
}

template <unsigned int VDimension>
void
ExpectPlacesForInformation(const Grid & image)
{
  constexpr std::uint64_t spare = ~std::uint64_t{ 0 };
  const Grid              blocks = BlocksOf<VDimension>(image);
  std::set<std::uint64_t> used;
  std::uint64_t           spares = 0;
  for (std::uint64_t i = 0; i < blocks.Count(); ++i)
  {
    const Block<VDimension, std::uint64_t> block(image, CellAt(blocks, i));
    ASSERT_TRUE(used.insert(block.index).second);
  }
  for (std::uint64_t i = 0; i < blocks.Count(); ++i)
  {
    const Block<VDimension, std::uint64_t> block(image, CellAt(blocks, i));
    const std::uint64_t                    place = block.InformationIndex(spare);
    if (place == spare)
    {
      ++spares;
      continue;
    }
    ASSERT_LT(place, image.Count());
    ASSERT_TRUE(used.insert(place).second) << image.x << 'x' << image.y << 'x' << image.z << ": block " << i
                                           << " would overwrite what another keeps at pixel " << place;
  }
  const bool isLine = (image.x > 1) + (image.y > 1) + (image.z > 1) < 2;
  EXPECT_EQ(spares, isLine && image.Count() % 2 == 1 ? 1U : 0U) << image.x << 'x' << image.y << 'x' << image.z;
}

TEST(Block, InformationHasItsOwnPlaceInEverySize)
{
  for (std::uint64_t x = 1; x <= 6; ++x)
  {
    for (std::uint64_t y = 1; y <= 6; ++y)
    {
      ExpectPlacesForInformation<2>({ x, y, 1 });
      for (std::uint64_t z = 1; z <= 6; ++z)
      {
        ExpectPlacesForInformation<3>({ x, y, z });
      }
    }
  }
}

TEST(Block, CubeIsClippedToTheImage)
{
  const Grid image{ 5, 4, 3 };
  const Grid blocks = BlocksOf<3>(image);
  EXPECT_EQ(blocks.Count(), 3U * 2U * 2U);
  for (std::uint64_t i = 0; i < blocks.Count(); ++i)
  {
    const Block<3, std::uint32_t> block(image, CellAt(blocks, i));
    const std::uint64_t           inside = block.CubeInImage();
    for (std::int64_t bit = 0; bit < 64; ++bit)
    {
      const std::int64_t x = static_cast<std::int64_t>(block.x) + bit % 4 - 1;
      const std::int64_t y = static_cast<std::int64_t>(block.y) + bit / 4 % 4 - 1;
      const std::int64_t z = static_cast<std::int64_t>(block.z) + bit / 16 - 1;
      const bool         isInside = x >= 0 && y >= 0 && z >= 0 && x < 5 && y < 4 && z < 3;
      EXPECT_EQ(inside >> bit & 1U, isInside ? 1U : 0U) << "block " << i << ", bit " << bit;
    }
  }
}

TEST(Block, IndicesBeyond32Bits)
{
  const Grid                    image{ 2049, 2047, 2049 };
  const Grid                    blocks = BlocksOf<3>(image);
  const Block<3, std::uint64_t> last(image, { blocks.x - 1, blocks.y - 1, blocks.z - 1 });
  EXPECT_EQ(last.index, image.Count() - 1);
  EXPECT_GT(last.index, std::uint64_t{ 1 } << 33);
  EXPECT_EQ(last.IndexOfNeighbor(0), last.index - 2 - 2 * image.x * (1 + image.y));
  EXPECT_EQ(last.InformationIndex(0), last.index - 1 - image.x * (1 + image.y));
  const Cell cell = CellAt(image, last.index);
  EXPECT_EQ(IndexOf(image, cell), last.index);
  EXPECT_EQ(cell.z, image.z - 1);
}

TEST(Grid, TilesFitTheGrid)
{
  for (const Grid & grid : { Grid{ 1, 1, 1 },
                             Grid{ 70, 1, 1 },
                             Grid{ 1, 70, 1 },
                             Grid{ 1, 1, 700 },
                             Grid{ 33, 17, 5 },
                             Grid{ 2, 3, 900 },
                             Grid{ 1000, 1000, 1 },
                             Grid{ 512, 512, 512 } })
  {
    for (const TileShape & shape : { RowTile(grid), CompactTile(grid) })
    {
      EXPECT_LE(shape.x * shape.y * shape.z, Tuning::TileThreads);
      EXPECT_LE(shape.z, 64U);
      // As many threads as cells, but for the last tile along each axis.
      EXPECT_LT(shape.x, 2 * grid.x);
      EXPECT_LT(shape.y, 2 * grid.y);
      EXPECT_LT(shape.z, 2 * grid.z);
    }
  }
  EXPECT_EQ(RowTile({ 512, 512, 512 }).x, 32U);
  EXPECT_EQ(CompactTile({ 512, 512, 512 }).z, 2U);
  // Thin images have full tiles, too.
  EXPECT_EQ(RowTile({ 1, 100000, 1 }).y, Tuning::TileThreads);
  EXPECT_EQ(CompactTile({ 3, 5, 7001 }).z, 4U);
  EXPECT_EQ(Divide(std::uint64_t{ 5 } << 33, 3), (std::uint64_t{ 5 } << 33) / 3);
  EXPECT_EQ(Divide(17, 5), 3U);
  // One launch covers the largest images: CUDA takes 2^31 - 1 tiles.
  const Grid largest{ 1, std::uint64_t{ 1 } << 37, 1 };
  EXPECT_LT(DivideUp(largest.y, RowTile(largest).y), std::uint64_t{ 1 } << 31);
}

/** Runs of bundles found one pixel at a time. */
template <typename TBundle>
struct PlainRuns
{
  explicit PlainRuns(const TestImage & image)
    : m_Image(image)
  {
    for (std::uint64_t z = 0; z < image.size[2]; z += TBundle::Slices)
    {
      for (std::uint64_t y = 0; y < image.size[1]; y += TBundle::Rows)
      {
        bool isInRun = false;
        for (std::uint64_t x = 0; x < image.size[0]; ++x)
        {
          bool isForeground = false;
          for (std::uint64_t i = 0; i < TBundle::Rows * TBundle::Slices; ++i)
          {
            const std::uint64_t rowY = y + i % TBundle::Rows;
            const std::uint64_t rowZ = z + i / TBundle::Rows;
            isForeground |=
              rowY < image.size[1] && rowZ < image.size[2] && image.pixels[image.IndexOf(x, rowY, rowZ)] != 0;
          }
          count += isForeground && !isInRun;
          isInRun = isForeground;
          runOfColumn[{ x, y / TBundle::Rows, z / TBundle::Slices }] = isForeground ? count : 0;
        }
      }
    }
  }

  /** One more than the number of the run at a pixel; 0 in the background. */
  std::uint64_t
  RunAt(std::uint64_t x, std::uint64_t y, std::uint64_t z) const
  {
    const bool isForeground = m_Image.pixels[m_Image.IndexOf(x, y, z)] != 0;
    return isForeground ? runOfColumn.at({ x, y / TBundle::Rows, z / TBundle::Slices }) : 0;
  }

  std::map<std::array<std::uint64_t, 3>, std::uint64_t> runOfColumn;
  std::uint64_t                                         count = 0;

private:
  const TestImage & m_Image;
};

template <typename TBundle>
void
ExpectTouchingRuns(const TestImage & image)
{
  const Grid               size{ image.size[0], image.size[1], image.size[2] };
  const Grid               words = WordsOf(size);
  std::vector<Word>        bits(words.Count());
  const HostExecutor       executor;
  const auto               bundled = PackForeground<TBundle>(executor, image.pixels.data(), size, bits.data());
  const auto               counted = CountRuns<std::uint32_t>(executor, bundled.bundles);
  const PlainRuns<TBundle> plain(image);
  ASSERT_EQ(counted.count, plain.count) << image.name;

  using PairSet = std::set<std::pair<std::uint64_t, std::uint64_t>>;
  const BitRows &            columns = bundled.bundles.columns;
  std::vector<std::uint32_t> runsBefore(columns.words.Count());
  std::vector<std::uint32_t> first(counted.count);
  std::vector<std::uint32_t> last(counted.count);
  executor.ForEachSum(counted.sums,
                      RunUnionFind::StartsInWord{ columns },
                      RunUnionFind::RecordRuns<std::uint32_t>{ columns, runsBefore.data(), first.data(), last.data() });
  const NumberedRuns<TBundle, std::uint32_t>   runs{ bundled.bundles, runsBefore.data() };
  const ContactsByRun<TBundle, std::uint32_t>  byRun{ runs, first.data(), last.data(), counted.count };
  const ContactsByWord<TBundle, std::uint32_t> byWord{ runs };

  // All pairs, of which a cell must have none twice.
  const auto visit = [&image](const auto & contacts) {
    const Grid cells = contacts.GetCells();
    PairSet    visited;
    for (std::uint64_t i = 0; i < cells.Count(); ++i)
    {
      PairSet inCell;
      contacts.ForEach(CellAt(cells, i), [&](std::uint32_t run, std::uint32_t other) {
        EXPECT_LT(other, run) << image.name;
        EXPECT_TRUE(inCell.emplace(run + 1, other + 1).second) << image.name << ": " << run << ", " << other;
      });
      visited.insert(inCell.begin(), inCell.end());
    }
    return visited;
  };

  PairSet touching;
  for (std::uint64_t i = 0; i < size.Count(); ++i)
  {
    const Cell pixel = CellAt(size, i);
    for (std::uint64_t j = 0; j < i; ++j)
    {
      const Cell          other = CellAt(size, j);
      const std::uint64_t apart[] = { pixel.x > other.x ? pixel.x - other.x : other.x - pixel.x,
                                      pixel.y > other.y ? pixel.y - other.y : other.y - pixel.y,
                                      pixel.z - other.z };
      const bool areNeighbors =
        TBundle::IsOneRow ? apart[0] + apart[1] + apart[2] == 1 : apart[0] <= 1 && apart[1] <= 1 && apart[2] <= 1;
      const std::uint64_t pair[] = { plain.RunAt(pixel.x, pixel.y, pixel.z), plain.RunAt(other.x, other.y, other.z) };
      if (areNeighbors && pair[0] != 0 && pair[1] != 0 && pair[0] != pair[1])
      {
        touching.emplace(std::max(pair[0], pair[1]), std::min(pair[0], pair[1]));
      }
    }
  }
  ASSERT_EQ(visit(byRun), touching) << image.name << ", by run";
  ASSERT_EQ(visit(byWord), touching) << image.name << ", by word";
}

namespace
{

template <typename TBundle>
void
ExpectTilesOfTheImage(const Grid & size, std::uint32_t tileCount)
{
  const BundleTiles<TBundle>             tiles(size, !TBundle::IsOneRow, tileCount);
  const std::uint32_t                    layerSize = static_cast<std::uint32_t>(TBundle::Of(size).y);
  std::vector<std::uint32_t>             tileOfBundle;
  std::map<std::uint32_t, int>           rowsBefore;
  std::map<std::uint32_t, std::uint32_t> pixelsOfPiece;
  ASSERT_LE(tiles.Count(), tileCount);
  for (std::uint32_t tile = 0; tile < tiles.Count(); ++tile)
  {
    ASSERT_EQ(tiles.FirstBundle(tile), tileOfBundle.size());
    tileOfBundle.insert(tileOfBundle.end(), tiles.BundlesOf(tile), tile);
    // The rows of a tile's pieces follow each other, and pieces rise with their pixels.
    std::uint32_t row = 0;
    tiles.ForEachPiece(tile, [&](const BundleWordPlace & begin, std::uint32_t bundles, unsigned int slice) {
      const std::uint32_t piece = tiles.PieceOf(begin, slice);
      EXPECT_LT(piece, tiles.PieceCount());
      EXPECT_TRUE(tiles.HasPiece(piece));
      EXPECT_TRUE(pixelsOfPiece.emplace(piece, tiles.PixelsBefore(begin, 0, slice)).second);
      for (std::uint32_t bundle = begin.bundle; bundle < begin.bundle + bundles; ++bundle)
      {
        const BundleWordPlace place = tiles.PlaceOf(bundle, 0);
        EXPECT_EQ(tiles.PieceOf(place, slice), piece);
        for (unsigned int i = 0; i < TBundle::Rows; ++i)
        {
          EXPECT_EQ(tiles.RowsBefore(tile, place, i, slice), row++);
        }
      }
    });
    EXPECT_EQ(row, tiles.BundlesOf(tile) * TBundle::Rows * TBundle::Slices);
  }
  ASSERT_EQ(tileOfBundle.size(), tiles.Bundles());
  std::uint32_t last = 0;
  for (const auto & [piece, pixels] : pixelsOfPiece)
  {
    EXPECT_GE(pixels, last);
    last = pixels;
  }
  std::uint32_t pieces = 0;
  for (std::uint32_t piece = 0; piece < tiles.PieceCount(); ++piece)
  {
    pieces += tiles.HasPiece(piece);
  }
  EXPECT_EQ(pieces, pixelsOfPiece.size());

  for (std::uint32_t bundle = 0; bundle < tiles.Bundles(); ++bundle)
  {
    std::set<std::uint32_t> expected;
    for (std::uint32_t other = 0; other < bundle; ++other)
    {
      const auto distance = [](std::uint32_t a, std::uint32_t b) { return a > b ? a - b : b - a; };
      const auto y = distance(bundle % layerSize, other % layerSize);
      const auto z = distance(bundle / layerSize, other / layerSize);
      if (TBundle::IsOneRow ? y + z == 1 : y <= 1 && z <= 1)
      {
        expected.insert(other);
      }
    }
    std::set<std::uint32_t> neighbors;
    const std::uint32_t     tile = tileOfBundle[bundle];
    for (unsigned int neighbor = 0; neighbor < NeighborCountOf<TBundle>; ++neighbor)
    {
      VisitNeighbor<TBundle>(neighbor, [&](auto offset) {
        const BundleWordPlace place = tiles.PlaceOf(bundle, 0);
        if (tiles.template HasNeighbor<decltype(offset)>(place))
        {
          const BundleWordPlace other = tiles.template NeighborOf<decltype(offset)>(place);
          EXPECT_EQ(other.y, other.bundle % layerSize);
          EXPECT_EQ(other.z, other.bundle / layerSize);
          neighbors.insert(other.bundle);
          const std::uint32_t otherTile = tileOfBundle[other.bundle];
          if (otherTile != tile)
          {
            EXPECT_LT(bundle - tiles.FirstBundle(tile), tiles.BundlesAtEnd(tile));
            EXPECT_LE(tiles.FirstBundle(otherTile) + tiles.BundlesOf(otherTile) - other.bundle,
                      tiles.BundlesAtEnd(otherTile));
          }
        }
      });
    }
    EXPECT_EQ(neighbors, expected) << "bundle " << bundle;
  }
}

} // namespace

TEST(BundleTiles, AreThoseOfTheImage)
{
  for (const Grid size : { Grid{ 5, 7, 1 }, Grid{ 40, 3, 5 }, Grid{ 1, 1, 9 }, Grid{ 70, 6, 4 }, Grid{ 9, 21, 7 } })
  {
    for (const std::uint32_t tileCount : { 1U, 2U, 3U, 4U, 7U, 100U })
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
      EXPECT_EQ(numbers.BundleOf(number), place.bundle);
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

TEST(PairTable, GivesEachPairThatItKeepsOnce)
{
  using PairType = std::pair<std::uint32_t, std::uint32_t>;
  std::vector<std::uint64_t> memory(1024);
  const PairTable            table{ memory.data(), 10 };
  for (std::uint32_t i = 0; i < table.Count(); ++i)
  {
    table.Clear(i);
  }
  std::mt19937 random(1);
  for (const unsigned int numbers : { 15U, 100U })
  {
    std::set<PairType> kept;
    std::set<PairType> others;
    for (int i = 0; i < 5000; ++i)
    {
      const std::uint32_t first = random() % numbers;
      const std::uint32_t second = random() % numbers;
      (table.Keeps(first, second) ? kept : others).emplace(first, second);
    }
    EXPECT_GT(kept.size(), 150U);
    EXPECT_EQ(others.empty(), numbers == 15U);
    std::vector<PairType> taken;
    for (int i = 0; i < 2; ++i)
    {
      for (std::uint32_t place = 0; place < table.Count(); ++place)
      {
        table.Take(place, [&](std::uint32_t first, std::uint32_t second) { taken.emplace_back(first, second); });
      }
      std::sort(taken.begin(), taken.end());
      EXPECT_EQ(taken, std::vector<PairType>(kept.begin(), kept.end()));
    }
    for (const PairType & pair : others)
    {
      EXPECT_EQ(kept.count(pair), 0U);
    }
  }
}

TEST(Runs, EachPairThatTouchesIsVisited)
{
  std::mt19937 random(11);
  for (unsigned int seed = 1; seed <= 200; ++seed)
  {
    const auto size = [&random](unsigned int maximum) { return std::uint64_t{ 1 } + random() % maximum; };
    ExpectTouchingRuns<RowBundle>(MakeRandom({ size(100), size(3), size(3) }, random() % 101, 1, seed));
    ExpectTouchingRuns<PlaneBundle>(MakeRandom({ size(140), size(7), 1 }, random() % 101, 1, seed));
    ExpectTouchingRuns<VolumeBundle>(MakeRandom({ size(100), size(5), size(5) }, random() % 50, 1, seed));
    // Sparse and long: runs that cover whole words.
    ExpectTouchingRuns<VolumeBundle>(MakeRandom({ size(200), size(4), size(4) }, 90 + random() % 11, 1, seed));
  }
}

TEST(HostRows, NextPixelStopsAtTheRowsEnd)
{
  const Word row[] = { 0x0000000FU, 0x80000000U };
  EXPECT_EQ(NextPixel(row, 0, 64, true), 0U);
  EXPECT_EQ(NextPixel(row, 0, 64, false), 4U);
  EXPECT_EQ(NextPixel(row, 4, 64, true), 63U);
  EXPECT_EQ(NextPixel(row, 4, 60, true), 60U);
  EXPECT_EQ(NextPixel(row, 63, 64, false), 64U);
}

TEST(Numbering, CountsAsItkDoes)
{
  const auto labelsFor = [](const Numbering & numbering) {
    std::vector<std::uint64_t> labels;
    for (std::uint64_t rank = 0; rank < 7; ++rank)
    {
      labels.push_back(numbering.LabelOf(rank));
    }
    return labels;
  };
  using List = std::vector<std::uint64_t>;
  EXPECT_EQ(labelsFor(Numbering::For<std::uint8_t>(0)), (List{ 1, 2, 3, 4, 5, 6, 7 }));
  EXPECT_EQ(labelsFor(Numbering::For<std::uint8_t>(5)), (List{ 0, 1, 2, 3, 4, 6, 7 }));
  EXPECT_EQ(labelsFor(Numbering::For<std::int16_t>(-1)), (List{ 0, 1, 2, 3, 4, 5, 6 }));
  EXPECT_EQ(labelsFor(Numbering::For<std::uint64_t>(~std::uint64_t{ 0 })), (List{ 0, 1, 2, 3, 4, 5, 6 }));
  EXPECT_EQ(Numbering::For<std::int8_t>(-1).maximumCount, 127U);
  EXPECT_EQ(static_cast<std::int8_t>(Numbering::For<std::int8_t>(-1).background), -1);
  EXPECT_EQ(Numbering::For<std::uint64_t>(0).maximumCount, ~std::uint64_t{ 0 });
}

} // namespace
