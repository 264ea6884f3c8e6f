// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_executors_device_MemoryCache_h
#define ccl_executors_device_MemoryCache_h

// A cache of memory blocks for the next calls. Its limit follows from the memory that recent calls used. So a program
// that labels images of similar sizes allocates only at its first calls, and one large image does not occupy memory for
// ever.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <list>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace itk::ccl
{

/** The memory that the process holds for labeling, in bytes. */
struct HeldMemory
{
  std::uint64_t deviceBytes = 0; // device memory, sum over all devices
  std::uint64_t pinnedBytes = 0; // pinned host memory
};

/** Records the largest number of bytes that recent calls used at the same time. Calls may overlap. Not thread-safe. */
class RecentDemand
{
public:
  /** Number of calls that count as recent. */
  static constexpr std::size_t Calls = 16;

  /** Records that a call starts to use `bytes` bytes. */
  void
  Add(std::size_t bytes)
  {
    m_InUse += bytes;
    m_Peak = std::max(m_Peak, m_InUse);
  }

  /** Records that a call uses `bytes` bytes no more. */
  void
  Remove(std::size_t bytes)
  {
    m_InUse -= bytes;
  }

  /** Makes the call that runs count, also if it uses no bytes. */
  void
  Touch()
  {
    m_IsTouched = true;
  }

  /** Returns the bytes in use. */
  std::size_t
  GetInUse() const
  {
    return m_InUse;
  }

  /** Ends a call. A call does not count if no memory was in use since the last call ended, unless Touch() was called.
   */
  void
  EndCall()
  {
    if (m_Peak > 0 || std::exchange(m_IsTouched, false))
    {
      m_Peaks[m_Next] = m_Peak;
      m_Next = (m_Next + 1) % Calls;
      m_Peak = m_InUse;
    }
  }

  /** Returns the largest number of bytes in use during the recent calls and the calls that have not ended. */
  std::size_t
  Get() const
  {
    return std::max(m_Peak, *std::max_element(m_Peaks.begin(), m_Peaks.end()));
  }

private:
  std::size_t                    m_InUse = 0;
  std::size_t                    m_Peak = 0; // largest m_InUse since the last call ended
  bool                           m_IsTouched = false;
  std::array<std::size_t, Calls> m_Peaks{};
  std::size_t                    m_Next = 0;
};

/** Keeps track of memory blocks that calls use and return. Returned blocks are cached for later calls. When no call
 * uses a block, all blocks together have at most MaximumShare times the bytes that recent calls used at the same time.
 * The cache does not allocate or free memory: its owner does. Not thread-safe. */
class MemoryCache
{
public:
  /** A memory block. */
  struct Block
  {
    void *      memory;
    std::size_t bytes;
  };

  /** Limit of the cache, relative to the recent demand. More than 1, because calls of different sizes may alternate. */
  static constexpr std::size_t MaximumShare = 2;

  /** Returns the size in bytes of a new memory block for a request of `bytes` bytes. Sizes up to 64 MiB are powers of
   * two, so that calls of similar sizes can use the same blocks. Larger sizes are multiples of 16 MiB, because powers
   * of two would waste too much memory. */
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

  /** Returns the smallest cached memory block that has at least `bytes` bytes, and at most 4 times the size of a new
   * block. Returns nullptr if there is none. The owner must then allocate SizeFor(bytes) bytes and Add() them. */
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

  /** Adds a new memory block that a call uses. `bytes` is its size, which SizeFor() has returned. */
  void
  Add(void * memory, std::size_t bytes)
  {
    m_Used.push_back({ { memory, bytes }, bytes });
    m_Demand.Add(bytes);
    m_Bytes += bytes;
  }

  /** Takes a memory block back from a call. Allocates nothing, so it cannot fail. */
  void
  Return(void * memory)
  {
    const auto used =
      std::find_if(m_Used.begin(), m_Used.end(), [memory](const UsedBlock & each) { return each.memory == memory; });
    m_Demand.Remove(used->needed);
    m_Cached.splice(m_Cached.end(), m_Used, used);
  }

  /** Ends a call. Returns cached memory blocks that exceed the limit, and forgets them. The owner must free them. The
   * blocks that were returned first go first. */
  std::vector<Block>
  EndCall()
  {
    m_Demand.EndCall();
    std::vector<Block> blocks;
    blocks.reserve(m_Cached.size()); // the memory of a block that is in no list would be lost
    while (!m_Cached.empty() && m_Bytes > MaximumShare * m_Demand.Get())
    {
      blocks.push_back(m_Cached.front());
      m_Bytes -= m_Cached.front().bytes;
      m_Cached.pop_front();
    }
    return blocks;
  }

  /** Returns all cached memory blocks, and forgets them. The owner must free them. */
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

  /** Returns the bytes of all memory blocks, in use or cached. */
  std::size_t
  GetBytes() const
  {
    return m_Bytes;
  }

private:
  static constexpr std::size_t SmallestBlock = std::size_t{ 64 } << 10; // smaller blocks would save little memory
  static constexpr std::size_t LargestPowerOfTwo = std::size_t{ 64 } << 20;
  static constexpr std::size_t LargeStep = std::size_t{ 16 } << 20;

  /** A memory block, and the size that a new block for the same request would have. */
  struct UsedBlock : Block
  {
    std::size_t needed;
  };

  std::list<UsedBlock> m_Cached; // in the order of their return
  std::list<UsedBlock> m_Used;
  std::size_t          m_Bytes = 0; // size of all blocks
  RecentDemand         m_Demand;    // sum of UsedBlock::needed
};

/** Memory blocks for the calls of several threads: blocks of a MemoryCache, and new ones from a source. Thread-safe.
 * The mutex is not locked while the source works, which may take long.
 * \tparam TSource has Allocate(bytes), which returns a new block, or null if there is too little memory, and
 * Free(memory) */
template <typename TSource>
class CachingAllocator
{
public:
  explicit CachingAllocator(TSource source = TSource{})
    : m_Source(std::move(source))
  {}

  /** Returns at least `bytes` bytes. They go back to the cache with their last owner. This object must outlive them. If
   * there is too little memory, frees the cached blocks and tries again. Returns null if there still is too little.
   * prepare(size) is called before a new block of this size is allocated. */
  template <typename TPrepare>
  std::shared_ptr<void>
  Allocate(std::size_t bytes, const TPrepare & prepare)
  {
    void * memory = this->WhileLocked([&] { return m_Cache.Take(bytes); });
    if (memory == nullptr)
    {
      const std::size_t size = MemoryCache::SizeFor(bytes);
      prepare(size);
      memory = m_Source.Allocate(size);
      if (memory == nullptr)
      {
        this->Trim();
        memory = m_Source.Allocate(size);
      }
      if (memory == nullptr)
      {
        return nullptr;
      }
      try
      {
        this->WhileLocked([&] { m_Cache.Add(memory, size); });
      }
      catch (...)
      {
        m_Source.Free(memory);
        throw;
      }
    }
    return std::shared_ptr<void>(memory, [this](void * unused) { this->WhileLocked([&] { m_Cache.Return(unused); }); });
  }

  std::shared_ptr<void>
  Allocate(std::size_t bytes)
  {
    return this->Allocate(bytes, [](std::size_t) {});
  }

  /** Ends a call. Frees the cached blocks that exceed the limit. */
  void
  EndCall()
  {
    this->Free(this->WhileLocked([this] { return m_Cache.EndCall(); }));
  }

  /** Frees all cached blocks. */
  void
  Trim()
  {
    this->Free(this->WhileLocked([this] { return m_Cache.TakeAll(); }));
  }

  /** Returns the bytes of all memory blocks, in use or cached. */
  std::size_t
  GetBytes() const
  {
    return this->WhileLocked([this] { return m_Cache.GetBytes(); });
  }

private:
  template <typename TFunction>
  auto
  WhileLocked(const TFunction & function) const
  {
    const std::lock_guard<std::mutex> lock(m_Mutex);
    return function();
  }

  void
  Free(const std::vector<MemoryCache::Block> & blocks)
  {
    std::exception_ptr first;
    for (const MemoryCache::Block & block : blocks)
    {
      try
      {
        m_Source.Free(block.memory);
      }
      catch (...)
      {
        first = first == nullptr ? std::current_exception() : first;
      }
    }
    if (first != nullptr)
    {
      std::rethrow_exception(first);
    }
  }

  TSource            m_Source;
  mutable std::mutex m_Mutex;
  MemoryCache        m_Cache;
};

} // namespace itk::ccl

#endif
