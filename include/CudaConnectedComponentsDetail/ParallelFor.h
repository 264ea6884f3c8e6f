// SPDX-License-Identifier: Apache-2.0
#ifndef CudaConnectedComponentsDetail_ParallelFor_h
#define CudaConnectedComponentsDetail_ParallelFor_h

#include "itkCudaConnectedComponentLabeler.h"
#include "itkMultiThreaderBase.h"

#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>

namespace itk
{
namespace CudaConnectedComponentsDetail
{

/** Returns a loop for CudaConnectedComponentLabeler::Options::parallelFor. The loop runs on the threads of a
 * multi-threader, with its number of work units. The multi-threader must exist as long as the loop is used.
 *
 * The bodies must not throw, because some versions and multi-threaders of ITK lose exceptions of worker threads. The
 * bodies of the labeler do not throw. */
inline CudaConnectedComponentLabeler::ParallelForType
ParallelForOf(MultiThreaderBase * threader)
{
  return [threader](std::uint64_t count, const std::function<void(std::uint64_t)> & body) {
    threader->ParallelizeArray(0, static_cast<SizeValueType>(count), [&body](SizeValueType i) { body(i); }, nullptr);
  };
}

/** Calls body(i) once for each i < count, on the threads of a multi-threader. Throws the first exception of a body
 * after all bodies have ended. */
inline void
ForEachInParallel(MultiThreaderBase * threader, std::uint64_t count, const std::function<void(std::uint64_t)> & body)
{
  std::atomic<bool>  hasFailed{ false };
  std::exception_ptr exception; // written by the thread that sets hasFailed
  ParallelForOf(threader)(count, [&](std::uint64_t i) {
    try
    {
      body(i);
    }
    catch (...)
    {
      if (!hasFailed.exchange(true))
      {
        exception = std::current_exception();
      }
    }
  });
  if (exception)
  {
    std::rethrow_exception(exception);
  }
}

} // namespace CudaConnectedComponentsDetail
} // namespace itk

#endif
