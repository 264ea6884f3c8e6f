// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_executors_device_DeviceCapabilities_h
#define ccl_executors_device_DeviceCapabilities_h

#include "itkCudaConnectedComponentLabeler.h"

#include <algorithm>
#include <cstdint>
#include <string>

namespace itk::ccl
{

/** The properties of a device that decide how images are labeled on it. */
struct DeviceCapabilities
{
  /** Whether allocations can be ordered in a stream. */
  bool hasMemoryPools;
  /** Whether all thread blocks of a kernel can wait for each other. */
  bool launchesCooperatively;
  /** Whether a kernel can start while those before it in its stream still run (programmatic dependent launch). */
  bool          launchesEarly;
  unsigned int  multiprocessors;
  std::uint64_t sharedMemoryPerBlock; // bytes

  /** For tests: what this device has in common with another one, so that the code for that one runs here.
   * \param profile "turing", "ada", "minimal", or empty for all that this device has; another name is an error */
  DeviceCapabilities
  LimitTo(const std::string & profile) const
  {
    constexpr std::uint64_t kilobyte = 1024;
    DeviceCapabilities      other = *this;
    if (profile == "turing")
    {
      other = { true, true, false, 46, 64 * kilobyte };
    }
    else if (profile == "ada")
    {
      other = { true, true, false, 76, 99 * kilobyte };
    }
    else if (profile == "minimal")
    {
      other = { false, false, false, 4, 48 * kilobyte };
    }
    else if (!profile.empty())
    {
      throw CudaConnectedComponentError(CudaConnectedComponentError::Kind::InvalidArgument,
                                        "CUDA_CONNECTED_COMPONENTS_TEST_GPU is " + profile +
                                          "; it can be turing, ada or minimal");
    }
    return { hasMemoryPools && other.hasMemoryPools,
             launchesCooperatively && other.launchesCooperatively,
             launchesEarly && other.launchesEarly,
             std::min(multiprocessors, other.multiprocessors),
             std::min(sharedMemoryPerBlock, other.sharedMemoryPerBlock) };
  }
};

} // namespace itk::ccl

#endif
