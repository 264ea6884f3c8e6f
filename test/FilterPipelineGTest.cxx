// SPDX-License-Identifier: Apache-2.0

// Released inputs, inputs with more pixels in memory than the largest possible region, and the number of work units:
// for all filters, in 2, 3 and 4 dimensions. The expected output is that of ITK's filter, whose input nobody releases.

#include "MaskFilterTestSupport.h"

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
#include "itkImageAlgorithm.h"
#include "itkPoolMultiThreader.h"
#include "itkVersion.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <typeinfo>

namespace pipeline_test
{

/** The multi-threader of all filters. It records its numbers of work units. */
class RecordingThreader : public itk::PoolMultiThreader
{
public:
  using Self = RecordingThreader;
  using Pointer = itk::SmartPointer<Self>;
  itkFactorylessNewMacro(Self);

  static inline std::set<unsigned int> seen;

  void
  ParallelizeArray(itk::SizeValueType        first,
                   itk::SizeValueType        last,
                   ArrayThreadingFunctorType body,
                   itk::ProcessObject *      filter) override
  {
    seen.insert(this->GetNumberOfWorkUnits());
    itk::PoolMultiThreader::ParallelizeArray(first, last, body, filter);
  }

  void
  ParallelizeImageRegion(unsigned int              dimension,
                         const itk::IndexValueType index[],
                         const itk::SizeValueType  size[],
                         ThreadingFunctorType      body,
                         itk::ProcessObject *      filter) override
  {
    seen.insert(this->GetNumberOfWorkUnits());
    itk::PoolMultiThreader::ParallelizeImageRegion(dimension, index, size, body, filter);
  }
};

/** As long as it lives, new filters have RecordingThreaders. */
class RecordingFactory : public itk::ObjectFactoryBase
{
public:
  using Self = RecordingFactory;
  using Pointer = itk::SmartPointer<Self>;
  itkFactorylessNewMacro(Self);

  const char *
  GetITKSourceVersion() const override
  {
    return itk::Version::GetITKSourceVersion();
  }
  const char *
  GetDescription() const override
  {
    return "records numbers of work units";
  }

protected:
  RecordingFactory()
  {
    this->RegisterOverride(typeid(itk::MultiThreaderBase).name(),
                           "RecordingThreader",
                           "",
                           true,
                           itk::CreateObjectFunction<RecordingThreader>::New());
  }
};

template <typename TPixel, unsigned int VDimension>
std::vector<std::uint64_t>
ValuesOf(const itk::Image<TPixel, VDimension> & image)
{
  return { image.GetBufferPointer(), image.GetBufferPointer() + image.GetBufferedRegion().GetNumberOfPixels() };
}

template <typename TObject>
std::vector<std::uint64_t>
ValuesOf(const itk::LabelMap<TObject> & map)
{
  auto image = itk::Image<std::uint64_t, TObject::ImageDimension>::New();
  image->SetRegions(map.GetLargestPossibleRegion());
  image->Allocate();
  image->FillBuffer(map.GetBackgroundValue());
  for (typename itk::LabelMap<TObject>::ConstIterator object(&map); !object.IsAtEnd(); ++object)
  {
    for (typename TObject::ConstIndexIterator it(object.GetLabelObject()); !it.IsAtEnd(); ++it)
    {
      image->SetPixel(it.GetIndex(), object.GetLabel());
    }
  }
  return ValuesOf(*image);
}

/** Copies an image, with a margin of other pixels around it. */
template <typename TImage>
typename TImage::Pointer
WithMargin(const TImage & image)
{
  typename TImage::RegionType region = image.GetBufferedRegion();
  region.PadByRadius(1);
  auto copy = TImage::New();
  copy->CopyInformation(&image);
  copy->SetRegions(region);
  copy->Allocate();
  copy->FillBuffer(1);
  itk::ImageAlgorithm::Copy(&image, copy.GetPointer(), image.GetBufferedRegion(), image.GetBufferedRegion());
  return copy;
}

enum class Release
{
  None,
  OfInput,
  Global
};

template <typename TDimension>
class CudaConnectedComponentsFilterPipeline : public testing::Test
{
protected:
  static constexpr unsigned int Dimension = TDimension::value;
  using ImageType = itk::Image<unsigned char, Dimension>;
  using LabelsType = itk::Image<unsigned short, Dimension>;
  using MapType = itk::LabelMap<itk::LabelObject<itk::SizeValueType, Dimension>>;

  void
  SetUp() override
  {
    itk::ObjectFactoryBase::RegisterFactory(m_Factory);
  }
  void
  TearDown() override
  {
    itk::ObjectFactoryBase::UnRegisterFactory(m_Factory);
    itk::DataObject::SetGlobalReleaseDataFlag(false);
  }

  /** Compares the filter makeOurs() with the filter makeItks() of ITK.
   * \param setUp function that sets the values of both filters
   * \param setUpOurs function that sets other values of our filter */
  template <typename TMakeOurs, typename TMakeItks, typename TSetUp, typename TSetUpOurs>
  void
  Compare(const TMakeOurs &  makeOurs,
          const TMakeItks &  makeItks,
          const TSetUp &     setUp,
          const TSetUpOurs & setUpOurs,
          bool               isInPlace = false)
  {
    typename ImageType::SizeType size;
    size.Fill(Dimension == 2 ? 60 : Dimension == 3 ? 17 : 8);
    size[0] *= Dimension == 2 ? 80 : Dimension == 3 ? 60 : 1; // more than one thread labels alone
    const auto image = MakeValues<ImageType>(size, { 0, 0, 1 }, 7);
    const auto itks = makeItks();
    itks->SetInput(CopyOf(*image));
    second = MakeValues<ImageType>(size, { 0, 1, 1 }, 8);
    setUp(*itks);
    itks->Update();
    const std::vector<std::uint64_t> expected = ValuesOf(*itks->GetOutput());
    ASSERT_GE(std::set<std::uint64_t>(expected.begin(), expected.end()).size(), 2U);

    for (const Release release : { Release::None, Release::OfInput, Release::Global })
    {
      for (const bool hasSource : { false, true })
      {
        const auto ours = makeOurs();
        SCOPED_TRACE(testing::Message() << ours->GetNameOfClass() << ", release " << static_cast<int>(release)
                                        << ", source " << hasSource);
        const auto source = ThrowingSource<ImageType>::New();
        source->image = isInPlace ? CopyOf(*image) : WithMargin(*image); // a margin prevents the work in place
        source->largestRegion = image->GetBufferedRegion();
        int runsOfSource = 0;
        source->AddObserver(itk::StartEvent(), [&runsOfSource](const itk::EventObject &) { ++runsOfSource; });
        const typename ImageType::Pointer input = hasSource ? source->GetOutput() : CopyOf(*image).GetPointer();
        input->SetReleaseDataFlag(release == Release::OfInput);
        second = MakeValues<ImageType>(size, { 0, 1, 1 }, 8);
        second->SetReleaseDataFlag(release == Release::OfInput);
        ours->SetInput(input);
        setUp(*ours);
        setUpOurs(*ours);
        ours->SetNumberOfWorkUnits(3);
        RecordingThreader::seen.clear();
        itk::DataObject::SetGlobalReleaseDataFlag(release == Release::Global);
        const std::string exception = ExceptionOf(*ours);
        itk::DataObject::SetGlobalReleaseDataFlag(false);
        ASSERT_EQ(exception, "");
        EXPECT_EQ(ValuesOf(*ours->GetOutput()), expected);
        EXPECT_EQ(runsOfSource, hasSource ? 1 : 0);
        EXPECT_EQ(input->GetDataReleased(), isInPlace || release != Release::None);
        if (sharesThreads)
        {
          EXPECT_EQ(RecordingThreader::seen, std::set<unsigned int>{ 3 });
        }
      }
    }
  }

  /** An image for other inputs. */
  typename ImageType::Pointer second;

  /** Whether all threads of our filter are its own. */
  bool sharesThreads = true;

private:
  RecordingFactory::Pointer m_Factory = RecordingFactory::New();
};

using Dimensions = testing::Types<std::integral_constant<unsigned int, 2>,
                                  std::integral_constant<unsigned int, 3>,
                                  std::integral_constant<unsigned int, 4>>;
TYPED_TEST_SUITE(CudaConnectedComponentsFilterPipeline, Dimensions);

/** Does not set anything. */
constexpr auto Nothing = [](const auto &) {};

TYPED_TEST(CudaConnectedComponentsFilterPipeline, Labels)
{
  using InputType = typename TestFixture::ImageType;
  using OutputType = typename TestFixture::LabelsType;
  const auto setMask = [this](auto & filter) { filter.SetMaskImage(this->second); };
  const auto measure = [this](auto & filter) {
    filter.SetIntensityImage(this->second);
    filter.ComputeStatisticsOn();
  };
  const auto makeOurs = [] { return itk::CudaConnectedComponentImageFilter<InputType, OutputType>::New(); };
  const auto makeItks = [] { return itk::ConnectedComponentImageFilter<InputType, OutputType>::New(); };
  this->Compare(makeOurs, makeItks, Nothing, Nothing);
  this->Compare(makeOurs, makeItks, setMask, measure);
  const auto makeMap = [](auto & filter) { filter.SetInputForegroundValue(1); };
  using LabelMapType = typename TestFixture::MapType;
  this->Compare([] { return itk::CudaBinaryImageToLabelMapFilter<InputType, LabelMapType>::New(); },
                [] { return itk::BinaryImageToLabelMapFilter<InputType, LabelMapType>::New(); },
                makeMap,
                Nothing);
  this->Compare([] { return itk::CudaLabelImageToLabelMapFilter<InputType, LabelMapType>::New(); },
                [] { return itk::LabelImageToLabelMapFilter<InputType, LabelMapType>::New(); },
                Nothing,
                Nothing);
}

TYPED_TEST(CudaConnectedComponentsFilterPipeline, Relabel)
{
  using InputType = typename TestFixture::ImageType;
  for (const bool isInPlace : { false, true })
  {
    this->Compare([] { return itk::CudaRelabelComponentImageFilter<InputType, InputType>::New(); },
                  [] { return itk::RelabelComponentImageFilter<InputType, InputType>::New(); },
                  [isInPlace](auto & filter) { filter.SetInPlace(isInPlace); },
                  Nothing,
                  isInPlace);
  }
}

TYPED_TEST(CudaConnectedComponentsFilterPipeline, Masks)
{
  using InputType = typename TestFixture::ImageType;
  const auto makeKeep = [] { return itk::BinaryShapeKeepNObjectsImageFilter<InputType>::New(); };
  const auto keepLargest = [](auto & filter) {
    filter.SetForegroundValue(1);
    filter.SetNumberOfObjects(1);
  };
  this->Compare(
    [] { return itk::CudaBinaryKeepNObjectsImageFilter<InputType>::New(); }, makeKeep, keepLargest, Nothing);
  // The second attribute is one that only ITK computes.
  for (const char * const attribute : { "NumberOfPixels", "PhysicalSize" })
  {
    SCOPED_TRACE(attribute);
    this->Compare([] { return itk::CudaBinaryShapeKeepNObjectsImageFilter<InputType>::New(); },
                  makeKeep,
                  [&](auto & filter) {
                    keepLargest(filter);
                    filter.SetAttribute(attribute);
                  },
                  Nothing);
    this->Compare([] { return itk::CudaBinaryShapeOpeningImageFilter<InputType>::New(); },
                  [] { return itk::BinaryShapeOpeningImageFilter<InputType>::New(); },
                  [attribute](auto & filter) {
                    filter.SetForegroundValue(1);
                    filter.SetLambda(3);
                    filter.SetAttribute(attribute);
                  },
                  Nothing);
  }
  const auto setForeground = [](auto & filter) { filter.SetForegroundValue(1); };
  this->Compare([] { return itk::CudaBinaryFillholeImageFilter<InputType>::New(); },
                [] { return itk::BinaryFillholeImageFilter<InputType>::New(); },
                setForeground,
                Nothing);
  this->Compare([] { return itk::CudaBinaryGrindPeakImageFilter<InputType>::New(); },
                [] { return itk::BinaryGrindPeakImageFilter<InputType>::New(); },
                setForeground,
                Nothing);
}

TYPED_TEST(CudaConnectedComponentsFilterPipeline, Thresholds)
{
  using InputType = typename TestFixture::ImageType;
  using OutputType = typename TestFixture::LabelsType;
  // The filters of ITK use one thread, or do not give their number of work units to the filters inside them.
  this->sharesThreads = TestFixture::Dimension <= 3;
  this->Compare([] { return itk::CudaThresholdMaximumConnectedComponentsImageFilter<InputType, OutputType>::New(); },
                [] { return itk::ThresholdMaximumConnectedComponentsImageFilter<InputType, OutputType>::New(); },
                [](auto & filter) { filter.SetUpperBoundary(0); },
                Nothing);
  typename InputType::IndexType seed;
  this->Compare([] { return itk::CudaConnectedThresholdImageFilter<InputType, OutputType>::New(); },
                [] { return itk::ConnectedThresholdImageFilter<InputType, OutputType>::New(); },
                [&](auto & filter) {
                  filter.SetUpper(0);
                  for (itk::IndexValueType i = 0; i < 6; ++i)
                  {
                    seed.Fill(i);
                    filter.AddSeed(seed);
                  }
                },
                Nothing);
  this->Compare([] { return itk::CudaIsolatedConnectedImageFilter<InputType, OutputType>::New(); },
                [] { return itk::IsolatedConnectedImageFilter<InputType, OutputType>::New(); },
                [&](auto & filter) {
                  // All seeds are inside the images: ITK's filter reads their pixels without a check.
                  for (itk::IndexValueType i = 0; i < 5; ++i)
                  {
                    seed.Fill(i);
                    filter.AddSeed1(seed);
                  }
                  filter.AddSeed2(seed);
                },
                Nothing);
}

} // namespace pipeline_test
