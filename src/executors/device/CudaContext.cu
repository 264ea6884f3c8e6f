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

/** CUDA does not work in the child of a process that has used it: throws there. */
void
RequireSameProcess()
{
#ifndef _WIN32
  static std::atomic<bool> isChild{ false };
  static const int         error = pthread_atfork(nullptr, nullptr, [] { isChild = true; });
  if (error != 0)
  {
    throw CudaConnectedComponentError(Kind::Memory, std::string("forks cannot be watched: ") + std::strerror(error));
  }
  if (isChild)
  {
    throw CudaConnectedComponentError(Kind::Unavailable,
                                      "no CUDA device: CUDA was in use when this process was forked from its parent");
  }
#endif
}

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

/** The failed starts of all devices. */
struct FailedStarts
{
  std::mutex                   mutex;
  std::map<int, StartAttempts> ofDevice;
};

FailedStarts &
GetFailedStarts()
{
  static auto * const failed = new FailedStarts; // never destroyed, because the CUDA driver may be gone at exit
  return *failed;
}

template <typename TFunction>
TFunction
FindDriverFunction(const char * name)
{
  constexpr unsigned int          version = 12000; // CUDA 12.0, which all functions below have
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
  if (const auto last = failed.ofDevice.find(device); last != failed.ofDevice.end())
  {
    last->second.RequireDue(now);
  }
  try
  {
    start();
  }
  catch (const CudaConnectedComponentError & error)
  {
    failed.ofDevice[device].Fail(now, error);
    throw;
  }
}

void
ForgetFailedStarts(int device)
{
  FailedStarts &                    failed = GetFailedStarts();
  const std::lock_guard<std::mutex> lock(failed.mutex);
  failed.ofDevice.erase(device);
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
  CCL_CHECK(cudaGetDevice(&m_Callers));
  m_Device = device < 0 ? m_Callers : device;
  if (m_Device != m_Callers)
  {
    try
    {
      StartDevice(m_Device, [this] { CCL_CHECK(cudaSetDevice(m_Device)); });
    }
    catch (...)
    {
      cudaSetDevice(m_Callers);
      cudaGetLastError();
      throw;
    }
  }
}

CurrentDevice::~CurrentDevice()
{
  if (m_Device != m_Callers)
  {
    cudaSetDevice(m_Callers);
  }
}

} // namespace itk::ccl
