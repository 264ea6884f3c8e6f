// SPDX-License-Identifier: Apache-2.0
#ifndef KernelExecutor_cuh
#define KernelExecutor_cuh

#include "Grid.h"

#include <cooperative_groups.h>
#include <cub/warp/warp_scan.cuh>

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
class KernelExecutor
{
public:
  static constexpr unsigned int Threads = Tuning::SmallImageThreads;

  /** The threads that work on a tile.
   *
   * - `index` is the tile's, `memory` what it keeps from one phase to the next;
   * - `ForEach(n, function)` calls `function(i)` for every i < n, concurrently;
   * - `Sum(n, valueAt)` sums valueAt(i) for i < n;
   * - `ForEachSum(n, valueAt, visit)` calls `visit(i, valueAt(0) + ... + valueAt(i - 1))` for every i, concurrently,
   * and gives the sum of all.
   *
   * Each of them ends when all calls have. */
  class Team
  {
  public:
    std::uint32_t   index;
    std::uint64_t * memory;

    __device__
    Team(std::uint32_t tile, std::uint64_t * sharedMemory)
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
    __device__ std::uint32_t
               Sum(std::uint32_t count, const TFunction & valueAt) const
    {
      std::uint32_t sum = 0;
      for (std::uint32_t i = threadIdx.x; i < count; i += Threads)
      {
        sum += valueAt(i);
      }
      return ScanValues(sum).all;
    }

    template <typename TFunction, typename TVisitor>
    __device__ std::uint32_t
               ForEachSum(std::uint32_t count, const TFunction & valueAt, const TVisitor & visit) const
    {
      std::uint32_t before = 0;
      for (std::uint32_t begin = 0; begin < count; begin += Threads)
      {
        const std::uint32_t i = begin + threadIdx.x;
        const Sums          sums = ScanValues(i < count ? valueAt(i) : 0);
        if (i < count)
        {
          visit(i, before + sums.before);
        }
        before += sums.all;
      }
      __syncthreads();
      return before;
    }

  private:
    struct Sums
    {
      std::uint32_t before;
      std::uint32_t all;
    };

    /** Sums a value of each thread. */
    __device__ static Sums
    ScanValues(std::uint32_t value)
    {
      using ScanType = cub::WarpScan<std::uint32_t>;
      constexpr unsigned int warpSize = 32;
      static_assert(Threads == warpSize * warpSize, "each warp sums one value of each warp");
      __shared__ typename ScanType::TempStorage storage; // empty, as one warp's shuffles need none
      __shared__ std::uint32_t sumsOfWarps[warpSize];

      const unsigned int warp = threadIdx.x / warpSize;
      Sums               sums{};
      std::uint32_t      sumOfWarp = 0;
      ScanType(storage).ExclusiveSum(value, sums.before, sumOfWarp);
      sumsOfWarps[warp] = sumOfWarp;
      __syncthreads();
      std::uint32_t beforeWarp = 0;
      ScanType(storage).ExclusiveSum(sumsOfWarps[threadIdx.x % warpSize], beforeWarp, sums.all);
      sums.before += __shfl_sync(~0U, beforeWarp, static_cast<int>(warp));
      __syncthreads();
      return sums;
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
  KernelExecutor(void * memory, std::uint64_t * sharedMemory)
    : m_Memory(static_cast<unsigned char *>(memory))
    , m_Team(blockIdx.x, sharedMemory)
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
    phase(m_Team);
  }

  __device__ void
  Wait() const
  {
    if (gridDim.x > 1)
    {
      cooperative_groups::this_grid().sync();
    }
  }

  __device__ std::uint32_t
             SumTiles(const std::uint32_t * values) const
  {
    return m_Team.Sum(gridDim.x, [values](std::uint32_t tile) { return values[tile]; });
  }

private:
  mutable unsigned char * m_Memory;
  Team                    m_Team;
};

} // namespace itk::ccl

#endif
