// SPDX-License-Identifier: Apache-2.0

// Tests of the labeler in its process: which contexts it starts and leaves current, and forks while CUDA starts. Each
// test runs in a new process, which has not started CUDA.

#include "LabelerTestSupport.h"

#include "CudaConnectedComponentsDetail/Process.h"

#include <atomic>
#include <chrono>
#include <iostream>
#include <thread>

#include <sys/wait.h>
#include <unistd.h>

namespace
{

using View = itk::CudaConnectedComponentImageView;
using namespace CudaTestSupport;

/** Counts the checks that fail in a child process, and prints them. */
class Checks
{
public:
  void
  Expect(bool isTrue, const char * what)
  {
    if (!isTrue)
    {
      std::cerr << "not true: " << what << '\n';
      ++m_Failures;
    }
  }

  [[noreturn]] void
  Exit() const
  {
    _exit(m_Failures == 0 ? 0 : 1);
  }

private:
  int m_Failures = 0;
};

/** Labels an image from host to host, and if `onDevice`, from device to device in the current context. Returns whether
 * the labels are right. */
bool
IsLabeledAsByItk(int deviceId, bool onDevice = false)
{
  const TestImage               image = MakeRandom({ 65, 43, 21 }, 25, 2, 53);
  const Labels                  expected = LabelByItk(image, false);
  const std::uint64_t           bytes = image.pixels.size() * sizeof(std::uint32_t);
  std::vector<std::uint32_t>    labels(image.pixels.size());
  CudaConnectedComponentLabeler labeler;
  labeler.options.deviceId = deviceId;
  labeler.Label(View::Of(image.pixels.data(), image.size), View::Of(labels.data(), image.size));
  bool isSame = labels == expected.pixels;
  if (onDevice)
  {
    const auto input = AllocateDevice(image.pixels.size());
    const auto output = AllocateDevice(bytes);
    CopyToDevice(input.get(), image.pixels.data(), image.pixels.size());
    labeler.Label(View::OnDevice(static_cast<const std::uint8_t *>(input.get()), image.size),
                  View::OnDevice(static_cast<std::uint32_t *>(output.get()), image.size));
    CopyToHost(labels.data(), output.get(), bytes);
    isSame = isSame && labels == expected.pixels;
  }
  return isSame;
}

class CudaConnectedComponentsLabelerDeathTest : public testing::Test
{
protected:
  void
  SetUp() override
  {
    testing::FLAGS_gtest_death_test_style = "threadsafe";
  }
};

TEST_F(CudaConnectedComponentsLabelerDeathTest, StartsOnlyItsDevice)
{
  SKIP_WITHOUT_DEVICE();
  EXPECT_EXIT(
    {
      Checks    checks;
      const int last = CountDevices() - 1;
      checks.Expect(!IsStarted(last), "the device has not been started");
      checks.Expect(GetCurrentDevice() == 0, "device 0 is current");
      CudaConnectedComponentLabeler::TrimMemory();
      CudaConnectedComponentLabeler::GetHeldMemory();
      checks.Expect(!IsStarted(0) && !IsStarted(last), "questions about memory start no device");
      checks.Expect(IsLabeledAsByItk(last), "the labels are ITK's");
      checks.Expect(IsStarted(last), "labeling starts the device");
      checks.Expect(GetCurrentContext() == nullptr, "no context is current after labeling");
      checks.Expect(CudaConnectedComponentLabeler::GetHeldMemory().pinnedBytes > 0, "the device holds memory");
      CudaConnectedComponentLabeler::TrimMemory();
      checks.Expect(CudaConnectedComponentLabeler::GetHeldMemory().pinnedBytes == 0, "trimmed");
      checks.Expect(GetCurrentContext() == nullptr, "no context is current after trimming");
      checks.Expect(last == 0 || !IsStarted(0), "device 0 has not been started");
      // CUDA's runtime goes on with device 0.
      SetCurrentDevice(0);
      checks.Expect(IsLabeledAsByItk(-1, true), "the labels of device 0 are ITK's");
      checks.Exit();
    },
    testing::ExitedWithCode(0),
    "");
}

TEST_F(CudaConnectedComponentsLabelerDeathTest, KeepsTheContextOfTheCaller)
{
  SKIP_WITHOUT_DEVICE();
  EXPECT_EXIT(
    {
      Checks checks;
      for (int device = 0; device < CountDevices(); ++device)
      {
        const auto context = MakeContext(0);
        checks.Expect(IsLabeledAsByItk(-1, true), "the labels in the caller's context are ITK's");
        checks.Expect(GetCurrentContext() == context.get(), "the context is current after labeling");
        checks.Expect(IsLabeledAsByItk(device), "the labels of each device are ITK's");
        checks.Expect(GetCurrentContext() == context.get(), "the context is current after labeling on each device");
        CudaConnectedComponentLabeler::TrimMemory();
        checks.Expect(CudaConnectedComponentLabeler::GetHeldMemory().pinnedBytes == 0, "trimmed");
        checks.Expect(GetCurrentContext() == context.get(), "the context is current after trimming");
      }
      checks.Expect(GetCurrentContext() == nullptr, "the contexts have ended");
      checks.Expect(IsLabeledAsByItk(0), "the labels in the primary context are ITK's");
      {
        const auto context = MakeContext(0);
        CudaConnectedComponentLabeler::TrimMemory();
        checks.Expect(GetCurrentContext() == context.get(), "the context is current after trimming the primary one");
      }
      checks.Expect(CudaConnectedComponentLabeler::GetHeldMemory().pinnedBytes == 0,
                    "the memory of the primary context is trimmed while another context is current");
      checks.Exit();
    },
    testing::ExitedWithCode(0),
    "");
}

TEST_F(CudaConnectedComponentsLabelerDeathTest, HoldsNoMemoryOfContextsThatHaveEnded)
{
  SKIP_WITHOUT_DEVICE();
  EXPECT_EXIT(
    {
      Checks        checks;
      std::uint64_t freeBytes[2];
      for (std::uint64_t & each : freeBytes)
      {
        for (int i = 0; i < 10; ++i)
        {
          const auto context = MakeContext(0);
          checks.Expect(IsLabeledAsByItk(-1, true), "the labels are ITK's");
        }
        const auto context = MakeContext(0);
        each = CountFreeMemory();
      }
      checks.Expect(freeBytes[1] + (8 << 20) > freeBytes[0], "ten more contexts have left no memory");
      checks.Exit();
    },
    testing::ExitedWithCode(0),
    "");
}

TEST_F(CudaConnectedComponentsLabelerDeathTest, CallsTheCallersFunctionsInTheContextOfTheCaller)
{
  SKIP_WITHOUT_DEVICE();
  EXPECT_EXIT(
    {
      Checks                        checks;
      const TestImage               image = MakeRandom({ 65, 43, 21 }, 25, 2, 54);
      const void *                  context = nullptr;
      int                           calls = 0;
      CudaConnectedComponentLabeler labeler;
      const auto                    check = [&] {
        ++calls;
        checks.Expect(GetCurrentContext() == context, "the context is the caller's");
      };
      labeler.options.progress = [&](float) { check(); };
      const auto label = [&] {
        calls = 0;
        labeler.MaskPackedRows(
          [&](std::uint64_t row, std::uint32_t * words) {
            check();
            CudaConnectedComponentLabeler::PackRow(image.pixels.data() + row * image.size[0], image.size[0], words);
          },
          image.size,
          [&](std::uint64_t, const std::uint32_t *) { check(); });
        checks.Expect(calls > 2 * 43 * 21, "all functions were called");
      };
      label();
      const auto made = MakeContext(0);
      context = made.get();
      labeler.options.deviceId = CountDevices() - 1;
      label();
      checks.Exit();
    },
    testing::ExitedWithCode(0),
    "");
}

/** Forks a child, which asks for the state of the devices. Returns whether the child has ended well, within 5 s. */
bool
DoesForkedChildEnd()
{
  const pid_t child = fork();
  if (child == 0)
  {
    alarm(5);
    static_cast<void>(itk::CudaConnectedComponentsDetail::Process::WhyNotStartGPU());
    CudaConnectedComponentLabeler::TrimMemory();
    const auto held = CudaConnectedComponentLabeler::GetHeldMemory();
    _exit(held.deviceBytes == 0 && held.pinnedBytes == 0 ? 0 : 1);
  }
  int status = -1;
  return waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

TEST_F(CudaConnectedComponentsLabelerDeathTest, ForkedChildrenHaveNoDeviceAlsoIfOtherCodeHasUsedCuda)
{
  SKIP_WITHOUT_DEVICE();
  EXPECT_EXIT(
    {
      Checks checks;
      CountFreeMemory();
      const pid_t child = fork();
      if (child == 0)
      {
        alarm(5);
        try
        {
          CudaConnectedComponentLabeler().RequireDevice();
        }
        catch (const CudaConnectedComponentError & error)
        {
          _exit(error.GetKind() == CudaConnectedComponentError::KindEnum::Unavailable ? 0 : 2);
        }
        _exit(1);
      }
      int status = -1;
      checks.Expect(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0,
                    "the device is unavailable in the child");
      checks.Exit();
    },
    testing::ExitedWithCode(0),
    "");
}

TEST_F(CudaConnectedComponentsLabelerDeathTest, ForkedChildrenEndWhileCudaStarts)
{
  SKIP_WITHOUT_DEVICE();
  EXPECT_EXIT(
    {
      Checks            checks;
      std::atomic<bool> isStarted{ false };
      std::thread       starter([&isStarted] {
        CudaConnectedComponentLabeler().RequireDevice();
        isStarted = true;
      });
      int               children = 0;
      for (bool isLast = false, isGood = true; !isLast && isGood; ++children)
      {
        isLast = isStarted;
        isGood = DoesForkedChildEnd();
        checks.Expect(isGood, "the child ends");
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
      }
      starter.join();
      checks.Expect(children > 2, "children were forked while CUDA started");
      checks.Exit();
    },
    testing::ExitedWithCode(0),
    "");
}

} // namespace
