// SPDX-License-Identifier: Apache-2.0

// A program that knows of ITK alone. Runs the filters of ITK that make label maps, most of them inside of other
// filters, and prints checksums of their outputs. Without the plug-in, the program must print the same text, except for
// the names of the classes.

#include "itkBinaryFillholeImageFilter.h"
#include "itkBinaryImageToLabelMapFilter.h"
#include "itkBinaryImageToShapeLabelMapFilter.h"
#include "itkBinaryImageToStatisticsLabelMapFilter.h"
#include "itkBinaryReconstructionByDilationImageFilter.h"
#include "itkBinaryShapeKeepNObjectsImageFilter.h"
#include "itkBinaryShapeOpeningImageFilter.h"
#include "itkBinaryStatisticsKeepNObjectsImageFilter.h"
#include "itkImage.h"

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
    const auto mask = MakeNoise(length, width, VDimension == 2 ? 55 : 30);
    const auto holes = MakeNoise(length, width, 75);
    const auto feature = MakeFeature(length, width);

    using OpeningType = itk::BinaryShapeOpeningImageFilter<ImageType>;
    const auto opening = OpeningType::New();
    opening->SetInput(mask);
    opening->SetForegroundValue(1);
    opening->SetLambda(5);
    Print(*opening);

    using KeepType = itk::BinaryShapeKeepNObjectsImageFilter<ImageType>;
    const auto keep = KeepType::New();
    keep->SetInput(mask);
    keep->SetForegroundValue(1);
    keep->SetNumberOfObjects(3);
    keep->FullyConnectedOn();
    Print(*keep);

    using DilationType = itk::BinaryReconstructionByDilationImageFilter<ImageType>;
    const auto dilation = DilationType::New();
    dilation->SetMarkerImage(holes);
    dilation->SetMaskImage(mask);
    dilation->SetForegroundValue(1);
    Print(*dilation);

    using FillType = itk::BinaryFillholeImageFilter<ImageType>;
    const typename FillType::Pointer fill = FillType::New();
    fill->SetInput(holes);
    fill->SetForegroundValue(1);
    Print(*fill);

    using StatisticsKeepType = itk::BinaryStatisticsKeepNObjectsImageFilter<ImageType, ImageType>;
    const auto statisticsKeep = StatisticsKeepType::New();
    statisticsKeep->SetInput(mask);
    statisticsKeep->SetFeatureImage(feature);
    statisticsKeep->SetForegroundValue(1);
    statisticsKeep->SetNumberOfObjects(7);
    Print(*statisticsKeep);

    using MapType = itk::BinaryImageToLabelMapFilter<ImageType>;
    const typename MapType::Pointer map = MapType::New();
    map->SetInput(mask);
    map->SetInputForegroundValue(1);
    map->SetOutputBackgroundValue(2);
    PrintMap(*map, [](const auto &, Checksum &) {});
    std::cout << map->GetNumberOfObjects() << " objects, foreground " << +map->GetInputForegroundValue()
              << ", background " << map->GetOutputBackgroundValue() << '\n';

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
  }

private:
  /** Makes a mask of random values. A tenth of the pixels are neither foreground nor background. */
  static typename ImageType::Pointer
  MakeNoise(unsigned int length, unsigned int width, unsigned int percent)
  {
    return Make(length, width, [percent](unsigned int random) {
      return random / 1000 % 10 == 0 ? 9 : random % 100 < percent ? 1 : 0;
    });
  }

  static typename ImageType::Pointer
  MakeFeature(unsigned int length, unsigned int width)
  {
    return Make(length, width, [](unsigned int random) { return random % 100; });
  }

  /** Makes an image in which three pixels in turn have the same random value. */
  template <typename TFunction>
  static typename ImageType::Pointer
  Make(unsigned int length, unsigned int width, const TFunction & pixelOf)
  {
    auto                         image = ImageType::New();
    typename ImageType::SizeType size;
    size.Fill(width);
    size[0] = length;
    image->SetRegions(size);
    image->Allocate();
    std::mt19937 random(20261123);
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

  /** Prints the checksum of the output image of a filter. */
  template <typename TFilter>
  static void
  Print(TFilter & filter)
  {
    filter.Update();
    Checksum checksum;
    for (std::size_t i = 0; i < filter.GetOutput()->GetBufferedRegion().GetNumberOfPixels(); ++i)
    {
      checksum.Add(filter.GetOutput()->GetBufferPointer()[i]);
    }
    std::cout << filter.GetNameOfClass() << ": checksum " << checksum.Get() << '\n';
  }

  /** Prints the checksum of a label map: of the lines of all objects, and of their attributes. */
  template <typename TFilter, typename TFunction>
  static void
  PrintMap(TFilter & filter, const TFunction & addAttributes)
  {
    filter.Update();
    Checksum checksum;
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
  Client<short, 2>::Run("short, 2D", 190, 100);
  return 0;
}
