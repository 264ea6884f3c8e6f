// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_engine_MeasureCall_cuh
#define ccl_engine_MeasureCall_cuh

// The device memory of a call that does not wait.

#include "algorithms/Request.h"
#include "executors/Arena.h"

#include "itkCudaConnectedComponentDeviceCall.h"

namespace itk::ccl
{

/** Returns the device memory of a call. Starts the current device if the call sorts. */
ArenaSize
MeasureCall(const Request & request, const CudaConnectedComponentDeviceCall & call);

} // namespace itk::ccl

#endif
