// SPDX-License-Identifier: Apache-2.0
#include "executors/device/CudaContext.cuh"

#include "executors/device/CudaError.cuh"
#include "executors/device/StartAttempts.h"

#include <cuda.h>

#include <atomic>
#include <cstring>
#include <map>
#include <mutex>
#include <string>

#ifndef _WIN32
#  include <pthread.h>
#endif

namespace itk::ccl
{

using Kind = CudaConnectedComponentError::Kind;

namespace
{

/** Throws CudaConnectedComponentError in a process that was forked after the first call of this function. CUDA does not
 * work there, because the parent process has used it. */
void
RequireSameProcess()
{
#ifndef _WIN32
  static std::atomic<bool> isChild{ false };
  static const int         error = pthread_atfork(nullptr, nullptr, [] { isChild = true; });
  if (error != 0)
  {
    throw CudaConnectedComponentError(Kind::Memory, std::string("pthread_atfork() failed: ") + std::strerror(error));
  }
  if (isChild)
  {
    throw CudaConnectedComponentError(Kind::Unavailable,
                                      "no CUDA device: CUDA was in use when this process was forked from its parent");
  }
#endif
}

/** Returns the number of CUDA devices, which is at least 1. Throws CudaConnectedComponentError if there is none. */
int
CountDevices()
{
  RequireSameProcess();
  int               count = 0;
  const cudaError_t error = cudaGetDeviceCount(&count);
  if (error == cudaSuccess && count > 0)
  {
    return count;
  }
  cudaGetLastError();
  if (error == cudaSuccess || error == cudaErrorNoDevice)
  {
    throw CudaConnectedComponentError(Kind::Unavailable, "no CUDA device");
  }
  int driver = 0;
  if (error == cudaErrorInsufficientDriver && (cudaDriverGetVersion(&driver) != cudaSuccess || driver == 0))
  {
    throw CudaConnectedComponentError(Kind::Unavailable, "no CUDA device: no NVIDIA driver is installed");
  }
  throw CudaConnectedComponentError(error == cudaErrorInsufficientDriver ? Kind::Unavailable
                                    : error == cudaErrorMemoryAllocation ? Kind::Memory
                                                                         : Kind::Cuda,
                                    std::string("no CUDA device: ") + cudaGetErrorString(error));
}

/** The failed starts of all devices, by the number of the device. */
struct FailedStarts
{
  std::mutex                   mutex;
  std::map<int, StartAttempts> attempts;
};

FailedStarts &
GetFailedStarts()
{
  static auto * const failed = new FailedStarts; // never destroyed, because threads may use it at exit
  return *failed;
}

/** Returns the address of a function of the NVIDIA driver. Throws CudaConnectedComponentError if the driver lacks it.
 * The function is looked up at run time, so that the library can be loaded without a driver. */
template <typename TFunction>
TFunction
FindDriverFunction(const char * name)
{
  constexpr unsigned int          version = 12000; // CUDA 12.0 has all functions that are looked up here
  void *                          function = nullptr;
  cudaDriverEntryPointQueryResult status{};
  CCL_CHECK(cudaGetDriverEntryPointByVersion(name, &function, version, cudaEnableDefault, &status));
  if (status != cudaDriverEntryPointSuccess)
  {
    throw CudaConnectedComponentError(Kind::Unavailable, std::string("the NVIDIA driver has no ") + name);
  }
  return reinterpret_cast<TFunction>(function);
}

} // namespace

void
StartDevice(int device, const std::function<void()> & start)
{
  FailedStarts &                    failed = GetFailedStarts();
  const std::lock_guard<std::mutex> lock(failed.mutex);
  const auto                        now = StartAttempts::ClockType::now();
  if (const auto last = failed.attempts.find(device); last != failed.attempts.end())
  {
    last->second.RequireDue(now);
  }
  try
  {
    start();
  }
  catch (const CudaConnectedComponentError & error)
  {
    failed.attempts[device].Fail(now, error);
    throw;
  }
}

void
ForgetFailedStarts(int device)
{
  FailedStarts &                    failed = GetFailedStarts();
  const std::lock_guard<std::mutex> lock(failed.mutex);
  failed.attempts.erase(device);
}

std::optional<std::uint64_t>
FindContext()
{
  static const auto  getCurrent = FindDriverFunction<CUresult (*)(CUcontext *)>("cuCtxGetCurrent");
  static const auto  getId = FindDriverFunction<CUresult (*)(CUcontext, unsigned long long *)>("cuCtxGetId");
  CUcontext          context = nullptr;
  unsigned long long id = 0;
  if (getCurrent(&context) != CUDA_SUCCESS || context == nullptr || getId(context, &id) != CUDA_SUCCESS)
  {
    return std::nullopt;
  }
  return id;
}

bool
IsDeviceStarted(int device)
{
  static const auto getDevice = FindDriverFunction<CUresult (*)(CUdevice *, int)>("cuDeviceGet");
  static const auto getState =
    FindDriverFunction<CUresult (*)(CUdevice, unsigned int *, int *)>("cuDevicePrimaryCtxGetState");
  CUdevice     handle = 0;
  unsigned int flags = 0;
  int          isActive = 0;
  return getDevice(&handle, device) == CUDA_SUCCESS && getState(handle, &flags, &isActive) == CUDA_SUCCESS &&
         isActive != 0;
}

CurrentDevice::CurrentDevice(int device)
{
  const int count = CountDevices();
  if (device < -1 || device >= count)
  {
    throw CudaConnectedComponentError(Kind::Unavailable,
                                      "no CUDA device " + std::to_string(device) + ": there are " +
                                        std::to_string(count) + ", numbered from 0");
  }
  CCL_CHECK(cudaGetDevice(&m_CallersDevice));
  m_Device = device < 0 ? m_CallersDevice : device;
  if (m_Device != m_CallersDevice)
  {
    // Since CUDA 12, cudaSetDevice() starts the device, which may fail.
    try
    {
      StartDevice(m_Device, [this] { CCL_CHECK(cudaSetDevice(m_Device)); });
    }
    catch (...)
    {
      cudaSetDevice(m_CallersDevice);
      cudaGetLastError();
      throw;
    }
  }
}

CurrentDevice::~CurrentDevice()
{
  if (m_Device != m_CallersDevice)
  {
    cudaSetDevice(m_CallersDevice);
  }
}

} // namespace itk::ccl
