// SPDX-License-Identifier: Apache-2.0

// The calls of DeviceSession that do not wait.

#include "engine/CallersMemory.cuh"
#include "engine/DeviceChecks.cuh"
#include "engine/DeviceSession.h"
#include "engine/RunPipeline.cuh"
#include "executors/MeasuringExecutor.h"
#include "executors/device/CudaContext.cuh"

#include <optional>

namespace itk::ccl
{

ArenaSize
MeasureCall(const Request & request, const CudaConnectedComponentDeviceCall & call)
{
  const MeasuringExecutor executor(SortStorageBytes);
  EnqueueCall(executor, request, call);
  return executor.GetSize();
}

std::uint64_t
DeviceSession::GetWorkspaceBytes(int deviceId, const Request & request, const CudaConnectedComponentDeviceCall & call)
{
  std::optional<CurrentDevice> current;
  if (IsSorting(request.selection))
  {
    current.emplace(deviceId);
  }
  return MeasureCall(request, call).GetTotal();
}

void
DeviceSession::Prepare(int deviceId, const Request & request, const CudaConnectedComponentDeviceCall & call)
{
  const CurrentDevice  current(deviceId);
  const DeviceExecutor executor(DeviceResources::Of(current.Get()), nullptr);
  // The kernel that writes labels depends on the alignment of the output. Nothing is written here.
  for (const std::uintptr_t address : { ArenaSize::Alignment, ArenaSize::Alignment + SizeOf(call.output.type) })
  {
    CudaConnectedComponentDeviceCall each = call;
    if (each.output.pixels != nullptr)
    {
      each.output.pixels = reinterpret_cast<void *>(address);
    }
    EnqueueCall(executor.ForLoading(), request, each);
  }
}

void
DeviceSession::Enqueue(int                                      deviceId,
                       void *                                   stream,
                       const Request &                          request,
                       const CudaConnectedComponentDeviceCall & call,
                       const CudaConnectedComponentAllocator &  allocator,
                       void *                                   workspace,
                       std::uint64_t                            workspaceBytes)
{
  const CurrentDevice current(deviceId);
  const int           device = current.Get();
  const auto          cudaStream = static_cast<cudaStream_t>(stream);
  RequireUsable(cudaStream);
  RequireDeviceImages(device, call.input, request, call.output);
  RequireDeviceNumbers(call.status, "status", device);
  RequireDeviceNumbers(call.componentCounts, "array of component counts", device);
  RequireDeviceTable(call.table, device);
  const ArenaSize size = MeasureCall(request, call);
  const bool      hasWorkspace = allocator.allocate == nullptr;
  if (hasWorkspace)
  {
    RequireWorkspace(workspace, workspaceBytes, size.GetTotal());
    RequireDeviceMemory(workspace, "workspace", device);
  }
  CallersMemory        memory(allocator, device);
  const DeviceExecutor executor(DeviceResources::Of(device), cudaStream);
  DeviceArena arena(hasWorkspace ? DeviceAllocation(workspace) : DeviceAllocation(memory, size.GetTotal(), cudaStream),
                    size);
  EnqueueCall(executor.WithoutWaitingIn(arena), request, call);
}

} // namespace itk::ccl
