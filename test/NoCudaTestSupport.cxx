// SPDX-License-Identifier: Apache-2.0
#include "CudaTestSupport.h"

namespace CudaTestSupport
{

int
CountDevices()
{
  return 0;
}

std::string
WhyNoDevice()
{
  return "this build has no CUDA";
}

std::shared_ptr<void>
AllocateDevice(std::uint64_t)
{
  return {};
}

void
CopyToDevice(void *, const void *, std::uint64_t)
{}

void
CopyToHost(void *, const void *, std::uint64_t)
{}

std::shared_ptr<void>
ExhaustDeviceMemory(std::uint64_t)
{
  return {};
}

std::shared_ptr<void>
PoisonFreeMemory()
{
  return nullptr;
}

std::uint64_t
CountFreeMemory()
{
  return 0;
}

void
ResetDevice()
{}

void
BreakDevice()
{}

int
GetCurrentDevice()
{
  return -1;
}

void
SetCurrentDevice(int)
{}

bool
IsStarted(int)
{
  return false;
}

void *
GetCurrentContext()
{
  return nullptr;
}

std::shared_ptr<void>
MakeContext(int)
{
  return {};
}

std::shared_ptr<void>
MakeStream()
{
  return {};
}

std::shared_ptr<void>
MakeBlockingStream()
{
  return {};
}

void
DelayStream(void *, unsigned int)
{}

bool
IsIdle(void *)
{
  return true;
}

void
BeginCapture(void *, void *)
{}

std::string
EndCapture(void *)
{
  return {};
}

std::shared_ptr<Graph>
EndCaptureOfGraph(void *)
{
  return {};
}

void
Wait(void *)
{}

} // namespace CudaTestSupport
