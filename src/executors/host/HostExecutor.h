// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_executors_host_HostExecutor_h
#define ccl_executors_host_HostExecutor_h

#include "primitives/Grid.h"
#include "executors/Arena.h"
#include "executors/BoundedCount.h"
#include "executors/host/HostMemory.h"
#include "executors/host/HostThreadBlock.h"
#include "executors/host/ParallelFor.h"
#include "executors/host/RowCache.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

namespace itk::ccl
{

/** The sums of values that are divided into chunks. */
template <typename TSum>
struct ChunkSums
{
  std::uint64_t     count = 0; // number of values
  std::uint64_t     valuesPerChunk = 1;
  std::vector<TSum> prefixes; // sum of each chunk; after Scan(), prefix of each chunk
  TSum              total = 0;

  /** Replaces the sums of the chunks by their prefixes, and computes `total`. */
  void
  Scan()
  {
    total = 0;
    for (TSum & value : prefixes)
    {
      const TSum sum = value;
      value = total;
      total += sum;
    }
  }
};

/** Runs kernel functors on the host. A model of the executor concept (see executors/Executor.h): each call is a loop,
 * and returns when the whole loop has ended. The loop's iterations are divided into chunks, and a chunk is one call of
 * the ParallelFor's body. */
class HostExecutor
{
public:
  /** Runs all loops by `parallelFor`. The default uses the calling thread only. */
  explicit HostExecutor(ParallelFor parallelFor = SequentialFor)
    : m_ParallelFor(std::move(parallelFor))
  {}

  bool
  MayWait() const
  {
    return true;
  }

  template <typename T>
  HostBuffer<T>
  Allocate(std::uint64_t count) const
  {
    return AllocateOnHost<T>(count);
  }

  template <typename T>
  HostBuffer<T>
  AllocateCleared(std::uint64_t count) const
  {
    auto memory = this->Allocate<T>(count);
    this->Fill(memory.get(), count, 0);
    return memory;
  }

  unsigned int
  GetPartBits(unsigned int) const
  {
    return 0;
  }

  MemoryToClear
  TakeMemoryToClear() const
  {
    return {};
  }

  /** The result of AllocateResult(). */
  template <typename T>
  class Result
  {
  public:
    T *
    GetAddress() const
    {
      return m_Value.get();
    }

    T
    Get() const
    {
      return *m_Value;
    }

  private:
    std::unique_ptr<T> m_Value = std::make_unique<T>();
  };

  template <typename T>
  Result<T>
  AllocateResult() const
  {
    return {};
  }

  template <typename T>
  void
  Fill(T * memory, std::uint64_t count, unsigned char byte) const
  {
    this->ForEachChunk(count, CellsPerChunk(count), [&](std::uint64_t, std::uint64_t begin, std::uint64_t end) {
      std::memset(static_cast<void *>(memory + begin), byte, (end - begin) * sizeof(T));
    });
  }

  template <typename TFunctor>
  void
  ForEach(const Grid & grid, const TFunctor & functor) const
  {
    const std::uint64_t count = grid.Count();
    this->ForEachChunk(count, CellsPerChunk(count), [&](std::uint64_t, std::uint64_t begin, std::uint64_t end) {
      Cell cell = CellAt(grid, begin);
      for (std::uint64_t i = begin; i < end; ++i, cell = NextCell(grid, cell))
      {
        functor(cell);
      }
    });
  }

  template <typename T, typename TFunctor>
  void
  ForEach(const BoundedCount<T> & count, const TFunctor & functor) const
  {
    this->ForEach(Grid{ count.GetOrZero() }, functor);
  }

  template <typename TWork>
  void
  Dispatch(const Grid & grid, const TWork & work) const
  {
    work.Dispatch([&](std::uint64_t count, const auto & functor) { this->ForEach(Grid{ count, grid.y }, functor); });
  }

  template <typename TFunctor>
  void
  ForEachCompact(const Grid & grid, const TFunctor & functor) const
  {
    this->ForEach(grid, functor);
  }

  template <typename TFunctor>
  void
  ForEachThreadBlock(std::uint64_t count, const TFunctor & functor) const
  {
    const std::uint64_t perChunk = CellsPerChunk(count * TFunctor::Threads) / TFunctor::Threads;
    this->ForEachChunk(count, perChunk, [&](std::uint64_t, std::uint64_t begin, std::uint64_t end) {
      for (std::uint64_t i = begin; i < end; ++i)
      {
        typename TFunctor::SharedMemory memory;
        functor(HostThreadBlock<TFunctor::Threads>(i), memory);
      }
    });
  }

  template <typename TSum, typename TFunction, typename TVisitor>
  void
  Scan(const BoundedCount<TSum> & bounded, const TFunction & valueAt, const TVisitor & visit, TSum * total) const
  {
    const std::uint64_t count = bounded.GetOrZero();
    ChunkSums<TSum>     sums{ count, CellsPerChunk(count), {}, 0 };
    sums.prefixes.resize(DivideUp(count, sums.valuesPerChunk));
    if (sums.prefixes.size() > 1)
    {
      this->ForEachChunk(count, sums.valuesPerChunk, [&](std::uint64_t chunk, std::uint64_t begin, std::uint64_t end) {
        TSum sum = 0;
        for (std::uint64_t i = begin; i < end; ++i)
        {
          sum += static_cast<TSum>(valueAt(i));
        }
        sums.prefixes[chunk] = sum;
      });
      sums.Scan();
    }
    this->ForEachChunk(count, sums.valuesPerChunk, [&](std::uint64_t chunk, std::uint64_t begin, std::uint64_t end) {
      TSum prefix = sums.prefixes[chunk];
      for (std::uint64_t i = begin; i < end; ++i)
      {
        const TSum value = static_cast<TSum>(valueAt(i));
        visit(i, prefix, value);
        prefix += value;
      }
      if (end == count)
      {
        sums.total = prefix;
      }
    });
    if (total != nullptr)
    {
      *total = sums.total;
    }
  }

  template <typename TFunctor, typename TTable>
  void
  AddToRows(const Grid & grid, const TFunctor & functor, const TTable & table) const
  {
    using ValueType = typename TTable::ValueType;
    const std::uint64_t count = grid.Count();
    this->ForEachChunk(count, CellsPerChunk(count), [&](std::uint64_t, std::uint64_t begin, std::uint64_t end) {
      RowCache<TTable> cache(table);
      ValueType        value;
      Cell             cell = CellAt(grid, begin);
      for (std::uint64_t i = begin; i < end; ++i, cell = NextCell(grid, cell))
      {
        if (functor.HasValues(i))
        {
          for (auto list = functor.Begin(cell); !list.IsAtEnd();)
          {
            if (const std::uint64_t row = functor.Next(list, value); row != NoRow)
            {
              cache.Add(row, value);
            }
          }
        }
      }
    });
  }

  template <typename T>
  struct SortMemory
  {};

  template <typename T>
  SortMemory<T>
  AllocateForSort(std::uint64_t) const
  {
    return {};
  }

  template <typename T>
  void
  SortDescending(std::uint64_t count, T * keys, T * values, const SortMemory<T> &) const
  {
    std::vector<std::pair<T, T>> pairs(count);
    for (std::uint64_t i = 0; i < count; ++i)
    {
      pairs[i] = { keys[i], values[i] };
    }
    std::stable_sort(pairs.begin(), pairs.end(), [](const auto & a, const auto & b) { return a.first > b.first; });
    for (std::uint64_t i = 0; i < count; ++i)
    {
      keys[i] = pairs[i].first;
      values[i] = pairs[i].second;
    }
  }

private:
  /** Calls visit(chunk, begin, end) for each chunk of the indices 0 to count - 1. */
  template <typename TVisitor>
  void
  ForEachChunk(std::uint64_t count, std::uint64_t perChunk, const TVisitor & visit) const
  {
    const auto visitChunk = [&](std::uint64_t chunk) {
      visit(chunk, chunk * perChunk, std::min(count, (chunk + 1) * perChunk));
    };
    m_ParallelFor(DivideUp(count, perChunk), std::cref(visitChunk));
  }

  /** Returns the number of cells in a chunk. A few cells are one chunk, because they take less time than it takes to
   * wake other threads. */
  static std::uint64_t
  CellsPerChunk(std::uint64_t count)
  {
    return count <= Tuning::HostCellsOfOneThread ? Tuning::HostCellsOfOneThread : Tuning::HostCellsPerChunk;
  }

  ParallelFor m_ParallelFor;
};

} // namespace itk::ccl

#endif
