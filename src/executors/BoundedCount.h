// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_executors_BoundedCount_h
#define ccl_executors_BoundedCount_h

#include "primitives/Atomics.h"
#include "primitives/Grid.h"
#include "primitives/HostDevice.h"

#include <cstdint>

namespace itk::ccl
{

/** The number of elements of an array. The host knows a limit only, if earlier functors compute the number. */
template <typename T>
struct BoundedCount
{
  std::uint64_t limit = 0;         // the array has room for so many elements
  const T *     address = nullptr; // of the number, in the executor's memory, if it is not known
  bool          isKnown = true;    // whether the host knows the number: it is the limit

  BoundedCount() = default;

  /** A number that the host knows. It is not explicit, so functions that take a BoundedCount take a number. */
  CCL_HOST_DEVICE
  BoundedCount(std::uint64_t count)
    : limit(count)
  {}

  /** A number that functors compute. */
  CCL_HOST_DEVICE
  BoundedCount(std::uint64_t limitOfCount, const T * addressOfCount)
    : limit(limitOfCount)
    , address(addressOfCount)
    , isKnown(false)
  {}

  /** Returns the number of elements that there are, also if the array has no room for them. Call it in functors. */
  CCL_HOST_DEVICE
  std::uint64_t
  GetTrueCount() const
  {
    return isKnown ? limit : *address;
  }

  /** Returns whether there are more elements than the array has room for. Call it in functors. */
  CCL_HOST_DEVICE
  bool
  IsExceeded() const
  {
    return this->GetTrueCount() > limit;
  }

  /** Returns the number of elements to work on: 0 if there are more than the limit. Call it in functors. */
  CCL_HOST_DEVICE
  std::uint64_t
  GetOrZero() const
  {
    const std::uint64_t count = this->GetTrueCount();
    return count <= limit ? count : 0;
  }
};

/** Kernel functor that copies a true count to an integer of 64 bits, which the host may read. */
template <typename T>
struct StoreCount
{
  BoundedCount<T> count;
  std::uint64_t * memory;

  CCL_HOST_DEVICE
  void
  operator()(const Cell &) const
  {
    StoreForHost(memory, count.GetTrueCount());
  }
};

/** The work of Dispatch() on the elements of an array. */
template <typename T, typename TFunctor>
struct WorkOnElements
{
  BoundedCount<T> count;
  TFunctor        functor;

  CCL_NO_EXECUTION_CHECK
  template <typename TVisitor>
  CCL_HOST_DEVICE
  void
  Dispatch(const TVisitor & visit) const
  {
    visit(count.GetOrZero(), functor);
  }
};

} // namespace itk::ccl

#endif
