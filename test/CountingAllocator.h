// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_test_CountingAllocator_h
#define ccl_test_CountingAllocator_h

#include "CudaTestSupport.h"

#include "itkCudaConnectedComponentAllocator.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <utility>

/** An allocator of device memory that counts, and can refuse. */
struct CountingAllocator
{
  std::map<void *, std::shared_ptr<void>> arrays;
  unsigned int                            allocations = 0;
  unsigned int                            frees = 0;
  std::set<unsigned int>                  refused;    // the numbers of the allocations that fail; the first is 1
  std::ptrdiff_t                          offset = 0; // of addresses
  void *                                  expectedStream = nullptr;

  itk::CudaConnectedComponentAllocator
  Get()
  {
    const auto allocate = [](void * context, std::uint64_t bytes, void * stream) -> void * {
      auto & self = *static_cast<CountingAllocator *>(context);
      EXPECT_EQ(stream, self.expectedStream);
      EXPECT_GT(bytes, 0U);
      if (self.refused.count(++self.allocations) != 0)
      {
        return nullptr;
      }
      auto         memory = CudaTestSupport::AllocateDevice(bytes + 256);
      void * const address = static_cast<char *>(memory.get()) + self.offset;
      self.arrays[address] = std::move(memory);
      return address;
    };
    const auto free = [](void * context, void * memory, std::uint64_t, void *) {
      // cudaFree() waits for the work that uses the memory.
      auto & self = *static_cast<CountingAllocator *>(context);
      ++self.frees;
      EXPECT_EQ(self.arrays.erase(memory), 1U);
    };
    return { allocate, free, this };
  }
};

#endif
