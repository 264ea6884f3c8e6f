// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_executors_Arena_h
#define ccl_executors_Arena_h

#include "primitives/Grid.h"

#include <cstdint>
#include <utility>

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

/** Memory whose bytes must become 0. */
struct MemoryToClear
{
  std::uint64_t * words = nullptr;
  std::uint64_t   count = 0;
};

/** Divides one block of memory into the arrays of a call. Does not own the memory, and does not access it. */
class Arena
{
public:
  /** \param memory block of `size.GetTotal()` bytes with the alignment of ArenaSize. Its first `size.cleared` bytes are
   * for arrays whose bytes are 0. */
  Arena(void * memory, const ArenaSize & size)
    : m_ToClear{ static_cast<std::uint64_t *>(memory), size.cleared / sizeof(std::uint64_t) }
    , m_Left(size)
    , m_Cleared(static_cast<unsigned char *>(memory))
    , m_Uncleared(m_Cleared + size.cleared)
  {}

  /** Returns memory for an array, or null if it has no elements or if there is too little memory left. */
  template <typename T>
  T *
  Take(std::uint64_t count)
  {
    return TakeFrom<T>(m_Uncleared, m_Left.uncleared, count);
  }

  /** Does the same for an array whose bytes are 0. */
  template <typename T>
  T *
  TakeCleared(std::uint64_t count)
  {
    return TakeFrom<T>(m_Cleared, m_Left.cleared, count);
  }

  /** Returns the memory for cleared arrays at the first call, and none at later calls. The caller must clear it before
   * it takes a cleared array. */
  MemoryToClear
  TakeMemoryToClear()
  {
    return std::exchange(m_ToClear, {});
  }

  /** Returns the memory that is left. */
  const ArenaSize &
  GetLeft() const
  {
    return m_Left;
  }

private:
  template <typename T>
  static T *
  TakeFrom(unsigned char *& memory, std::uint64_t & left, std::uint64_t count)
  {
    const std::uint64_t bytes = ArenaSize::BytesOf<T>(count);
    if (count == 0 || bytes > left)
    {
      return nullptr;
    }
    unsigned char * const taken = memory;
    memory += bytes;
    left -= bytes;
    return reinterpret_cast<T *>(taken);
  }

  MemoryToClear   m_ToClear;
  ArenaSize       m_Left;
  unsigned char * m_Cleared;   // begin of the next cleared array
  unsigned char * m_Uncleared; // begin of the next other array
};

/** Returns an address that stands for an array of an executor that runs no functors. As with memory, it is null if the
 * array has no elements, and not null otherwise, because algorithms may ask whether there is an array. */
template <typename T>
T *
AddressWithoutMemory(std::uint64_t count)
{
  return count == 0 ? nullptr : reinterpret_cast<T *>(std::uintptr_t{ ArenaSize::Alignment });
}

} // namespace itk::ccl

#endif
