// SPDX-License-Identifier: Apache-2.0

// Makes the functions of HostMemory.h available to filters, which are templates in installed headers.

#include "CudaConnectedComponentsDetail/FreshMemory.h"

#include "executors/host/HostMemory.h"

namespace itk
{
namespace CudaConnectedComponentsDetail
{

bool
FreshMemory::Prepare(void * memory, std::uint64_t bytes)
{
  // First the check, because it writes to a page. The request for huge pages must come before the first write.
  const bool isZero = ccl::ClearUntouched(memory, bytes);
  ccl::AdviseHugePages(memory, bytes);
  return isZero;
}

} // namespace CudaConnectedComponentsDetail
} // namespace itk
