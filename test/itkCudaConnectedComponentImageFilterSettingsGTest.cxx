// SPDX-License-Identifier: Apache-2.0

// Tests of the filter's settings and dimensions, and of the backend that they choose.

#include "FilterTestSupport.h"

#include <sstream>

namespace settings_test
{

using MaskType = itk::Image<unsigned char, 3>;
using LabelsType = itk::Image<unsigned short, 3>;
using FilterType = itk::CudaConnectedComponentImageFilter<MaskType, LabelsType>;

MaskType::Pointer
MakeRandomMask()
{
  return MakeItkImage<MaskType>(MakeRandom({ 67, 41, 21 }, 20, 1, 101));
}

TEST(CudaConnectedComponentsFilter, FourDimensionsAreLabeledByItk)
{
  using ImageType = itk::Image<unsigned char, 4>;
  using OutputType = itk::Image<unsigned short, 4>;
  auto image = ImageType::New();
  image->SetRegions(ImageType::SizeType{ { 7, 6, 5, 4 } });
  image->Allocate();
  std::mt19937 random(108);
  for (std::size_t i = 0; i < 7 * 6 * 5 * 4; ++i)
  {
    image->GetBufferPointer()[i] = random() % 5 == 0;
  }
  auto oracle = MakeOracle<ImageType, OutputType>();
  auto filter = itk::CudaConnectedComponentImageFilter<ImageType, OutputType>::New();
  oracle->SetInput(image);
  filter->SetInput(image);
  oracle->Update();
  filter->Update();
  ExpectSameImages(filter->GetOutput(), oracle->GetOutput());
  EXPECT_EQ(filter->GetObjectCount(), oracle->GetObjectCount());
  EXPECT_EQ(filter->GetBackendUsed(), BackendEnum::ITK);
  EXPECT_EQ(filter->GetFallbackReason(), "dimension 4 is not supported on the GPU");
  filter->CPUFallbackOff();
  EXPECT_NE(ExceptionOf(*filter).find("dimension 4 is not supported on the GPU"), std::string::npos);
}

TEST(CudaConnectedComponentsFilter, ConnectivityWinsOverFullyConnected)
{
  const auto image = MakeRandomMask();
  const auto countOf = [&image](unsigned int connectivity, bool fullyConnected) {
    auto filter = FilterType::New();
    filter->SetInput(image);
    filter->SetConnectivity(connectivity);
    filter->SetFullyConnected(fullyConnected);
    filter->Update();
    return filter->GetObjectCount();
  };
  const auto face = countOf(0, false);
  const auto full = countOf(0, true);
  EXPECT_EQ(countOf(6, true), face);
  EXPECT_EQ(countOf(26, false), full);
  EXPECT_LT(countOf(18, true), face);
  EXPECT_GT(countOf(18, false), full);
  EXPECT_EQ(countOf(18, true), countOf(18, false));

  auto filter = FilterType::New();
  filter->SetInput(image);
  filter->Update();
  const auto time = filter->GetMTime();
  filter->SetConnectivity(8);
  EXPECT_GT(filter->GetMTime(), time);
  EXPECT_NE(ExceptionOf(*filter).find("Connectivity is 8, and the image has 3 dimensions"), std::string::npos);
  filter->FullyConnectedOn();
  filter->SetConnectivity(6);
  filter->SetAlgorithm(AlgorithmEnum::BlockUnionFind);
  EXPECT_NE(ExceptionOf(*filter).find("labels with full connectivity only"), std::string::npos);
  filter->SetConnectivity(18);
  EXPECT_NE(ExceptionOf(*filter).find("does not label with 18 neighbors"), std::string::npos);
}

TEST(CudaConnectedComponentsFilter, BlockAlgorithmsNeedFullConnectivity)
{
  for (const auto & row : itk::CudaConnectedComponentAlgorithms::GetAll())
  {
    if (!row.needsFullConnectivity)
    {
      continue;
    }
    const AlgorithmEnum algorithm = row.algorithm;
    auto                filter = FilterType::New();
    filter->SetInput(MakeRandomMask());
    filter->SetAlgorithm(algorithm);
    for (const bool gpuEnabled : { true, false })
    {
      filter->SetGPUEnabled(gpuEnabled);
      const std::string exception = ExceptionOf(*filter);
      EXPECT_NE(exception.find("labels with full connectivity only"), std::string::npos) << exception;
    }
    filter->FullyConnectedOn();
    EXPECT_EQ(ExceptionOf(*filter), "");
  }
}

TEST(CudaConnectedComponentsFilter, DisabledGpuIsNotAFallback)
{
  auto filter = FilterType::New();
  filter->SetInput(MakeRandomMask());
  filter->GPUEnabledOff();
  filter->CPUFallbackOff();
  EXPECT_EQ(ExceptionOf(*filter), "");
  EXPECT_EQ(filter->GetBackendUsed(), BackendEnum::CPU);
  EXPECT_EQ(filter->GetFallbackReason(), "");
  EXPECT_GT(filter->GetObjectCount(), 0U);
}

TEST(CudaConnectedComponentsFilter, FallsBackOrThrows)
{
  auto filter = FilterType::New();
  filter->SetInput(MakeRandomMask());
  filter->SetDeviceId(1000);
  filter->CPUFallbackOff();
  EXPECT_NE(ExceptionOf(*filter).find("no CUDA device"), std::string::npos) << ExceptionOf(*filter);
  EXPECT_EQ(filter->GetBackendUsed(), BackendEnum::Unknown);
  filter->CPUFallbackOn();
  EXPECT_EQ(ExceptionOf(*filter), "");
  EXPECT_EQ(filter->GetBackendUsed(), BackendEnum::CPU);
  EXPECT_EQ(filter->GetFallbackReason().find("no CUDA device"), 0U) << filter->GetFallbackReason();
  filter->SetDeviceId(-1);
  EXPECT_EQ(ExceptionOf(*filter), "");
  EXPECT_EQ(filter->GetBackendUsed(), ExpectedBackend());
  EXPECT_EQ(filter->GetFallbackReason().empty(), ExpectedBackend() == BackendEnum::CUDA);
}

TEST(CudaConnectedComponentsFilter, CpuLabelsTheSmallestImages)
{
  using PlaneType = itk::Image<unsigned char, 2>;
  using PlaneFilterType = itk::CudaConnectedComponentImageFilter<PlaneType, itk::Image<unsigned int, 2>>;
  const auto small = MakeItkImage<PlaneType>(MakeRandom({ 128, 128, 1 }, 40, 2, 115));
  const auto larger = MakeItkImage<PlaneType>(MakeRandom({ 129, 128, 1 }, 40, 2, 116));
  const auto filter = PlaneFilterType::New();
  const auto update = [&](PlaneType * image) {
    filter->SetInput(image);
    filter->Modified();
    const std::string exception = ExceptionOf(*filter);
    EXPECT_EQ(exception.empty(), filter->GetBackendUsed() != BackendEnum::Unknown) << exception;
    return filter->GetBackendUsed();
  };
  EXPECT_EQ(update(small), BackendEnum::CPU);
  EXPECT_EQ(filter->GetFallbackReason(), "the CPU labels 16384 pixels sooner");
  EXPECT_EQ(update(larger), ExpectedBackend());
  EXPECT_EQ(filter->GetFallbackReason().find("sooner"), std::string::npos) << filter->GetFallbackReason();

  // The GPU labels them, too, if an algorithm is chosen or the fallback is off.
  filter->SetAlgorithm(AlgorithmEnum::RunUnionFind);
  EXPECT_EQ(update(small), ExpectedBackend());
  filter->SetAlgorithm(AlgorithmEnum::Automatic);
  filter->CPUFallbackOff();
  EXPECT_EQ(update(small), ExpectedBackend() == BackendEnum::CUDA ? BackendEnum::CUDA : BackendEnum::Unknown);
  filter->GPUEnabledOff();
  EXPECT_EQ(update(small), BackendEnum::CPU);
  EXPECT_EQ(filter->GetFallbackReason(), "");
}

TEST(CudaConnectedComponentsFilter, UpdatesAgainAfterTheInputChanged)
{
  const auto image = MakeItkImage<MaskType>(MakeCheckerboard({ 4, 4, 4 }));
  auto       filter = FilterType::New();
  filter->SetInput(image);
  filter->Update();
  EXPECT_EQ(filter->GetObjectCount(), 32U);
  image->FillBuffer(0);
  image->Modified();
  filter->Update();
  EXPECT_EQ(filter->GetObjectCount(), 0U);
  EXPECT_EQ(filter->GetOutput()->GetPixel({ { 0, 0, 0 } }), 0);
  filter->SetInput(MakeItkImage<MaskType>(MakeImage("full", { 9, 8, 7 }, 1)));
  filter->Update();
  EXPECT_EQ(filter->GetObjectCount(), 1U);
  EXPECT_EQ(filter->GetOutput()->GetBufferedRegion().GetNumberOfPixels(), 9U * 8U * 7U);
  EXPECT_EQ(filter->GetOutput()->GetPixel({ { 8, 7, 6 } }), 1);
}

TEST(CudaConnectedComponentsFilter, MemoryOfLargeOutputs)
{
  // The output is so large that new memory comes from the system, filled with 0.
  using LargeLabelsType = itk::Image<unsigned int, 3>;
  const TestImage   images[] = { MakeRandom({ 257, 256, 131 }, 2, 1, 113), MakeRandom({ 257, 256, 131 }, 2, 1, 114) };
  const std::size_t pixelCount = images[0].pixels.size();
  std::vector<unsigned int> memoryOfTheProgram(pixelCount, 77);
  for (const unsigned int background : { 0U, 3U })
  {
    for (const bool gpuEnabled : { true, false })
    {
      using LargeFilterType = itk::CudaConnectedComponentImageFilter<MaskType, LargeLabelsType>;
      const auto filter = LargeFilterType::New();
      const auto intoMemoryOfTheProgram = LargeFilterType::New();
      intoMemoryOfTheProgram->GetOutput()->GetPixelContainer()->SetImportPointer(
        memoryOfTheProgram.data(), pixelCount, false);
      // The second update writes over the labels of the first one.
      for (const TestImage & image : images)
      {
        const auto oracle = MakeOracle<MaskType, LargeLabelsType>();
        oracle->SetInput(MakeItkImage<MaskType>(image));
        oracle->SetBackgroundValue(background);
        oracle->Update();
        for (LargeFilterType * const each : { filter.GetPointer(), intoMemoryOfTheProgram.GetPointer() })
        {
          each->SetInput(oracle->GetInput());
          each->SetBackgroundValue(background);
          each->SetGPUEnabled(gpuEnabled);
          each->Update();
          const unsigned int * const labels = each->GetOutput()->GetBufferPointer();
          EXPECT_TRUE(std::equal(labels, labels + pixelCount, oracle->GetOutput()->GetBufferPointer()))
            << image.name << ", background " << background << ", GPU " << gpuEnabled;
          EXPECT_EQ(each->GetObjectCount(), oracle->GetObjectCount());
        }
        EXPECT_EQ(intoMemoryOfTheProgram->GetOutput()->GetBufferPointer(), memoryOfTheProgram.data());
      }
    }
  }
}

TEST(CudaConnectedComponentsFilter, LabelsDoNotDependOnWorkUnits)
{
  const auto image = MakeItkImage<MaskType>(MakeRandom({ 129, 127, 30 }, 20, 2, 109));
  for (const unsigned int workUnits : { 1, 2, 7 })
  {
    const auto filter = ExpectSameAsItk<MaskType, LabelsType>([&](auto * each) {
      each->SetInput(image);
      each->SetNumberOfWorkUnits(workUnits);
    });
    EXPECT_EQ(filter->GetNumberOfWorkUnits(), workUnits);
  }
}

TEST(CudaConnectedComponentsFilter, DefaultsAndPrintedSettings)
{
  auto filter = FilterType::New();
  EXPECT_STREQ(filter->GetNameOfClass(), "CudaConnectedComponentImageFilter");
  EXPECT_TRUE(filter->GetGPUEnabled());
  EXPECT_TRUE(filter->GetCPUFallback());
  EXPECT_TRUE(filter->GetInlineCompression());
  EXPECT_EQ(filter->GetDeviceId(), -1);
  EXPECT_EQ(filter->GetAlgorithm(), AlgorithmEnum::Automatic);
  EXPECT_EQ(filter->GetBackendUsed(), BackendEnum::Unknown);
  EXPECT_EQ(filter->GetObjectCount(), 0U);

  filter->SetInput(MakeItkImage<MaskType>(MakeCheckerboard({ 2, 2, 2 })));
  filter->SetBackgroundValue(7);
  filter->Update();
  std::ostringstream printed;
  filter->Print(printed);
  for (const std::string part : { "ObjectCount: 4",
                                  "BackgroundValue: 7",
                                  "FullyConnected: Off",
                                  "GPUEnabled: On",
                                  "CPUFallback: On",
                                  "Algorithm: itk::CudaConnectedComponentsEnums::Algorithm::Automatic",
                                  "BackendUsed: itk::CudaConnectedComponentsEnums::Backend::" })
  {
    EXPECT_NE(printed.str().find(part), std::string::npos) << part << " is not in\n" << printed.str();
  }
  EXPECT_EQ(printed.str().find("ObjectCount: 0"), std::string::npos) << "the count of the superclass is also printed";

  const itk::ModifiedTimeType before = filter->GetMTime();
  filter->SetAlgorithm(AlgorithmEnum::RunUnionFind);
  EXPECT_GT(filter->GetMTime(), before);
}

} // namespace settings_test
