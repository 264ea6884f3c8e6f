// SPDX-License-Identifier: Apache-2.0

// Tests of the capabilities of imitated devices, of the refusal of old ones, and of the waiting time after a device did
// not start.

#include "executors/device/DeviceCapabilities.h"
#include "executors/device/StartAttempts.h"

#include <gtest/gtest.h>

using itk::CudaConnectedComponentError;
using itk::ccl::DeviceCapabilities;
using itk::ccl::GPUDescription;
using itk::ccl::StartAttempts;

namespace
{

TEST(CudaConnectedComponentsDeviceCapabilities, LimitToTakesTheProfileOfASmallerDevice)
{
  const DeviceCapabilities hopper{ true, true, 132 };
  const auto               turing = hopper.LimitTo("turing");
  EXPECT_TRUE(turing.hasMemoryPools);
  EXPECT_FALSE(turing.launchesEarly);
  EXPECT_LT(turing.multiprocessors, 132U);
  const auto minimal = hopper.LimitTo("minimal");
  EXPECT_FALSE(minimal.hasMemoryPools || minimal.launchesEarly);
  EXPECT_EQ(minimal.multiprocessors, 4U);
  const auto same = hopper.LimitTo("");
  EXPECT_TRUE(same.hasMemoryPools && same.launchesEarly);
  EXPECT_EQ(same.multiprocessors, 132U);
}

TEST(CudaConnectedComponentsDeviceCapabilities, LimitToNeverAddsCapabilities)
{
  const DeviceCapabilities small{ false, false, 2 };
  const auto               turing = small.LimitTo("turing");
  EXPECT_FALSE(turing.hasMemoryPools || turing.launchesEarly);
  EXPECT_EQ(turing.multiprocessors, 2U);
  EXPECT_THROW(small.LimitTo("voodoo"), CudaConnectedComponentError);
}

TEST(CudaConnectedComponentsDeviceCapabilities, OldGPUsAreRefusedByName)
{
  EXPECT_NO_THROW((GPUDescription{ "Tesla V100", 7, 0 }.RequireSupported()));
  EXPECT_NO_THROW((GPUDescription{ "NVIDIA RTX PRO 6000", 12, 0 }.RequireSupported()));
  try
  {
    GPUDescription{ "GeForce GTX 1080", 6, 1 }.RequireSupported();
    FAIL() << "no exception";
  }
  catch (const CudaConnectedComponentError & error)
  {
    EXPECT_EQ(error.GetKind(), CudaConnectedComponentError::KindEnum::Unavailable);
    EXPECT_STREQ(error.what(),
                 "no CUDA device: the GPU GeForce GTX 1080 of compute capability 6.1 is too old, and 7.0 or later is "
                 "needed: choose another GPU, or use the CPU");
  }
}

/** Returns the message of the exception that RequireDue() throws at a time, or an empty string. */
std::string
Refusal(const StartAttempts & attempts, StartAttempts::ClockType::time_point now)
{
  try
  {
    attempts.RequireDue(now);
    return "";
  }
  catch (const CudaConnectedComponentError & error)
  {
    EXPECT_EQ(error.GetKind(), CudaConnectedComponentError::KindEnum::Memory);
    return error.what();
  }
}

TEST(CudaConnectedComponentsStartAttempts, WaitLongerAfterEachFailure)
{
  using std::chrono::seconds;
  StartAttempts                        attempts;
  StartAttempts::ClockType::time_point now{ std::chrono::hours(1) };
  EXPECT_EQ(Refusal(attempts, now), "");
  const CudaConnectedComponentError failure(CudaConnectedComponentError::KindEnum::Memory, "out of memory");
  for (const int wait : { 1, 2, 4, 8, 16, 32, 64, 64 })
  {
    attempts.Fail(now, failure);
    EXPECT_EQ(Refusal(attempts, now + seconds(wait) - std::chrono::milliseconds(1)),
              "out of memory; the next attempt to start the device is in 1 s");
    if (wait == 64)
    {
      EXPECT_EQ(Refusal(attempts, now + seconds(14)), "out of memory; the next attempt to start the device is in 51 s");
    }
    now += seconds(wait);
    EXPECT_EQ(Refusal(attempts, now), "");
  }
}

} // namespace
