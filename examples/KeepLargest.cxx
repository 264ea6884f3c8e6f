// SPDX-License-Identifier: Apache-2.0

// Keeps the largest object of a volume, such as the body in a CT, and fills its holes: reads a volume, thresholds it,
// keeps the largest object, fills the holes, and writes the mask. A hole is background that the object encloses in
// 3 dimensions. Lungs that reach the first or last slice, or the outside through the airways, are not holes.
// To build: cmake -S examples -B build/examples && cmake --build build/examples

#include "itkBinaryThresholdImageFilter.h"
#include "itkCudaBinaryFillholeImageFilter.h"
#include "itkCudaBinaryKeepNObjectsImageFilter.h"
#include "itkImageFileReader.h"
#include "itkImageFileWriter.h"

#include <cstdlib>
#include <iostream>
#include <stdexcept>
#include <string>

int
main(int argc, char * argv[])
{
  if (argc != 4)
  {
    std::cerr << "Usage: " << argv[0] << " input-volume threshold output-mask\n"
              << "Pixels of at least the threshold are foreground. In a CT, its unit is HU.\n";
    return EXIT_FAILURE;
  }
  using ImageType = itk::Image<float, 3>;
  using MaskType = itk::Image<unsigned char, 3>;
  try
  {
    auto threshold = itk::BinaryThresholdImageFilter<ImageType, MaskType>::New();
    threshold->SetInput(itk::ReadImage<ImageType>(argv[1]));
    threshold->SetLowerThreshold(std::stof(argv[2]));
    threshold->SetInsideValue(1);

    auto largest = itk::CudaBinaryKeepNObjectsImageFilter<MaskType>::New();
    largest->SetInput(threshold->GetOutput());
    largest->SetForegroundValue(1);
    largest->SetBackgroundValue(0);
    largest->SetNumberOfObjects(1);

    auto filled = itk::CudaBinaryFillholeImageFilter<MaskType>::New();
    filled->SetInput(largest->GetOutput());
    filled->SetForegroundValue(1);
    filled->FullyConnectedOn(); // the background has 26 neighbors, because the objects have 6

    itk::WriteImage(filled->GetOutput(), argv[3], true); // true: compressed
    std::cout << "largest object by " << largest->GetBackendUsed() << ", holes filled by " << filled->GetBackendUsed()
              << '\n';
    return EXIT_SUCCESS;
  }
  catch (const std::logic_error &) // by std::stof
  {
    std::cerr << argv[2] << " is not a threshold\n";
    return EXIT_FAILURE;
  }
  catch (const std::exception & exception)
  {
    std::cerr << exception.what() << '\n';
    return EXIT_FAILURE;
  }
}
