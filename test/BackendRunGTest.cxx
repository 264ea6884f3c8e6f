// SPDX-License-Identifier: Apache-2.0

// Tests of the choice between GPU and CPU, and of the fallback after an error in the middle of the work. A GPU is not
// needed, because the tests replace the check of the device and the work.

#include "FilterTestSupport.h"

#include "CudaConnectedComponentsDetail/BackendRun.h"
#include "CudaConnectedComponentsDetail/Process.h"

#include <chrono>
#include <functional>
#include <thread>
#include <typeinfo>
#include <vector>

namespace backend_run_test
{

using View = itk::CudaConnectedComponentImageView;
using itk::CudaConnectedComponentsDetail::BackendRun;
using itk::CudaConnectedComponentsDetail::BackendSettings;
using itk::CudaConnectedComponentsDetail::Process;
using Error = itk::CudaConnectedComponentError;
using Labeler = itk::CudaConnectedComponentLabeler;
using RegionType = itk::ImageRegion<3>;

/** An exception that is not a std::exception. */
struct Alien
{};

/** A filter without inputs and outputs. */
class EmptyFilter : public itk::ProcessObject
{
public:
  ITK_DISALLOW_COPY_AND_MOVE(EmptyFilter);
  using Self = EmptyFilter;
  using Pointer = itk::SmartPointer<Self>;
  itkFactorylessNewMacro(Self);

  const char *
  GetNameOfClass() const override
  {
    return "EmptyFilter";
  }

protected:
  EmptyFilter() = default;
  ~EmptyFilter() override = default;
};

class CudaConnectedComponentsBackendRuns : public testing::Test
{
protected:
  /** Runs `onDevice` as the work on the GPU, and `onHost` as the work on the CPU. Returns the description of the ITK
   * exception, or an empty text. */
  std::string
  Run(const std::function<void()> & onDevice, const std::function<void()> & onHost)
  {
    BackendRun run(*m_Filter, m_Settings, m_Region);
    this->Prepare(run, onDevice, onHost);
    return ExceptionOfRun(run);
  }

  void
  Prepare(BackendRun & run, const std::function<void()> & onDevice, const std::function<void()> & onHost)
  {
    run.inputPixel = run.outputPixel = &typeid(int);
    run.requireDevice = [](const Labeler &) {};
    run.work = [onDevice, onHost](Labeler & labeler) { labeler.options.onHost ? onHost() : onDevice(); };
    run.workByITK = [this] { ++m_ItkCalls; };
  }

  static std::string
  ExceptionOfRun(BackendRun & run)
  {
    try
    {
      run.Run();
      return "";
    }
    catch (const itk::ExceptionObject & exception)
    {
      return TextOf(exception);
    }
  }

  const EmptyFilter::Pointer m_Filter = EmptyFilter::New();
  BackendSettings            m_Settings;
  RegionType                 m_Region{ RegionType::SizeType{ { 64, 32, 20 } } };
  int                        m_ItkCalls = 0;
};

[[noreturn]] void
ThrowMemoryError()
{
  throw Error(Error::KindEnum::Memory, "device memory: too little");
}

TEST_F(CudaConnectedComponentsBackendRuns, FallBackInTheMiddleOfTheWork)
{
  const TestImage            image = MakeRandom({ 64, 32, 20 }, 20, 1, 71);
  std::vector<std::uint32_t> expected(image.pixels.size());
  Labeler                    onHost;
  onHost.options.onHost = true;
  const std::uint64_t count =
    onHost.Label(View::Of(image.pixels.data(), image.size), View::Of(expected.data(), image.size));
  ASSERT_GT(count, 10U);

  std::vector<std::uint32_t> output;
  std::vector<float>         progress;
  std::vector<bool>          calls;
  m_Filter->AddObserver(itk::ProgressEvent(),
                        [&](const itk::EventObject &) { progress.push_back(m_Filter->GetProgress()); });
  BackendRun run(*m_Filter, m_Settings, m_Region);
  this->Prepare(run, [] {}, [] {});
  run.work = [&](Labeler & labeler) {
    calls.push_back(labeler.options.onHost);
    output.assign(image.pixels.size(), 99);
    if (!labeler.options.onHost)
    {
      std::fill_n(output.begin(), output.size() / 2, 7);
      labeler.options.progress(0.5F);
      ThrowMemoryError();
    }
    EXPECT_EQ(labeler.Label(View::Of(image.pixels.data(), run.GetSize()), View::Of(output.data(), run.GetSize())),
              count);
  };
  run.Run();
  EXPECT_EQ(calls, (std::vector<bool>{ false, true }));
  EXPECT_EQ(output, expected);
  EXPECT_EQ(m_Settings.backendUsed, BackendEnum::CPU);
  EXPECT_EQ(m_Settings.fallbackReason, "device memory: too little");
  ASSERT_FALSE(progress.empty());
  EXPECT_EQ(progress.front(), 0.5F);
  EXPECT_EQ(progress.back(), 1.0F);
  EXPECT_EQ(m_ItkCalls, 0);
}

TEST_F(CudaConnectedComponentsBackendRuns, NeedNoFallback)
{
  int calls = 0;
  EXPECT_EQ(this->Run([&] { ++calls; }, [] { FAIL() << "the CPU must not do the work, too"; }), "");
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(m_Settings.backendUsed, BackendEnum::CUDA);
  EXPECT_EQ(m_Settings.fallbackReason, "");
  m_Settings.gpuEnabled = false;
  EXPECT_EQ(this->Run([] { FAIL() << "the GPU is off"; }, [&] { ++calls; }), "");
  EXPECT_EQ(calls, 2);
  EXPECT_EQ(m_Settings.backendUsed, BackendEnum::CPU);
  EXPECT_EQ(m_Settings.fallbackReason, "");
}

TEST_F(CudaConnectedComponentsBackendRuns, DoSmallWorkFirst)
{
  enum class Expected
  {
    Small, // the work is small
    Large, // it turns out to be large
    NotTried
  };
  const auto expect = [this](Expected expected, BackendEnum backend) {
    int        calls = 0;
    int        smallCalls = 0;
    BackendRun run(*m_Filter, m_Settings, m_Region);
    this->Prepare(run, [&] { ++calls; }, [&] { ++calls; });
    run.smallWork = [&](Labeler & labeler) {
      ++smallCalls;
      EXPECT_TRUE(labeler.options.onHost);
      EXPECT_TRUE(labeler.options.parallelFor);
      return expected == Expected::Small;
    };
    EXPECT_EQ(ExceptionOfRun(run), "");
    EXPECT_EQ(calls, expected == Expected::Small ? 0 : 1);
    EXPECT_EQ(smallCalls, expected == Expected::NotTried ? 0 : 1);
    EXPECT_EQ(m_Settings.backendUsed, backend);
  };
  expect(Expected::Small, BackendEnum::CPU);
  EXPECT_EQ(m_Settings.fallbackReason, "the CPU does so little work sooner");
  expect(Expected::Large, BackendEnum::CUDA);
  EXPECT_EQ(m_Settings.fallbackReason, "");
  m_Settings.gpuEnabled = false;
  expect(Expected::Small, BackendEnum::CPU);
  EXPECT_EQ(m_Settings.fallbackReason, "");
  expect(Expected::Large, BackendEnum::CPU);
  m_Settings.gpuEnabled = true;
  m_Settings.cpuFallback = false;
  expect(Expected::NotTried, BackendEnum::CUDA);
  m_Settings.cpuFallback = true;
  m_Settings.algorithm = AlgorithmEnum::RunUnionFind;
  expect(Expected::NotTried, BackendEnum::CUDA);
}

TEST_F(CudaConnectedComponentsBackendRuns, ThrowIfTheFallbackIsOff)
{
  m_Settings.cpuFallback = false;
  const std::string exception = this->Run(ThrowMemoryError, [] { FAIL() << "the fallback is off"; });
  EXPECT_NE(exception.find("EmptyFilter"), std::string::npos) << exception;
  EXPECT_NE(exception.find("The GPU cannot be used, and CPUFallback is off: device memory: too little"),
            std::string::npos)
    << exception;
  EXPECT_EQ(m_Settings.backendUsed, BackendEnum::Unknown);
}

TEST_F(CudaConnectedComponentsBackendRuns, DoNotFallBackForTooManyObjects)
{
  const auto throwTooMany = [] { throw Error(Error::KindEnum::TooManyObjects, "Number of objects (300)"); };
  for (const bool gpuEnabled : { true, false })
  {
    m_Settings.gpuEnabled = gpuEnabled;
    int        calls = 0;
    const auto work = [&] {
      ++calls;
      throwTooMany();
    };
    const std::string exception = this->Run(work, work);
    EXPECT_NE(exception.find("Number of objects (300)"), std::string::npos) << exception;
    EXPECT_EQ(calls, 1);
    EXPECT_EQ(m_Settings.backendUsed, BackendEnum::Unknown);
  }
}

TEST_F(CudaConnectedComponentsBackendRuns, ThrowIfTheCpuFailsToo)
{
  const std::string exception =
    this->Run(ThrowMemoryError, [] { throw Error(Error::KindEnum::Memory, "no host memory"); });
  EXPECT_NE(exception.find("no host memory"), std::string::npos) << exception;
  EXPECT_EQ(m_Settings.backendUsed, BackendEnum::Unknown);
}

TEST_F(CudaConnectedComponentsBackendRuns, PassExceptionsOfTheCaller)
{
  for (const bool gpuEnabled : { true, false })
  {
    m_Settings.gpuEnabled = gpuEnabled;
    int        calls = 0;
    const auto throwAlien = [&] {
      ++calls;
      BackendRun::CallCaller([] { throw Alien(); });
    };
    EXPECT_THROW(this->Run(throwAlien, throwAlien), Alien);
    const auto throwError = [&] {
      ++calls;
      BackendRun::CallCaller(ThrowMemoryError);
    };
    EXPECT_THROW(this->Run(throwError, throwError), Error);
    EXPECT_EQ(calls, 2);
    EXPECT_EQ(m_Settings.backendUsed, BackendEnum::Unknown);
  }
}

TEST_F(CudaConnectedComponentsBackendRuns, UseItk)
{
  BackendRun run(*m_Filter, m_Settings, m_Region);
  this->Prepare(run, [] { FAIL() << "only ITK can do it"; }, [] { FAIL() << "only ITK can do it"; });
  run.whyOnlyByITK = "it is too hard";
  EXPECT_EQ(ExceptionOfRun(run), "");
  EXPECT_EQ(m_ItkCalls, 1);
  EXPECT_EQ(m_Settings.backendUsed, BackendEnum::ITK);
  EXPECT_EQ(m_Settings.fallbackReason, "it is too hard");
  m_Settings.cpuFallback = false;
  EXPECT_NE(ExceptionOfRun(run).find("CPUFallback is off: it is too hard"), std::string::npos);
  EXPECT_EQ(m_ItkCalls, 1);
}

TEST_F(CudaConnectedComponentsBackendRuns, LeaveSmallImagesToTheCpu)
{
  m_Region.SetSize(0, 2);
  int        onDevice = 0;
  int        onHost = 0;
  const auto update = [&](Labeler::AlgorithmEnum algorithm) {
    m_Settings.algorithm = algorithm;
    BackendRun run(*m_Filter, m_Settings, m_Region);
    this->Prepare(run, [&] { ++onDevice; }, [&] { ++onHost; });
    run.Run();
  };
  update(Labeler::AlgorithmEnum::Automatic);
  EXPECT_EQ(onHost, 1);
  EXPECT_EQ(m_Settings.fallbackReason, "the CPU labels 1280 pixels sooner");
  update(Labeler::AlgorithmEnum::RunUnionFind);
  EXPECT_EQ(onDevice, 1);
  m_Settings.cpuFallback = false;
  update(Labeler::AlgorithmEnum::Automatic);
  EXPECT_EQ(onDevice, 2);
  EXPECT_EQ(onHost, 1);
}

TEST_F(CudaConnectedComponentsBackendRuns, CountOnlyTheLabelingForLazyGPUStart)
{
  if (Process::WhyNotStartGPU().empty())
  {
    GTEST_SKIP() << "CUDA has been started in this process, or its start is not delayed";
  }
  // The text ends with the number of milliseconds that were counted.
  const auto counted = [] {
    const std::string reason = Process::WhyNotStartGPU();
    return std::stod(reason.substr(reason.rfind(' ')));
  };
  const auto sleep = [](int milliseconds) { std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds)); };
  const auto fail = [] { FAIL() << "the GPU starts too early"; };
  m_Settings.lazyGPUStart = true;
  const double before = counted();

  BackendRun byITK(*m_Filter, m_Settings, m_Region);
  this->Prepare(byITK, fail, [] {});
  byITK.whyOnlyByITK = "it is too hard";
  byITK.workByITK = [&] { sleep(20); };
  byITK.Run();
  EXPECT_EQ(counted(), before);

  BackendRun withoutLabels(*m_Filter, m_Settings, m_Region);
  this->Prepare(withoutLabels, fail, [&] { sleep(20); });
  withoutLabels.needsComponents = false;
  withoutLabels.Run();
  EXPECT_EQ(counted(), before);

  BackendRun labeling(*m_Filter, m_Settings, m_Region);
  this->Prepare(labeling, fail, [&] {
    labeling.EndLabeling();
    sleep(150);
  });
  labeling.Run();
  EXPECT_LT(counted(), before + 150.0);

  const double beforeLabeling = counted();
  EXPECT_EQ(this->Run(fail, [&] { sleep(20); }), "");
  EXPECT_EQ(m_Settings.fallbackReason.find("starting CUDA pays after"), 0U) << m_Settings.fallbackReason;
  EXPECT_GE(counted(), beforeLabeling + 19.0);
}

TEST_F(CudaConnectedComponentsBackendRuns, ReportProgressWithoutLabels)
{
  std::vector<float> progress;
  m_Filter->AddObserver(itk::ProgressEvent(), [&](const itk::EventObject &) {
    progress.push_back(m_Filter->GetProgress());
    if (progress.size() == 3)
    {
      m_Filter->AbortGenerateDataOn();
    }
  });
  BackendRun run(*m_Filter, m_Settings, m_Region);
  int        calls = 0;
  this->Prepare(run, [] {}, [&] { ++calls; });
  run.needsComponents = false;
  run.Run();
  EXPECT_EQ(progress, (std::vector<float>{ 0.0F, 1.0F }));
  EXPECT_EQ(calls, 1);
  EXPECT_THROW(run.Run(), itk::ProcessAborted);
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(m_Settings.backendUsed, BackendEnum::Unknown);
}

TEST_F(CudaConnectedComponentsBackendRuns, ResetTheBackendAfterAnExceptionOfAnotherFilter)
{
  m_Settings.gpuEnabled = false;
  EXPECT_EQ(this->Run([] {}, [] {}), "");
  EXPECT_EQ(m_Settings.backendUsed, BackendEnum::CPU);
  m_Settings.fallbackReason = "a reason";
  m_Settings.Reset(*m_Filter);
  EXPECT_EQ(m_Settings.backendUsed, BackendEnum::Unknown);
  EXPECT_EQ(m_Settings.fallbackReason, "");
}

} // namespace backend_run_test
