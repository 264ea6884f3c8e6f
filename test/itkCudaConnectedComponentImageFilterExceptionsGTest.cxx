// SPDX-License-Identifier: Apache-2.0

// Tests of exceptions that the input, the mask or an observer of the filter throws on any thread. The exception must
// reach the caller unchanged, the filter must not hang, and the next update must be correct.

#include "FilterTestSupport.h"
#include "Watchdog.h"

#include "itkCommand.h"
#include "itkImageAdaptor.h"

#include <atomic>
#include <new>
#include <thread>

namespace exceptions_test
{

using ImageType = itk::Image<unsigned char, 3>;
using LabelsType = itk::Image<unsigned short, 3>;

/** An exception that is not a std::exception. */
struct Alien
{
  int answer;
};

enum class Throws
{
  Nothing,
  Alien,
  ItkException,
  BadAlloc,
  EngineError // the filter must not treat it as an error of the engine, and must not fall back to the CPU
};

constexpr Throws AllThrows[] = { Throws::Alien, Throws::ItkException, Throws::BadAlloc, Throws::EngineError };

void
Throw(Throws what)
{
  switch (what)
  {
    case Throws::Alien:
      throw Alien{ 42 };
    case Throws::ItkException:
      throw itk::RangeError(__FILE__, __LINE__, "no such pixel", "here");
    case Throws::BadAlloc:
      throw std::bad_alloc();
    case Throws::EngineError:
      throw itk::CudaConnectedComponentError(itk::CudaConnectedComponentError::KindEnum::Memory, "of the input");
    default:
      break;
  }
}

std::atomic<Throws>          PixelsThrow{ Throws::Nothing };
std::atomic<bool>            HasWorkerThrown{ false };
std::atomic<std::thread::id> WaitingThread; // or none: this thread throws only after another one

/** Reads pixels. Reading a pixel with the value Bad throws the exception that PixelsThrow names. */
class Accessor
{
public:
  static constexpr unsigned char Bad = 200;

  using InternalType = unsigned char;
  using ExternalType = unsigned char;

  static void
  Set(InternalType & pixel, const ExternalType & value)
  {
    pixel = value;
  }

  static ExternalType
  Get(const InternalType & pixel)
  {
    if (pixel == Bad)
    {
      if (PixelsThrow != Throws::Nothing)
      {
        if (WaitingThread.load() != std::this_thread::get_id())
        {
          HasWorkerThrown = true;
        }
        while (!HasWorkerThrown)
        {
          std::this_thread::yield(); // the watchdog ends a test without workers
        }
      }
      Throw(PixelsThrow);
    }
    return pixel;
  }
};

using AdaptorType = itk::ImageAdaptor<ImageType, Accessor>;

/** Makes noise with some bad pixels. The image is large enough for several work units, and most have bad pixels. */
ImageType::Pointer
MakeNoise(unsigned int seed)
{
  const TestImage noise = MakeRandom({ 97, 61, 60 }, 30, 1, seed);
  auto            image = MakeItkImage<ImageType>(noise);
  for (std::size_t i = 9972; i < noise.pixels.size(); i += 9973)
  {
    image->GetBufferPointer()[i] = Accessor::Bad;
  }
  return image;
}

/** Expects that update() throws this kind of exception. */
template <typename TUpdate>
void
ExpectThrown(Throws what, const TUpdate & update)
{
  switch (what)
  {
    case Throws::Alien:
      EXPECT_THROW(update(), Alien);
      break;
    case Throws::ItkException:
      EXPECT_THROW(update(), itk::RangeError);
      break;
    case Throws::BadAlloc:
      EXPECT_THROW(update(), std::bad_alloc);
      break;
    case Throws::EngineError:
      EXPECT_THROW(update(), itk::CudaConnectedComponentError);
      break;
    default:
      EXPECT_NO_THROW(update());
  }
}

/** The settings of the filter in a test. */
struct Setting
{
  bool         gpuEnabled;
  bool         fullyConnected;
  bool         hasMask;
  unsigned int workUnits;
};

class CudaConnectedComponentsFilterExceptions : public testing::TestWithParam<Setting>
{
protected:
  const ImageType::Pointer   m_Image = MakeNoise(501);
  const ImageType::Pointer   m_Mask = MakeNoise(502);
  const AdaptorType::Pointer m_Adaptor = AdaptorType::New();
  const AdaptorType::Pointer m_MaskAdaptor = AdaptorType::New();

  void
  SetUp() override
  {
    PixelsThrow = Throws::Nothing;
    m_Adaptor->SetImage(m_Image);
    m_MaskAdaptor->SetImage(m_Mask);
  }

  void
  TearDown() override
  {
    PixelsThrow = Throws::Nothing;
  }

  /** Updates a filter `repetitions` times with pixels that throw. After each of the first four exceptions, updates it
   * without exceptions and compares the labels with ITK's. */
  template <typename TInput, typename TMask>
  void
  ExpectThrowsAndRecovers(const TInput * input, const TMask * mask, int repetitions) const
  {
    const Watchdog  watchdog;
    const Setting & setting = GetParam();
    auto            oracle = MakeOracle<ImageType, LabelsType>();
    oracle->SetInput(m_Image);
    oracle->SetFullyConnected(setting.fullyConnected);
    if (setting.hasMask)
    {
      oracle->SetMaskImage(m_Mask);
    }
    oracle->Update();

    using FilterType = itk::CudaConnectedComponentImageFilter<TInput, LabelsType, TMask>;
    auto filter = FilterType::New();
    filter->SetInput(input);
    if (setting.hasMask)
    {
      filter->SetMaskImage(mask);
    }
    filter->SetGPUEnabled(setting.gpuEnabled);
    filter->SetFullyConnected(setting.fullyConnected);
    filter->SetNumberOfWorkUnits(setting.workUnits);
    for (int repetition = 0; repetition < repetitions; ++repetition)
    {
      const Throws what = AllThrows[repetition % 4];
      PixelsThrow = what;
      HasWorkerThrown = false;
      WaitingThread = setting.workUnits > 1 ? std::this_thread::get_id() : std::thread::id();
      filter->Modified();
      ExpectThrown(what, [&] { filter->Update(); });
      EXPECT_EQ(filter->GetBackendUsed(), BackendEnum::Unknown);
      EXPECT_EQ(filter->GetObjectCount(), 0U);
      if (repetition < 4)
      {
        PixelsThrow = Throws::Nothing;
        filter->Modified();
        filter->Update();
        EXPECT_EQ(filter->GetBackendUsed(), setting.gpuEnabled ? ExpectedBackend() : BackendEnum::CPU);
        EXPECT_EQ(filter->GetObjectCount(), oracle->GetObjectCount());
        ExpectSameImages(filter->GetOutput(), oracle->GetOutput());
      }
    }
  }
};

TEST_P(CudaConnectedComponentsFilterExceptions, OfTheInput)
{
  this->ExpectThrowsAndRecovers<AdaptorType, ImageType>(m_Adaptor, m_Mask, 200);
}

TEST_P(CudaConnectedComponentsFilterExceptions, OfTheMask)
{
  if (!GetParam().hasMask)
  {
    GTEST_SKIP() << "this setting has no mask";
  }
  this->ExpectThrowsAndRecovers<ImageType, AdaptorType>(m_Image, m_MaskAdaptor, 20);
}

TEST_P(CudaConnectedComponentsFilterExceptions, OfObservers)
{
  const Watchdog  watchdog;
  const Setting & setting = GetParam();
  auto            filter = itk::CudaConnectedComponentImageFilter<ImageType, LabelsType>::New();
  filter->SetInput(m_Image);
  filter->SetGPUEnabled(setting.gpuEnabled);
  filter->SetFullyConnected(setting.fullyConnected);
  filter->SetNumberOfWorkUnits(setting.workUnits);
  filter->Update();
  const itk::SizeValueType objects = filter->GetObjectCount();
  Throws                   what = Throws::Nothing;
  float                    at = 0.0F;
  filter->AddObserver(itk::ProgressEvent(), [&](const itk::EventObject &) {
    if (filter->GetProgress() >= at)
    {
      Throw(what);
    }
  });
  for (const float each : { 0.0F, 0.2F, 0.5F, 1.0F })
  {
    at = each;
    for (const Throws thrown : AllThrows)
    {
      what = thrown;
      filter->Modified();
      ExpectThrown(what, [&] { filter->Update(); });
      EXPECT_EQ(filter->GetBackendUsed(), BackendEnum::Unknown);
      what = Throws::Nothing;
      filter->Modified();
      filter->Update();
      EXPECT_EQ(filter->GetObjectCount(), objects);
    }
  }
}

std::vector<Setting>
AllSettings()
{
  std::vector<Setting> settings;
  for (const bool gpuEnabled : { false, true })
  {
    // Without a GPU both settings label on the CPU.
    if (gpuEnabled && CudaTestSupport::CountDevices() == 0)
    {
      continue;
    }
    for (const bool fullyConnected : { false, true })
    {
      for (const bool hasMask : { false, true })
      {
        for (const unsigned int workUnits : { 1U, 8U })
        {
          settings.push_back({ gpuEnabled, fullyConnected, hasMask, workUnits });
        }
      }
    }
  }
  return settings;
}

INSTANTIATE_TEST_SUITE_P(Settings,
                         CudaConnectedComponentsFilterExceptions,
                         testing::ValuesIn(AllSettings()),
                         [](const testing::TestParamInfo<Setting> & instance) {
                           const Setting & setting = instance.param;
                           return std::string(setting.gpuEnabled ? "Gpu" : "Cpu") +
                                  (setting.fullyConnected ? "Full" : "Face") + (setting.hasMask ? "Masked" : "") +
                                  std::to_string(setting.workUnits);
                         });

} // namespace exceptions_test
