// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_executors_host_HostExecutor_h
#define ccl_executors_host_HostExecutor_h

#include "primitives/Grid.h"
#include "executors/host/HostMemory.h"
#include "executors/host/ParallelFor.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

namespace itk::ccl
{

/** Runs the steps of the algorithms on the host. It and DeviceExecutor are the two models of what the algorithms call
 * an executor:
 *
 * - `Allocate<T>(n)` gives an owner of n uninitialized elements, with `get()`;
 * - `Fill(memory, n, byte)` sets all bytes of n elements;
 * - `ForEach(grid, step)` calls `step(cell)` for every cell of a grid, concurrently;
 * - `ForEachBlock(grid, step)` does the same, and keeps cells that are near each other in all directions together;
 * - `Sum<T>(n, valueAt)` sums valueAt(i) for i < n; `GetTotal()` of what it gives is the sum, and on the device waits
 * for it, but not for what was called later;
 * - `ForEachSum(sum, valueAt, visit)` calls `visit(i, valueAt(0) + ... + valueAt(i - 1))` for every i, concurrently. */
class HostExecutor
{
public:
  explicit HostExecutor(ParallelFor parallelFor = SequentialFor)
    : m_ParallelFor(std::move(parallelFor))
  {}

  template <typename T>
  HostBuffer<T>
  Allocate(std::uint64_t count) const
  {
    return AllocateOnHost<T>(count);
  }

  template <typename T>
  void
  Fill(T * memory, std::uint64_t count, unsigned char byte) const
  {
    this->ForEachChunk(count, CellsPerChunk(count), [&](std::uint64_t, std::uint64_t begin, std::uint64_t end) {
      std::memset(memory + begin, byte, (end - begin) * sizeof(T));
    });
  }

  template <typename TFunctor>
  void
  ForEach(const Grid & grid, const TFunctor & functor) const
  {
    const std::uint64_t count = grid.Count();
    this->ForEachChunk(count, CellsPerChunk(count), [&](std::uint64_t, std::uint64_t begin, std::uint64_t end) {
      Cell cell = CellAt(grid, begin);
      for (std::uint64_t i = begin; i < end; ++i)
      {
        functor(cell);
        if (++cell.x == grid.x)
        {
          cell = CellAt(grid, i + 1);
        }
      }
    });
  }

  template <typename TFunctor>
  void
  ForEachBlock(const Grid & grid, const TFunctor & functor) const
  {
    this->ForEach(grid, functor);
  }

  template <typename TSum>
  struct PreparedScan
  {
    std::uint64_t     count;
    std::uint64_t     valuesPerChunk;
    std::vector<TSum> before; // each chunk
    TSum              total;

    TSum
    GetTotal() const
    {
      return total;
    }

    /** Sums up what `before` has of each chunk. */
    void
    Scan()
    {
      total = 0;
      for (TSum & value : before)
      {
        const TSum sum = value;
        value = total;
        total += sum;
      }
    }
  };

  template <typename TSum, typename TFunction>
  PreparedScan<TSum>
  PrepareScan(std::uint64_t count, const TFunction & valueAt) const
  {
    const std::uint64_t values = CellsPerChunk(count);
    PreparedScan<TSum>  sums{ count, values, std::vector<TSum>(DivideUp(count, values)), 0 };
    this->ForEachChunk(count, values, [&](std::uint64_t chunk, std::uint64_t begin, std::uint64_t end) {
      TSum sum = 0;
      for (std::uint64_t i = begin; i < end; ++i)
      {
        sum += static_cast<TSum>(valueAt(i));
      }
      sums.before[chunk] = sum;
    });
    sums.Scan();
    return sums;
  }

  template <typename TSum, typename TFunction, typename TVisitor>
  void
  ExclusiveScan(const PreparedScan<TSum> & sums, const TFunction & valueAt, const TVisitor & visit) const
  {
    const auto visitChunk = [&](std::uint64_t chunk, std::uint64_t begin, std::uint64_t end) {
      TSum sum = sums.before[chunk];
      for (std::uint64_t i = begin; i < end; ++i)
      {
        const TSum value = static_cast<TSum>(valueAt(i));
        visit(i, sum);
        sum += value;
      }
    };
    this->ForEachChunk(sums.count, sums.valuesPerChunk, visitChunk);
  }

private:
  /** Calls visit(chunk, begin, end) for all chunks of what is counted. */
  template <typename TVisitor>
  void
  ForEachChunk(std::uint64_t count, std::uint64_t perChunk, const TVisitor & visit) const
  {
    m_ParallelFor(DivideUp(count, perChunk), [&](std::uint64_t chunk) {
      visit(chunk, chunk * perChunk, std::min(count, (chunk + 1) * perChunk));
    });
  }

  static std::uint64_t
  CellsPerChunk(std::uint64_t count)
  {
    return count <= Tuning::HostCellsOfOneThread ? Tuning::HostCellsOfOneThread : Tuning::HostCellsPerChunk;
  }

  ParallelFor m_ParallelFor;
};

} // namespace itk::ccl

#endif
