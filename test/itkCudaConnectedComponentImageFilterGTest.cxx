// SPDX-License-Identifier: Apache-2.0

// Compares the filter with itk::ConnectedComponentImageFilter: pixels, object counts, exceptions and properties of the
// output image. With a GPU, the tests cover the GPU and the CPU; without one, the fallback.

#include "FilterTestSupport.h"

#include "itkAbsImageAdaptor.h"
#include "itkVectorImage.h"

namespace filter_test
{

using MaskType = itk::Image<unsigned char, 3>;
using PlaneType = itk::Image<unsigned char, 2>;
using LabelsType = itk::Image<unsigned short, 3>;
using FilterType = itk::CudaConnectedComponentImageFilter<MaskType, LabelsType>;

TestImage
Volume()
{
  return MakeRandom({ 37, 21, 11 }, 20, 1, 101);
}

TEST(CudaConnectedComponentsFilter, NotANumberIsForegroundAndNegativeZeroIsNot)
{
  using ImageType = itk::Image<float, 2>;
  auto image = ImageType::New();
  image->SetRegions(ImageType::SizeType{ { 9, 1 } });
  image->Allocate(true);
  float * const pixels = image->GetBufferPointer();
  pixels[0] = std::numeric_limits<float>::quiet_NaN();
  pixels[2] = -0.0F;
  pixels[4] = std::numeric_limits<float>::denorm_min();
  pixels[6] = -std::numeric_limits<float>::infinity();
  pixels[7] = -1.0F;
  const auto filter =
    ExpectSameAsItk<ImageType, itk::Image<int, 2>>([&](auto * each) { each->SetInput(image.GetPointer()); });
  EXPECT_EQ(filter->GetObjectCount(), 3U);
}

TEST(CudaConnectedComponentsFilter, ImagesOfManySizes)
{
  unsigned int seed = 201;
  for (const std::array<std::uint64_t, 3> & size : { std::array<std::uint64_t, 3>{ 1, 1, 1 },
                                                     { 2, 1, 1 },
                                                     { 1, 3, 1 },
                                                     { 33, 1, 1 },
                                                     { 64, 3, 1 },
                                                     { 129, 65, 1 } })
  {
    const auto image = MakeItkImage<PlaneType>(MakeRandom(size, 40, 1, seed++));
    ExpectSameAsItk<PlaneType, itk::Image<unsigned int, 2>>([&](auto * filter) { filter->SetInput(image); });
  }
  for (const std::array<std::uint64_t, 3> & size :
       { std::array<std::uint64_t, 3>{ 1, 1, 1 }, { 1, 1, 5 }, { 1, 7, 3 }, { 5, 1, 5 }, { 32, 2, 2 }, { 65, 33, 17 } })
  {
    const auto image = MakeItkImage<MaskType>(MakeRandom(size, 30, 1, seed++));
    ExpectSameAsItk<MaskType, itk::Image<unsigned int, 3>>([&](auto * filter) { filter->SetInput(image); });
  }
}

TEST(CudaConnectedComponentsFilter, EveryAlgorithm)
{
  const auto image = MakeItkImage<MaskType>(Volume());
  for (const auto & row : itk::CudaConnectedComponentAlgorithms::GetAll())
  {
    const AlgorithmEnum algorithm = row.algorithm;
    if (algorithm == AlgorithmEnum::Automatic)
    {
      continue; // leaves an image of this size to the CPU
    }
    for (const bool inlineCompression : { false, true })
    {
      auto oracle = MakeOracle<MaskType, LabelsType>();
      auto filter = FilterType::New();
      filter->SetAlgorithm(algorithm);
      filter->SetInlineCompression(inlineCompression);
      oracle->SetInput(image);
      filter->SetInput(image);
      oracle->FullyConnectedOn();
      filter->FullyConnectedOn();
      oracle->Update();
      filter->Update();
      ExpectSameImages(filter->GetOutput(), oracle->GetOutput());
      EXPECT_EQ(filter->GetBackendUsed(), ExpectedBackend());
    }
  }
}

// ITK's own test of its filter has the same cases.
TEST(CudaConnectedComponentsFilter, CheckerboardOfEightPixels)
{
  const auto image = MakeItkImage<MaskType>(MakeCheckerboard({ 2, 2, 2 }));
  const auto filter = FilterType::New();
  filter->SetInput(image);
  filter->Update();
  EXPECT_EQ(filter->GetObjectCount(), 4U);
  filter->FullyConnectedOn();
  filter->Update();
  EXPECT_EQ(filter->GetObjectCount(), 1U);
}

TEST(CudaConnectedComponentsFilter, TooManyObjects)
{
  using ImageType = itk::Image<signed char, 2>;
  using BytesFilterType = itk::CudaConnectedComponentImageFilter<PlaneType, ImageType>;
  auto filter = BytesFilterType::New();
  for (const signed char background : { 0, -1 })
  {
    filter->SetBackgroundValue(background);
    // With a background of -1, 128 labels (0 to 127) would fit. ITK compares the number of objects with the maximum.
    filter->SetInput(MakeItkImage<PlaneType>(MakeCheckerboard({ 256, 1, 1 })));
    const std::string exception = ExceptionOf(*filter);
    EXPECT_NE(exception.find("Number of objects (128) greater than maximum of output pixel type (127)."),
              std::string::npos)
      << exception;
    EXPECT_EQ(filter->GetBackendUsed(), BackendEnum::Unknown);
    EXPECT_EQ(filter->GetObjectCount(), 0U);
    // The next updates have the same input, and an input with fewer objects.
    EXPECT_EQ(ExceptionOf(*filter).substr(0, 40), exception.substr(0, 40));
    filter->SetInput(MakeItkImage<PlaneType>(MakeCheckerboard({ 254, 1, 1 })));
    EXPECT_EQ(ExceptionOf(*filter), "");
    EXPECT_EQ(filter->GetObjectCount(), 127U);
  }
  const auto many = MakeItkImage<PlaneType>(MakeCheckerboard({ 256, 1, 1 }));
  ExpectSameAsItk<PlaneType, ImageType>([&](auto * each) { each->SetInput(many); });
}

TEST(CudaConnectedComponentsFilter, LargerOrShiftedMask)
{
  const auto image = MakeItkImage<MaskType>(Volume());
  for (const itk::IndexValueType shift : { 0, -3 })
  {
    const auto mask = MakeItkImage<MaskType>(MakeRandom({ 45, 30, 19 }, 60, 2, 104));
    auto       region = mask->GetLargestPossibleRegion();
    region.SetIndex({ { shift, shift, shift } });
    mask->SetRegions(region);
    const auto filter = ExpectSameAsItk<MaskType, LabelsType>([&](auto * each) {
      each->SetInput(image);
      each->SetMaskImage(mask);
    });
    EXPECT_GT(filter->GetObjectCount(), 10U);
  }
}

TEST(CudaConnectedComponentsFilter, MaskOfWideRows)
{
  const auto image = MakeItkImage<MaskType>(MakeRandom({ 5003, 5, 3 }, 40, 1, 117));
  const auto mask = MakeItkImage<MaskType>(MakeRandom({ 5003, 5, 3 }, 60, 3, 118));
  ExpectSameAsItk<MaskType, LabelsType>([&](auto * each) {
    each->SetInput(image);
    each->SetMaskImage(mask);
  });
}

TEST(CudaConnectedComponentsFilter, MaskOfAnotherType)
{
  using FloatType = itk::Image<float, 3>;
  const auto image = MakeItkImage<MaskType>(Volume());
  const auto mask =
    MakeItkImage<FloatType>(MakeRandom({ 37, 21, 11 }, 60, 2, 105), std::numeric_limits<float>::quiet_NaN());
  ExpectSameAsItk<MaskType, LabelsType, FloatType>([&](auto * each) {
    each->SetInput(image);
    each->SetMaskImage(mask);
  });
}

TEST(CudaConnectedComponentsFilter, SmallerMaskThrowsLikeItk)
{
  const auto image = MakeItkImage<MaskType>(Volume());
  const auto mask = MakeItkImage<MaskType>(MakeRandom({ 36, 21, 11 }, 60, 2, 106));
  const auto filter = ExpectSameAsItk<MaskType, LabelsType>([&](auto * each) {
    each->SetInput(image);
    each->SetMaskImage(mask);
  });
  EXPECT_THROW(filter->Update(), itk::InvalidRequestedRegionError);
  EXPECT_EQ(filter->GetBackendUsed(), BackendEnum::Unknown);
}

TEST(CudaConnectedComponentsFilter, MaskWithAnotherOriginThrowsLikeItk)
{
  const auto   image = MakeItkImage<MaskType>(Volume());
  const auto   mask = MakeItkImage<MaskType>(Volume());
  const double origin[] = { 0.5, 0.0, 0.0 };
  mask->SetOrigin(origin);
  auto filter = ExpectSameAsItk<MaskType, LabelsType>([&](auto * each) {
    each->SetInput(image);
    each->SetMaskImage(mask);
  });
  EXPECT_NE(ExceptionOf(*filter), "");
  // The tolerance of this filter has no effect, because ITK's internal mask filter has its own tolerance.
  filter = ExpectSameAsItk<MaskType, LabelsType>([&](auto * each) {
    each->SetInput(image);
    each->SetMaskImage(mask);
    each->SetCoordinateTolerance(10.0);
  });
  EXPECT_NE(ExceptionOf(*filter), "");
}

TEST(CudaConnectedComponentsFilter, RegionWithAnotherIndex)
{
  const auto image = MakeItkImage<MaskType>(Volume());
  auto       region = image->GetLargestPossibleRegion();
  region.SetIndex({ { -7, 1000, 3 } });
  image->SetRegions(region);
  ExpectSameAsItk<MaskType, LabelsType>([&](auto * filter) { filter->SetInput(image); });
}

/** A source whose output has a buffered region that is larger than its largest possible region. */
class GenerousSource : public itk::ImageSource<MaskType>
{
public:
  using Self = GenerousSource;
  using Pointer = itk::SmartPointer<Self>;
  itkNewMacro(Self);

  MaskType::Pointer    image;
  MaskType::RegionType offered;

protected:
  void
  GenerateOutputInformation() override
  {
    this->GetOutput()->SetLargestPossibleRegion(offered);
  }

  void
  GenerateData() override
  {
    this->GetOutput()->SetBufferedRegion(image->GetBufferedRegion());
    this->GetOutput()->SetPixelContainer(image->GetPixelContainer());
  }
};

TEST(CudaConnectedComponentsFilter, BufferedRegionLargerThanTheImage)
{
  auto source = GenerousSource::New();
  source->image = MakeItkImage<MaskType>(Volume());
  source->offered = MaskType::RegionType({ { 3, 4, 2 } }, { { 30, 15, 7 } });
  const auto filter = ExpectSameAsItk<MaskType, LabelsType>([&](auto * each) { each->SetInput(source->GetOutput()); });
  EXPECT_EQ(source->GetOutput()->GetBufferedRegion().GetNumberOfPixels(), 37U * 21U * 11U);
  EXPECT_EQ(filter->GetOutput()->GetBufferedRegion().GetNumberOfPixels(), 30U * 15U * 7U);

  const auto mask = MakeItkImage<MaskType>(MakeRandom({ 37, 21, 11 }, 60, 2, 107));
  ExpectSameAsItk<MaskType, LabelsType>([&](auto * each) {
    each->SetInput(source->GetOutput());
    each->SetMaskImage(mask);
  });
}

TEST(CudaConnectedComponentsFilter, ObliqueDirectionPassesThrough)
{
  const auto              image = MakeItkImage<MaskType>(Volume());
  MaskType::DirectionType direction;
  direction.SetIdentity();
  direction[0][0] = direction[1][1] = std::cos(0.3);
  direction[0][1] = -std::sin(0.3);
  direction[1][0] = std::sin(0.3);
  image->SetDirection(direction);
  const double origin[] = { -1.5, 20.0, 3.25 };
  image->SetOrigin(origin);
  const double spacing[] = { 0.5, 0.75, 2.5 };
  image->SetSpacing(spacing);
  const auto filter = ExpectSameAsItk<MaskType, LabelsType>([&](auto * each) { each->SetInput(image); });
  EXPECT_EQ(filter->GetOutput()->GetDirection(), direction);
}

TEST(CudaConnectedComponentsFilter, VectorImage)
{
  using ImageType = itk::VectorImage<float, 3>;
  const TestImage volume = Volume();
  auto            image = ImageType::New();
  image->SetRegions(ImageType::SizeType{ { 37, 21, 11 } });
  image->SetVectorLength(2);
  image->Allocate();
  for (std::size_t i = 0; i < volume.pixels.size(); ++i)
  {
    // A pixel is foreground if one component is not 0.
    image->GetBufferPointer()[2 * i] = 0.0F;
    image->GetBufferPointer()[2 * i + 1] = volume.pixels[i];
  }
  const auto filter =
    ExpectSameAsItk<ImageType, LabelsType, MaskType>([&](auto * each) { each->SetInput(image.GetPointer()); });
  EXPECT_EQ(filter->GetObjectCount(), LabelByItk(volume, true).objectCount);
}

TEST(CudaConnectedComponentsFilter, ImageAdaptor)
{
  using SignedType = itk::Image<short, 3>;
  using AdaptorType = itk::AbsImageAdaptor<SignedType, float>;
  auto adaptor = AdaptorType::New();
  adaptor->SetImage(MakeItkImage<SignedType>(Volume(), -3));
  ExpectSameAsItk<AdaptorType, LabelsType, MaskType>([&](auto * each) { each->SetInput(adaptor.GetPointer()); });
}

TEST(CudaConnectedComponentsFilter, ImageWithoutPixelsHasNoObjects)
{
  for (const MaskType::SizeType & size :
       { MaskType::SizeType{ { 0, 5, 5 } }, MaskType::SizeType{ { 5, 0, 5 } }, MaskType::SizeType{ { 0, 0, 0 } } })
  {
    auto image = MaskType::New();
    image->SetRegions(size);
    image->Allocate();
    auto filter = FilterType::New();
    filter->SetInput(image);
    EXPECT_EQ(ExceptionOf(*filter), "");
    EXPECT_EQ(filter->GetObjectCount(), 0U);
    EXPECT_EQ(filter->GetOutput()->GetBufferedRegion().GetSize(), size);
    EXPECT_EQ(filter->GetBackendUsed(), BackendEnum::CPU);
    EXPECT_EQ(filter->GetFallbackReason(), "");
  }
}

} // namespace filter_test
