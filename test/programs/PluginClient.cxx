// SPDX-License-Identifier: Apache-2.0

// A program that knows of ITK alone. Labels a random volume in several ways, and relabels the components by size.
// Prints the classes of the filters, the object counts, sizes, and checksums of all labels. Without the plug-in, the
// program must print the same text, except for the names of the classes.
//
//   PluginClient [rehash|strict|exit]

#include "itkConnectedComponentImageFilter.h"
#include "itkImage.h"
#include "itkObjectFactoryBase.h"
#include "itkRelabelComponentImageFilter.h"

#include <cstdint>
#include <cstring>
#include <iostream>
#include <random>

namespace
{

template <typename TImage>
std::uint64_t
Checksum(const TImage & image)
{
  std::uint64_t checksum = 14695981039346656037U;
  for (std::size_t i = 0; i < image.GetBufferedRegion().GetNumberOfPixels(); ++i)
  {
    checksum = (checksum ^ static_cast<std::uint64_t>(image.GetBufferPointer()[i])) * 1099511628211U;
  }
  return checksum;
}

template <typename TImage>
void
Relabel(TImage * labels)
{
  using FilterType = itk::RelabelComponentImageFilter<TImage, TImage>;
  const typename FilterType::Pointer filter = FilterType::New();
  filter->SetInput(labels);
  filter->SetMinimumObjectSize(2);
  filter->Update();
  std::cout << filter->GetNameOfClass() << '\n'
            << filter->GetNumberOfObjects() << " of " << filter->GetOriginalNumberOfObjects() << " objects, checksum "
            << Checksum(*filter->GetOutput()) << ", sizes";
  for (int label = 0; label < 4; ++label)
  {
    const auto pixel = static_cast<typename TImage::PixelType>(label);
    std::cout << ' ' << filter->GetSizeOfObjectInPixels(pixel) << ' ' << filter->GetSizeOfObjectInPhysicalUnits(pixel);
  }
  std::cout << ' ' << filter->GetSizeOfObjectsInPixels().back() << '\n';
}

template <typename TInput, typename TOutput, unsigned int VDimension>
typename itk::ConnectedComponentImageFilter<itk::Image<TInput, VDimension>, itk::Image<TOutput, VDimension>>::Pointer
Label(const char * name)
{
  using InputType = itk::Image<TInput, VDimension>;
  using OutputType = itk::Image<TOutput, VDimension>;
  auto                         image = InputType::New();
  typename InputType::SizeType size;
  size.Fill(37);
  size[0] = 71;
  image->SetRegions(size);
  image->Allocate();
  std::mt19937 random(20261120);
  const auto   count = image->GetLargestPossibleRegion().GetNumberOfPixels();
  TInput *     pixels = image->GetBufferPointer();
  for (std::size_t i = 0; i < count; ++i)
  {
    pixels[i] = random() % 10 < (VDimension == 2 ? 6 : 3) ? 1 : 0;
  }
  auto filter = itk::ConnectedComponentImageFilter<InputType, OutputType>::New();
  filter->SetInput(image);
  filter->Update();
  std::cout << filter->GetNameOfClass() << '\n'
            << name << ": " << filter->GetObjectCount() << " objects, checksum " << Checksum(*filter->GetOutput())
            << '\n';
  Relabel(filter->GetOutput());
  return filter;
}

} // namespace

int
main(int argc, char ** argv)
{
  const std::string what = argc > 1 ? argv[1] : "";
  if (what == "strict")
  {
    itk::ObjectFactoryBase::StrictVersionCheckingOn();
  }
  const auto filter = Label<unsigned char, short, 3>("unsigned char to short, 3D");
  if (what == "rehash")
  {
    // Unloads all plug-ins and loads them anew.
    itk::ObjectFactoryBase::ReHash();
    filter->Modified();
    filter->Update();
  }
  Label<unsigned char, unsigned char, 2>("unsigned char to unsigned char, 2D");
  Label<float, unsigned long, 2>("float to unsigned long, 2D");
  Label<long, long, 3>("long to long, 3D");
  static itk::LightObject::Pointer outlivesMain;
  outlivesMain = filter.GetPointer();
  return 0;
}
