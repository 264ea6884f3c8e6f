// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_test_HostTileExecutor_h
#define ccl_test_HostTileExecutor_h

#include "executors/host/HostExecutor.h"

#include <vector>

namespace itk::ccl
{

/** A tile executor (see executors/Executor.h) on the host. A loop calls each phase for all tiles, on one thread or on
 * several threads. */
class HostTileExecutor
{
public:
  /** \param count number of tiles
   * \param memoryOfTile size of the memory of each tile, in elements of 64 bits */
  HostTileExecutor(ParallelFor parallelFor, std::uint32_t count, std::uint64_t memoryOfTile)
    : m_ParallelFor(std::move(parallelFor))
    , m_MemoryOfTile(memoryOfTile)
    , m_Memory(count * memoryOfTile, 0xABCDEF01U)
    , m_Count(count)
  {}

  struct ThreadBlock
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
    Reduce(std::uint32_t count, const TFunction & valueAt) const
    {
      return this->ExclusiveScan(count, valueAt, [](std::uint32_t, std::uint32_t) {});
    }

    template <typename TFunction, typename TVisitor>
    std::uint32_t
    ExclusiveScan(std::uint32_t count, const TFunction & valueAt, const TVisitor & visit) const
    {
      std::uint32_t prefix = 0;
      for (std::uint32_t i = 0; i < count; ++i)
      {
        const std::uint32_t value = valueAt(i);
        visit(i, prefix);
        prefix += value;
      }
      return prefix;
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
      phase(ThreadBlock{ static_cast<std::uint32_t>(tile), m_Memory.data() + tile * m_MemoryOfTile });
    });
  }

  void
  Wait() const
  {}

  std::uint32_t
  ReduceTiles(const std::uint32_t * values) const
  {
    return ThreadBlock{ 0, nullptr }.Reduce(m_Count, [values](std::uint32_t tile) { return values[tile]; });
  }

private:
  ParallelFor                        m_ParallelFor;
  std::uint64_t                      m_MemoryOfTile;
  mutable std::vector<std::uint64_t> m_Memory;
  std::uint32_t                      m_Count;
};

} // namespace itk::ccl

#endif
