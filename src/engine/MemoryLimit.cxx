// SPDX-License-Identifier: Apache-2.0
#include "engine/MemoryLimit.h"

#include "engine/Checks.h"
#include "engine/DeviceSession.h"

#include <atomic>
#include <cctype>
#include <cstdlib>
#include <string>

namespace itk
{

namespace ccl
{

namespace
{

/** Returns a number of bytes such as "1073741824", "512MiB" or "1GiB". */
std::uint64_t
BytesOf(const std::string & text)
{
  char *              end = nullptr;
  const std::uint64_t number = std::strtoull(text.c_str(), &end, 10);
  const std::string   unit(end);
  const unsigned int  shift = unit == "KiB" ? 10 : unit == "MiB" ? 20 : unit == "GiB" ? 30 : 0;
  const bool          isNumber = !text.empty() && std::isdigit(static_cast<unsigned char>(text[0])) != 0;
  Require(isNumber && number > 0 && (unit.empty() || shift != 0) && number <= (NoMemoryLimit >> shift), [&] {
    return "the environment variable CUDA_CONNECTED_COMPONENTS_DEVICE_MEMORY_LIMIT is \"" + text +
           "\" instead of a number of bytes such as 1073741824, 512MiB or 1GiB";
  });
  return number << shift;
}

/** Returns the limit of the process, or 0. */
std::atomic<std::uint64_t> &
LimitOfProcess()
{
  static std::atomic<std::uint64_t> limit{ [] {
    const char * const              text = std::getenv("CUDA_CONNECTED_COMPONENTS_DEVICE_MEMORY_LIMIT");
    return text == nullptr || *text == '\0' ? 0 : BytesOf(text);
  }() };
  return limit;
}

} // namespace

std::uint64_t
MemoryLimitOf(const CudaConnectedComponentLabeler::Options & options)
{
  const std::uint64_t limit = options.deviceMemoryLimit != 0 ? options.deviceMemoryLimit : LimitOfProcess().load();
  return limit != 0 ? limit : NoMemoryLimit;
}

} // namespace ccl

void
CudaConnectedComponentLabeler::SetDeviceMemoryLimit(std::uint64_t bytes)
{
  ccl::LimitOfProcess() = bytes;
}

std::uint64_t
CudaConnectedComponentLabeler::GetDeviceMemoryLimit()
{
  return ccl::LimitOfProcess();
}

} // namespace itk
