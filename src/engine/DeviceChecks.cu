// SPDX-License-Identifier: Apache-2.0

#include "engine/DeviceChecks.cuh"

#include "engine/Checks.h"
#include "algorithms/analysis/ComponentTable.h"
#include "executors/Arena.h"
#include "executors/device/CudaError.cuh"

#include <string>

namespace itk::ccl
{

void
RequireDeviceMemory(const void * memory, const char * name, int device)
{
  if (memory == nullptr)
  {
    return;
  }
  cudaPointerAttributes attributes{};
  CCL_CHECK(cudaPointerGetAttributes(&attributes, memory));
  const bool isDevice = attributes.type == cudaMemoryTypeDevice && attributes.device == device;
  Require(isDevice || attributes.type == cudaMemoryTypeManaged, [&] {
    return std::string("the ") + name + " is not in the memory of CUDA device " + std::to_string(device);
  });
}

void
RequireDeviceNumbers(const void * memory, const char * name, int device)
{
  RequireDeviceMemory(memory, name, device);
  Require(reinterpret_cast<std::uintptr_t>(memory) % 8 == 0,
          [&] { return std::string("the address of the ") + name + " is not a multiple of 8 bytes"; });
}

void
RequireDeviceTable(const CudaConnectedComponentDeviceTable & table, int device)
{
  constexpr const char * name = "column of the table";
  RequireDeviceNumbers(table.images, name, device);
  RequireDeviceNumbers(table.labels, name, device);
  RequireDeviceNumbers(table.areas, name, device);
  for (unsigned int axis = 0; axis < 3; ++axis)
  {
    RequireDeviceNumbers(table.ends[axis], name, device);
    RequireDeviceNumbers(table.means[axis], name, device);
  }
  ForEachColumn(
    [&](auto, const auto * column) {
      if constexpr (sizeof(*column) == 1)
      {
        RequireDeviceMemory(column, name, device);
      }
      else
      {
        RequireDeviceNumbers(column, name, device);
      }
    },
    table);
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
  Require(!RequireUsable(stream),
          "the stream captures a CUDA graph, and this function waits for results: use another stream, or end the "
          "capture first");
}

void
RequireWorkspace(const void * workspace, std::uint64_t bytes, std::uint64_t needed)
{
  Require(bytes >= needed, [&] {
    return "the workspace has " + std::to_string(bytes) + " bytes, but the call needs " + std::to_string(needed) +
           ": ask GetWorkspaceSize()";
  });
  const bool isAligned =
    workspace != nullptr && reinterpret_cast<std::uintptr_t>(workspace) % ArenaSize::Alignment == 0;
  Require(needed == 0 || isAligned, [] {
    return "the address of the workspace is null, or not a multiple of " + std::to_string(ArenaSize::Alignment) +
           " bytes";
  });
}

void
RequireDeviceImages(int device, const ImageView & input, const Request & request, const ImageView & output)
{
  RequireDeviceMemory(input.pixels, "input", device);
  RequireDeviceMemory(request.output == OutputKind::None ? nullptr : output.pixels, "output", device);
  RequireDeviceMemory(request.mask.pixels, "mask", device);
  RequireDeviceMemory(request.intensities.pixels, "intensity image", device);
}

} // namespace itk::ccl
