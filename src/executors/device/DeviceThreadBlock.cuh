// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_executors_device_DeviceThreadBlock_cuh
#define ccl_executors_device_DeviceThreadBlock_cuh

#include <cstdint>

namespace itk::ccl
{

/** The thread block that runs the calling thread. A model of the thread block concept (see executors/Executor.h): each
 * thread calls the function of a call with its own index. The kernel must be launched with VThreads threads along x.
 *
 * Members are for the device, but a functor that calls them may be compiled for both sides. */
template <unsigned int VThreads>
class DeviceThreadBlock
{
public:
  static_assert(VThreads % 32 == 0, "a thread block consists of whole warps");

  template <typename T>
  struct PerThread
  {
    T value;

    __device__ T &
    operator[](unsigned int)
    {
      return value;
    }

    __device__ const T &
    operator[](unsigned int) const
    {
      return value;
    }
  };

  __device__ explicit DeviceThreadBlock(std::uint64_t index)
    : m_Index(index)
  {}

  __device__ std::uint64_t
             GetIndex() const
  {
    return m_Index;
  }

  template <typename TFunction>
  __device__ void
  ForEachThread(const TFunction & function) const
  {
    function(threadIdx.x);
  }

  __device__ void
  Synchronize() const
  {
    __syncthreads();
  }

  template <typename TPredicate>
  __device__ bool
  Any(const TPredicate & predicate) const
  {
    return __syncthreads_or(predicate(threadIdx.x)) != 0;
  }

  template <typename TPredicate>
  __device__ PerThread<std::uint32_t>
             Ballot(const TPredicate & predicate) const
  {
    return { __ballot_sync(AllLanes, predicate(threadIdx.x)) };
  }

  template <typename T, typename TFunction>
  __device__ PerThread<T>
             Shuffle(const PerThread<T> & values, const TFunction & laneOf) const
  {
    return { __shfl_sync(AllLanes, values.value, laneOf(threadIdx.x)) };
  }

  template <typename T>
  __device__ PerThread<std::uint32_t>
             MatchAny(const PerThread<T> & values) const
  {
    return { __match_any_sync(AllLanes, values.value) };
  }

private:
  static constexpr unsigned int AllLanes = 0xFFFFFFFF;

  std::uint64_t m_Index;
};

} // namespace itk::ccl

#endif
