// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_executors_device_CudaContext_cuh
#define ccl_executors_device_CudaContext_cuh

// The devices of the process, and the start of CUDA on them.

#include <cstdint>
#include <functional>
#include <optional>

namespace itk::ccl
{

/** Makes a device current for the lifetime of the object. The destructor makes the caller's device current again. */
class CurrentDevice
{
public:
  /** -1 selects the device that is current now. Throws if there is no such device, if it cannot be started, or if CUDA
   * was in use when this process was forked from its parent. */
  explicit CurrentDevice(int device);
  ~CurrentDevice();
  CurrentDevice(const CurrentDevice &) = delete;
  CurrentDevice &
  operator=(const CurrentDevice &) = delete;

  int
  Get() const
  {
    return m_Device;
  }

private:
  int m_Callers = 0;
  int m_Device = 0;
};

/** Calls start(), which may start a device. Throws at once, without the call, if a start of this device failed a short
 * time ago: see StartAttempts. */
void
StartDevice(int device, const std::function<void()> & start);

/** Tells StartDevice() that a device works. */
void
ForgetFailedStarts(int device);

/** Returns whether a device has been started and has not been reset since. */
bool
IsDeviceStarted(int device);

/** Returns an id of the calling thread's current CUDA context. No other context of this process has or had the same id.
 * Returns nothing if there is no context, or if cudaDeviceReset() ended it. */
std::optional<std::uint64_t>
FindContext();

} // namespace itk::ccl

#endif
