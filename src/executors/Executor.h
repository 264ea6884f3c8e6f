// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_executors_Executor_h
#define ccl_executors_Executor_h

// The concepts that the algorithms are written against, so that the same code runs on the device and on the host.
//
// 1. An executor runs the kernel functors of an algorithm. Models: DeviceExecutor (a kernel for each call, in the order
// of a stream), HostExecutor (loops on threads), MeasuringExecutor (measures the memory, and runs nothing), and the
// benchmark's TimedExecutor (a DeviceExecutor with a clock).
//
// A model provides:
// - `Allocate<T>(n)`: returns an owner of n uninitialized elements; `get()` is their address. 0 elements are allowed.
// - `AllocateCleared<T>(n)`: the same, with all bytes 0.
// - `TakeMemoryToClear()`: returns the memory of later AllocateCleared() calls, if it is one block that is not cleared
//   yet, or else none. The next functor must clear it. So a small call needs no memset.
// - `AllocateResult<T>()`: returns an owner of one integer, to which a functor or Scan() writes once. `GetAddress()` is
//   its address for them; a functor writes by StoreForHost(). `Get()` waits for the value and returns it. On the
//   device, it does not wait for later calls.
// - `Fill(memory, n, byte)`: sets all bytes of n elements.
// - `ForEach(grid, functor)`: calls `functor(cell)` once for each cell of the grid. Cells with consecutive x run on
//   consecutive threads.
// - `ForEach(count, functor)`: calls `functor(Cell{ i })` once for each i < count, which is a BoundedCount. A limit far
//   above the count costs little.
// - `Dispatch(grid, work)`: calls `work.Dispatch(visit)`, which calls `visit(count, functor)` once or never. Then
//   `functor(cell)` is called once for each cell with x < count and y < grid.y. The choice and the count may depend on
//   memory that earlier calls wrote, but not on the thread. `grid.x` only tells how many threads are useful. It must
//   not be 0 if `count` may be more.
// - `ForEachCompact(grid, functor)`: the same as ForEach(grid, functor), with a thread block shape for functors that
//   read in all directions.
// - `Scan<T>(count, valueAt, visit, total)`: calls `visit(i, prefix, valueAt(i))` once for each index i below `count`,
//   a BoundedCount<T>. The prefix is the sum of valueAt(0), ..., valueAt(i - 1). Writes the sum of all values to
//   `total`, which may be null. The sum must be less than 2^62. valueAt(i) may write, if each call returns the same
//   value.
// - `ForEachThreadBlock(n, functor)`: runs functor(threadBlock, memory) on n thread blocks. `TFunctor::Threads` is the
//   number of threads of a thread block, a multiple of 32. `memory` is a `TFunctor::SharedMemory` for each thread
//   block, not initialized. It is NoSharedMemory if the functor needs none. The functor takes the type of the thread
//   block as a template parameter: see section 2 below. There are at most 1024 threads and 48 KiB of shared memory.
// - `AddToRows(grid, functor, table)`: adds values to rows of a table. Each cell of the grid has a list of values:
//   `functor.HasValues(i)` returns whether the list of the cell with raster index i is not empty, and
//   `list = functor.Begin(cell)` starts such a list. `list.IsAtEnd()` returns whether no value is left, which is true
//   for `ListType{}`. `functor.Next(list, value)` sets the next value and returns its row, or returns NoRow for no
//   value. The executor calls `table.Add(row, value)`. It may merge values of a row before, in any order, by
//   `value.Merge(other)`.
// - `SortDescending(n, keys, values, memory)`: sorts n keys, the highest first, and the values in the same way. Values
//   with equal keys keep their order. `memory = AllocateForSort<T>(m)` serves all sorts of n <= m keys of type T.
// - `GetPartBits(deviceBits)`: returns the binary logarithm of the number of threads that share a word: `deviceBits` on
//   a device, and 0 on the host. Small images have fewer words than a device has threads.
// - `MayWait()`: returns whether an algorithm may wait for results.
//
// An algorithm may assume:
// - Order: each call sees all that earlier calls wrote. Calls of one functor run concurrently, in any order.
// - Memory: concurrent calls may read a location that others write, if all use Atomics.h. Loads may then be stale.
// - visit(i) of Scan() may overwrite the memory from which valueAt(i) reads, and no other value's memory. Before it,
//   valueAt(i) may be called several times.
// - Lifetime: the memory of Allocate() may be freed after the last call that uses it; the model keeps the order.
//
// 2. A thread block of ForEachThreadBlock() runs an algorithm that its paper describes by thread blocks with shared
// memory, and by warps. Models: DeviceThreadBlock, HostThreadBlock (a loop over the threads for each call).
//
// The functor runs once for each thread block. It may call members of the thread block in loops and branches if the
// condition is the same for all threads. A value that differs between threads is a PerThread<T>.
// A model provides:
// - `GetIndex()`: the index of the thread block, less than n.
// - `PerThread<T>`: a value of each thread, not initialized. `value[thread]` is the value of a thread. On the device,
//   this is a register, so a thread may access its own value only.
// - `ForEachThread(function)`: calls `function(thread)` once for each thread < Threads. It is not a barrier.
// - `Synchronize()`: a barrier. Only after it, a thread may read memory that other threads of the thread block wrote,
//   in shared memory or elsewhere, and overwrite memory that they read.
// - `Any(predicate)`: returns whether predicate(thread) is true for any thread of the thread block. It calls the
//   predicate once for each thread, and is a barrier.
// - `Ballot(predicate)`: returns a PerThread<std::uint32_t>: the predicates of the 32 threads of the thread's warp. Bit
//   i is the predicate of lane i, which is the thread with index 32 * warp + i.
// - `Shuffle(values, laneOf)`: returns a PerThread<T>: the value of lane laneOf(thread) < 32 of the thread's warp. T is
//   an integer of 32 or 64 bits.
// - `MatchAny(values)`: returns a PerThread<std::uint32_t>: the lanes of the thread's warp with the same value as the
//   thread. Bit i is lane i. Values are integers of 32 or 64 bits.

#include "executors/Arena.h"
#include "executors/BoundedCount.h"
#include "primitives/Grid.h"
#include "primitives/HostDevice.h"

#include <cstdint>

namespace itk::ccl
{

/** The SharedMemory of functors whose thread blocks share no memory. */
struct NoSharedMemory
{};

/** The type of result that an executor allocates. */
template <typename T, typename TExecutor>
using ResultOf = typename TExecutor::template Result<T>;

/** A visitor for Scan() that stores the prefixes, or does nothing if they are null: only the total is wanted. */
template <typename T>
struct StorePrefix
{
  T * prefixes;

  CCL_HOST_DEVICE
  void
  operator()(std::uint64_t index, T prefix, T) const
  {
    if (prefixes != nullptr)
    {
      prefixes[index] = prefix;
    }
  }
};

/** Returns a true count. Waits for it, unless the host knows it. */
template <typename T, typename TExecutor>
std::uint64_t
Await(const TExecutor & executor, const BoundedCount<T> & count)
{
  if (count.isKnown)
  {
    return count.limit;
  }
  const auto result = executor.template AllocateResult<std::uint64_t>();
  executor.ForEach(Grid{ 1 }, StoreCount<T>{ count, result.GetAddress() });
  return result.Get();
}

/** Returns a count whose limit is the true count if the executor may wait for it. Otherwise, returns the count. */
template <typename T, typename TExecutor>
BoundedCount<T>
AwaitIfPossible(const TExecutor & executor, const BoundedCount<T> & count)
{
  return executor.MayWait() ? BoundedCount<T>(Await(executor, count)) : count;
}

/** Returns the sum of the values valueAt(0), ..., valueAt(count - 1). Waits for it. */
template <typename TSum, typename TExecutor, typename TFunction>
TSum
SumOf(const TExecutor & executor, std::uint64_t count, const TFunction & valueAt)
{
  const auto total = executor.template AllocateResult<TSum>();
  executor.template Scan<TSum>({ count }, valueAt, StorePrefix<TSum>{ nullptr }, total.GetAddress());
  return total.Get();
}

} // namespace itk::ccl

#endif
