// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_executors_device_MemoryCache_h
#define ccl_executors_device_MemoryCache_h

// How much memory recent calls had in use, and the memory that is cached from call to call because of that.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <list>
#include <vector>

namespace itk::ccl
{

/** The memory that the process holds for labeling, in bytes. */
struct HeldMemory
{
  std::uint64_t deviceBytes = 0; // of all devices
  std::uint64_t pinnedBytes = 0; // of the host
};

/** The largest number of bytes that recent calls had in use at one time. Calls may overlap. Not thread-safe. */
class RecentDemand
{
public:
  /** Calls after which a demand is forgotten. */
  static constexpr std::size_t Calls = 16;

  void
  Add(std::size_t bytes)
  {
    m_InUse += bytes;
    m_Peak = std::max(m_Peak, m_InUse);
  }

  void
  Remove(std::size_t bytes)
  {
    m_InUse -= bytes;
  }

  std::size_t
  GetInUse() const
  {
    return m_InUse;
  }

  /** Ends a call. A call that had nothing in use does not count. */
  void
  EndCall()
  {
    if (m_Peak > 0)
    {
      m_Peaks[m_Next] = m_Peak;
      m_Next = (m_Next + 1) % Calls;
      m_Peak = m_InUse;
    }
  }

  /** The largest demand of the calls that ended last and of those that go on. */
  std::size_t
  Get() const
  {
    return std::max(m_Peak, *std::max_element(m_Peaks.begin(), m_Peaks.end()));
  }

private:
  std::size_t                    m_InUse = 0;
  std::size_t                    m_Peak = 0; // since a call ended
  std::array<std::size_t, Calls> m_Peaks{};
  std::size_t                    m_Next = 0;
};

/** Blocks of memory that are given out to calls and come back. Blocks that no call uses are cached for later calls:
 * after a call has ended, all blocks together have at most MaximumShare times the bytes that recent calls needed at one
 * time. Knows addresses and sizes; allocating and freeing is up to the owner. Not thread-safe. */
class MemoryCache
{
public:
  struct Block
  {
    void *      memory;
    std::size_t bytes;
  };

  /** Room for calls of different sizes that take turns. */
  static constexpr std::size_t MaximumShare = 2;

  /** The size of a new block. Powers of two let calls of similar sizes share blocks; they would waste too much of large
   * blocks. */
  static std::size_t
  SizeFor(std::size_t bytes)
  {
    std::size_t size = SmallestBlock;
    while (size < bytes && size < LargestPowerOfTwo)
    {
      size *= 2;
    }
    return bytes <= size ? size : (bytes + LargeStep - 1) / LargeStep * LargeStep;
  }

  /** Gives out a cached block of at least so many bytes and at most four times the size of a new one. Gives nullptr
   * where there is none: the owner then allocates SizeFor() bytes, and adds them. */
  void *
  Take(std::size_t bytes)
  {
    auto       best = m_Cached.end();
    const auto needed = SizeFor(bytes);
    for (auto block = m_Cached.begin(); block != m_Cached.end(); ++block)
    {
      if (block->bytes >= bytes && block->bytes <= 4 * needed && (best == m_Cached.end() || block->bytes < best->bytes))
      {
        best = block;
      }
    }
    if (best == m_Cached.end())
    {
      return nullptr;
    }
    best->needed = needed;
    m_Demand.Add(needed);
    m_Used.splice(m_Used.end(), m_Cached, best);
    return best->memory;
  }

  /** Counts a new block of SizeFor() bytes that a call uses. */
  void
  Add(void * memory, std::size_t bytes)
  {
    m_Used.push_back({ { memory, bytes }, bytes });
    m_Demand.Add(bytes);
    m_Bytes += bytes;
  }

  /** Takes a block back from a call. Allocates nothing. */
  void
  Return(void * memory)
  {
    const auto used =
      std::find_if(m_Used.begin(), m_Used.end(), [memory](const UsedBlock & each) { return each.memory == memory; });
    m_Demand.Remove(used->needed);
    m_Cached.splice(m_Cached.end(), m_Used, used);
  }

  /** Ends a call. Gives the blocks that are cached no longer, for the owner to free: those that were returned longest
   * ago. */
  std::vector<Block>
  EndCall()
  {
    m_Demand.EndCall();
    std::vector<Block> blocks;
    while (!m_Cached.empty() && m_Bytes > MaximumShare * m_Demand.Get())
    {
      blocks.push_back(m_Cached.front());
      m_Bytes -= m_Cached.front().bytes;
      m_Cached.pop_front();
    }
    return blocks;
  }

  /** Gives all cached blocks, for the owner to free. */
  std::vector<Block>
  TakeAll()
  {
    std::vector<Block> blocks(m_Cached.begin(), m_Cached.end());
    for (const Block & block : blocks)
    {
      m_Bytes -= block.bytes;
    }
    m_Cached.clear();
    return blocks;
  }

  /** Bytes of all blocks, in use or cached. */
  std::size_t
  GetBytes() const
  {
    return m_Bytes;
  }

private:
  static constexpr std::size_t SmallestBlock = std::size_t{ 64 } << 10; // less is not worth a block of its own
  static constexpr std::size_t LargestPowerOfTwo = std::size_t{ 64 } << 20;
  static constexpr std::size_t LargeStep = std::size_t{ 16 } << 20;

  /** A call may need less than the block that it was given has. */
  struct UsedBlock : Block
  {
    std::size_t needed;
  };

  std::list<UsedBlock> m_Cached; // returned longest ago first
  std::list<UsedBlock> m_Used;
  std::size_t          m_Bytes = 0; // of all blocks
  RecentDemand         m_Demand;    // of what was needed
};

} // namespace itk::ccl

#endif
