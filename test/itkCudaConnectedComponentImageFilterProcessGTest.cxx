// SPDX-License-Identifier: Apache-2.0

// Tests of the filter in its process: progress and abort, threads, fork, exit, device reset, and errors of the GPU.

#include "FilterTestSupport.h"

#include "CudaConnectedComponentsDetail/Process.h"

#include "itkCommand.h"
#include "itkOutputWindow.h"

#include <chrono>
#include <cstdlib>
#include <iostream>
#include <thread>

#include <sys/wait.h>
#include <unistd.h>

namespace
{

using MaskType = itk::Image<unsigned char, 3>;
using LabelsType = itk::Image<unsigned int, 3>;
using FilterType = itk::CudaConnectedComponentImageFilter<MaskType, LabelsType>;

MaskType::Pointer
MakeVolume(unsigned int seed = 301)
{
  return MakeItkImage<MaskType>(MakeRandom({ 64, 61, 43 }, 30, 1, seed));
}

/** As long as it lives, it gets the texts of ITK. */
class CapturingWindow
{
public:
  CapturingWindow() { itk::OutputWindow::SetInstance(m_Window); }
  ~CapturingWindow() { itk::OutputWindow::SetInstance(nullptr); }
  CapturingWindow(const CapturingWindow &) = delete;
  CapturingWindow &
  operator=(const CapturingWindow &) = delete;

  const std::string &
  GetText() const
  {
    return m_Window->text;
  }

private:
  class Window : public itk::OutputWindow
  {
  public:
    using Self = Window;
    using Pointer = itk::SmartPointer<Self>;
    itkFactorylessNewMacro(Self);

    std::string text;

    void
    DisplayText(const char * added) override
    {
      text += added;
    }
  };

  Window::Pointer m_Window = Window::New();
};

/** Returns whether a filter gives ITK's labels. It has no GoogleTest assertions, because child processes use it. */
bool
IsSameAsItk(FilterType & filter, MaskType * image)
{
  filter.SetInput(image);
  filter.Update();
  auto oracle = itk::ConnectedComponentImageFilter<MaskType, LabelsType>::New();
  oracle->SetInput(image);
  oracle->SetFullyConnected(filter.GetFullyConnected());
  oracle->Update();
  const std::size_t count = image->GetBufferedRegion().GetNumberOfPixels();
  return filter.GetObjectCount() == oracle->GetObjectCount() &&
         std::equal(filter.GetOutput()->GetBufferPointer(),
                    filter.GetOutput()->GetBufferPointer() + count,
                    oracle->GetOutput()->GetBufferPointer());
}

/** Calls a function at each progress event. */
template <typename TFunction>
void
OnProgress(FilterType & filter, const TFunction & function)
{
  filter.AddObserver(itk::ProgressEvent(), [&filter, function](const itk::EventObject &) { function(filter); });
}

TEST(CudaConnectedComponentsFilterProcess, ProgressIsMonotone)
{
  std::vector<float> progress;
  auto               filter = FilterType::New();
  itk::SizeValueType count = 0;
  OnProgress(*filter, [&](const FilterType & each) {
    progress.push_back(each.GetProgress());
    count = each.GetObjectCount();
  });
  filter->SetInput(MakeVolume());
  filter->Update();
  EXPECT_GT(count, 0U);
  EXPECT_EQ(count, filter->GetObjectCount()) << "at progress 1";
  ASSERT_GE(progress.size(), 3U);
  EXPECT_TRUE(std::is_sorted(progress.begin(), progress.end()));
  EXPECT_EQ(progress.back(), 1.0F);
}

TEST(CudaConnectedComponentsFilterProcess, AbortsInTheMiddle)
{
  const auto image = MakeVolume();
  auto       filter = FilterType::New();
  filter->SetInput(image);
  bool abort = true;
  int  ends = 0;
  OnProgress(*filter, [&abort](FilterType & each) {
    if (abort && each.GetProgress() > 0.2F)
    {
      each.AbortGenerateDataOn();
    }
  });
  filter->AddObserver(itk::AbortEvent(), [&ends](const itk::EventObject &) { ++ends; });
  EXPECT_THROW(filter->Update(), itk::ProcessAborted);
  EXPECT_EQ(ends, 1);
  EXPECT_EQ(filter->GetBackendUsed(), BackendEnum::Unknown);
  EXPECT_EQ(filter->GetObjectCount(), 0U);
  abort = false;
  EXPECT_TRUE(IsSameAsItk(*filter, image));
}

TEST(CudaConnectedComponentsFilterProcess, SixteenFiltersOnSixteenThreads)
{
  std::vector<std::thread> threads;
  std::vector<int>         results(16, 0);
  for (unsigned int thread = 0; thread < 16; ++thread)
  {
    threads.emplace_back([thread, &results] {
      const auto image = MakeVolume(310 + thread);
      auto       filter = FilterType::New();
      filter->SetFullyConnected(thread % 2 == 0);
      for (int repetition = 0; repetition < 3; ++repetition)
      {
        image->Modified();
        results[thread] += IsSameAsItk(*filter, image);
      }
      results[thread] += filter->GetBackendUsed() == ExpectedBackend();
    });
  }
  for (auto & thread : threads)
  {
    thread.join();
  }
  EXPECT_EQ(results, std::vector<int>(16, 4));
}

TEST(CudaConnectedComponentsFilterProcess, KeepsTheCurrentDevice)
{
  SKIP_WITHOUT_DEVICE();
  const auto image = MakeVolume();
  for (int current = 0; current < CudaTestSupport::CountDevices(); ++current)
  {
    CudaTestSupport::SetCurrentDevice(current);
    auto filter = FilterType::New();
    filter->SetDeviceId(CudaTestSupport::CountDevices() - 1);
    EXPECT_TRUE(IsSameAsItk(*filter, image));
    EXPECT_EQ(filter->GetBackendUsed(), BackendEnum::CUDA);
    EXPECT_EQ(CudaTestSupport::GetCurrentDevice(), current);
  }
  CudaTestSupport::SetCurrentDevice(0);
}

TEST(CudaConnectedComponentsFilterProcess, FallsBackWhenMemoryIsExhausted)
{
  SKIP_WITHOUT_DEVICE();
  const auto image = MakeItkImage<MaskType>(MakeRandom({ 256, 256, 256 }, 50, 1, 302));
  auto       filter = FilterType::New();
  filter->SetAlgorithm(AlgorithmEnum::BlockKomuraEquivalence);
  filter->FullyConnectedOn();
  itk::CudaConnectedComponentLabeler::TrimMemory();
  {
    const auto taken = CudaTestSupport::ExhaustDeviceMemory(48 << 20);
    EXPECT_TRUE(IsSameAsItk(*filter, image));
    EXPECT_EQ(filter->GetBackendUsed(), BackendEnum::CPU);
    EXPECT_EQ(filter->GetFallbackReason().find("device memory: "), 0U) << filter->GetFallbackReason();
    filter->CPUFallbackOff();
    EXPECT_NE(ExceptionOf(*filter).find("device memory: "), std::string::npos);
  }
  EXPECT_TRUE(IsSameAsItk(*filter, image));
  EXPECT_EQ(filter->GetBackendUsed(), BackendEnum::CUDA);
}

TEST(CudaConnectedComponentsFilterProcess, CountsTheSlabs)
{
  SKIP_WITHOUT_DEVICE();
  const auto image = MakeItkImage<MaskType>(MakeRandom({ 160, 160, 160 }, 5, 1, 303));
  auto       filter = FilterType::New();
  filter->SetDeviceMemoryLimit(256 << 10); // less than the bits
  EXPECT_TRUE(IsSameAsItk(*filter, image));
  EXPECT_EQ(filter->GetBackendUsed(), BackendEnum::CUDA);
  EXPECT_GT(filter->GetNumberOfSlabs(), 1U);
  filter->SetDeviceMemoryLimit(1000); // less than a slice
  EXPECT_TRUE(IsSameAsItk(*filter, image));
  EXPECT_EQ(filter->GetBackendUsed(), BackendEnum::CPU);
  EXPECT_EQ(filter->GetNumberOfSlabs(), 0U);
  filter->SetDeviceMemoryLimit(0);
  EXPECT_TRUE(IsSameAsItk(*filter, image));
  EXPECT_EQ(filter->GetNumberOfSlabs(), 1U);
}

TEST(CudaConnectedComponentsFilterProcess, AnArgumentOfTheProcessIsNoFault)
{
  using itk::CudaConnectedComponentError;
  using itk::CudaConnectedComponentsDetail::Process;
  const CapturingWindow window;
  Process::ReportFault({ CudaConnectedComponentError::KindEnum::InvalidArgument, "a variable is wrong" });
  EXPECT_EQ(window.GetText(), "WARNING: CudaConnectedComponents: the CPU labels instead: a variable is wrong\n");
}

TEST(CudaConnectedComponentsFilterProcess, ReportsAFaultOnce)
{
  using itk::CudaConnectedComponentError;
  using itk::CudaConnectedComponentsDetail::Process;
  using KindEnum = CudaConnectedComponentError::KindEnum;
  const CapturingWindow window;
  Process::ReportFault({ KindEnum::Unavailable, "no device" });
  Process::ReportFault({ KindEnum::Memory, "no memory" });
  itk::Object::GlobalWarningDisplayOff();
  Process::ReportFault({ KindEnum::Cuda, "unseen" });
  itk::Object::GlobalWarningDisplayOn();
  EXPECT_EQ(window.GetText(), "");
  Process::ReportFault({ KindEnum::Cuda, "illegal address" });
  Process::ReportFault({ KindEnum::Cuda, "again" });
  EXPECT_EQ(window.GetText(),
            "WARNING: CudaConnectedComponents: an unexpected error, please report it; the CPU labels instead: "
            "illegal address\n");
}

TEST(CudaConnectedComponentsFilterProcess, PrintsOnTheOutputWindow)
{
  using itk::CudaConnectedComponentsDetail::Process;
  const CapturingWindow window;
  testing::internal::CaptureStderr();
  itk::Object::GlobalWarningDisplayOff();
  Process::Warn("not shown");
  itk::Object::GlobalWarningDisplayOn();
  EXPECT_EQ(window.GetText(), "");
  Process::Warn("shown");
  EXPECT_EQ(window.GetText(), "WARNING: CudaConnectedComponents: shown\n");
  setenv("ITK_CUDA_CONNECTED_COMPONENTS_VERBOSE", "1", 1);
  const auto filter = FilterType::New();
  filter->SetInput(MakeVolume());
  filter->Update();
  unsetenv("ITK_CUDA_CONNECTED_COMPONENTS_VERBOSE");
  EXPECT_NE(window.GetText().find("shown\nCudaConnectedComponents: CudaConnectedComponentImageFilter, "),
            std::string::npos)
    << window.GetText();
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST(CudaConnectedComponentsFilterProcess, TrimsMemoryIfTheEnvironmentVariableIsSet)
{
  SKIP_WITHOUT_DEVICE();
  const auto image = MakeVolume();
  auto       filter = FilterType::New();
  EXPECT_TRUE(IsSameAsItk(*filter, image));
  EXPECT_GT(itk::CudaConnectedComponentLabeler::GetHeldMemory().pinnedBytes, 0U);
  setenv("ITK_CUDA_CONNECTED_COMPONENTS_TRIM", "1", 1);
  image->Modified();
  EXPECT_TRUE(IsSameAsItk(*filter, image));
  unsetenv("ITK_CUDA_CONNECTED_COMPONENTS_TRIM");
  const auto held = itk::CudaConnectedComponentLabeler::GetHeldMemory();
  EXPECT_EQ(held.pinnedBytes, 0U);
  EXPECT_EQ(held.deviceBytes, 0U);
}

TEST(CudaConnectedComponentsFilterProcess, ForkedChildFallsBack)
{
  const auto image = MakeVolume();
  auto       filter = FilterType::New();
  ASSERT_TRUE(IsSameAsItk(*filter, image));
  ASSERT_EQ(filter->GetBackendUsed(), ExpectedBackend());

  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0)
  {
    alarm(60);
    auto childsFilter = FilterType::New();
    bool isGood = IsSameAsItk(*childsFilter, image) && childsFilter->GetBackendUsed() == BackendEnum::CPU &&
                  childsFilter->GetFallbackReason().find("no CUDA device") == 0;
    image->Modified();
    isGood = isGood && IsSameAsItk(*filter, image) && filter->GetBackendUsed() == BackendEnum::CPU;
    _exit(isGood ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << "status " << status;
  // The fork does not change the parent.
  image->Modified();
  EXPECT_TRUE(IsSameAsItk(*filter, image));
  EXPECT_EQ(filter->GetBackendUsed(), ExpectedBackend());
}

// Each of these tests runs in a new process.
class CudaConnectedComponentsFilterProcessDeathTest : public testing::Test
{
protected:
  void
  SetUp() override
  {
    testing::FLAGS_gtest_death_test_style = "threadsafe";
  }
};

TEST_F(CudaConnectedComponentsFilterProcessDeathTest, WorksWithoutADevice)
{
  EXPECT_EXIT(
    {
      setenv("CUDA_VISIBLE_DEVICES", "", 1);
      auto filter = FilterType::New();
      bool isGood = IsSameAsItk(*filter, MakeVolume()) && filter->GetBackendUsed() == BackendEnum::CPU &&
                    filter->GetFallbackReason().find("no CUDA device") == 0;
      filter->CPUFallbackOff();
      isGood = isGood && ExceptionOf(*filter).find("no CUDA device") != std::string::npos;
      _exit(isGood ? 0 : 1);
    },
    testing::ExitedWithCode(0),
    "");
}

TEST_F(CudaConnectedComponentsFilterProcessDeathTest, WorksAfterADeviceReset)
{
  SKIP_WITHOUT_DEVICE();
  EXPECT_EXIT(
    {
      const auto image = MakeVolume();
      auto       filter = FilterType::New();
      bool       isGood = true;
      for (int reset = 0; reset < 3; ++reset)
      {
        image->Modified();
        isGood = isGood && IsSameAsItk(*filter, image) && filter->GetBackendUsed() == BackendEnum::CUDA;
        CudaTestSupport::ResetDevice();
        itk::CudaConnectedComponentLabeler::TrimMemory();
      }
      _exit(isGood ? 0 : 1);
    },
    testing::ExitedWithCode(0),
    "");
}

TEST_F(CudaConnectedComponentsFilterProcessDeathTest, FallsBackAndWarnsOnceIfTheDeviceFails)
{
  SKIP_WITHOUT_DEVICE();
  EXPECT_EXIT(
    {
      const auto image = MakeVolume();
      auto       filter = FilterType::New();
      bool       isGood = IsSameAsItk(*filter, image);
      CudaTestSupport::BreakDevice();
      for (int update = 0; update < 3; ++update)
      {
        image->Modified();
        isGood = isGood && IsSameAsItk(*filter, image) && filter->GetBackendUsed() == BackendEnum::CPU &&
                 filter->GetFallbackReason().find("CUDA: ") == 0;
      }
      _exit(isGood ? 0 : 1);
    },
    testing::ExitedWithCode(0),
    "^WARNING: CudaConnectedComponents: an unexpected error, please report it; the CPU labels instead: CUDA: "
    "[^\n]*\n$");
}

/** Labels an image 21 times on a device that has no memory for a context. Returns whether the CPU labels each time, and
 * whether the filter waits before it starts the device again. */
bool
FallsBackWithoutNewAttempts()
{
  using ClockType = std::chrono::steady_clock;
  using Milliseconds = std::chrono::duration<double, std::milli>;
  const auto image = MakeVolume();
  auto       filter = FilterType::New();
  bool       isGood = IsSameAsItk(*filter, image) && filter->GetBackendUsed() == BackendEnum::CPU;
  std::cerr << filter->GetFallbackReason() << '\n';
  const auto start = ClockType::now();
  for (int update = 0; update < 20; ++update)
  {
    image->Modified();
    filter->Update();
    isGood = isGood && filter->GetBackendUsed() == BackendEnum::CPU &&
             filter->GetFallbackReason().find("; the next attempt to start the device is in ") != std::string::npos;
  }
  std::cerr << Milliseconds(ClockType::now() - start).count() / 20 << " ms each\n"
            << filter->GetFallbackReason() << '\n';
  return isGood;
}

TEST_F(CudaConnectedComponentsFilterProcessDeathTest, WaitsBeforeItStartsTheDeviceAgain)
{
  SKIP_WITHOUT_DEVICE();
  // The parent takes the memory. The child finds too little memory for a context.
  std::shared_ptr<void> taken;
  if (!testing::internal::InDeathTestChild())
  {
    itk::CudaConnectedComponentLabeler::TrimMemory();
    taken = CudaTestSupport::ExhaustDeviceMemory(29 << 20);
  }
  EXPECT_EXIT(_exit(FallsBackWithoutNewAttempts() ? 0 : 1), testing::ExitedWithCode(0), "");
}

/** Returns a filter that lives longer than main(). It is local to a function, because in a static build of ITK a filter
 * at namespace scope would live longer than ITK. */
FilterType &
FilterThatOutlivesMain()
{
  static const FilterType::Pointer filter = FilterType::New();
  return *filter;
}

TEST_F(CudaConnectedComponentsFilterProcessDeathTest, ExitsWithALivingFilter)
{
  EXPECT_EXIT(
    {
      // The threads of ITK's pool would live longer than a static ITK, so this test does not use the pool.
      itk::MultiThreaderBase::SetGlobalDefaultThreader(itk::MultiThreaderBaseEnums::Threader::Platform);
      const bool isGood = IsSameAsItk(FilterThatOutlivesMain(), MakeVolume());
      std::exit(isGood ? 0 : 1);
    },
    testing::ExitedWithCode(0),
    "");
}

} // namespace
