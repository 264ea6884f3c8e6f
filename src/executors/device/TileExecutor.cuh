// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_executors_device_TileExecutor_cuh
#define ccl_executors_device_TileExecutor_cuh

#include "primitives/Grid.h"

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

namespace itk::ccl
{

/** Runs the phases of an algorithm inside one kernel, that all of its threads call it from: barriers part the phases,
 * where others would launch the next kernel. Each block has one tile of the image, and keeps what it knows of it in its
 * shared memory. The kernel must be launched as a cooperative one, of blocks of KernelExecutor::Threads.
 *
 * - `Allocate<T>(n)` gives memory that all tiles share, with `get()`;
 * - `ForEachTile(phase)` calls `phase(team)` for the team of every tile;
 * - `Wait()` waits until what was called for all tiles has ended: a phase may read what others wrote before;
 * - `SumTiles(values)` sums a value of each tile. */
class TileExecutor
{
public:
  static constexpr unsigned int Threads = Tuning::SmallImageThreads;

  /** The threads that work on a tile.
   *
   * - `index` is the tile's, `memory` what it keeps from one phase to the next;
   * - `ForEach(n, function)` calls `function(i)` for every i < n, concurrently;
   * - `Sum(n, valueAt)` sums valueAt(i) for i < n;
   * - `ForEachSum(n, valueAt, visit)` calls `visit(i, valueAt(0) + ... + valueAt(i - 1))` for every i, concurrently,
   * and gives the sum of all; visit(i) may change what valueAt(i) gives, and no other;
   * - `Once(function)` calls `function()`.
   *
   * All but Once() end when all calls have. */
  class ThreadBlock
  {
  public:
    std::uint32_t   index;
    std::uint64_t * memory;

    __device__
    ThreadBlock(std::uint32_t tile, std::uint64_t * sharedMemory)
      : index(tile)
      , memory(sharedMemory)
    {}

    template <typename TFunction>
    __device__ void
    ForEach(std::uint32_t count, const TFunction & function) const
    {
      for (std::uint32_t i = threadIdx.x; i < count; i += Threads)
      {
        function(i);
      }
      __syncthreads();
    }

    template <typename TFunction>
    __device__ void
    Once(const TFunction & function) const
    {
      if (threadIdx.x == 0)
      {
        function();
      }
    }

    template <typename TFunction>
    __device__ std::uint32_t
               Reduce(std::uint32_t count, const TFunction & valueAt) const
    {
      std::uint32_t sum = 0;
      for (std::uint32_t i = threadIdx.x; i < count; i += Threads)
      {
        sum += valueAt(i);
      }
      const std::uint32_t all = ScanValues(sum).all;
      __syncthreads();
      return all;
    }

    template <typename TFunction, typename TVisitor>
    __device__ std::uint32_t
               ExclusiveScan(std::uint32_t count, const TFunction & valueAt, const TVisitor & visit) const
    {
      // Each thread has values that follow each other, for one scan to do.
      const std::uint32_t perThread = (count + Threads - 1) / Threads;
      const std::uint32_t begin = threadIdx.x * perThread;
      const std::uint32_t end = begin + perThread < count ? begin + perThread : count;
      std::uint32_t       sum = 0;
      for (std::uint32_t i = begin; i < end; ++i)
      {
        sum += valueAt(i);
      }
      const ScannedValue sums = ScanValues(sum);
      std::uint32_t      before = sums.before;
      for (std::uint32_t i = begin; i < end; ++i)
      {
        const std::uint32_t value = i + 1 < end ? valueAt(i) : 0;
        visit(i, before);
        before += value;
      }
      __syncthreads();
      return sums.all;
    }

  private:
    struct ScannedValue
    {
      std::uint32_t before;
      std::uint32_t all;
    };

    /** Sums a value of each thread; the threads must meet before it is called again. */
    __device__ static ScannedValue
    ScanValues(std::uint32_t value)
    {
      namespace groups = cooperative_groups;
      constexpr unsigned int warpSize = 32;
      static_assert(Threads == warpSize * warpSize, "each warp sums one value of each warp");
      __shared__ std::uint32_t sumsOfWarps[warpSize];

      const auto          warp = groups::tiled_partition<warpSize>(groups::this_thread_block());
      const std::uint32_t sum = groups::reduce(warp, value, groups::plus<std::uint32_t>());
      if (warp.thread_rank() == 0)
      {
        sumsOfWarps[warp.meta_group_rank()] = sum;
      }
      const std::uint32_t before = groups::exclusive_scan(warp, value);
      __syncthreads();
      const std::uint32_t sumOfWarp = sumsOfWarps[warp.thread_rank()];
      const std::uint32_t beforeWarp = warp.thread_rank() < warp.meta_group_rank() ? sumOfWarp : 0;
      return { before + groups::reduce(warp, beforeWarp, groups::plus<std::uint32_t>()),
               groups::reduce(warp, sumOfWarp, groups::plus<std::uint32_t>()) };
    }
  };

  /** What an allocation takes. */
  template <typename T>
  CCL_HOST_DEVICE
  static constexpr std::uint64_t
  BytesFor(std::uint64_t count)
  {
    return DivideUp(count * sizeof(T), 256) * 256;
  }

  /** `memory` is for all that will be allocated: BytesFor() each array. */
  __device__
  TileExecutor(void * memory, std::uint64_t * sharedMemory)
    : m_Memory(static_cast<unsigned char *>(memory))
    , m_ThreadBlock(blockIdx.x, sharedMemory)
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

  template <typename TPhase>
  __device__ void
  ForEachTile(const TPhase & phase) const
  {
    phase(m_ThreadBlock);
  }

  __device__ void
  Wait() const
  {
    if (gridDim.x > 1)
    {
      cooperative_groups::this_grid().sync();
    }
    else
    {
      __syncthreads();
    }
  }

  __device__ std::uint32_t
             ReduceTiles(const std::uint32_t * values) const
  {
    return m_ThreadBlock.Reduce(gridDim.x, [values](std::uint32_t tile) { return values[tile]; });
  }

private:
  mutable unsigned char * m_Memory;
  ThreadBlock             m_ThreadBlock;
};

} // namespace itk::ccl

#endif
