// SPDX-License-Identifier: Apache-2.0
#include "engine/MemoryLimit.h"

#include "engine/Checks.h"
#include "engine/DeviceSession.h"
#include "primitives/MemorySize.h"

#include <atomic>
#include <cstdlib>
#include <string>

namespace itk
{

namespace ccl
{

namespace
{

/** The value of the limit of the process as long as the environment variable has it. */
constexpr std::uint64_t OfVariable = NoMemoryLimit;

std::atomic<std::uint64_t> limitOfProcess{ OfVariable };

/** Returns the limit of the process, or 0. */
std::uint64_t
GetLimitOfProcess()
{
  const std::uint64_t limit = limitOfProcess;
  if (limit != OfVariable)
  {
    return limit;
  }
  // Read once: another thread may change the environment.
  static const std::string text = [] {
    const char * const variable = std::getenv("CUDA_CONNECTED_COMPONENTS_DEVICE_MEMORY_LIMIT");
    return std::string(variable == nullptr ? "" : variable);
  }();
  const std::optional<std::uint64_t> bytes = BytesOf(text);
  Require(text.empty() || bytes.value_or(0) > 0, [] {
    return "the environment variable CUDA_CONNECTED_COMPONENTS_DEVICE_MEMORY_LIMIT is \"" + text +
           "\" instead of a number of bytes such as 1073741824, 512MiB or 1GiB";
  });
  return bytes.value_or(0);
}

} // namespace

std::uint64_t
MemoryLimitOf(const CudaConnectedComponentLabeler::Options & options)
{
  const std::uint64_t limit = options.deviceMemoryLimit != 0 ? options.deviceMemoryLimit : GetLimitOfProcess();
  return limit != 0 ? limit : NoMemoryLimit;
}

} // namespace ccl

void
CudaConnectedComponentLabeler::SetDeviceMemoryLimit(std::optional<std::uint64_t> bytes)
{
  using namespace ccl;
  limitOfProcess = !bytes ? OfVariable : *bytes == NoMemoryLimit ? 0 : *bytes;
  if (bytes.value_or(0) != 0 && DeviceSession::GetHeldMemory().deviceBytes > *bytes)
  {
    DeviceSession::TrimMemory();
  }
}

std::uint64_t
CudaConnectedComponentLabeler::GetDeviceMemoryLimit()
{
  return ccl::GetLimitOfProcess();
}

} // namespace itk
