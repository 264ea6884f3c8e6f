// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_executors_device_CudaError_cuh
#define ccl_executors_device_CudaError_cuh

#include <cuda_runtime_api.h>

namespace itk::ccl
{

/** Throws CudaConnectedComponentError unless `error` is cudaSuccess. The kind is Memory if CUDA had too little memory,
 * else Cuda. The message contains CUDA's message, the expression, and its file and line. */
void
CheckCuda(cudaError_t error, const char * expression, const char * file, int line);

/** Calls CheckCuda() for an expression that returns a cudaError_t. */
#define CCL_CHECK(expression) ::itk::ccl::CheckCuda((expression), #expression, __FILE__, __LINE__)

} // namespace itk::ccl

#endif
