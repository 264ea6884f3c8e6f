// SPDX-License-Identifier: Apache-2.0

// Loops on the threads of ITK.

#include "CudaConnectedComponentsDetail/ParallelFor.h"

#include "executors/host/ParallelFor.h"

#include "itkPoolMultiThreader.h"
#include "itkThreadPool.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <typeinfo>

namespace itk
{
namespace CudaConnectedComponentsDetail
{

namespace
{

using BodyType = std::function<void(std::uint64_t)>;

/** A loop whose iterations are taken by any number of threads, block by block. The body must not throw. */
class SharedLoop
{
public:
  SharedLoop(std::uint64_t count, std::uint64_t workUnits, const BodyType & body)
    : m_Count(count)
    // Neighboring iterations often write to the same new page of memory. So a thread takes many of them at a time.
    , m_BlockLength(std::max<std::uint64_t>(1, count / (4 * workUnits)))
    , m_Body(body)
  {}

  /** Calls the body for blocks of iterations until no block is left. */
  void
  CallBlocks()
  {
    for (std::uint64_t begin = 0; (begin = m_Next.fetch_add(m_BlockLength)) < m_Count;)
    {
      const std::uint64_t end = std::min(begin + m_BlockLength, m_Count);
      for (std::uint64_t i = begin; i < end; ++i)
      {
        m_Body(i);
      }
      const std::lock_guard<std::mutex> lock(m_Mutex);
      m_Done += end - begin;
      if (m_Done == m_Count)
      {
        m_Changed.notify_all();
      }
    }
  }

  /** Waits until all blocks are done. Call it after CallBlocks(). */
  void
  Wait()
  {
    std::unique_lock<std::mutex> lock(m_Mutex);
    m_Changed.wait(lock, [this] { return m_Done == m_Count; });
  }

private:
  const std::uint64_t        m_Count;
  const std::uint64_t        m_BlockLength;
  const BodyType &           m_Body; // may be destroyed once all iterations are done
  std::atomic<std::uint64_t> m_Next{ 0 };
  std::mutex                 m_Mutex;
  std::condition_variable    m_Changed;
  std::uint64_t              m_Done = 0;
};

/** Runs a loop on the calling thread and the threads of ITK's pool. PoolMultiThreader::ParallelizeArray() waits until
 * the pool has started all parts of the loop. If all threads of the pool wait so, they wait for ever, as when a filter
 * runs for each of many seeds in parallel. This loop waits only for blocks that a thread has taken. */
void
RunInPool(std::uint64_t count, const BodyType & body, std::uint64_t workUnits)
{
  const auto loop = std::make_shared<SharedLoop>(count, workUnits, body);
  try
  {
    const auto pool = ThreadPool::GetInstance();
    for (std::uint64_t i = 1; i < workUnits; ++i)
    {
      pool->AddWork([loop] { loop->CallBlocks(); });
    }
  }
  catch (const std::exception &)
  {
    // There is too little memory for more work in the pool. Fewer threads take all blocks.
  }
  loop->CallBlocks();
  loop->Wait();
}

} // namespace

CudaConnectedComponentLabeler::ParallelForType
ParallelForOf(MultiThreaderBase * threader)
{
  return [threader](std::uint64_t count, const BodyType & body) {
    const std::uint64_t workUnits = std::min<std::uint64_t>(count, threader->GetNumberOfWorkUnits());
    if (workUnits > 1 && typeid(*threader) == typeid(PoolMultiThreader)) // a derived class may have loops of its own
    {
      RunInPool(count, body, workUnits);
    }
    else
    {
      threader->ParallelizeArray(0, static_cast<SizeValueType>(count), [&body](SizeValueType i) { body(i); }, nullptr);
    }
  };
}

void
ForEachInParallel(MultiThreaderBase * threader, std::uint64_t count, const BodyType & body)
{
  // CheckedFor() counts the calls, so a call has many iterations.
  const std::uint64_t blocks = std::min<std::uint64_t>(count, 1024);
  ccl::CheckedFor(ParallelForOf(threader))(blocks, [&](std::uint64_t block) {
    for (std::uint64_t i = count * block / blocks; i < count * (block + 1) / blocks; ++i)
    {
      body(i);
    }
  });
}

} // namespace CudaConnectedComponentsDetail
} // namespace itk
