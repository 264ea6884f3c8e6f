// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_executors_device_DeviceSort_cuh
#define ccl_executors_device_DeviceSort_cuh

#include "executors/device/DeviceResources.cuh"

#include <cstddef>
#include <cstdint>

namespace itk::ccl
{

/** Returns the bytes that a sort on the current device needs besides a second pair of arrays. Starts the device.
 * `bytesOfKey` is 4 or 8. */
std::uint64_t
SortStorageBytes(std::uint64_t count, std::size_t bytesOfKey);

/** An array in device memory, and memory for a second one of the same length, which a sort overwrites. */
template <typename T>
struct SortArray
{
  T * elements;
  T * scratch;
};

/** Sorts keys on a stream, the highest first, and the values in the same way. Values with equal keys keep their order.
 * \tparam T std::uint32_t or std::uint64_t
 * \param storage device memory of SortStorageBytes() bytes for `count` or more elements */
template <typename T>
void
SortDescendingOnDevice(cudaStream_t         stream,
                       std::uint64_t        count,
                       const SortArray<T> & keys,
                       const SortArray<T> & values,
                       void *               storage,
                       std::size_t          storageBytes);

/** Loads the kernels of SortDescendingOnDevice(). Waits until they have run once. */
template <typename T>
void
LoadSortOnDevice(DeviceResources & resources);

} // namespace itk::ccl

#endif
