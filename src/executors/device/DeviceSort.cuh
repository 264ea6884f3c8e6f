// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_executors_device_DeviceSort_cuh
#define ccl_executors_device_DeviceSort_cuh

#include "executors/device/DeviceResources.cuh"

#include <cstdint>

namespace itk::ccl
{

/** Sorts keys on a stream, the highest first, and the values in the same way. Values with equal keys keep their order.
 * \tparam T std::uint32_t or std::uint64_t
 * \param keys `count` elements of device memory
 * \param values `count` elements of device memory */
template <typename T>
void
SortDescendingOnDevice(DeviceResources & resources, cudaStream_t stream, std::uint64_t count, T * keys, T * values);

} // namespace itk::ccl

#endif
