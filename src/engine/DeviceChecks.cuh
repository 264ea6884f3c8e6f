// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_engine_DeviceChecks_cuh
#define ccl_engine_DeviceChecks_cuh

// The checks of the memory and the streams of a device. They throw CudaConnectedComponentError.

#include "algorithms/Request.h"

#include "itkCudaConnectedComponentDeviceCall.h"

#include <cuda_runtime_api.h>

#include <cstdint>

namespace itk::ccl
{

/** Throws CudaConnectedComponentError unless the memory belongs to the device, is managed or is null. A kernel that
 * accessed other memory would fail with an error from which the process cannot recover. */
void
RequireDeviceMemory(const void * memory, const char * name, int device);

/** Does the same for an array of numbers of 8 bytes, and checks its alignment. */
void
RequireDeviceNumbers(const void * memory, const char * name, int device);

/** Does the same for all columns of a table. */
void
RequireDeviceTable(const CudaConnectedComponentDeviceTable & table, int device);

/** Returns whether a stream captures a graph. Throws CudaConnectedComponentError if it is the default stream while
 * another stream captures: work on it would invalidate that capture. */
bool
RequireUsable(cudaStream_t stream);

/** Throws CudaConnectedComponentError if a call cannot wait for a stream: it captures a graph, or it is the default
 * stream while another stream does. The capture stays valid. */
void
RequireNoCapture(cudaStream_t stream);

/** Throws CudaConnectedComponentError unless a workspace has the needed bytes and alignment. */
void
RequireWorkspace(const void * workspace, std::uint64_t bytes, std::uint64_t needed);

/** Does the same as RequireDeviceMemory() for all images of a call. */
void
RequireDeviceImages(int device, const ImageView & input, const Request & request, const ImageView & output);

} // namespace itk::ccl

#endif
