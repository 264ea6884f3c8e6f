// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_engine_MemoryLimit_h
#define ccl_engine_MemoryLimit_h

#include "itkCudaConnectedComponentLabeler.h"

#include <cstdint>

namespace itk::ccl
{

/** Returns the most bytes of device memory that a call on images in host memory may use: the limit of the options, or
 * else that of the process. Returns NoMemoryLimit if there is none. Throws CudaConnectedComponentError
 * (InvalidArgument) if the environment variable has no number of bytes. */
std::uint64_t
MemoryLimitOf(const CudaConnectedComponentLabeler::Options & options);

} // namespace itk::ccl

#endif
