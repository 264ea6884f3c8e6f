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

/** Sets all bits of free memory of the current device that the next small allocations get. The result owns memory
 * between the free blocks, so that CUDA keeps them. */
std::shared_ptr<void>
PoisonFreeMemory();

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

/** Returns whether a device has a primary context. Starts no device. */
bool
IsStarted(int device);

/** Returns the current context of the calling thread, or null. Starts no device. */
void *
GetCurrentContext();

/** Makes a new context of a device current, as programs do that use the NVIDIA driver without CUDA's runtime. */
std::shared_ptr<void>
MakeContext(int device);

/** Returns a stream that does not wait for the default stream. */
std::shared_ptr<void>
MakeStream();

/** Returns a stream that waits for the default stream, and the default stream for it. */
std::shared_ptr<void>
MakeBlockingStream();

/** Lets the later work of a stream wait. */
void
DelayStream(void * stream, unsigned int milliseconds);

/** Returns whether all work of a stream has ended. */
bool
IsIdle(void * stream);

/** Sets the mode in which the calling thread treats captures of streams: 0 is global, 1 is thread-local, 2 is relaxed.
 * Returns the mode before. */
int
ExchangeCaptureMode(int mode);

/** Starts to capture a stream, in the mode that forbids most in all threads. Captures one operation, which clears 4
 * bytes of device memory. */
void
BeginCapture(void * stream, void * memory);

/** Ends the capture of a stream, and runs the graph. Returns an empty string, or CUDA's error if the capture was
 * invalidated. */
std::string
EndCapture(void * stream);

/** A graph that can be launched. */
class Graph
{
public:
  virtual ~Graph() = default;

  /** Launches the graph on a stream. Does not wait. */
  virtual void
  Launch(void * stream) const = 0;
};

/** Ends the capture of a stream. Returns the graph. */
std::shared_ptr<Graph>
EndCaptureOfGraph(void * stream);

/** Waits for the work of a stream. */
void
Wait(void * stream);

} // namespace CudaTestSupport

// Skips the test if there is no GPU.
#define SKIP_WITHOUT_DEVICE()                                               \
  if (const std::string why = CudaTestSupport::WhyNoDevice(); !why.empty()) \
  {                                                                         \
    GTEST_SKIP() << why;                                                    \
  }                                                                         \
  static_cast<void>(0)

#endif
