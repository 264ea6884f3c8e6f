// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_executors_host_HostMemory_h
#define ccl_executors_host_HostMemory_h

// Large arrays in host memory. The operating system provides the pages of new memory one by one, at the first write to
// each page. For large arrays, this takes longer than the writes. So the functions here ask for huge pages, and clear
// new memory without writing to it.

#include "primitives/Tuning.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <type_traits>

#ifdef __linux__
#  include <sys/mman.h>
#  include <unistd.h>
#endif

namespace itk::ccl
{

/** Size of a huge page of Linux on x86-64, in bytes. */
inline constexpr std::uintptr_t HugePageSize = std::uintptr_t{ 2 } << 20;

/** Asks the system for huge pages in a range of memory. Call it before the first write to the memory. The request
 * covers the huge pages that lie completely in the range. Does nothing on a system other than Linux. */
inline void
AdviseHugePages([[maybe_unused]] void * memory, [[maybe_unused]] std::uint64_t bytes)
{
#ifdef __linux__
  const auto           address = reinterpret_cast<std::uintptr_t>(memory);
  const std::uintptr_t begin = (address + HugePageSize - 1) / HugePageSize * HugePageSize;
  const std::uintptr_t end = (address + bytes) / HugePageSize * HugePageSize;
  if (begin < end)
  {
    // The result is ignored, because memory without huge pages is only slower.
    static_cast<void>(madvise(reinterpret_cast<void *>(begin), end - begin, MADV_HUGEPAGE));
  }
#endif
}

/** Frees the memory of AllocateOnHost(). */
struct FreeOnHost
{
  std::align_val_t alignment{ alignof(std::max_align_t) };

  void
  operator()(void * memory) const
  {
    ::operator delete(memory, alignment);
  }
};

/** The owner of an array that AllocateOnHost() has returned. */
template <typename T>
using HostBuffer = std::unique_ptr<T[], FreeOnHost>;

/** Allocates `count` uninitialized elements. An array of at least one huge page starts at a huge page, and asks for
 * huge pages. Throws std::bad_alloc if there is too little memory. */
template <typename T>
HostBuffer<T>
AllocateOnHost(std::uint64_t count)
{
  static_assert(std::is_trivially_copyable<T>::value, "no element is constructed");
  const std::uint64_t bytes = count * sizeof(T);
  const FreeOnHost    free{ std::align_val_t{ bytes < HugePageSize ? alignof(std::max_align_t) : HugePageSize } };
  HostBuffer<T>       memory(static_cast<T *>(::operator new(bytes, free.alignment)), free);
  AdviseHugePages(memory.get(), bytes);
  return memory;
}

/** Clears memory without writing to it: gives its pages back to the system, which provides zeros at the next access.
 * Returns false if the caller must write the zeros. This is so if the memory is smaller than
 * Tuning::HostUntouchedBytes, if its last page has been written since its allocation, if other processes share it, or
 * on a system other than Linux. The contents are then undefined.
 * \param memory memory of the process's heap; all of its contents are lost
 * \param bytes its size; the bytes before and after it in the first and the last page stay unchanged */
inline bool
ClearUntouched([[maybe_unused]] void * memory, [[maybe_unused]] std::uint64_t bytes)
{
#ifdef __linux__
  const auto           pageSize = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  const auto           address = reinterpret_cast<std::uintptr_t>(memory);
  const std::uintptr_t begin = (address + pageSize - 1) / pageSize * pageSize;
  const std::uintptr_t end = (address + bytes) / pageSize * pageSize;
  if (bytes < Tuning::HostUntouchedBytes || begin >= end)
  {
    return false;
  }
  unsigned char isResident = 1;
  if (mincore(reinterpret_cast<void *>(end - pageSize), pageSize, &isResident) != 0 || (isResident & 1U) != 0)
  {
    return false;
  }
  // Shared or locked pages are not cleared. So write a 1 to the first page, and see whether it turns into a 0.
  auto * const          firstPage = reinterpret_cast<char *>(begin);
  volatile char * const probe = firstPage;
  *probe = 1;
  if (madvise(firstPage, end - begin, MADV_DONTNEED) != 0 || *probe != 0)
  {
    return false;
  }
  std::memset(memory, 0, begin - address);
  std::memset(reinterpret_cast<void *>(end), 0, address + bytes - end);
  return true;
#else
  return false;
#endif
}

/** Prepares memory of the process's heap to which nobody has written: asks for huge pages. Returns whether all bytes
 * are 0, which costs time to find out; false unless `isZeroUseful`. */
inline bool
PrepareUntouched(void * memory, std::uint64_t bytes, bool isZeroUseful = true)
{
  // First the check, because it writes to a page. The request for huge pages must come before the first write.
  const bool isZero = isZeroUseful && ClearUntouched(memory, bytes);
  AdviseHugePages(memory, bytes);
  return isZero;
}

} // namespace itk::ccl

#endif
