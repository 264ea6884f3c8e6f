// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_executors_device_PendingValue_cuh
#define ccl_executors_device_PendingValue_cuh

#include "executors/device/CudaError.cuh"

#include <cuda/atomic>

#include <memory>
#include <utility>

namespace itk::ccl
{

/** A value that the device writes to the host's memory, once: a copy would take longer than small kernels do.
 *
 * The memory is free for another value as soon as this one has arrived, as nothing writes to it after that: so whoever
 * reads the value need not wait for the stream. As long as it has not arrived, the destructor waits for the stream
 * before the memory goes back. */
template <typename T>
class PendingValue
{
public:
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

  T *
  GetAddress() const
  {
    return static_cast<T *>(m_Memory.get());
  }

  /** Waits for all that the stream has to do. */
  T
  Get() const
  {
    CCL_CHECK(cudaStreamSynchronize(m_Stream));
    m_IsPending = false;
    return *this->GetAddress();
  }

  /** Waits until the device has replaced a value by another one, and not for what the stream has to do after that,
   * unless that takes long. */
  T
  GetReplacementOf(T placeholder) const
  {
    constexpr unsigned int                               maximumLooks = 1000000; // about a millisecond
    const cuda::atomic_ref<T, cuda::thread_scope_system> value(*this->GetAddress());
    for (unsigned int looks = 0; looks < maximumLooks; ++looks)
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
