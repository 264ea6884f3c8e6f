// SPDX-License-Identifier: Apache-2.0

// Tests of the alignment of host memory, and of ClearUntouched(), which clears new memory without writing it.

#include "executors/host/HostMemory.h"

#include <gtest/gtest.h>

#include <algorithm>

TEST(CudaConnectedComponentsHostMemory, LargeBuffersAreAlignedToHugePages)
{
  for (const std::uint64_t count : { 0UL, 1UL, 500000UL, 524288UL, 3000000UL })
  {
    const auto buffer = itk::ccl::AllocateOnHost<std::uint32_t>(count);
    if (count * 4 >= itk::ccl::HugePageSize)
    {
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(buffer.get()) % itk::ccl::HugePageSize, 0U) << count;
    }
    std::fill_n(buffer.get(), count, 7U);
    EXPECT_EQ(std::count(buffer.get(), buffer.get() + count, 7U), static_cast<std::ptrdiff_t>(count));
  }
}

#ifdef __linux__

using itk::ccl::ClearUntouched;

namespace
{

constexpr std::uint64_t Size = itk::ccl::Tuning::HostUntouchedBytes + 12345;

bool
IsZero(const char * memory, std::uint64_t count)
{
  return std::all_of(memory, memory + count, [](char byte) { return byte == 0; });
}

TEST(CudaConnectedComponentsHostMemory, UntouchedMemoryIsCleared)
{
  for (const std::uint64_t offset : { 0, 1, 4095 })
  {
    const std::unique_ptr<char[]> memory(new char[Size + offset]);
    // Other memory in the first and the last page may have been written before.
    std::fill_n(memory.get(), offset + 100, char{ 1 });
    memory[Size + offset - 1] = 1;
    char * const begin = memory.get() + offset;
    std::fill_n(begin, 4096 - reinterpret_cast<std::uintptr_t>(begin) % 4096, char{ 1 });
    char * const end = memory.get() + offset + Size;
    std::fill(end - reinterpret_cast<std::uintptr_t>(end) % 4096, end, char{ 1 });
    EXPECT_TRUE(ClearUntouched(begin, Size)) << offset;
    EXPECT_TRUE(IsZero(begin, Size)) << offset;
    EXPECT_TRUE(offset == 0 || begin[-1] == 1) << offset;
  }
}

TEST(CudaConnectedComponentsHostMemory, SmallMemoryIsRefused)
{
  const std::unique_ptr<char[]> memory(new char[Size]);
  EXPECT_FALSE(ClearUntouched(memory.get(), itk::ccl::Tuning::HostUntouchedBytes - 1));
  EXPECT_FALSE(ClearUntouched(memory.get(), 0));
}

TEST(CudaConnectedComponentsHostMemory, WrittenMemoryIsRefused)
{
  const std::unique_ptr<char[]> memory(new char[Size]);
  std::fill_n(memory.get(), Size, char{ 1 });
  EXPECT_FALSE(ClearUntouched(memory.get(), Size));
}

TEST(CudaConnectedComponentsHostMemory, SharedMemoryIsRefused)
{
  // Shared pages keep their contents after MADV_DONTNEED, so they are not cleared.
  void * const memory = mmap(nullptr, Size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  EXPECT_FALSE(ClearUntouched(memory, Size));
  munmap(memory, Size);
}

} // namespace

#endif
