// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_executors_device_ScanKernels_cuh
#define ccl_executors_device_ScanKernels_cuh

// The two kernels of an exclusive scan whose values are functions and whose prefixes go to a visitor. CUB's device-wide
// reduction and scan take four kernels for the same, which may not start early: labeling by runs takes 1.1 to 1.9 times
// as long with them (doc/performance.md).

#include "primitives/Tuning.h"

#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/warp/warp_scan.cuh>
#include <cuda/atomic>

#include <cstdint>

namespace itk::ccl
{

/** Waits for what the kernels before this one on its stream write. The first thing that a kernel does: it may be
 * started while the last of their blocks still run. */
__device__ inline void
WaitForKernelsBefore()
{
#if __CUDA_ARCH__ >= 900
  cudaGridDependencySynchronize();
#endif
}

inline constexpr unsigned int ScanThreads = Tuning::ScanThreads;
inline constexpr unsigned int ScanValuesPerThread = Tuning::ScanValuesPerThread;
inline constexpr unsigned int ScanValuesPerThreadBlock = ScanThreads * ScanValuesPerThread;
inline constexpr unsigned int WarpSize = 32;

/** Replaces the sums of tiles by what is before each. All threads of a block call it. Returns the sum of all. */
template <typename TSum>
__device__ TSum
ScanThreadBlockSums(unsigned int count, TSum * sums)
{
  constexpr unsigned int valuesPerThread = 4;
  using ScanType = cub::BlockScan<TSum, ScanThreads>;
  __shared__ typename ScanType::TempStorage storage;

  TSum before = 0;
  for (unsigned int begin = 0; begin < count; begin += ScanThreads * valuesPerThread)
  {
    const unsigned int first = begin + threadIdx.x * valuesPerThread;
    TSum               values[valuesPerThread];
#pragma unroll
    for (unsigned int i = 0; i < valuesPerThread; ++i)
    {
      values[i] = first + i < count ? sums[first + i] : TSum{ 0 };
    }
    TSum sumOfAll = 0;
    ScanType(storage).ExclusiveSum(values, values, sumOfAll);
#pragma unroll
    for (unsigned int i = 0; i < valuesPerThread; ++i)
    {
      if (first + i < count)
      {
        sums[first + i] = before + values[i];
      }
    }
    before += sumOfAll;
    __syncthreads();
  }
  return before;
}

/** Writes the sum of all values, and of those before each tile, by the last block to end. `tilesDone` must be 0, and is
 * again when the total is written. */
template <typename TSum, typename TFunction>
__global__ void
__launch_bounds__(ScanThreads)
  ReduceThreadBlocks(std::uint64_t count, TFunction valueAt, TSum * sums, unsigned int * threadBlocksDone, TSum * total)
{
  using ReduceType = cub::BlockReduce<TSum, ScanThreads>;
  __shared__ typename ReduceType::TempStorage storage;
  __shared__ bool                             isLast;
  WaitForKernelsBefore();

  const std::uint64_t begin = std::uint64_t{ blockIdx.x } * ScanValuesPerThreadBlock + threadIdx.x;
  TSum                sum = 0;
#pragma unroll
  for (unsigned int i = 0; i < ScanValuesPerThread; ++i)
  {
    const std::uint64_t index = begin + i * ScanThreads;
    sum += index < count ? static_cast<TSum>(valueAt(index)) : TSum{ 0 };
  }
  sum = ReduceType(storage).Sum(sum);
  const cuda::atomic_ref<unsigned int, cuda::thread_scope_device> done(*threadBlocksDone);
  if (threadIdx.x == 0)
  {
    sums[blockIdx.x] = sum;
    isLast = done.fetch_add(1, cuda::memory_order_acq_rel) == gridDim.x - 1;
  }
  __syncthreads();
  if (isLast)
  {
    const TSum sumOfAll = ScanThreadBlockSums(gridDim.x, sums);
    if (threadIdx.x == 0)
    {
      done.store(0, cuda::memory_order_relaxed);
      cuda::atomic_ref<TSum, cuda::thread_scope_system>(*total).store(sumOfAll, cuda::memory_order_release);
    }
  }
}

/** Visits each value with the sum of those before it. The lanes of a warp visit values that lie side by side. */
template <typename TSum, typename TFunction, typename TVisitor>
__global__ void
__launch_bounds__(ScanThreads) VisitPrefixes(std::uint64_t count, const TSum * sums, TFunction valueAt, TVisitor visit)
{
  using ScanType = cub::WarpScan<TSum>;
  constexpr unsigned int                    warps = ScanThreads / WarpSize;
  __shared__ typename ScanType::TempStorage storage[warps];
  __shared__ TSum                           sumsOfWarps[warps];
  WaitForKernelsBefore();

  const unsigned int  warp = threadIdx.x / WarpSize;
  const std::uint64_t begin = std::uint64_t{ blockIdx.x } * ScanValuesPerThreadBlock +
                              warp * WarpSize * ScanValuesPerThread + threadIdx.x % WarpSize;
  TSum values[ScanValuesPerThread];
#pragma unroll
  for (unsigned int i = 0; i < ScanValuesPerThread; ++i)
  {
    const std::uint64_t index = begin + i * WarpSize;
    values[i] = index < count ? static_cast<TSum>(valueAt(index)) : TSum{ 0 };
  }
  TSum before = 0;
#pragma unroll
  for (unsigned int i = 0; i < ScanValuesPerThread; ++i)
  {
    TSum sumBefore = 0;
    TSum sumOfAll = 0;
    ScanType(storage[warp]).ExclusiveSum(values[i], sumBefore, sumOfAll);
    __syncwarp();
    values[i] = before + sumBefore;
    before += sumOfAll;
  }
  if (threadIdx.x % WarpSize == 0)
  {
    sumsOfWarps[warp] = before;
  }
  __syncthreads();
  before = sums[blockIdx.x];
  for (unsigned int other = 0; other < warp; ++other)
  {
    before += sumsOfWarps[other];
  }
#pragma unroll
  for (unsigned int i = 0; i < ScanValuesPerThread; ++i)
  {
    const std::uint64_t index = begin + i * WarpSize;
    if (index < count)
    {
      visit(index, static_cast<TSum>(before + values[i]));
    }
  }
}

} // namespace itk::ccl

#endif
