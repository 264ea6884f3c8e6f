// SPDX-License-Identifier: Apache-2.0

// The decisions that the kernels take, one by one.

#include "BitRows.h"
#include "Blocks.h"
#include "HostExecutor.h"
#include "HostRows.h"
#include "RunUnionFind.h"
#include "Numbering.h"
#include "UnionFind.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <numeric>
#include <random>
#include <set>
#include <thread>

using namespace itk::ccl;

namespace
{

TEST(UnionFind, RootIsTheLowestElement)
{
  std::vector<std::uint32_t> parents(10);
  std::iota(parents.begin(), parents.end(), 0U);
  Union<std::uint32_t>(parents.data(), 7, 3);
  Union<std::uint32_t>(parents.data(), 9, 7);
  Union<std::uint32_t>(parents.data(), 1, 9);
  for (const std::uint32_t a : { 1, 3, 7, 9 })
  {
    EXPECT_EQ(Find<std::uint32_t>(parents.data(), a), 1U);
  }
  EXPECT_EQ(Find<std::uint32_t>(parents.data(), 2), 2U);
}

TEST(UnionFind, BothCompressionsLinkToTheRoot)
{
  for (const bool inlineCompression : { false, true })
  {
    std::vector<std::uint64_t> parents{ 0, 0, 1, 2, 3 };
    Compress<std::uint64_t>(parents.data(), 4, inlineCompression);
    EXPECT_EQ(parents[4], 0U);
    Compress<std::uint64_t>(parents.data(), 0, inlineCompression);
    EXPECT_EQ(parents[0], 0U);
  }
}

TEST(UnionFind, LosesNoUnionToAnotherThread)
{
  // All threads lower the root of one tree, again and again.
  constexpr std::uint32_t count = 5000;
  for (unsigned int repetition = 0; repetition < 20; ++repetition)
  {
    std::vector<std::uint32_t> parents(count);
    std::iota(parents.begin(), parents.end(), 0U);
    std::atomic<int>         waiting{ 2 };
    std::vector<std::thread> threads;
    for (std::uint32_t thread = 0; thread < 2; ++thread)
    {
      threads.emplace_back([&parents, &waiting, thread] {
        for (--waiting; waiting > 0;)
        {
        }
        for (std::uint32_t step = 1 + thread; step < count; step += 2)
        {
          Union<std::uint32_t>(parents.data(), count - 1, count - 1 - step);
        }
      });
    }
    for (auto & thread : threads)
    {
      thread.join();
    }
    for (std::uint32_t a = 0; a < count; ++a)
    {
      ASSERT_EQ(Find<std::uint32_t>(parents.data(), a), 0U) << a << ", repetition " << repetition;
    }
  }
}

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
      EXPECT_LE(shape.x * shape.y * shape.z, TileThreads);
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
  EXPECT_EQ(RowTile({ 1, 100000, 1 }).y, TileThreads);
  EXPECT_EQ(CompactTile({ 3, 5, 7001 }).z, 4U);
  EXPECT_EQ(Divide(std::uint64_t{ 5 } << 33, 3), (std::uint64_t{ 5 } << 33) / 3);
  EXPECT_EQ(Divide(17, 5), 3U);
  // One launch covers the largest images: CUDA takes 2^31 - 1 tiles.
  const Grid largest{ 1, std::uint64_t{ 1 } << 37, 1 };
  EXPECT_LT(DivideUp(largest.y, RowTile(largest).y), std::uint64_t{ 1 } << 31);
}

TEST(Runs, EachPairThatTouchesIsVisitedOnce)
{
  std::mt19937 random(11);
  for (int repetition = 0; repetition < 2000; ++repetition)
  {
    const std::uint64_t width = 1 + random() % 100;
    const unsigned int  density = random() % 101;
    const Grid          size{ width, 2, 1 };
    const Grid          words = WordsOf(size);
    std::vector<Word>   bits(words.Count(), 0);
    // runOf[row][x]: one more than the number of the run at a pixel; 0 in the background.
    std::vector<std::vector<int>> runOf(2, std::vector<int>(width + 2, 0));
    int                           runCount = 0;
    for (std::uint64_t row = 0; row < 2; ++row)
    {
      for (std::uint64_t x = 0; x < width; ++x)
      {
        if (random() % 100 < density)
        {
          bits[row * words.x + x / 32] |= Word{ 1 } << x % 32;
          runOf[row][x + 1] = runOf[row][x] != 0 ? runOf[row][x] : ++runCount;
        }
      }
    }
    const BitRows              rows{ words, bits.data() };
    const HostExecutor         executor;
    const auto                 counted = CountRuns<std::uint32_t>(executor, rows);
    const auto                 count = static_cast<std::size_t>(runCount);
    std::vector<std::uint32_t> runsBefore(words.Count());
    std::vector<std::uint32_t> first(count);
    std::vector<std::uint32_t> last(count);
    ASSERT_EQ(counted.count, count);
    executor.ForEachSum(counted.sums,
                        RunUnionFind::StartsInWord{ rows },
                        RunUnionFind::RecordRuns<std::uint32_t>{ rows, runsBefore.data(), first.data(), last.data() });
    for (const bool fullyConnected : { false, true })
    {
      const RunUnionFind::Runs<std::uint32_t> runs{
        { rows, runsBefore.data() }, first.data(), last.data(), nullptr, fullyConnected
      };
      std::multiset<std::pair<int, int>> named;
      for (int run = 0; run < runCount; ++run)
      {
        runs.ForEachTouchingRow(static_cast<std::uint32_t>(run), [&](std::uint32_t from, std::uint32_t to) {
          for (std::uint32_t other = from; other <= to; ++other)
          {
            named.emplace(run + 1, static_cast<int>(other) + 1);
          }
          return true;
        });
      }
      std::set<std::pair<int, int>> touching;
      for (std::uint64_t x = 1; x <= width; ++x)
      {
        const int reach = fullyConnected ? 1 : 0;
        for (int dx = -reach; dx <= reach; ++dx)
        {
          if (runOf[1][x] != 0 && runOf[0][x + dx] != 0)
          {
            touching.emplace(runOf[1][x], runOf[0][x + dx]);
          }
        }
      }
      const std::multiset<std::pair<int, int>> expected(touching.begin(), touching.end());
      ASSERT_EQ(named, expected) << "seed 11, repetition " << repetition << ", width " << width;
    }
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
