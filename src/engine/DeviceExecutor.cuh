// SPDX-License-Identifier: Apache-2.0
#ifndef DeviceExecutor_cuh
#define DeviceExecutor_cuh

#include "CudaRuntime.cuh"
#include "Grid.h"

#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/warp/warp_scan.cuh>
#include <cuda/atomic>

#include <limits>

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

/** CUDA's grids are long along x alone: the tiles are numbered along it. There are fewer than 2^31 of them. */
template <typename TStep>
__global__ void
__launch_bounds__(Tuning::TileThreads) ForEachCell(Grid grid, unsigned int tilesX, unsigned int tilesY, TStep step)
{
  WaitForKernelsBefore();
  const unsigned int tileRow = blockIdx.x / tilesX;
  const unsigned int tileX = blockIdx.x - tileRow * tilesX;
  const unsigned int tileZ = tileRow / tilesY;
  const unsigned int tileY = tileRow - tileZ * tilesY;
  const Cell         cell{ std::uint64_t{ tileX } * blockDim.x + threadIdx.x,
                   std::uint64_t{ tileY } * blockDim.y + threadIdx.y,
                   std::uint64_t{ tileZ } * blockDim.z + threadIdx.z };
  if (cell.x < grid.x && cell.y < grid.y && cell.z < grid.z)
  {
    step(cell);
  }
}

inline constexpr unsigned int SumThreads = Tuning::SumThreads;
inline constexpr unsigned int SumValuesPerThread = Tuning::SumValuesPerThread;
inline constexpr unsigned int SumTile = SumThreads * SumValuesPerThread;
inline constexpr unsigned int SumWarp = 32;

/** Replaces the sums of tiles by what is before each. All threads of a block call it. Returns the sum of all. */
template <typename TSum>
__device__ TSum
ScanTiles(unsigned int count, TSum * sums)
{
  constexpr unsigned int valuesPerThread = 4;
  using ScanType = cub::BlockScan<TSum, SumThreads>;
  __shared__ typename ScanType::TempStorage storage;

  TSum before = 0;
  for (unsigned int begin = 0; begin < count; begin += SumThreads * valuesPerThread)
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
__launch_bounds__(SumThreads)
  SumTiles(std::uint64_t count, TFunction valueAt, TSum * sums, unsigned int * tilesDone, TSum * total)
{
  using ReduceType = cub::BlockReduce<TSum, SumThreads>;
  __shared__ typename ReduceType::TempStorage storage;
  __shared__ bool                             isLast;
  WaitForKernelsBefore();

  const std::uint64_t begin = std::uint64_t{ blockIdx.x } * SumTile + threadIdx.x;
  TSum                sum = 0;
#pragma unroll
  for (unsigned int i = 0; i < SumValuesPerThread; ++i)
  {
    const std::uint64_t index = begin + i * SumThreads;
    sum += index < count ? static_cast<TSum>(valueAt(index)) : TSum{ 0 };
  }
  sum = ReduceType(storage).Sum(sum);
  const cuda::atomic_ref<unsigned int, cuda::thread_scope_device> done(*tilesDone);
  if (threadIdx.x == 0)
  {
    sums[blockIdx.x] = sum;
    isLast = done.fetch_add(1, cuda::memory_order_acq_rel) == gridDim.x - 1;
  }
  __syncthreads();
  if (isLast)
  {
    const TSum sumOfAll = ScanTiles(gridDim.x, sums);
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
__launch_bounds__(SumThreads) VisitSums(std::uint64_t count, const TSum * sums, TFunction valueAt, TVisitor visit)
{
  using ScanType = cub::WarpScan<TSum>;
  constexpr unsigned int                    warps = SumThreads / SumWarp;
  __shared__ typename ScanType::TempStorage storage[warps];
  __shared__ TSum                           sumsOfWarps[warps];
  WaitForKernelsBefore();

  const unsigned int  warp = threadIdx.x / SumWarp;
  const std::uint64_t begin =
    std::uint64_t{ blockIdx.x } * SumTile + warp * SumWarp * SumValuesPerThread + threadIdx.x % SumWarp;
  TSum values[SumValuesPerThread];
#pragma unroll
  for (unsigned int i = 0; i < SumValuesPerThread; ++i)
  {
    const std::uint64_t index = begin + i * SumWarp;
    values[i] = index < count ? static_cast<TSum>(valueAt(index)) : TSum{ 0 };
  }
  TSum before = 0;
#pragma unroll
  for (unsigned int i = 0; i < SumValuesPerThread; ++i)
  {
    TSum sumBefore = 0;
    TSum sumOfAll = 0;
    ScanType(storage[warp]).ExclusiveSum(values[i], sumBefore, sumOfAll);
    __syncwarp();
    values[i] = before + sumBefore;
    before += sumOfAll;
  }
  if (threadIdx.x % SumWarp == 0)
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
  for (unsigned int i = 0; i < SumValuesPerThread; ++i)
  {
    const std::uint64_t index = begin + i * SumWarp;
    if (index < count)
    {
      visit(index, static_cast<TSum>(before + values[i]));
    }
  }
}

/** A value that the device writes to the host's memory, once: a copy would take longer than small kernels do.
 *
 * The memory is free for another value as soon as this one has arrived, as nothing writes to it after that: so whoever
 * reads the value need not wait for the stream. As long as it has not arrived, the destructor waits for the stream
 * before the memory goes back. */
template <typename T>
class PendingValue
{
public:
  PendingValue(std::shared_ptr<void> memory, cudaStream_t stream)
    : m_Memory(std::move(memory))
    , m_Stream(stream)
  {}
  ~PendingValue()
  {
    if (m_Memory != nullptr && m_IsPending)
    {
      cudaStreamSynchronize(m_Stream);
    }
  }
  PendingValue(PendingValue &&) = default;

  T *
  GetAddress() const
  {
    return static_cast<T *>(m_Memory.get());
  }

  /** Waits for all that the stream has to do. */
  T
  Get() const
  {
    CCL_CHECK(cudaStreamSynchronize(m_Stream));
    m_IsPending = false;
    return *this->GetAddress();
  }

  /** Waits until the device has replaced a value by another one, and not for what the stream has to do after that,
   * unless that takes long. */
  T
  GetReplacementOf(T placeholder) const
  {
    constexpr unsigned int                               maximumLooks = 1000000; // about a millisecond
    const cuda::atomic_ref<T, cuda::thread_scope_system> value(*this->GetAddress());
    for (unsigned int looks = 0; looks < maximumLooks; ++looks)
    {
      const T known = value.load(cuda::memory_order_acquire);
      if (known != placeholder)
      {
        m_IsPending = false;
        return known;
      }
    }
    return this->Get();
  }

private:
  std::shared_ptr<void> m_Memory;
  cudaStream_t          m_Stream;
  mutable bool          m_IsPending = true;
};

/** Runs the steps of the algorithms on a device, in the order of a stream. What it must offer: see HostExecutor. */
class DeviceExecutor
{
public:
  DeviceExecutor(DeviceResources & resources, cudaStream_t stream)
    : m_Resources(resources)
    , m_Stream(stream)
  {}

  cudaStream_t
  GetStream() const
  {
    return m_Stream;
  }

  template <typename T>
  class Buffer : public DeviceAllocation
  {
  public:
    using DeviceAllocation::DeviceAllocation;

    T *
    get() const
    {
      return static_cast<T *>(DeviceAllocation::get());
    }
  };

  template <typename T>
  Buffer<T>
  Allocate(std::uint64_t count) const
  {
    return { m_Resources, count * sizeof(T), m_Stream };
  }

  template <typename T>
  void
  Fill(T * memory, std::uint64_t count, unsigned char byte) const
  {
    if (count != 0)
    {
      CCL_CHECK(cudaMemsetAsync(memory, byte, count * sizeof(T), m_Stream));
    }
  }

  template <typename TStep>
  void
  ForEach(const Grid & grid, const TStep & step) const
  {
    this->ForEachCellOf(grid, RowTile(grid), step);
  }

  template <typename TStep>
  void
  ForEachBlock(const Grid & grid, const TStep & step) const
  {
    this->ForEachCellOf(grid, CompactTile(grid), step);
  }

  /** The members are destroyed from the last to the first: `total` waits for the kernel that writes it, and the kernel
   * sets `tilesDone` to 0 before that. So the next owner of `tilesDone` finds 0. */
  template <typename TSum>
  struct Sums
  {
    static constexpr TSum Unknown = std::numeric_limits<TSum>::max();

    std::uint64_t         count;
    Buffer<TSum>          before; // each tile
    std::shared_ptr<void> tilesDone;
    PendingValue<TSum>    total;

    TSum
    GetTotal() const
    {
      return count == 0 ? TSum{ 0 } : total.GetReplacementOf(Unknown);
    }
  };

  template <typename TSum, typename TFunction>
  Sums<TSum>
  Sum(std::uint64_t count, const TFunction & valueAt) const
  {
    if (count == 0)
    {
      return { 0, this->Allocate<TSum>(0), nullptr, { nullptr, m_Stream } };
    }
    const std::uint64_t tiles = DivideUp(count, SumTile);
    Sums<TSum>          sums{ count,
                     this->Allocate<TSum>(tiles),
                     m_Resources.AllocateCounter(m_Stream),
                              { m_Resources.AllocateHost(sizeof(TSum)), m_Stream } };
    *sums.total.GetAddress() = Sums<TSum>::Unknown;
    this->Launch(&SumTiles<TSum, TFunction>,
                 tiles,
                 SumThreads,
                 count,
                 valueAt,
                 sums.before.get(),
                 static_cast<unsigned int *>(sums.tilesDone.get()),
                 sums.total.GetAddress());
    return sums;
  }

  template <typename TSum, typename TFunction, typename TVisitor>
  void
  ForEachSum(const Sums<TSum> & sums, const TFunction & valueAt, const TVisitor & visit) const
  {
    if (sums.count == 0)
    {
      return;
    }
    this->Launch(&VisitSums<TSum, TFunction, TVisitor>,
                 DivideUp(sums.count, SumTile),
                 SumThreads,
                 sums.count,
                 static_cast<const TSum *>(sums.before.get()),
                 valueAt,
                 visit);
  }

private:
  template <typename TStep>
  void
  ForEachCellOf(const Grid & grid, const TileShape & shape, const TStep & step) const
  {
    if (grid.Count() == 0)
    {
      return;
    }
    const Grid tiles{ DivideUp(grid.x, shape.x), DivideUp(grid.y, shape.y), DivideUp(grid.z, shape.z) };
    this->Launch(&ForEachCell<TStep>,
                 tiles.Count(),
                 dim3(shape.x, shape.y, shape.z),
                 grid,
                 static_cast<unsigned int>(tiles.x),
                 static_cast<unsigned int>(tiles.y),
                 step);
  }

  /** Launches a kernel that begins with WaitForKernelsBefore(). */
  template <typename... TParameters>
  void
  Launch(void (*kernel)(TParameters...),
         std::uint64_t blocks,
         const dim3 &  threads,
         const TParameters &... parameters) const
  {
    cudaLaunchAttribute startsEarly{};
    startsEarly.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    startsEarly.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t configuration{};
    configuration.gridDim = dim3(static_cast<unsigned int>(blocks));
    configuration.blockDim = threads;
    configuration.stream = m_Stream;
    configuration.attrs = &startsEarly;
    configuration.numAttrs = m_Resources.GetCapabilities().launchesEarly ? 1 : 0;
    CCL_CHECK(cudaLaunchKernelEx(&configuration, kernel, parameters...));
  }

  DeviceResources & m_Resources;
  cudaStream_t      m_Stream;
};

} // namespace itk::ccl

#endif
