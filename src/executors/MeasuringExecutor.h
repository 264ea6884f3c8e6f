// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_executors_MeasuringExecutor_h
#define ccl_executors_MeasuringExecutor_h

#include "executors/Arena.h"
#include "executors/BoundedCount.h"
#include "primitives/Grid.h"
#include "primitives/Tuning.h"

#include <cstddef>
#include <cstdint>

namespace itk::ccl
{

/** Returns the values of each thread in a tile of a scan on a device. */
template <typename T>
constexpr unsigned int
ValuesPerScanThread(const BoundedCount<T> & count)
{
  return count.limit <= (count.isKnown ? Tuning::SmallScanValues : Tuning::SmallScanLimit)
           ? 1
           : Tuning::ScanValuesPerThread;
}

/** Returns the number of tiles of a scan on a device. A tile is the values that a thread block adds at a time. */
template <typename T>
constexpr std::uint64_t
ScanTileCount(const BoundedCount<T> & count)
{
  return DivideUp(count.limit, Tuning::ScanThreads * std::uint64_t{ ValuesPerScanThread(count) });
}

/** Returns the number of states of a scan on a device: one for each tile, and one more. */
template <typename T>
constexpr std::uint64_t
ScanStates(const BoundedCount<T> & count)
{
  return 1 + ScanTileCount(count);
}

/** A function that returns the bytes that a sort of `count` keys and values needs besides a second pair of arrays. */
using SortStorage = std::uint64_t (*)(std::uint64_t count, std::size_t bytesOfKey);

/** Measures the memory that an algorithm allocates on a device, and runs no functors. A model of the executor concept,
 * for algorithms that do not wait for results. Run the algorithm with it, make a DeviceArena of the size, and run the
 * algorithm again. Both runs must decide alike, so nothing may depend on the addresses. */
class MeasuringExecutor
{
public:
  /** `sortStorage` is called if the algorithm sorts. */
  explicit MeasuringExecutor(SortStorage sortStorage)
    : m_SortStorage(sortStorage)
  {}

  /** An array without memory. */
  template <typename T>
  struct Buffer
  {
    T * address;

    T *
    get() const
    {
      return address;
    }
  };

  template <typename T>
  Buffer<T>
  Allocate(std::uint64_t count) const
  {
    m_Size.uncleared += ArenaSize::BytesOf<T>(count);
    return { AddressWithoutMemory<T>(count) };
  }

  template <typename T>
  Buffer<T>
  AllocateCleared(std::uint64_t count) const
  {
    m_Size.cleared += ArenaSize::BytesOf<T>(count);
    return { AddressWithoutMemory<T>(count) };
  }

  unsigned int
  GetPartBits(unsigned int) const
  {
    return 0;
  }

  MemoryToClear
  TakeMemoryToClear() const
  {
    return {};
  }

  /** A result that is always 0. */
  template <typename T>
  struct Result
  {
    T *
    GetAddress() const
    {
      return AddressWithoutMemory<T>(1);
    }

    T
    Get() const
    {
      return 0;
    }
  };

  template <typename T>
  Result<T>
  AllocateResult() const
  {
    return {};
  }

  template <typename T>
  void
  Fill(T *, std::uint64_t, unsigned char) const
  {}

  template <typename TCells, typename TFunctor>
  void
  ForEach(const TCells &, const TFunctor &) const
  {}

  template <typename TWork>
  void
  Dispatch(const Grid &, const TWork &) const
  {}

  template <typename TFunctor, typename TTable>
  void
  AddToRows(const Grid &, const TFunctor &, const TTable &) const
  {}

  template <typename T>
  struct SortMemory
  {};

  template <typename T>
  SortMemory<T>
  AllocateForSort(std::uint64_t count) const
  {
    this->Allocate<T>(count);
    this->Allocate<T>(count);
    this->Allocate<unsigned char>(m_SortStorage(count, sizeof(T)));
    return {};
  }

  template <typename T>
  void
  SortDescending(std::uint64_t, T *, T *, const SortMemory<T> &) const
  {}

  bool
  MayWait() const
  {
    return false;
  }

  template <typename TSum, typename TFunction, typename TVisitor>
  void
  Scan(const BoundedCount<TSum> & count, const TFunction &, const TVisitor &, TSum *) const
  {
    this->AllocateCleared<std::uint64_t>(ScanStates(count));
  }

  /** Returns the size of all arrays. */
  const ArenaSize &
  GetSize() const
  {
    return m_Size;
  }

private:
  SortStorage       m_SortStorage;
  mutable ArenaSize m_Size;
};

} // namespace itk::ccl

#endif
