// SPDX-License-Identifier: Apache-2.0
#include "CudaTestSupport.h"

#include <cuda_runtime_api.h>

#include <stdexcept>

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
  const std::uint64_t free = CountFreeMemory();
  return free > spared ? AllocateDevice(free - spared) : nullptr;
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

std::shared_ptr<void>
MakeStream()
{
  cudaStream_t stream = nullptr;
  Check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  return std::shared_ptr<void>(stream, [](void * owned) { cudaStreamDestroy(static_cast<cudaStream_t>(owned)); });
}

} // namespace CudaTestSupport
