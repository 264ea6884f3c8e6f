// SPDX-License-Identifier: Apache-2.0

// Grows a region from a seed, such as the bone at a click in a CT. With a second seed, it first searches the lowest
// threshold that separates the region from the second seed.

#include "itkCudaConnectedThresholdImageFilter.h"
#include "itkCudaIsolatedConnectedImageFilter.h"
#include "itkImageFileReader.h"
#include "itkImageFileWriter.h"

#include <cstdlib>
#include <iostream>
#include <sstream>
#include <stdexcept>
#include <string>

using ImageType = itk::Image<short, 3>;
using MaskType = itk::Image<unsigned char, 3>;

/** Returns the index that a text such as "120,85,40" means. Throws std::invalid_argument. */
ImageType::IndexType
IndexOf(const std::string & text)
{
  ImageType::IndexType index;
  std::istringstream   stream(text);
  char                 comma = ',';
  if (!(stream >> index[0] >> comma >> index[1] >> comma >> index[2]) || !stream.eof())
  {
    throw std::invalid_argument(text + " is not an index such as 120,85,40");
  }
  return index;
}

/** Returns the pixel value that a text such as "150" means. Throws std::invalid_argument. */
short
ValueOf(const std::string & text)
{
  short              value = 0;
  std::istringstream stream(text);
  if (!(stream >> value) || !stream.eof())
  {
    throw std::invalid_argument(text + " is not a whole number from -32768 to 32767");
  }
  return value;
}

int
main(int argc, char * argv[])
{
  if (argc != 5 && argc != 6)
  {
    std::cerr << "Usage: " << argv[0] << " input-volume lowest-value x,y,z output-mask [x,y,z of a second seed]\n";
    return EXIT_FAILURE;
  }
  try
  {
    const auto image = itk::ReadImage<ImageType>(argv[1]);
    short      lower = ValueOf(argv[2]);
    if (argc == 6)
    {
      auto isolated = itk::CudaIsolatedConnectedImageFilter<ImageType, MaskType>::New();
      isolated->SetInput(image);
      isolated->FindUpperThresholdOff(); // find a lower threshold, because the regions are bright
      isolated->SetLower(lower);
      isolated->AddSeed1(IndexOf(argv[3]));
      isolated->AddSeed2(IndexOf(argv[5]));
      isolated->Update();
      if (isolated->GetThresholdingFailed())
      {
        std::cerr << "no threshold separates the seeds\n";
        return EXIT_FAILURE;
      }
      lower = isolated->GetIsolatedValue();
    }

    auto region = itk::CudaConnectedThresholdImageFilter<ImageType, MaskType>::New();
    region->SetInput(image);
    region->SetLower(lower);
    region->AddSeed(IndexOf(argv[3]));
    region->Update();
    itk::WriteImage(region->GetOutput(), argv[4]);
    std::cout << "region from " << lower << " by " << region->GetBackendUsed() << '\n';
    return EXIT_SUCCESS;
  }
  catch (const std::exception & exception)
  {
    std::cerr << exception.what() << '\n';
    return EXIT_FAILURE;
  }
}
