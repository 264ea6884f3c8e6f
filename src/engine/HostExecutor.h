// SPDX-License-Identifier: Apache-2.0
#ifndef HostExecutor_h
#define HostExecutor_h

#include "Grid.h"

#include <algorithm>
#include <functional>
#include <memory>

namespace itk::ccl
{

/** Calls body(i) for every i below count, in any order, on any number of threads; returns when all are done. */
using ParallelFor = std::function<void(std::uint64_t count, const std::function<void(std::uint64_t)> & body)>;

inline void
SequentialFor(std::uint64_t count, const std::function<void(std::uint64_t)> & body)
{
  for (std::uint64_t i = 0; i < count; ++i)
  {
    body(i);
  }
}

/** Runs the steps of the algorithms on the host. It and DeviceExecutor are the two models of what the algorithms call
 * an executor:
 *
 * - `Allocate<T>(n)` gives an owner of n uninitialized elements, with `get()`;
 * - `ForEach(grid, step)` calls `step(cell)` for every cell of a grid, concurrently;
 * - `ForEachBlock(grid, step)` does the same, and keeps cells that are near each other in all directions together;
 * - `ExclusiveSum(n, valueAt, sums)` writes sums[i] = valueAt(0) + ... + valueAt(i - 1) for i < n;
 * - `Read(address)` gives the value there once all earlier steps are done. */
class HostExecutor
{
public:
  explicit HostExecutor(ParallelFor parallelFor = SequentialFor)
    : m_ParallelFor(std::move(parallelFor))
  {}

  template <typename T>
  std::unique_ptr<T[]>
  Allocate(std::uint64_t count) const
  {
    return std::unique_ptr<T[]>(new T[count]);
  }

  template <typename TStep>
  void
  ForEach(const Grid & grid, const TStep & step) const
  {
    constexpr std::uint64_t cellsPerChunk = 16384;
    const std::uint64_t     count = grid.Count();
    m_ParallelFor(DivideUp(count, cellsPerChunk), [&](std::uint64_t chunk) {
      const std::uint64_t end = std::min(count, (chunk + 1) * cellsPerChunk);
      for (std::uint64_t i = chunk * cellsPerChunk; i < end; ++i)
      {
        step(CellAt(grid, i));
      }
    });
  }

  template <typename TStep>
  void
  ForEachBlock(const Grid & grid, const TStep & step) const
  {
    this->ForEach(grid, step);
  }

  template <typename TSum, typename TFunction>
  void
  ExclusiveSum(std::uint64_t count, const TFunction & valueAt, TSum * sums) const
  {
    TSum sum = 0;
    for (std::uint64_t i = 0; i < count; ++i)
    {
      const TSum value = valueAt(i);
      sums[i] = sum;
      sum += value;
    }
  }

  template <typename T>
  T
  Read(const T * address) const
  {
    return *address;
  }

private:
  ParallelFor m_ParallelFor;
};

} // namespace itk::ccl

#endif
