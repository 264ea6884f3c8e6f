// SPDX-License-Identifier: Apache-2.0

#include "engine/DeviceChecks.cuh"

#include "executors/Arena.h"
#include "executors/device/CudaError.cuh"

#include <algorithm>
#include <initializer_list>
#include <iterator>
#include <string>

namespace itk::ccl
{

namespace
{

/** Calls visit(address) for each column of a table. The address of a column that is not wanted is null. */
template <typename TVisitor>
void
ForEachColumn(const CudaConnectedComponentDeviceTable & table, const TVisitor & visit)
{
  const auto visitAll = [&visit](const auto & columns) {
    std::for_each(std::begin(columns), std::end(columns), visit);
  };
  visitAll(std::initializer_list<const void *>{ table.images, table.pixelCounts, table.firstPixels, table.faces });
  visitAll(table.minimums);
  visitAll(table.maximums);
  visitAll(table.sums);
  visitAll(table.means);
  visitAll(table.products);
}

} // namespace

void
RequireDeviceMemory(const void * memory, const char * name, int device)
{
  cudaPointerAttributes attributes{};
  CCL_CHECK(cudaPointerGetAttributes(&attributes, memory));
  const bool isDevice = attributes.type == cudaMemoryTypeDevice && attributes.device == device;
  if (!isDevice && attributes.type != cudaMemoryTypeManaged)
  {
    throw CudaConnectedComponentError(CudaConnectedComponentError::KindEnum::InvalidArgument,
                                      std::string("the ") + name + " is not in the memory of CUDA device " +
                                        std::to_string(device));
  }
}

void
RequireDeviceNumbers(const void * memory, const char * name, int device)
{
  if (memory == nullptr)
  {
    return;
  }
  RequireDeviceMemory(memory, name, device);
  if (reinterpret_cast<std::uintptr_t>(memory) % 8 != 0)
  {
    throw CudaConnectedComponentError(CudaConnectedComponentError::KindEnum::InvalidArgument,
                                      std::string("the address of the ") + name + " is not a multiple of 8 bytes");
  }
}

void
RequireDeviceTable(const CudaConnectedComponentDeviceTable & table, int device)
{
  ForEachColumn(table, [&](const void * column) {
    if (column != nullptr && column != table.faces)
    {
      RequireDeviceNumbers(column, "column of the table", device);
    }
  });
  if (table.faces != nullptr)
  {
    RequireDeviceMemory(table.faces, "column of the table", device);
  }
}

bool
RequireUsable(cudaStream_t stream)
{
  cudaStreamCaptureStatus status{};
  CCL_CHECK(cudaStreamIsCapturing(stream, &status));
  return status != cudaStreamCaptureStatusNone;
}

void
RequireNoCapture(cudaStream_t stream)
{
  if (RequireUsable(stream))
  {
    throw CudaConnectedComponentError(CudaConnectedComponentError::KindEnum::InvalidArgument,
                                      "the stream captures a CUDA graph, and this function waits for results: use "
                                      "another stream, or end the capture first");
  }
}

void
RequireWorkspace(const void * workspace, std::uint64_t bytes, std::uint64_t needed)
{
  std::string problem;
  if (bytes < needed)
  {
    problem = "the workspace has " + std::to_string(bytes) + " bytes, but the call needs " + std::to_string(needed) +
              ": ask GetWorkspaceSize()";
  }
  else if (needed != 0 &&
           (workspace == nullptr || reinterpret_cast<std::uintptr_t>(workspace) % ArenaSize::Alignment != 0))
  {
    problem =
      "the address of the workspace is null, or not a multiple of " + std::to_string(ArenaSize::Alignment) + " bytes";
  }
  if (!problem.empty())
  {
    throw CudaConnectedComponentError(CudaConnectedComponentError::KindEnum::InvalidArgument, problem);
  }
}

void
RequireCall(int device, cudaStream_t stream, const Request & request, const CudaConnectedComponentDeviceCall & call)
{
  RequireUsable(stream);
  const auto require = [device](const void * memory, const char * name) {
    if (memory != nullptr)
    {
      RequireDeviceMemory(memory, name, device);
    }
  };
  require(call.input.pixels, "input");
  require(request.mask.pixels, "mask");
  require(request.output == OutputKind::None ? nullptr : call.output.pixels, "output");
  RequireDeviceNumbers(call.status, "status", device);
  RequireDeviceNumbers(call.componentCounts, "array of component counts", device);
  RequireDeviceTable(call.table, device);
}

} // namespace itk::ccl
