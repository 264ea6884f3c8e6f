// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_executors_device_CudaContext_cuh
#define ccl_executors_device_CudaContext_cuh

// The CUDA devices and contexts of the process: which device is current, how a device starts, and whether it has been
// reset since. All functions are thread-safe.

#include <cuda_runtime_api.h>

#include <cstdint>
#include <functional>
#include <optional>

namespace itk::ccl
{

/** Makes the primary context of a device current for the lifetime of the object. The primary context is the one that
 * CUDA's runtime uses. The destructor makes the caller's context current again, or none if the caller had none. */
class PrimaryContext
{
public:
  /** Makes the context current. Starts the device if necessary; it then stays started, as with CUDA's runtime. Throws
   * CudaConnectedComponentError if the device cannot be started. */
  explicit PrimaryContext(int device);
  ~PrimaryContext();
  PrimaryContext(const PrimaryContext &) = delete;
  PrimaryContext &
  operator=(const PrimaryContext &) = delete;

private:
  int  m_Device;
  bool m_WasStarted;
};

/** Lets the calling thread allocate and free memory while other streams capture graphs, for the lifetime of the object.
 * Without it, such calls fail, and invalidate the captures of all threads in CUDA's global mode. A context must be
 * current. */
class UncapturedCalls
{
public:
  UncapturedCalls();
  ~UncapturedCalls();
  UncapturedCalls(const UncapturedCalls &) = delete;
  UncapturedCalls &
  operator=(const UncapturedCalls &) = delete;

private:
  int m_CallersMode;
};

/** Makes a device current for the lifetime of the object. If the caller's context belongs to the device, it stays
 * current, because the caller's streams and memory belong to it. Otherwise the primary context of the device becomes
 * current, and the destructor makes the caller's context current again. No other device is started. The captures of
 * other streams stay valid. */
class CurrentDevice
{
public:
  /** Makes a device current, and starts it if necessary.
   * \param device number of the device, or -1 for the caller's current device
   *
   * Throws CudaConnectedComponentError if there is no such device, if it cannot be started, or if CUDA was in use when
   * this process was forked from its parent. */
  explicit CurrentDevice(int device);
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
  int                            m_Device = 0;
  std::optional<PrimaryContext>  m_Primary; // empty if the caller's context stays current
  std::optional<UncapturedCalls> m_Uncaptured;
};

/** Calls function() in the context with this id, if the context is the calling thread's current context or the primary
 * context of the device. Otherwise, or if the context has ended, does nothing. Starts no device. The captures of
 * streams stay valid. */
void
CallInContext(int device, std::uint64_t id, const std::function<void()> & function);

/** Returns whether this process was forked from one that had used CUDA. CUDA does not work in such a process. Another
 * thread of the parent may have held any mutex during the fork, so the child must lock none. */
bool
IsForkedChild();

/** Throws CudaConnectedComponentError unless `error`, of a function that starts CUDA or a device, is cudaSuccess. The
 * message says what the user can do.
 * \param device number of the device, or -1 if no device is known yet */
void
CheckStart(cudaError_t error, int device);

/** Calls start(), which starts a device. Other threads that start a device wait. Throws CudaConnectedComponentError if
 * the kernels cannot run on the device. If start() throws a CudaConnectedComponentError, the next calls for this device
 * throw the same error without calling start(), for a time that StartAttempts decides. */
void
StartDevice(int device, const std::function<void()> & start);

/** Makes StartDevice() forget the failures of a device. Call it after the device has started. */
void
ForgetFailedStarts(int device);

/** Returns an id of the calling thread's current CUDA context. No other context of this process has or had the same id.
 * Returns nothing if there is no context, or if cudaDeviceReset() ended it. */
std::optional<std::uint64_t>
FindContext();

} // namespace itk::ccl

#endif
