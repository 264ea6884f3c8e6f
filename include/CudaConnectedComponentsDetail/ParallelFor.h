// SPDX-License-Identifier: Apache-2.0
#ifndef CudaConnectedComponentsDetail_ParallelFor_h
#define CudaConnectedComponentsDetail_ParallelFor_h

#include "itkCudaConnectedComponentLabeler.h"
#include "itkMultiThreaderBase.h"

namespace itk
{
namespace CudaConnectedComponentsDetail
{

/** Runs the labeler's loops on the threads of an ITK filter, on as many work units as its multi-threader has. ITK drops
 * or mishandles what a worker throws, depending on its version and multi-threader: the labeler's bodies throw nothing.
 */
inline CudaConnectedComponentLabeler::ParallelForType
ParallelForOf(MultiThreaderBase * threader)
{
  return [threader](std::uint64_t count, const std::function<void(std::uint64_t)> & body) {
    threader->ParallelizeArray(0, static_cast<SizeValueType>(count), [&body](SizeValueType i) { body(i); }, nullptr);
  };
}

} // namespace CudaConnectedComponentsDetail
} // namespace itk

#endif
