// SPDX-License-Identifier: Apache-2.0

// The calls of a labeler for images in device memory.

#include "engine/Calls.h"
#include "engine/Checks.h"
#include "engine/Requests.h"

namespace itk
{

namespace ccl
{

namespace
{

void
RequireBothFunctions(const CudaConnectedComponentAllocator & allocator)
{
  Require((allocator.allocate == nullptr) == (allocator.free == nullptr),
          "the allocator has one function only: set `allocate` and `free`");
}

} // namespace

std::uint64_t
LabelDevice(const LabelerOptions &        options,
            const ImageView &             input,
            const Request &               request,
            const ImageView &             output,
            CudaConnectedComponentTable * table,
            const ResultMakers &          makers)
{
  RequireBothFunctions(options.allocator);
  if (request.output != OutputKind::Labels && request.output != OutputKind::None)
  {
    RequireContiguous(input, "input");
    RequireContiguous(output, "output");
  }
  Report(options, 0.0F);
  Components components;
  components.table.componentCounts.resize(request.images); // images without pixels have no components
  if (request.HasPixels())
  {
    RequireMemory(input, "input");
    if (makers.labels == nullptr)
    {
      RequireMemory(output, "output");
    }
    RequireAligned(input, "input");
    RequireAdjacent(output, "output");
    if (request.WantsMask())
    {
      RequireAligned(request.mask, "mask");
    }
    components =
      DeviceSession::LabelPixels(options.deviceId, options.stream, options.allocator, input, request, output, makers);
  }
  else if (makers.table != nullptr)
  {
    (*makers.table)(0);
  }
  else if (makers.labels != nullptr)
  {
    (*makers.labels)();
  }
  const std::uint64_t objectCount = Deliver(std::move(components.table), table);
  if (request.wantsValues)
  {
    options.reportValues(components.values);
  }
  if (request.HasPixels())
  {
    Report(options, 1.0F);
  }
  return objectCount;
}

} // namespace ccl

using namespace ccl;

std::uint64_t
CudaConnectedComponentLabeler::GetWorkspaceSize(const CudaConnectedComponentDeviceCall & call) const
{
  return DeviceSession::GetWorkspaceBytes(options.deviceId, RequestFor(options, call), call);
}

void
CudaConnectedComponentLabeler::Prepare(const CudaConnectedComponentDeviceCall & call) const
{
  DeviceSession::Prepare(options.deviceId, RequestFor(options, call), call);
}

void
CudaConnectedComponentLabeler::Enqueue(const CudaConnectedComponentDeviceCall & call,
                                       void *                                   workspace,
                                       std::uint64_t                            workspaceSize) const
{
  DeviceSession::Enqueue(
    options.deviceId, options.stream, RequestFor(options, call), call, {}, workspace, workspaceSize);
}

void
CudaConnectedComponentLabeler::Enqueue(const CudaConnectedComponentDeviceCall & call) const
{
  RequireBothFunctions(options.allocator);
  Require(options.allocator.allocate != nullptr, "there is no workspace: give one, or set options.allocator");
  DeviceSession::Enqueue(options.deviceId, options.stream, RequestFor(options, call), call, options.allocator);
}

} // namespace itk
