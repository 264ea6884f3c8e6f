// SPDX-License-Identifier: Apache-2.0

// Tests of the memory blocks that the cache gives for a size, and of the memory that it holds after calls.

#include "executors/device/MemoryCache.h"

#include <gtest/gtest.h>

#include <map>
#include <new>
#include <vector>

using itk::ccl::CachingAllocator;
using itk::ccl::MemoryCache;
using itk::ccl::RecentDemand;

namespace
{

char Somewhere[4];

constexpr std::size_t Smallest = 65536;
constexpr std::size_t Megabyte = std::size_t{ 1 } << 20;

TEST(CudaConnectedComponentsRecentDemand, IsTheMaximumOfTheLastCalls)
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

TEST(CudaConnectedComponentsRecentDemand, AddsOverlappingCalls)
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
  // The other call has not ended.
  EXPECT_EQ(demand.Get(), 20U);
  demand.Remove(20);
}

TEST(CudaConnectedComponentsRecentDemand, CallsWithoutMemoryDoNotCount)
{
  RecentDemand demand;
  demand.Add(10);
  demand.Remove(10);
  for (std::size_t i = 0; i < 3 * RecentDemand::Calls; ++i)
  {
    demand.EndCall();
  }
  EXPECT_EQ(demand.Get(), 10U);
  for (std::size_t i = 0; i < RecentDemand::Calls; ++i)
  {
    demand.Touch();
    demand.EndCall();
  }
  EXPECT_EQ(demand.Get(), 0U);
}

TEST(CudaConnectedComponentsMemoryCache, SizesOfNewBlocks)
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

TEST(CudaConnectedComponentsMemoryCache, GivesTheSmallestBlockThatFits)
{
  MemoryCache cache;
  for (std::size_t i = 0; i < 3; ++i)
  {
    cache.Add(Somewhere + i, Smallest << i);
  }
  for (const std::size_t i : { 2, 0, 1 })
  {
    cache.Return(Somewhere + i);
  }
  EXPECT_EQ(cache.Take(Smallest + 1), Somewhere + 1);
  EXPECT_EQ(cache.Take(4 * Smallest), Somewhere + 2);
  EXPECT_EQ(cache.Take(1), Somewhere);
  EXPECT_EQ(cache.Take(1), nullptr);
  EXPECT_EQ(cache.GetBytes(), 7 * Smallest);
}

TEST(CudaConnectedComponentsMemoryCache, DoesNotGiveAMuchLargerBlock)
{
  MemoryCache cache;
  cache.Add(Somewhere, 16 * Smallest);
  cache.Return(Somewhere);
  EXPECT_EQ(cache.Take(2 * Smallest), nullptr);
  EXPECT_EQ(cache.Take(2 * Smallest + 1), Somewhere);
}

TEST(CudaConnectedComponentsMemoryCache, TakeAllGivesTheUnusedBlocks)
{
  MemoryCache cache;
  for (std::size_t i = 0; i < 3; ++i)
  {
    cache.Add(Somewhere + i, Smallest);
  }
  cache.Return(Somewhere);
  cache.Return(Somewhere + 1);
  EXPECT_EQ(cache.TakeAll().size(), 2U);
  EXPECT_TRUE(cache.TakeAll().empty());
  EXPECT_EQ(cache.GetBytes(), Smallest) << "one block is in use";
  EXPECT_EQ(cache.Take(Smallest), nullptr);
}

/** Makes calls that overlap.
 * \param bytes memory that each call needs
 * \return bytes of the blocks that the cache did not have */
std::size_t
Call(MemoryCache & cache, std::size_t bytes, unsigned int calls = 1)
{
  static std::uintptr_t address = 0;
  std::size_t           allocated = 0;
  std::vector<void *>   used;
  for (unsigned int i = 0; i < calls; ++i)
  {
    void * memory = cache.Take(bytes);
    if (memory == nullptr)
    {
      memory = reinterpret_cast<void *>(++address);
      cache.Add(memory, MemoryCache::SizeFor(bytes));
      allocated += MemoryCache::SizeFor(bytes);
    }
    used.push_back(memory);
  }
  for (void * const memory : used)
  {
    cache.Return(memory);
    cache.EndCall();
  }
  return allocated;
}

TEST(CudaConnectedComponentsMemoryCache, FreesTheMemoryOfALargeCall)
{
  // Smaller calls may use the large block until it is freed.
  for (const std::size_t large : { 1000 * Megabyte, 100 * Megabyte, 60 * Megabyte, 30 * Megabyte })
  {
    MemoryCache cache;
    Call(cache, large);
    for (std::size_t i = 0; i < RecentDemand::Calls; ++i)
    {
      EXPECT_GE(cache.GetBytes(), large);
      Call(cache, 10 * Megabyte);
    }
    Call(cache, 10 * Megabyte);
    EXPECT_LE(cache.GetBytes(), 2 * MemoryCache::SizeFor(10 * Megabyte)) << large;
  }
}

TEST(CudaConnectedComponentsMemoryCache, StaysSmallIfCallsGrow)
{
  MemoryCache cache;
  for (std::size_t bytes = 1; bytes < 200 * Megabyte; bytes += 999999)
  {
    Call(cache, bytes, 3);
    EXPECT_LE(cache.GetBytes(), 2 * 3 * MemoryCache::SizeFor(bytes)) << bytes;
  }
}

TEST(CudaConnectedComponentsMemoryCache, AllocatesNothingForRepeatedCalls)
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

TEST(CudaConnectedComponentsMemoryCache, AllocatesNothingForAlternatingSizes)
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

/** Memory of a limited size. */
struct LimitedMemory
{
  struct State
  {
    std::size_t                   free;
    std::map<void *, std::size_t> blocks;
    unsigned int                  requests = 0;

    /** Frees the blocks that a cache holds at its end. */
    ~State()
    {
      for (const auto & block : blocks)
      {
        ::operator delete(block.first);
      }
    }
  };

  State * state;

  void *
  Allocate(std::size_t bytes) const
  {
    ++state->requests;
    if (bytes > state->free)
    {
      return nullptr;
    }
    void * const memory = ::operator new(1);
    state->free -= bytes;
    state->blocks[memory] = bytes;
    return memory;
  }

  void
  Free(void * memory) const
  {
    state->free += state->blocks.at(memory);
    state->blocks.erase(memory);
    ::operator delete(memory);
  }
};

TEST(CudaConnectedComponentsCachingAllocator, FreesCachedBlocksIfThereIsTooLittleMemory)
{
  LimitedMemory::State            state{ 100 * Megabyte, {} };
  CachingAllocator<LimitedMemory> memory(LimitedMemory{ &state });
  auto                            used = memory.Allocate(16 * Megabyte);
  const void * const              first = used.get();
  memory.Allocate(64 * Megabyte);
  EXPECT_EQ(state.free, 20 * Megabyte) << "both blocks are kept";

  // No cached block has the size, and there is no room beside them.
  const auto large = memory.Allocate(80 * Megabyte);
  EXPECT_NE(large, nullptr);
  EXPECT_EQ(state.requests, 4U);
  EXPECT_EQ(state.free, 4 * Megabyte);
  EXPECT_EQ(memory.GetBytes(), 96 * Megabyte);

  EXPECT_EQ(memory.Allocate(8 * Megabyte), nullptr) << "the other blocks are in use";
  used.reset();
  EXPECT_EQ(memory.Allocate(5 * Megabyte).get(), first);
}

TEST(CudaConnectedComponentsCachingAllocator, EndCallAndTrimFreeBlocks)
{
  LimitedMemory::State            state{ 1000 * Megabyte, {} };
  CachingAllocator<LimitedMemory> memory(LimitedMemory{ &state });
  memory.Allocate(512 * Megabyte);
  memory.EndCall();
  EXPECT_EQ(memory.GetBytes(), 512 * Megabyte);
  for (std::size_t i = 0; i < RecentDemand::Calls; ++i)
  {
    memory.Allocate(Smallest);
    memory.EndCall();
  }
  EXPECT_EQ(memory.GetBytes(), Smallest);
  memory.Trim();
  EXPECT_EQ(memory.GetBytes(), 0U);
  EXPECT_TRUE(state.blocks.empty());
}

} // namespace
