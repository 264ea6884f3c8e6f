// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_executors_device_ScanKernels_cuh
#define ccl_executors_device_ScanKernels_cuh

// The two kernels of an exclusive scan. The values come from a function, and the prefixes go to a visitor.
//
// CUB's device-wide reduction and scan need four kernels instead of two, and cannot start before the previous kernel
// has ended. Labeling by runs takes 1.1 to 1.9 times as long with them.

#include "primitives/Tuning.h"

#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/warp/warp_scan.cuh>
#include <cuda/atomic>

#include <cstdint>

namespace itk::ccl
{

/** Waits until the earlier kernels of the stream have ended and their results are visible. Each kernel must call it
 * first, because a kernel may start while thread blocks of the previous kernel still run. Kernels below compute
 * capability 9.0 cannot start early, and do not wait. */
__device__ inline void
WaitForPreviousKernels()
{
#if __CUDA_ARCH__ >= 900
  cudaGridDependencySynchronize();
#endif
}

inline constexpr unsigned int ScanThreads = Tuning::ScanThreads;
inline constexpr unsigned int ScanValuesPerThread = Tuning::ScanValuesPerThread;
inline constexpr unsigned int ScanValuesPerThreadBlock = ScanThreads * ScanValuesPerThread;
inline constexpr unsigned int WarpSize = 32;

/** Replaces the sums of the thread blocks by their prefixes. Returns the sum of all. All threads of one thread block
 * must call it.
 * \param count number of thread blocks
 * \param sums sum of each thread block */
template <typename TSum>
__device__ TSum
ScanThreadBlockSums(unsigned int count, TSum * sums)
{
  constexpr unsigned int valuesPerThread = 4;
  using ScanType = cub::BlockScan<TSum, ScanThreads>;
  __shared__ typename ScanType::TempStorage storage;

  TSum prefix = 0;
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
        sums[first + i] = prefix + values[i];
      }
    }
    prefix += sumOfAll;
    __syncthreads();
  }
  return prefix;
}

/** Adds up the values of each thread block. The last thread block to finish turns the sums into prefixes, and writes
 * the total.
 * \param count number of values
 * \param valueAt function that returns the value of an index
 * \param sums gets the prefix of each thread block
 * \param threadBlocksDone counter that must be 0; it is 0 again before the total is written
 * \param total pinned host memory, which gets the sum of all values */
template <typename TSum, typename TFunction>
__global__ void
__launch_bounds__(ScanThreads)
  ReduceThreadBlocks(std::uint64_t count, TFunction valueAt, TSum * sums, unsigned int * threadBlocksDone, TSum * total)
{
  using ReduceType = cub::BlockReduce<TSum, ScanThreads>;
  __shared__ typename ReduceType::TempStorage storage;
  __shared__ bool                             isLast;
  WaitForPreviousKernels();

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

/** Calls `visit(i, prefix)` for each value. The threads of a warp read and visit adjacent indices.
 * \param count number of values
 * \param prefixes prefix of each thread block, from ReduceThreadBlocks()
 * \param valueAt the function that ReduceThreadBlocks() has called
 * \param visit visitor, which may overwrite the memory from which valueAt(i) reads */
template <typename TSum, typename TFunction, typename TVisitor>
__global__ void
__launch_bounds__(ScanThreads)
  VisitPrefixes(std::uint64_t count, const TSum * prefixes, TFunction valueAt, TVisitor visit)
{
  using ScanType = cub::WarpScan<TSum>;
  constexpr unsigned int                    warps = ScanThreads / WarpSize;
  __shared__ typename ScanType::TempStorage storage[warps];
  __shared__ TSum                           sumsOfWarps[warps];
  WaitForPreviousKernels();

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
  TSum prefix = 0;
#pragma unroll
  for (unsigned int i = 0; i < ScanValuesPerThread; ++i)
  {
    TSum prefixInWarp = 0;
    TSum sumOfAll = 0;
    ScanType(storage[warp]).ExclusiveSum(values[i], prefixInWarp, sumOfAll);
    __syncwarp();
    values[i] = prefix + prefixInWarp;
    prefix += sumOfAll;
  }
  if (threadIdx.x % WarpSize == 0)
  {
    sumsOfWarps[warp] = prefix;
  }
  __syncthreads();
  prefix = prefixes[blockIdx.x];
  for (unsigned int other = 0; other < warp; ++other)
  {
    prefix += sumsOfWarps[other];
  }
#pragma unroll
  for (unsigned int i = 0; i < ScanValuesPerThread; ++i)
  {
    const std::uint64_t index = begin + i * WarpSize;
    if (index < count)
    {
      visit(index, static_cast<TSum>(prefix + values[i]));
    }
  }
}

} // namespace itk::ccl

#endif
