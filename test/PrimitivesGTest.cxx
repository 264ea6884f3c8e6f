// SPDX-License-Identifier: Apache-2.0

// Tests of the functions from which the algorithms are built.

#include "primitives/BitRows.h"
#include "algorithms/published/BlockRanking.h"
#include "algorithms/published/Blocks.h"
#include "algorithms/runs/PackForeground.h"
#include "primitives/EqualPixels.h"
#include "executors/device/ThreadBlockShape.h"
#include "executors/host/HostExecutor.h"
#include "algorithms/runs/HostRows.h"
#include "primitives/LabelValues.h"
#include "primitives/PackRow.h"
#include "primitives/PixelTypes.h"
#include "algorithms/runs/RunUnionFind.h"
#include "DenseImages.h"
#include "TestImages.h"

#include "itkCudaConnectedComponentAlgorithms.h"

#include <gtest/gtest.h>
#include <vector>
#include <string>
#include <sstream>

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
    EXPECT_EQ(pixels & seen, 0U) << "neighbor " << neighbor << " has pixels of another block";
    seen |= pixels;
    // The number of a neighbor's pixels in the cube halves for each axis along which its offset is not 0.
    const int distance = std::abs(Neighborhood::OffsetX(neighbor)) + std::abs(Neighborhood::OffsetY(neighbor)) +
                         std::abs(Neighborhood::OffsetZ(neighbor));
    EXPECT_EQ(CountBits(static_cast<Word>(pixels)) + CountBits(static_cast<Word>(pixels >> 32)),
              1U << (VDimension - static_cast<unsigned int>(distance)));
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

TEST(CudaConnectedComponentsBlockNeighborhood, Plane) { ExpectNeighborhood<2>(); }
TEST(CudaConnectedComponentsBlockNeighborhood, Volume) { ExpectNeighborhood<3>(); }

TEST(CudaConnectedComponentsBlockNeighborhood, PlaneMatchesThePaper)
{
  EXPECT_EQ(BlockNeighborhood<2>::Around(1), 0x777U);
  EXPECT_EQ(BlockNeighborhood<2>::Around(2), 0x777U << 1);
  EXPECT_EQ(BlockNeighborhood<2>::Around(4), 0x777U << 4);
  EXPECT_EQ(BlockNeighborhood<2>::PixelsOf(0), 1U << 0);           // P
  EXPECT_EQ(BlockNeighborhood<2>::PixelsOf(1), 1U << 1 | 1U << 2); // Q
  EXPECT_EQ(BlockNeighborhood<2>::PixelsOf(2), 1U << 3);           // R
  EXPECT_EQ(BlockNeighborhood<2>::PixelsOf(3), 1U << 4 | 1U << 8); // S
}

/** Expects that the information of each block has a pixel of its own. Only a block of one pixel in an image of a single
 * row or column may have none. */
template <unsigned int VDimension>
void
ExpectPixelsForInformation(const Grid & image)
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
    const std::uint64_t                    pixel = block.InformationIndex(spare);
    if (pixel == spare)
    {
      ++spares;
      continue;
    }
    ASSERT_LT(pixel, image.Count());
    ASSERT_TRUE(used.insert(pixel).second) << image.x << 'x' << image.y << 'x' << image.z << ": block " << i
                                           << " would overwrite the value of another block at pixel " << pixel;
  }
  const bool isLine = (image.x > 1) + (image.y > 1) + (image.z > 1) < 2;
  EXPECT_EQ(spares, isLine && image.Count() % 2 == 1 ? 1U : 0U) << image.x << 'x' << image.y << 'x' << image.z;
}

TEST(CudaConnectedComponentsBlock, InformationHasItsOwnPixelInEverySize)
{
  for (std::uint64_t x = 1; x <= 6; ++x)
  {
    for (std::uint64_t y = 1; y <= 6; ++y)
    {
      ExpectPixelsForInformation<2>({ x, y, 1 });
      for (std::uint64_t z = 1; z <= 6; ++z)
      {
        ExpectPixelsForInformation<3>({ x, y, z });
      }
    }
  }
}

TEST(CudaConnectedComponentsBlock, CubeIsClippedToTheImage)
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

TEST(CudaConnectedComponentsBlock, IndicesBeyond32Bits)
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

TEST(CudaConnectedComponentsGrid, ThreadBlocksFitTheGrid)
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
    for (const auto & [shape, threads] : { std::pair{ RowThreadBlock(grid), Tuning::ThreadBlockSize },
                                           std::pair{ CompactThreadBlock(grid), Tuning::CompactThreadBlockSize } })
    {
      EXPECT_LE(shape.x * shape.y * shape.z, threads);
      EXPECT_LE(shape.z, 64U);
      // Fewer than twice as many threads as cells along each axis.
      EXPECT_LT(shape.x, 2 * grid.x);
      EXPECT_LT(shape.y, 2 * grid.y);
      EXPECT_LT(shape.z, 2 * grid.z);
    }
  }
  EXPECT_EQ(RowThreadBlock({ 512, 512, 512 }).x, 32U);
  EXPECT_EQ(RowThreadBlock({ 0, 3, 2 }).x, 1U);
  EXPECT_EQ(RowThreadBlock({ 70, 1, 1 }).x, 70U);
  EXPECT_EQ(RowThreadBlock({ 100, 2, 1 }).x, 64U);  // whole warps
  EXPECT_EQ(RowThreadBlock({ 23, 100, 1 }).x, 23U); // a whole row
  EXPECT_EQ(RowThreadBlock({ 23, 100, 1 }).y, 5U);
  EXPECT_EQ(CompactThreadBlock({ 512, 512, 512 }).z, 2U);
  EXPECT_EQ(CompactThreadBlock({ 512, 512, 1 }).y, Tuning::CompactThreadBlockSize / 16);
  // Thin images have full thread blocks, too.
  EXPECT_EQ(RowThreadBlock({ 1, 100000, 1 }).y, Tuning::ThreadBlockSize);
  EXPECT_EQ(CompactThreadBlock({ 3, 5, 7001 }).z, 4U);
  EXPECT_EQ(Divide(std::uint64_t{ 5 } << 33, 3), (std::uint64_t{ 5 } << 33) / 3);
  EXPECT_EQ(Divide(17, 5), 3U);
  // One launch covers the largest image: CUDA allows 2^31 - 1 thread blocks.
  const Grid largest{ 1, std::uint64_t{ 1 } << 37, 1 };
  EXPECT_LT(DivideUp(largest.y, RowThreadBlock(largest).y), std::uint64_t{ 1 } << 31);
}

/** Finds the runs of row groups pixel by pixel. */
template <typename TRowGroup>
struct PlainRuns
{
  explicit PlainRuns(const TestImage & image)
    : m_Image(image)
  {
    for (std::uint64_t z = 0; z < image.size[2]; z += TRowGroup::Slices)
    {
      for (std::uint64_t y = 0; y < image.size[1]; y += TRowGroup::Rows)
      {
        bool isInRun = false;
        for (std::uint64_t x = 0; x < image.size[0]; ++x)
        {
          bool isForeground = false;
          for (std::uint64_t i = 0; i < TRowGroup::Rows * TRowGroup::Slices; ++i)
          {
            const std::uint64_t rowY = y + i % TRowGroup::Rows;
            const std::uint64_t rowZ = z + i / TRowGroup::Rows;
            isForeground |=
              rowY < image.size[1] && rowZ < image.size[2] && image.pixels[image.IndexOf(x, rowY, rowZ)] != 0;
          }
          count += isForeground && !isInRun;
          isInRun = isForeground;
          runOfColumn[{ x, y / TRowGroup::Rows, z / TRowGroup::Slices }] = isForeground ? count : 0;
        }
      }
    }
  }

  /** Returns 1 + the index of the run at a pixel, or 0 in the background. */
  std::uint64_t
  RunAt(std::uint64_t x, std::uint64_t y, std::uint64_t z) const
  {
    const bool isForeground = m_Image.pixels[m_Image.IndexOf(x, y, z)] != 0;
    return isForeground ? runOfColumn.at({ x, y / TRowGroup::Rows, z / TRowGroup::Slices }) : 0;
  }

  std::map<std::array<std::uint64_t, 3>, std::uint64_t> runOfColumn;
  std::uint64_t                                         count = 0;

private:
  const TestImage & m_Image;
};

/** Expects that AdjacencyByRun and AdjacencyByWord visit all adjacent runs, and no others. */
template <typename TRowGroup>
void
ExpectAdjacentRuns(const TestImage & image, Neighbors neighbors = Neighbors::Full)
{
  const Grid                 size{ image.size[0], image.size[1], image.size[2] };
  const Grid                 words = WordsOf(size);
  std::vector<Word>          bits(words.Count());
  const HostExecutor         executor;
  const auto                 grouped = PackRowGroups<TRowGroup>(executor, image.pixels.data(), size, bits.data());
  const std::uint64_t        runCount = CountRuns<std::uint32_t>(executor, grouped.groups);
  const PlainRuns<TRowGroup> plain(image);
  ASSERT_EQ(runCount, plain.count) << image.name;

  using RunPairs = std::set<std::pair<std::uint64_t, std::uint64_t>>;
  const BitRows &            columns = grouped.groups.columns;
  std::vector<std::uint32_t> runOffsets(columns.words.Count());
  std::vector<std::uint32_t> first(runCount);
  std::vector<std::uint32_t> last(runCount);
  std::uint32_t              total = 0;
  executor.Scan<std::uint32_t>({ columns.words.Count() },
                               RunUnionFind::StartsInWord<std::uint32_t, RunEdges>{ RunEdges(columns) },
                               RunUnionFind::StoreRuns<std::uint32_t, RunEdges>{
                                 RunEdges(columns), runOffsets.data(), first.data(), last.data(), runCount },
                               &total);
  ASSERT_EQ(total, runCount) << image.name;
  const RunColumns<std::uint32_t>                columnsOfRuns{ first.data(), last.data(), runCount };
  const IndexedRuns<TRowGroup, std::uint32_t>    runs{ grouped.groups, runOffsets.data(), columnsOfRuns };
  const Topology<TRowGroup>                      topology = TopologyOf(grouped.groups, neighbors);
  const AdjacencyByRun<TRowGroup, std::uint32_t> byRun{ runs, topology };
  AdjacencyByWord<TRowGroup, std::uint32_t>      byWord{ runs, topology };

  // Returns all visited runs and their neighbors. One cell must not visit the same two runs twice.
  const auto visit = [&image](const auto & adjacency, const Grid & cells) {
    RunPairs visited;
    for (std::uint64_t i = 0; i < cells.Count(); ++i)
    {
      RunPairs inCell;
      adjacency.ForEach(CellAt(cells, i), [&](std::uint32_t run, std::uint32_t other) {
        EXPECT_LT(other, run) << image.name;
        EXPECT_TRUE(inCell.emplace(run + 1, other + 1).second) << image.name << ": " << run << ", " << other;
      });
      visited.insert(inCell.begin(), inCell.end());
    }
    return visited;
  };

  RunPairs expected;
  for (std::uint64_t i = 0; i < size.Count(); ++i)
  {
    const Cell          pixel = CellAt(size, i);
    const std::uint64_t run = plain.RunAt(pixel.x, pixel.y, pixel.z);
    // Neighbors that precede the pixel in raster order. Indices below 0 wrap to large ones.
    for (std::uint64_t j = 0; j < 13; ++j)
    {
      const Cell offset = CellAt({ 3, 3, 3 }, j);
      const Cell other{ pixel.x + offset.x - 1, pixel.y + offset.y - 1, pixel.z + offset.z - 1 };
      const bool areNeighbors =
        neighbors == Neighbors::Full || (offset.x == 1) + (offset.y == 1) + (offset.z == 1) == 2;
      if (!areNeighbors || run == 0 || other.x >= size.x || other.y >= size.y || other.z >= size.z)
      {
        continue;
      }
      const std::uint64_t otherRun = plain.RunAt(other.x, other.y, other.z);
      if (otherRun != 0 && otherRun != run)
      {
        expected.emplace(std::max(run, otherRun), std::min(run, otherRun));
      }
    }
  }
  ASSERT_EQ(visit(byRun, { runCount, topology.count }), expected) << image.name << ", by run";
  for (byWord.defaultPartBits = 0; byWord.defaultPartBits <= 5; ++byWord.defaultPartBits)
  {
    ASSERT_EQ(visit(byWord, byWord.GetCells()), expected)
      << image.name << ", by word, part bits " << byWord.defaultPartBits;
  }
}

/** Expects that VisitWhile() visits the offsets of Visit() in the same order, and stops if the visitor returns false.
 */
template <typename TTopology>
void
ExpectAllOffsets(const TTopology & topology)
{
  unsigned int all = 0;
  topology.VisitWhile([&all](const auto &) {
    ++all;
    return true;
  });
  EXPECT_EQ(all, topology.count);
  for (unsigned int last = 0; last < topology.count; ++last)
  {
    unsigned int visits = 0;
    topology.VisitWhile([&](const auto & offset) {
      topology.Visit(visits, [&offset](const auto & same) {
        EXPECT_EQ(offset.y, same.y);
        EXPECT_EQ(offset.z, same.z);
        EXPECT_EQ(offset.reach, same.reach);
      });
      return visits++ != last;
    });
    EXPECT_EQ(visits, last + 1);
  }
}

TEST(CudaConnectedComponentsTopology, VisitWhileVisitsEachOffset)
{
  ExpectAllOffsets(Topology<PlaneRowGroup>{});
  ExpectAllOffsets(Topology<VolumeRowGroup>{});
  for (const Neighbors neighbors : { Neighbors::Face, Neighbors::Edge, Neighbors::Full })
  {
    ExpectAllOffsets(TopologyOfRows::Of(neighbors, true));
    ExpectAllOffsets(TopologyOfRows::Of(neighbors, false));
  }
}

TEST(CudaConnectedComponentsRuns, AdjacentRunsAreVisited)
{
  std::mt19937 random(11);
  for (unsigned int seed = 1; seed <= 200; ++seed)
  {
    const auto size = [&random](unsigned int maximum) { return std::uint64_t{ 1 } + random() % maximum; };
    ExpectAdjacentRuns<SingleRow>(MakeRandom({ size(100), size(3), size(3) }, random() % 101, 1, seed),
                                  Neighbors::Face);
    ExpectAdjacentRuns<SingleRow>(MakeRandom({ size(100), size(4), size(4) }, random() % 101, 1, seed));
    ExpectAdjacentRuns<SingleRow>(MakeRandom({ size(140), size(7), 1 }, random() % 101, 1, seed));
    ExpectAdjacentRuns<PlaneRowGroup>(MakeRandom({ size(140), size(7), 1 }, random() % 101, 1, seed));
    ExpectAdjacentRuns<VolumeRowGroup>(MakeRandom({ size(100), size(5), size(5) }, random() % 50, 1, seed));
    // High densities give long runs that cover whole words.
    ExpectAdjacentRuns<VolumeRowGroup>(MakeRandom({ size(200), size(4), size(4) }, 90 + random() % 11, 1, seed));
  }
}

TEST(CudaConnectedComponentsFastMultipleTest, EqualsTheRemainder)
{
  std::mt19937_64            random(20);
  std::vector<std::uint64_t> divisors{ 1, 2, 3, 5, 7, 16, 31, 32, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0x100000001 };
  std::vector<std::uint64_t> numbers{ 0, 1, 0xFFFFFFFE, 0xFFFFFFFF, 0x100000000, ~std::uint64_t{ 0 } };
  for (int i = 0; i < 1000; ++i)
  {
    divisors.push_back(std::max<std::uint64_t>(1, random() >> random() % 64));
    numbers.push_back(random() >> random() % 64);
  }
  for (const std::uint64_t divisor : divisors)
  {
    const FastMultipleTest isMultiple(divisor);
    for (const std::uint64_t number : numbers)
    {
      ASSERT_EQ(isMultiple(number), number % divisor == 0) << number << " by " << divisor;
      const std::uint64_t multiple = number / divisor * divisor;
      ASSERT_TRUE(isMultiple(multiple)) << multiple << " by " << divisor;
    }
  }
}

TEST(CudaConnectedComponentsRunEdges, ARunEndsWithItsRow)
{
  // Two rows of two words, all foreground: each row is one run.
  const std::vector<Word> bits(4, ~Word{ 0 });
  const RunEdges          edges(BitRows{ { 2, 2, 1 }, bits.data() });
  EXPECT_EQ(edges.StartsAt(0), 1U);
  EXPECT_EQ(edges.StartsAt(1), 0U);
  EXPECT_EQ(edges.StartsAt(2), 1U);
  EXPECT_EQ(edges.StartsAt(3), 0U);
  EXPECT_EQ(edges.EndsAt(0), 0U);
  EXPECT_EQ(edges.EndsAt(1), 0x80000000U);
  EXPECT_EQ(edges.EndsAt(2), 0U);
  EXPECT_EQ(edges.EndsAt(3), 0x80000000U);
}

template <typename TPixel>
class CudaConnectedComponentsPackEqual : public testing::Test
{};
using UnsignedPixels = testing::Types<std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t>;
TYPED_TEST_SUITE(CudaConnectedComponentsPackEqual, UnsignedPixels);

TYPED_TEST(CudaConnectedComponentsPackEqual, EqualsPlainComparisons)
{
  // The values differ in their lowest and in their highest byte.
  constexpr TypeParam        high = TypeParam{ 0x80 } << 8 * (sizeof(TypeParam) - 1);
  const TypeParam            pixels[] = { 1, high, static_cast<TypeParam>(high + 1), 0 };
  std::mt19937               random(21);
  std::vector<TypeParam>     row;
  std::vector<std::uint32_t> words;
  for (std::uint64_t count = 0; count < 200; ++count)
  {
    for (const unsigned int valueCount : { 1U, 2U, 3U, 4U })
    {
      row.resize(count);
      std::generate(row.begin(), row.end(), [&] { return pixels[random() % valueCount]; });
      const TypeParam value = pixels[0];
      const TypeParam other = pixels[1];
      words.assign(DivideUp(count, BitsPerWord) + 1, 0xABCDEF01);
      const auto foreground = Foreground::EqualTo(itk::CudaConnectedComponentImageView::TypeOf<TypeParam>(), value);
      const bool areBinary = PackBinaryRow(row.data(), sizeof(TypeParam), count, foreground, other, words.data());

      EXPECT_EQ(areBinary, std::all_of(row.begin(), row.end(), [&](TypeParam p) { return p == value || p == other; }));
      for (std::uint64_t i = 0; i < DivideUp(count, BitsPerWord) * BitsPerWord; ++i)
      {
        ASSERT_EQ(words[i / BitsPerWord] >> i % BitsPerWord & 1U, i < count && row[i] == value) << i << " of " << count;
      }
      EXPECT_EQ(words.back(), 0xABCDEF01) << "wrote beyond the end of " << count << " pixels";
    }
  }
}

TYPED_TEST(CudaConnectedComponentsPackEqual, RunsStartWhereNeighborsDiffer)
{
  constexpr TypeParam        high = TypeParam{ 0x80 } << 8 * (sizeof(TypeParam) - 1);
  const TypeParam            labels[] = { 0, 1, high, static_cast<TypeParam>(high + 1) };
  std::mt19937               random(22);
  std::vector<std::uint64_t> counts(200);
  std::iota(counts.begin(), counts.end(), 0);
  counts.insert(counts.end(), { 1023, 1024, 1025, 1056, 1057, 2049, 5000 });
  for (const std::uint64_t count : counts)
  {
    for (const unsigned int meanLength : { 1U, 2U, 40U, 3000U })
    {
      std::vector<TypeParam> row(count);
      TypeParam              label = 0;
      for (TypeParam & pixel : row)
      {
        label = random() % meanLength == 0 ? labels[random() % 4] : label;
        pixel = label;
      }
      std::vector<TypeParam> unrolled;
      ForEachRun(row.data(), count, [&](TypeParam value, std::uint64_t length) {
        EXPECT_TRUE(unrolled.empty() || unrolled.back() != value) << "two runs of one label";
        unrolled.insert(unrolled.end(), length, value);
      });
      ASSERT_EQ(unrolled, row) << count << " pixels, mean length " << meanLength;
    }
  }
}

TEST(CudaConnectedComponentsHostRows, NextPixelStopsAtTheEndOfTheRow)
{
  const Word row[] = { 0x0000000FU, 0x80000000U };
  EXPECT_EQ(NextPixel(row, 0, 64, true), 0U);
  EXPECT_EQ(NextPixel(row, 0, 64, false), 4U);
  EXPECT_EQ(NextPixel(row, 4, 64, true), 63U);
  EXPECT_EQ(NextPixel(row, 4, 60, true), 60U);
  EXPECT_EQ(NextPixel(row, 63, 64, false), 64U);
}

TEST(CudaConnectedComponentsLabelValues, MatchTheLabelsOfItk)
{
  const auto labelsFor = [](const LabelValues & labelValues) {
    std::vector<std::uint64_t> labels;
    for (std::uint64_t rank = 0; rank < 7; ++rank)
    {
      labels.push_back(labelValues.LabelOf(rank));
    }
    return labels;
  };
  using List = std::vector<std::uint64_t>;
  EXPECT_EQ(labelsFor(LabelValues::For<std::uint8_t>(0)), (List{ 1, 2, 3, 4, 5, 6, 7 }));
  EXPECT_EQ(labelsFor(LabelValues::For<std::uint8_t>(5)), (List{ 0, 1, 2, 3, 4, 6, 7 }));
  EXPECT_EQ(labelsFor(LabelValues::For<std::int16_t>(-1)), (List{ 0, 1, 2, 3, 4, 5, 6 }));
  EXPECT_EQ(labelsFor(LabelValues::For<std::uint64_t>(~std::uint64_t{ 0 })), (List{ 0, 1, 2, 3, 4, 5, 6 }));
  EXPECT_EQ(LabelValues::For<std::int8_t>(-1).maximumCount, 127U);
  EXPECT_EQ(static_cast<std::int8_t>(LabelValues::For<std::int8_t>(-1).background), -1);
  EXPECT_EQ(LabelValues::For<std::uint64_t>(0).maximumCount, ~std::uint64_t{ 0 });
}

template <typename TIndex>
void
ExpectRanksOfFirstPixels(std::uint64_t pixelCount, std::uint64_t elementCount, unsigned int seed)
{
  std::mt19937             random(seed);
  std::vector<TIndex>      firstPixels(elementCount, NoPixel<TIndex>);
  std::map<TIndex, TIndex> elementOfPixel;
  for (std::uint64_t i = 0; i < elementCount; ++i)
  {
    const auto pixel = static_cast<TIndex>(random() % pixelCount);
    if (random() % 2 == 0 && elementOfPixel.emplace(pixel, static_cast<TIndex>(i)).second)
    {
      firstPixels[i] = pixel;
    }
  }
  const LabelValues   labelValues = LabelValues::For(std::uint32_t{ 3 });
  std::vector<TIndex> expected(elementCount, NoPixel<TIndex>);
  std::uint64_t       rank = 0;
  for (const auto & [pixel, element] : elementOfPixel)
  {
    expected[element] = static_cast<TIndex>(labelValues.LabelOf(rank++));
  }
  const HostExecutor                          executor;
  const FirstPixelMarks<TIndex, HostExecutor> marks(executor, pixelCount);
  const auto count = LabelByFirstPixels(executor, marks, { elementCount }, labelValues, firstPixels.data());
  EXPECT_EQ(count.Get(), rank);
  EXPECT_EQ(firstPixels, expected) << "seed " << seed << ", " << pixelCount << " pixels";
}

// A chunk of marks has 512 pixels.
TEST(CudaConnectedComponentsFirstPixelRanking, LabelsFollowFirstPixels)
{
  unsigned int seed = 1;
  for (const std::uint64_t pixelCount : { 1, 2, 31, 32, 33, 511, 512, 513, 1024, 1025, 20000 })
  {
    for (const std::uint64_t elementCount : { 1, 3, 600, 5000 })
    {
      ExpectRanksOfFirstPixels<std::uint32_t>(pixelCount, elementCount, seed++);
      ExpectRanksOfFirstPixels<std::uint64_t>(pixelCount, elementCount, seed++);
    }
  }
}

TEST(CudaConnectedComponentsAlgorithmTable, HasOneRowForEachAlgorithm)
{
  using Algorithms = itk::CudaConnectedComponentAlgorithms;
  using AlgorithmEnum = itk::CudaConnectedComponentsEnums::Algorithm;
  std::set<AlgorithmEnum> algorithms;
  std::set<std::string>   identifiers;
  std::set<std::string>   options;
  for (const auto & row : Algorithms::GetAll())
  {
    EXPECT_TRUE(algorithms.insert(row.algorithm).second) << row.identifier;
    EXPECT_TRUE(identifiers.insert(row.identifier).second) << row.identifier;
    EXPECT_TRUE(options.insert(row.option).second) << row.option;
    EXPECT_EQ(&Algorithms::Describe(row.algorithm), &row);
    std::ostringstream name;
    name << row.algorithm;
    EXPECT_EQ(name.str(), std::string("itk::CudaConnectedComponentsEnums::Algorithm::") + row.identifier);
  }
  // The values are 0, 1, 2, ... without a gap.
  EXPECT_EQ(static_cast<std::size_t>(*algorithms.rbegin()) + 1, Algorithms::GetAll().size());
  const auto none = static_cast<AlgorithmEnum>(Algorithms::GetAll().size());
  EXPECT_EQ(Algorithms::Describe(none).algorithm, AlgorithmEnum::Automatic);
  std::ostringstream name;
  name << none;
  EXPECT_NE(name.str().find("INVALID VALUE"), std::string::npos);
}

/** Expects the text of the last value of an enumeration, and that the next number is no value. */
template <typename TEnum>
void
ExpectLastValue(TEnum last, const std::string & name)
{
  std::ostringstream text;
  text << last << ' ' << static_cast<TEnum>(static_cast<int>(last) + 1);
  const std::string scope = "itk::CudaConnectedComponentsEnums::";
  EXPECT_EQ(text.str(), scope + name + " INVALID VALUE FOR " + scope + name.substr(0, name.find(':')));
}

TEST(CudaConnectedComponentsEnums, HaveTexts)
{
  using Enums = itk::CudaConnectedComponentsEnums;
  ExpectLastValue(Enums::Backend::ITK, "Backend::ITK");
  ExpectLastValue(Enums::PixelType::BFloat16, "PixelType::BFloat16");
  ExpectLastValue(Enums::Output::MaskBits, "Output::MaskBits");
  ExpectLastValue(Enums::ErrorKind::Cuda, "ErrorKind::Cuda");
  ExpectLastValue(Enums::Memory::Device, "Memory::Device");
  ExpectLastValue(Enums::ValueRole::UpperLimit, "ValueRole::UpperLimit");
  ExpectLastValue(Enums::ForegroundKind::Between, "ForegroundKind::Between");
  ExpectLastValue(Enums::Border::NotTouching, "Border::NotTouching");
  ExpectLastValue(Enums::PixelOrder::TransposedRaster, "PixelOrder::TransposedRaster");
  ExpectLastValue(Enums::LabelOrder::Size, "LabelOrder::Size");
  ExpectLastValue(Enums::BlockOrder::Block, "BlockOrder::Block");
}

/** Expects that a function refuses a type, by its name. */
template <typename TFunction>
void
ExpectRefused(const std::string & name, const TFunction & function)
{
  try
  {
    function();
    ADD_FAILURE() << name << " was accepted";
  }
  catch (const itk::CudaConnectedComponentError & error)
  {
    EXPECT_EQ(error.GetKind(), itk::CudaConnectedComponentError::KindEnum::InvalidArgument);
    EXPECT_NE(std::string(error.what()).find(" of the type " + name + ":"), std::string::npos) << error.what();
  }
}

TEST(CudaConnectedComponentsPixelTypes, UnknownTypesAreRefused)
{
  const std::uint64_t pixel = 0;
  const auto          visitPixels = [&](PixelType type) { VisitPixels(&pixel, type, [](const auto *) {}); };
  const auto          visitLabels = [](PixelType type) { VisitLabelType(type, [](auto) {}); };
  for (unsigned int value = 0; value <= static_cast<unsigned int>(PixelType::Double); ++value)
  {
    const auto type = static_cast<PixelType>(value);
    EXPECT_NO_THROW(visitPixels(type)) << value;
    EXPECT_NO_THROW(VisitWidth(type, [&](auto width) { EXPECT_EQ(sizeof(width), SizeOf(type)); })) << value;
  }
  EXPECT_NO_THROW(visitPixels(PixelType::Bool));
  for (const auto & [type, name] : { std::pair(PixelType::Half, "Half"),
                                     std::pair(PixelType::BFloat16, "BFloat16"),
                                     std::pair(static_cast<PixelType>(200), "200") })
  {
    ExpectRefused(name, [type = type] { RequireReadable(type); });
    ExpectRefused(name, [&, type = type] { visitPixels(type); });
    ExpectRefused(name, [&, type = type] { visitLabels(type); });
  }
  ExpectRefused("200", [] { VisitWidth(static_cast<PixelType>(200), [](auto) {}); });
  ExpectRefused("Bool", [&] { visitLabels(PixelType::Bool); });
  ExpectRefused("Float", [&] { visitLabels(PixelType::Float); });
  ExpectRefused("Double", [&] { visitLabels(PixelType::Double); });
}

} // namespace
