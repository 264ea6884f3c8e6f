// SPDX-License-Identifier: Apache-2.0

// Tests of the object factory that replaces ITK's filters, and of the filters that it makes.

#include "FilterTestSupport.h"

#include "itkAttributeLabelObject.h"
#include "itkBinaryFillholeImageFilter.h"
#include "itkBinaryGrindPeakImageFilter.h"
#include "itkBinaryImageToLabelMapFilter.h"
#include "itkBinaryShapeKeepNObjectsImageFilter.h"
#include "itkBinaryShapeOpeningImageFilter.h"
#include "itkConnectedThresholdImageFilter.h"
#include "itkCudaBinaryFillholeImageFilter.h"
#include "itkCudaBinaryImageToLabelMapFilter.h"
#include "itkCudaConnectedComponentImageFilterFactory.h"
#include "itkCudaConnectedComponentsFilter.h"
#include "itkIsolatedConnectedImageFilter.h"
#include "itkLabelImageToLabelMapFilter.h"
#include "itkShapeLabelObject.h"
#include "itkStatisticsLabelObject.h"
#include "itkThresholdMaximumConnectedComponentsImageFilter.h"
#include "itkVersion.h"

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <set>

#include <unistd.h>

namespace
{

using FactoryType = itk::CudaConnectedComponentsFactory;

// The old names of version 0.2.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
static_assert(std::is_same_v<itk::CudaConnectedComponentImageFilterFactory, FactoryType>);
static_assert(
  std::is_same_v<itk::CudaConnectedComponentsFilter<itk::Object>, itk::CudaConnectedComponentsFilterBase<itk::Object>>);
static_assert(itk::CudaConnectedComponentError::Kind::Memory == itk::CudaConnectedComponentError::KindEnum::Memory);
#pragma GCC diagnostic pop

/** Unregisters the factory after each test. */
class CudaConnectedComponentsFactory : public testing::Test
{
protected:
  void
  TearDown() override
  {
    unsetenv("ITK_CUDA_CONNECTED_COMPONENTS");
    unsetenv("ITK_CUDA_CONNECTED_COMPONENTS_DISABLE");
    for (itk::ObjectFactoryBase * const each : Registered())
    {
      itk::ObjectFactoryBase::UnRegisterFactory(each);
    }
  }

  static std::vector<itk::ObjectFactoryBase *>
  Registered()
  {
    std::vector<itk::ObjectFactoryBase *> factories;
    for (itk::ObjectFactoryBase * const each : itk::ObjectFactoryBase::GetRegisteredFactories())
    {
      if (dynamic_cast<FactoryType *>(each) != nullptr)
      {
        factories.push_back(each);
      }
    }
    return factories;
  }
};

template <typename TInput, typename TOutput, unsigned int VDimension, typename TMask = TInput>
using Replaced = itk::ConnectedComponentImageFilter<itk::Image<TInput, VDimension>,
                                                    itk::Image<TOutput, VDimension>,
                                                    itk::Image<TMask, VDimension>>;

template <typename TInput, typename TOutput, unsigned int VDimension>
using Relabeled = itk::RelabelComponentImageFilter<itk::Image<TInput, VDimension>, itk::Image<TOutput, VDimension>>;

template <typename TInput, template <typename, unsigned int> class TObject, unsigned int VDimension>
using Mapped = itk::BinaryImageToLabelMapFilter<itk::Image<TInput, VDimension>,
                                                itk::LabelMap<TObject<itk::SizeValueType, VDimension>>>;

/** The filter of SimpleITK. */
template <typename TInput, unsigned int VDimension>
using SimplyMapped = itk::BinaryImageToLabelMapFilter<itk::Image<TInput, VDimension>,
                                                      itk::LabelMap<itk::LabelObject<std::uint32_t, VDimension>>>;

template <typename TPixel,
          template <typename, unsigned int> class TObject,
          unsigned int VDimension,
          typename TLabel = TPixel>
using LabelsMapped =
  itk::LabelImageToLabelMapFilter<itk::Image<TPixel, VDimension>, itk::LabelMap<TObject<TLabel, VDimension>>>;

template <typename TLabel, unsigned int VDimension>
using BoolObject = itk::AttributeLabelObject<TLabel, VDimension, bool>;

template <typename TPixel, unsigned int VDimension>
using Filled = itk::BinaryFillholeImageFilter<itk::Image<TPixel, VDimension>>;

template <typename TPixel, unsigned int VDimension>
using Kept = itk::BinaryShapeKeepNObjectsImageFilter<itk::Image<TPixel, VDimension>>;

template <typename TPixel, unsigned int VDimension>
using Opened = itk::BinaryShapeOpeningImageFilter<itk::Image<TPixel, VDimension>>;

template <typename TPixel, unsigned int VDimension>
using Ground = itk::BinaryGrindPeakImageFilter<itk::Image<TPixel, VDimension>>;

template <typename TInput, typename TOutput, unsigned int VDimension>
using Grown = itk::ConnectedThresholdImageFilter<itk::Image<TInput, VDimension>, itk::Image<TOutput, VDimension>>;

template <typename TInput, typename TOutput, unsigned int VDimension>
using Isolated = itk::IsolatedConnectedImageFilter<itk::Image<TInput, VDimension>, itk::Image<TOutput, VDimension>>;

template <typename TInput, typename TOutput, unsigned int VDimension>
using Maximized =
  itk::ThresholdMaximumConnectedComponentsImageFilter<itk::Image<TInput, VDimension>, itk::Image<TOutput, VDimension>>;

template <typename TFilter>
std::string
NameOfNew()
{
  return TFilter::New()->GetNameOfClass();
}

/** Returns the filter that New() takes from the registered factories. It is null if New() returns ITK's filter. ITK's
 * filter is not compiled for this. */
template <typename TFilter>
typename TFilter::Pointer
Create()
{
  const typename TFilter::Pointer filter = itk::ObjectFactory<TFilter>::Create();
  if (filter.IsNotNull())
  {
    filter->UnRegister(); // as New() does
  }
  return filter;
}

template <typename TFilter>
std::string
NameOfReplacement()
{
  const auto filter = Create<TFilter>();
  return filter.IsNull() ? "" : filter->GetNameOfClass();
}

const std::string ItkName = "ConnectedComponentImageFilter";
const std::string OurName = "CudaConnectedComponentImageFilter";
const std::string ItkRelabelName = "RelabelComponentImageFilter";
const std::string OurRelabelName = "CudaRelabelComponentImageFilter";
const std::string ItkMapName = "BinaryImageToLabelMapFilter";
const std::string OurMapName = "CudaBinaryImageToLabelMapFilter";
const std::string ItkFillName = "BinaryFillholeImageFilter";
const std::string OurFillName = "CudaBinaryFillholeImageFilter";
const std::string ItkKeepName = "BinaryShapeKeepNObjectsImageFilter";
const std::string OurKeepName = "CudaBinaryShapeKeepNObjectsImageFilter";
const std::string OurOpenName = "CudaBinaryShapeOpeningImageFilter";
const std::string OurGrindName = "CudaBinaryGrindPeakImageFilter";
const std::string OurLabelsMapName = "CudaLabelImageToLabelMapFilter";
const std::string OurGrowName = "CudaConnectedThresholdImageFilter";
const std::string OurIsolateName = "CudaIsolatedConnectedImageFilter";
const std::string OurMaximizeName = "CudaThresholdMaximumConnectedComponentsImageFilter";

TEST_F(CudaConnectedComponentsFactory, LinkingChangesNothing)
{
  EXPECT_EQ((NameOfNew<Replaced<unsigned char, short, 3>>()), ItkName);
}

TEST_F(CudaConnectedComponentsFactory, ReplacesItksFilter)
{
  FactoryType::RegisterOneFactory();
  EXPECT_EQ((NameOfNew<Replaced<unsigned char, short, 3>>()), OurName);
  EXPECT_EQ((NameOfReplacement<Replaced<unsigned char, unsigned char, 2>>()), OurName);
  EXPECT_EQ((NameOfReplacement<Replaced<float, unsigned long, 3, unsigned char>>()), OurName);
  EXPECT_EQ((NameOfNew<Replaced<double, short, 3>>()), ItkName);
  EXPECT_EQ((NameOfReplacement<Replaced<unsigned char, short, 4>>()), "");
}

TEST_F(CudaConnectedComponentsFactory, ReplacesItksRelabelFilter)
{
  EXPECT_EQ((NameOfNew<Relabeled<short, short, 3>>()), ItkRelabelName);
  FactoryType::RegisterOneFactory();
  EXPECT_EQ((NameOfNew<Relabeled<short, short, 3>>()), OurRelabelName);
  EXPECT_EQ((NameOfReplacement<Relabeled<unsigned char, unsigned char, 2>>()), OurRelabelName);
  EXPECT_EQ((NameOfReplacement<Relabeled<unsigned long, float, 3>>()), OurRelabelName);
  EXPECT_EQ((NameOfReplacement<Relabeled<float, float, 3>>()), "");
  EXPECT_EQ((NameOfReplacement<Relabeled<short, short, 4>>()), "");
}

TEST_F(CudaConnectedComponentsFactory, ReplacesItksFiltersOfBinaryImages)
{
  EXPECT_EQ((NameOfNew<Mapped<short, itk::LabelObject, 3>>()), ItkMapName);
  EXPECT_EQ((NameOfNew<Filled<short, 3>>()), ItkFillName);
  EXPECT_EQ((NameOfNew<Kept<short, 3>>()), ItkKeepName);
  FactoryType::RegisterOneFactory();
  EXPECT_EQ((NameOfNew<Mapped<short, itk::LabelObject, 3>>()), OurMapName);
  EXPECT_EQ((NameOfReplacement<Mapped<unsigned char, itk::ShapeLabelObject, 2>>()), OurMapName);
  EXPECT_EQ((NameOfNew<Filled<short, 3>>()), OurFillName);
  EXPECT_EQ((NameOfReplacement<Filled<unsigned char, 2>>()), OurFillName);
  EXPECT_EQ((NameOfReplacement<Kept<unsigned char, 3>>()), OurKeepName);
  EXPECT_EQ((NameOfReplacement<Kept<short, 2>>()), OurKeepName);
  EXPECT_EQ((NameOfReplacement<Opened<unsigned char, 3>>()), OurOpenName);
  EXPECT_EQ((NameOfReplacement<Ground<short, 2>>()), OurGrindName);
  EXPECT_EQ((NameOfReplacement<Mapped<double, itk::LabelObject, 3>>()), "");
  EXPECT_EQ((NameOfReplacement<Mapped<short, itk::LabelObject, 4>>()), "");
  EXPECT_EQ((NameOfReplacement<Filled<double, 3>>()), "");
  EXPECT_EQ((NameOfReplacement<Kept<double, 3>>()), "");
  EXPECT_EQ((NameOfReplacement<Kept<short, 4>>()), "");
  EXPECT_EQ((NameOfReplacement<Opened<double, 3>>()), "");
  EXPECT_EQ((NameOfReplacement<Ground<short, 4>>()), "");
}

TEST_F(CudaConnectedComponentsFactory, ReplacesTheLabelMapFilterOfSimpleITK)
{
  EXPECT_EQ((NameOfReplacement<SimplyMapped<unsigned char, 3>>()), "");
  FactoryType::RegisterOneFactory();
  EXPECT_EQ((NameOfReplacement<SimplyMapped<std::uint8_t, 3>>()), OurMapName);
  EXPECT_EQ((NameOfReplacement<SimplyMapped<std::int16_t, 2>>()), OurMapName);
#ifndef CUDA_CONNECTED_COMPONENTS_FEW_TYPES
  EXPECT_EQ((NameOfReplacement<SimplyMapped<std::int8_t, 2>>()), OurMapName);
  EXPECT_EQ((NameOfReplacement<SimplyMapped<std::uint16_t, 2>>()), OurMapName);
  EXPECT_EQ((NameOfReplacement<SimplyMapped<std::int32_t, 2>>()), OurMapName);
  EXPECT_EQ((NameOfReplacement<SimplyMapped<std::uint32_t, 3>>()), OurMapName);
  EXPECT_EQ((NameOfReplacement<SimplyMapped<std::int64_t, 3>>()), OurMapName);
  EXPECT_EQ((NameOfReplacement<SimplyMapped<std::uint64_t, 2>>()), OurMapName);
#endif
  // SimpleITK has no such filter.
  EXPECT_EQ((NameOfReplacement<SimplyMapped<char, 3>>()), "");
  EXPECT_EQ((NameOfReplacement<SimplyMapped<float, 3>>()), "");
}

TEST_F(CudaConnectedComponentsFactory, ReplacesItksFilterOfLabelImages)
{
  EXPECT_EQ((NameOfReplacement<LabelsMapped<short, itk::ShapeLabelObject, 3>>()), "");
  FactoryType::RegisterOneFactory();
  EXPECT_EQ((NameOfReplacement<LabelsMapped<short, itk::ShapeLabelObject, 3>>()), OurLabelsMapName);
  EXPECT_EQ((NameOfReplacement<LabelsMapped<unsigned char, itk::LabelObject, 2>>()), OurLabelsMapName);
  EXPECT_EQ((NameOfReplacement<LabelsMapped<unsigned char, itk::StatisticsLabelObject, 3, itk::SizeValueType>>()),
            OurLabelsMapName);
  EXPECT_EQ((NameOfReplacement<LabelsMapped<float, itk::ShapeLabelObject, 3>>()), "");
  EXPECT_EQ((NameOfReplacement<LabelsMapped<short, itk::ShapeLabelObject, 4>>()), "");
}

TEST_F(CudaConnectedComponentsFactory, ReplacesItksFiltersOfThresholds)
{
  EXPECT_EQ((NameOfReplacement<Grown<short, unsigned char, 3>>()), "");
  FactoryType::RegisterOneFactory();
  EXPECT_EQ((NameOfReplacement<Grown<short, unsigned char, 3>>()), OurGrowName);
  EXPECT_EQ((NameOfReplacement<Grown<short, short, 2>>()), OurGrowName);
  EXPECT_EQ((NameOfReplacement<Isolated<unsigned char, unsigned char, 3>>()), OurIsolateName);
  EXPECT_EQ((NameOfReplacement<Maximized<short, unsigned char, 2>>()), OurMaximizeName);
  EXPECT_EQ((NameOfReplacement<Grown<short, int, 3>>()), "");
  EXPECT_EQ((NameOfReplacement<Grown<short, unsigned char, 4>>()), "");
}

TEST_F(CudaConnectedComponentsFactory, FiltersOfThresholdsGiveTheSameResultsThroughThePublicClass)
{
  // A bright region and a less bright one, with bright dust. The outer brightness rises.
  using ImageType = itk::Image<short, 2>;
  const auto image = MakeItkImage<ImageType>(MakeRandom({ 200, 150, 1 }, 30, 1, 407), 30);
  for (itk::ImageRegionIteratorWithIndex<ImageType> it(image, image->GetBufferedRegion()); !it.IsAtEnd(); ++it)
  {
    const auto index = it.GetIndex();
    const bool isInBand = index[1] > 40 && index[1] < 60;
    it.Set(static_cast<short>(isInBand ? (index[0] < 90 ? 50 : index[0] < 110 ? 70 : 55) : it.Get() + index[0] % 7));
  }
  const auto compare = [&](const auto & make, const auto & expectResults) {
    const auto expected = make();
    FactoryType::RegisterOneFactory();
    const auto filter = make();
    ASSERT_EQ(std::string(filter->GetNameOfClass()).find("Cuda"), 0U);
    for (const auto & each : { expected, filter })
    {
      each->SetInput(image);
      each->Update();
    }
    ExpectSameImages(filter->GetOutput(), expected->GetOutput());
    expectResults(*filter, *expected);
    itk::ObjectFactoryBase::UnRegisterFactory(FactoryType::GetRegistered());
  };
  compare(
    [] {
      const auto filter = Grown<short, unsigned char, 2>::New();
      filter->SetLower(45);
      filter->SetUpper(60);
      filter->SetSeed({ { 50, 50 } });
      return filter;
    },
    [](const auto &, const auto &) {});
  compare(
    [] {
      const auto filter = Isolated<short, unsigned char, 2>::New();
      filter->SetSeed1({ { 50, 50 } });
      filter->SetSeed2({ { 150, 50 } });
      filter->SetLower(45);
      return filter;
    },
    [](const auto & filter, const auto & expected) {
      EXPECT_GE(filter.GetIsolatedValue(), 55); // the brightest pixel of both regions
      EXPECT_EQ(filter.GetIsolatedValue(), expected.GetIsolatedValue());
      EXPECT_EQ(filter.GetThresholdingFailed(), expected.GetThresholdingFailed());
    });
  compare([] { return Maximized<short, unsigned char, 2>::New(); },
          [](const auto & filter, const auto & expected) {
            EXPECT_GT(filter.GetNumberOfObjects(), 10U);
            EXPECT_EQ(filter.GetNumberOfObjects(), expected.GetNumberOfObjects());
            EXPECT_EQ(filter.GetThresholdValue(), expected.GetThresholdValue());
          });
}

TEST_F(CudaConnectedComponentsFactory, FiltersOfBinaryImagesStartTheGPULate)
{
  FactoryType::RegisterOneFactory();
  using ImageType = itk::Image<short, 2>;
  const auto         fill = Create<itk::BinaryFillholeImageFilter<ImageType>>();
  const auto * const ourFill = dynamic_cast<const itk::CudaBinaryFillholeImageFilter<ImageType> *>(fill.GetPointer());
  ASSERT_NE(ourFill, nullptr);
  EXPECT_TRUE(ourFill->GetLazyGPUStart());
  using MapType = itk::LabelMap<itk::LabelObject<std::uint32_t, 2>>;
  const auto         map = Create<SimplyMapped<short, 2>>();
  const auto * const ourMap =
    dynamic_cast<const itk::CudaBinaryImageToLabelMapFilter<ImageType, MapType> *>(map.GetPointer());
  ASSERT_NE(ourMap, nullptr);
  EXPECT_TRUE(ourMap->GetLazyGPUStart());
}

TEST_F(CudaConnectedComponentsFactory, SetsTheNumberOfObjectsOfThePublicClass)
{
  using ImageType = itk::Image<short, 3>;
  const auto image = MakeItkImage<ImageType>(MakeRandom({ 31, 23, 17 }, 20, 1, 406));
  using FilterType = itk::BinaryImageToLabelMapFilter<ImageType>;
  const FilterType::Pointer expected = FilterType::New();
  FactoryType::RegisterOneFactory();
  const FilterType::Pointer filter = FilterType::New();
  ASSERT_EQ(filter->GetNameOfClass(), OurMapName);
  for (FilterType * const each : { expected.GetPointer(), filter.GetPointer() })
  {
    each->SetInput(image);
    each->SetInputForegroundValue(1);
    each->FullyConnectedOn();
    each->SetOutputBackgroundValue(3);
    each->Update();
  }
  ASSERT_GT(expected->FilterType::GetNumberOfObjects(), 10U);
  EXPECT_EQ(filter->FilterType::GetNumberOfObjects(), expected->FilterType::GetNumberOfObjects());
  EXPECT_EQ(filter->GetNumberOfObjects(), filter->GetOutput()->GetNumberOfLabelObjects());
  EXPECT_FALSE(filter->GetOutput()->HasLabel(3));
  const auto * const ours = dynamic_cast<const itk::CudaBinaryImageToLabelMapFilter<ImageType> *>(filter.GetPointer());
  ASSERT_NE(ours, nullptr);
  EXPECT_TRUE(ours->GetLazyGPUStart());
}

/** Returns the names of the filters that a factory replaces if a list of names is turned off: C for connected
 * components, R for relabeling, L for label maps, F for filling holes, K for keeping objects, O for opening, G for
 * grinding peaks, M for label maps of label images, S for seeds, I for isolating, T for thresholds. */
std::string
ReplacedWithout(const char * names)
{
  setenv("ITK_CUDA_CONNECTED_COMPONENTS_DISABLE", names, 1);
  const auto factory = FactoryType::New();
  factory->AddOverride<itk::Image<double, 3>, itk::Image<short, 3>>();
  itk::ObjectFactoryBase::RegisterFactory(factory);
  unsetenv("ITK_CUDA_CONNECTED_COMPONENTS_DISABLE");
  const bool connected = NameOfNew<Replaced<unsigned char, short, 3>>() == OurName;
  const bool relabel = NameOfNew<Relabeled<short, short, 3>>() == OurRelabelName;
  const bool map = NameOfNew<Mapped<short, itk::LabelObject, 3>>() == OurMapName;
  EXPECT_EQ((NameOfReplacement<SimplyMapped<short, 3>>() == OurMapName), map);
  const bool fill = NameOfNew<Filled<short, 3>>() == OurFillName;
  const bool keep = NameOfNew<Kept<short, 3>>() == OurKeepName;
  const bool open = NameOfReplacement<Opened<short, 3>>() == OurOpenName;
  const bool grind = NameOfReplacement<Ground<short, 3>>() == OurGrindName;
  const bool labels = NameOfReplacement<LabelsMapped<short, itk::ShapeLabelObject, 3>>() == OurLabelsMapName;
  const bool grow = NameOfReplacement<Grown<short, short, 3>>() == OurGrowName;
  const bool isolate = NameOfReplacement<Isolated<short, short, 3>>() == OurIsolateName;
  const bool maximize = NameOfReplacement<Maximized<short, short, 3>>() == OurMaximizeName;
  EXPECT_EQ((NameOfNew<Replaced<double, short, 3>>() == OurName), connected);
  itk::ObjectFactoryBase::UnRegisterFactory(factory);
  return std::string(connected ? "C" : "") + (relabel ? "R" : "") + (map ? "L" : "") + (fill ? "F" : "") +
         (keep ? "K" : "") + (open ? "O" : "") + (grind ? "G" : "") + (labels ? "M" : "") + (grow ? "S" : "") +
         (isolate ? "I" : "") + (maximize ? "T" : "");
}

TEST_F(CudaConnectedComponentsFactory, IsTurnedOffByName)
{
  EXPECT_EQ(ReplacedWithout(""), "CRLFKOGMSIT");
  EXPECT_EQ(ReplacedWithout("RelabelComponentImageFilter"), "CLFKOGMSIT");
  EXPECT_EQ(ReplacedWithout("ConnectedComponentImageFilter"), "RLFKOGMSIT");
  EXPECT_EQ(ReplacedWithout("BinaryImageToLabelMapFilter"), "CRFKOGMSIT");
  EXPECT_EQ(ReplacedWithout("BinaryFillholeImageFilter"), "CRLKOGMSIT");
  EXPECT_EQ(ReplacedWithout("BinaryShapeKeepNObjectsImageFilter"), "CRLFOGMSIT");
  EXPECT_EQ(ReplacedWithout("BinaryShapeOpeningImageFilter"), "CRLFKGMSIT");
  EXPECT_EQ(ReplacedWithout("BinaryGrindPeakImageFilter"), "CRLFKOMSIT");
  EXPECT_EQ(ReplacedWithout("LabelImageToLabelMapFilter"), "CRLFKOGSIT");
  EXPECT_EQ(ReplacedWithout("ConnectedThresholdImageFilter"), "CRLFKOGMIT");
  EXPECT_EQ(ReplacedWithout("IsolatedConnectedImageFilter"), "CRLFKOGMST");
  EXPECT_EQ(ReplacedWithout("ThresholdMaximumConnectedComponentsImageFilter"), "CRLFKOGMSI");
  EXPECT_EQ(ReplacedWithout("BinaryImageToLabelMapFilter, BinaryFillholeImageFilter"), "CRKOGMSIT");
  EXPECT_EQ(ReplacedWithout(" OtherFilter , RelabelComponentImageFilter ,"), "CLFKOGMSIT");
  EXPECT_EQ(ReplacedWithout("RelabelComponentImageFilter,ConnectedComponentImageFilter"), "LFKOGMSIT");
  EXPECT_EQ(ReplacedWithout("RelabelComponentImageFilter2,Component"), "CRLFKOGMSIT");
}

/** Returns an image with the same values and geometry. */
template <typename TTo, typename TFrom>
typename TTo::Pointer
Convert(const TFrom & image)
{
  auto converted = TTo::New();
  converted->CopyInformation(&image);
  converted->SetBufferedRegion(image.GetBufferedRegion());
  converted->Allocate();
  std::transform(image.GetBufferPointer(),
                 image.GetBufferPointer() + image.GetBufferedRegion().GetNumberOfPixels(),
                 converted->GetBufferPointer(),
                 [](typename TFrom::PixelType pixel) { return static_cast<typename TTo::PixelType>(pixel); });
  return converted;
}

/** Relabels an image by the filter of the factory. Compares the results through a pointer to ITK's class with ITK's
 * filter for short, so that ITK's filter is compiled for one type only. */
template <typename TInput, typename TOutput, unsigned int VDimension>
void
ExpectSameRelabelingFor()
{
  SCOPED_TRACE(typeid(Relabeled<TInput, TOutput, VDimension>).name());
  using LabelsType = itk::Image<short, VDimension>;
  auto image = MakeItkImage<LabelsType>(MakeRandom({ 31, 23, VDimension == 2 ? 1U : 7U }, 50, 1, 405));
  // Labels with gaps. Label 50 has fewer pixels than the minimum size.
  for (std::size_t i = 0; i < 31 * 23; ++i)
  {
    auto & pixel = image->GetBufferPointer()[i];
    pixel = static_cast<short>(pixel != 0 ? 10 * (1 + i / 8 % 4) : 0);
  }
  image->GetBufferPointer()[5] = 50;
  auto expected = Relabeled<short, short, VDimension>::New();
  ASSERT_EQ(expected->GetNameOfClass(), ItkRelabelName);
  expected->SetInput(image);
  expected->SetMinimumObjectSize(5);
  expected->Update();

  FactoryType::RegisterOneFactory();
  const auto filter = Create<Relabeled<TInput, TOutput, VDimension>>();
  ASSERT_TRUE(filter);
  ASSERT_EQ(filter->GetNameOfClass(), OurRelabelName);
  filter->SetInput(Convert<itk::Image<TInput, VDimension>>(*image));
  filter->SetMinimumObjectSize(5);
  filter->Update();
  ExpectSameImages(Convert<LabelsType>(*filter->GetOutput()).GetPointer(), expected->GetOutput());
  ASSERT_GT(expected->GetNumberOfObjects(), 2U);
  ASSERT_GT(expected->GetOriginalNumberOfObjects(), expected->GetNumberOfObjects());
  EXPECT_EQ(filter->GetNumberOfObjects(), expected->GetNumberOfObjects());
  EXPECT_EQ(filter->GetOriginalNumberOfObjects(), expected->GetOriginalNumberOfObjects());
  EXPECT_EQ(filter->GetSizeOfObjectsInPixels(), expected->GetSizeOfObjectsInPixels());
  EXPECT_EQ(filter->GetSizeOfObjectsInPhysicalUnits(), expected->GetSizeOfObjectsInPhysicalUnits());
  for (short i = 0; i <= static_cast<short>(expected->GetNumberOfObjects() + 1); ++i)
  {
    const auto label = static_cast<TInput>(i);
    EXPECT_EQ(filter->GetSizeOfObjectInPixels(label), expected->GetSizeOfObjectInPixels(i));
    EXPECT_EQ(filter->GetSizeOfObjectInPhysicalUnits(label), expected->GetSizeOfObjectInPhysicalUnits(i));
  }
  itk::ObjectFactoryBase::UnRegisterFactory(itk::ObjectFactoryBase::GetRegisteredFactories().back());
}

TEST_F(CudaConnectedComponentsFactory, RelabelFiltersGiveTheSameResultsThroughThePublicClass)
{
  ExpectSameRelabelingFor<short, short, 3>();
  ExpectSameRelabelingFor<unsigned char, unsigned char, 2>();
  ExpectSameRelabelingFor<long, long, 2>();
  ExpectSameRelabelingFor<unsigned long, float, 3>();
#ifndef CUDA_CONNECTED_COMPONENTS_FEW_TYPES
  ExpectSameRelabelingFor<char, char, 2>();
  ExpectSameRelabelingFor<signed char, signed char, 2>();
  ExpectSameRelabelingFor<unsigned short, unsigned short, 2>();
  ExpectSameRelabelingFor<int, int, 3>();
  ExpectSameRelabelingFor<unsigned int, unsigned int, 2>();
  ExpectSameRelabelingFor<long long, long long, 2>();
  ExpectSameRelabelingFor<unsigned long long, unsigned long long, 3>();
#endif
}

TEST_F(CudaConnectedComponentsFactory, IsRegisteredOnce)
{
  FactoryType::RegisterOneFactory();
  FactoryType::RegisterOneFactory();
  EXPECT_EQ(Registered().size(), 1U);
}

TEST_F(CudaConnectedComponentsFactory, HasNameVersionAndDescription)
{
  auto factory = FactoryType::New();
  EXPECT_STREQ(factory->GetNameOfClass(), "CudaConnectedComponentsFactory");
  EXPECT_STREQ(factory->GetITKSourceVersion(), ITK_SOURCE_VERSION);
  EXPECT_NE(std::string(factory->GetDescription()), "");
}

/** Inserts the type names of ITK's filters for an input and several outputs: in 2 and 3 dimensions, with masks of the
 * input type and of unsigned char. */
template <typename TInput, typename... TOutputs>
void
InsertNames(std::multiset<std::string> & names)
{
  const auto insert = [&names](const std::type_info & type) { names.insert(type.name()); };
  (insert(typeid(Replaced<TInput, TOutputs, 2>)), ...);
  (insert(typeid(Replaced<TInput, TOutputs, 3>)), ...);
  if constexpr (!std::is_same_v<TInput, unsigned char>)
  {
    (insert(typeid(Replaced<TInput, TOutputs, 2, unsigned char>)), ...);
    (insert(typeid(Replaced<TInput, TOutputs, 3, unsigned char>)), ...);
  }
}

template <typename TInput, typename TOutput = TInput>
void
InsertRelabelNames(std::multiset<std::string> & names)
{
  names.insert(typeid(Relabeled<TInput, TOutput, 2>).name());
  names.insert(typeid(Relabeled<TInput, TOutput, 3>).name());
}

template <typename TPixel>
void
InsertBinaryNames(std::multiset<std::string> & names)
{
  const auto insert = [&names](const std::type_info & type) { names.insert(type.name()); };
  insert(typeid(Mapped<TPixel, itk::LabelObject, 2>));
  insert(typeid(Mapped<TPixel, itk::LabelObject, 3>));
  insert(typeid(Mapped<TPixel, itk::ShapeLabelObject, 2>));
  insert(typeid(Mapped<TPixel, itk::ShapeLabelObject, 3>));
  insert(typeid(Mapped<TPixel, itk::StatisticsLabelObject, 2>));
  insert(typeid(Mapped<TPixel, itk::StatisticsLabelObject, 3>));
  insert(typeid(Mapped<TPixel, BoolObject, 2>));
  insert(typeid(Mapped<TPixel, BoolObject, 3>));
  insert(typeid(Filled<TPixel, 2>));
  insert(typeid(Filled<TPixel, 3>));
  insert(typeid(Kept<TPixel, 2>));
  insert(typeid(Kept<TPixel, 3>));
  insert(typeid(Opened<TPixel, 2>));
  insert(typeid(Opened<TPixel, 3>));
  insert(typeid(Ground<TPixel, 2>));
  insert(typeid(Ground<TPixel, 3>));
}

template <typename TPixel, template <typename, unsigned int> class TObject, typename TLabel = TPixel>
void
InsertLabelsMappedNames(std::multiset<std::string> & names)
{
  names.insert(typeid(LabelsMapped<TPixel, TObject, 2, TLabel>).name());
  names.insert(typeid(LabelsMapped<TPixel, TObject, 3, TLabel>).name());
}

template <typename TPixel>
void
InsertNamesOfSimpleITK(std::multiset<std::string> & names)
{
  names.insert(typeid(SimplyMapped<TPixel, 2>).name());
  names.insert(typeid(SimplyMapped<TPixel, 3>).name());
}

template <typename TInput, typename TOutput = TInput>
void
InsertThresholdNames(std::multiset<std::string> & names)
{
  const auto insert = [&names](const std::type_info & type) { names.insert(type.name()); };
  insert(typeid(Grown<TInput, TOutput, 2>));
  insert(typeid(Grown<TInput, TOutput, 3>));
  insert(typeid(Isolated<TInput, TOutput, 2>));
  insert(typeid(Isolated<TInput, TOutput, 3>));
  insert(typeid(Maximized<TInput, TOutput, 2>));
  insert(typeid(Maximized<TInput, TOutput, 3>));
  if constexpr (!std::is_same_v<TOutput, unsigned char>)
  {
    InsertThresholdNames<TInput, unsigned char>(names);
  }
}

TEST_F(CudaConnectedComponentsFactory, OverridesTheDocumentedTypes)
{
  std::multiset<std::string> expected;
  InsertThresholdNames<unsigned char>(expected);
  InsertThresholdNames<short>(expected);
#ifndef CUDA_CONNECTED_COMPONENTS_FEW_TYPES
  InsertThresholdNames<signed char>(expected);
  InsertThresholdNames<unsigned short>(expected);
  InsertThresholdNames<unsigned int>(expected);
  InsertThresholdNames<int>(expected);
  InsertThresholdNames<unsigned long>(expected);
  InsertThresholdNames<long>(expected);
  InsertThresholdNames<float>(expected);
  InsertThresholdNames<double>(expected);
#endif
#ifdef CUDA_CONNECTED_COMPONENTS_FEW_TYPES
  InsertNames<unsigned char, unsigned char, short, unsigned int, unsigned long>(expected);
  InsertNames<short, short, unsigned int, unsigned long>(expected);
  InsertNames<float, short, unsigned int, unsigned long>(expected);
  InsertNames<long, long>(expected);
  InsertRelabelNames<unsigned char>(expected);
  InsertRelabelNames<short>(expected);
  InsertRelabelNames<long>(expected);
  InsertRelabelNames<unsigned long>(expected);
  InsertRelabelNames<unsigned long, float>(expected);
  InsertBinaryNames<unsigned char>(expected);
  InsertBinaryNames<short>(expected);
  InsertNamesOfSimpleITK<unsigned char>(expected);
  InsertNamesOfSimpleITK<short>(expected);
  InsertLabelsMappedNames<unsigned char, itk::ShapeLabelObject>(expected);
  InsertLabelsMappedNames<short, itk::ShapeLabelObject>(expected);
  InsertLabelsMappedNames<unsigned char, itk::LabelObject>(expected);
  InsertLabelsMappedNames<unsigned char, itk::StatisticsLabelObject>(expected);
  InsertLabelsMappedNames<unsigned char, itk::StatisticsLabelObject, itk::SizeValueType>(expected);
#else
  InsertNames<unsigned char, unsigned char, short, unsigned short, int, unsigned int, unsigned long>(expected);
  InsertNames<signed char, signed char, short, unsigned short, int, unsigned int, unsigned long>(expected);
  InsertNames<unsigned short, short, unsigned short, int, unsigned int, unsigned long>(expected);
  InsertNames<short, short, unsigned short, int, unsigned int, unsigned long>(expected);
  InsertNames<unsigned int, short, unsigned short, int, unsigned int, unsigned long>(expected);
  InsertNames<int, short, unsigned short, int, unsigned int, unsigned long>(expected);
  InsertNames<float, short, unsigned short, int, unsigned int, unsigned long>(expected);
  InsertNames<char, char>(expected);
  InsertNames<long, long>(expected);
  InsertNames<unsigned long, unsigned long>(expected);
  InsertNames<long long, long long>(expected);
  InsertNames<unsigned long long, unsigned long long>(expected);
  InsertRelabelNames<char>(expected);
  InsertRelabelNames<signed char>(expected);
  InsertRelabelNames<unsigned char>(expected);
  InsertRelabelNames<short>(expected);
  InsertRelabelNames<unsigned short>(expected);
  InsertRelabelNames<int>(expected);
  InsertRelabelNames<unsigned int>(expected);
  InsertRelabelNames<long>(expected);
  InsertRelabelNames<unsigned long>(expected);
  InsertRelabelNames<long long>(expected);
  InsertRelabelNames<unsigned long long>(expected);
  InsertRelabelNames<unsigned long, float>(expected);
  InsertBinaryNames<char>(expected);
  InsertBinaryNames<signed char>(expected);
  InsertBinaryNames<unsigned char>(expected);
  InsertBinaryNames<short>(expected);
  InsertBinaryNames<unsigned short>(expected);
  InsertBinaryNames<int>(expected);
  InsertBinaryNames<unsigned int>(expected);
  InsertBinaryNames<long>(expected);
  InsertBinaryNames<unsigned long>(expected);
  InsertBinaryNames<float>(expected);
  InsertNamesOfSimpleITK<signed char>(expected);
  InsertNamesOfSimpleITK<unsigned char>(expected);
  InsertNamesOfSimpleITK<short>(expected);
  InsertNamesOfSimpleITK<unsigned short>(expected);
  InsertNamesOfSimpleITK<int>(expected);
  InsertNamesOfSimpleITK<unsigned int>(expected);
  InsertNamesOfSimpleITK<long>(expected);
  InsertNamesOfSimpleITK<unsigned long>(expected);
  InsertLabelsMappedNames<char, itk::ShapeLabelObject>(expected);
  InsertLabelsMappedNames<signed char, itk::ShapeLabelObject>(expected);
  InsertLabelsMappedNames<unsigned char, itk::ShapeLabelObject>(expected);
  InsertLabelsMappedNames<short, itk::ShapeLabelObject>(expected);
  InsertLabelsMappedNames<unsigned short, itk::ShapeLabelObject>(expected);
  InsertLabelsMappedNames<int, itk::ShapeLabelObject>(expected);
  InsertLabelsMappedNames<unsigned int, itk::ShapeLabelObject>(expected);
  InsertLabelsMappedNames<long, itk::ShapeLabelObject>(expected);
  InsertLabelsMappedNames<unsigned long, itk::ShapeLabelObject>(expected);
  InsertLabelsMappedNames<unsigned char, itk::LabelObject>(expected);
  InsertLabelsMappedNames<unsigned short, itk::LabelObject>(expected);
  InsertLabelsMappedNames<unsigned int, itk::LabelObject>(expected);
  InsertLabelsMappedNames<unsigned long, itk::LabelObject>(expected);
  InsertLabelsMappedNames<unsigned char, itk::StatisticsLabelObject>(expected);
  InsertLabelsMappedNames<unsigned short, itk::StatisticsLabelObject>(expected);
  InsertLabelsMappedNames<unsigned int, itk::StatisticsLabelObject>(expected);
  InsertLabelsMappedNames<unsigned long, itk::StatisticsLabelObject>(expected);
  InsertLabelsMappedNames<unsigned char, itk::StatisticsLabelObject, itk::SizeValueType>(expected);
  InsertLabelsMappedNames<unsigned short, itk::StatisticsLabelObject, itk::SizeValueType>(expected);
  InsertLabelsMappedNames<unsigned int, itk::StatisticsLabelObject, itk::SizeValueType>(expected);
#endif
  const auto names = FactoryType::New()->GetClassOverrideNames();
  EXPECT_EQ(std::multiset<std::string>(names.begin(), names.end()), expected);
  std::cout << names.size() << " overrides\n"; // for scripts/build-cost.sh
}

TEST_F(CudaConnectedComponentsFactory, FiltersGiveTheSameLabels)
{
  const TestImage image = MakeRandom({ 61, 43, 29 }, 30, 1, 401);
  using InputType = itk::Image<short, 3>;
  using OutputType = itk::Image<unsigned int, 3>;
  using FilterType = itk::ConnectedComponentImageFilter<InputType, OutputType, itk::Image<unsigned char, 3>>;
  const auto setUp = [&](FilterType & filter) {
    filter.SetInput(MakeItkImage<InputType>(image, 7));
    filter.SetMaskImage(MakeItkImage<itk::Image<unsigned char, 3>>(MakeRandom({ 61, 43, 29 }, 70, 4, 402)));
    filter.SetBackgroundValue(3);
    filter.Update();
  };
  auto oracle = MakeOracle<InputType, OutputType, itk::Image<unsigned char, 3>>();
  setUp(*oracle);
  FactoryType::RegisterOneFactory();
  auto filter = FilterType::New();
  ASSERT_EQ(filter->GetNameOfClass(), OurName);
  setUp(*filter);
  ExpectSameImages(filter->GetOutput(), oracle->GetOutput());
  EXPECT_EQ(filter->GetObjectCount(), oracle->GetObjectCount());
}

/** Labels one image until the filter uses the GPU. Returns whether the filter started the GPU late enough. */
bool
StartsWhenItPays()
{
  using ImageType = itk::Image<unsigned char, 3>;
  using ClockType = std::chrono::steady_clock;
  const auto image = MakeItkImage<ImageType>(MakeRandom({ 256, 256, 64 }, 30, 1, 403));
  FactoryType::RegisterOneFactory();
  auto         filter = Replaced<unsigned char, short, 3>::New();
  auto * const ours =
    dynamic_cast<itk::CudaConnectedComponentImageFilter<ImageType, itk::Image<short, 3>> *>(filter.GetPointer());
  if (ours == nullptr || !ours->GetLazyGPUStart())
  {
    return false;
  }
  filter->SetInput(image);
  filter->FullyConnectedOn();
  const auto start = ClockType::now();
  for (int update = 0; update < 10000; ++update)
  {
    const std::chrono::duration<double, std::milli> elapsed = ClockType::now() - start;
    image->Modified();
    filter->Update();
    if (ours->GetFallbackReason().find("starting CUDA pays after") != 0)
    {
      // A build without CUDA does not wait.
      const bool isBuiltWithoutCuda = ours->GetFallbackReason().find("no CUDA device: this build") == 0;
      return isBuiltWithoutCuda ||
             (elapsed.count() >= itk::CudaConnectedComponentsDetail::Process::MillisecondsBeforeGPU &&
              ours->GetBackendUsed() == ExpectedBackend());
    }
  }
  return false;
}

TEST_F(CudaConnectedComponentsFactory, StartsTheGPUWhenAskedTo)
{
  setenv("ITK_CUDA_CONNECTED_COMPONENTS", "1", 1);
  FactoryType::RegisterOneFactory();
  auto filter = Replaced<unsigned char, short, 3>::New();
  filter->SetInput(MakeItkImage<itk::Image<unsigned char, 3>>(MakeRandom({ 31, 30, 29 }, 30, 1, 404)));
  filter->Update();
  using OurType = itk::CudaConnectedComponentImageFilter<itk::Image<unsigned char, 3>, itk::Image<short, 3>>;
  auto * const ours = dynamic_cast<OurType *>(filter.GetPointer());
  ASSERT_NE(ours, nullptr);
  EXPECT_EQ(ours->GetBackendUsed(), ExpectedBackend()) << ours->GetFallbackReason();
  EXPECT_EQ(ours->GetFallbackReason().find("starting CUDA"), std::string::npos);
}

// This test needs a new process, because CUDA starts only once in a process.
TEST_F(CudaConnectedComponentsFactory, StartsTheGPUWhenItPays)
{
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(_exit(StartsWhenItPays() ? 0 : 1), testing::ExitedWithCode(0), "");
}

// The tests below come last, because all later factories of the process have the further types.

TEST_F(CudaConnectedComponentsFactory, IsTurnedOffByTheEnvironment)
{
  setenv("ITK_CUDA_CONNECTED_COMPONENTS", "0", 1);
  FactoryType::RegisterOneFactory();
  FactoryType::Override<itk::Image<double, 3>, itk::Image<short, 3>>();
  EXPECT_EQ(Registered().size(), 0U);
  EXPECT_EQ((NameOfNew<Replaced<unsigned char, short, 3>>()), ItkName);
}

TEST_F(CudaConnectedComponentsFactory, OverridesFurtherTypes)
{
  FactoryType::RegisterOneFactory();
  FactoryType::Override<itk::Image<double, 3>, itk::Image<short, 3>>();
  FactoryType::Override<itk::Image<unsigned char, 4>, itk::Image<short, 4>>();
  EXPECT_EQ((NameOfNew<Replaced<double, short, 3>>()), OurName);
  EXPECT_EQ((NameOfReplacement<Replaced<unsigned char, short, 4>>()), OurName);
}

TEST_F(CudaConnectedComponentsFactory, OverridesFurtherTypesBeforeItIsRegistered)
{
  using Further = Replaced<double, unsigned int, 2>;
  FactoryType::Override<itk::Image<double, 2>, itk::Image<unsigned int, 2>>();
  EXPECT_EQ(NameOfReplacement<Further>(), "");
  for (int i = 0; i < 2; ++i)
  {
    FactoryType::RegisterOneFactory();
    EXPECT_EQ(NameOfReplacement<Further>(), OurName);
    itk::ObjectFactoryBase::UnRegisterFactory(FactoryType::GetRegistered());
    EXPECT_EQ(NameOfReplacement<Further>(), "");
  }
  itk::ObjectFactoryBase::RegisterFactory(FactoryType::New()); // as programs of ITK do
  EXPECT_EQ(NameOfReplacement<Further>(), OurName);
  itk::ObjectFactoryBase::UnRegisterFactory(FactoryType::GetRegistered());
  setenv("ITK_CUDA_CONNECTED_COMPONENTS_DISABLE", "ConnectedComponentImageFilter", 1);
  FactoryType::RegisterOneFactory();
  EXPECT_EQ(NameOfReplacement<Further>(), "");
}

} // namespace
