// SPDX-License-Identifier: Apache-2.0

// Tests of the filter that makes label maps of label images: compares the maps with the maps of ITK's filter, line by
// line.

#include "LabelMapTestSupport.h"
#include "MaskFilterTestSupport.h"

#include "itkCudaLabelImageToLabelMapFilter.h"
#include "itkShapeLabelObject.h"

namespace label_map_test
{

constexpr unsigned int Seed = 20270412;

/** Compares our filter with ITK's, for several numbers of work units. */
template <typename TMap, typename TImage>
void
ExpectSameAsItk(const TImage * image, typename TMap::PixelType background, BackendEnum backend = BackendEnum::CPU)
{
  SCOPED_TRACE(testing::Message() << typeid(TImage).name() << ", seed " << Seed << ", background " << +background);
  const auto expected = itk::LabelImageToLabelMapFilter<TImage, TMap>::New();
  const auto filter = itk::CudaLabelImageToLabelMapFilter<TImage, TMap>::New();
  EXPECT_STREQ(expected->GetNameOfClass(), "LabelImageToLabelMapFilter");
  EXPECT_EQ(filter->GetBackgroundValue(), expected->GetBackgroundValue());
  for (const unsigned int workUnits : { 1, 2, 7 })
  {
    SCOPED_TRACE(testing::Message() << workUnits << " work units");
    const auto update = [&](auto & each) {
      each.SetInput(image);
      each.SetBackgroundValue(background);
      each.SetNumberOfWorkUnits(workUnits);
      each.Modified();
      ASSERT_EQ(ExceptionOf(each), "");
    };
    update(*expected);
    update(*filter);
    ExpectSameMaps(*filter->GetOutput(), *expected->GetOutput());
    EXPECT_EQ(filter->GetBackendUsed(), backend);
    EXPECT_EQ(filter->GetFallbackReason().empty(), backend == BackendEnum::CPU);
  }
}

/** Compares for noise and for blocks of several labels. Each label is the background once. */
template <typename TPixel, unsigned int VDimension, typename TLabel = TPixel>
void
ExpectSameForType()
{
  using ImageType = itk::Image<TPixel, VDimension>;
  using Limits = std::numeric_limits<TPixel>;
  // Large enough that several threads make parts of the same objects.
  typename ImageType::SizeType size;
  size.Fill(VDimension == 2 ? 500 : VDimension == 3 ? 23 : 9);
  size[0] = 71;
  const std::vector<TPixel> values{ TPixel{ 0 },   TPixel{ 0 }, TPixel{ 0 },   TPixel{ 1 },     TPixel{ 2 },
                                    TPixel{ 100 }, TPixel(-3),  Limits::max(), Limits::lowest() };
  const auto                noise = MakePixels<ImageType>(size, values, Seed);
  const auto                blocks = CopyOf(*noise);
  for (std::size_t i = 0; i < blocks->GetBufferedRegion().GetNumberOfPixels(); ++i)
  {
    blocks->GetBufferPointer()[i] = values[i / 53 % values.size()];
  }
  for (const std::size_t i : { 0, 3, 6, 7, 8 })
  {
    ExpectSameAsItk<PlainMap<TLabel, VDimension>>(noise.GetPointer(), static_cast<TLabel>(values[i]));
    ExpectSameAsItk<PlainMap<TLabel, VDimension>>(blocks.GetPointer(), static_cast<TLabel>(values[i]));
  }
}

TEST(CudaConnectedComponentsLabelsToLabelMap, HasTheSameObjectsForEachType)
{
  ExpectSameForType<char, 2>();
  ExpectSameForType<unsigned char, 2>();
  ExpectSameForType<signed char, 3>();
  ExpectSameForType<short, 2>();
  ExpectSameForType<unsigned short, 3>();
  ExpectSameForType<int, 3>();
  ExpectSameForType<unsigned int, 2>();
  ExpectSameForType<long, 3>();
  ExpectSameForType<unsigned long, 2>();
  ExpectSameForType<unsigned long long, 3>();
  ExpectSameForType<unsigned char, 4>();
}

TEST(CudaConnectedComponentsLabelsToLabelMap, ConvertsLabels)
{
  ExpectSameForType<unsigned char, 3, unsigned long>();
  ExpectSameForType<short, 2, unsigned long>();
  ExpectSameForType<short, 2, long>();
  ExpectSameForType<unsigned short, 2, short>();
  // No pixel equals the background, except after a conversion.
  const auto image = MakePixels<itk::Image<short, 2>>({ { 40, 30 } }, { 0, 1, 4464 }, Seed + 1);
  ExpectSameAsItk<PlainMap<unsigned long, 2>>(image.GetPointer(), 70000);
  ExpectSameAsItk<PlainMap<int, 2>>(image.GetPointer(), 5);
}

TEST(CudaConnectedComponentsLabelsToLabelMap, LeavesOtherTypesToTheSuperclass)
{
  const auto shorts = MakePixels<itk::Image<short, 2>>({ { 40, 30 } }, { 0, 1, 256, 257, 300 }, Seed + 2);
  ExpectSameAsItk<PlainMap<unsigned char, 2>>(shorts.GetPointer(), 0, BackendEnum::ITK);
  const auto floats = MakePixels<itk::Image<float, 2>>({ { 40, 30 } }, { 0, 1, 1.5, 7 }, Seed + 3);
  ExpectSameAsItk<PlainMap<float, 2>>(floats.GetPointer(), 0, BackendEnum::ITK);
  const auto bools = MakePixels<itk::Image<bool, 2>>({ { 40, 30 } }, { false, true }, Seed + 3);
  ExpectSameAsItk<PlainMap<unsigned long, 2>>(bools.GetPointer(), 0, BackendEnum::ITK);

  const auto filter = itk::CudaLabelImageToLabelMapFilter<itk::Image<float, 2>, PlainMap<unsigned long, 2>>::New();
  filter->SetInput(floats);
  filter->CPUFallbackOff();
  EXPECT_NE(ExceptionOf(*filter).find("only ITK makes label maps of these types"), std::string::npos);
  filter->SetInput(MakePixels<itk::Image<float, 2>>({ { 0, 5 } }, { 1 }));
  EXPECT_EQ(ExceptionOf(*filter), "");
  EXPECT_EQ(filter->GetOutput()->GetNumberOfLabelObjects(), 0U);
}

TEST(CudaConnectedComponentsLabelsToLabelMap, HandlesAnySizeAndAllObjects)
{
  using ImageType = itk::Image<unsigned short, 3>;
  using MapType = itk::LabelMap<itk::ShapeLabelObject<unsigned short, 3>>;
  for (const ImageType::SizeType & size : std::vector<ImageType::SizeType>{ { { 1, 1, 1 } },
                                                                            { { 50000, 1, 1 } },
                                                                            { { 1, 50000, 1 } },
                                                                            { { 1, 1, 70 } },
                                                                            { { 1, 300, 300 } },
                                                                            { { 65, 33, 30 } } })
  {
    SCOPED_TRACE(size);
    for (const std::vector<unsigned short> & values : { std::vector<unsigned short>{ 0, 9, 3 }, { 0 }, { 9 } })
    {
      ExpectSameAsItk<MapType>(MakePixels<ImageType>(size, values, Seed + 4).GetPointer(), 0);
    }
  }
  // ITK cuts the only row of an image between its work units. The threader limits their number.
  const itk::ThreadIdType maximum = itk::MultiThreaderBase::GetGlobalMaximumNumberOfThreads();
  itk::MultiThreaderBase::SetGlobalMaximumNumberOfThreads(2);
  ExpectSameAsItk<MapType>(MakePixels<ImageType>({ { 50000, 1, 1 } }, { 9 }, Seed).GetPointer(), 0);
  itk::MultiThreaderBase::SetGlobalMaximumNumberOfThreads(maximum);
  // Very many objects. With 7 work units, each of them has several parts.
  const auto many = MakePixels<ImageType>({ { 65, 33, 60 } }, { 0 }, Seed);
  for (std::size_t i = 0; i < many->GetBufferedRegion().GetNumberOfPixels(); ++i)
  {
    many->GetBufferPointer()[i] = static_cast<unsigned short>(i % 30000 * 7919);
  }
  ExpectSameAsItk<MapType>(many.GetPointer(), 0);
}

TEST(CudaConnectedComponentsLabelsToLabelMap, MakesTheWholeMapForAnyRegion)
{
  using ImageType = itk::Image<unsigned char, 3>;
  auto source = ThrowingSource<ImageType>::New();
  source->image = MakePixels<ImageType>({ { 45, 21, 15 } }, { 0, 1, 1, 2 }, Seed + 5);
  source->largestRegion = ImageType::RegionType({ { 1, 41, 0 } }, { { 37, 15, 9 } });
  source->Update();
  ASSERT_NE(source->GetOutput()->GetBufferedRegion(), source->largestRegion);
  ExpectSameAsItk<PlainMap<unsigned char, 3>>(source->GetOutput(), 0);
  const auto filter = itk::CudaLabelImageToLabelMapFilter<ImageType>::New();
  filter->SetInput(source->GetOutput());
  filter->UpdateOutputInformation();
  filter->GetOutput()->SetRequestedRegion(ImageType::RegionType({ { 3, 42, 1 } }, { { 2, 2, 2 } }));
  filter->Update();
  EXPECT_EQ(filter->GetOutput()->GetRequestedRegion(), source->largestRegion);
}

TEST(CudaConnectedComponentsLabelsToLabelMap, RegionsWithoutPixelsAndOldObjects)
{
  using ImageType = itk::Image<short, 3>;
  const auto filter = itk::CudaLabelImageToLabelMapFilter<ImageType>::New();
  filter->SetBackgroundValue(0);
  // These settings have no effect.
  filter->SetDeviceId(1000);
  filter->CPUFallbackOff();
  filter->SetAlgorithm(AlgorithmEnum::BlockUnionFind);
  filter->SetInput(MakePixels<ImageType>({ { 9, 5, 6 } }, { 1, 2, 3 }));
  filter->Update();
  EXPECT_EQ(filter->GetOutput()->GetNumberOfLabelObjects(), 3U);
  for (const ImageType::SizeType & size :
       std::vector<ImageType::SizeType>{ { { 0, 5, 6 } }, { { 5, 0, 6 } }, { { 5, 6, 0 } }, { { 0, 0, 0 } } })
  {
    filter->SetInput(MakePixels<ImageType>(size, { 1 }));
    filter->Update();
    EXPECT_EQ(filter->GetOutput()->GetNumberOfLabelObjects(), 0U);
  }
  ExpectProgressWithoutLabels(*filter);
}

TEST(CudaConnectedComponentsLabelsToLabelMap, RecoversFromExceptions)
{
  using ImageType = itk::Image<unsigned char, 3>;
  using MapType = PlainMap<unsigned char, 3>;
  ExpectRecoveries<itk::CudaLabelImageToLabelMapFilter<ImageType, MapType>>([](auto &) {}, ExpectSameMaps<MapType>);
}

TEST(CudaConnectedComponentsLabelsToLabelMap, Prints)
{
  const auto         filter = itk::CudaLabelImageToLabelMapFilter<itk::Image<short, 3>>::New();
  std::ostringstream text;
  filter->SetBackgroundValue(12);
  filter->Print(text);
  EXPECT_NE(text.str().find("BackgroundValue: 12\n"), std::string::npos) << text.str();
  EXPECT_NE(text.str().find("BackendUsed: "), std::string::npos) << text.str();
  EXPECT_STREQ(filter->GetNameOfClass(), "CudaLabelImageToLabelMapFilter");
}

} // namespace label_map_test
