// SPDX-License-Identifier: Apache-2.0

// DeviceSession in a build without CUDA. The constructor always throws, so that the other members are never called.

#include "engine/DeviceSession.h"

namespace itk::ccl
{

class DeviceSession::Implementation
{};

DeviceSession::DeviceSession(int)
{
  throw CudaConnectedComponentError(
    CudaConnectedComponentError::KindEnum::Unavailable,
    "no CUDA device: this build of CudaConnectedComponents has no CUDA: build it with CUDA 12.5 or later");
}

DeviceSession::~DeviceSession() = default;

HostArray
DeviceSession::AllocateHost(std::uint64_t)
{
  return {};
}

Components
DeviceSession::LabelPixels(int deviceId,
                           void *,
                           const CudaConnectedComponentAllocator &,
                           const ImageView &,
                           const Request &,
                           const ImageView &,
                           const ResultMakers &)
{
  const DeviceSession session(deviceId); // throws
  return {};
}

std::uint64_t
DeviceSession::MeasureBits(const Request &, std::uint64_t)
{
  return 0;
}

bool
DeviceSession::Reserve(std::uint64_t, std::uint64_t)
{
  return false;
}

RunLabels
DeviceSession::LabelBits(const PackedRuns &, const Request &)
{
  return {};
}

std::uint64_t
DeviceSession::GetWorkspaceBytes(int, const Request &, const CudaConnectedComponentDeviceCall &)
{
  return 0;
}

void
DeviceSession::Prepare(int deviceId, const Request &, const CudaConnectedComponentDeviceCall &)
{
  const DeviceSession session(deviceId); // throws
}

void
DeviceSession::Enqueue(int deviceId,
                       void *,
                       const Request &,
                       const CudaConnectedComponentDeviceCall &,
                       const CudaConnectedComponentAllocator &,
                       void *,
                       std::uint64_t)
{
  const DeviceSession session(deviceId); // throws
}

void
DeviceSession::TrimMemory()
{}

void
DeviceSession::HoldAtMost(std::uint64_t)
{}

HeldMemory
DeviceSession::GetHeldMemory()
{
  return {};
}

bool
DeviceSession::IsStartupDone()
{
  return true;
}

CudaVersions
DeviceSession::GetCudaVersions()
{
  return {};
}

} // namespace itk::ccl
