// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_executors_device_DeviceCapabilities_h
#define ccl_executors_device_DeviceCapabilities_h

#include "itkCudaConnectedComponentError.h"

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
  /** Whether all thread blocks of a kernel can wait for each other (cooperative launch). */
  bool launchesCooperatively;
  /** Whether a kernel can start before the previous kernel of its stream has ended (programmatic dependent launch). */
  bool          launchesEarly;
  unsigned int  multiprocessors;
  std::uint64_t sharedMemoryPerBlock; // largest shared memory of a thread block, in bytes

  /** Returns the capabilities that this device and another device have in common. So tests can run the code for smaller
   * devices.
   * \param profile name of the other device: "turing", "ada" or "minimal"; an empty name changes nothing; other names
   *   throw CudaConnectedComponentError (InvalidArgument) */
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
                                        "CUDA_CONNECTED_COMPONENTS_TEST_GPU is \"" + profile +
                                          "\"; valid values are turing, ada and minimal");
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
