// SPDX-License-Identifier: Apache-2.0
#ifndef KernelExecutor_cuh
#define KernelExecutor_cuh

#include "Grid.h"

#include <cooperative_groups.h>
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>

namespace itk::ccl
{

/** Runs the steps of an algorithm inside one kernel, that all of its threads call it from: a barrier ends each step
 * where DeviceExecutor would launch the next kernel. For small images, for which launches take longer than the work.
 * What it offers: see HostExecutor; there is no ForEachBlock. The kernel must be launched as a cooperative one, of
 * blocks of KernelExecutor::Threads. */
class KernelExecutor
{
public:
  static constexpr unsigned int Threads = Tuning::SmallImageThreads;

  /** What an allocation takes. */
  template <typename T>
  CCL_HOST_DEVICE
  static constexpr std::uint64_t
  BytesFor(std::uint64_t count)
  {
    return DivideUp(count * sizeof(T), 256) * 256;
  }

  /** `memory` is for all that will be allocated: BytesFor() each array, and a sum for each block in each Sum(). */
  __device__ explicit KernelExecutor(void * memory)
    : m_Memory(static_cast<unsigned char *>(memory))
  {}

  template <typename T>
  class Buffer
  {
  public:
    __device__ explicit Buffer(T * memory)
      : m_Memory(memory)
    {}

    __device__ T *
    get() const
    {
      return m_Memory;
    }

  private:
    T * m_Memory;
  };

  template <typename T>
  __device__ Buffer<T>
             Allocate(std::uint64_t count) const
  {
    T * const memory = reinterpret_cast<T *>(m_Memory);
    m_Memory += BytesFor<T>(count);
    return Buffer<T>(memory);
  }

  template <typename TStep>
  __device__ void
  ForEach(const Grid & grid, const TStep & step) const
  {
    const std::uint64_t count = grid.Count();
    for (std::uint64_t i = std::uint64_t{ blockIdx.x } * Threads + threadIdx.x; i < count; i += gridDim.x * Threads)
    {
      step(CellAt(grid, i));
    }
    cooperative_groups::this_grid().sync();
  }

  template <typename TSum>
  struct Sums
  {
    std::uint64_t count;
    const TSum *  ofBlocks;
    TSum          total;

    __device__ TSum
    GetTotal() const
    {
      return total;
    }
  };

  template <typename TSum, typename TFunction>
  __device__ Sums<TSum>
             Sum(std::uint64_t count, const TFunction & valueAt) const
  {
    const Buffer<TSum>  sums = this->Allocate<TSum>(gridDim.x);
    const std::uint64_t end = BeginOf(count, blockIdx.x + 1);
    TSum                sum = 0;
    for (std::uint64_t i = BeginOf(count, blockIdx.x) + threadIdx.x; i < end; i += Threads)
    {
      sum += static_cast<TSum>(valueAt(i));
    }
    sum = SumOfBlock(sum);
    if (threadIdx.x == 0)
    {
      sums.get()[blockIdx.x] = sum;
    }
    cooperative_groups::this_grid().sync();
    return { count, sums.get(), SumOfFirst(sums.get(), gridDim.x) };
  }

  template <typename TSum, typename TFunction, typename TVisitor>
  __device__ void
  ForEachSum(const Sums<TSum> & sums, const TFunction & valueAt, const TVisitor & visit) const
  {
    using ScanType = cub::BlockScan<TSum, Threads>;
    __shared__ typename ScanType::TempStorage storage;

    const std::uint64_t end = BeginOf(sums.count, blockIdx.x + 1);
    TSum                before = SumOfFirst(sums.ofBlocks, blockIdx.x);
    for (std::uint64_t begin = BeginOf(sums.count, blockIdx.x); begin < end; begin += Threads)
    {
      const std::uint64_t i = begin + threadIdx.x;
      const TSum          value = i < end ? static_cast<TSum>(valueAt(i)) : TSum{ 0 };
      TSum                beforeValue = 0;
      TSum                sum = 0;
      ScanType(storage).ExclusiveSum(value, beforeValue, sum);
      if (i < end)
      {
        visit(i, static_cast<TSum>(before + beforeValue));
      }
      before += sum;
      __syncthreads();
    }
    cooperative_groups::this_grid().sync();
  }

private:
  /** Each block sums values that lie side by side: where those of a block begin. */
  __device__ static std::uint64_t
  BeginOf(std::uint64_t count, unsigned int block)
  {
    const std::uint64_t begin = DivideUp(DivideUp(count, gridDim.x), Threads / 8) * (Threads / 8) * block;
    return begin < count ? begin : count;
  }

  /** The sum of the values of a block's threads, for all of them. */
  template <typename TSum>
  __device__ static TSum
  SumOfBlock(TSum value)
  {
    using ReduceType = cub::BlockReduce<TSum, Threads>;
    __shared__ typename ReduceType::TempStorage storage;
    __shared__ TSum                             sum;

    const TSum sumOfFirstThread = ReduceType(storage).Sum(value);
    if (threadIdx.x == 0)
    {
      sum = sumOfFirstThread;
    }
    __syncthreads();
    const TSum result = sum;
    __syncthreads();
    return result;
  }

  template <typename TSum>
  __device__ static TSum
  SumOfFirst(const TSum * values, unsigned int count)
  {
    TSum sum = 0;
    for (unsigned int i = threadIdx.x; i < count; i += Threads)
    {
      sum += values[i];
    }
    return SumOfBlock(sum);
  }

  mutable unsigned char * m_Memory;
};

} // namespace itk::ccl

#endif
