// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_executors_device_PendingValue_cuh
#define ccl_executors_device_PendingValue_cuh

#include "executors/device/CudaError.cuh"

#include <cuda/atomic>

#include <memory>
#include <utility>

namespace itk::ccl
{

/** A value that a kernel writes to pinned host memory. The direct write avoids a copy, which would take longer than a
 * small kernel.
 *
 * The kernel writes the value once, and nothing writes to the memory afterwards. So the memory can be used again as
 * soon as the value has arrived, even if the stream still has work. If the value has not been read, the destructor
 * waits for the stream before it releases the memory. Use it from one thread. */
template <typename T>
class PendingValue
{
public:
  /** Prepares for a value from a kernel on a stream. Does not wait.
   * \param memory pinned host memory for a T, or null if no kernel will write a value
   * \param stream the stream of the kernel */
  PendingValue(std::shared_ptr<void> memory, cudaStream_t stream)
    : m_Memory(std::move(memory))
    , m_Stream(stream)
  {}
  ~PendingValue()
  {
    if (m_Memory != nullptr && m_IsPending)
    {
      cudaStreamSynchronize(m_Stream);
    }
  }
  PendingValue(PendingValue &&) = default;

  /** Returns the address to which the kernel writes the value. */
  T *
  GetAddress() const
  {
    return static_cast<T *>(m_Memory.get());
  }

  /** Returns the value. Waits for all work of the stream. */
  T
  Get() const
  {
    CCL_CHECK(cudaStreamSynchronize(m_Stream));
    m_IsPending = false;
    return *this->GetAddress();
  }

  /** Returns the value as soon as it differs from a placeholder, which the caller has stored at GetAddress(). Does not
   * wait for later work of the stream, unless the value takes longer than about 1 ms to arrive. */
  T
  GetReplacementOf(T placeholder) const
  {
    constexpr unsigned int                               maximumReads = 1000000; // about 1 ms
    const cuda::atomic_ref<T, cuda::thread_scope_system> value(*this->GetAddress());
    for (unsigned int reads = 0; reads < maximumReads; ++reads)
    {
      const T known = value.load(cuda::memory_order_acquire);
      if (known != placeholder)
      {
        m_IsPending = false;
        return known;
      }
    }
    return this->Get();
  }

private:
  std::shared_ptr<void> m_Memory;
  cudaStream_t          m_Stream;
  mutable bool          m_IsPending = true;
};

} // namespace itk::ccl

#endif
