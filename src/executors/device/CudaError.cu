// SPDX-License-Identifier: Apache-2.0
#include "executors/device/CudaError.cuh"

#include "itkCudaConnectedComponentError.h"

#include <cstring>
#include <string>

namespace itk::ccl
{

void
CheckCuda(cudaError_t error, const char * expression, const char * file, int line)
{
  if (error == cudaSuccess)
  {
    return;
  }
  // An error that does not stick to the context must not be met again by the next check.
  cudaGetLastError();
  const char * const slash = std::strrchr(file, '/');
  throw CudaConnectedComponentError(error == cudaErrorMemoryAllocation ? CudaConnectedComponentError::Kind::Memory
                                                                       : CudaConnectedComponentError::Kind::Cuda,
                                    std::string("CUDA: ") + cudaGetErrorString(error) + " (" + cudaGetErrorName(error) +
                                      ") in " + expression + " at " + (slash ? slash + 1 : file) + ":" +
                                      std::to_string(line));
}

} // namespace itk::ccl
