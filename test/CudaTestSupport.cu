// SPDX-License-Identifier: Apache-2.0
#include "CudaTestSupport.h"

#include <cuda.h>
#include <cuda_runtime_api.h>

#include <chrono>
#include <stdexcept>
#include <thread>
#include <vector>

namespace CudaTestSupport
{

namespace
{

void
Check(cudaError_t error)
{
  if (error != cudaSuccess)
  {
    throw std::runtime_error(cudaGetErrorString(error));
  }
}

} // namespace

int
CountDevices()
{
  int count = 0;
  return cudaGetDeviceCount(&count) == cudaSuccess ? count : 0;
}

std::string
WhyNoDevice()
{
  return CountDevices() > 0 ? "" : "no CUDA device";
}

std::shared_ptr<void>
AllocateDevice(std::uint64_t bytes)
{
  void * memory = nullptr;
  Check(cudaMalloc(&memory, bytes));
  return std::shared_ptr<void>(memory, cudaFree);
}

void
CopyToDevice(void * device, const void * host, std::uint64_t bytes)
{
  Check(cudaMemcpy(device, host, bytes, cudaMemcpyHostToDevice));
  // The copy may return before the last bytes arrive, and streams that do not wait for the default stream would not see
  // them.
  Check(cudaStreamSynchronize(nullptr));
}

void
CopyToHost(void * host, const void * device, std::uint64_t bytes)
{
  Check(cudaMemcpy(host, device, bytes, cudaMemcpyDeviceToHost));
}

std::uint64_t
CountFreeMemory()
{
  std::size_t free = 0;
  std::size_t total = 0;
  Check(cudaMemGetInfo(&free, &total));
  return free;
}

std::shared_ptr<void>
ExhaustDeviceMemory(std::uint64_t spared)
{
  // Free memory may be fragmented.
  constexpr std::uint64_t smallest = 1 << 20;
  const auto              blocks = std::make_shared<std::vector<std::shared_ptr<void>>>();
  for (std::uint64_t bytes = std::uint64_t{ 1 } << 40; bytes >= smallest;)
  {
    void * block = nullptr;
    if (CountFreeMemory() >= spared + bytes && cudaMalloc(&block, bytes) == cudaSuccess)
    {
      blocks->emplace_back(block, cudaFree);
    }
    else
    {
      cudaGetLastError(); // clears the error of the allocation
      bytes /= 2;
    }
  }
  return blocks;
}

std::shared_ptr<void>
PoisonFreeMemory()
{
  const auto owners = std::make_shared<std::vector<std::shared_ptr<void>>>();
  for (const std::uint64_t bytes : { 4, 512, 65536 })
  {
    for (int i = 0; i < 1000; ++i)
    {
      owners->push_back(AllocateDevice(bytes));
      Check(cudaMemset(owners->back().get(), 0xFF, bytes));
    }
  }
  Check(cudaDeviceSynchronize());
  for (std::size_t i = 0; i < owners->size(); i += 2)
  {
    (*owners)[i].reset();
  }
  return owners;
}

namespace
{

__global__ void
WriteTo(int * address)
{
  *address = 1;
}

} // namespace

void
BreakDevice()
{
  WriteTo<<<1, 1>>>(reinterpret_cast<int *>(64));
  if (cudaDeviceSynchronize() == cudaSuccess)
  {
    throw std::runtime_error("the invalid write raised no error");
  }
}

void
ResetDevice()
{
  Check(cudaDeviceReset());
}

int
GetCurrentDevice()
{
  int device = -1;
  Check(cudaGetDevice(&device));
  return device;
}

void
SetCurrentDevice(int device)
{
  Check(cudaSetDevice(device));
}

namespace
{

/** Calls a function of the NVIDIA driver. `version` is the version of CUDA that has changed its parameters last. */
template <typename... TParameters, typename... TArguments>
void
CallDriver(const char * name, unsigned int version, CUresult (*)(TParameters...), TArguments... arguments)
{
  void *                          function = nullptr;
  cudaDriverEntryPointQueryResult status{};
  Check(cudaGetDriverEntryPointByVersion(name, &function, version, cudaEnableDefault, &status));
  if (status != cudaDriverEntryPointSuccess)
  {
    throw std::runtime_error(std::string("no function ") + name);
  }
  Check(static_cast<cudaError_t>(reinterpret_cast<CUresult (*)(TParameters...)>(function)(arguments...)));
}

} // namespace

bool
IsStarted(int device)
{
  using FunctionType = CUresult (*)(CUdevice, unsigned int *, int *);
  unsigned int flags = 0;
  int          isActive = 0;
  CallDriver("cuDevicePrimaryCtxGetState", 7000, FunctionType{}, device, &flags, &isActive);
  return isActive != 0;
}

void *
GetCurrentContext()
{
  using FunctionType = CUresult (*)(CUcontext *);
  CUcontext context = nullptr;
  CallDriver("cuCtxGetCurrent", 4000, FunctionType{}, &context);
  return context;
}

std::shared_ptr<void>
MakeContext(int device)
{
  using CreateType = CUresult (*)(CUcontext *, unsigned int, CUdevice);
  using DestroyType = CUresult (*)(CUcontext);
  CUcontext context = nullptr;
  CallDriver("cuCtxCreate", 3020, CreateType{}, &context, 0U, device);
  return std::shared_ptr<void>(
    context, [](void * owned) { CallDriver("cuCtxDestroy", 4000, DestroyType{}, static_cast<CUcontext>(owned)); });
}

namespace
{

std::shared_ptr<void>
MakeStreamWith(unsigned int flags)
{
  cudaStream_t stream = nullptr;
  Check(cudaStreamCreateWithFlags(&stream, flags));
  return std::shared_ptr<void>(stream, [](void * owned) { cudaStreamDestroy(static_cast<cudaStream_t>(owned)); });
}

} // namespace

std::shared_ptr<void>
MakeStream()
{
  return MakeStreamWith(cudaStreamNonBlocking);
}

std::shared_ptr<void>
MakeBlockingStream()
{
  return MakeStreamWith(cudaStreamDefault);
}

void
DelayStream(void * stream, unsigned int milliseconds)
{
  Check(cudaLaunchHostFunc(
    static_cast<cudaStream_t>(stream),
    [](void * data) {
      const std::unique_ptr<unsigned int> owned(static_cast<unsigned int *>(data));
      std::this_thread::sleep_for(std::chrono::milliseconds(*owned));
    },
    new unsigned int(milliseconds)));
}

bool
IsIdle(void * stream)
{
  const cudaError_t error = cudaStreamQuery(static_cast<cudaStream_t>(stream));
  if (error != cudaErrorNotReady)
  {
    Check(error);
  }
  return error == cudaSuccess;
}

int
ExchangeCaptureMode(int mode)
{
  auto exchanged = static_cast<cudaStreamCaptureMode>(mode);
  Check(cudaThreadExchangeStreamCaptureMode(&exchanged));
  return exchanged;
}

void
BeginCapture(void * stream, void * memory)
{
  Check(cudaStreamBeginCapture(static_cast<cudaStream_t>(stream), cudaStreamCaptureModeGlobal));
  Check(cudaMemsetAsync(memory, 0, 4, static_cast<cudaStream_t>(stream)));
}

std::string
EndCapture(void * stream)
{
  cudaGraph_t       graph = nullptr;
  const cudaError_t error = cudaStreamEndCapture(static_cast<cudaStream_t>(stream), &graph);
  if (error != cudaSuccess)
  {
    cudaGetLastError();
    return cudaGetErrorString(error);
  }
  cudaGraphExec_t executable = nullptr;
  Check(cudaGraphInstantiateWithFlags(&executable, graph, 0));
  Check(cudaGraphLaunch(executable, static_cast<cudaStream_t>(stream)));
  Check(cudaStreamSynchronize(static_cast<cudaStream_t>(stream)));
  Check(cudaGraphExecDestroy(executable));
  Check(cudaGraphDestroy(graph));
  return "";
}

namespace
{

class InstantiatedGraph : public Graph
{
public:
  explicit InstantiatedGraph(cudaGraph_t graph)
    : m_Graph(graph)
  {
    Check(cudaGraphInstantiateWithFlags(&m_Executable, graph, 0));
  }
  ~InstantiatedGraph() override
  {
    cudaGraphExecDestroy(m_Executable);
    cudaGraphDestroy(m_Graph);
  }
  InstantiatedGraph(const InstantiatedGraph &) = delete;
  InstantiatedGraph &
  operator=(const InstantiatedGraph &) = delete;

  void
  Launch(void * stream) const override
  {
    Check(cudaGraphLaunch(m_Executable, static_cast<cudaStream_t>(stream)));
  }

private:
  cudaGraph_t     m_Graph;
  cudaGraphExec_t m_Executable = nullptr;
};

} // namespace

std::shared_ptr<Graph>
EndCaptureOfGraph(void * stream)
{
  cudaGraph_t graph = nullptr;
  Check(cudaStreamEndCapture(static_cast<cudaStream_t>(stream), &graph));
  return std::make_shared<InstantiatedGraph>(graph);
}

void
Wait(void * stream)
{
  Check(cudaStreamSynchronize(static_cast<cudaStream_t>(stream)));
}

} // namespace CudaTestSupport
