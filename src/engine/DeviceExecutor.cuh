// SPDX-License-Identifier: Apache-2.0
#ifndef DeviceExecutor_cuh
#define DeviceExecutor_cuh

#include "CudaRuntime.cuh"
#include "Grid.h"

#include <cub/device/device_scan.cuh>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

namespace itk::ccl
{

/** CUDA's grids are long along x alone: the tiles are numbered along it. There are fewer than 2^31 of them. */
template <typename TStep>
__global__ void
__launch_bounds__(TileThreads) ForEachCell(Grid grid, unsigned int tilesX, unsigned int tilesY, TStep step)
{
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

/** Makes a function's values as wide as their sum. */
template <typename TSum, typename TFunction>
struct AsSum
{
  TFunction valueAt;

  __host__ __device__ TSum
  operator()(std::uint64_t index) const
  {
    return static_cast<TSum>(valueAt(index));
  }
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
    return { this->AllocateBytes(count * sizeof(T)), m_Stream };
  }

  template <typename TStep>
  void
  ForEach(const Grid & grid, const TStep & step) const
  {
    this->Launch(grid, RowTile(grid), step);
  }

  template <typename TStep>
  void
  ForEachBlock(const Grid & grid, const TStep & step) const
  {
    this->Launch(grid, CompactTile(grid), step);
  }

  template <typename TSum, typename TFunction>
  void
  ExclusiveSum(std::uint64_t count, const TFunction & valueAt, TSum * sums) const
  {
    const auto  values = thrust::make_transform_iterator(thrust::make_counting_iterator(std::uint64_t{ 0 }),
                                                        AsSum<TSum, TFunction>{ valueAt });
    std::size_t bytes = 0;
    CCL_CHECK(cub::DeviceScan::ExclusiveSum(nullptr, bytes, values, sums, count, m_Stream));
    const DeviceAllocation temporary(this->AllocateBytes(bytes), m_Stream);
    CCL_CHECK(cub::DeviceScan::ExclusiveSum(temporary.get(), bytes, values, sums, count, m_Stream));
  }

  template <typename T>
  T
  Read(const T * address) const
  {
    const auto value = m_Resources.AllocateHost(sizeof(T));
    CCL_CHECK(cudaMemcpyAsync(value.get(), address, sizeof(T), cudaMemcpyDeviceToHost, m_Stream));
    CCL_CHECK(cudaStreamSynchronize(m_Stream));
    return *static_cast<const T *>(value.get());
  }

private:
  template <typename TStep>
  void
  Launch(const Grid & grid, const TileShape & shape, const TStep & step) const
  {
    if (grid.Count() == 0)
    {
      return;
    }
    const Grid tiles{ DivideUp(grid.x, shape.x), DivideUp(grid.y, shape.y), DivideUp(grid.z, shape.z) };
    ForEachCell<<<static_cast<unsigned int>(tiles.Count()), dim3(shape.x, shape.y, shape.z), 0, m_Stream>>>(
      grid, static_cast<unsigned int>(tiles.x), static_cast<unsigned int>(tiles.y), step);
    CCL_CHECK(cudaGetLastError());
  }

  void *
  AllocateBytes(std::uint64_t bytes) const
  {
    void * memory = nullptr;
    if (bytes == 0)
    {
      return memory;
    }
    const cudaError_t error = cudaMallocFromPoolAsync(&memory, bytes, m_Resources.GetPool(), m_Stream);
    if (error == cudaErrorMemoryAllocation)
    {
      cudaGetLastError();
      throw CudaConnectedComponentError(CudaConnectedComponentError::Kind::Memory,
                                        "device memory: " + FormatBytes(bytes) + " needed, " +
                                          FormatBytes(m_Resources.GetFreeMemory()) + " free");
    }
    CCL_CHECK(error);
    return memory;
  }

  DeviceResources & m_Resources;
  cudaStream_t      m_Stream;
};

} // namespace itk::ccl

#endif
