// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_executors_device_AddKernel_cuh
#define ccl_executors_device_AddKernel_cuh

// The kernel of AddToRows(). A few rows of the table may get most values, and atomic operations on one address run one
// after the other. So values are merged before they are added:
//
// 1. Each lane merges values of two rows, by a RowAccumulator.
// 2. Lanes of a warp with the same row merge their values by shuffles. This is warp-level conflict detection, as in
//    FLSL+CD (Lemaitre, Hennequin, Lacassagne, "Taming Voting Algorithms on GPUs for an Efficient Connected Component
//    Analysis Algorithm", ICASSP 2021).
// 3. Each warp keeps the sums of a few rows in slots of shared memory. The majority vote of Boyer and Moore decides
//    which row has a slot, so small components between the parts of a large component do not evict it.
// 4. At its end, a thread block merges the slots of its warps.

#include "executors/RowAccumulator.h"
#include "executors/device/ScanKernels.cuh"
#include "primitives/Grid.h"
#include "primitives/Tuning.h"

#include <cstring>
#include <type_traits>

namespace itk::ccl
{

inline constexpr unsigned int AllLanes = 0xFFFFFFFFU;
inline constexpr unsigned int SlotsOfWarp =
  WarpSize / (Tuning::ThreadBlockSize / WarpSize); // one warp merges all slots

static_assert(Tuning::ThreadBlockSize % WarpSize == 0 && Tuning::ThreadBlockSize / WarpSize <= WarpSize,
              "a thread block has whole warps, and each has a slot");
static_assert(Tuning::CellsPerAddingThread <= 32, "a thread has one bit for each of its cells");

/** Returns how many thread blocks of AddCells() a multiprocessor can run at the same time, which limits the registers
 * of a thread: it has three values. */
constexpr unsigned int
AddingThreadBlocks(std::size_t bytesOfValue)
{
  return bytesOfValue <= 64 ? 5 : bytesOfValue <= 128 ? 3 : 2;
}

/** The sum of the values of one row. */
template <typename TValue>
struct RowSlot
{
  std::uint64_t row; // or NoRow
  int           votes;
  TValue        value;
};

/** Returns the value of another lane. All lanes must call it. */
template <typename T>
__device__ inline T
Shuffle(const T & value, unsigned int lane)
{
  static_assert(std::is_trivially_copyable<T>::value && sizeof(T) % 4 == 0, "shuffled in words of 32 bits");
  unsigned int words[sizeof(T) / 4];
  memcpy(words, &value, sizeof(T));
#pragma unroll
  for (unsigned int & word : words)
  {
    word = __shfl_sync(AllLanes, word, static_cast<int>(lane));
  }
  T result;
  memcpy(&result, words, sizeof(T));
  return result;
}

/** Merges the values of the lanes that have the same row. All lanes must call it. Returns the lanes with the row of the
 * calling lane. The first of them gets the merged value; the values of the others are undefined. */
template <typename TValue>
__device__ inline unsigned int
MergePeers(std::uint64_t row, unsigned int lane, TValue & value)
{
  const unsigned int peers = __match_any_sync(AllLanes, static_cast<unsigned long long>(row));
  const unsigned int below = (1U << lane) - 1;
  // The peers are merged in pairs, then in pairs of pairs, and so on. `later` has the later peers that still hold a
  // value of their own, and bit 0 of `position` tells which lane of a pair this lane is.
  unsigned int position = __popc(peers & below);
  unsigned int later = row == NoRow ? 0 : peers & ~below & ~(1U << lane);
  while (__any_sync(AllLanes, later != 0))
  {
    const TValue next = Shuffle(value, later != 0 ? __ffs(later) - 1 : lane);
    if (later != 0)
    {
      value.Merge(next);
    }
    later &= ~__ballot_sync(AllLanes, (position & 1U) != 0);
    position >>= 1;
  }
  return peers;
}

/** Adds the value of each lane to a row of the table, or to a slot of the warp. Lanes without a value have NoRow. All
 * lanes must call it. */
template <typename TTable>
__device__ inline void
AddFromWarp(const TTable &                        table,
            RowSlot<typename TTable::ValueType> * slots,
            std::uint64_t                         row,
            unsigned int                          lane,
            typename TTable::ValueType &          value)
{
  const unsigned int peers = MergePeers(row, lane, value);
  const unsigned int below = (1U << lane) - 1;
  const bool         isFirst = row != NoRow && (peers & below) == 0;
  // Of the rows that share a slot, the row of the first lane may use it.
  const auto         slotIndex = static_cast<unsigned int>(row % SlotsOfWarp);
  const unsigned int rivals = __match_any_sync(AllLanes, isFirst ? slotIndex : SlotsOfWarp + lane);
  if (isFirst)
  {
    auto &     slot = slots[slotIndex];
    const int  weight = __popc(peers);
    const bool maySwap = (rivals & below) == 0;
    if (maySwap && slot.row == row)
    {
      slot.value.Merge(value);
      slot.votes += weight;
      row = NoRow;
    }
    else if (maySwap && slot.votes < weight)
    {
      const auto evicted = slot;
      slot = { row, weight, value };
      row = evicted.row;
      value = evicted.value;
    }
    else if (maySwap)
    {
      slot.votes -= weight;
    }
    if (row != NoRow)
    {
      table.Add(row, value);
    }
  }
  __syncwarp();
}

/** Adds values to rows of a table: see AddToRows() in Executor.h. A thread visits `cellsPerThread` cells with the same
 * x, Tuning::CellsPerAddingThread at most. A thread block covers consecutive rows of the grid (y first, then z). The
 * thread blocks are numbered along x first. */
template <typename TFunctor, typename TTable>
__global__ void
__launch_bounds__(Tuning::ThreadBlockSize, AddingThreadBlocks(sizeof(typename TTable::ValueType)))
  AddCells(Grid grid, unsigned int threadBlocksX, unsigned int cellsPerThread, TFunctor functor, TTable table)
{
  using ValueType = typename TTable::ValueType;
  __shared__ RowSlot<ValueType> slots[WarpSize];

  WaitForPreviousKernels();
  const unsigned int thread = threadIdx.x + blockDim.x * threadIdx.y;
  const unsigned int lane = thread % WarpSize;
  const unsigned int warp = thread / WarpSize;
  if (warp == 0)
  {
    slots[lane].row = NoRow;
    slots[lane].votes = 0;
  }
  __syncthreads();

  const unsigned int  threadBlockY = blockIdx.x / threadBlocksX;
  const unsigned int  threadBlockX = blockIdx.x - threadBlockY * threadBlocksX;
  const std::uint64_t x = std::uint64_t{ threadBlockX } * blockDim.x + threadIdx.x;
  const std::uint64_t firstGridRow = std::uint64_t{ threadBlockY } * cellsPerThread * blockDim.y + threadIdx.y;
  unsigned int        cells = 0; // bit i: cell x of row firstGridRow + i * blockDim.y has values, and is not visited
#pragma unroll
  for (unsigned int i = 0; i < Tuning::CellsPerAddingThread; ++i)
  {
    const std::uint64_t gridRow = firstGridRow + i * blockDim.y;
    const bool          isInside = i < cellsPerThread && x < grid.x && gridRow < grid.y * grid.z;
    cells |= static_cast<unsigned int>(isInside && functor.HasValues(x + grid.x * gridRow)) << i;
  }

  // After the last list, the loop adds the sums of the accumulators. So only one place adds values, and the code is
  // small.
  RowAccumulator<ValueType>   accumulator;
  typename TFunctor::ListType list{};
  ValueType                   value{};
  unsigned int                sumsLeft = RowAccumulator<ValueType>::Rows;
  while (sumsLeft != 0)
  {
    std::uint64_t row = NoRow;
    // All lanes begin their next lists at the same time, because few lanes take as long as all.
    if (!__any_sync(AllLanes, !list.IsAtEnd()))
    {
      if (!__any_sync(AllLanes, cells != 0))
      {
        accumulator.Remove(row, value);
        --sumsLeft;
      }
      else if (cells != 0)
      {
        const std::uint64_t gridRow = firstGridRow + (__ffs(cells) - 1) * blockDim.y;
        const std::uint64_t z = Divide(gridRow, grid.y);
        list = functor.Begin({ x, gridRow - z * grid.y, z });
        cells &= cells - 1;
      }
    }
    if (!list.IsAtEnd())
    {
      row = functor.Next(list, value);
      if (row != NoRow)
      {
        accumulator.Exchange(row, value);
      }
    }
    if (__any_sync(AllLanes, row != NoRow))
    {
      AddFromWarp(table, slots + warp * SlotsOfWarp, row, lane, value);
    }
  }

  __syncthreads();
  if (warp == 0)
  {
    const std::uint64_t row = slots[lane].row;
    value = slots[lane].value;
    const unsigned int peers = MergePeers(row, lane, value);
    if (row != NoRow && (peers & ((1U << lane) - 1)) == 0)
    {
      table.Add(row, value);
    }
  }
}

} // namespace itk::ccl

#endif
