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
 * The calling thread must not hold the GIL. One loop runs at a time. */
class Threads
{
public:
  using LoopType = itk::CudaConnectedComponentLabeler::ParallelForType;

  /** The other threads start with the first loop that has several iterations. */
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

private:
  using BodyType = std::function<void(std::uint64_t)>;

  void
  Start();
  void
  Work();
  template <typename TFunction>
  void
  CallBlocks(const BodyType & body, const TFunction & afterEach);

  unsigned int               m_Count;
  bool                       m_HasStarted = false;
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
