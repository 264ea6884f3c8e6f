// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_executors_device_DeviceExecutor_cuh
#define ccl_executors_device_DeviceExecutor_cuh

#include "executors/Executor.h"
#include "executors/MeasuringExecutor.h"
#include "executors/device/AddKernel.cuh"
#include "executors/device/CudaError.cuh"
#include "executors/device/DeviceArena.cuh"
#include "executors/device/DeviceResources.cuh"
#include "executors/device/DeviceSort.cuh"
#include "executors/device/DeviceThreadBlock.cuh"
#include "executors/device/ScanKernels.cuh"
#include "executors/device/ThreadBlockShape.h"
#include "primitives/Grid.h"
#include "primitives/HostDevice.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <stdexcept>
#include <utility>

namespace itk::ccl
{

/** Calls `functor(cell)` for the cells of a grid that one launch covers, from `begin` on.
 * \tparam VThreads the most threads of a thread block */
template <unsigned int VThreads, typename TFunctor>
__global__ void
__launch_bounds__(VThreads) ForEachCell(Grid grid, Cell begin, TFunctor functor)
{
  WaitForPreviousKernels();
  const Cell cell{ std::uint64_t{ blockIdx.x } * blockDim.x + threadIdx.x,
                   begin.y + (blockIdx.y * blockDim.y + threadIdx.y),
                   begin.z + (blockIdx.z * blockDim.z + threadIdx.z) };
  if (cell.x < grid.x && cell.y < grid.y && cell.z < grid.z)
  {
    functor(cell);
  }
}

/** Calls `functor(cell)` for each cell of the functor that `work` chooses. There are few thread blocks, so a thread
 * takes several cells along x. */
template <typename TWork>
__global__ void
__launch_bounds__(Tuning::ThreadBlockSize, Tuning::ResidentThreadBlocks) DispatchCells(TWork work)
{
  WaitForPreviousKernels();
  work.Dispatch([](std::uint64_t count, const auto & functor) {
    const std::uint64_t stride = std::uint64_t{ gridDim.x } * blockDim.x;
    for (std::uint64_t x = std::uint64_t{ blockIdx.x } * blockDim.x + threadIdx.x; x < count; x += stride)
    {
      functor(Cell{ x, blockIdx.y, 0 });
    }
  });
}

/** Calls `functor(threadBlock, memory)`, with shared memory for each thread block. If there are more thread blocks than
 * CUDA starts, each runs the functor for several. */
template <typename TFunctor>
__global__ void
__launch_bounds__(TFunctor::Threads) ForEachThreadBlockOf(std::uint64_t count, TFunctor functor)
{
  WaitForPreviousKernels();
  __shared__ typename TFunctor::SharedMemory memory;
  for (std::uint64_t index = blockIdx.x; index < count; index += gridDim.x)
  {
    functor(DeviceThreadBlock<TFunctor::Threads>(index), memory);
    __syncthreads();
  }
}

/** Placeholder of a number in pinned host memory, until it arrives. A number with this value only takes longer to read.
 */
template <typename T>
inline constexpr T UnknownValue = std::numeric_limits<T>::max();

/** Returns a number that a kernel of a stream writes by StoreForHost(), as soon as it is not UnknownValue. Does not
 * wait for later work of the stream, unless the number takes longer than about 1 ms to arrive. */
template <typename T>
[[nodiscard]] T
AwaitValue(const T * address, cudaStream_t stream)
{
  constexpr unsigned int maximumReads = 1000000; // about 1 ms
  for (unsigned int reads = 0; reads < maximumReads; ++reads)
  {
    if (const T value = __atomic_load_n(address, __ATOMIC_ACQUIRE); value != UnknownValue<T>)
    {
      return value;
    }
  }
  CCL_CHECK(cudaStreamSynchronize(stream));
  return *address;
}

/** Runs kernel functors on a device, in the order of a stream. A model of the executor concept (see
 * executors/Executor.h): each call launches a kernel, and returns without waiting for it. On some devices, a kernel
 * starts before the previous one has ended, and then waits for it (see DeviceCapabilities::launchesEarly).
 *
 * Members throw CudaConnectedComponentError if CUDA fails. Use an executor from one thread; its device must be
 * current. */
class DeviceExecutor
{
public:
  /** Runs functors on a stream. `resources` are the resources of the stream's device. Arrays come from `source`. */
  DeviceExecutor(DeviceResources & resources, cudaStream_t stream, MemorySource & source)
    : m_Resources(resources)
    , m_Stream(stream)
    , m_MemorySource(&source)
  {}

  /** Does the same with arrays from the pool of the device. */
  DeviceExecutor(DeviceResources & resources, cudaStream_t stream)
    : DeviceExecutor(resources, stream, resources)
  {}

  /** Returns an executor for the same stream that takes its arrays from an arena, as long as it has room. */
  DeviceExecutor
  In(Arena & arena) const
  {
    DeviceExecutor executor = *this;
    executor.m_Arena = &arena;
    return executor;
  }

  /** Returns an executor that takes all arrays from an arena, for work that does not wait for results. */
  DeviceExecutor
  WithoutWaitingIn(Arena & arena) const
  {
    DeviceExecutor executor = this->In(arena);
    executor.m_Mode = Mode::Enqueuing;
    return executor;
  }

  /** Returns an executor that loads the kernels of work that does not wait, and executes none but small sorts. Its
   * arrays have no memory. A kernel cannot be loaded while a stream captures a graph. */
  DeviceExecutor
  ForLoading() const
  {
    DeviceExecutor executor = *this;
    executor.m_Mode = Mode::Loading;
    return executor;
  }

  /** Returns whether the work may wait for results. */
  bool
  MayWait() const
  {
    return m_Mode == Mode::Waiting;
  }

  cudaStream_t
  GetStream() const
  {
    return m_Stream;
  }

  /** Returns the source of the arrays that no arena has room for. */
  MemorySource &
  GetMemorySource() const
  {
    return *m_MemorySource;
  }

  /** The owner of an array in device memory. The memory is freed in the order of the stream. */
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
    if (m_Mode == Mode::Loading)
    {
      return Buffer<T>(AddressWithoutMemory<T>(count));
    }
    if (T * const taken = m_Arena != nullptr ? m_Arena->Take<T>(count) : nullptr)
    {
      return Buffer<T>(taken);
    }
    if (count != 0 && m_Mode == Mode::Enqueuing)
    {
      throw std::logic_error("the workspace has no room for an array: MeasuringExecutor has not measured it");
    }
    return Buffer<T>(*m_MemorySource, count * sizeof(T), m_Stream);
  }

  template <typename T>
  Buffer<T>
  AllocateCleared(std::uint64_t count) const
  {
    if (T * const taken = m_Arena != nullptr ? m_Arena->TakeCleared<T>(count) : nullptr)
    {
      const MemoryToClear uncleared = m_Arena->TakeMemoryToClear();
      this->Fill(uncleared.words, uncleared.count, 0);
      return Buffer<T>(taken);
    }
    auto memory = this->Allocate<T>(count);
    this->Fill(memory.get(), count, 0);
    return memory;
  }

  unsigned int
  GetPartBits(unsigned int deviceBits) const
  {
    return deviceBits;
  }

  MemoryToClear
  TakeMemoryToClear() const
  {
    return m_Arena != nullptr ? m_Arena->TakeMemoryToClear() : MemoryToClear{};
  }

  /** The result of AllocateResult(), in pinned host memory. The direct write avoids a copy, which would take longer
   * than a small kernel.
   *
   * A kernel writes the value once, and nothing writes to the memory afterwards. So the memory can be used again as
   * soon as the value has arrived, even if the stream still has work. If the value has not been read, the destructor
   * waits for the stream before it releases the memory. */
  template <typename T>
  class Result
  {
  public:
    Result(std::shared_ptr<void> memory, cudaStream_t stream)
      : m_Memory(std::move(memory))
      , m_Stream(stream)
    {
      *this->GetAddress() = UnknownValue<T>;
    }
    ~Result()
    {
      if (m_Memory != nullptr && m_IsPending)
      {
        cudaStreamSynchronize(m_Stream);
      }
    }
    Result(Result &&) = default;

    T *
    GetAddress() const
    {
      return static_cast<T *>(m_Memory.get());
    }

    /** Returns the value as soon as it has arrived: see AwaitValue(). */
    T
    Get() const
    {
      const T known = AwaitValue(this->GetAddress(), m_Stream);
      m_IsPending = false;
      return known;
    }

  private:
    std::shared_ptr<void> m_Memory;
    cudaStream_t          m_Stream;
    mutable bool          m_IsPending = true;
  };

  template <typename T>
  Result<T>
  AllocateResult() const
  {
    return { m_Resources.AllocateHost(sizeof(T)), m_Stream };
  }

  template <typename T>
  void
  Fill(T * memory, std::uint64_t count, unsigned char byte) const
  {
    if (count != 0 && m_Mode != Mode::Loading)
    {
      CCL_CHECK(cudaMemsetAsync(memory, byte, count * sizeof(T), m_Stream));
    }
  }

  template <typename TFunctor>
  void
  ForEach(const Grid & grid, const TFunctor & functor) const
  {
    this->ForEachCellOf<Tuning::ThreadBlockSize>(grid, RowThreadBlock(grid), functor);
  }

  template <typename T, typename TFunctor>
  void
  ForEach(const BoundedCount<T> & count, const TFunctor & functor) const
  {
    const WorkOnElements<T, TFunctor> work{ count, functor };
    this->DispatchIn(Tuning::ThreadBlocksForElements, Grid{ count.limit }, work);
  }

  template <typename TWork>
  void
  Dispatch(const Grid & grid, const TWork & work) const
  {
    this->DispatchIn(Tuning::ThreadBlocksForCells, grid, work);
  }

  template <typename TFunctor>
  void
  ForEachCompact(const Grid & grid, const TFunctor & functor) const
  {
    this->ForEachCellOf<Tuning::CompactThreadBlockSize>(grid, CompactThreadBlock(grid), functor);
  }

  template <typename TFunctor>
  void
  ForEachThreadBlock(std::uint64_t count, const TFunctor & functor) const
  {
    if (count != 0)
    {
      constexpr std::uint64_t maximum = 0x7FFFFFFF; // thread blocks along x
      const auto              threadBlocks = static_cast<unsigned int>(std::min(maximum, count));
      this->Launch(&ForEachThreadBlockOf<TFunctor>, threadBlocks, TFunctor::Threads, count, functor);
    }
  }

  template <typename TSum, typename TFunction, typename TVisitor>
  void
  Scan(const BoundedCount<TSum> & count, const TFunction & valueAt, const TVisitor & visit, TSum * total) const
  {
    // One thread block at least, because the total of no values is 0.
    const std::uint64_t tiles = std::max<std::uint64_t>(1, ScanTileCount(count));
    const auto          states = this->AllocateCleared<std::uint64_t>(ScanStates(count));
    this->Launch(ValuesPerScanThread(count) == 1 ? &ScanTiles<1, TSum, TFunction, TVisitor>
                                                 : &ScanTiles<Tuning::ScanValuesPerThread, TSum, TFunction, TVisitor>,
                 this->ConcurrentThreadBlocks(tiles, Tuning::ScanThreadBlocks),
                 ScanThreads,
                 count,
                 valueAt,
                 visit,
                 states.get(),
                 total);
  }

  template <typename TFunctor, typename TTable>
  void
  AddToRows(const Grid & grid, const TFunctor & functor, const TTable & table) const
  {
    if (grid.Count() == 0)
    {
      return;
    }
    const Grid rows{ grid.x, grid.y * grid.z };
    // Whole warps cooperate, so x must divide the thread block.
    const ThreadBlockShape fitting = FitThreadBlock(rows, { 32, Tuning::ThreadBlockSize / 32, 1 });
    const dim3             shape(fitting.x, Tuning::ThreadBlockSize / fitting.x);
    const std::uint64_t    threadBlocksX = DivideUp(rows.x, shape.x);
    // Few cells are for as many threads as the device runs at the same time.
    const std::uint64_t threadBlocks = threadBlocksX * DivideUp(rows.y, shape.y);
    const unsigned int  perProcessor = AddingThreadBlocks(sizeof(typename TTable::ValueType));
    const std::uint64_t perThreadBlock =
      DivideUp(threadBlocks, this->ConcurrentThreadBlocks(threadBlocks, perProcessor));
    const auto cellsPerThread =
      static_cast<unsigned int>(std::min<std::uint64_t>(perThreadBlock, Tuning::CellsPerAddingThread));
    const std::uint64_t threadBlocksY = DivideUp(rows.y, shape.y * std::uint64_t{ cellsPerThread });
    this->Launch(&AddCells<TFunctor, TTable>,
                 static_cast<unsigned int>(threadBlocksX * threadBlocksY),
                 shape,
                 grid,
                 static_cast<unsigned int>(threadBlocksX),
                 cellsPerThread,
                 functor,
                 table);
  }

  /** Memory for SortDescending(). */
  template <typename T>
  struct SortMemory
  {
    std::uint64_t         bytes; // of the storage
    Buffer<T>             keys;
    Buffer<T>             values;
    Buffer<unsigned char> storage;
  };

  template <typename T>
  SortMemory<T>
  AllocateForSort(std::uint64_t count) const
  {
    const std::uint64_t bytes = SortStorageBytes(count, sizeof(T));
    return { bytes, this->Allocate<T>(count), this->Allocate<T>(count), this->Allocate<unsigned char>(bytes) };
  }

  template <typename T>
  void
  SortDescending(std::uint64_t count, T * keys, T * values, const SortMemory<T> & memory) const
  {
    if (m_Mode == Mode::Loading)
    {
      LoadSortOnDevice<T>(m_Resources);
      return;
    }
    SortDescendingOnDevice<T>(m_Stream,
                              count,
                              { keys, memory.keys.get() },
                              { values, memory.values.get() },
                              memory.storage.get(),
                              memory.bytes);
  }

private:
  enum class Mode
  {
    Waiting,
    Enqueuing,
    Loading
  };

  /** Returns `count` or, if it is less, the number of thread blocks for a kernel whose thread blocks loop. */
  unsigned int
  ConcurrentThreadBlocks(std::uint64_t count, unsigned int perMultiprocessor) const
  {
    const std::uint64_t limit = std::uint64_t{ m_Resources.GetCapabilities().multiprocessors } * perMultiprocessor;
    return static_cast<unsigned int>(std::min(count, limit));
  }

  template <typename TWork>
  void
  DispatchIn(unsigned int threadBlocksOfMultiprocessor, const Grid & grid, const TWork & work) const
  {
    if (grid.Count() != 0)
    {
      const std::uint64_t threadBlocks = DivideUp(grid.x, Tuning::ThreadBlockSize);
      const dim3          shape(this->ConcurrentThreadBlocks(threadBlocks, threadBlocksOfMultiprocessor),
                       static_cast<unsigned int>(grid.y));
      this->Launch(&DispatchCells<TWork>, shape, Tuning::ThreadBlockSize, work);
    }
  }

  template <unsigned int VThreads, typename TFunctor>
  void
  ForEachCellOf(const Grid & grid, const ThreadBlockShape & shape, const TFunctor & functor) const
  {
    if (grid.Count() == 0)
    {
      return;
    }
    // CUDA allows 2^31 - 1 thread blocks along x, which no device has the memory to exceed, but only 65,535 along y and
    // z. A larger grid takes several launches.
    constexpr std::uint64_t maximum = 65535;
    Cell                    begin;
    for (begin.z = 0; begin.z < grid.z; begin.z += maximum * shape.z)
    {
      for (begin.y = 0; begin.y < grid.y; begin.y += maximum * shape.y)
      {
        const dim3 threadBlocks(static_cast<unsigned int>(DivideUp(grid.x, shape.x)),
                                static_cast<unsigned int>(std::min(maximum, DivideUp(grid.y - begin.y, shape.y))),
                                static_cast<unsigned int>(std::min(maximum, DivideUp(grid.z - begin.z, shape.z))));
        this->Launch(
          &ForEachCell<VThreads, TFunctor>, threadBlocks, dim3(shape.x, shape.y, shape.z), grid, begin, functor);
      }
    }
  }

  /** Launches a kernel. The kernel may start before the previous one has ended, so it must call
   * WaitForPreviousKernels() first. */
  template <typename... TParameters>
  void
  Launch(void (*kernel)(TParameters...),
         const dim3 & threadBlocks,
         const dim3 & threads,
         const TParameters &... parameters) const
  {
    const void * addresses[] = { &parameters... };
    this->LaunchUntyped(reinterpret_cast<const void *>(kernel), threadBlocks, threads, const_cast<void **>(addresses));
  }

  /** Does the same, with the addresses of the parameters. There are many kernels, so this code is not repeated for each
   * of them. */
  CCL_NOINLINE
  void
  LaunchUntyped(const void * kernel, const dim3 & threadBlocks, const dim3 & threads, void ** parameters) const
  {
    if (m_Mode == Mode::Loading)
    {
      cudaFuncAttributes attributes{};
      CCL_CHECK(cudaFuncGetAttributes(&attributes, kernel));
      return;
    }
    cudaLaunchAttribute startsEarly{};
    startsEarly.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    startsEarly.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t configuration{};
    configuration.gridDim = threadBlocks;
    configuration.blockDim = threads;
    configuration.stream = m_Stream;
    configuration.attrs = &startsEarly;
    configuration.numAttrs = m_Resources.GetCapabilities().launchesEarly ? 1 : 0;
    CCL_CHECK(cudaLaunchKernelExC(&configuration, kernel, parameters));
  }

  DeviceResources & m_Resources;
  cudaStream_t      m_Stream;
  MemorySource *    m_MemorySource;
  Arena *           m_Arena = nullptr;
  Mode              m_Mode = Mode::Waiting;
};

} // namespace itk::ccl

#endif
