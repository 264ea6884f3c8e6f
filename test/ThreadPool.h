// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_test_ThreadPool_h
#define ccl_test_ThreadPool_h

#include "executors/host/ParallelFor.h"

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

/** Four threads that run one loop at a time. Only one thread at a time may start a loop. */
class ThreadPool
{
public:
  ThreadPool()
  {
    for (int i = 0; i < 4; ++i)
    {
      m_Threads.emplace_back([this] { this->Work(); });
    }
  }

  ~ThreadPool()
  {
    this->Publish(nullptr, 0);
    for (auto & thread : m_Threads)
    {
      thread.join();
    }
  }

  ThreadPool(const ThreadPool &) = delete;
  ThreadPool &
  operator=(const ThreadPool &) = delete;

  /** Returns a loop that runs on a pool. The process has one pool. */
  static itk::ccl::ParallelFor
  For()
  {
    return [](std::uint64_t count, const Body & body) {
      static ThreadPool pool;
      pool.Run(count, body);
    };
  }

private:
  using Body = std::function<void(std::uint64_t)>;

  void
  Run(std::uint64_t count, const Body & body)
  {
    this->Publish(&body, count);
    std::unique_lock<std::mutex> lock(m_Mutex);
    m_Changed.wait(lock, [this] { return m_Working == 0; });
  }

  void
  Publish(const Body * body, std::uint64_t count)
  {
    {
      const std::lock_guard<std::mutex> lock(m_Mutex);
      m_Body = body;
      m_Count = count;
      m_Next = 0;
      m_Working = m_Threads.size();
      ++m_Loop;
    }
    m_Changed.notify_all();
  }

  void
  Work()
  {
    for (std::uint64_t loop = 1;; ++loop)
    {
      std::unique_lock<std::mutex> lock(m_Mutex);
      m_Changed.wait(lock, [this, loop] { return m_Loop == loop; });
      const Body * const  body = m_Body;
      const std::uint64_t count = m_Count;
      lock.unlock();
      if (body == nullptr)
      {
        return;
      }
      for (std::uint64_t i = m_Next++; i < count; i = m_Next++)
      {
        (*body)(i);
      }
      lock.lock();
      if (--m_Working == 0)
      {
        m_Changed.notify_all();
      }
    }
  }

  std::mutex                 m_Mutex;
  std::condition_variable    m_Changed;
  const Body *               m_Body = nullptr; // nullptr ends the threads
  std::uint64_t              m_Count = 0;
  std::atomic<std::uint64_t> m_Next{ 0 };
  std::size_t                m_Working = 0; // threads that have not finished the loop
  std::uint64_t              m_Loop = 0;
  std::vector<std::thread>   m_Threads;
};

#endif
