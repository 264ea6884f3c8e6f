// SPDX-License-Identifier: Apache-2.0

// What is given for a size, and how much there comes to be.

#include "KeptMemory.h"

#include <gtest/gtest.h>

#include <vector>

using itk::ccl::KeptMemory;

namespace
{

char Somewhere[4];

constexpr std::size_t Smallest = 65536;

TEST(KeptMemory, NewBlocksArePowersOfTwo)
{
  EXPECT_EQ(KeptMemory::SizeFor(1), Smallest);
  EXPECT_EQ(KeptMemory::SizeFor(Smallest), Smallest);
  EXPECT_EQ(KeptMemory::SizeFor(Smallest + 1), 2 * Smallest);
  EXPECT_EQ(KeptMemory::SizeFor((std::size_t{ 1 } << 34) - 1), std::size_t{ 1 } << 34);
}

TEST(KeptMemory, GivesTheSmallestThatFits)
{
  KeptMemory kept;
  kept.Keep({ Somewhere, Smallest });
  kept.Keep({ Somewhere + 1, 2 * Smallest });
  kept.Keep({ Somewhere + 2, 4 * Smallest });
  EXPECT_EQ(kept.Take(Smallest + 1).memory, Somewhere + 1);
  const KeptMemory::Block exact = kept.Take(4 * Smallest);
  EXPECT_EQ(exact.memory, Somewhere + 2);
  EXPECT_EQ(exact.bytes, 4 * Smallest);
  EXPECT_EQ(kept.Take(1).memory, Somewhere);
  EXPECT_EQ(kept.Take(1).memory, nullptr);
}

TEST(KeptMemory, GivesNoneThatIsFarLarger)
{
  KeptMemory kept;
  kept.Keep({ Somewhere, 16 * Smallest });
  const KeptMemory::Block none = kept.Take(2 * Smallest);
  EXPECT_EQ(none.memory, nullptr);
  EXPECT_EQ(none.bytes, 2 * Smallest);
  EXPECT_EQ(kept.Take(2 * Smallest + 1).memory, Somewhere);
}

TEST(KeptMemory, GivesAll)
{
  KeptMemory kept;
  kept.Keep({ Somewhere, Smallest });
  kept.Keep({ Somewhere + 1, Smallest });
  EXPECT_EQ(kept.TakeAll().size(), 2U);
  EXPECT_TRUE(kept.TakeAll().empty());
  EXPECT_EQ(kept.Take(Smallest).memory, nullptr);
}

/** Makes three calls at once of so many bytes each. Gives the bytes of the blocks that were made for them. */
std::size_t
CallThreeTimesAtOnce(KeptMemory & kept, std::size_t bytes)
{
  std::size_t                    made = 0;
  std::vector<KeptMemory::Block> used;
  for (unsigned int i = 0; i < 3; ++i)
  {
    KeptMemory::Block block = kept.Take(bytes);
    EXPECT_GE(block.bytes, bytes);
    if (block.memory == nullptr)
    {
      made += block.bytes;
      block.memory = Somewhere;
    }
    used.push_back(block);
  }
  for (const KeptMemory::Block & block : used)
  {
    kept.Keep(block);
  }
  return made;
}

TEST(KeptMemory, StaysSmallWhereCallsGrow)
{
  constexpr std::size_t largest = 1000 * Smallest;
  KeptMemory            kept;
  std::size_t           made = 0;
  for (std::size_t bytes = 1; bytes < largest; bytes += 999)
  {
    made += CallThreeTimesAtOnce(kept, bytes);
  }
  EXPECT_LE(made, 3 * 4 * largest);
}

TEST(KeptMemory, MakesNothingMoreForSizesThatTakeTurns)
{
  KeptMemory kept;
  for (const std::size_t bytes : { Smallest, 100 * Smallest, 3 * Smallest, 7 * Smallest })
  {
    CallThreeTimesAtOnce(kept, bytes);
  }
  for (const std::size_t bytes : { 100 * Smallest, Smallest, 7 * Smallest, 3 * Smallest, 90 * Smallest })
  {
    EXPECT_EQ(CallThreeTimesAtOnce(kept, bytes), 0U) << bytes;
  }
}

} // namespace
