// SPDX-License-Identifier: Apache-2.0
#include "executors/device/DeviceSort.cuh"

#include "executors/device/CudaError.cuh"

#include <cub/device/device_radix_sort.cuh>

#include <memory>

namespace itk::ccl
{

namespace
{

/** Sorts, or sets `storageBytes` if `storage` is null. */
template <typename T>
void
Sort(cudaStream_t           stream,
     std::uint64_t          count,
     cub::DoubleBuffer<T> & keys,
     cub::DoubleBuffer<T> & values,
     void *                 storage,
     std::size_t &          storageBytes)
{
  constexpr int bits = 8 * sizeof(T);
  cudaGetLastError(); // CUB would report an earlier error of the program as its own
  CCL_CHECK(cub::DeviceRadixSort::SortPairsDescending(storage, storageBytes, keys, values, count, 0, bits, stream));
}

template <typename T>
std::uint64_t
StorageBytes(std::uint64_t count)
{
  cub::DoubleBuffer<T> none(nullptr, nullptr);
  std::size_t          bytes = 0;
  Sort(nullptr, count, none, none, nullptr, bytes);
  return bytes;
}

} // namespace

std::uint64_t
SortStorageBytes(std::uint64_t count, std::size_t bytesOfKey)
{
  return bytesOfKey == sizeof(std::uint32_t) ? StorageBytes<std::uint32_t>(count) : StorageBytes<std::uint64_t>(count);
}

template <typename T>
void
SortDescendingOnDevice(cudaStream_t         stream,
                       std::uint64_t        count,
                       const SortArray<T> & keys,
                       const SortArray<T> & values,
                       void *               storage,
                       std::size_t          storageBytes)
{
  if (count == 0)
  {
    return;
  }
  cub::DoubleBuffer<T> keyBuffers(keys.elements, keys.scratch);
  cub::DoubleBuffer<T> valueBuffers(values.elements, values.scratch);
  Sort(stream, count, keyBuffers, valueBuffers, storage, storageBytes);
  const auto copyBack = [&](const T * sorted, T * elements) {
    if (sorted != elements)
    {
      CCL_CHECK(cudaMemcpyAsync(elements, sorted, count * sizeof(T), cudaMemcpyDeviceToDevice, stream));
    }
  };
  copyBack(keyBuffers.Current(), keys.elements);
  copyBack(valueBuffers.Current(), values.elements);
}

template <typename T>
void
LoadSortOnDevice(DeviceResources & resources)
{
  // CUB has kernels for few elements and kernels for many.
  constexpr std::uint64_t many = 65536;
  const auto              giveBack = [&resources](cudaStream_t stream) {
    cudaStreamSynchronize(stream);
    resources.ReturnStream(stream);
  };
  const std::unique_ptr<CUstream_st, decltype(giveBack)> owner(resources.TakeStream(), giveBack);
  const cudaStream_t                                     stream = owner.get();
  const DeviceAllocation                                 arrays(resources, 4 * many * sizeof(T), stream);
  const std::uint64_t                                    storageBytes = SortStorageBytes(many, sizeof(T));
  const DeviceAllocation                                 storage(resources, storageBytes, stream);
  auto * const                                           first = static_cast<T *>(arrays.get());
  CCL_CHECK(cudaMemsetAsync(first, 0, 4 * many * sizeof(T), stream));
  for (const std::uint64_t count : { std::uint64_t{ 2 }, many })
  {
    SortDescendingOnDevice<T>(
      stream, count, { first, first + many }, { first + 2 * many, first + 3 * many }, storage.get(), storageBytes);
  }
  CCL_CHECK(cudaStreamSynchronize(stream));
}

template void
SortDescendingOnDevice(cudaStream_t,
                       std::uint64_t,
                       const SortArray<std::uint32_t> &,
                       const SortArray<std::uint32_t> &,
                       void *,
                       std::size_t);
template void
SortDescendingOnDevice(cudaStream_t,
                       std::uint64_t,
                       const SortArray<std::uint64_t> &,
                       const SortArray<std::uint64_t> &,
                       void *,
                       std::size_t);
template void
LoadSortOnDevice<std::uint32_t>(DeviceResources &);
template void
LoadSortOnDevice<std::uint64_t>(DeviceResources &);

} // namespace itk::ccl
