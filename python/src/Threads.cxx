// SPDX-License-Identifier: Apache-2.0
#include "Threads.h"

#include <nanobind/nanobind.h>

#include <algorithm>
#include <chrono>
#include <system_error>

#ifdef __linux__
#  include <sys/syscall.h>
#  include <unistd.h>
#endif

namespace
{

/** Looks for Ctrl-C every 0.1 s. Python handles signals on its main thread only, so other threads of Linux do not look.
 * On other systems they look and find nothing. */
class SignalCheck
{
public:
  /** Returns true after Ctrl-C. The Python exception is then set. */
  bool
  IsInterrupted()
  {
    if (!m_IsMainThread)
    {
      return false;
    }
    const auto now = std::chrono::steady_clock::now();
    if (now - m_Last < std::chrono::milliseconds(100))
    {
      return false;
    }
    m_Last = now;
    const nanobind::gil_scoped_acquire gil;
    return PyErr_CheckSignals() != 0;
  }

private:
#ifdef __linux__
  bool m_IsMainThread = syscall(SYS_gettid) == getpid();
#else
  bool m_IsMainThread = true;
#endif
  std::chrono::steady_clock::time_point m_Last = std::chrono::steady_clock::now();
};

} // namespace

Threads::~Threads()
{
  {
    const std::lock_guard<std::mutex> lock(m_Mutex);
    m_Body = nullptr;
    ++m_Loop;
  }
  m_Changed.notify_all();
  for (std::thread & thread : m_Others)
  {
    thread.join();
  }
}

void
Threads::Start()
{
  m_HasStarted = true;
  try
  {
    while (m_Others.size() + 1 < m_Count)
    {
      m_Others.emplace_back([this] { this->Work(); });
    }
  }
  catch (const std::system_error &)
  {
    // The system has no more threads. The loops run on fewer.
  }
}

void
Threads::Run(std::uint64_t count, const BodyType & body)
{
  if (count > 1 && !m_HasStarted)
  {
    this->Start();
  }
  const bool usesOthers = count > 1 && !m_Others.empty();
  {
    const std::lock_guard<std::mutex> lock(m_Mutex);
    m_Next = 0;
    m_End = count;
    // Neighboring iterations often write to the same new page of memory. So a thread takes many of them at a time.
    m_BlockLength = std::max<std::uint64_t>(1, count / (4 * (m_Others.size() + 1)));
    m_IsStopped = false;
    m_Exception = nullptr;
    if (usesOthers)
    {
      m_Body = &body;
      m_Working = m_Others.size();
      ++m_Loop;
    }
  }
  if (usesOthers)
  {
    m_Changed.notify_all();
  }

  SignalCheck signals;
  bool        isInterrupted = false;
  this->CallBlocks(body, [&] {
    if (signals.IsInterrupted())
    {
      isInterrupted = true;
      m_IsStopped = true;
    }
  });
  if (usesOthers)
  {
    std::unique_lock<std::mutex> lock(m_Mutex);
    m_Changed.wait(lock, [this] { return m_Working == 0; });
  }
  if (isInterrupted)
  {
    const nanobind::gil_scoped_acquire gil;
    throw nanobind::python_error();
  }
  if (m_Exception)
  {
    std::rethrow_exception(m_Exception);
  }
}

template <typename TFunction>
void
Threads::CallBlocks(const BodyType & body, const TFunction & afterEach)
{
  try
  {
    while (!m_IsStopped)
    {
      const std::uint64_t begin = m_Next.fetch_add(m_BlockLength);
      if (begin >= m_End)
      {
        return;
      }
      const std::uint64_t end = std::min(begin + m_BlockLength, m_End);
      for (std::uint64_t i = begin; i < end && !m_IsStopped; ++i)
      {
        body(i);
        afterEach();
      }
    }
  }
  catch (...)
  {
    const std::lock_guard<std::mutex> lock(m_Mutex);
    if (!m_Exception)
    {
      m_Exception = std::current_exception();
    }
    m_IsStopped = true;
  }
}

void
Threads::Work()
{
  for (std::uint64_t loop = 1;; ++loop)
  {
    std::unique_lock<std::mutex> lock(m_Mutex);
    m_Changed.wait(lock, [this, loop] { return m_Loop == loop; });
    const BodyType * const body = m_Body;
    lock.unlock();
    if (body == nullptr)
    {
      return;
    }
    this->CallBlocks(*body, [] {});
    lock.lock();
    if (--m_Working == 0)
    {
      m_Changed.notify_all();
    }
  }
}
