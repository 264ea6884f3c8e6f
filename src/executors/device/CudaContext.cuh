// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_executors_device_CudaContext_cuh
#define ccl_executors_device_CudaContext_cuh

// The CUDA devices and contexts of the process: which device is current, how a device starts, and whether it has been
// reset since. All functions are thread-safe.

#include <cstdint>
#include <functional>
#include <optional>

namespace itk::ccl
{

/** Makes a device current for the lifetime of the object. The destructor makes the caller's device current again. */
class CurrentDevice
{
public:
  /** Makes a device current, and starts it if necessary.
   * \param device number of the device, or -1 for the caller's current device
   *
   * Throws CudaConnectedComponentError if there is no such device, if it cannot be started, or if CUDA was in use when
   * this process was forked from its parent. */
  explicit CurrentDevice(int device);
  ~CurrentDevice();
  CurrentDevice(const CurrentDevice &) = delete;
  CurrentDevice &
  operator=(const CurrentDevice &) = delete;

  /** Returns the number of the device. */
  int
  Get() const
  {
    return m_Device;
  }

private:
  int m_CallersDevice = 0;
  int m_Device = 0;
};

/** Calls start(), which starts a device. If start() throws a CudaConnectedComponentError, the next calls for this
 * device throw the same error without calling start(), for a time that StartAttempts decides. */
void
StartDevice(int device, const std::function<void()> & start);

/** Makes StartDevice() forget the failures of a device. Call it after the device has started. */
void
ForgetFailedStarts(int device);

/** Returns true if a device has been started and has not been reset since. Does not start it. */
bool
IsDeviceStarted(int device);

/** Returns an id of the calling thread's current CUDA context. No other context of this process has or had the same id.
 * Returns nothing if there is no context, or if cudaDeviceReset() ended it. */
std::optional<std::uint64_t>
FindContext();

} // namespace itk::ccl

#endif
