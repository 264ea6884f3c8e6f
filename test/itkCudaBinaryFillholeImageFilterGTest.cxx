// SPDX-License-Identifier: Apache-2.0

// Tests of the filter that fills the holes of a mask, against ITK's filter and a flood fill.

#include "MaskFilterTestSupport.h"
#include "TestTypes.h"

#include "itkCudaBinaryFillholeImageFilter.h"

#include <algorithm>

namespace fillhole_test
{

constexpr unsigned int Seed = 20270412;

/** Returns the output of ITK's filter. */
template <typename TImage>
typename TImage::Pointer
FillByItk(TImage * image, typename TImage::PixelType foreground, bool fullyConnected)
{
  auto filter = itk::BinaryFillholeImageFilter<TImage>::New();
  EXPECT_STREQ(filter->GetNameOfClass(), "BinaryFillholeImageFilter");
  filter->SetInput(image);
  filter->SetForegroundValue(foreground);
  filter->SetFullyConnected(fullyConnected);
  filter->Update();
  return filter->GetOutput();
}

/** Returns the expected output by flood fill. Stores the number of holes, unless `holeCount` is null. */
template <typename TImage>
typename TImage::Pointer
FillByFlood(const TImage &             image,
            typename TImage::PixelType foreground,
            bool                       fullyConnected,
            std::size_t *              holeCount = nullptr)
{
  auto        output = CopyOf(image);
  std::size_t count = 0;
  for (const auto & component :
       Flood(image, fullyConnected, [&](typename TImage::PixelType pixel) { return !(pixel == foreground); }))
  {
    if (!component.touchesBorder)
    {
      ++count;
      for (const auto & index : component.pixels)
      {
        output->SetPixel(index, foreground);
      }
    }
  }
  if (holeCount != nullptr)
  {
    *holeCount = count;
  }
  return output;
}

/** Makes our filter. */
template <typename TImage>
typename itk::CudaBinaryFillholeImageFilter<TImage>::Pointer
MakeFilter(TImage * image, typename TImage::PixelType foreground, bool fullyConnected)
{
  auto filter = itk::CudaBinaryFillholeImageFilter<TImage>::New();
  filter->SetInput(image);
  filter->SetForegroundValue(foreground);
  filter->SetFullyConnected(fullyConnected);
  return filter;
}

/** Compares with ITK's filter, for both connectivities. Returns the number of filled pixels, of both together. */
template <typename TImage>
std::size_t
ExpectSameAsItk(TImage * image, typename TImage::PixelType foreground)
{
  std::size_t filled = 0;
  for (const bool fullyConnected : { false, true })
  {
    SCOPED_TRACE(testing::Message() << "seed " << Seed << ", foreground " << +foreground << ", fully connected "
                                    << fullyConnected);
    const auto expected = FillByItk(image, foreground, fullyConnected);
    ExpectOutput(*MakeFilter(image, foreground, fullyConnected), expected.GetPointer());
    const auto foregroundCount = [foreground](const TImage & each) {
      const auto * const begin = each.GetBufferPointer();
      return std::count(begin, begin + each.GetBufferedRegion().GetNumberOfPixels(), foreground);
    };
    filled += static_cast<std::size_t>(foregroundCount(*expected) - foregroundCount(*image));
  }
  return filled;
}

/** Compares with a flood fill, for both connectivities. Returns the numbers of holes, of both together. */
template <typename TImage>
std::size_t
ExpectSameAsFlood(TImage * image, typename TImage::PixelType foreground)
{
  std::size_t holes = 0;
  for (const bool fullyConnected : { false, true })
  {
    SCOPED_TRACE(testing::Message() << "seed " << Seed << ", fully connected " << fullyConnected);
    std::size_t count = 0;
    const auto  expected = FillByFlood(*image, foreground, fullyConnected, &count);
    ExpectOutput(*MakeFilter(image, foreground, fullyConnected), expected.GetPointer());
    holes += count;
  }
  return holes;
}

template <typename TImage>
class CudaConnectedComponentsFillholeImages : public testing::Test
{};

// A type of each width, with and without a sign. KeepNObjectsPixels has all types of pixels.
using ImageTypes = TestTypes<itk::Image<unsigned char, 3>,
                             itk::Image<short, 3>,
                             itk::Image<float, 2>,
                             itk::Image<unsigned char, 2>,
                             itk::Image<int, 2>,
                             itk::Image<std::uint64_t, 3>,
                             itk::Image<double, 2>>;
TYPED_TEST_SUITE(CudaConnectedComponentsFillholeImages, ImageTypes, );

TYPED_TEST(CudaConnectedComponentsFillholeImages, MatchItk)
{
  using PixelType = typename TypeParam::PixelType;
  using Limits = std::numeric_limits<PixelType>;
  for (const PixelType foreground : { Limits::max(), Limits::lowest(), PixelType{ 1 }, PixelType{ 0 } })
  {
    std::vector<PixelType> values(12, foreground);
    values.insert(values.end(), { 1, 2, 100, Limits::max(), Limits::lowest() });
    if (Limits::has_quiet_NaN)
    {
      values.insert(values.end(), { Limits::quiet_NaN(), static_cast<PixelType>(-0.0), Limits::infinity() });
    }
    values.resize(24, 0);
    typename TypeParam::SizeType size;
    size.Fill(TypeParam::ImageDimension == 2 ? 16 : 6);
    size[0] = 70;
    EXPECT_GT(ExpectSameAsItk(MakeValues<TypeParam>(size, values, Seed).GetPointer(), foreground), 0U);
    if (this->HasFailure())
    {
      return;
    }
  }
}

TEST(CudaConnectedComponentsFillhole, BoolPixelsMatchItk)
{
  using ImageType = itk::Image<bool, 2>;
  const auto image = MakeValues<ImageType>({ { 70, 21 } }, { false, true, true }, Seed + 2);
  ExpectSameAsItk(image.GetPointer(), true);
  ExpectSameAsItk(image.GetPointer(), false);
}

TEST(CudaConnectedComponentsFillhole, ZerosOfBothSignsMatchItk)
{
  using ImageType = itk::Image<float, 2>;
  const auto image = MakeValues<ImageType>({ { 70, 21 } }, { 0.0F, -0.0F, 0.0F, 1.0F, 2.0F }, Seed + 3);
  for (const float foreground : { 0.0F, -0.0F, 1.0F })
  {
    ExpectSameAsItk(image.GetPointer(), foreground);
  }
}

TEST(CudaConnectedComponentsFillhole, ItkDoesNanAsForeground)
{
  using ImageType = itk::Image<double, 2>;
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const ImageType::SizeType size : { ImageType::SizeType{ { 70, 21 } }, { { 2, 21 } } })
  {
    const auto image = MakeValues<ImageType>(size, { 0.0, nan, 1.0 }, Seed + 4);
    const auto filter = MakeFilter<ImageType>(image, nan, false);
    ASSERT_EQ(ExceptionOf(*filter), "");
    EXPECT_EQ(filter->GetBackendUsed(), BackendEnum::ITK);
    ExpectSameBytes<ImageType>(filter->GetOutput(), FillByItk<ImageType>(image, nan, false));
  }
}

TEST(CudaConnectedComponentsFillhole, NoiseMatchesFloodFill)
{
  using PlaneType = itk::Image<unsigned char, 2>;
  using VolumeType = itk::Image<short, 3>;
  std::size_t holes = 0;
  for (unsigned int seed = Seed + 5; seed < Seed + 10; ++seed)
  {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    const auto plane = MakeValues<PlaneType>({ { 97, 40 } }, { 0, 200, 200, 3 }, seed);
    holes += ExpectSameAsFlood(plane.GetPointer(), 200);
    const auto volume = MakeValues<VolumeType>({ { 33, 14, 9 } }, { 0, -7, -7, -7, -7, -7, 5 }, seed);
    holes += ExpectSameAsFlood(volume.GetPointer(), -7);
  }
  EXPECT_GT(holes, 1000U);
}

TEST(CudaConnectedComponentsFillhole, ShapesMatchFloodFill)
{
  using ImageType = itk::Image<unsigned char, 3>;
  using PlaneType = itk::Image<unsigned char, 2>;
  std::size_t holes = 0;
  for (const TestImage & shape : MakeShapes())
  {
    if (shape.pixels.empty() || shape.pixels.size() > 20000)
    {
      continue;
    }
    SCOPED_TRACE(shape.name);
    holes += ExpectSameAsFlood(MakeItkImage<ImageType>(shape).GetPointer(), 1);
    if (shape.size[2] == 1)
    {
      holes += ExpectSameAsFlood(MakeItkImage<PlaneType>(shape).GetPointer(), 1);
    }
    if (HasFailure())
    {
      return;
    }
  }
  EXPECT_GT(holes, 10U);
}

/** Makes a plane from rows of text. '#' is foreground. */
itk::Image<unsigned char, 2>::Pointer
MakePlane(const std::vector<std::string> & rows)
{
  TestImage image = MakeImage("text", { rows[0].size(), rows.size(), 1 });
  for (std::size_t y = 0; y < rows.size(); ++y)
  {
    for (std::size_t x = 0; x < rows[y].size(); ++x)
    {
      image.pixels[image.IndexOf(x, y)] = rows[y][x] == '#';
    }
  }
  return MakeItkImage<itk::Image<unsigned char, 2>>(image);
}

TEST(CudaConnectedComponentsFillhole, FullyConnectedIsTheConnectivityOfTheBackground)
{
  using ImageType = itk::Image<unsigned char, 2>;
  // The hole touches the outside by a corner only.
  const auto image = MakePlane({ ".......", "..###..", "..#.#..", "..##...", "......." });
  const auto filled = MakePlane({ ".......", "..###..", "..###..", "..##...", "......." });
  ExpectOutput(*MakeFilter<ImageType>(image, 1, false), filled.GetPointer());
  ExpectOutput(*MakeFilter<ImageType>(image, 1, true), image.GetPointer());
  ExpectSameAsItk(image.GetPointer(), 1);
  // The hole touches a pixel at the border of the image by a corner only.
  const auto atBorder = MakePlane({ ".##.", "#.#.", "###.", "...." });
  const auto filledAtBorder = MakePlane({ ".##.", "###.", "###.", "...." });
  ExpectOutput(*MakeFilter<ImageType>(atBorder, 1, false), filledAtBorder.GetPointer());
  ExpectOutput(*MakeFilter<ImageType>(atBorder, 1, true), atBorder.GetPointer());
  ExpectSameAsItk(atBorder.GetPointer(), 1);
}

TEST(CudaConnectedComponentsFillhole, OnlyForegroundSurroundsAHole)
{
  using ImageType = itk::Image<unsigned char, 2>;
  const auto image = MakePlane({ ".....", ".###.", ".#.#.", ".###.", "....." });
  // A part of the ring has another value. So it is background, and part of no hole.
  image->SetPixel(ImageType::IndexType{ { 2, 1 } }, 2);
  ExpectOutput(*MakeFilter<ImageType>(image, 1, false), image.GetPointer());
  // A pixel with another value in a hole is filled.
  const auto hole = MakePlane({ ".....", ".###.", ".#.#.", ".###.", "....." });
  hole->SetPixel(ImageType::IndexType{ { 2, 2 } }, 2);
  ExpectOutput(*MakeFilter<ImageType>(hole, 1, false),
               MakePlane({ ".....", ".###.", ".###.", ".###.", "....." }).GetPointer());
}

TEST(CudaConnectedComponentsFillhole, ThinImagesHaveNoHoles)
{
  using ImageType = itk::Image<unsigned char, 3>;
  const std::vector<ImageType::SizeType> sizes{ { { 1, 1, 1 } },  { { 1, 90, 1 } }, { { 1, 1, 90 } }, { { 90, 1, 1 } },
                                                { { 1, 40, 9 } }, { { 40, 1, 9 } }, { { 40, 9, 1 } }, { { 2, 40, 9 } },
                                                { { 40, 2, 9 } }, { { 40, 9, 2 } } };
  for (const auto & size : sizes)
  {
    SCOPED_TRACE(size);
    const auto image = MakeValues<ImageType>(size, { 0, 255, 255, 255, 7 }, Seed + 11);
    ExpectSameAsItk(image.GetPointer(), 255);
    ExpectOutput(*MakeFilter<ImageType>(image, 255, false), image.GetPointer());
    // Nobody needs a GPU for this.
    const auto filter = MakeFilter<ImageType>(image, 255, false);
    filter->SetDeviceId(1000);
    filter->CPUFallbackOff();
    EXPECT_EQ(ExceptionOf(*filter), "");
    EXPECT_EQ(filter->GetBackendUsed(), BackendEnum::CPU);
    EXPECT_EQ(filter->GetFallbackReason(), "");
    ExpectProgressWithoutLabels(*filter);
  }
  for (const ImageType::SizeType size : { ImageType::SizeType{ { 3, 40, 9 } }, { { 40, 3, 9 } }, { { 40, 9, 3 } } })
  {
    const auto image = MakeValues<ImageType>(size, { 0, 255, 255, 255, 255, 255, 7 }, Seed + 12);
    ExpectSameAsItk(image.GetPointer(), 255);
    EXPECT_GT(ExpectSameAsFlood(image.GetPointer(), 255), 0U);
  }
}

TEST(CudaConnectedComponentsFillhole, UniformImagesStay)
{
  using ImageType = itk::Image<unsigned char, 3>;
  for (const unsigned char value : { 0, 1, 255 })
  {
    const auto image = MakeValues<ImageType>({ { 40, 9, 5 } }, { value }, Seed);
    ExpectSameAsItk(image.GetPointer(), 255);
    ExpectOutput(*MakeFilter<ImageType>(image, 255, true), image.GetPointer());
  }
}

TEST(CudaConnectedComponentsFillhole, LargeImagesMatchItk)
{
  using ImageType = itk::Image<std::uint64_t, 3>;
  for (const std::uint64_t foreground : { std::uint64_t{ 0 }, std::uint64_t{ 1 }, std::uint64_t{ 255 } })
  {
    SCOPED_TRACE(testing::Message() << "foreground " << foreground);
    const auto image = MakeLargeImage<ImageType>(1);
    const auto filter = MakeFilter<ImageType>(image, foreground, false);
    filter->Update();
    ExpectSameBytes<ImageType>(filter->GetOutput(), FillByItk<ImageType>(image, foreground, false));
  }
}

TEST(CudaConnectedComponentsFillhole, EmptyImageGivesEmptyImage)
{
  const auto check = [](auto * image) {
    using ImageType = std::remove_pointer_t<decltype(image)>;
    image->SetRegions(typename ImageType::SizeType{ { 0, 3 } });
    image->Allocate();
    const auto filter = MakeFilter<ImageType>(image, 1, false);
    filter->CPUFallbackOff();
    EXPECT_EQ(ExceptionOf(*filter), "");
    EXPECT_EQ(filter->GetOutput()->GetBufferedRegion().GetNumberOfPixels(), 0U);
    EXPECT_EQ(filter->GetBackendUsed(), BackendEnum::CPU);
    EXPECT_EQ(filter->GetFallbackReason(), "");
    ExpectProgressWithoutLabels(*filter);
  };
  check(itk::Image<unsigned char, 2>::New().GetPointer());
  check(itk::Image<long double, 2>::New().GetPointer());
  check(itk::Image<unsigned char, 4>::New().GetPointer());
}

TEST(CudaConnectedComponentsFillhole, DefaultsAreThoseOfItk)
{
  using ImageType = itk::Image<short, 3>;
  const auto filter = itk::CudaBinaryFillholeImageFilter<ImageType>::New();
  EXPECT_EQ(filter->GetForegroundValue(), 32767);
  EXPECT_FALSE(filter->GetFullyConnected());
  const auto image = MakeValues<ImageType>({ { 30, 20, 10 } }, { 32767, 32767, 32767, 0, 3 }, Seed + 13);
  filter->SetInput(image);
  ExpectOutput(*filter, FillByItk<ImageType>(image, 32767, false).GetPointer());
}

TEST(CudaConnectedComponentsFillhole, ItkDoesOtherImages)
{
  const auto check = [](auto * image, const std::string & reason) {
    using ImageType = std::remove_pointer_t<decltype(image)>;
    std::size_t holesOfBoth = 0;
    for (const bool fullyConnected : { false, true })
    {
      const auto  filter = MakeFilter<ImageType>(image, 1, fullyConnected);
      std::size_t holes = 0;
      EXPECT_EQ(ExceptionOf(*filter), "");
      EXPECT_EQ(filter->GetBackendUsed(), BackendEnum::ITK);
      EXPECT_EQ(filter->GetFallbackReason(), reason);
      ExpectSameImages<ImageType>(filter->GetOutput(), FillByFlood<ImageType>(*image, 1, fullyConnected, &holes));
      holesOfBoth += holes;
      filter->CPUFallbackOff();
      filter->Modified();
      EXPECT_NE(ExceptionOf(*filter).find(reason), std::string::npos);
    }
    EXPECT_GT(holesOfBoth, 0U);
  };
  check(MakeValues<itk::Image<unsigned char, 4>>({ { 9, 8, 7, 6 } }, { 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 3 }, Seed + 14)
          .GetPointer(),
        "dimension 4 is not supported on the GPU");
  if (sizeof(long double) > 8)
  {
    check(MakeValues<itk::Image<long double, 2>>({ { 40, 31 } }, { 0, 1, 1, 1, 3 }, Seed + 15).GetPointer(),
          "the type of the image is not supported on the GPU");
  }
}

const auto SetSettings = [](auto & filter) { filter.SetForegroundValue(1); };

TEST(CudaConnectedComponentsFillhole, NeedsTheWholeInput)
{
  ExpectRegions<itk::CudaBinaryFillholeImageFilter<itk::Image<unsigned char, 3>>>(SetSettings);
}

TEST(CudaConnectedComponentsFillhole, SaysWhichBackend)
{
  ExpectBackendRules<itk::CudaBinaryFillholeImageFilter>(SetSettings);
}

TEST(CudaConnectedComponentsFillhole, SameOnTheGpu)
{
  SKIP_WITHOUT_DEVICE();
  ExpectSameOnDevice<itk::CudaBinaryFillholeImageFilter<itk::Image<unsigned char, 3>>>(SetSettings);
}

TEST(CudaConnectedComponentsFillhole, RecoversFromExceptions)
{
  ExpectRecoveries<itk::CudaBinaryFillholeImageFilter<itk::Image<unsigned char, 3>>>(SetSettings);
}

TEST(CudaConnectedComponentsFillhole, PrintsSettings)
{
  const auto filter = itk::CudaBinaryFillholeImageFilter<itk::Image<unsigned char, 3>>::New();
  SetSettings(*filter);
  EXPECT_STREQ(filter->GetNameOfClass(), "CudaBinaryFillholeImageFilter");
  std::ostringstream text;
  filter->Print(text);
  std::ostringstream itksText;
  itk::BinaryFillholeImageFilter<itk::Image<unsigned char, 3>>::New()->Print(itksText);
  const std::size_t begin = itksText.str().find("FullyConnected: ");
  ASSERT_NE(begin, std::string::npos);
  const std::string fullyConnected = itksText.str().substr(begin, itksText.str().find('\n', begin) - begin);
  for (const char * const line : { "ForegroundValue: 1",
                                   fullyConnected.c_str(),
                                   "GPUEnabled: On",
                                   "CPUFallback: On",
                                   "LazyGPUStart: Off",
                                   "DeviceId: -1",
                                   "BackendUsed: itk::CudaConnectedComponentsEnums::Backend::Unknown",
                                   "FallbackReason: " })
  {
    EXPECT_NE(text.str().find(line), std::string::npos) << line;
  }
}

} // namespace fillhole_test
