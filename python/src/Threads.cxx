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

/** The threads that the calls want whose loops run now. */
std::atomic<std::uint64_t> wantedThreads{ 0 };

/** Counts the threads that a call wants, during a loop. */
class Wish
{
public:
  explicit Wish(std::uint64_t count)
    : m_Count(count)
  {
    wantedThreads += count;
  }
  ~Wish() { wantedThreads -= m_Count; }
  Wish(const Wish &) = delete;
  Wish &
  operator=(const Wish &) = delete;

private:
  std::uint64_t m_Count;
};

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
Threads::ForgetOtherCalls()
{
  wantedThreads = 0;
}

std::uint64_t
Threads::Share() const
{
  const std::uint64_t count = m_Count;
  // A call that wants `count` of `wantedThreads` gets this share of its own `count`. So equal calls use `count`
  // together.
  return std::max<std::uint64_t>(1, count * count / std::max(count, wantedThreads.load(std::memory_order_relaxed)));
}

void
Threads::Start(std::uint64_t count)
{
  try
  {
    while (m_Others.size() + 1 < count)
    {
      m_Others.emplace_back([this, index = m_Others.size() + 1, loop = m_Loop + 1] { this->Work(index, loop); });
    }
  }
  catch (const std::system_error &)
  {
    // The system has no more threads. The loops run on fewer.
    m_Count = static_cast<unsigned int>(m_Others.size() + 1);
  }
}

void
Threads::Run(std::uint64_t count, const BodyType & body)
{
  const Wish wish(std::min<std::uint64_t>(m_Count, count));
  if (count > 1)
  {
    this->Start(this->Share());
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
  this->CallBlocks(
    [&](std::uint64_t i) {
      body(i);
      if (signals.IsInterrupted())
      {
        isInterrupted = true;
        m_IsStopped = true;
      }
    },
    [] { return true; });
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

template <typename TBody, typename TCondition>
void
Threads::CallBlocks(const TBody & body, const TCondition & mayGoOn)
{
  try
  {
    while (!m_IsStopped && mayGoOn())
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
Threads::Work(std::uint64_t index, std::uint64_t loop)
{
  for (;; ++loop)
  {
    std::unique_lock<std::mutex> lock(m_Mutex);
    m_Changed.wait(lock, [this, loop] { return m_Loop == loop; });
    const BodyType * const body = m_Body;
    lock.unlock();
    if (body == nullptr)
    {
      return;
    }
    this->CallBlocks(*body, [this, index] { return index < this->Share(); });
    lock.lock();
    if (--m_Working == 0)
    {
      m_Changed.notify_all();
    }
  }
}
