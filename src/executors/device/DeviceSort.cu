// SPDX-License-Identifier: Apache-2.0
#include "executors/device/DeviceSort.cuh"

#include "executors/device/CudaError.cuh"

#include <cub/device/device_radix_sort.cuh>

namespace itk::ccl
{

template <typename T>
void
SortDescendingOnDevice(DeviceResources & resources, cudaStream_t stream, std::uint64_t count, T * keys, T * values)
{
  if (count == 0)
  {
    return;
  }
  const DeviceAllocation otherKeys(resources, count * sizeof(T), stream);
  const DeviceAllocation otherValues(resources, count * sizeof(T), stream);
  cub::DoubleBuffer<T>   keyBuffers(keys, static_cast<T *>(otherKeys.get()));
  cub::DoubleBuffer<T>   valueBuffers(values, static_cast<T *>(otherValues.get()));
  constexpr int          bits = 8 * sizeof(T);
  const auto             sort = [&](void * storage, std::size_t & bytes) {
    CCL_CHECK(
      cub::DeviceRadixSort::SortPairsDescending(storage, bytes, keyBuffers, valueBuffers, count, 0, bits, stream));
  };
  std::size_t bytes = 0;
  sort(nullptr, bytes);
  const DeviceAllocation storage(resources, bytes, stream);
  sort(storage.get(), bytes);
  if (keyBuffers.Current() != keys)
  {
    CCL_CHECK(cudaMemcpyAsync(keys, keyBuffers.Current(), count * sizeof(T), cudaMemcpyDeviceToDevice, stream));
  }
  if (valueBuffers.Current() != values)
  {
    CCL_CHECK(cudaMemcpyAsync(values, valueBuffers.Current(), count * sizeof(T), cudaMemcpyDeviceToDevice, stream));
  }
}

template void
SortDescendingOnDevice(DeviceResources &, cudaStream_t, std::uint64_t, std::uint32_t *, std::uint32_t *);
template void
SortDescendingOnDevice(DeviceResources &, cudaStream_t, std::uint64_t, std::uint64_t *, std::uint64_t *);

} // namespace itk::ccl
