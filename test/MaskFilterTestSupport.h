// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_test_MaskFilterTestSupport_h
#define ccl_test_MaskFilterTestSupport_h

// For the tests of the filters from mask to mask. The expected pixels come from ITK's filters and from a flood fill.

#include "FilterTestSupport.h"

#include "itkCommand.h"
#include "itkImageRegionIteratorWithIndex.h"
#include "itkImageSource.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <limits>
#include <random>
#include <sstream>
#include <vector>

/** Makes an image of noise that has the given values, with pixels that are not cubes.
 * \param start index of the first pixel along all axes */
template <typename TImage>
typename TImage::Pointer
MakeValues(const typename TImage::SizeType &               size,
           const std::vector<typename TImage::PixelType> & values,
           unsigned int                                    seed,
           itk::IndexValueType                             start = -3)
{
  auto                         image = TImage::New();
  typename TImage::IndexType   index;
  typename TImage::SpacingType spacing;
  index.Fill(start);
  spacing.Fill(0.7);
  spacing[0] = 1.3;
  image->SetRegions(typename TImage::RegionType(index, size));
  image->SetSpacing(spacing);
  image->Allocate();
  std::mt19937        random(seed);
  const std::uint64_t count = image->GetBufferedRegion().GetNumberOfPixels();
  for (std::uint64_t i = 0; i < count; ++i)
  {
    image->GetBufferPointer()[i] = values[random() % values.size()];
  }
  return image;
}

/** Expects equal bytes of the pixels, and equal regions, origins, spacings and directions. */
template <typename TImage>
void
ExpectSameBytes(const TImage * image, const TImage * expected)
{
  ASSERT_EQ(image->GetLargestPossibleRegion(), expected->GetLargestPossibleRegion());
  ASSERT_EQ(image->GetRequestedRegion(), expected->GetRequestedRegion());
  ASSERT_EQ(image->GetBufferedRegion(), expected->GetBufferedRegion());
  EXPECT_EQ(image->GetOrigin(), expected->GetOrigin());
  EXPECT_EQ(image->GetSpacing(), expected->GetSpacing());
  EXPECT_EQ(image->GetDirection(), expected->GetDirection());
  for (std::uint64_t i = 0; i < image->GetBufferedRegion().GetNumberOfPixels(); ++i)
  {
    const auto * const pixel = image->GetBufferPointer() + i;
    const auto * const expectedPixel = expected->GetBufferPointer() + i;
    ASSERT_EQ(std::memcmp(pixel, expectedPixel, sizeof(*pixel)), 0)
      << "pixel " << i << " of " << image->GetBufferedRegion().GetSize() << " is " << +*pixel << ", not "
      << +*expectedPixel;
  }
}

/** A component that a flood fill has found. */
template <unsigned int VDimension>
struct FloodedComponent
{
  std::vector<itk::Index<VDimension>> pixels;
  bool                                touchesBorder = false; // of the requested region
};

/** Finds components by flood fill, in the order of their first pixels.
 * \param isInside function that returns whether a pixel value belongs to components */
template <typename TImage, typename TIsInside>
std::vector<FloodedComponent<TImage::ImageDimension>>
Flood(const TImage & image, bool fullyConnected, const TIsInside & isInside)
{
  constexpr unsigned int Dimension = TImage::ImageDimension;
  using IndexType = typename TImage::IndexType;
  const typename TImage::RegionType region = image.GetLargestPossibleRegion();

  unsigned int neighborhood = 1;
  for (unsigned int axis = 0; axis < Dimension; ++axis)
  {
    neighborhood *= 3;
  }
  std::vector<itk::Offset<Dimension>> offsets;
  for (unsigned int i = 0; i < neighborhood; ++i)
  {
    itk::Offset<Dimension> offset;
    unsigned int           distance = 0;
    unsigned int           rest = i;
    for (unsigned int axis = 0; axis < Dimension; ++axis, rest /= 3)
    {
      offset[axis] = static_cast<itk::OffsetValueType>(rest % 3) - 1;
      distance += offset[axis] != 0;
    }
    if (distance > 0 && (fullyConnected || distance == 1))
    {
      offsets.push_back(offset);
    }
  }

  auto visited = itk::Image<unsigned char, Dimension>::New();
  visited->SetRegions(region);
  visited->Allocate(true);
  std::vector<FloodedComponent<Dimension>> components;
  for (itk::ImageRegionConstIteratorWithIndex<TImage> it(&image, region); !it.IsAtEnd(); ++it)
  {
    if (!isInside(it.Get()) || visited->GetPixel(it.GetIndex()) != 0)
    {
      continue;
    }
    FloodedComponent<Dimension> component;
    component.pixels.push_back(it.GetIndex());
    visited->SetPixel(it.GetIndex(), 1);
    for (std::size_t next = 0; next < component.pixels.size(); ++next)
    {
      const IndexType index = component.pixels[next];
      for (unsigned int axis = 0; axis < Dimension; ++axis)
      {
        component.touchesBorder = component.touchesBorder || index[axis] == region.GetIndex(axis) ||
                                  index[axis] == region.GetUpperIndex()[axis];
      }
      for (const auto & offset : offsets)
      {
        const IndexType neighbor = index + offset;
        if (region.IsInside(neighbor) && isInside(image.GetPixel(neighbor)) && visited->GetPixel(neighbor) == 0)
        {
          visited->SetPixel(neighbor, 1);
          component.pixels.push_back(neighbor);
        }
      }
    }
    components.push_back(component);
  }
  return components;
}

/** Copies the largest possible region of an image. */
template <typename TImage>
typename TImage::Pointer
CopyOf(const TImage & image)
{
  auto copy = TImage::New();
  copy->CopyInformation(&image);
  copy->SetRegions(image.GetLargestPossibleRegion());
  copy->Allocate();
  for (itk::ImageRegionIteratorWithIndex<TImage> it(copy, copy->GetBufferedRegion()); !it.IsAtEnd(); ++it)
  {
    it.Set(image.GetPixel(it.GetIndex()));
  }
  return copy;
}

/** Updates a filter on the CPU and (if there is one) on the GPU, with 1 and 7 work units, and compares its output.
 * Prints on failure which backend was wrong. `mayUseITK` allows ITK's own code, which a GPU does
 * not replace. */
template <typename TFilter, typename TImage>
void
ExpectOutput(TFilter & filter, const TImage * expected, bool mayUseITK = false)
{
  const bool hasDevice = ExpectedBackend() == BackendEnum::CUDA;
  for (const bool gpuEnabled : { false, true })
  {
    for (const unsigned int workUnits : { 1U, 7U })
    {
      SCOPED_TRACE(testing::Message() << "GPU " << gpuEnabled << ", work units " << workUnits);
      filter.SetGPUEnabled(gpuEnabled);
      // Without the CPU as fallback, the GPU gets even the smallest image.
      filter.SetCPUFallback(!hasDevice || mayUseITK);
      filter.SetNumberOfWorkUnits(workUnits);
      filter.Modified();
      ASSERT_EQ(ExceptionOf(filter), "");
      ExpectSameBytes<TImage>(filter.GetOutput(), expected);
      EXPECT_NE(filter.GetBackendUsed(), BackendEnum::Unknown);
      if (testing::Test::HasFailure())
      {
        return;
      }
    }
  }
  filter.SetCPUFallback(true);
}

/** An exception that is not a std::exception. */
struct Alien
{
  int answer;
};

/** Produces an image, or throws an exception while it does. */
template <typename TImage>
class ThrowingSource : public itk::ImageSource<TImage>
{
public:
  using Self = ThrowingSource;
  using Pointer = itk::SmartPointer<Self>;
  itkFactorylessNewMacro(Self);

  enum class Stage
  {
    None,
    Information,
    Regions,
    Pixels
  };

  /** The image, and the part of it that the output shows. The output shares all pixels of the image. */
  typename TImage::Pointer    image;
  typename TImage::RegionType largestRegion;
  Stage                       throwsIn = Stage::None;

protected:
  void
  GenerateOutputInformation() override
  {
    this->ThrowIn(Stage::Information);
    this->GetOutput()->CopyInformation(image);
    this->GetOutput()->SetLargestPossibleRegion(largestRegion);
  }

  void
  EnlargeOutputRequestedRegion(itk::DataObject * output) override
  {
    this->ThrowIn(Stage::Regions);
    output->SetRequestedRegionToLargestPossibleRegion();
  }

  void
  GenerateData() override
  {
    this->ThrowIn(Stage::Pixels);
    this->GetOutput()->SetBufferedRegion(image->GetBufferedRegion());
    this->GetOutput()->SetPixelContainer(image->GetPixelContainer());
  }

private:
  void
  ThrowIn(Stage stage) const
  {
    if (throwsIn == stage)
    {
      throw Alien{ 1 };
    }
  }
};

/** Checks which backend a filter uses, and what it says about it.
 * \param setUp function that sets the values of a filter */
template <template <typename> class TFilter, typename TSetUp>
void
ExpectBackendRules(const TSetUp & setUp)
{
  using ImageType = itk::Image<unsigned char, 3>;
  using FlatImageType = itk::Image<unsigned char, 2>;
  auto filter = TFilter<ImageType>::New();
  setUp(*filter);
  EXPECT_TRUE(filter->GetGPUEnabled());
  EXPECT_TRUE(filter->GetCPUFallback());
  EXPECT_FALSE(filter->GetLazyGPUStart());
  EXPECT_EQ(filter->GetDeviceId(), -1);
  EXPECT_EQ(filter->GetBackendUsed(), BackendEnum::Unknown);

  filter->SetInput(MakeValues<ImageType>({ { 40, 30, 20 } }, { 0, 1 }, 1));
  filter->SetDeviceId(1000);
  filter->CPUFallbackOff();
  const std::string exception = ExceptionOf(*filter);
  EXPECT_NE(exception.find("The GPU cannot be used, and CPUFallback is off: no CUDA device"), std::string::npos)
    << exception;
  EXPECT_NE(exception.find(filter->GetNameOfClass()), std::string::npos) << exception;
  EXPECT_EQ(filter->GetBackendUsed(), BackendEnum::Unknown);
  filter->CPUFallbackOn();
  EXPECT_EQ(ExceptionOf(*filter), "");
  EXPECT_EQ(filter->GetBackendUsed(), BackendEnum::CPU);
  EXPECT_EQ(filter->GetFallbackReason().find("no CUDA device"), 0U) << filter->GetFallbackReason();
  filter->SetDeviceId(-1);
  EXPECT_EQ(ExceptionOf(*filter), "");
  EXPECT_EQ(filter->GetBackendUsed(), ExpectedBackend());
  EXPECT_EQ(filter->GetFallbackReason().empty(), ExpectedBackend() == BackendEnum::CUDA);
  filter->GPUEnabledOff();
  filter->CPUFallbackOff();
  EXPECT_EQ(ExceptionOf(*filter), "");
  EXPECT_EQ(filter->GetBackendUsed(), BackendEnum::CPU);
  EXPECT_EQ(filter->GetFallbackReason(), "");

  auto planeFilter = TFilter<FlatImageType>::New();
  setUp(*planeFilter);
  planeFilter->SetInput(MakeValues<FlatImageType>({ { 128, 128 } }, { 0, 1 }, 2));
  EXPECT_EQ(ExceptionOf(*planeFilter), "");
  EXPECT_EQ(planeFilter->GetBackendUsed(), BackendEnum::CPU);
  EXPECT_EQ(planeFilter->GetFallbackReason(), "the CPU labels 16384 pixels sooner");
}

/** Checks the output and the backend of a filter that must use the GPU. */
template <typename TFilter, typename TSetUp>
void
ExpectSameOnDevice(const TSetUp & setUp)
{
  using ImageType = itk::Image<unsigned char, 3>;
  const auto image = MakeItkImage<ImageType>(MakeRandom({ 131, 67, 41 }, 60, 2, 3));
  auto       filter = TFilter::New();
  setUp(*filter);
  filter->SetInput(image);
  filter->GPUEnabledOff();
  filter->Update();
  EXPECT_EQ(filter->GetBackendUsed(), BackendEnum::CPU);
  const auto onHost = CopyOf(*filter->GetOutput());
  filter->GPUEnabledOn();
  filter->CPUFallbackOff();
  filter->Update();
  EXPECT_EQ(filter->GetBackendUsed(), BackendEnum::CUDA);
  ExpectSameBytes<ImageType>(filter->GetOutput(), onHost);
}

/** Checks that a filter that has nothing to label reports its progress, that an observer can abort it, and that an
 * exception of an observer reaches the caller unchanged. */
template <typename TFilter>
void
ExpectProgressWithoutLabels(TFilter & filter)
{
  using ErrorType = itk::CudaConnectedComponentError;
  std::vector<float>  progress;
  bool                aborts = false;
  bool                throws = false;
  const unsigned long observer = filter.AddObserver(itk::ProgressEvent(), [&](const itk::EventObject &) {
    progress.push_back(filter.GetProgress());
    if (throws)
    {
      throw ErrorType(ErrorType::KindEnum::Memory, "of the observer");
    }
    if (aborts)
    {
      filter.AbortGenerateDataOn();
    }
  });
  filter.Modified();
  EXPECT_EQ(ExceptionOf(filter), "");
  ASSERT_GE(progress.size(), 2U);
  EXPECT_EQ(progress.front(), 0.0F);
  EXPECT_TRUE(std::is_sorted(progress.begin(), progress.end()));
  EXPECT_EQ(progress.back(), 1.0F);
  aborts = true;
  filter.Modified();
  EXPECT_EQ(ExceptionOf(filter),
            "ProcessAborted: Object " + std::string(filter.GetNameOfClass()) + ": AbortGenerateDataOn");
  EXPECT_EQ(filter.GetBackendUsed(), BackendEnum::Unknown);
  throws = true;
  filter.Modified();
  EXPECT_THROW(filter.Update(), ErrorType);
  EXPECT_EQ(filter.GetBackendUsed(), BackendEnum::Unknown);
  filter.RemoveObserver(observer);
  filter.Modified();
  EXPECT_EQ(ExceptionOf(filter), "");
  EXPECT_EQ(filter.GetBackendUsed(), BackendEnum::CPU);
}

/** Checks that exceptions of observers and of the pipeline reach the caller unchanged, that a filter can be aborted,
 * and that the next update is right.
 * \param expectSame function that compares an output with the expected output */
template <typename TFilter, typename TSetUp, typename TExpectSame>
void
ExpectRecoveries(const TSetUp & setUp, const TExpectSame & expectSame)
{
  using ImageType = itk::Image<unsigned char, 3>;
  using Stage = ThrowingSource<ImageType>::Stage;
  const auto image = MakeItkImage<ImageType>(MakeRandom({ 61, 43, 23 }, 60, 2, 4));
  auto       source = ThrowingSource<ImageType>::New();
  source->image = image;
  source->largestRegion = image->GetBufferedRegion();

  auto reference = TFilter::New();
  setUp(*reference);
  reference->SetInput(image);
  reference->Update();

  auto filter = TFilter::New();
  setUp(*filter);
  filter->SetInput(source->GetOutput());
  std::function<void()> react = [] {};
  float                 reactsFrom = 0.0F;
  std::vector<float>    progress;
  filter->AddObserver(itk::ProgressEvent(), [&](const itk::EventObject &) {
    progress.push_back(filter->GetProgress());
    if (filter->GetProgress() >= reactsFrom)
    {
      react();
    }
  });
  const auto expectWorks = [&](const char * after) {
    SCOPED_TRACE(after);
    react = [] {};
    source->throwsIn = Stage::None;
    progress.clear();
    source->Modified();
    ASSERT_EQ(ExceptionOf(*filter), "");
    expectSame(*filter->GetOutput(), *reference->GetOutput());
    EXPECT_GE(progress.size(), 3U);
    EXPECT_TRUE(std::is_sorted(progress.begin(), progress.end()));
    EXPECT_EQ(progress.back(), 1.0F);
  };
  for (const bool gpuEnabled : { false, true })
  {
    filter->SetGPUEnabled(gpuEnabled);
    expectWorks("nothing");
    for (const float from : { 0.0F, 0.1F, 1.0F })
    {
      SCOPED_TRACE(testing::Message() << "from progress " << from);
      reactsFrom = from;
      react = [&] { filter->AbortGenerateDataOn(); };
      filter->Modified();
      EXPECT_THROW(filter->Update(), itk::ProcessAborted);
      EXPECT_EQ(filter->GetBackendUsed(), BackendEnum::Unknown);
      expectWorks("abort");

      react = [] { throw Alien{ 3 }; };
      filter->Modified();
      EXPECT_THROW(filter->Update(), Alien);
      EXPECT_EQ(filter->GetBackendUsed(), BackendEnum::Unknown);
      expectWorks("exception of an observer");

      // The filter must not treat it as an error of the engine, and must not fall back to the CPU.
      react = [] {
        throw itk::CudaConnectedComponentError(itk::CudaConnectedComponentError::KindEnum::Memory, "of the observer");
      };
      filter->Modified();
      EXPECT_THROW(filter->Update(), itk::CudaConnectedComponentError);
      EXPECT_EQ(filter->GetBackendUsed(), BackendEnum::Unknown);
      expectWorks("error like an error of the engine");
    }
    for (const Stage stage : { Stage::Information, Stage::Regions, Stage::Pixels })
    {
      source->throwsIn = stage;
      source->Modified();
      EXPECT_THROW(filter->Update(), Alien);
      EXPECT_EQ(filter->GetBackendUsed(), BackendEnum::Unknown);
      EXPECT_EQ(filter->GetFallbackReason(), "");
      expectWorks("exception of the source");
    }
  }
}

/** Calls the function above for a filter whose output is an image. */
template <typename TFilter, typename TSetUp>
void
ExpectRecoveries(const TSetUp & setUp)
{
  using ImageType = typename TFilter::OutputImageType;
  ExpectRecoveries<TFilter>(
    setUp, [](const ImageType & image, const ImageType & expected) { ExpectSameBytes<ImageType>(&image, &expected); });
}

/** Makes an image of boxes with holes. Its output is large enough that the system provides its memory filled with 0.
 * The sizes of the boxes differ. Some rows are 0, and some rows have other values.
 * \param foreground the value of the pixels of objects */
template <typename TImage>
typename TImage::Pointer
MakeLargeImage(typename TImage::PixelType foreground)
{
  auto image = TImage::New();
  image->SetRegions(typename TImage::SizeType{ { 333, 127, 101 } });
  image->Allocate(true);
  for (itk::ImageRegionIteratorWithIndex<TImage> it(image, image->GetBufferedRegion()); !it.IsAtEnd(); ++it)
  {
    const auto index = it.GetIndex();
    const auto x = index[0] % 110;
    const auto y = index[1] % 60;
    const auto z = index[2] % 40;
    const bool isBox =
      x > 10 && x < 100 - index[0] / 110 && y > 7 && y < 50 - index[1] / 60 && z > 3 && z < 30 - index[2] / 40;
    const bool isHole = x > 30 && x < 70 && y > 20 && y < 40 && z > 10 && z < 20;
    if (isBox && !isHole)
    {
      it.Set(foreground);
    }
    else if (index[1] == 25 && index[2] % 7 == 3 && index[0] % 5 == 0)
    {
      it.Set(3);
    }
  }
  return image;
}

/** Checks that a filter needs the whole input and makes the whole output, also if the buffer of the input is larger
 * than its largest possible region, and if the output uses memory again.
 * \param setUp function that sets the values of a filter */
template <typename TFilter, typename TSetUp>
void
ExpectRegions(const TSetUp & setUp)
{
  using ImageType = itk::Image<unsigned char, 3>;
  const auto                  buffer = MakeValues<ImageType>({ { 45, 21, 15 } }, { 0, 1, 1, 2 }, 5);
  const ImageType::RegionType part(ImageType::IndexType{ { 1, -1, 0 } }, ImageType::SizeType{ { 37, 15, 9 } });
  auto                        source = ThrowingSource<ImageType>::New();
  source->image = buffer;
  source->largestRegion = part;
  source->Update();
  ASSERT_NE(source->GetOutput()->GetBufferedRegion(), part);
  const auto copy = CopyOf(*source->GetOutput());
  ASSERT_EQ(copy->GetBufferedRegion(), part);
  auto reference = TFilter::New();
  setUp(*reference);
  reference->SetInput(copy);
  reference->Update();

  auto filter = TFilter::New();
  setUp(*filter);
  filter->SetInput(source->GetOutput());
  filter->UpdateOutputInformation();
  filter->GetOutput()->SetRequestedRegion(
    ImageType::RegionType(ImageType::IndexType{ { 3, 2, 1 } }, ImageType::SizeType{ { 2, 2, 2 } }));
  filter->Update();
  ExpectSameBytes<ImageType>(filter->GetOutput(), reference->GetOutput());

  // Old pixels in the memory of the output must not remain.
  auto graft = ImageType::New();
  graft->SetRegions(part);
  graft->Allocate();
  graft->FillBuffer(9);
  filter->GetOutput()->ReleaseDataFlagOff();
  filter->ReleaseDataBeforeUpdateFlagOff();
  filter->GraftOutput(graft);
  filter->Modified();
  filter->Update();
  ExpectSameBytes<ImageType>(filter->GetOutput(), reference->GetOutput());
}

#endif
