// SPDX-License-Identifier: Apache-2.0

// What is given out for a size, and how much is cached after which calls.

#include "MemoryCache.h"

#include <gtest/gtest.h>

#include <vector>

using itk::ccl::MemoryCache;
using itk::ccl::RecentDemand;

namespace
{

char Somewhere[4];

constexpr std::size_t Smallest = 65536;
constexpr std::size_t Megabyte = std::size_t{ 1 } << 20;

TEST(RecentDemand, IsTheLargestOfTheLastCalls)
{
  RecentDemand demand;
  EXPECT_EQ(demand.Get(), 0U);
  const auto call = [&demand](std::size_t bytes) {
    demand.Add(bytes);
    demand.Remove(bytes);
    demand.EndCall();
  };
  call(1000);
  for (std::size_t i = 1; i < RecentDemand::Calls; ++i)
  {
    call(i);
    EXPECT_EQ(demand.Get(), 1000U);
  }
  call(3);
  EXPECT_EQ(demand.Get(), RecentDemand::Calls - 1);
}

TEST(RecentDemand, AddsUpCallsThatOverlap)
{
  RecentDemand demand;
  demand.Add(10);
  demand.Add(20);
  demand.Remove(10);
  demand.EndCall();
  EXPECT_EQ(demand.Get(), 30U);
  EXPECT_EQ(demand.GetInUse(), 20U);
  for (std::size_t i = 0; i < RecentDemand::Calls; ++i)
  {
    demand.EndCall();
  }
  // The other call goes on.
  EXPECT_EQ(demand.Get(), 20U);
  demand.Remove(20);
}

TEST(RecentDemand, CallsWithoutMemoryDoNotCount)
{
  RecentDemand demand;
  demand.Add(10);
  demand.Remove(10);
  for (std::size_t i = 0; i < 3 * RecentDemand::Calls; ++i)
  {
    demand.EndCall();
  }
  EXPECT_EQ(demand.Get(), 10U);
}

TEST(MemoryCache, SizesOfNewBlocks)
{
  EXPECT_EQ(MemoryCache::SizeFor(0), Smallest);
  EXPECT_EQ(MemoryCache::SizeFor(1), Smallest);
  EXPECT_EQ(MemoryCache::SizeFor(Smallest), Smallest);
  EXPECT_EQ(MemoryCache::SizeFor(Smallest + 1), 2 * Smallest);
  EXPECT_EQ(MemoryCache::SizeFor(33 * Megabyte), 64 * Megabyte);
  EXPECT_EQ(MemoryCache::SizeFor(64 * Megabyte), 64 * Megabyte);
  EXPECT_EQ(MemoryCache::SizeFor(64 * Megabyte + 1), 80 * Megabyte);
  EXPECT_EQ(MemoryCache::SizeFor(80 * Megabyte), 80 * Megabyte);
  EXPECT_EQ(MemoryCache::SizeFor(1000 * Megabyte), 1008 * Megabyte);
}

TEST(MemoryCache, GivesTheSmallestThatFits)
{
  MemoryCache cache;
  for (std::size_t i = 0; i < 3; ++i)
  {
    cache.Add({ Somewhere + i, Smallest << i });
  }
  for (const std::size_t i : { 2, 0, 1 })
  {
    cache.Return({ Somewhere + i, Smallest << i });
  }
  EXPECT_EQ(cache.Take(Smallest + 1).memory, Somewhere + 1);
  const MemoryCache::Block exact = cache.Take(4 * Smallest);
  EXPECT_EQ(exact.memory, Somewhere + 2);
  EXPECT_EQ(exact.bytes, 4 * Smallest);
  EXPECT_EQ(cache.Take(1).memory, Somewhere);
  EXPECT_EQ(cache.Take(1).memory, nullptr);
  EXPECT_EQ(cache.GetBytes(), 7 * Smallest);
}

TEST(MemoryCache, GivesNoneThatIsFarLarger)
{
  MemoryCache cache;
  cache.Add({ Somewhere, 16 * Smallest });
  cache.Return({ Somewhere, 16 * Smallest });
  EXPECT_EQ(cache.Take(2 * Smallest).memory, nullptr);
  EXPECT_EQ(cache.Take(2 * Smallest + 1).memory, Somewhere);
}

TEST(MemoryCache, GivesAll)
{
  MemoryCache cache;
  for (std::size_t i = 0; i < 3; ++i)
  {
    cache.Add({ Somewhere + i, Smallest });
  }
  cache.Return({ Somewhere, Smallest });
  cache.Return({ Somewhere + 1, Smallest });
  EXPECT_EQ(cache.TakeAll().size(), 2U);
  EXPECT_TRUE(cache.TakeAll().empty());
  EXPECT_EQ(cache.GetBytes(), Smallest) << "one is in use";
  EXPECT_EQ(cache.Take(Smallest).memory, nullptr);
}

/** Makes calls at once of so many bytes each. Gives the bytes of the blocks that were made for them. */
std::size_t
Call(MemoryCache & cache, std::size_t bytes, unsigned int calls = 1)
{
  std::size_t                     made = 0;
  std::vector<MemoryCache::Block> used;
  for (unsigned int i = 0; i < calls; ++i)
  {
    MemoryCache::Block block = cache.Take(bytes);
    if (block.memory == nullptr)
    {
      block = { Somewhere, MemoryCache::SizeFor(bytes) };
      cache.Add(block);
      made += block.bytes;
    }
    EXPECT_GE(block.bytes, bytes);
    used.push_back(block);
  }
  for (const MemoryCache::Block & block : used)
  {
    cache.Return(block);
    cache.EndCall();
  }
  return made;
}

TEST(MemoryCache, ForgetsALargeCall)
{
  MemoryCache cache;
  Call(cache, 1000 * Megabyte);
  for (std::size_t i = 0; i < RecentDemand::Calls; ++i)
  {
    EXPECT_GE(cache.GetBytes(), 1000 * Megabyte);
    Call(cache, Megabyte);
  }
  EXPECT_LE(cache.GetBytes(), 2 * Megabyte);
}

TEST(MemoryCache, StaysSmallWhereCallsGrow)
{
  MemoryCache cache;
  for (std::size_t bytes = 1; bytes < 200 * Megabyte; bytes += 999999)
  {
    Call(cache, bytes, 3);
    EXPECT_LE(cache.GetBytes(), 2 * 3 * MemoryCache::SizeFor(bytes)) << bytes;
  }
}

TEST(MemoryCache, MakesNothingMoreForCallsThatRepeat)
{
  for (const std::size_t bytes : { Smallest - 1, 3 * Megabyte, 64 * Megabyte + 1, 700 * Megabyte })
  {
    MemoryCache cache;
    EXPECT_GE(Call(cache, bytes, 2), 2 * bytes);
    for (int i = 0; i < 40; ++i)
    {
      EXPECT_EQ(Call(cache, bytes, 2), 0U) << bytes;
    }
  }
}

TEST(MemoryCache, MakesNothingMoreForSizesThatTakeTurns)
{
  MemoryCache cache;
  for (const std::size_t bytes : { 100 * Smallest, Smallest, 3 * Smallest, 7 * Smallest })
  {
    Call(cache, bytes);
  }
  for (int i = 0; i < 10; ++i)
  {
    for (const std::size_t bytes : { 100 * Smallest, Smallest, 7 * Smallest, 3 * Smallest, 90 * Smallest })
    {
      EXPECT_EQ(Call(cache, bytes), 0U) << bytes;
    }
  }
}

} // namespace
