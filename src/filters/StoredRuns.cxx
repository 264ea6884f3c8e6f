// SPDX-License-Identifier: Apache-2.0
#include "CudaConnectedComponentsDetail/StoredRuns.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <numeric>
#include <thread>

namespace itk
{
namespace CudaConnectedComponentsDetail
{

class StoredRuns::Implementation
{
public:
  struct Row
  {
    const RunType * runs{ nullptr };
    std::uint64_t   count{ 0 };
  };

  /** Memory for runs. One large allocation serves many rows, because there are more rows than an allocator serves
   * quickly. */
  struct Memory
  {
    std::atomic_flag                        isLocked = ATOMIC_FLAG_INIT;
    std::vector<std::unique_ptr<RunType[]>> blocks;
    std::size_t                             used{ 0 };
    std::size_t                             capacity{ 0 }; // of the last block

    RunType *
    Allocate(std::size_t count)
    {
      constexpr std::size_t runsOfBlock = 4096;
      if (capacity - used < count)
      {
        const std::size_t newCapacity = std::max(count, runsOfBlock);
        // Not std::make_unique(), which would write zeros.
        blocks.emplace_back(new RunType[newCapacity]);
        capacity = newCapacity;
        used = 0;
      }
      RunType * const runs = blocks.back().get() + used;
      used += count;
      return runs;
    }
  };

  using Memories = std::array<Memory, 64>;

  /** Locks a memory for the calling thread. The search starts at a place that depends on the thread, so that threads
   * rarely wait for each other. */
  class LockedMemory
  {
  public:
    explicit LockedMemory(Memories & memories)
    {
      std::size_t i = std::hash<std::thread::id>()(std::this_thread::get_id());
      while (memories[i % memories.size()].isLocked.test_and_set(std::memory_order_acquire))
      {
        ++i;
      }
      m_Memory = &memories[i % memories.size()];
    }

    ~LockedMemory() { m_Memory->isLocked.clear(std::memory_order_release); }

    LockedMemory(const LockedMemory &) = delete;
    LockedMemory &
    operator=(const LockedMemory &) = delete;

    Memory *
    operator->() const
    {
      return m_Memory;
    }

  private:
    Memory * m_Memory;
  };

  std::vector<Row> m_Rows;
  Memories         m_Memories;
};

StoredRuns::StoredRuns(std::uint64_t rowCount)
  : m_Implementation(std::make_unique<Implementation>())
{
  m_Implementation->m_Rows.resize(static_cast<std::size_t>(rowCount));
}

StoredRuns::~StoredRuns() = default;

void
StoredRuns::Add(std::uint64_t row, const RunType * runs, std::uint64_t count)
{
  if (count == 0)
  {
    return;
  }
  const Implementation::LockedMemory memory(m_Implementation->m_Memories);
  RunType * const                    copy = memory->Allocate(static_cast<std::size_t>(count));
  std::copy_n(runs, count, copy);
  m_Implementation->m_Rows[static_cast<std::size_t>(row)] = { copy, count };
}

void
StoredRuns::ForEachRow(const RowVisitorType & visit) const
{
  const auto & rows = m_Implementation->m_Rows;
  for (std::size_t row = 0; row < rows.size(); ++row)
  {
    if (rows[row].count > 0)
    {
      visit(static_cast<std::uint64_t>(row), rows[row].runs, rows[row].count);
    }
  }
}

std::vector<std::size_t>
DivideComponents(const std::vector<std::uint64_t> & pixelCounts, std::uint64_t maximum)
{
  // A new object takes about as long as the lines of this number of pixels.
  constexpr std::uint64_t pixelsOfNew = 500;
  constexpr std::uint64_t minimumOfPart = 200 * pixelsOfNew;
  const std::uint64_t     total = std::accumulate(
    pixelCounts.begin(), pixelCounts.end(), pixelsOfNew * static_cast<std::uint64_t>(pixelCounts.size()));
  const std::uint64_t      parts = std::max<std::uint64_t>(std::min(maximum, total / minimumOfPart), 1);
  std::vector<std::size_t> firstOfParts{ 0 };
  std::uint64_t            before = 0;
  for (std::size_t i = 0; i < pixelCounts.size(); ++i)
  {
    if (before > total / parts)
    {
      firstOfParts.push_back(i);
      before = 0;
    }
    before += pixelCounts[i] + pixelsOfNew;
  }
  if (!pixelCounts.empty())
  {
    firstOfParts.push_back(pixelCounts.size());
  }
  return firstOfParts;
}

} // namespace CudaConnectedComponentsDetail
} // namespace itk
