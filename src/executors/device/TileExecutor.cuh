// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_executors_device_TileExecutor_cuh
#define ccl_executors_device_TileExecutor_cuh

#include "primitives/Grid.h"

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

namespace itk::ccl
{

/** Runs the phases of an algorithm inside one kernel. A model of the tile executor concept, see executors/Executor.h.
 *
 * All threads of the kernel make an executor, and call the algorithm with it. The kernel must be launched
 * cooperatively, with one thread block of TileExecutor::Threads threads for each tile. A tile's own memory is the
 * shared memory of its thread block. Wait() is a barrier of the whole kernel, and takes the place of a kernel launch.
 */
class TileExecutor
{
public:
  static constexpr unsigned int Threads = Tuning::SmallImageThreads;

  /** The thread block of a tile. All threads must make the same calls in the same order. */
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
      const std::uint32_t total = ScanValues(sum).total;
      __syncthreads();
      return total;
    }

    template <typename TFunction, typename TVisitor>
    __device__ std::uint32_t
               ExclusiveScan(std::uint32_t count, const TFunction & valueAt, const TVisitor & visit) const
    {
      // Each thread adds up consecutive values, so that one scan of the sums of the threads is enough.
      const std::uint32_t perThread = (count + Threads - 1) / Threads;
      const std::uint32_t begin = threadIdx.x * perThread;
      const std::uint32_t end = begin + perThread < count ? begin + perThread : count;
      std::uint32_t       sum = 0;
      for (std::uint32_t i = begin; i < end; ++i)
      {
        sum += valueAt(i);
      }
      const ScannedValue scanned = ScanValues(sum);
      std::uint32_t      prefix = scanned.prefix;
      for (std::uint32_t i = begin; i < end; ++i)
      {
        const std::uint32_t value = i + 1 < end ? valueAt(i) : 0;
        visit(i, prefix);
        prefix += value;
      }
      __syncthreads();
      return scanned.total;
    }

  private:
    struct ScannedValue
    {
      std::uint32_t prefix;
      std::uint32_t total;
    };

    /** Returns the prefix of the calling thread and the sum of all, for one value of each thread. The caller must
     * synchronize the threads before the next call, because all calls use the same shared memory. */
    __device__ static ScannedValue
    ScanValues(std::uint32_t value)
    {
      namespace groups = cooperative_groups;
      constexpr unsigned int warpSize = 32;
      static_assert(Threads == warpSize * warpSize, "each thread of a warp reads the sum of one warp");
      __shared__ std::uint32_t sumsOfWarps[warpSize];

      const auto          warp = groups::tiled_partition<warpSize>(groups::this_thread_block());
      const std::uint32_t sum = groups::reduce(warp, value, groups::plus<std::uint32_t>());
      if (warp.thread_rank() == 0)
      {
        sumsOfWarps[warp.meta_group_rank()] = sum;
      }
      const std::uint32_t prefixInWarp = groups::exclusive_scan(warp, value);
      __syncthreads();
      const std::uint32_t sumOfWarp = sumsOfWarps[warp.thread_rank()];
      const std::uint32_t sumIfEarlier = warp.thread_rank() < warp.meta_group_rank() ? sumOfWarp : 0;
      return { prefixInWarp + groups::reduce(warp, sumIfEarlier, groups::plus<std::uint32_t>()),
               groups::reduce(warp, sumOfWarp, groups::plus<std::uint32_t>()) };
    }
  };

  /** Returns the bytes that Allocate<T>(count) takes: a multiple of 256, so that all arrays are aligned. */
  template <typename T>
  CCL_HOST_DEVICE
  static constexpr std::uint64_t
  BytesFor(std::uint64_t count)
  {
    return DivideUp(count * sizeof(T), 256) * 256;
  }

  /** Makes the executor of the calling thread.
   * \param memory device memory for all calls of Allocate(), aligned to 256 bytes; its size is the sum of BytesFor()
   * \param sharedMemory the memory of the thread block's tile */
  __device__
  TileExecutor(void * memory, std::uint64_t * sharedMemory)
    : m_Memory(static_cast<unsigned char *>(memory))
    , m_ThreadBlock(blockIdx.x, sharedMemory)
  {}

  /** An array in the memory of the executor, which it does not own. */
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

  /** Returns the next part of the executor's memory. All threads must make the same allocations in the same order, so
   * that they get the same addresses. */
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

  /** Returns the sum of one value for each tile. */
  __device__ std::uint32_t
             ReduceTiles(const std::uint32_t * values) const
  {
    return m_ThreadBlock.Reduce(gridDim.x, [values](std::uint32_t tile) { return values[tile]; });
  }

private:
  mutable unsigned char * m_Memory; // start of the next allocation
  ThreadBlock             m_ThreadBlock;
};

} // namespace itk::ccl

#endif
