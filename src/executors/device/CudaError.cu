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
  using KindEnum = CudaConnectedComponentError::KindEnum;
  // CUDA also stores the error for cudaGetLastError(). Clear it there, so that later code does not see it again.
  cudaGetLastError();
  if (error == cudaErrorStreamCaptureImplicit)
  {
    throw CudaConnectedComponentError(KindEnum::InvalidArgument,
                                      "another stream captures a CUDA graph, so the default stream cannot be used: use "
                                      "another stream, or end the capture first");
  }
  const char * const slash = std::strrchr(file, '/');
  throw CudaConnectedComponentError(error == cudaErrorMemoryAllocation ? KindEnum::Memory : KindEnum::Cuda,
                                    std::string("CUDA: ") + cudaGetErrorString(error) + " (" + cudaGetErrorName(error) +
                                      ") in " + expression + " at " + (slash ? slash + 1 : file) + ":" +
                                      std::to_string(line));
}

} // namespace itk::ccl
