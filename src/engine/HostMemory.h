// SPDX-License-Identifier: Apache-2.0
#ifndef HostMemory_h
#define HostMemory_h

// Large pieces of the host's memory, and what the system takes to give them: being given pages one by one takes longer
// than writing them.

#include "Tuning.h"

#include <cstdint>
#include <cstring>
#include <memory>

#ifdef __linux__
#  include <sys/mman.h>
#  include <unistd.h>
#endif

namespace itk::ccl
{

/** Lets the system back memory that is about to be written for the first time by huge pages. */
inline void
AdviseHugePages([[maybe_unused]] void * memory, [[maybe_unused]] std::uint64_t bytes)
{
#ifdef __linux__
  constexpr std::uintptr_t hugePage = std::uintptr_t{ 2 } << 20;
  const auto               address = reinterpret_cast<std::uintptr_t>(memory);
  const std::uintptr_t     begin = (address + hugePage - 1) / hugePage * hugePage;
  const std::uintptr_t     end = (address + bytes) / hugePage * hugePage;
  if (begin < end)
  {
    // Advice: that it may be refused makes no difference.
    static_cast<void>(madvise(reinterpret_cast<void *>(begin), end - begin, MADV_HUGEPAGE));
  }
#endif
}

/** Uninitialized memory. */
template <typename T>
std::unique_ptr<T[]>
AllocateOnHost(std::uint64_t count)
{
  std::unique_ptr<T[]> memory(new T[count]);
  AdviseHugePages(memory.get(), count * sizeof(T));
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
