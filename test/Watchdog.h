// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_test_Watchdog_h
#define ccl_test_Watchdog_h

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <thread>

/** Aborts the program if the object lives longer than a limit. So a test that hangs fails after the limit. */
class Watchdog
{
public:
  explicit Watchdog(std::chrono::seconds limit = std::chrono::seconds(60))
    : m_Thread([this, limit] {
      std::unique_lock<std::mutex> lock(m_Mutex);
      if (!m_Gone.wait_for(lock, limit, [this] { return m_IsGone; }))
      {
        std::fputs("the test hangs\n", stderr);
        std::abort();
      }
    })
  {}

  ~Watchdog()
  {
    {
      const std::lock_guard<std::mutex> lock(m_Mutex);
      m_IsGone = true;
    }
    m_Gone.notify_all();
    m_Thread.join();
  }

  Watchdog(const Watchdog &) = delete;
  Watchdog &
  operator=(const Watchdog &) = delete;

private:
  std::mutex              m_Mutex;
  std::condition_variable m_Gone;
  bool                    m_IsGone = false;
  std::thread             m_Thread;
};

#endif
