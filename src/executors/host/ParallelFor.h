// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_executors_host_ParallelFor_h
#define ccl_executors_host_ParallelFor_h

// The type of loops that run on several host threads. The caller of the library provides the threads, for example the
// threads of an ITK filter.

#include "itkCudaConnectedComponentError.h"

#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <string>
#include <utility>

namespace itk::ccl
{

/** Calls body(i) once for each i < count, in any order, on any number of threads, and returns after all calls. Throws
 * the first exception of a body. CudaConnectedComponentLabeler::ParallelForType is the same type. */
using ParallelFor = std::function<void(std::uint64_t count, const std::function<void(std::uint64_t)> & body)>;

/** A ParallelFor that uses the calling thread only. An exception of a body ends the loop at once. */
inline void
SequentialFor(std::uint64_t count, const std::function<void(std::uint64_t)> & body)
{
  for (std::uint64_t i = 0; i < count; ++i)
  {
    body(i);
  }
}

/** Makes a ParallelFor from a loop of the caller, whose threads must not see exceptions. The first exception of a body
 * is stored, later bodies do not start, and the calling thread throws the exception after the loop. Throws
 * CudaConnectedComponentError (InvalidArgument) if the loop skips or repeats calls, because the output would be wrong.
 */
inline ParallelFor
CheckedFor(ParallelFor loop)
{
  return [loop = std::move(loop)](std::uint64_t count, const std::function<void(std::uint64_t)> & body) {
    std::atomic<bool>          hasFailed{ false };
    std::exception_ptr         exception; // written by the thread that sets hasFailed
    std::atomic<std::uint64_t> ended{ 0 };
    if (count == 0)
    {
      return;
    }
    loop(count, [&](std::uint64_t i) {
      if (!hasFailed.load(std::memory_order_relaxed))
      {
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
      }
      ended.fetch_add(1, std::memory_order_acq_rel);
    });
    const std::uint64_t calls = ended.load(std::memory_order_acquire);
    if (exception)
    {
      std::rethrow_exception(exception);
    }
    if (calls != count)
    {
      throw CudaConnectedComponentError(CudaConnectedComponentError::KindEnum::InvalidArgument,
                                        "parallelFor called its body " + std::to_string(calls) + " times instead of " +
                                          std::to_string(count));
    }
  };
}

} // namespace itk::ccl

#endif
