// SPDX-License-Identifier: Apache-2.0

// Images that a filter cannot read, containers that are not ITK's, and exceptions: for all filters.

#include "FilterTestSupport.h"

#include "itkCudaBinaryFillholeImageFilter.h"
#include "itkCudaBinaryGrindPeakImageFilter.h"
#include "itkCudaBinaryImageToLabelMapFilter.h"
#include "itkCudaBinaryKeepNObjectsImageFilter.h"
#include "itkCudaBinaryShapeKeepNObjectsImageFilter.h"
#include "itkCudaBinaryShapeOpeningImageFilter.h"
#include "itkCudaConnectedThresholdImageFilter.h"
#include "itkCudaIsolatedConnectedImageFilter.h"
#include "itkCudaLabelImageToLabelMapFilter.h"
#include "itkCudaRelabelComponentImageFilter.h"
#include "itkCudaThresholdMaximumConnectedComponentsImageFilter.h"
#include "itkRGBPixel.h"
#include "itkVectorImage.h"
#include "itkVectorImageToImageAdaptor.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>
#include <stdexcept>
#include <system_error>
#include <thread>

#ifdef __linux__
#  include <fcntl.h>
#  include <sys/mman.h>
#  include <unistd.h>
#endif

namespace faults_test
{

using VolumeType = itk::Image<unsigned char, 3>;
using SeriesType = itk::Image<unsigned char, 4>;
using LabelsType = itk::Image<unsigned short, 3>;

/** Calls visit(filter) with each filter. They find objects of pixels that are 1. */
template <typename TImage, typename TVisitor>
void
ForEachMaskFilter(const TVisitor & visit)
{
  auto fill = itk::CudaBinaryFillholeImageFilter<TImage>::New();
  fill->SetForegroundValue(1);
  visit(*fill);
  auto keep = itk::CudaBinaryKeepNObjectsImageFilter<TImage>::New();
  keep->SetForegroundValue(1);
  keep->SetNumberOfObjects(1);
  visit(*keep);
  auto shape = itk::CudaBinaryShapeKeepNObjectsImageFilter<TImage>::New();
  shape->SetForegroundValue(1);
  shape->SetNumberOfObjects(1);
  visit(*shape);
  auto opening = itk::CudaBinaryShapeOpeningImageFilter<TImage>::New();
  opening->SetForegroundValue(1);
  opening->SetLambda(2);
  visit(*opening);
  auto grind = itk::CudaBinaryGrindPeakImageFilter<TImage>::New();
  grind->SetForegroundValue(1);
  visit(*grind);
  auto map = itk::CudaBinaryImageToLabelMapFilter<TImage>::New();
  map->SetInputForegroundValue(1);
  visit(*map);
}

template <typename TVisitor>
void
ForEachFilter(const TVisitor & visit)
{
  visit(*itk::CudaConnectedComponentImageFilter<VolumeType, LabelsType>::New());
  visit(*itk::CudaRelabelComponentImageFilter<VolumeType, LabelsType>::New());
  visit(*itk::CudaLabelImageToLabelMapFilter<VolumeType>::New());
  ForEachMaskFilter<VolumeType>(visit);
  auto grow = itk::CudaConnectedThresholdImageFilter<VolumeType, LabelsType>::New();
  grow->SetLower(1);
  grow->SetSeed({ { 1, 2, 3 } });
  visit(*grow);
  auto isolate = itk::CudaIsolatedConnectedImageFilter<VolumeType, LabelsType>::New();
  isolate->SetSeed1({ { 1, 2, 3 } });
  isolate->SetSeed2({ { 30, 31, 29 } });
  visit(*isolate);
  visit(*itk::CudaThresholdMaximumConnectedComponentsImageFilter<VolumeType, LabelsType>::New());
}

VolumeType::Pointer
MakeVolume()
{
  return MakeItkImage<VolumeType>(MakeRandom({ 40, 37, 30 }, 30, 2, 3301));
}

/** A source that buffers less than it was asked for. */
class HalfSource : public itk::ImageSource<VolumeType>
{
public:
  ITK_DISALLOW_COPY_AND_MOVE(HalfSource);
  using Self = HalfSource;
  using Pointer = itk::SmartPointer<Self>;
  itkFactorylessNewMacro(Self);

protected:
  HalfSource() = default;
  ~HalfSource() override = default;

  void
  GenerateOutputInformation() override
  {
    this->GetOutput()->SetLargestPossibleRegion(VolumeType::SizeType{ { 40, 37, 30 } });
  }

  void
  GenerateData() override
  {
    this->GetOutput()->SetBufferedRegion(VolumeType::SizeType{ { 40, 37, 15 } });
    this->GetOutput()->Allocate(true);
  }
};

TEST(CudaConnectedComponentsFilterFaults, ThrowIfTheInputIsNotInMemory)
{
  ForEachFilter([](auto & filter) {
    SCOPED_TRACE(filter.GetNameOfClass());
    const auto expectThrow = [&](VolumeType * image, const std::string & why) {
      filter.SetInput(image);
      const std::string exception = ExceptionOf(filter);
      EXPECT_NE(exception.find("The pixels of the input are not in memory: " + why), std::string::npos) << exception;
    };
    const auto released = MakeVolume();
    released->ReleaseData();
    expectThrow(released, "the buffered region does not contain the region");

    const auto half = HalfSource::New();
    expectThrow(half->GetOutput(), "the buffered region does not contain the region");

    const auto withoutBuffer = MakeVolume();
    withoutBuffer->SetPixelContainer(VolumeType::PixelContainer::New());
    expectThrow(withoutBuffer, "the image has no buffer");

    const auto shortBuffer = MakeVolume();
    const auto container = VolumeType::PixelContainer::New();
    container->Reserve(100);
    shortBuffer->SetPixelContainer(container);
    expectThrow(shortBuffer, "its pixel container holds 100 pixels only");

    filter.SetInput(MakeVolume());
    EXPECT_EQ(ExceptionOf(filter), "");
  });
}

TEST(CudaConnectedComponentsFilterFaults, ThrowIfAMaskOrAnIntensityImageIsNotInMemory)
{
  auto       filter = itk::CudaConnectedComponentImageFilter<VolumeType, LabelsType>::New();
  const auto second = MakeVolume();
  filter->SetInput(MakeVolume());
  filter->SetMaskImage(second);
  EXPECT_EQ(ExceptionOf(*filter), "");
  second->ReleaseData();
  filter->Modified();
  EXPECT_NE(ExceptionOf(*filter).find("The pixels of the mask are not in memory"), std::string::npos);
  filter->SetMaskImage(nullptr);
  filter->SetIntensityImage(second);
  filter->ComputeStatisticsOn();
  EXPECT_NE(ExceptionOf(*filter).find("The pixels of the intensity image are not in memory"), std::string::npos);
  EXPECT_EQ(filter->GetObjectCount(), 0U);
  filter->SetIntensityImage(nullptr);
  EXPECT_EQ(ExceptionOf(*filter), "");
  EXPECT_GT(filter->GetObjectCount(), 0U);
}

/** Checks the exceptions of an image whose pixels are not the numbers of a view. */
template <typename TImage>
void
ExpectThrowIfNotInMemory()
{
  auto image = TImage::New();
  image->SetRegions(typename TImage::SizeType{ { 40, 37, 30 } });
  image->SetNumberOfComponentsPerPixel(3);
  image->Allocate(true);
  auto filter = itk::CudaConnectedComponentImageFilter<TImage, LabelsType, VolumeType>::New();
  filter->SetInput(image);
  EXPECT_EQ(ExceptionOf(*filter), "");
  const auto expectThrow = [&](const std::string & why) {
    filter->Modified();
    const std::string exception = ExceptionOf(*filter);
    EXPECT_NE(exception.find("The pixels of the input are not in memory: " + why), std::string::npos) << exception;
  };
  const auto container = TImage::PixelContainer::New();
  image->SetPixelContainer(container);
  expectThrow("the image has no buffer");
  container->Reserve(40 * 37 * 30 - 1);
  expectThrow("its pixel container holds ");
  image->ReleaseData();
  expectThrow("the buffered region does not contain the region");
}

TEST(CudaConnectedComponentsFilterFaults, ThrowIfAnImageOfVectorsIsNotInMemory)
{
  ExpectThrowIfNotInMemory<itk::VectorImage<float, 3>>();
  ExpectThrowIfNotInMemory<itk::Image<itk::RGBPixel<unsigned char>, 3>>();
}

TEST(CudaConnectedComponentsFilterFaults, ThrowIfTheImageOfAnAdaptorIsNotInMemory)
{
  auto image = itk::VectorImage<float, 3>::New();
  image->SetRegions(VolumeType::SizeType{ { 40, 37, 30 } });
  image->SetNumberOfComponentsPerPixel(3);
  image->Allocate(true);
  using AdaptorType = itk::VectorImageToImageAdaptor<float, 3>;
  auto adaptor = AdaptorType::New();
  adaptor->SetImage(image);
  adaptor->SetExtractComponentIndex(2);
  auto filter = itk::CudaConnectedComponentImageFilter<AdaptorType, LabelsType, VolumeType>::New();
  filter->SetInput(adaptor);
  EXPECT_EQ(ExceptionOf(*filter), "");
  const auto container = itk::VectorImage<float, 3>::PixelContainer::New();
  container->Reserve(40 * 37 * 30); // of one component
  adaptor->SetPixelContainer(container);
  filter->Modified();
  EXPECT_NE(ExceptionOf(*filter).find("its pixel container holds 14800 pixels only"), std::string::npos);
}

TEST(CudaConnectedComponentsFilterFaults, ThrowIfASeriesIsNotInMemory)
{
  auto image = SeriesType::New();
  image->SetRegions(SeriesType::SizeType{ { 9, 8, 7, 2 } });
  image->Allocate(true);
  image->SetPixelContainer(SeriesType::PixelContainer::New());
  auto keep = itk::CudaBinaryKeepNObjectsImageFilter<SeriesType>::New(); // 0 objects: the module does the work
  keep->SetInput(image);
  EXPECT_NE(ExceptionOf(*keep).find("the image has no buffer"), std::string::npos);
  auto relabel = itk::CudaRelabelComponentImageFilter<SeriesType, SeriesType>::New();
  relabel->SetInput(image);
  EXPECT_NE(ExceptionOf(*relabel).find("the image has no buffer"), std::string::npos);
}

/** Counts the calls of GetBufferPointer(), which locks a mutex in images of other toolkits. */
struct BufferCalls
{
  static inline std::atomic<int>  count{ 0 };
  static inline std::atomic<bool> isOnlyOnThread{ true };
  static inline std::thread::id   thread;

  static void
  Start()
  {
    count = 0;
    isOnlyOnThread = true;
    thread = std::this_thread::get_id();
  }

  static void
  Add()
  {
    ++count;
    isOnlyOnThread = isOnlyOnThread && std::this_thread::get_id() == thread;
  }
};

template <typename TPixel>
class CountingImage : public itk::Image<TPixel, 3>
{
public:
  ITK_DISALLOW_COPY_AND_MOVE(CountingImage);
  using Self = CountingImage;
  using Superclass = itk::Image<TPixel, 3>;
  using Pointer = itk::SmartPointer<Self>;
  using ConstPointer = itk::SmartPointer<const Self>;
  using ConstWeakPointer = itk::WeakPointer<const Self>;
  itkFactorylessNewMacro(Self);

  TPixel *
  GetBufferPointer() override
  {
    BufferCalls::Add();
    return Superclass::GetBufferPointer();
  }

  const TPixel *
  GetBufferPointer() const override
  {
    BufferCalls::Add();
    return Superclass::GetBufferPointer();
  }

protected:
  CountingImage() = default;
  ~CountingImage() override = default;
};

TEST(CudaConnectedComponentsFilterFaults, TheBufferIsAskedForInTheCallingThreadOnly)
{
  const auto makeImage = [](auto pixel) {
    auto image = CountingImage<decltype(pixel)>::New();
    image->SetRegions(VolumeType::SizeType{ { 64, 64, 64 } });
    image->Allocate();
    image->FillBuffer(pixel);
    return image;
  };
  const auto expectFewCalls = [](auto & filter, int maximum) {
    filter.SetNumberOfWorkUnits(4);
    filter.UpdateOutputInformation();
    BufferCalls::Start();
    filter.Update();
    EXPECT_LE(BufferCalls::count, maximum) << filter.GetNameOfClass();
    EXPECT_TRUE(BufferCalls::isOnlyOnThread) << filter.GetNameOfClass();
  };
  using BytesType = CountingImage<unsigned char>;
  const auto bytes = makeImage(static_cast<unsigned char>(1));
  const auto label = [&](auto input, auto second) {
    using InputType = typename decltype(input)::ObjectType;
    auto filter = itk::CudaConnectedComponentImageFilter<InputType, BytesType, BytesType>::New();
    filter->SetInput(input);
    filter->SetMaskImage(second);
    filter->SetIntensityImage(second);
    filter->ComputeStatisticsOn();
    // The input, the mask, the intensities and the output, with an iterator of the input.
    expectFewCalls(*filter, 6);
  };
  label(bytes, bytes);
  label(makeImage(itk::RGBPixel<unsigned char>(static_cast<unsigned char>(1))), bytes);
  ForEachMaskFilter<BytesType>([&](auto & filter) {
    filter.SetInput(bytes);
    expectFewCalls(filter, 3);
  });
  auto relabel = itk::CudaRelabelComponentImageFilter<BytesType, BytesType>::New();
  relabel->SetInput(bytes);
  expectFewCalls(*relabel, 3);
}

static_assert(itk::CudaConnectedComponentsDetail::HasBuffer<VolumeType> &&
                !itk::CudaConnectedComponentsDetail::HasBuffer<itk::ImageBase<3>>,
              "images of other toolkits may have no buffer");

#ifdef __linux__

/** A container whose memory is a private map of a file. No process has read the file since it was written. */
class FileContainer : public itk::ImportImageContainer<itk::SizeValueType, unsigned short>
{
public:
  ITK_DISALLOW_COPY_AND_MOVE(FileContainer);
  using Self = FileContainer;
  using Pointer = itk::SmartPointer<Self>;
  itkFactorylessNewMacro(Self);

protected:
  FileContainer() = default;
  ~FileContainer() override { this->DeallocateManagedMemory(); }

  unsigned short *
  AllocateElements(ElementIdentifier size, bool) const override
  {
    m_Bytes = size * sizeof(unsigned short);
    char      name[] = "FileContainerXXXXXX";
    const int file = mkstemp(name);
    unlink(name);
    // The first page is 0, as the first page of new memory.
    std::vector<char> bytes(m_Bytes, 77);
    std::fill_n(bytes.begin(), 65536, 0);
    EXPECT_EQ(write(file, bytes.data(), m_Bytes), static_cast<ssize_t>(m_Bytes));
    fsync(file);
    posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED);
    void * const memory = mmap(nullptr, m_Bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE, file, 0);
    close(file);
    return static_cast<unsigned short *>(memory);
  }

  void
  DeallocateManagedMemory() override
  {
    if (this->GetImportPointer() != nullptr)
    {
      munmap(this->GetImportPointer(), m_Bytes);
    }
    this->SetImportPointer(nullptr);
  }

private:
  mutable std::size_t m_Bytes = 0;
};

TEST(CudaConnectedComponentsFilterFaults, ABackgroundIsWrittenToTheMemoryOfAnotherContainer)
{
  constexpr std::uint64_t size = 300; // 27 million labels, for which new memory is not written
  auto                    image = VolumeType::New();
  image->SetRegions(VolumeType::SizeType{ { size, size, size } });
  image->Allocate(true);
  image->SetPixel({ { 5, 6, 7 } }, 1);
  const auto expectLabels = [&](auto & filter) {
    filter.SetInput(image);
    filter.GetOutput()->SetPixelContainer(FileContainer::New());
    filter.Update();
    const unsigned short * const pixels = filter.GetOutput()->GetBufferPointer();
    const std::uint64_t          count = size * size * size;
    EXPECT_EQ(count - static_cast<std::uint64_t>(std::count(pixels, pixels + count, 0)), 1U) << filter.GetNameOfClass();
  };
  expectLabels(*itk::CudaConnectedComponentImageFilter<VolumeType, LabelsType>::New());
  expectLabels(*itk::CudaRelabelComponentImageFilter<VolumeType, LabelsType>::New());
  const auto grow = itk::CudaConnectedThresholdImageFilter<VolumeType, LabelsType>::New();
  grow->SetLower(1);
  grow->SetSeed({ { 5, 6, 7 } });
  expectLabels(*grow);
}

#endif

TEST(CudaConnectedComponentsFilterFaults, TheInputIsReleasedAfterAnExceptionInFourDimensions)
{
  auto image = SeriesType::New();
  image->SetRegions(SeriesType::SizeType{ { 64, 3, 3, 4 } });
  image->Allocate(true);
  for (itk::IndexValueType x = 0; x < 64; x += 2)
  {
    for (itk::IndexValueType y = 0; y < 3; y += 2)
    {
      for (itk::IndexValueType t = 0; t < 4; t += 2)
      {
        image->SetPixel({ { x, y, 0, t } }, 1);
        image->SetPixel({ { x, y, 2, t } }, 1);
      }
    }
  }
  // The labels of char end at 127.
  auto filter = itk::CudaConnectedComponentImageFilter<SeriesType, itk::Image<signed char, 4>>::New();
  filter->SetInput(image);
  const int         references = image->GetReferenceCount();
  const std::string exception = ExceptionOf(*filter);
  EXPECT_NE(exception.find("greater than maximum of output pixel type (127)"), std::string::npos) << exception;
  EXPECT_EQ(image->GetReferenceCount(), references);
  image->FillBuffer(1);
  EXPECT_EQ(ExceptionOf(*filter), "");
  EXPECT_EQ(filter->GetObjectCount(), 1U);
  EXPECT_EQ(filter->GetBackendUsed(), BackendEnum::ITK);
  EXPECT_EQ(image->GetReferenceCount(), references);
}

TEST(CudaConnectedComponentsFilterFaults, TheVerboseLineNamesItk)
{
  auto image = SeriesType::New();
  image->SetRegions(SeriesType::SizeType{ { 5, 4, 3, 2 } });
  image->Allocate(true);
  auto filter = itk::CudaConnectedComponentImageFilter<SeriesType, SeriesType>::New();
  filter->SetInput(image);
  setenv("ITK_CUDA_CONNECTED_COMPONENTS_VERBOSE", "1", 1);
  testing::internal::CaptureStderr();
  filter->Update();
  const std::string line = testing::internal::GetCapturedStderr();
  unsetenv("ITK_CUDA_CONNECTED_COMPONENTS_VERBOSE");
  EXPECT_NE(line.find("5 x 4 x 3 x 2 pixels"), std::string::npos) << line;
  EXPECT_NE(line.find(", itk (dimension 4 is not supported on the GPU)"), std::string::npos) << line;
}

TEST(CudaConnectedComponentsFilterFaults, AllFiltersRefuseAnAlgorithmThatNeedsFullConnectivity)
{
  const auto expectThrow = [](auto & filter) {
    filter.SetInput(MakeVolume());
    filter.SetAlgorithm(AlgorithmEnum::BlockUnionFind);
    filter.FullyConnectedOff();
    EXPECT_NE(ExceptionOf(filter).find("labels with full connectivity only"), std::string::npos);
    filter.FullyConnectedOn();
    EXPECT_EQ(ExceptionOf(filter), "");
  };
  expectThrow(*itk::CudaConnectedComponentImageFilter<VolumeType, LabelsType>::New());
  ForEachMaskFilter<VolumeType>(expectThrow);
}

TEST(CudaConnectedComponentsFilterFaults, TooLittleMemoryIsAnExceptionOfItk)
{
  auto filter = itk::CudaConnectedComponentImageFilter<VolumeType, LabelsType>::New();
  itk::CudaConnectedComponentsDetail::BackendSettings settings;
  settings.gpuEnabled = false;
  itk::CudaConnectedComponentsDetail::BackendRun run(
    *filter, settings, itk::ImageRegion<3>(itk::Size<3>{ { 8, 8, 8 } }));
  run.inputPixel = run.outputPixel = &typeid(int);
  run.work = [](itk::CudaConnectedComponentLabeler &) { throw std::bad_alloc(); };
  EXPECT_THROW(run.Run(), itk::MemoryAllocationError);
  run.work = [](itk::CudaConnectedComponentLabeler &) { throw std::length_error("vector"); };
  EXPECT_THROW(run.Run(), itk::MemoryAllocationError);
  run.work = [](itk::CudaConnectedComponentLabeler &) { throw std::system_error(EAGAIN, std::generic_category()); };
  EXPECT_THROW(run.Run(), itk::ExceptionObject);
}

TEST(CudaConnectedComponentsFilterFaults, StatisticsOfATableWithoutItsRowsAreAnExceptionOfItk)
{
  itk::CudaConnectedComponentTable table;
  table.componentCount = std::uint64_t{ 1 } << 62;
  EXPECT_THROW(itk::CudaConnectedComponentStatistics<3>(table, *MakeVolume()), itk::ExceptionObject);
}

} // namespace faults_test
