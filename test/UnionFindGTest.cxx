// SPDX-License-Identifier: Apache-2.0

// Tests of unions and compressions, on one thread and on several threads at the same time.

#include "primitives/UnionFind.h"

#include <gtest/gtest.h>

#include <atomic>
#include <numeric>
#include <random>
#include <thread>

using namespace itk::ccl;

namespace
{

using UnionType = void (*)(std::uint32_t *, std::uint32_t, std::uint32_t);

class CudaConnectedComponentsUnions : public testing::TestWithParam<UnionType>
{};

/** Calls work(thread) on `count` threads that start at the same time. */
template <typename TWork>
void
OnThreads(int count, const TWork & work)
{
  std::atomic<int>         waiting{ count };
  std::vector<std::thread> threads;
  for (int thread = 0; thread < count; ++thread)
  {
    threads.emplace_back([&waiting, &work, thread] {
      for (--waiting; waiting > 0;)
      {
      }
      work(static_cast<std::uint32_t>(thread));
    });
  }
  for (auto & thread : threads)
  {
    thread.join();
  }
}

TEST_P(CudaConnectedComponentsUnions, RootIsTheLowestElement)
{
  std::vector<std::uint32_t> parents(10);
  std::iota(parents.begin(), parents.end(), 0U);
  GetParam()(parents.data(), 7, 3);
  GetParam()(parents.data(), 9, 7);
  GetParam()(parents.data(), 1, 9);
  for (const std::uint32_t a : { 1, 3, 7, 9 })
  {
    EXPECT_EQ(Find<std::uint32_t>(parents.data(), a), 1U);
  }
  EXPECT_EQ(Find<std::uint32_t>(parents.data(), 2), 2U);
}

TEST(CudaConnectedComponentsUnionFind, BothCompressionsLinkToTheRoot)
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

TEST_P(CudaConnectedComponentsUnions, NoUnionIsLostToAnotherThread)
{
  // Both threads lower the root of one tree, again and again.
  constexpr std::uint32_t count = 5000;
  for (unsigned int repetition = 0; repetition < 20; ++repetition)
  {
    std::vector<std::uint32_t> parents(count);
    std::iota(parents.begin(), parents.end(), 0U);
    OnThreads(2, [&parents](std::uint32_t thread) {
      for (std::uint32_t distance = 1 + thread; distance < count; distance += 2)
      {
        GetParam()(parents.data(), count - 1, count - 1 - distance);
      }
    });
    for (std::uint32_t a = 0; a < count; ++a)
    {
      ASSERT_EQ(Find<std::uint32_t>(parents.data(), a), 0U) << a << ", repetition " << repetition;
    }
  }
}

TEST_P(CudaConnectedComponentsUnions, ConcurrentUnionsMatchSequentialUnions)
{
  constexpr std::uint32_t count = 3000;
  for (unsigned int seed = 1; seed <= 20; ++seed)
  {
    std::mt19937                                         random(seed);
    std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs(4 * count / 5);
    for (auto & pair : pairs)
    {
      pair = { random() % count, random() % count };
    }
    std::vector<std::uint32_t> expected(count);
    std::iota(expected.begin(), expected.end(), 0U);
    std::vector<std::uint32_t> parents = expected;
    for (const auto & pair : pairs)
    {
      Union(expected.data(), pair.first, pair.second);
    }
    OnThreads(4, [&](std::uint32_t thread) {
      for (std::size_t i = thread; i < pairs.size(); i += 4)
      {
        GetParam()(parents.data(), pairs[i].first, pairs[i].second);
      }
    });
    for (std::uint32_t a = 0; a < count; ++a)
    {
      ASSERT_EQ(Find(parents.data(), a), Find(expected.data(), a)) << a << ", seed " << seed;
    }
  }
}

std::string
NameOfUnion(const testing::TestParamInfo<UnionType> & instance)
{
  const char * const names[] = { "Union", "UnionHalving", "UnionSplicing" };
  return names[instance.index];
}

INSTANTIATE_TEST_SUITE_P(UnionFind,
                         CudaConnectedComponentsUnions,
                         testing::Values(UnionType(Union<std::uint32_t, std::uint32_t *>),
                                         UnionType(UnionHalving<std::uint32_t, std::uint32_t *>),
                                         UnionType(UnionSplicing<std::uint32_t, std::uint32_t *>)),
                         NameOfUnion);

TEST(CudaConnectedComponentsUnionFind, ConcurrentHalvingLinksEveryElementToItsRoot)
{
  // Many trees that are paths. One thread compresses the even elements of each path, the other thread the odd ones.
  constexpr std::uint32_t    length = 64;
  constexpr std::uint32_t    count = 20000 * length;
  std::vector<std::uint32_t> parents(count);
  for (std::uint32_t a = 0; a < count; ++a)
  {
    parents[a] = a % length == 0 ? a : a - 1;
  }
  OnThreads(2, [&parents](std::uint32_t thread) {
    for (std::uint32_t begin = 0; begin < count; begin += length)
    {
      for (std::uint32_t i = 0; i < length; i += 2)
      {
        CompressHalving(parents.data(), begin + (thread == 0 ? i : length - 1 - i));
      }
    }
  });
  for (std::uint32_t a = 0; a < count; ++a)
  {
    ASSERT_EQ(parents[a], a - a % length) << a;
  }
}

} // namespace
