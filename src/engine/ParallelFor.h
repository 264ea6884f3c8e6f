// SPDX-License-Identifier: Apache-2.0
#ifndef ParallelFor_h
#define ParallelFor_h

// Loops whose iterations run on the threads of whoever calls the engine.

#include "itkCudaConnectedComponentLabeler.h"

#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <string>
#include <utility>

namespace itk::ccl
{

/** Calls body(i) once for every i below count, in any order, on any number of threads, and returns after all calls have
 * ended. Throws what a body throws. */
using ParallelFor = CudaConnectedComponentLabeler::ParallelForType;

inline void
SequentialFor(std::uint64_t count, const std::function<void(std::uint64_t)> & body)
{
  for (std::uint64_t i = 0; i < count; ++i)
  {
    body(i);
  }
}

/** Makes a ParallelFor of a loop whose threads must not see exceptions. The first exception that a body throws is kept,
 * bodies that have not started by then are left out, and the exception is thrown again on the caller's thread. A loop
 * that leaves calls out is an error: nothing reads what such a loop was to write. */
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
      throw CudaConnectedComponentError(CudaConnectedComponentError::Kind::InvalidArgument,
                                        "parallelFor called its body " + std::to_string(calls) + " times instead of " +
                                          std::to_string(count));
    }
  };
}

} // namespace itk::ccl

#endif
