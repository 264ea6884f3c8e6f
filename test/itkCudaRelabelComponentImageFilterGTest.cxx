// SPDX-License-Identifier: Apache-2.0

// Tests of the filter that makes labels consecutive, against ITK's filter.

#include "FilterTestSupport.h"

#include "itkCommand.h"
#include "itkCudaRelabelComponentImageFilter.h"
#include "itkImageSource.h"

#include <cstdlib>
#include <functional>
#include <limits>
#include <numeric>
#include <random>
#include <sstream>

namespace
{

constexpr unsigned int Seed = 20261204;

/** Fills the buffer of an image with runs of random labels, of 1 to `longest` pixels. */
template <typename TImage>
void
FillWithRuns(TImage &                                        image,
             const std::vector<typename TImage::PixelType> & labels,
             unsigned int                                    longest,
             unsigned int                                    seed)
{
  std::mt19937  random(seed);
  const auto    count = image.GetBufferedRegion().GetNumberOfPixels();
  auto * const  pixels = image.GetBufferPointer();
  std::uint64_t begin = 0;
  while (begin < count)
  {
    const std::uint64_t length = std::min<std::uint64_t>(1 + random() % longest, count - begin);
    std::fill_n(pixels + begin, length, labels[random() % labels.size()]);
    begin += length;
  }
}

/** Makes an image of random labels. Its region does not start at 0, and the pixels are not cubes. */
template <typename TImage>
typename TImage::Pointer
MakeLabels(const typename TImage::SizeType &               size,
           const std::vector<typename TImage::PixelType> & labels,
           unsigned int                                    longest = 20,
           unsigned int                                    seed = Seed)
{
  auto                         image = TImage::New();
  typename TImage::IndexType   index;
  typename TImage::SpacingType spacing;
  index.Fill(-3);
  spacing.Fill(0.7);
  spacing[0] = 1.3;
  image->SetRegions(typename TImage::RegionType(index, size));
  image->SetSpacing(spacing);
  image->Allocate();
  FillWithRuns(*image, labels, longest, seed);
  return image;
}

/** Returns the labels 0 to 99, of which 0 is the most frequent one. */
template <typename TLabel>
std::vector<TLabel>
FewLabels()
{
  std::vector<TLabel> labels(150, 0);
  std::iota(labels.begin() + 50, labels.end(), TLabel{ 0 });
  return labels;
}

/** Returns the part of Print() that the filter itself prints. */
template <typename TFilter>
std::string
PrintedResults(const TFilter & filter)
{
  std::ostringstream text;
  filter.Print(text);
  return text.str().substr(text.str().find("NumberOfObjects: "));
}

template <typename TFilter, typename TOther>
void
ExpectSameResults(TFilter & filter, TOther & expected)
{
  EXPECT_EQ(filter.GetNumberOfObjects(), expected.GetNumberOfObjects());
  EXPECT_EQ(filter.GetOriginalNumberOfObjects(), expected.GetOriginalNumberOfObjects());
  EXPECT_EQ(filter.GetSizeOfObjectsInPixels(), expected.GetSizeOfObjectsInPixels());
  EXPECT_EQ(filter.GetSizeOfObjectsInPhysicalUnits(), expected.GetSizeOfObjectsInPhysicalUnits());
}

/** Compares our filter with ITK's filter, for 1 and 7 work units.
 * \param setUp function that sets the input and the parameters of a filter; called for each filter
 * \return our filter, after its last update */
template <typename TInputImage, typename TOutputImage = TInputImage, typename TSetUp>
typename itk::CudaRelabelComponentImageFilter<TInputImage, TOutputImage>::Pointer
ExpectSameAsItk(const TSetUp & setUp)
{
  using FilterType = itk::CudaRelabelComponentImageFilter<TInputImage, TOutputImage>;
  typename FilterType::Pointer filter;
  for (const unsigned int workUnits : { 1, 7 })
  {
    SCOPED_TRACE(testing::Message() << "seed " << Seed << ", work units " << workUnits);
    auto expected = itk::RelabelComponentImageFilter<TInputImage, TOutputImage>::New();
    EXPECT_STREQ(expected->GetNameOfClass(), "RelabelComponentImageFilter");
    filter = FilterType::New();
    filter->SetNumberOfWorkUnits(workUnits);
    setUp(*expected);
    setUp(*filter);
    const std::string expectedException = ExceptionOf(*expected);
    EXPECT_EQ(Comparable(ExceptionOf(*filter)), Comparable(expectedException));
    ExpectSameResults(*filter, *expected);
    if (expectedException.empty())
    {
      ExpectSameImages(filter->GetOutput(), expected->GetOutput());
      EXPECT_EQ(PrintedResults(*filter), PrintedResults(*expected));
      for (const int label : { 0, 1, 2, 50, 100 })
      {
        const auto pixel = static_cast<typename TInputImage::PixelType>(label);
        EXPECT_EQ(filter->GetSizeOfObjectInPixels(pixel), expected->GetSizeOfObjectInPixels(pixel));
        EXPECT_EQ(filter->GetSizeOfObjectInPhysicalUnits(pixel), expected->GetSizeOfObjectInPhysicalUnits(pixel));
      }
    }
  }
  return filter;
}

/** Compares both filters for one image. */
template <typename TInputImage, typename TOutputImage = TInputImage>
void
ExpectSameForImage(const typename TInputImage::Pointer & image)
{
  ExpectSameAsItk<TInputImage, TOutputImage>([&image](auto & filter) { filter.SetInput(image); });
}

/** Compares both filters for few labels, with short and long runs. */
template <typename TInput, typename TOutput = TInput>
void
ExpectSameForType()
{
  using InputType = itk::Image<TInput, 3>;
  for (const unsigned int longest : { 2U, 20U, 500U })
  {
    SCOPED_TRACE(testing::Message() << typeid(TInput).name() << " to " << typeid(TOutput).name() << ", runs of up to "
                                    << longest << " pixels");
    ExpectSameForImage<InputType, itk::Image<TOutput, 3>>(
      MakeLabels<InputType>({ { 67, 53, 41 } }, FewLabels<TInput>(), longest));
  }
}

TEST(CudaConnectedComponentsRelabelFilter, HasTheSameResultsForEachType)
{
  ExpectSameForType<char>();
  ExpectSameForType<signed char>();
  ExpectSameForType<unsigned char>();
  ExpectSameForType<short>();
  ExpectSameForType<unsigned short>();
  ExpectSameForType<int>();
  ExpectSameForType<unsigned int>();
  ExpectSameForType<long>();
  ExpectSameForType<unsigned long>();
  ExpectSameForType<long long>();
  ExpectSameForType<unsigned long long>();
}

TEST(CudaConnectedComponentsRelabelFilter, ConvertsTypes)
{
  ExpectSameForType<unsigned long, unsigned char>();
  ExpectSameForType<unsigned char, short>();
  ExpectSameForType<short, unsigned long long>();
  ExpectSameForType<unsigned long, float>();
  ExpectSameForType<int, double>();
}

TEST(CudaConnectedComponentsRelabelFilter, LeavesOtherPixelTypesToTheSuperclass)
{
  ExpectSameForType<float>();
  ExpectSameForType<double, short>();
  using ImageType = itk::Image<float, 3>;
  ExpectSameForImage<ImageType>(MakeLabels<ImageType>({ { 40, 30, 1 } }, { -2.5F, 0.0F, 0.25F, 0.5F, 1e30F }));
  const auto filter = itk::CudaRelabelComponentImageFilter<ImageType, ImageType>::New();
  filter->SetInput(MakeLabels<ImageType>({ { 4, 3, 2 } }, { 0.0F, 1.0F }));
  filter->SetNumberOfWorkUnits(3);
  filter->Update();
  EXPECT_EQ(filter->GetMultiThreader()->GetNumberOfWorkUnits(), 3U);
}

TEST(CudaConnectedComponentsRelabelFilter, SortsAnyIntegerLabels)
{
  using ShortImage = itk::Image<short, 3>;
  using IntImage = itk::Image<int, 3>;
  using LongImage = itk::Image<long long, 3>;
  using UnsignedImage = itk::Image<unsigned long, 3>;
  for (const bool sort : { false, true })
  {
    const auto check = [sort](auto image) {
      using ImageType = typename decltype(image)::ObjectType;
      ExpectSameAsItk<ImageType>([&](auto & filter) {
        filter.SetInput(image);
        filter.SetSortByObjectSize(sort);
      });
    };
    check(MakeLabels<ShortImage>({ { 61, 53, 1 } }, { -32768, 32767, 0, -1, 1, 4095, 4096, 4097, 7 }));
    check(
      MakeLabels<IntImage>({ { 61, 53, 1 } }, { -2147483647 - 1, 2147483647, 0, -1, 1, 65535, 65536, 65537, 1 << 30 }));
    check(MakeLabels<LongImage>(
      { { 61, 53, 1 } }, { std::numeric_limits<long long>::min(), std::numeric_limits<long long>::max(), 0, -5, 9 }));
    check(MakeLabels<UnsignedImage>(
      { { 61, 53, 1 } },
      { std::numeric_limits<unsigned long>::max(), 0, 1, 65536, 4294967295UL, 4294967296UL, 4294967297UL }));
  }
}

TEST(CudaConnectedComponentsRelabelFilter, HandlesManyUnrelatedLabels)
{
  using ImageType = itk::Image<int, 2>;
  std::mt19937     random(Seed);
  std::vector<int> labels(3000);
  std::generate(labels.begin(), labels.end(), [&random] { return static_cast<int>(random()); });
  ExpectSameForImage<ImageType>(MakeLabels<ImageType>({ { 400, 300 } }, labels, 4));
}

TEST(CudaConnectedComponentsRelabelFilter, HandlesOneLabelAndNoLabel)
{
  using ImageType = itk::Image<unsigned int, 3>;
  ExpectSameForImage<ImageType>(MakeLabels<ImageType>({ { 50, 40, 30 } }, { 0 }));
  ExpectSameForImage<ImageType>(MakeLabels<ImageType>({ { 50, 40, 30 } }, { 5 }));
  ExpectSameForImage<ImageType>(MakeLabels<ImageType>({ { 1, 1, 1 } }, { 5 }));
  ExpectSameForImage<ImageType>(MakeLabels<ImageType>({ { 1, 1, 1 } }, { 0 }));
}

TEST(CudaConnectedComponentsRelabelFilter, HasTheSameSettings)
{
  using ImageType = itk::Image<unsigned short, 3>;
  // Many objects have the same size.
  const auto image = MakeLabels<ImageType>({ { 30, 20, 7 } }, { 0 });
  for (unsigned int i = 0; i < 1600; ++i)
  {
    image->GetBufferPointer()[i] = static_cast<unsigned short>(1000 - i / 16 * (i % 16));
  }
  for (const bool sort : { false, true })
  {
    for (const itk::SizeValueType minimum : { 0, 1, 2, 10, 1000000000 })
    {
      SCOPED_TRACE(testing::Message() << "sort " << sort << ", minimum size " << minimum);
      const auto filter = ExpectSameAsItk<ImageType>([&](auto & each) {
        each.SetInput(image);
        each.SetSortByObjectSize(sort);
        each.SetMinimumObjectSize(minimum);
        each.SetNumberOfObjectsToPrint(3);
      });
      EXPECT_EQ(filter->GetNumberOfObjects() == 0, minimum == 1000000000);
      EXPECT_GT(filter->GetOriginalNumberOfObjects(), 100U);
    }
  }
}

TEST(CudaConnectedComponentsRelabelFilter, HandlesAnyShapeAndDimension)
{
  const auto labels = FewLabels<int>();
  ExpectSameForImage<itk::Image<int, 1>>(MakeLabels<itk::Image<int, 1>>({ { 150001 } }, labels));
  ExpectSameForImage<itk::Image<int, 2>>(MakeLabels<itk::Image<int, 2>>({ { 150001, 1 } }, labels));
  ExpectSameForImage<itk::Image<int, 2>>(MakeLabels<itk::Image<int, 2>>({ { 1, 150001 } }, labels));
  ExpectSameForImage<itk::Image<int, 3>>(MakeLabels<itk::Image<int, 3>>({ { 1, 1, 150001 } }, labels));
  ExpectSameForImage<itk::Image<int, 4>>(MakeLabels<itk::Image<int, 4>>({ { 23, 19, 17, 20 } }, labels));
}

TEST(CudaConnectedComponentsRelabelFilter, RunsInPlace)
{
  using ImageType = itk::Image<unsigned int, 3>;
  for (const unsigned int longest : { 3U, 300U })
  {
    const unsigned int * input = nullptr;
    const auto           filter = ExpectSameAsItk<ImageType>([&](auto & each) {
      const auto image = MakeLabels<ImageType>({ { 67, 53, 41 } }, FewLabels<unsigned int>(), longest);
      input = image->GetBufferPointer();
      each.SetInput(image);
      each.SetMinimumObjectSize(500);
      each.InPlaceOn();
    });
    EXPECT_EQ(filter->GetOutput()->GetBufferPointer(), input);
  }
}

TEST(CudaConnectedComponentsRelabelFilter, LeavesTheInputAloneIfThereAreTooManyObjects)
{
  using ImageType = itk::Image<unsigned long, 3>;
  std::vector<unsigned long> labels(400);
  std::iota(labels.begin(), labels.end(), 0UL);
  const auto image = MakeLabels<ImageType>({ { 400, 300, 1 } }, labels, 4);
  const auto copy = MakeLabels<ImageType>({ { 400, 300, 1 } }, labels, 4);
  using FilterType = itk::CudaRelabelComponentImageFilter<ImageType, itk::Image<unsigned char, 3>>;
  auto filter = FilterType::New();
  filter->SetInput(image);
  EXPECT_NE(ExceptionOf(*filter).find("Too many objects"), std::string::npos);
  ExpectSameImages(image.GetPointer(), copy.GetPointer());
}

TEST(CudaConnectedComponentsRelabelFilter, ThrowsTheSameExceptionAndWorksAfterwards)
{
  using InputType = itk::Image<unsigned long, 3>;
  using OutputType = itk::Image<unsigned char, 3>;
  std::vector<unsigned long> labels(301);
  std::iota(labels.begin(), labels.end(), 0UL);
  const auto image = MakeLabels<InputType>({ { 400, 300, 1 } }, labels, 9);
  const auto setUp = [&](auto & filter) { filter.SetInput(image); };
  const auto filter = ExpectSameAsItk<InputType, OutputType>(setUp);
  EXPECT_NE(ExceptionOf(*filter).find("Too many objects"), std::string::npos);
  EXPECT_EQ(filter->GetNumberOfObjects(), 300U);

  auto expected = itk::RelabelComponentImageFilter<InputType, OutputType>::New();
  expected->SetInput(image);
  expected->SetMinimumObjectSize(2000);
  expected->Update();
  filter->SetMinimumObjectSize(2000);
  EXPECT_EQ(ExceptionOf(*filter), "");
  ExpectSameResults(*filter, *expected);
  ExpectSameImages(filter->GetOutput(), expected->GetOutput());
}

TEST(CudaConnectedComponentsRelabelFilter, AcceptsExactlyTheMaximumOfObjects)
{
  using ImageType = itk::Image<unsigned short, 1>;
  for (const unsigned int objects : { 126U, 127U, 128U })
  {
    std::vector<unsigned short> labels(objects);
    auto                        image = ImageType::New();
    image->SetRegions(ImageType::SizeType{ { objects } });
    image->Allocate();
    std::iota(image->GetBufferPointer(), image->GetBufferPointer() + objects, static_cast<unsigned short>(300));
    const auto filter =
      ExpectSameAsItk<ImageType, itk::Image<signed char, 1>>([&](auto & each) { each.SetInput(image); });
    EXPECT_EQ(filter->GetOutput()->GetBufferPointer() == nullptr, objects == 128U);
  }
}

TEST(CudaConnectedComponentsRelabelFilter, WritesOnlyTheRequestedRegion)
{
  using ImageType = itk::Image<short, 3>;
  const auto image = MakeLabels<ImageType>({ { 60, 50, 40 } }, FewLabels<short>());
  for (const ImageType::RegionType & region : { ImageType::RegionType({ { 5, 7, 9 } }, { { 11, 13, 17 } }),
                                                ImageType::RegionType({ { -3, 7, 9 } }, { { 60, 30, 10 } }),
                                                ImageType::RegionType({ { -3, -3, 9 } }, { { 60, 50, 20 } }) })
  {
    for (const bool inPlace : { false, true })
    {
      const auto filter = ExpectSameAsItk<ImageType>([&](auto & each) {
        each.SetInput(image);
        each.SetInPlace(inPlace);
        each.UpdateOutputInformation();
        each.GetOutput()->SetRequestedRegion(region);
      });
      EXPECT_EQ(filter->GetOutput()->GetBufferedRegion(), region);
    }
  }
}

/** Makes labels in a buffer that is larger than the largest possible region. */
class LargerBufferSource : public itk::ImageSource<itk::Image<int, 3>>
{
public:
  ITK_DISALLOW_COPY_AND_MOVE(LargerBufferSource);

  using Self = LargerBufferSource;
  using Pointer = itk::SmartPointer<Self>;

  itkFactorylessNewMacro(Self);

  itk::Size<3> margin{ { 0, 0, 0 } };

protected:
  LargerBufferSource() = default;
  ~LargerBufferSource() override = default;

  void
  GenerateOutputInformation() override
  {
    this->GetOutput()->SetLargestPossibleRegion({ { { 10, 20, 30 } }, { { 50, 40, 30 } } });
  }

  void
  GenerateData() override
  {
    auto region = this->GetOutput()->GetLargestPossibleRegion();
    region.PadByRadius(margin);
    this->GetOutput()->SetBufferedRegion(region);
    this->GetOutput()->Allocate();
    std::vector<int> labels(1000);
    std::iota(labels.begin(), labels.end(), 0);
    FillWithRuns(*this->GetOutput(), labels, 60, Seed);
  }
};

TEST(CudaConnectedComponentsRelabelFilter, CountsOnlyTheRequestedRegionOfTheInput)
{
  using ImageType = itk::Image<int, 3>;
  for (const itk::Size<3> & margin : { itk::Size<3>{ { 4, 0, 0 } },
                                       itk::Size<3>{ { 0, 3, 0 } },
                                       itk::Size<3>{ { 0, 0, 2 } },
                                       itk::Size<3>{ { 2, 3, 4 } } })
  {
    std::vector<LargerBufferSource::Pointer> sources; // an image has no source any more if the source is destroyed
    const auto                               filter = ExpectSameAsItk<ImageType>([&](auto & each) {
      auto source = LargerBufferSource::New();
      source->margin = margin;
      sources.push_back(source);
      each.SetInput(source->GetOutput());
      each.InPlaceOn();
    });
    const auto &                             sizes = filter->GetSizeOfObjectsInPixels();
    EXPECT_LE(std::accumulate(sizes.begin(), sizes.end(), itk::SizeValueType{ 0 }), 50U * 40U * 30U);
    EXPECT_EQ(filter->GetOutput()->GetBufferedRegion().GetNumberOfPixels(), 50U * 40U * 30U);
  }
}

TEST(CudaConnectedComponentsRelabelFilter, HandlesMoreLabelsThanAPage)
{
  using ImageType = itk::Image<unsigned int, 3>;
  constexpr unsigned int count = 1100 * 1000;
  auto                   image = ImageType::New();
  image->SetRegions(ImageType::SizeType{ { 1100, 1000, 1 } });
  image->Allocate();
  // Each pixel is an object. The labels have gaps, and fall from pixel to pixel. Half of them are large labels.
  for (unsigned int i = 0; i < count; ++i)
  {
    image->GetBufferPointer()[i] = 2 * (count - i);
  }
  auto filter = itk::CudaRelabelComponentImageFilter<ImageType, ImageType>::New();
  filter->SetInput(image);
  filter->Update();
  EXPECT_EQ(filter->GetNumberOfObjects(), count);
  EXPECT_EQ(filter->GetSizeOfObjectsInPixels(), std::vector<itk::SizeValueType>(count, 1));
  for (unsigned int i = 0; i < count; ++i)
  {
    ASSERT_EQ(filter->GetOutput()->GetBufferPointer()[i], count - i);
  }
}

/** Makes a volume of which each plane has a label in its right half, and writes the expected output to `expected`. The
 * output has more than 32 MiB, so that the filter leaves untouched memory to the background. */
itk::Image<unsigned int, 3>::Pointer
MakeLargeVolume(std::vector<unsigned int> & expected)
{
  constexpr unsigned int planes = 40;
  auto                   image = itk::Image<unsigned int, 3>::New();
  image->SetRegions(itk::Image<unsigned int, 3>::SizeType{ { 512, 512, planes } });
  image->Allocate(true);
  expected.assign(image->GetBufferedRegion().GetNumberOfPixels(), 0);
  for (std::size_t row = 0; row < 512 * planes; ++row)
  {
    const auto plane = static_cast<unsigned int>(row / 512);
    std::fill_n(image->GetBufferPointer() + row * 512 + 256, 256, 7 * (planes - plane));
    std::fill_n(expected.begin() + static_cast<std::ptrdiff_t>(row * 512 + 256), 256, planes - plane);
  }
  return image;
}

TEST(CudaConnectedComponentsRelabelFilter, ClearsLargeOutputs)
{
  using ImageType = itk::Image<unsigned int, 3>;
  std::vector<unsigned int> expected;
  const auto                image = MakeLargeVolume(expected);
  auto                      filter = itk::CudaRelabelComponentImageFilter<ImageType, ImageType>::New();
  filter->SetInput(image);
  const auto isEqual = [&] {
    return std::equal(expected.begin(), expected.end(), filter->GetOutput()->GetBufferPointer());
  };
  filter->Update();
  EXPECT_TRUE(isEqual());

  // The filter writes to the memory of the last output, which is not fresh.
  filter->ReleaseDataBeforeUpdateFlagOff();
  const unsigned int * const buffer = filter->GetOutput()->GetBufferPointer();
  filter->SetMinimumObjectSize(1000000);
  filter->Update();
  EXPECT_EQ(filter->GetOutput()->GetBufferPointer(), buffer);
  std::fill(expected.begin(), expected.end(), 0U);
  EXPECT_TRUE(isEqual());
  EXPECT_EQ(filter->GetOriginalNumberOfObjects(), 40U);
  EXPECT_EQ(filter->GetNumberOfObjects(), 0U);
}

/** Aborts a filter at its n-th progress event. */
template <typename TFilter>
unsigned long
AbortAtEvent(TFilter & filter, int n)
{
  auto command = itk::FunctionCommand::New();
  auto count = std::make_shared<int>(0);
  command->SetCallback([&filter, n, count](const itk::EventObject &) {
    if (++*count == n)
    {
      filter.AbortGenerateDataOn();
    }
  });
  return filter.AddObserver(itk::ProgressEvent(), command);
}

TEST(CudaConnectedComponentsRelabelFilter, CanBeAborted)
{
  using ImageType = itk::Image<short, 3>;
  const auto image = MakeLabels<ImageType>({ { 60, 50, 40 } }, FewLabels<short>());
  auto       expected = itk::RelabelComponentImageFilter<ImageType, ImageType>::New();
  expected->SetInput(image);
  expected->Update();
  auto aborted = itk::RelabelComponentImageFilter<ImageType, ImageType>::New();
  aborted->SetInput(image);
  AbortAtEvent(*aborted, 1);
  const std::string expectedException = ExceptionOf(*aborted);
  EXPECT_EQ(expectedException, "ProcessAborted: Object RelabelComponentImageFilter: AbortGenerateDataOn");
  for (const int event : { 1, 2, 3 })
  {
    auto filter = itk::CudaRelabelComponentImageFilter<ImageType, ImageType>::New();
    filter->SetInput(image);
    const unsigned long observer = AbortAtEvent(*filter, event);
    // At the last event, the labels are written already.
    EXPECT_EQ(Comparable(ExceptionOf(*filter)), event == 3 ? "" : expectedException) << "event " << event;
    filter->AbortGenerateDataOff();
    filter->RemoveObserver(observer);
    EXPECT_EQ(ExceptionOf(*filter), "");
    ExpectSameResults(*filter, *expected);
    ExpectSameImages(filter->GetOutput(), expected->GetOutput());
  }
}

TEST(CudaConnectedComponentsRelabelFilter, HandlesRegionsWithoutPixels)
{
  using ImageType = itk::Image<short, 3>;
  for (const ImageType::SizeType & size : { ImageType::SizeType{ { 0, 0, 0 } }, ImageType::SizeType{ { 5, 0, 4 } } })
  {
    auto image = ImageType::New();
    image->SetRegions(size);
    image->Allocate();
    auto filter = itk::CudaRelabelComponentImageFilter<ImageType, ImageType>::New();
    filter->SetInput(image);
    EXPECT_EQ(ExceptionOf(*filter), "");
    EXPECT_EQ(filter->GetNumberOfObjects(), 0U);
    EXPECT_TRUE(filter->GetSizeOfObjectsInPixels().empty());
    EXPECT_EQ(filter->GetOutput()->GetBufferedRegion().GetSize(), size);
  }
}

TEST(CudaConnectedComponentsRelabelFilter, PrintsALineIfVerbose)
{
  using ImageType = itk::Image<unsigned long, 3>;
  auto filter = itk::CudaRelabelComponentImageFilter<ImageType, itk::Image<unsigned char, 3>>::New();
  filter->SetInput(MakeLabels<ImageType>({ { 6, 5, 4 } }, { 0, 3 }));
  setenv("ITK_CUDA_CONNECTED_COMPONENTS_VERBOSE", "1", 1);
  testing::internal::CaptureStderr();
  filter->Update();
  const std::string line = testing::internal::GetCapturedStderr();
  unsetenv("ITK_CUDA_CONNECTED_COMPONENTS_VERBOSE");
  EXPECT_TRUE(Matches(line,
                      "CudaConnectedComponents: CudaRelabelComponentImageFilter, 6 x 5 x 4 pixels, "
                      "unsigned long to unsigned char, cpu, [0-9]+\\.[0-9] ms\n"))
    << line;
}

} // namespace
