// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_executors_device_DeviceCapabilities_h
#define ccl_executors_device_DeviceCapabilities_h

#include "itkCudaConnectedComponentError.h"

#include <algorithm>
#include <string>

namespace itk::ccl
{

/** The properties of a device that decide how images are labeled on it. */
struct DeviceCapabilities
{
  /** Whether allocations can be ordered in a stream. */
  bool hasMemoryPools;
  /** Whether a kernel can start before the previous kernel of its stream has ended (programmatic dependent launch). */
  bool         launchesEarly;
  unsigned int multiprocessors;

  /** Returns the capabilities that this device and another device have in common. So tests can run the code for smaller
   * devices.
   * \param profile name of the other device: "turing" or "minimal"; an empty name changes nothing; other names throw
   *   CudaConnectedComponentError (InvalidArgument) */
  DeviceCapabilities
  LimitTo(const std::string & profile) const
  {
    DeviceCapabilities other = *this;
    if (profile == "turing")
    {
      other = { true, false, 46 };
    }
    else if (profile == "minimal")
    {
      other = { false, false, 4 };
    }
    else if (!profile.empty())
    {
      throw CudaConnectedComponentError(CudaConnectedComponentError::Kind::InvalidArgument,
                                        "CUDA_CONNECTED_COMPONENTS_TEST_GPU is \"" + profile +
                                          "\"; valid values are turing and minimal");
    }
    return { hasMemoryPools && other.hasMemoryPools,
             launchesEarly && other.launchesEarly,
             std::min(multiprocessors, other.multiprocessors) };
  }
};

} // namespace itk::ccl

#endif
