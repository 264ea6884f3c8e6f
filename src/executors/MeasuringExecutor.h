// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_executors_MeasuringExecutor_h
#define ccl_executors_MeasuringExecutor_h

#include "executors/BoundedCount.h"
#include "primitives/Grid.h"
#include "primitives/Tuning.h"

#include <cstdint>

namespace itk::ccl
{

/** The bytes of the arrays of a call, if all of them lie in one block of memory. */
struct ArenaSize
{
  std::uint64_t cleared = 0;   // of AllocateCleared()
  std::uint64_t uncleared = 0; // of Allocate()

  /** The alignment of all arrays in bytes. */
  static constexpr std::uint64_t Alignment = 256;

  /** Returns the bytes of an array, a multiple of the alignment. */
  template <typename T>
  static constexpr std::uint64_t
  BytesOf(std::uint64_t count)
  {
    return DivideUp(count * sizeof(T), Alignment) * Alignment;
  }

  /** Returns the bytes of all arrays. */
  std::uint64_t
  GetTotal() const
  {
    return cleared + uncleared;
  }
};

/** Returns the number of states of a scan on a device: one for each tile of values, and one more. */
constexpr std::uint64_t
ScanStates(std::uint64_t values)
{
  return 1 + DivideUp(values, std::uint64_t{ Tuning::ScanThreads } * Tuning::ScanValuesPerThread);
}

/** Returns the bytes that a sort on the current device needs besides a second pair of arrays. Starts the device. */
template <typename T>
std::uint64_t
SortStorageBytes(std::uint64_t count);

/** Measures the memory that an algorithm allocates on a device, and runs no functors. A model of the executor concept,
 * for algorithms that do not wait for results. Run the algorithm with it, make a DeviceArena of the size, and run the
 * algorithm again. */
class MeasuringExecutor
{
public:
  template <typename T>
  struct Buffer
  {
    T *
    get() const
    {
      return nullptr;
    }
  };

  template <typename T>
  Buffer<T>
  Allocate(std::uint64_t count) const
  {
    m_Size.uncleared += ArenaSize::BytesOf<T>(count);
    return {};
  }

  template <typename T>
  Buffer<T>
  AllocateCleared(std::uint64_t count) const
  {
    m_Size.cleared += ArenaSize::BytesOf<T>(count);
    return {};
  }

  /** A result that is always 0. */
  template <typename T>
  struct Result
  {
    T *
    GetAddress() const
    {
      return nullptr;
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
  ForEachChosen(const Grid &, const TWork &) const
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
    this->Allocate<unsigned char>(SortStorageBytes<T>(count));
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
    this->AllocateCleared<std::uint64_t>(ScanStates(count.limit));
  }

  /** Returns the size of all arrays. */
  const ArenaSize &
  GetSize() const
  {
    return m_Size;
  }

private:
  mutable ArenaSize m_Size;
};

} // namespace itk::ccl

#endif
