// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_executors_device_DeviceCapabilities_h
#define ccl_executors_device_DeviceCapabilities_h

#include "itkCudaConnectedComponentError.h"

#include <algorithm>
#include <string>

namespace itk::ccl
{

/** Returns the text of a version that CUDA has as a number: "12.9" of 12090. */
inline std::string
FormatCudaVersion(int version)
{
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

/** A GPU, as a message to a user names it. */
struct GPUDescription
{
  std::string name;
  int         major; // of the compute capability
  int         minor;

  /** Returns a text such as "the GPU NVIDIA H200 of compute capability 9.0". */
  std::string
  ToText() const
  {
    return "the GPU " + name + " of compute capability " + std::to_string(major) + "." + std::to_string(minor);
  }

  /** Throws CudaConnectedComponentError (Unavailable) if the kernels cannot run on the GPU. */
  void
  RequireSupported() const
  {
    if (major < 7)
    {
      throw CudaConnectedComponentError(
        CudaConnectedComponentError::KindEnum::Unavailable,
        "no CUDA device: " + ToText() + " is too old, and 7.0 or later is needed: choose another GPU, or use the CPU");
    }
  }
};

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
      throw CudaConnectedComponentError(CudaConnectedComponentError::KindEnum::InvalidArgument,
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
