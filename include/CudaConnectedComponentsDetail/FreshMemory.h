// SPDX-License-Identifier: Apache-2.0
#ifndef CudaConnectedComponentsDetail_FreshMemory_h
#define CudaConnectedComponentsDetail_FreshMemory_h

#include "CudaConnectedComponentsExport.h"

#include <cstdint>

namespace itk
{
namespace CudaConnectedComponentsDetail
{

/** Prepares large arrays that have just been allocated with `new`. The function is thread-safe. */
class CudaConnectedComponents_EXPORT FreshMemory
{
public:
  /** Asks the system for huge pages, and clears the memory without a write to its pages, if possible. The contents are
   * lost. Returns true if all bytes are 0. If it returns false, the contents are undefined. */
  static bool Prepare(void * memory, std::uint64_t bytes);
};

} // namespace CudaConnectedComponentsDetail
} // namespace itk

#endif
