// SPDX-License-Identifier: Apache-2.0

// Tests of the filter's thresholds, against two filters of ITK.

#include "MaskFilterTestSupport.h"
#include "TestTypes.h"

#include "itkBinaryThresholdImageFilter.h"
#include "itkNthElementImageAdaptor.h"
#include "itkRGBPixel.h"
#include "itkVector.h"

#include <limits>
#include <sstream>

namespace thresholds_test
{

/** Compares thresholds of our filter with BinaryThresholdImageFilter and ConnectedComponentImageFilter of ITK, for both
 * connectivities, without and with a mask. */
template <typename TInputImage>
void
ExpectSameThresholds(typename TInputImage::PixelType lower, typename TInputImage::PixelType upper)
{
  using BinaryType = itk::Image<unsigned char, TInputImage::ImageDimension>;
  using LabelsType = itk::Image<unsigned short, TInputImage::ImageDimension>;
  using PixelType = typename TInputImage::PixelType;
  using Limits = std::numeric_limits<PixelType>;
  SCOPED_TRACE(testing::Message() << +lower << " to " << +upper);
  std::vector<PixelType> values{
    0, 1, static_cast<PixelType>(2), static_cast<PixelType>(3), Limits::lowest(), Limits::max()
  };
  if (Limits::has_quiet_NaN)
  {
    values.insert(values.end(), { Limits::quiet_NaN(), Limits::infinity() });
  }
  typename TInputImage::SizeType size;
  size.Fill(TInputImage::ImageDimension == 4 ? 4 : 19);
  size[0] = 70;
  const auto image = MakeValues<TInputImage>(size, values, 77);
  const auto mask = MakeValues<BinaryType>(size, { 0, 1, 1, 7 }, 78);
  const auto threshold = itk::BinaryThresholdImageFilter<TInputImage, BinaryType>::New();
  threshold->SetInput(image);
  threshold->SetLowerThreshold(lower);
  threshold->SetUpperThreshold(upper);
  const auto oracle = MakeOracle<BinaryType, LabelsType>();
  oracle->SetInput(threshold->GetOutput());
  const auto filter = itk::CudaConnectedComponentImageFilter<TInputImage, LabelsType, BinaryType>::New();
  filter->SetInput(image);
  filter->SetLowerThreshold(lower);
  filter->SetUpperThreshold(upper);
  for (const bool fullyConnected : { false, true })
  {
    for (const bool isMasked : { false, true })
    {
      oracle->SetFullyConnected(fullyConnected);
      filter->SetFullyConnected(fullyConnected);
      oracle->SetMaskImage(isMasked ? mask.GetPointer() : nullptr);
      filter->SetMaskImage(isMasked ? mask.GetPointer() : nullptr);
      const std::string expected = ExceptionOf(*oracle);
      const std::string exception = ExceptionOf(*filter);
      ASSERT_EQ(exception.empty(), expected.empty()) << exception << expected;
      if (!expected.empty())
      {
        const char * const problem = "Lower threshold cannot be greater than upper threshold.";
        EXPECT_NE(expected.find(problem), std::string::npos) << expected;
        EXPECT_NE(exception.find(problem), std::string::npos) << exception;
        return;
      }
      ExpectOutput(*filter, oracle->GetOutput(), TInputImage::ImageDimension == 4);
      EXPECT_EQ(filter->GetObjectCount(), oracle->GetObjectCount());
    }
  }
}

template <typename TImage>
class CudaConnectedComponentsThresholds : public testing::Test
{};
using ThresholdedTypes = TestTypes<itk::Image<short, 3>,
                                   itk::Image<float, 2>,
                                   itk::Image<unsigned char, 4>,
                                   itk::Image<bool, 2>,
                                   itk::Image<char, 3>,
                                   itk::Image<unsigned short, 2>,
                                   itk::Image<int, 2>,
                                   itk::Image<unsigned int, 3>,
                                   itk::Image<long, 2>,
                                   itk::Image<unsigned long long, 3>,
                                   itk::Image<double, 3>,
                                   itk::Image<long double, 2>>;
TYPED_TEST_SUITE(CudaConnectedComponentsThresholds, ThresholdedTypes, );

TYPED_TEST(CudaConnectedComponentsThresholds, MatchItk)
{
  using PixelType = typename TypeParam::PixelType;
  using Limits = std::numeric_limits<PixelType>;
  ExpectSameThresholds<TypeParam>(1, static_cast<PixelType>(2));
  ExpectSameThresholds<TypeParam>(0, 0);
  ExpectSameThresholds<TypeParam>(1, 0);
  ExpectSameThresholds<TypeParam>(static_cast<PixelType>(2), Limits::max());
  ExpectSameThresholds<TypeParam>(Limits::lowest(), 1);
  ExpectSameThresholds<TypeParam>(Limits::lowest(), Limits::max());
  if (Limits::has_quiet_NaN)
  {
    ExpectSameThresholds<TypeParam>(Limits::quiet_NaN(), 2);
    ExpectSameThresholds<TypeParam>(2, Limits::infinity());
  }
}

TEST(CudaConnectedComponentsImageFilterThresholds, AreOffByDefault)
{
  using ImageType = itk::Image<short, 3>;
  using FilterType = itk::CudaConnectedComponentImageFilter<ImageType, ImageType>;
  const auto filter = FilterType::New();
  EXPECT_FALSE(filter->HasThresholds());
  EXPECT_EQ(filter->GetLowerThreshold(), -32768);
  EXPECT_EQ(filter->GetUpperThreshold(), 32767);
  const auto image = MakeValues<ImageType>({ { 50, 20, 10 } }, { 0, 0, 0, -4, 5, 6 }, 79);
  const auto oracle = MakeOracle<ImageType, ImageType>();
  oracle->SetInput(image);
  filter->SetInput(image);
  filter->SetMinimumObjectSize(1);
  const auto expectSame = [&] {
    oracle->Update();
    ExpectOutput(*filter, oracle->GetOutput());
    EXPECT_EQ(filter->GetObjectCount(), oracle->GetObjectCount());
  };
  expectSame();
  // One threshold switches both on. The other settings keep their meaning.
  const auto binary = itk::BinaryThresholdImageFilter<ImageType, ImageType>::New();
  binary->SetInput(image);
  oracle->SetInput(binary->GetOutput());
  binary->SetLowerThreshold(5);
  const auto time = filter->GetMTime();
  filter->SetLowerThreshold(5);
  EXPECT_GT(filter->GetMTime(), time);
  const auto setTime = filter->GetMTime();
  filter->SetLowerThreshold(5);
  EXPECT_EQ(filter->GetMTime(), setTime);
  expectSame();
  filter->ComputeStatisticsOn();
  filter->SetIntensityImage(image);
  filter->SortByObjectSizeOn();
  filter->Update();
  EXPECT_EQ(filter->GetStatistics().GetNumberOfObjects(), oracle->GetObjectCount());
  EXPECT_GE(filter->GetStatistics().GetMinimum(1), 5);
  filter->ComputeStatisticsOff();
  filter->SortByObjectSizeOff();
  filter->ClearThresholds();
  EXPECT_FALSE(filter->HasThresholds());
  EXPECT_EQ(filter->GetLowerThreshold(), -32768);
  filter->SetUpperThreshold(-1);
  binary->SetLowerThreshold(-32768);
  binary->SetUpperThreshold(-1);
  expectSame();
  std::ostringstream printed;
  filter->Print(printed);
  EXPECT_NE(printed.str().find("  HasThresholds: On\n  LowerThreshold: -32768\n  UpperThreshold: -1\n"),
            std::string::npos);
}

TEST(CudaConnectedComponentsImageFilterThresholds, NeedNumbers)
{
  using ColorsType = itk::Image<itk::RGBPixel<unsigned char>, 2>;
  const auto filter = itk::CudaConnectedComponentImageFilter<ColorsType, itk::Image<short, 2>>::New();
  const auto exception = DescriptionOf([&] { filter->SetLowerThreshold(1); });
  EXPECT_NE(exception.find("Thresholds need pixels that are numbers"), std::string::npos) << exception;
}

TEST(CudaConnectedComponentsImageFilterThresholds, ReadAdaptors)
{
  using VectorsType = itk::Image<itk::Vector<short, 2>, 2>;
  using AdaptorType = itk::NthElementImageAdaptor<VectorsType, short>;
  const auto vectors = VectorsType::New();
  vectors->SetRegions(VectorsType::SizeType{ { 90, 40 } });
  vectors->Allocate();
  const auto plain = MakeValues<itk::Image<short, 2>>({ { 90, 40 } }, { 0, 3, 4, 5 }, 80, 0);
  for (itk::ImageRegionIteratorWithIndex<VectorsType> it(vectors, vectors->GetBufferedRegion()); !it.IsAtEnd(); ++it)
  {
    VectorsType::PixelType vector;
    vector[0] = 7;
    vector[1] = plain->GetPixel(it.GetIndex());
    it.Set(vector);
  }
  plain->SetOrigin(vectors->GetOrigin());
  plain->SetSpacing(vectors->GetSpacing());
  const auto adaptor = AdaptorType::New();
  adaptor->SetImage(vectors);
  adaptor->SelectNthElement(1);
  const auto label = [](auto * image) {
    using ImageType = std::remove_pointer_t<decltype(image)>;
    const auto filter = itk::CudaConnectedComponentImageFilter<ImageType, itk::Image<short, 2>>::New();
    filter->SetInput(image);
    filter->SetLowerThreshold(3);
    filter->SetUpperThreshold(4);
    filter->Update();
    return typename itk::Image<short, 2>::Pointer(filter->GetOutput());
  };
  ExpectSameImages<itk::Image<short, 2>>(label(adaptor.GetPointer()), label(plain.GetPointer()));
}

} // namespace thresholds_test
