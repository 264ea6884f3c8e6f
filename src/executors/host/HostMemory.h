// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_executors_host_HostMemory_h
#define ccl_executors_host_HostMemory_h

// Large pieces of the host's memory, and what the system takes to give them: being given pages one by one takes longer
// than writing them.

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

inline constexpr std::uintptr_t HugePageSize = std::uintptr_t{ 2 } << 20;

/** Lets the system back memory that is about to be written for the first time by huge pages. */
inline void
AdviseHugePages([[maybe_unused]] void * memory, [[maybe_unused]] std::uint64_t bytes)
{
#ifdef __linux__
  const auto           address = reinterpret_cast<std::uintptr_t>(memory);
  const std::uintptr_t begin = (address + HugePageSize - 1) / HugePageSize * HugePageSize;
  const std::uintptr_t end = (address + bytes) / HugePageSize * HugePageSize;
  if (begin < end)
  {
    // Advice: that it may be refused makes no difference.
    static_cast<void>(madvise(reinterpret_cast<void *>(begin), end - begin, MADV_HUGEPAGE));
  }
#endif
}

/** Frees what AllocateOnHost() gives. */
struct FreeOnHost
{
  std::align_val_t alignment{ alignof(std::max_align_t) };

  void
  operator()(void * memory) const
  {
    ::operator delete(memory, alignment);
  }
};

template <typename T>
using HostBuffer = std::unique_ptr<T[], FreeOnHost>;

/** Uninitialized memory, of huge pages where it is large enough. */
template <typename T>
HostBuffer<T>
AllocateOnHost(std::uint64_t count)
{
  static_assert(std::is_trivial<T>::value, "nothing is constructed");
  const std::uint64_t bytes = count * sizeof(T);
  const FreeOnHost    free{ std::align_val_t{ bytes < HugePageSize ? alignof(std::max_align_t) : HugePageSize } };
  HostBuffer<T>       memory(static_cast<T *>(::operator new(bytes, free.alignment)), free);
  AdviseHugePages(memory.get(), bytes);
  return memory;
}

/** Makes memory that was allocated, and not written since, all 0 without writing it: the system gives zeros for pages
 * that it has not given yet. Gives false, and may have changed the memory, where that cannot be, or would take longer
 * than writing it: where it is small, has been written, or is not private to the process. */
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
  // The first page shows whether giving pages back clears them, as it does not where they are shared or locked.
  auto * const          firstPage = reinterpret_cast<char *>(begin);
  volatile char * const mark = firstPage;
  *mark = 1;
  if (madvise(firstPage, end - begin, MADV_DONTNEED) != 0 || *mark != 0)
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

} // namespace itk::ccl

#endif
