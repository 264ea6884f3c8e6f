// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_executors_device_AddKernel_cuh
#define ccl_executors_device_AddKernel_cuh

// The kernel of AddToRows(). A few rows may get most values, and atomic operations on one address run one after the
// other. So each thread merges its values in registers, and the threads of a warp merge theirs by shuffles.

#include "executors/RowAccumulator.h"
#include "executors/device/ScanKernels.cuh"
#include "primitives/Grid.h"
#include "primitives/Tuning.h"

#include <cstring>
#include <type_traits>

namespace itk::ccl
{

/** Returns the value of another lane. All lanes of the mask must call it. */
template <typename T>
__device__ inline T
Shuffle(unsigned int mask, const T & value, unsigned int lane)
{
  static_assert(std::is_trivially_copyable<T>::value && sizeof(T) % 4 == 0, "shuffled in words of 32 bits");
  unsigned int words[sizeof(T) / 4];
  memcpy(words, &value, sizeof(T));
#pragma unroll
  for (unsigned int & word : words)
  {
    word = __shfl_sync(mask, word, static_cast<int>(lane));
  }
  T result;
  memcpy(&result, words, sizeof(T));
  return result;
}

/** Adds values to rows of a table. Lanes of the warp with the same row merge their values first, so that one lane adds
 * them: warp-level conflict detection, as in FLSL+CD (Lemaitre, Hennequin, Lacassagne, "Taming Voting Algorithms on
 * GPUs for an Efficient Connected Component Analysis Algorithm", ICASSP 2021). Lanes need not call it together. */
template <typename TTable>
__device__ inline void
AddFromWarp(const TTable & table, std::uint64_t row, typename TTable::ValueType value)
{
  const unsigned int mask = __activemask();
  const unsigned int lane = threadIdx.x + blockDim.x * threadIdx.y & 31U;
  const unsigned int below = (1U << lane) - 1;
  const unsigned int peers = __match_any_sync(mask, static_cast<unsigned long long>(row));
  // The peers are merged in pairs, then in pairs of pairs, and so on. `later` has the later peers that still hold a
  // value of their own, and bit 0 of `position` tells which lane of a pair this lane is.
  unsigned int position = __popc(peers & below);
  unsigned int later = peers & ~below & ~(1U << lane);
  while (__any_sync(mask, later != 0))
  {
    const bool                       hasNext = later != 0;
    const typename TTable::ValueType next = Shuffle(mask, value, hasNext ? __ffs(later) - 1 : lane);
    if (hasNext)
    {
      value.Merge(next);
    }
    later &= ~__ballot_sync(mask, (position & 1U) != 0);
    position >>= 1;
  }
  if ((peers & below) == 0)
  {
    table.Add(row, value);
  }
}

/** Calls `functor(cell, add)` for each cell of a grid. A thread gets Tuning::CellsPerAddingThread cells with the same
 * x. A thread block covers consecutive rows of the grid (y first, then z), because values of neighboring cells often
 * belong to the same row of the table. The thread blocks are numbered along x first. */
template <typename TFunctor, typename TTable>
__global__ void
__launch_bounds__(Tuning::ThreadBlockSize)
  AddCellsToRows(Grid grid, unsigned int threadBlocksX, TFunctor functor, TTable table)
{
  WaitForPreviousKernels();
  const unsigned int  threadBlockY = blockIdx.x / threadBlocksX;
  const unsigned int  threadBlockX = blockIdx.x - threadBlockY * threadBlocksX;
  const std::uint64_t x = std::uint64_t{ threadBlockX } * blockDim.x + threadIdx.x;
  const std::uint64_t firstRow =
    std::uint64_t{ threadBlockY } * Tuning::CellsPerAddingThread * blockDim.y + threadIdx.y;

  using ValueType = typename TTable::ValueType;
  RowAccumulator<ValueType> accumulator;
  const auto commit = [&table](std::uint64_t row, const ValueType & value) { AddFromWarp(table, row, value); };
  const auto add = [&](std::uint64_t row, const ValueType & value) { accumulator.Add(row, value, commit); };
  for (unsigned int i = 0; i < Tuning::CellsPerAddingThread; ++i)
  {
    const std::uint64_t row = firstRow + i * blockDim.y;
    if (x < grid.x && row < grid.y * grid.z)
    {
      const std::uint64_t z = Divide(row, grid.y);
      functor({ x, row - z * grid.y, z }, add);
    }
  }
  __syncwarp();
  accumulator.Flush(commit);
}

} // namespace itk::ccl

#endif
