// SPDX-License-Identifier: Apache-2.0

// Counts bright objects, such as cells in a microscope image: finds the threshold with the most objects, and measures
// the objects from this threshold on. No image of the pixels above the threshold is made.

#include "itkCudaConnectedComponentImageFilter.h"
#include "itkCudaThresholdMaximumConnectedComponentsImageFilter.h"
#include "itkImageFileReader.h"

#include <cstdlib>
#include <iostream>
#include <stdexcept>
#include <string>

int
main(int argc, char * argv[])
{
  if (argc != 3)
  {
    std::cerr << "Usage: " << argv[0] << " input-volume minimum-size\n"
              << "Objects of fewer pixels do not count.\n";
    return EXIT_FAILURE;
  }
  using ImageType = itk::Image<short, 3>;
  using LabelsType = itk::Image<unsigned int, 3>;
  try
  {
    const auto minimumSize = static_cast<unsigned int>(std::stoul(argv[2]));
    auto       threshold = itk::CudaThresholdMaximumConnectedComponentsImageFilter<ImageType>::New();
    threshold->SetInput(itk::ReadImage<ImageType>(argv[1]));
    threshold->SetMinimumObjectSizeInPixels(minimumSize);
    threshold->Update();

    auto label = itk::CudaConnectedComponentImageFilter<ImageType, LabelsType>::New();
    label->SetInput(threshold->GetInput());
    label->SetLowerThreshold(threshold->GetThresholdValue());
    label->SetMinimumObjectSize(minimumSize);
    label->Update();
    std::cout << label->GetObjectCount() << " objects from " << label->GetLowerThreshold() << '\n';
    for (const float size : label->GetSizeOfObjectsInPhysicalUnits())
    {
      std::cout << size << " mm^3\n";
    }
    return EXIT_SUCCESS;
  }
  catch (const std::logic_error &) // by std::stoul
  {
    std::cerr << argv[2] << " is not a number of pixels\n";
    return EXIT_FAILURE;
  }
  catch (const std::exception & exception)
  {
    std::cerr << exception.what() << '\n';
    return EXIT_FAILURE;
  }
}
