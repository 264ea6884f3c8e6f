// SPDX-License-Identifier: Apache-2.0

// A program that knows of ITK alone. Runs the filters of ITK that make label maps, most of them inside of other
// filters, and those that grow regions and find thresholds, and prints checksums of their outputs, and numbers that
// show that the outputs are not trivial. Without the plug-in, the program must print the same text, except for the
// names of the classes.

#include "itkBinaryFillholeImageFilter.h"
#include "itkBinaryGrindPeakImageFilter.h"
#include "itkBinaryImageToLabelMapFilter.h"
#include "itkBinaryImageToShapeLabelMapFilter.h"
#include "itkBinaryImageToStatisticsLabelMapFilter.h"
#include "itkBinaryReconstructionByDilationImageFilter.h"
#include "itkBinaryShapeKeepNObjectsImageFilter.h"
#include "itkBinaryShapeOpeningImageFilter.h"
#include "itkBinaryStatisticsKeepNObjectsImageFilter.h"
#include "itkConnectedThresholdImageFilter.h"
#include "itkImage.h"
#include "itkIsolatedConnectedImageFilter.h"
#include "itkLabelImageToLabelMapFilter.h"
#include "itkLabelImageToShapeLabelMapFilter.h"
#include "itkThresholdMaximumConnectedComponentsImageFilter.h"

#include <cstdint>
#include <cstring>
#include <iostream>
#include <random>

namespace
{

/** Makes one number of a sequence of numbers. */
class Checksum
{
public:
  template <typename T>
  void
  Add(const T & value)
  {
    std::uint64_t bits = 0;
    static_assert(sizeof(value) <= sizeof(bits), "numbers have at most 64 bits");
    std::memcpy(&bits, &value, sizeof(value));
    m_Value = (m_Value ^ bits) * 1099511628211U;
  }

  std::uint64_t
  Get() const
  {
    return m_Value;
  }

private:
  std::uint64_t m_Value{ 14695981039346656037U };
};

template <typename TPixel, unsigned int VDimension>
class Client
{
public:
  using ImageType = itk::Image<TPixel, VDimension>;

  static void
  Run(const char * name, unsigned int length, unsigned int width)
  {
    std::cout << name << '\n';
    const auto mask = MakeNoise(length, width, VDimension == 2 ? 55 : 30, 20261123);
    const auto holes = MakeNoise(length, width, 75, 20261124);
    const auto marker = MakeNoise(length, width, 3, 20261125);
    const auto feature = MakeFeature(length, width, 20261126);

    using OpeningType = itk::BinaryShapeOpeningImageFilter<ImageType>;
    const auto opening = OpeningType::New();
    opening->SetInput(mask);
    opening->SetForegroundValue(1);
    opening->SetLambda(5);
    Print(*opening, *mask);

    using GrindType = itk::BinaryGrindPeakImageFilter<ImageType>;
    const auto grind = GrindType::New();
    grind->SetInput(mask);
    grind->SetForegroundValue(1);
    Print(*grind, *mask);

    using KeepType = itk::BinaryShapeKeepNObjectsImageFilter<ImageType>;
    const auto keep = KeepType::New();
    keep->SetInput(mask);
    keep->SetForegroundValue(1);
    keep->SetNumberOfObjects(3);
    keep->FullyConnectedOn();
    Print(*keep, *mask);

    using DilationType = itk::BinaryReconstructionByDilationImageFilter<ImageType>;
    const auto dilation = DilationType::New();
    dilation->SetMarkerImage(marker);
    dilation->SetMaskImage(mask);
    dilation->SetForegroundValue(1);
    Print(*dilation, *mask);

    using FillType = itk::BinaryFillholeImageFilter<ImageType>;
    const typename FillType::Pointer fill = FillType::New();
    fill->SetInput(holes);
    fill->SetForegroundValue(1);
    Print(*fill, *holes);

    using StatisticsKeepType = itk::BinaryStatisticsKeepNObjectsImageFilter<ImageType, ImageType>;
    const auto statisticsKeep = StatisticsKeepType::New();
    statisticsKeep->SetInput(mask);
    statisticsKeep->SetFeatureImage(feature);
    statisticsKeep->SetForegroundValue(1);
    statisticsKeep->SetNumberOfObjects(7);
    Print(*statisticsKeep, *mask);

    using MapType = itk::BinaryImageToLabelMapFilter<ImageType>;
    const typename MapType::Pointer map = MapType::New();
    map->SetInput(mask);
    map->SetInputForegroundValue(1);
    map->SetOutputBackgroundValue(2);
    PrintMap(*map, [](const auto &, Checksum &) {});
    std::cout << map->GetNumberOfObjects() << " objects, foreground " << +map->GetInputForegroundValue()
              << ", background " << map->GetOutputBackgroundValue() << '\n';

    // SimpleITK uses this type.
    using SmallMapType =
      itk::BinaryImageToLabelMapFilter<ImageType, itk::LabelMap<itk::LabelObject<std::uint32_t, VDimension>>>;
    const typename SmallMapType::Pointer smallMap = SmallMapType::New();
    smallMap->SetInput(mask);
    smallMap->SetInputForegroundValue(1);
    smallMap->FullyConnectedOn();
    PrintMap(*smallMap, [](const auto &, Checksum &) {});

    using ShapesType = itk::BinaryImageToShapeLabelMapFilter<ImageType>;
    const auto shapes = ShapesType::New();
    shapes->SetInput(mask);
    shapes->SetInputForegroundValue(1);
    shapes->ComputePerimeterOn();
    PrintMap(*shapes, [](const auto & object, Checksum & checksum) {
      checksum.Add(object.GetNumberOfPixels());
      checksum.Add(object.GetPerimeter());
      checksum.Add(object.GetElongation());
      for (unsigned int axis = 0; axis < VDimension; ++axis)
      {
        checksum.Add(object.GetCentroid()[axis]);
      }
    });

    using StatisticsType = itk::BinaryImageToStatisticsLabelMapFilter<ImageType, ImageType>;
    const auto statistics = StatisticsType::New();
    statistics->SetInput(mask);
    statistics->SetFeatureImage(feature);
    statistics->SetInputForegroundValue(1);
    PrintMap(*statistics, [](const auto & object, Checksum & checksum) {
      checksum.Add(object.GetMean());
      checksum.Add(object.GetMaximum());
      checksum.Add(object.GetMedian());
    });

    // The values of the feature are labels.
    using LabelsType =
      itk::LabelImageToLabelMapFilter<ImageType, itk::LabelMap<itk::ShapeLabelObject<TPixel, VDimension>>>;
    const typename LabelsType::Pointer labels = LabelsType::New();
    labels->SetInput(feature);
    labels->SetBackgroundValue(5);
    PrintMap(*labels, [](const auto &, Checksum &) {});

    using LabelShapesType = itk::LabelImageToShapeLabelMapFilter<ImageType>;
    const auto labelShapes = LabelShapesType::New();
    labelShapes->SetInput(feature);
    PrintMap(*labelShapes, [](const auto & object, Checksum & checksum) {
      checksum.Add(object.GetNumberOfPixels());
      checksum.Add(object.GetElongation());
    });

    // A small image, because the searches of ITK take long.
    const auto levels = MakeFeature(length / 2, width / 2, 20261127);
    const auto start = levels->GetLargestPossibleRegion().GetIndex();
    const auto seedAt = [&start](itk::IndexValueType i) {
      typename ImageType::IndexType seed = start;
      for (auto & index : seed)
      {
        index += i;
      }
      return seed;
    };
    using GrowType = itk::ConnectedThresholdImageFilter<ImageType, ImageType>;
    const auto grow = GrowType::New();
    grow->SetInput(levels);
    grow->SetLower(0);
    grow->SetUpper(80);

    using IsolateType = itk::IsolatedConnectedImageFilter<ImageType, ImageType>;
    const typename IsolateType::Pointer isolate = IsolateType::New();
    isolate->SetInput(levels);
    isolate->SetLower(0);
    isolate->SetUpper(100);
    for (itk::IndexValueType i = 0; i < 5; ++i)
    {
      grow->AddSeed(seedAt(i));
      isolate->AddSeed1(seedAt(i));
    }
    isolate->AddSeed2(seedAt(9));
    Print(*grow, *levels);
    Print(*isolate, *levels);
    std::cout << "isolated by " << +isolate->GetIsolatedValue() << ", failed: " << isolate->GetThresholdingFailed()
              << '\n';

    using MaximumType = itk::ThresholdMaximumConnectedComponentsImageFilter<ImageType, ImageType>;
    const typename MaximumType::Pointer maximum = MaximumType::New();
    maximum->SetInput(levels);
    maximum->SetInsideValue(1);
    Print(*maximum, *levels);
    std::cout << maximum->GetNumberOfObjects() << " objects from " << +maximum->GetThresholdValue() << '\n';
  }

private:
  /** Makes a mask of random values. A tenth of the pixels are neither foreground nor background. */
  static typename ImageType::Pointer
  MakeNoise(unsigned int length, unsigned int width, unsigned int percent, unsigned int seed)
  {
    return Make(length, width, seed, [percent](unsigned int random) {
      return random / 1000 % 10 == 0 ? 9 : random % 100 < percent ? 1 : 0;
    });
  }

  static typename ImageType::Pointer
  MakeFeature(unsigned int length, unsigned int width, unsigned int seed)
  {
    return Make(length, width, seed, [](unsigned int random) { return random % 100; });
  }

  /** Makes an image in which three pixels in turn have the same random value. Its geometry is not the default. */
  template <typename TFunction>
  static typename ImageType::Pointer
  Make(unsigned int length, unsigned int width, unsigned int seed, const TFunction & pixelOf)
  {
    auto                              image = ImageType::New();
    typename ImageType::IndexType     start;
    typename ImageType::SizeType      size;
    typename ImageType::PointType     origin;
    typename ImageType::SpacingType   spacing;
    typename ImageType::DirectionType direction;
    direction.Fill(0.0);
    for (unsigned int axis = 0; axis < VDimension; ++axis)
    {
      start[axis] = 3 - 10 * static_cast<itk::IndexValueType>(axis);
      size[axis] = axis == 0 ? length : width;
      origin[axis] = 20.5 - 50.0 * axis;
      spacing[axis] = 0.7 + 0.4 * axis;
      direction[axis][(axis + 1) % VDimension] = axis == 0 ? -1.0 : 1.0;
    }
    image->SetRegions({ start, size });
    image->SetOrigin(origin);
    image->SetSpacing(spacing);
    image->SetDirection(direction);
    image->Allocate();
    std::mt19937 random(seed);
    TPixel       pixel{};
    for (std::size_t i = 0; i < image->GetLargestPossibleRegion().GetNumberOfPixels(); ++i)
    {
      if (i % 3 == 0)
      {
        pixel = static_cast<TPixel>(pixelOf(static_cast<unsigned int>(random())));
      }
      image->GetBufferPointer()[i] = pixel;
    }
    return image;
  }

  static void
  AddGeometry(const itk::ImageBase<VDimension> & image, Checksum & checksum)
  {
    const auto region = image.GetLargestPossibleRegion();
    for (unsigned int axis = 0; axis < VDimension; ++axis)
    {
      checksum.Add(region.GetIndex(axis));
      checksum.Add(region.GetSize(axis));
      checksum.Add(image.GetOrigin()[axis]);
      checksum.Add(image.GetSpacing()[axis]);
      for (unsigned int column = 0; column < VDimension; ++column)
      {
        checksum.Add(image.GetDirection()[axis][column]);
      }
    }
  }

  /** Prints how many pixels a filter changes, how many pixels of its output are foreground, and the checksum of the
   * output. */
  template <typename TFilter>
  static void
  Print(TFilter & filter, const ImageType & input)
  {
    filter.Update();
    const ImageType & output = *filter.GetOutput();
    Checksum          checksum;
    AddGeometry(output, checksum);
    std::size_t changed = 0;
    std::size_t foreground = 0;
    for (std::size_t i = 0; i < output.GetBufferedRegion().GetNumberOfPixels(); ++i)
    {
      const TPixel pixel = output.GetBufferPointer()[i];
      changed += pixel != input.GetBufferPointer()[i] ? 1 : 0;
      foreground += pixel == 1 ? 1 : 0;
      checksum.Add(pixel);
    }
    std::cout << filter.GetNameOfClass() << ": " << changed << " pixels changed, " << foreground
              << " pixels of foreground, checksum " << checksum.Get() << '\n';
  }

  /** Prints the checksum of a label map: of its geometry, the lines of all objects, and their attributes. */
  template <typename TFilter, typename TFunction>
  static void
  PrintMap(TFilter & filter, const TFunction & addAttributes)
  {
    filter.Update();
    Checksum checksum;
    AddGeometry(*filter.GetOutput(), checksum);
    for (const auto & object : filter.GetOutput()->GetLabelObjects())
    {
      checksum.Add(object->GetLabel());
      for (itk::SizeValueType i = 0; i < object->GetNumberOfLines(); ++i)
      {
        for (unsigned int axis = 0; axis < VDimension; ++axis)
        {
          checksum.Add(object->GetLine(i).GetIndex()[axis]);
        }
        checksum.Add(object->GetLine(i).GetLength());
      }
      addAttributes(*object, checksum);
    }
    std::cout << filter.GetNameOfClass() << ": " << filter.GetOutput()->GetNumberOfLabelObjects()
              << " objects, checksum " << checksum.Get() << '\n';
  }
};

} // namespace

int
main()
{
  Client<unsigned char, 3>::Run("unsigned char, 3D", 61, 23);
  Client<short, 2>::Run("short, 2D", 189, 100);
  return 0;
}
