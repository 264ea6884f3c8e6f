// SPDX-License-Identifier: Apache-2.0
#include "executors/device/CudaContext.cuh"

#include "executors/device/CudaError.cuh"
#include "executors/device/DeviceCapabilities.h"
#include "executors/device/StartAttempts.h"

#include <cuda.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <string>

#ifndef _WIN32
#  include <pthread.h>
#endif

namespace itk::ccl
{

using KindEnum = CudaConnectedComponentError::KindEnum;

namespace
{

std::atomic<bool> isCudaUsed{ false }; // by this module, here or before this process was forked
std::atomic<bool> isForkedChild{ false };

#ifndef _WIN32
// The handler is set when the library is loaded. In a function, a guard would protect it, and a child of a fork that
// happens meanwhile would wait for the guard for ever.
const int forkHandlerError = pthread_atfork(nullptr, nullptr, [] { isForkedChild = isCudaUsed.load(); });
#else
const int forkHandlerError = 0;
#endif

constexpr const char * UsedBeforeFork = "no CUDA device: CUDA was in use when this process was forked from its parent: "
                                        "start the process with spawn";

/** Throws CudaConnectedComponentError in a process that was forked after the first call of this function. CUDA does not
 * work there, because the parent process has used it. */
void
RequireSameProcess()
{
  if (IsForkedChild())
  {
    throw CudaConnectedComponentError(KindEnum::Unavailable, UsedBeforeFork);
  }
  if (forkHandlerError != 0)
  {
    throw CudaConnectedComponentError(KindEnum::Memory,
                                      std::string("pthread_atfork() failed: ") + std::strerror(forkHandlerError));
  }
  isCudaUsed = true;
}

/** Throws CudaConnectedComponentError: the driver is missing, or older than CUDA's runtime needs. */
[[noreturn]] void
ThrowNoUsableDriver()
{
  int driver = 0;
  if (cudaDriverGetVersion(&driver) != cudaSuccess || driver == 0)
  {
    throw CudaConnectedComponentError(
      KindEnum::Unavailable,
      "no CUDA device: the NVIDIA driver (libcuda.so.1) cannot be loaded: install it, or start the container with "
      "docker run --gpus all or apptainer --nv");
  }
  // The runtime works with the drivers of all minor versions of its CUDA.
  constexpr int     major = CUDART_VERSION / 1000;
  const std::string release = major == 12 ? " to 525 or later" : major == 13 ? " to 580 or later" : "";
  throw CudaConnectedComponentError(KindEnum::Unavailable,
                                    "no CUDA device: the NVIDIA driver supports CUDA " + FormatCudaVersion(driver) +
                                      ", and this build needs " + std::to_string(major) +
                                      ".0 or later: update the driver" + release);
}

/** Throws CudaConnectedComponentError: the driver works, and shows no GPU. */
[[noreturn]] void
ThrowNoGPU()
{
  const char * const variable = std::getenv("CUDA_VISIBLE_DEVICES");
  const std::string  visible = variable != nullptr ? variable : "";
  std::string        reason = "the NVIDIA driver shows no GPU: run nvidia-smi, and start a container with "
                              "docker run --gpus all or apptainer --nv";
  if (variable != nullptr && (visible.empty() || visible.front() == '-'))
  {
    reason = "CUDA_VISIBLE_DEVICES is \"" + visible +
             "\", which hides all GPUs: if a scheduler set it, ask for a GPU; else unset it";
  }
  else if (variable != nullptr)
  {
    reason = "CUDA_VISIBLE_DEVICES is \"" + visible +
             "\", and the NVIDIA driver shows no GPU: name GPUs that nvidia-smi -L lists, or unset it; start a "
             "container with docker run --gpus all or apptainer --nv";
  }
  throw CudaConnectedComponentError(KindEnum::Unavailable, "no CUDA device: " + reason);
}

/** Returns what a user can do after an error at the start of CUDA. */
const char *
RemedyOf(cudaError_t error)
{
  switch (error)
  {
    case cudaErrorInitializationError:
      return "if the process was forked from one that used CUDA, start it with spawn; else run nvidia-smi";
    case cudaErrorMemoryAllocation:
      return "end programs that use GPU memory, which nvidia-smi lists, or raise ulimit -v";
    case cudaErrorStubLibrary:
      return "remove the folder stubs, which has another libcuda.so.1, from LD_LIBRARY_PATH";
    case cudaErrorDevicesUnavailable:
      return "end the program that has the GPU for itself; nvidia-smi lists it";
    case cudaErrorSystemNotReady:
      return "start NVIDIA's service nvidia-fabricmanager";
    case cudaErrorSystemDriverMismatch:
      return "remove the folder compat, which has another libcuda.so.1, from LD_LIBRARY_PATH; after an update of the "
             "driver, restart the machine";
    case cudaErrorCompatNotSupportedOnDevice:
      return "remove the folder compat, which has another libcuda.so.1, from LD_LIBRARY_PATH";
    case cudaErrorNoKernelImageForDevice:
      return "compile the code with CUDAARCHS=native, and for compute capability 7.0 with CUDA 12";
    case cudaErrorUnsupportedPtxVersion:
      return "update the NVIDIA driver";
    case cudaErrorJitCompilerNotFound:
      return "start the container with NVIDIA_DRIVER_CAPABILITIES=compute,utility";
    default:
      return "run nvidia-smi: if it fails too, restart the machine; else load the kernel module nvidia_uvm";
  }
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
    ThrowNoGPU();
  }
  if (error == cudaErrorInitializationError && isForkedChild)
  {
    // Other code of the process has used CUDA before the fork.
    throw CudaConnectedComponentError(KindEnum::Unavailable, UsedBeforeFork);
  }
  if (error == cudaErrorInsufficientDriver)
  {
    ThrowNoUsableDriver();
  }
  CheckStart(error, -1);
  return count;
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
void
FindDriverFunction(const char * name, TFunction & function)
{
  constexpr unsigned int          version = 12000; // CUDA 12.0 has all functions that are looked up here
  void *                          address = nullptr;
  cudaDriverEntryPointQueryResult status{};
  CCL_CHECK(cudaGetDriverEntryPointByVersion(name, &address, version, cudaEnableDefault, &status));
  if (status != cudaDriverEntryPointSuccess)
  {
    throw CudaConnectedComponentError(KindEnum::Unavailable, std::string("the NVIDIA driver has no ") + name);
  }
  function = reinterpret_cast<TFunction>(address);
}

/** The functions of the NVIDIA driver for contexts. CUDA's runtime cannot restore a caller's context without starting a
 * device. The driver numbers the devices in the same way. */
struct Driver
{
  CUresult (*getContext)(CUcontext *);
  CUresult (*getId)(CUcontext, unsigned long long *);
  CUresult (*push)(CUcontext);
  CUresult (*pop)(CUcontext *);
  CUresult (*getPrimaryState)(CUdevice, unsigned int *, int *);
  CUresult (*retainPrimary)(CUcontext *, CUdevice);
  CUresult (*releasePrimary)(CUdevice);
  CUresult (*exchangeCaptureMode)(CUstreamCaptureMode *);
  CUresult (*getName)(char *, int, CUdevice);

  Driver()
  {
    FindDriverFunction("cuCtxGetCurrent", getContext);
    FindDriverFunction("cuCtxGetId", getId);
    FindDriverFunction("cuCtxPushCurrent", push);
    FindDriverFunction("cuCtxPopCurrent", pop);
    FindDriverFunction("cuDevicePrimaryCtxGetState", getPrimaryState);
    FindDriverFunction("cuDevicePrimaryCtxRetain", retainPrimary);
    FindDriverFunction("cuDevicePrimaryCtxRelease", releasePrimary);
    FindDriverFunction("cuThreadExchangeStreamCaptureMode", exchangeCaptureMode);
    FindDriverFunction("cuDeviceGetName", getName);
  }
};

const Driver &
GetDriver()
{
  static const Driver driver;
  return driver;
}

/** Returns the error of the runtime that means the same as an error of the driver. They have the same numbers. */
cudaError_t
RuntimeError(CUresult error)
{
  return static_cast<cudaError_t>(error);
}

/** Returns whether the primary context of a device exists: the device has been started, and has not been reset since.
 */
bool
IsDeviceStarted(int device)
{
  unsigned int flags = 0;
  int          isActive = 0;
  return GetDriver().getPrimaryState(device, &flags, &isActive) == CUDA_SUCCESS && isActive != 0;
}

/** Describes a device. Does not start it. */
GPUDescription
Describe(int device)
{
  char           name[256] = "";
  GPUDescription gpu{};
  CCL_CHECK(RuntimeError(GetDriver().getName(name, sizeof(name), device)));
  CCL_CHECK(cudaDeviceGetAttribute(&gpu.major, cudaDevAttrComputeCapabilityMajor, device));
  CCL_CHECK(cudaDeviceGetAttribute(&gpu.minor, cudaDevAttrComputeCapabilityMinor, device));
  gpu.name = name;
  return gpu;
}

} // namespace

bool
IsForkedChild()
{
  return isForkedChild;
}

void
CheckStart(cudaError_t error, int device)
{
  if (error == cudaSuccess)
  {
    return;
  }
  cudaGetLastError();
  const bool isUnavailable = error == cudaErrorNoKernelImageForDevice || error == cudaErrorInitializationError;
  throw CudaConnectedComponentError(isUnavailable                        ? KindEnum::Unavailable
                                    : error == cudaErrorMemoryAllocation ? KindEnum::Memory
                                                                         : KindEnum::Cuda,
                                    "no CUDA device: " + (device < 0 ? "CUDA" : Describe(device).ToText()) +
                                      " does not start, because of \"" + cudaGetErrorString(error) + "\" (" +
                                      cudaGetErrorName(error) + "): " + RemedyOf(error));
}

void
StartDevice(int device, const std::function<void()> & start)
{
  Describe(device).RequireSupported();
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
  const Driver &     driver = GetDriver();
  CUcontext          context = nullptr;
  unsigned long long id = 0;
  if (driver.getContext(&context) != CUDA_SUCCESS || context == nullptr || driver.getId(context, &id) != CUDA_SUCCESS)
  {
    return std::nullopt;
  }
  return id;
}

PrimaryContext::PrimaryContext(int device)
  : m_Device(device)
  , m_WasStarted(IsDeviceStarted(device))
{
  const Driver & driver = GetDriver();
  CUcontext      context = nullptr;
  const auto     retain = [&] { CheckStart(RuntimeError(driver.retainPrimary(&context, m_Device)), m_Device); };
  if (m_WasStarted)
  {
    retain();
  }
  else
  {
    StartDevice(m_Device, retain);
  }
  const CUresult error = driver.push(context);
  if (error != CUDA_SUCCESS && m_WasStarted)
  {
    driver.releasePrimary(m_Device);
  }
  CCL_CHECK(RuntimeError(error));
}

PrimaryContext::~PrimaryContext()
{
  CUcontext context = nullptr;
  GetDriver().pop(&context);
  if (m_WasStarted)
  {
    GetDriver().releasePrimary(m_Device);
  }
}

UncapturedCalls::UncapturedCalls()
{
  CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED;
  CCL_CHECK(RuntimeError(GetDriver().exchangeCaptureMode(&mode)));
  m_CallersMode = mode;
}

UncapturedCalls::~UncapturedCalls()
{
  auto mode = static_cast<CUstreamCaptureMode>(m_CallersMode);
  GetDriver().exchangeCaptureMode(&mode);
}

CurrentDevice::CurrentDevice(int device)
{
  const int count = CountDevices();
  if (device < -1 || device >= count)
  {
    throw CudaConnectedComponentError(KindEnum::Unavailable,
                                      "no CUDA device " + std::to_string(device) + ": there are " +
                                        std::to_string(count) + ", numbered from 0");
  }
  // This is the device of the caller's context. If there is none, it is the device that CUDA's runtime would start.
  int callersDevice = 0;
  CCL_CHECK(cudaGetDevice(&callersDevice));
  m_Device = device < 0 ? callersDevice : device;
  if (m_Device != callersDevice || !FindContext())
  {
    m_Primary.emplace(m_Device);
  }
  m_Uncaptured.emplace();
}

void
CallInContext(int device, std::uint64_t id, const std::function<void()> & function)
{
  std::optional<PrimaryContext> primary;
  if (FindContext() != id && IsDeviceStarted(device))
  {
    primary.emplace(device);
  }
  if (FindContext() == id)
  {
    const UncapturedCalls uncaptured;
    function();
  }
}

} // namespace itk::ccl
