// SPDX-License-Identifier: Apache-2.0

// What is given for a size, and how many blocks there come to be.

#include "KeptMemory.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

using itk::ccl::KeptMemory;

namespace
{

char Somewhere[4];

TEST(KeptMemory, GivesWhatFits)
{
  KeptMemory kept;
  EXPECT_EQ(kept.Take(1).memory, nullptr);
  kept.Keep({ Somewhere, 100 });
  kept.Keep({ Somewhere + 1, 200 });
  kept.Keep({ Somewhere + 2, 300 });
  EXPECT_EQ(kept.Take(101).memory, Somewhere + 1);
  const KeptMemory::Block exact = kept.Take(300);
  EXPECT_EQ(exact.memory, Somewhere + 2);
  EXPECT_EQ(exact.bytes, 300U);
  EXPECT_EQ(kept.Take(25).memory, Somewhere);
  EXPECT_EQ(kept.Take(25).memory, nullptr);
}

TEST(KeptMemory, GivesTheLargestOfLessWhereNoneFits)
{
  KeptMemory kept;
  kept.Keep({ Somewhere, 10 });
  kept.Keep({ Somewhere + 1, 20 });
  kept.Keep({ Somewhere + 2, 1000 });
  EXPECT_EQ(kept.Take(249).bytes, 20U);
  EXPECT_EQ(kept.Take(249).bytes, 10U);
  const KeptMemory::Block none = kept.Take(249);
  EXPECT_EQ(none.memory, nullptr);
  EXPECT_EQ(none.bytes, 0U);
  EXPECT_EQ(kept.Take(250).bytes, 1000U);
}

TEST(KeptMemory, GivesAll)
{
  KeptMemory kept;
  kept.Keep({ Somewhere, 10 });
  kept.Keep({ Somewhere + 1, 10 });
  EXPECT_EQ(kept.TakeAll().size(), 2U);
  EXPECT_TRUE(kept.TakeAll().empty());
  EXPECT_EQ(kept.Take(10).memory, nullptr);
}

TEST(KeptMemory, HasNoMoreBlocksThanWereUsedAtOnce)
{
  constexpr unsigned int seed = 71;
  SCOPED_TRACE(seed);
  std::mt19937 random(seed);
  KeptMemory   kept;
  std::size_t  blocks = 0;
  for (std::size_t call = 0; call < 10000; ++call)
  {
    // Three calls at once, of sizes that grow and vary.
    std::vector<KeptMemory::Block> used;
    for (unsigned int i = 0; i < 3; ++i)
    {
      const std::size_t bytes = 1 + call + random() % 100000;
      KeptMemory::Block block = kept.Take(bytes);
      if (block.bytes < bytes)
      {
        blocks += block.memory == nullptr;
        block = { Somewhere, bytes };
      }
      EXPECT_LE(block.bytes / 4, bytes);
      used.push_back(block);
    }
    for (const KeptMemory::Block & block : used)
    {
      kept.Keep(block);
    }
  }
  EXPECT_EQ(kept.TakeAll().size(), blocks);
  // Three, and three for each size that is more than four times as large as what was asked for.
  EXPECT_LE(blocks, 3U * 10U);
}

} // namespace
