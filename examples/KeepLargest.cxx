// SPDX-License-Identifier: Apache-2.0

// Keeps the largest object of a volume, such as the body in a CT, and fills its holes, such as the lungs and the bowel:
// reads a volume, thresholds it, keeps the largest object, fills the holes, and writes the mask.

#include "itkBinaryThresholdImageFilter.h"
#include "itkCudaBinaryFillholeImageFilter.h"
#include "itkCudaBinaryKeepNObjectsImageFilter.h"
#include "itkImageFileReader.h"
#include "itkImageFileWriter.h"

#include <cstdlib>
#include <iostream>

int
main(int argc, char * argv[])
{
  if (argc != 4)
  {
    std::cerr << "Usage: " << argv[0] << " input-volume threshold output-mask\n";
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

    itk::WriteImage(filled->GetOutput(), argv[3], true);
    std::cout << "largest object by " << largest->GetBackendUsed() << ", holes filled by " << filled->GetBackendUsed()
              << '\n';
    return EXIT_SUCCESS;
  }
  catch (const std::exception & exception)
  {
    std::cerr << exception.what() << '\n';
    return EXIT_FAILURE;
  }
}
