// SPDX-License-Identifier: Apache-2.0

// A program that knows of ITK alone. Labels a volume made of a seed in several ways, and prints the class that labeled,
// the object count and a checksum of all labels; the same program without the plug-in must print the same but the
// class.
//
//   PluginClient [rehash|strict|exit]

#include "itkConnectedComponentImageFilter.h"
#include "itkImage.h"
#include "itkObjectFactoryBase.h"

#include <cstdint>
#include <cstring>
#include <iostream>
#include <random>

namespace
{

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
  std::mt19937  random(20261120);
  const auto    count = image->GetLargestPossibleRegion().GetNumberOfPixels();
  TInput *      pixels = image->GetBufferPointer();
  std::uint64_t checksum = 14695981039346656037U;
  for (std::size_t i = 0; i < count; ++i)
  {
    pixels[i] = random() % 10 < (VDimension == 2 ? 6 : 3) ? 1 : 0;
  }
  auto filter = itk::ConnectedComponentImageFilter<InputType, OutputType>::New();
  filter->SetInput(image);
  filter->Update();
  for (std::size_t i = 0; i < count; ++i)
  {
    checksum = (checksum ^ static_cast<std::uint64_t>(filter->GetOutput()->GetBufferPointer()[i])) * 1099511628211U;
  }
  std::cout << filter->GetNameOfClass() << '\n'
            << name << ": " << filter->GetObjectCount() << " objects, checksum " << checksum << '\n';
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
