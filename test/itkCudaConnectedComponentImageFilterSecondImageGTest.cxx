// SPDX-License-Identifier: Apache-2.0

// Tests of the intensities of objects: the filter measures a second image. The expected values come from ITK's
// LabelStatisticsImageFilter.

#include "MaskFilterTestSupport.h"

#include "itkCudaConnectedComponentStatistics.h"
#include "itkLabelStatisticsImageFilter.h"
#include "itkRGBPixel.h"
#include "itkVectorImage.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <sstream>
#include <string>
#include <vector>

namespace second_image_test
{

constexpr unsigned int Seed = 20261201;

template <unsigned int VDimension>
using MaskOf = itk::Image<unsigned char, VDimension>;
template <unsigned int VDimension>
using LabelsOf = itk::Image<unsigned int, VDimension>;
template <unsigned int VDimension>
using FilterOf = itk::CudaConnectedComponentImageFilter<MaskOf<VDimension>, LabelsOf<VDimension>>;

using MaskType = MaskOf<3>;
using FilterType = FilterOf<3>;
using CtType = itk::Image<short, 3>;

constexpr double NaN = std::numeric_limits<double>::quiet_NaN();

/** Returns a size of an image with some objects. */
template <unsigned int VDimension>
itk::Size<VDimension>
SizeOf()
{
  itk::Size<VDimension> size;
  size.Fill(VDimension == 2 ? 131 : VDimension == 3 ? 29 : 7);
  size[0] = VDimension == 4 ? 13 : 141;
  return size;
}

/** Makes a mask of some objects, of which some have one pixel. */
template <unsigned int VDimension>
typename MaskOf<VDimension>::Pointer
MakeMask()
{
  return MakeValues<MaskOf<VDimension>>(SizeOf<VDimension>(), { 0, 0, 0, 0, 1, 0, 0, 0, 7, 0, 0 }, Seed);
}

/** Makes an intensity image of random values, with the region and the geometry of MakeMask(). */
template <typename TPixel, unsigned int VDimension>
typename itk::Image<TPixel, VDimension>::Pointer
MakeIntensities(unsigned int seed = Seed + 1)
{
  using Limits = std::numeric_limits<TPixel>;
  std::mt19937_64     random(seed);
  std::vector<TPixel> values{ 0, 1 };
  if (Limits::is_integer)
  {
    values.insert(values.end(), { Limits::max(), Limits::lowest(), static_cast<TPixel>(Limits::max() / 2) });
  }
  while (values.size() < 200)
  {
    values.push_back(Limits::is_integer ? static_cast<TPixel>(random())
                                        : static_cast<TPixel>((static_cast<double>(random() % 200001) - 1e5) / 7.0));
  }
  return MakeValues<itk::Image<TPixel, VDimension>>(SizeOf<VDimension>(), values, seed);
}

/** Updates a filter on the CPU and, if there is one, on the GPU, and calls a function after each update. */
template <typename TFilter, typename TFunction>
void
OnEachBackend(TFilter & filter, const TFunction & function)
{
  constexpr bool isForItk = TFilter::ImageDimension > 3;
  for (const bool gpuEnabled : { false, true })
  {
    if (gpuEnabled && (ExpectedBackend() == BackendEnum::CPU || isForItk))
    {
      continue;
    }
    SCOPED_TRACE(gpuEnabled ? "on the GPU" : "on the CPU");
    filter.SetGPUEnabled(gpuEnabled);
    filter.SetCPUFallback(!gpuEnabled);
    filter.Modified();
    ASSERT_EQ(ExceptionOf(filter), "");
    EXPECT_EQ(filter.GetBackendUsed(), isForItk ? BackendEnum::ITK : gpuEnabled ? BackendEnum::CUDA : BackendEnum::CPU);
    function();
  }
}

/** Returns the largest possible region of an image in double. */
template <typename TImage>
typename itk::Image<double, TImage::ImageDimension>::Pointer
DoublesOf(const TImage & image)
{
  using DoubleType = itk::Image<double, TImage::ImageDimension>;
  auto doubles = DoubleType::New();
  doubles->CopyInformation(&image);
  doubles->SetRegions(image.GetLargestPossibleRegion());
  doubles->Allocate();
  for (itk::ImageRegionIteratorWithIndex<DoubleType> it(doubles, doubles->GetBufferedRegion()); !it.IsAtEnd(); ++it)
  {
    it.Set(static_cast<double>(image.GetPixel(it.GetIndex())));
  }
  return doubles;
}

/** Compares the statistics of a filter, after an update, with ITK's filter on the labels of the output. ITK's filter
 * converts all pixels to double. So it is compiled for double only. */
template <typename TIntensityImage, typename TFilter>
void
ExpectSameStatistics(TFilter & filter, const TIntensityImage * intensities)
{
  using OracleType =
    itk::LabelStatisticsImageFilter<itk::Image<double, TFilter::ImageDimension>, typename TFilter::OutputImageType>;
  const auto & statistics = filter.GetStatistics();
  ASSERT_EQ(statistics.GetNumberOfObjects(), filter.GetObjectCount());
  ASSERT_GT(statistics.GetNumberOfObjects(), 3U);
  EXPECT_TRUE(statistics.HasIntensities());
  auto oracle = OracleType::New();
  oracle->SetInput(DoublesOf(*intensities));
  oracle->SetLabelInput(CopyOf(*filter.GetOutput()));
  oracle->Update();
  for (const itk::SizeValueType ours : statistics.GetLabels())
  {
    SCOPED_TRACE(testing::Message() << "label " << ours);
    const auto   label = static_cast<unsigned int>(ours);
    const double count = static_cast<double>(statistics.GetNumberOfPixels(ours));
    ASSERT_EQ(statistics.GetNumberOfPixels(ours), oracle->GetCount(label));
    ASSERT_EQ(statistics.GetMinimum(ours), oracle->GetMinimum(label));
    ASSERT_EQ(statistics.GetMaximum(ours), oracle->GetMaximum(label));
    // ITK rounds after each addition.
    const double largest = std::max(std::abs(oracle->GetMinimum(label)), std::abs(oracle->GetMaximum(label)));
    ASSERT_NEAR(statistics.GetSum(ours), oracle->GetSum(label), 1e-12 * count * largest);
    ASSERT_NEAR(statistics.GetMean(ours), oracle->GetMean(label), 1e-12 * largest);
    ASSERT_NEAR(statistics.GetVariance(ours), oracle->GetVariance(label), 1e-11 * largest * largest);
    ASSERT_GE(statistics.GetVariance(ours), 0.0);
    ASSERT_EQ(statistics.GetStandardDeviation(ours), std::sqrt(statistics.GetVariance(ours)));
  }
}

/** Compares the intensities of all objects, and of selected and sorted objects, with and without a mask image. */
template <typename TPixel, unsigned int VDimension>
void
ExpectSameForType()
{
  SCOPED_TRACE(testing::Message() << typeid(TPixel).name() << ", dimension " << VDimension << ", seed " << Seed);
  const auto intensities = MakeIntensities<TPixel, VDimension>();
  const auto filter = FilterOf<VDimension>::New();
  filter->SetInput(MakeMask<VDimension>());
  filter->SetIntensityImage(intensities);
  filter->ComputeStatisticsOn();
  for (const bool isSelected : { false, true })
  {
    filter->SetSortByObjectSize(isSelected);
    filter->SetMinimumObjectSize(isSelected ? 2 : 0);
    filter->SetBackgroundValue(isSelected ? 3 : 0);
    const auto mask = MakeValues<MaskOf<VDimension>>(SizeOf<VDimension>(), { 0, 1, 5, 1, 1, 1 }, Seed + 2);
    filter->SetMaskImage(isSelected ? mask.GetPointer() : nullptr);
    OnEachBackend(*filter, [&] { ExpectSameStatistics(*filter, intensities.GetPointer()); });
    if (testing::Test::HasFailure())
    {
      return;
    }
  }
}

TEST(CudaConnectedComponentsSecondImage, SameAsItkForEachType)
{
  ExpectSameForType<bool, 2>();
  ExpectSameForType<char, 2>();
  ExpectSameForType<signed char, 3>();
  ExpectSameForType<unsigned char, 3>();
  ExpectSameForType<short, 2>();
  ExpectSameForType<unsigned short, 3>();
  ExpectSameForType<int, 3>();
  ExpectSameForType<unsigned int, 2>();
  ExpectSameForType<long, 3>();
  ExpectSameForType<unsigned long, 2>();
  ExpectSameForType<long long, 2>();
  ExpectSameForType<unsigned long long, 3>();
  ExpectSameForType<float, 3>();
  ExpectSameForType<double, 2>();
}

TEST(CudaConnectedComponentsSecondImage, SameAsItkInFourDimensions)
{
  ExpectSameForType<short, 4>();
  ExpectSameForType<unsigned long, 4>();
  ExpectSameForType<float, 4>();
}

/** Makes a source whose buffer is larger than its largest possible region. */
template <typename TImage>
typename ThrowingSource<TImage>::Pointer
MakeSource(TImage * buffer, const typename TImage::RegionType & region)
{
  auto source = ThrowingSource<TImage>::New();
  source->image = buffer;
  source->largestRegion = region;
  return source;
}

TEST(CudaConnectedComponentsSecondImage, ReadsOnlyTheRegionOfTheInput)
{
  const MaskType::RegionType region({ { 5, -1, 0 } }, { { 93, 21, 17 } });
  const auto                 maskSource = MakeSource(MakeMask<3>().GetPointer(), region);
  const auto                 ctSource = MakeSource(MakeIntensities<short, 3>().GetPointer(), region);
  const auto                 filter = FilterType::New();
  filter->SetInput(maskSource->GetOutput());
  filter->SetIntensityImage(ctSource->GetOutput());
  filter->ComputeStatisticsOn();
  OnEachBackend(*filter, [&] {
    ASSERT_NE(ctSource->GetOutput()->GetBufferedRegion(), region);
    EXPECT_EQ(ctSource->GetOutput()->GetRequestedRegion(), region);
    ExpectSameStatistics(*filter, ctSource->GetOutput());
  });
}

TEST(CudaConnectedComponentsSecondImage, RunsAgainIfOnlyTheIntensitiesChange)
{
  const auto ct = MakeIntensities<short, 3>();
  const auto source = MakeSource(ct.GetPointer(), ct->GetBufferedRegion());
  const auto filter = FilterType::New();
  filter->SetInput(MakeMask<3>());
  filter->SetIntensityImage(source->GetOutput());
  filter->ComputeStatisticsOn();
  filter->Update();
  int runs = 0;
  filter->AddObserver(itk::StartEvent(), [&runs](const itk::EventObject &) { ++runs; });
  filter->Update();
  EXPECT_EQ(runs, 0);
  ct->FillBuffer(-700);
  source->Modified();
  filter->Update();
  EXPECT_EQ(runs, 1);
  ASSERT_TRUE(filter->GetStatistics().HasIntensities());
  EXPECT_EQ(filter->GetStatistics().GetMean(1), -700.0);
  EXPECT_EQ(filter->GetStatistics().GetVariance(1), 0.0);

  // Another image.
  const auto other = itk::Image<float, 3>::New();
  other->CopyInformation(ct);
  other->SetRegions(ct->GetLargestPossibleRegion());
  other->Allocate();
  other->FillBuffer(0.5F);
  filter->SetIntensityImage(other);
  filter->SetIntensityImage(other);
  filter->Update();
  EXPECT_EQ(runs, 2);
  EXPECT_EQ(filter->GetIntensityImage(), other.GetPointer());
  EXPECT_EQ(filter->GetStatistics().GetMaximum(1), 0.5);

  // No image.
  filter->SetIntensityImage(nullptr);
  filter->Update();
  EXPECT_EQ(runs, 3);
  EXPECT_EQ(filter->GetIntensityImage(), nullptr);
  EXPECT_GT(filter->GetStatistics().GetNumberOfObjects(), 0U);
  EXPECT_FALSE(filter->GetStatistics().HasIntensities());
}

TEST(CudaConnectedComponentsSecondImage, PassesExceptionsOfItsSource)
{
  using Stage = ThrowingSource<CtType>::Stage;
  const auto ct = MakeIntensities<short, 3>();
  const auto source = MakeSource(ct.GetPointer(), ct->GetBufferedRegion());
  const auto filter = FilterType::New();
  filter->SetInput(MakeMask<3>());
  filter->SetIntensityImage(source->GetOutput());
  filter->ComputeStatisticsOn();
  for (const Stage stage : { Stage::Information, Stage::Regions, Stage::Pixels })
  {
    source->throwsIn = Stage::None;
    source->Modified();
    ASSERT_EQ(ExceptionOf(*filter), "");
    ExpectSameStatistics(*filter, ct.GetPointer());
    source->throwsIn = stage;
    source->Modified();
    EXPECT_THROW(filter->Update(), Alien);
    EXPECT_EQ(filter->GetBackendUsed(), BackendEnum::Unknown);
    EXPECT_EQ(filter->GetFallbackReason(), "");
    EXPECT_EQ(filter->GetObjectCount(), 0U);
    EXPECT_EQ(filter->GetStatistics().GetNumberOfObjects(), 0U);
  }
}

TEST(CudaConnectedComponentsSecondImage, MustFitTheInput)
{
  const auto mask = MakeMask<3>();
  const auto fitting = MakeIntensities<short, 3>();
  const auto filter = FilterType::New();
  filter->SetInput(mask);
  filter->ComputeStatisticsOn();
  const auto expectException = [&](const itk::ImageBase<3> * image, const std::vector<std::string> & parts) {
    filter->SetIntensityImage(image);
    const std::string exception = ExceptionOf(*filter);
    for (const std::string & part : parts)
    {
      EXPECT_NE(exception.find(part), std::string::npos) << part << " is not in\n" << exception;
    }
    EXPECT_EQ(filter->GetBackendUsed(), BackendEnum::Unknown);
    filter->SetIntensityImage(fitting);
    EXPECT_EQ(ExceptionOf(*filter), "");
    EXPECT_TRUE(filter->GetStatistics().HasIntensities());
  };
  expectException(MakeValues<CtType>({ { 140, 29, 29 } }, { 1 }, 1),
                  { "The intensity image has 140 x 29 x 29 pixels from the index [-3, -3, -3] on",
                    "the input has 141 x 29 x 29 pixels from the index [-3, -3, -3] on",
                    "ResampleImageFilter" });
  expectException(MakeValues<CtType>(SizeOf<3>(), { 1 }, 1, 0), { "from the index [0, 0, 0] on" });
  const auto          spaced = MakeIntensities<short, 3>();
  CtType::SpacingType spacing = mask->GetSpacing();
  spacing[2] = 0.8;
  spaced->SetSpacing(spacing);
  expectException(spaced, { "Inputs do not occupy the same physical space" });
  const auto colors = itk::Image<itk::RGBPixel<unsigned char>, 3>::New();
  colors->CopyInformation(mask);
  colors->SetRegions(mask->GetLargestPossibleRegion());
  colors->Allocate();
  expectException(colors, { "The intensity image is of the class Image", "CastImageFilter" });
  const auto vectors = itk::VectorImage<float, 3>::New();
  vectors->CopyInformation(mask);
  vectors->SetRegions(mask->GetLargestPossibleRegion());
  vectors->SetVectorLength(2);
  vectors->Allocate();
  expectException(vectors, { "The intensity image is of the class VectorImage" });
  const auto withoutMemory = CtType::New();
  withoutMemory->CopyInformation(mask);
  withoutMemory->SetRegions(mask->GetLargestPossibleRegion());
  expectException(withoutMemory, { "The pixels of the intensity image are not in memory" });
}

/** Measures the only object of an image, a row of the given pixels. */
template <unsigned int VDimension>
itk::CudaConnectedComponentStatistics<VDimension>
MeasureRow(const std::vector<double> & pixels)
{
  typename MaskOf<VDimension>::SizeType size;
  size.Fill(1);
  size[0] = pixels.size();
  const auto mask = MakeValues<MaskOf<VDimension>>(size, { 1 }, 1);
  const auto intensities = MakeValues<itk::Image<double, VDimension>>(size, { 0.0 }, 1);
  std::copy(pixels.begin(), pixels.end(), intensities->GetBufferPointer());
  const auto filter = FilterOf<VDimension>::New();
  filter->SetInput(mask);
  filter->SetIntensityImage(intensities);
  filter->ComputeStatisticsOn();
  filter->Update();
  EXPECT_EQ(filter->GetStatistics().GetNumberOfObjects(), 1U);
  return filter->GetStatistics();
}

/** Checks special pixels. */
template <unsigned int VDimension>
void
ExpectSpecialValues()
{
  SCOPED_TRACE(VDimension);
  const auto one = MeasureRow<VDimension>({ 2.5 });
  EXPECT_EQ(one.GetMean(1), 2.5);
  EXPECT_EQ(one.GetVariance(1), 0.0);
  EXPECT_EQ(one.GetStandardDeviation(1), 0.0);

  const auto zeros = MeasureRow<VDimension>({ 0.0, -0.0, 0.0 });
  EXPECT_TRUE(std::signbit(zeros.GetMinimum(1)));
  EXPECT_FALSE(std::signbit(zeros.GetMaximum(1)));

  const auto withNaN = MeasureRow<VDimension>({ 3.0, NaN, -1.0 });
  EXPECT_EQ(withNaN.GetMinimum(1), -1.0);
  EXPECT_EQ(withNaN.GetMaximum(1), 3.0);
  EXPECT_TRUE(std::isnan(withNaN.GetSum(1)));
  EXPECT_TRUE(std::isnan(withNaN.GetMean(1)));
  EXPECT_TRUE(std::isnan(withNaN.GetVariance(1)));
  EXPECT_TRUE(std::isnan(withNaN.GetStandardDeviation(1)));

  const auto onlyNaN = MeasureRow<VDimension>({ NaN, NaN });
  EXPECT_TRUE(std::isnan(onlyNaN.GetMinimum(1)));
  EXPECT_TRUE(std::isnan(onlyNaN.GetMaximum(1)));

  const double infinity = std::numeric_limits<double>::infinity();
  const auto   infinite = MeasureRow<VDimension>({ 1.0, infinity });
  EXPECT_EQ(infinite.GetMinimum(1), 1.0);
  EXPECT_EQ(infinite.GetMaximum(1), infinity);
  EXPECT_EQ(infinite.GetSum(1), infinity);
  EXPECT_TRUE(std::isnan(infinite.GetVariance(1)));

  const auto large = MeasureRow<VDimension>({ 100000001.0, 100000002.0, 100000003.0 });
  EXPECT_EQ(large.GetMean(1), 100000002.0);
  if (VDimension > 3)
  {
    EXPECT_NEAR(large.GetVariance(1), 1.0, 1e-12);
  }
}

TEST(CudaConnectedComponentsSecondImage, HasSpecialValues)
{
  ExpectSpecialValues<2>();
  ExpectSpecialValues<3>();
  ExpectSpecialValues<4>();
}

TEST(CudaConnectedComponentsSecondImage, LargeIntegersAreExact)
{
  const auto mask = MakeValues<MaskType>({ { 3, 1, 1 } }, { 1 }, 1);
  const auto intensities = MakeValues<itk::Image<unsigned long long, 3>>({ { 3, 1, 1 } }, { 0 }, 1);
  // The differences are lost in double.
  constexpr auto maximum = std::numeric_limits<unsigned long long>::max();
  intensities->GetBufferPointer()[0] = maximum;
  intensities->GetBufferPointer()[1] = maximum - 1;
  intensities->GetBufferPointer()[2] = maximum - 2;
  const auto filter = FilterType::New();
  filter->SetInput(mask);
  filter->SetIntensityImage(intensities);
  filter->ComputeStatisticsOn();
  filter->Update();
  EXPECT_DOUBLE_EQ(filter->GetStatistics().GetVariance(1), 1.0);
  EXPECT_EQ(filter->GetStatistics().GetSum(1), 3.0 * 18446744073709551616.0);
}

TEST(CudaConnectedComponentsSecondImage, IsNotMeasuredWithoutStatistics)
{
  const auto filter = FilterType::New();
  filter->SetInput(MakeMask<3>());
  filter->Update();
  const auto labels = CopyOf(*filter->GetOutput());
  filter->SetIntensityImage(MakeIntensities<short, 3>());
  OnEachBackend(*filter, [&] {
    ExpectSameImages<LabelsOf<3>>(filter->GetOutput(), labels);
    EXPECT_FALSE(filter->GetStatistics().HasIntensities());
  });
  filter->ComputeStatisticsOn();
  OnEachBackend(*filter, [&] {
    ExpectSameImages<LabelsOf<3>>(filter->GetOutput(), labels);
    EXPECT_TRUE(filter->GetStatistics().HasIntensities());
  });
}

TEST(CudaConnectedComponentsSecondImage, IsNotUpdatedWithoutStatistics)
{
  // An image that does not fit, of a source that throws.
  const auto source = MakeSource(MakeValues<CtType>({ { 4, 4, 4 } }, { 1 }, 1, 0).GetPointer(), {});
  source->throwsIn = ThrowingSource<CtType>::Stage::Information;
  int runs = 0;
  source->AddObserver(itk::StartEvent(), [&runs](const itk::EventObject &) { ++runs; });
  const auto filter = FilterType::New();
  filter->SetInput(MakeMask<3>());
  filter->SetIntensityImage(source->GetOutput());
  EXPECT_EQ(ExceptionOf(*filter), "");
  EXPECT_EQ(filter->GetIntensityImage(), source->GetOutput());
  const auto time = filter->GetOutput()->GetUpdateMTime();
  source->Modified();
  filter->Update();
  EXPECT_EQ(filter->GetOutput()->GetUpdateMTime(), time);

  filter->ComputeStatisticsOn();
  EXPECT_THROW(filter->Update(), Alien);
  source->throwsIn = ThrowingSource<CtType>::Stage::None;
  EXPECT_NE(ExceptionOf(*filter), "");
  EXPECT_EQ(runs, 0);
  const auto fitting = MakeSource(MakeIntensities<short, 3>().GetPointer(), MakeMask<3>()->GetBufferedRegion());
  filter->SetIntensityImage(fitting->GetOutput());
  EXPECT_EQ(ExceptionOf(*filter), "");
  EXPECT_TRUE(filter->GetStatistics().HasIntensities());

  filter->ComputeStatisticsOff();
  filter->SetIntensityImage(source->GetOutput());
  source->throwsIn = ThrowingSource<CtType>::Stage::Information;
  EXPECT_EQ(ExceptionOf(*filter), "");
  EXPECT_FALSE(filter->GetStatistics().HasIntensities());
}

/** A filter whose intensity image is set by its name in the pipeline. ITK lets derived classes do this. */
class NamedInputFilter : public FilterType
{
public:
  ITK_DISALLOW_COPY_AND_MOVE(NamedInputFilter);

  using Self = NamedInputFilter;
  using Pointer = itk::SmartPointer<Self>;

  itkFactorylessNewMacro(Self);

  void
  SetObject(itk::DataObject * object)
  {
    this->ProcessObject::SetInput("IntensityImage", object);
  }

protected:
  NamedInputFilter() = default;
  ~NamedInputFilter() override = default;
};

TEST(CudaConnectedComponentsSecondImage, IsSetByItsName)
{
  const auto ct = MakeIntensities<short, 3>();
  const auto filter = NamedInputFilter::New();
  filter->SetInput(MakeMask<3>());
  filter->SetObject(ct);
  filter->ComputeStatisticsOn();
  filter->SetMinimumObjectSize(1);
  ASSERT_EQ(ExceptionOf(*filter), "");
  EXPECT_EQ(filter->GetIntensityImage(), ct.GetPointer());
  ExpectSameStatistics(*filter, ct.GetPointer());

  filter->SetObject(itk::DataObject::New());
  EXPECT_NE(ExceptionOf(*filter).find("The intensity image is of the class DataObject"), std::string::npos);
  filter->SetObject(nullptr);
  EXPECT_EQ(ExceptionOf(*filter), "");
  EXPECT_FALSE(filter->GetStatistics().HasIntensities());
}

TEST(CudaConnectedComponentsSecondImage, SettingsThatStayDoNotRunTheFilterAgain)
{
  const auto filter = FilterType::New();
  filter->SetInput(MakeMask<3>());
  for (const bool computeStatistics : { false, true })
  {
    if (computeStatistics)
    {
      filter->ComputeStatisticsOn();
    }
    filter->Update();
    const auto time = filter->GetMTime();
    filter->SetMinimumObjectSize(filter->GetMinimumObjectSize());
    filter->SetComputeStatistics(computeStatistics);
    filter->SetIntensityImage(nullptr);
    EXPECT_EQ(filter->GetMTime(), time);
    EXPECT_EQ(filter->GetNumberOfInputs(), 2U);
  }
}

TEST(CudaConnectedComponentsSecondImage, IsPrinted)
{
  const auto filter = FilterType::New();
  EXPECT_EQ(filter->GetIntensityImage(), nullptr);
  const auto ct = MakeIntensities<short, 3>();
  filter->SetIntensityImage(ct);
  std::ostringstream expected;
  std::ostringstream printed;
  expected << "IntensityImage: " << ct.GetPointer() << '\n';
  filter->Print(printed);
  EXPECT_NE(printed.str().find(expected.str()), std::string::npos) << printed.str();
}

TEST(CudaConnectedComponentsSecondImage, UnknownIntensitiesThrow)
{
  const auto filter = FilterType::New();
  filter->SetInput(MakeMask<3>());
  filter->ComputeStatisticsOn();
  filter->Update();
  const auto & statistics = filter->GetStatistics();
  EXPECT_FALSE(statistics.HasIntensities());
  const std::string unknown = "The intensities of the object with label 2 are not known";
  EXPECT_NE(DescriptionOf([&] { statistics.GetMinimum(2); }).find(unknown), std::string::npos);
  EXPECT_NE(DescriptionOf([&] { statistics.GetMaximum(2); }).find(unknown), std::string::npos);
  EXPECT_NE(DescriptionOf([&] { statistics.GetMean(2); }).find(unknown), std::string::npos);
  EXPECT_NE(DescriptionOf([&] { statistics.GetSum(2); }).find(unknown), std::string::npos);
  EXPECT_NE(DescriptionOf([&] { statistics.GetVariance(2); }).find(unknown), std::string::npos);
  EXPECT_NE(DescriptionOf([&] { statistics.GetStandardDeviation(2); }).find(unknown), std::string::npos);
  filter->SetIntensityImage(MakeIntensities<short, 3>());
  filter->Update();
  const auto objects = statistics.GetNumberOfObjects();
  EXPECT_NE(DescriptionOf([&] { statistics.GetMean(objects + 1); }).find("There is no object"), std::string::npos);
}

TEST(CudaConnectedComponentsSecondImage, TablesNeedAllColumnsOfIntensities)
{
  using StatisticsType = itk::CudaConnectedComponentStatistics<3>;
  const auto                       image = MakeMask<3>();
  itk::CudaConnectedComponentTable table;
  table.componentCount = table.originalComponentCount = 1;
  table.pixelCounts = { 4 };
  for (unsigned int axis = 0; axis < 3; ++axis)
  {
    table.minimums[axis] = { 0 };
    table.maximums[axis] = { 3 };
    table.sums[axis] = { { 6, 0 } };
  }
  EXPECT_FALSE(StatisticsType(table, *image).HasIntensities());
  table.intensities.pixelCounts = { 4 };
  table.intensities.sums = { 10.0 };
  table.intensities.minimums = { 1.0 };
  table.intensities.maximums = { 4.0 };
  EXPECT_NE(DescriptionOf([&] { StatisticsType(table, *image); }).find("intensities.variances"), std::string::npos);
  table.intensities.variances = { 1.5 };
  const StatisticsType statistics(table, *image);
  EXPECT_TRUE(statistics.HasIntensities());
  EXPECT_EQ(statistics.GetMinimum(1), 1.0);
  EXPECT_EQ(statistics.GetMaximum(1), 4.0);
  EXPECT_EQ(statistics.GetSum(1), 10.0);
  EXPECT_EQ(statistics.GetMean(1), 2.5);
  EXPECT_EQ(statistics.GetVariance(1), 1.5);
  EXPECT_EQ(statistics.GetStandardDeviation(1), std::sqrt(1.5));
}

} // namespace second_image_test
