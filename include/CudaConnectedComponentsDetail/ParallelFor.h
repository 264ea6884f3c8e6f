// SPDX-License-Identifier: Apache-2.0
#ifndef CudaConnectedComponentsDetail_ParallelFor_h
#define CudaConnectedComponentsDetail_ParallelFor_h

#include "CudaConnectedComponentsExport.h"
#include "itkCudaConnectedComponentLabeler.h"
#include "itkMultiThreaderBase.h"

#include <cstdint>
#include <functional>

namespace itk
{
namespace CudaConnectedComponentsDetail
{

/** Returns a loop for CudaConnectedComponentLabeler::Options::parallelFor. The loop runs on the threads of a
 * multi-threader, with its number of work units. A thread of ITK's pool may call the loop. The multi-threader must
 * exist as long as the loop is used.
 *
 * The bodies must not throw, because some versions and multi-threaders of ITK lose exceptions of worker threads. The
 * bodies of the labeler do not throw. */
CudaConnectedComponents_EXPORT CudaConnectedComponentLabeler::ParallelForType
ParallelForOf(MultiThreaderBase * threader);

/** Calls body(i) once for each i < count, on the threads of a multi-threader. After an exception of a body, later
 * bodies do not start. Throws the first exception after the loop. */
CudaConnectedComponents_EXPORT void
ForEachInParallel(MultiThreaderBase * threader, std::uint64_t count, const std::function<void(std::uint64_t)> & body);

} // namespace CudaConnectedComponentsDetail
} // namespace itk

#endif
