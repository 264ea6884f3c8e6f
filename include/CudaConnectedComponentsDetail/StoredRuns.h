// SPDX-License-Identifier: Apache-2.0
#ifndef CudaConnectedComponentsDetail_StoredRuns_h
#define CudaConnectedComponentsDetail_StoredRuns_h

#include "itkCudaConnectedComponentLabeler.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <numeric>
#include <thread>
#include <vector>

namespace itk
{
namespace CudaConnectedComponentsDetail
{

/** Stores the runs of all rows of an image. Threads add the rows in any order. */
class StoredRuns
{
public:
  using RunType = CudaConnectedComponentLabeler::Run;

  explicit StoredRuns(std::uint64_t rowCount)
    : m_Rows(static_cast<std::size_t>(rowCount))
  {}

  /** Copies the runs of one row. Several threads may add different rows at the same time. */
  void
  Add(std::uint64_t row, const RunType * runs, std::uint64_t count)
  {
    if (count == 0)
    {
      return;
    }
    const LockedMemory memory(m_Memories);
    RunType * const    copy = memory->Allocate(static_cast<std::size_t>(count));
    std::copy_n(runs, count, copy);
    m_Rows[static_cast<std::size_t>(row)] = { copy, count };
  }

  /** Calls function(row, runs, count) for each row that has runs, in raster order. Several threads may call this
   * function at the same time. */
  template <typename TFunction>
  void
  ForEachRow(const TFunction & function) const
  {
    for (std::size_t row = 0; row < m_Rows.size(); ++row)
    {
      if (m_Rows[row].count > 0)
      {
        function(static_cast<std::uint64_t>(row), m_Rows[row].runs, m_Rows[row].count);
      }
    }
  }

private:
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

/** Divides the components into at most `maximum` parts of neighboring components, so that their objects take about the
 * same time to make. Returns the first component of each part, and then the number of components. */
inline std::vector<std::size_t>
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

#endif
