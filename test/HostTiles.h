// SPDX-License-Identifier: Apache-2.0
#ifndef HostTiles_h
#define HostTiles_h

#include "HostExecutor.h"

#include <vector>

namespace itk::ccl
{

/** What KernelExecutor does, on the host: the same calls, one tile after the other or on several threads at once. */
class HostTiles
{
public:
  /** Each tile has `memoryOfTile` elements for itself. */
  HostTiles(ParallelFor parallelFor, std::uint32_t count, std::uint64_t memoryOfTile)
    : m_ParallelFor(std::move(parallelFor))
    , m_MemoryOfTile(memoryOfTile)
    , m_Memory(count * memoryOfTile, 0xABCDEF01U)
    , m_Count(count)
  {}

  struct Team
  {
    std::uint32_t   index;
    std::uint64_t * memory;

    template <typename TFunction>
    void
    ForEach(std::uint32_t count, const TFunction & function) const
    {
      for (std::uint32_t i = 0; i < count; ++i)
      {
        function(i);
      }
    }

    template <typename TFunction>
    void
    Once(const TFunction & function) const
    {
      function();
    }

    template <typename TFunction>
    std::uint32_t
    Sum(std::uint32_t count, const TFunction & valueAt) const
    {
      return this->ForEachSum(count, valueAt, [](std::uint32_t, std::uint32_t) {});
    }

    template <typename TFunction, typename TVisitor>
    std::uint32_t
    ForEachSum(std::uint32_t count, const TFunction & valueAt, const TVisitor & visit) const
    {
      std::uint32_t sum = 0;
      for (std::uint32_t i = 0; i < count; ++i)
      {
        const std::uint32_t value = valueAt(i);
        visit(i, sum);
        sum += value;
      }
      return sum;
    }
  };

  template <typename T>
  std::unique_ptr<T[]>
  Allocate(std::uint64_t count) const
  {
    return std::unique_ptr<T[]>(new T[count]);
  }

  template <typename TPhase>
  void
  ForEachTile(const TPhase & phase) const
  {
    m_ParallelFor(m_Count, [&](std::uint64_t tile) {
      phase(Team{ static_cast<std::uint32_t>(tile), m_Memory.data() + tile * m_MemoryOfTile });
    });
  }

  void
  Wait() const
  {}

  std::uint32_t
  SumTiles(const std::uint32_t * values) const
  {
    return Team{ 0, nullptr }.Sum(m_Count, [values](std::uint32_t tile) { return values[tile]; });
  }

private:
  ParallelFor                        m_ParallelFor;
  std::uint64_t                      m_MemoryOfTile;
  mutable std::vector<std::uint64_t> m_Memory;
  std::uint32_t                      m_Count;
};

} // namespace itk::ccl

#endif
