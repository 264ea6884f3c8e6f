// SPDX-License-Identifier: Apache-2.0

// Removes the small objects of a mask. The settings are those of ITK's BinaryShapeOpeningImageFilter.

#include "itkCudaBinaryShapeOpeningImageFilter.h"
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
    std::cerr << "Usage: " << argv[0] << " input-mask minimum-size output-mask\n"
              << "Pixels that equal 1 are foreground. Objects of fewer pixels than the minimum size are removed.\n";
    return EXIT_FAILURE;
  }
  using MaskType = itk::Image<unsigned char, 3>;
  try
  {
    auto opening = itk::CudaBinaryShapeOpeningImageFilter<MaskType>::New();
    opening->SetInput(itk::ReadImage<MaskType>(argv[1]));
    opening->SetForegroundValue(1);
    opening->SetBackgroundValue(0);
    opening->SetLambda(std::stod(argv[2])); // the default attribute is the number of pixels
    opening->FullyConnectedOn();
    itk::WriteImage(opening->GetOutput(), argv[3], true); // true: compressed
    std::cout << "small objects removed by " << opening->GetBackendUsed() << '\n';
    return EXIT_SUCCESS;
  }
  catch (const std::logic_error &) // by std::stod
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
