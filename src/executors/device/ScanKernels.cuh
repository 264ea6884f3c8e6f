// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_executors_device_ScanKernels_cuh
#define ccl_executors_device_ScanKernels_cuh

// An exclusive scan in one kernel: Merrill and Garland, "Single-pass Parallel Prefix Scan with Decoupled Look-back",
// NVIDIA, 2016. The values come from a function, and the prefixes go to a visitor. The number of values may be in
// device memory.
//
// A thread block takes a tile of values and writes its sum to the state of the tile. Then it adds the sums of the tiles
// before, back to one whose thread block has done the same already. Thread blocks take the next tile by an atomic
// operation, unless there is a thread block for each tile.
//
// CUB's device-wide scan needs the number of values on the host, and cannot start before the previous kernel has ended.

#include "executors/BoundedCount.h"
#include "primitives/Atomics.h"
#include "primitives/Tuning.h"

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
inline constexpr unsigned int WarpSize = 32;

/** How many thread blocks of a scan with 32-bit sums must fit on a multiprocessor. The compiler limits the registers
 * for it. Two need 2048 threads: compute capabilities 7.5, 8.6 to 8.9, and 11.0 (first named 10.1) or later have fewer.
 */
#if defined(__CUDA_ARCH__) && (__CUDA_ARCH__ == 750 || (__CUDA_ARCH__ >= 860 && __CUDA_ARCH__ < 900) || \
                               __CUDA_ARCH__ == 1010 || __CUDA_ARCH__ >= 1100)
inline constexpr unsigned int ResidentScanThreadBlocks = 1;
#else
inline constexpr unsigned int ResidentScanThreadBlocks = Tuning::ScanThreadBlocks;
#endif

/** The state of a tile in a scan: whether its sum is known, and the sum. All bits are 0 at first. One atomic access
 * reads or writes both, so no other memory must be ordered with it. */
class TileState
{
public:
  /** A tile whose own sum is known. */
  static __device__ TileState
  OfSum(std::uint64_t sum)
  {
    return TileState(HasSum | sum);
  }

  /** A tile for which the sum of all tiles from the first one on is known. */
  static __device__ TileState
  OfTotal(std::uint64_t sum)
  {
    return TileState(HasTotal | sum);
  }

  /** Reads the state that another thread block writes. */
  static __device__ TileState
  Load(std::uint64_t & memory)
  {
    std::uint64_t bits;
    asm volatile("ld.relaxed.gpu.b64 %0, [%1];" : "=l"(bits) : "l"(&memory) : "memory");
    return TileState(bits);
  }

  __device__ void
  Store(std::uint64_t & memory) const
  {
    asm volatile("st.relaxed.gpu.b64 [%0], %1;" : : "l"(&memory), "l"(m_Bits) : "memory");
  }

  __device__ bool
  IsKnown() const
  {
    return m_Bits >= HasSum;
  }

  __device__ bool
  IsTotal() const
  {
    return m_Bits >= HasTotal;
  }

  __device__ std::uint64_t
             GetSum() const
  {
    return m_Bits & (HasSum - 1);
  }

private:
  static constexpr std::uint64_t HasSum = std::uint64_t{ 1 } << 62;
  static constexpr std::uint64_t HasTotal = std::uint64_t{ 1 } << 63;

  __device__ explicit TileState(std::uint64_t bits)
    : m_Bits(bits)
  {}

  std::uint64_t m_Bits;
};

/** Returns the sum of all tiles before a tile. All threads of one warp must call it.
 *
 * Each lane reads one of the 32 tiles before, and waits until it knows all of them back to the last one with a total.
 * Their thread blocks are running, because a thread block takes a tile only after all earlier tiles have been taken, or
 * thread blocks start in the order of their tiles. So the wait ends. */
__device__ inline std::uint64_t
SumBeforeTile(std::uint64_t * states, std::uint64_t tile)
{
  constexpr unsigned int allLanes = 0xFFFFFFFFU;
  const unsigned int     lane = threadIdx.x % WarpSize;
  std::uint64_t          sum = 0;
  for (std::uint64_t end = tile;; end -= WarpSize)
  {
    // Lane 0 has the nearest tile. Lanes before the first tile have a total of 0.
    const bool   exists = lane < end;
    TileState    state = exists ? TileState::Load(states[end - 1 - lane]) : TileState::OfTotal(0);
    unsigned int totals = __ballot_sync(allLanes, state.IsTotal());
    unsigned int needed = totals & (0U - totals); // the nearest total, and all lanes below it
    needed |= needed - 1;
    while ((~__ballot_sync(allLanes, state.IsKnown()) & needed) != 0)
    {
      if (!state.IsKnown())
      {
        state = TileState::Load(states[end - 1 - lane]);
      }
      totals = __ballot_sync(allLanes, state.IsTotal());
      needed = totals & (0U - totals);
      needed |= needed - 1;
    }
    std::uint64_t part = (needed >> lane & 1U) != 0 ? state.GetSum() : 0;
#pragma unroll
    for (unsigned int distance = WarpSize / 2; distance > 0; distance /= 2)
    {
      part += __shfl_xor_sync(allLanes, static_cast<unsigned long long>(part), static_cast<int>(distance));
    }
    sum += part;
    if (totals != 0)
    {
      return sum;
    }
  }
}

/** Adds the value of the lane `distance` below to a value, if there is such a lane. All lanes must call it. */
__device__ inline std::uint32_t
AddFromBelow(std::uint32_t value, unsigned int distance)
{
  std::uint32_t sum;
  asm volatile("{ .reg .u32 other; .reg .pred exists;"
               "  shfl.sync.up.b32 other|exists, %1, %2, 0, 0xffffffff;"
               "  @exists add.u32 other, other, %1;"
               "  mov.u32 %0, other; }"
               : "=r"(sum)
               : "r"(value), "r"(distance));
  return sum;
}
__device__ inline std::uint64_t
AddFromBelow(std::uint64_t value, unsigned int distance)
{
  const std::uint64_t other = __shfl_up_sync(0xFFFFFFFFU, value, distance);
  return threadIdx.x % WarpSize >= distance ? value + other : value;
}

/** Returns the sum of the values of the lanes up to this one. All lanes must call it. */
template <typename TSum>
__device__ inline TSum
SumThroughLane(TSum value)
{
#pragma unroll
  for (unsigned int distance = 1; distance < WarpSize; distance *= 2)
  {
    value = AddFromBelow(value, distance);
  }
  return value;
}

/** Calls `visit(i, prefix, value)` for each value, and writes the sum of all values. The threads of a warp read and
 * visit adjacent indices.
 * \tparam VValuesPerThread values of a thread in a tile
 * \param bounded number of values
 * \param valueAt function that returns the value of an index
 * \param visit visitor, which may overwrite the memory from which valueAt(i) reads
 * \param states ScanStates() elements that are 0: the number of tiles that thread blocks have taken by atomic
 * operations, and the state of each tile
 * \param total gets the sum of all values, if it is not null; it may be pinned host memory, which the host reads while
 *   the kernel runs */
template <unsigned int VValuesPerThread, typename TSum, typename TFunction, typename TVisitor>
__global__ void
__launch_bounds__(ScanThreads, sizeof(TSum) == 4 ? ResidentScanThreadBlocks : 1)
  ScanTiles(BoundedCount<TSum> bounded, TFunction valueAt, TVisitor visit, std::uint64_t * states, TSum * total)
{
  constexpr unsigned int warps = ScanThreads / WarpSize;
  constexpr unsigned int valuesPerTile = ScanThreads * VValuesPerThread;
  __shared__ TSum        sumsOfWarps[warps];
  __shared__ TSum        sumBefore;
  __shared__ std::uint64_t tileOfThreadBlock;
  WaitForPreviousKernels();

  const std::uint64_t count = bounded.GetOrZero();
  if (count == 0 && total != nullptr && blockIdx.x == 0 && threadIdx.x == 0)
  {
    StoreForHost(total, TSum{ 0 });
  }
  const unsigned int warp = threadIdx.x / WarpSize;
  // If there is a thread block for each tile, its index is that of the tile. This needs thread blocks that start in
  // their order. CUDA does not promise it, but CUB's scan needs it, too. With several values for each thread, the
  // second path takes registers and saves little.
  const bool isTileOfBlock = VValuesPerThread == 1 && bounded.limit <= std::uint64_t{ gridDim.x } * valuesPerTile;
  for (;;)
  {
    if (!isTileOfBlock)
    {
      if (threadIdx.x == 0)
      {
        tileOfThreadBlock = AtomicAdd(states, std::uint64_t{ 1 });
      }
      __syncthreads();
    }
    const std::uint64_t tile = isTileOfBlock ? blockIdx.x : tileOfThreadBlock;
    if (tile * valuesPerTile >= count)
    {
      return;
    }
    const std::uint64_t begin = tile * valuesPerTile + warp * WarpSize * VValuesPerThread + threadIdx.x % WarpSize;
    TSum                values[VValuesPerThread];
    TSum                prefixes[VValuesPerThread];
#pragma unroll
    for (unsigned int i = 0; i < VValuesPerThread; ++i)
    {
      const std::uint64_t index = begin + i * WarpSize;
      values[i] = index < count ? static_cast<TSum>(valueAt(index)) : TSum{ 0 };
    }
    TSum prefix = 0;
#pragma unroll
    for (unsigned int i = 0; i < VValuesPerThread; ++i)
    {
      const TSum through = SumThroughLane(values[i]);
      __syncwarp(); // one value after the other takes fewer registers
      prefixes[i] = prefix + (through - values[i]);
      prefix += __shfl_sync(0xFFFFFFFFU, through, WarpSize - 1);
    }
    if (threadIdx.x % WarpSize == 0)
    {
      sumsOfWarps[warp] = prefix;
    }
    __syncthreads();
    if (warp == 0)
    {
      TSum sumOfTile = 0;
      for (unsigned int other = 0; other < warps; ++other)
      {
        sumOfTile += sumsOfWarps[other];
      }
      std::uint64_t * const statesOfTiles = states + 1;
      if (tile != 0 && threadIdx.x == 0)
      {
        TileState::OfSum(sumOfTile).Store(statesOfTiles[tile]);
      }
      const std::uint64_t before = tile == 0 ? 0 : SumBeforeTile(statesOfTiles, tile);
      if (threadIdx.x == 0)
      {
        TileState::OfTotal(before + sumOfTile).Store(statesOfTiles[tile]);
        sumBefore = static_cast<TSum>(before);
      }
    }
    __syncthreads();
    prefix = sumBefore;
    for (unsigned int other = 0; other < warp; ++other)
    {
      prefix += sumsOfWarps[other];
    }
    if (total != nullptr && threadIdx.x == ScanThreads - 1 && count - tile * valuesPerTile <= valuesPerTile)
    {
      // Before the visits, so that other warps visit during the fence.
      StoreForHost(total, static_cast<TSum>(prefix + sumsOfWarps[warps - 1]));
    }
#pragma unroll
    for (unsigned int i = 0; i < VValuesPerThread; ++i)
    {
      const std::uint64_t index = begin + i * WarpSize;
      if (index < count)
      {
        visit(index, static_cast<TSum>(prefix + prefixes[i]), values[i]);
      }
    }
    if (isTileOfBlock)
    {
      return;
    }
  }
}

} // namespace itk::ccl

#endif
