// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_test_CudaTestSupport_h
#define ccl_test_CudaTestSupport_h

// CUDA functions for the tests. This header needs no CUDA header. In a build without CUDA there are no devices.

#include <cstdint>
#include <memory>
#include <string>

namespace CudaTestSupport
{

/** Returns the number of CUDA devices. */
int
CountDevices();

/** Returns the reason why the tests cannot use a GPU, or an empty string if they can. */
std::string
WhyNoDevice();

/** Allocates memory on the current device. */
std::shared_ptr<void>
AllocateDevice(std::uint64_t bytes);

void
CopyToDevice(void * device, const void * host, std::uint64_t bytes);

void
CopyToHost(void * host, const void * device, std::uint64_t bytes);

/** Allocates all free memory of the current device except `spared` bytes. */
std::shared_ptr<void>
ExhaustDeviceMemory(std::uint64_t spared);

/** Returns the free memory of the current device in bytes. */
std::uint64_t
CountFreeMemory();

/** Destroys the context of the current device, with all memory and streams that the process has on this device. */
void
ResetDevice();

/** Makes all later CUDA calls of this process fail. */
void
BreakDevice();

int
GetCurrentDevice();

void
SetCurrentDevice(int device);

/** Returns a stream that does not wait for the default stream. */
std::shared_ptr<void>
MakeStream();

} // namespace CudaTestSupport

// Skips the test if there is no GPU.
#define SKIP_WITHOUT_DEVICE()                                               \
  if (const std::string why = CudaTestSupport::WhyNoDevice(); !why.empty()) \
  {                                                                         \
    GTEST_SKIP() << why;                                                    \
  }                                                                         \
  static_cast<void>(0)

#endif
