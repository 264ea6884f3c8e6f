// SPDX-License-Identifier: Apache-2.0

// The calls of DeviceSession that do not wait.

#include "engine/CallersMemory.cuh"
#include "engine/DeviceChecks.cuh"
#include "engine/DeviceSession.h"
#include "engine/RunPipeline.cuh"
#include "executors/MeasuringExecutor.h"
#include "executors/device/CudaContext.cuh"

#include <optional>
#include <utility>

namespace itk::ccl
{

ArenaSize
MeasureCall(const Request & request, const CudaConnectedComponentDeviceCall & call)
{
  const MeasuringExecutor executor(SortStorageBytes);
  EnqueueCall(executor, request, call);
  return executor.GetSize();
}

namespace
{

/** Enqueues the work of a call on a stream of the current device. The workspace has the bytes of `size`. */
void
EnqueueOn(int                                      device,
          cudaStream_t                             stream,
          const Request &                          request,
          const CudaConnectedComponentDeviceCall & call,
          const ArenaSize &                        size,
          DeviceAllocation &&                      workspace)
{
  const DeviceExecutor executor(DeviceResources::Of(device), stream);
  DeviceArena          arena(std::move(workspace), size);
  EnqueueCall(executor.WithoutWaitingIn(arena), request, call);
}

} // namespace

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
                       void *                                   workspace,
                       std::uint64_t                            workspaceBytes)
{
  const CurrentDevice current(deviceId);
  const auto          cudaStream = static_cast<cudaStream_t>(stream);
  RequireCall(current.Get(), cudaStream, request, call);
  const ArenaSize size = MeasureCall(request, call);
  RequireWorkspace(workspace, workspaceBytes, size.GetTotal());
  if (workspace != nullptr)
  {
    RequireDeviceMemory(workspace, "workspace", current.Get());
  }
  EnqueueOn(current.Get(), cudaStream, request, call, size, DeviceAllocation(workspace));
}

void
DeviceSession::Enqueue(int                                      deviceId,
                       void *                                   stream,
                       const Request &                          request,
                       const CudaConnectedComponentDeviceCall & call,
                       const CudaConnectedComponentAllocator &  allocator)
{
  const CurrentDevice current(deviceId);
  const auto          cudaStream = static_cast<cudaStream_t>(stream);
  RequireCall(current.Get(), cudaStream, request, call);
  CallersMemory   memory(allocator, current.Get());
  const ArenaSize size = MeasureCall(request, call);
  EnqueueOn(current.Get(), cudaStream, request, call, size, DeviceAllocation(memory, size.GetTotal(), cudaStream));
}

} // namespace itk::ccl
