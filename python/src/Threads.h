// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_python_Threads_h
#define ccl_python_Threads_h

#include "itkCudaConnectedComponentLabeler.h"

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

/** The threads of one call. The calling thread is one of them, and looks for Ctrl-C. There are no threads between
 * calls, so a process may fork there.
 *
 * Loops of several calls at the same time share the threads: together they use no more than the call that wants most,
 * or one thread each.
 *
 * The calling thread must not hold the GIL. One loop of a call runs at a time. */
class Threads
{
public:
  using LoopType = itk::CudaConnectedComponentLabeler::ParallelForType;

  /** The other threads start with the loops that need them. */
  explicit Threads(unsigned int count)
    : m_Count(count)
  {}

  ~Threads();
  Threads(const Threads &) = delete;
  Threads &
  operator=(const Threads &) = delete;

  /** Returns a loop that runs on the threads. The loop throws nanobind::python_error after Ctrl-C. */
  LoopType
  GetLoop()
  {
    return [this](std::uint64_t count, const BodyType & body) { this->Run(count, body); };
  }

  /** Calls body(i) for each i from 0 to count - 1, and waits for all calls. After an exception of a body, later calls
   * are left out, and the first exception is thrown. */
  void
  Run(std::uint64_t count, const std::function<void(std::uint64_t)> & body);

  /** Forgets the calls of other threads. For the child of a fork, which has one thread. */
  static void
  ForgetOtherCalls();

private:
  using BodyType = std::function<void(std::uint64_t)>;

  /** Returns the number of threads that the loop may use now. */
  std::uint64_t
  Share() const;
  void
  Start(std::uint64_t count);
  void
  Work(std::uint64_t index, std::uint64_t loop);
  template <typename TBody, typename TCondition>
  void
  CallBlocks(const TBody & body, const TCondition & mayGoOn);

  unsigned int               m_Count;
  std::vector<std::thread>   m_Others;
  std::mutex                 m_Mutex;
  std::condition_variable    m_Changed;
  const BodyType *           m_Body = nullptr; // nullptr ends the threads
  std::uint64_t              m_End = 0;
  std::uint64_t              m_BlockLength = 1; // iterations that a thread takes at a time
  std::atomic<std::uint64_t> m_Next{ 0 };
  std::atomic<bool>          m_IsStopped{ false };
  std::size_t                m_Working = 0; // other threads that have not finished the loop
  std::uint64_t              m_Loop = 0;
  std::exception_ptr         m_Exception; // the first one of the loop
};

#endif
