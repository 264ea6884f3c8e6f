// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_executors_host_HostThreadBlock_h
#define ccl_executors_host_HostThreadBlock_h

#include <array>
#include <cstdint>

namespace itk::ccl
{

/** A thread block on the host. A model of the thread block concept (see executors/Executor.h): each call is a loop over
 * the threads, so each call is a barrier, too. */
template <unsigned int VThreads>
class HostThreadBlock
{
public:
  static_assert(VThreads % 32 == 0, "a thread block consists of whole warps");

  template <typename T>
  using PerThread = std::array<T, VThreads>;

  explicit HostThreadBlock(std::uint64_t index)
    : m_Index(index)
  {}

  std::uint64_t
  GetIndex() const
  {
    return m_Index;
  }

  template <typename TFunction>
  void
  ForEachThread(const TFunction & function) const
  {
    for (unsigned int thread = 0; thread < VThreads; ++thread)
    {
      function(thread);
    }
  }

  void
  Synchronize() const
  {}

  template <typename TPredicate>
  bool
  Any(const TPredicate & predicate) const
  {
    bool any = false;
    for (unsigned int thread = 0; thread < VThreads; ++thread)
    {
      any |= static_cast<bool>(predicate(thread));
    }
    return any;
  }

  template <typename TPredicate>
  PerThread<std::uint32_t>
  Ballot(const TPredicate & predicate) const
  {
    PerThread<std::uint32_t> result;
    for (unsigned int warp = 0; warp < VThreads; warp += 32)
    {
      std::uint32_t bits = 0;
      for (unsigned int lane = 0; lane < 32; ++lane)
      {
        bits |= static_cast<std::uint32_t>(static_cast<bool>(predicate(warp + lane))) << lane;
      }
      for (unsigned int lane = 0; lane < 32; ++lane)
      {
        result[warp + lane] = bits;
      }
    }
    return result;
  }

  template <typename T, typename TFunction>
  PerThread<T>
  Shuffle(const PerThread<T> & values, const TFunction & laneOf) const
  {
    PerThread<T> result;
    for (unsigned int thread = 0; thread < VThreads; ++thread)
    {
      result[thread] = values[thread / 32 * 32 + laneOf(thread)];
    }
    return result;
  }

  template <typename T>
  PerThread<std::uint32_t>
  MatchAny(const PerThread<T> & values) const
  {
    PerThread<std::uint32_t> result;
    for (unsigned int thread = 0; thread < VThreads; ++thread)
    {
      result[thread] = 0;
      for (unsigned int lane = 0; lane < 32; ++lane)
      {
        result[thread] |= static_cast<std::uint32_t>(values[thread / 32 * 32 + lane] == values[thread]) << lane;
      }
    }
    return result;
  }

private:
  std::uint64_t m_Index;
};

} // namespace itk::ccl

#endif
