// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_test_CudaTestSupport_h
#define ccl_test_CudaTestSupport_h

// What the tests need of CUDA itself, without its headers. In a build without CUDA there are no devices.

#include <cstdint>
#include <memory>
#include <string>

namespace CudaTestSupport
{

int
CountDevices();

/** Empty where the tests can use a GPU, else what is missing. */
std::string
WhyNoDevice();

std::shared_ptr<void>
AllocateDevice(std::uint64_t bytes);

void
CopyToDevice(void * device, const void * host, std::uint64_t bytes);

void
CopyToHost(void * host, const void * device, std::uint64_t bytes);

/** Takes all of the current device's memory but `spared` bytes. */
std::shared_ptr<void>
ExhaustDeviceMemory(std::uint64_t spared);

/** Bytes of the current device's memory that nobody has taken. */
std::uint64_t
CountFreeMemory();

/** Ends the current device's context, and with it all that any part of the process has on the device. */
void
ResetDevice();

/** Makes every later call of CUDA in this process fail. */
void
BreakDevice();

int
GetCurrentDevice();

void
SetCurrentDevice(int device);

/** A stream that does not wait for the default one. */
std::shared_ptr<void>
MakeStream();

} // namespace CudaTestSupport

#define SKIP_WITHOUT_DEVICE()                                               \
  if (const std::string why = CudaTestSupport::WhyNoDevice(); !why.empty()) \
  {                                                                         \
    GTEST_SKIP() << why;                                                    \
  }                                                                         \
  static_cast<void>(0)

#endif
