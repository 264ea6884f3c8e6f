// SPDX-License-Identifier: Apache-2.0

// Keeps the objects of a mask that touch the border of the image. To remove them instead, use
// CudaBinaryShapeOpeningImageFilter with the attribute NumberOfPixelsOnBorder, Lambda 0 and ReverseOrderingOn().

#include "itkCudaBinaryGrindPeakImageFilter.h"
#include "itkImageFileReader.h"
#include "itkImageFileWriter.h"

#include <cstdlib>
#include <iostream>

int
main(int argc, char * argv[])
{
  if (argc != 3)
  {
    std::cerr << "Usage: " << argv[0] << " input-mask output-mask\nPixels that equal 1 are foreground.\n";
    return EXIT_FAILURE;
  }
  using MaskType = itk::Image<unsigned char, 3>;
  try
  {
    auto grind = itk::CudaBinaryGrindPeakImageFilter<MaskType>::New();
    grind->SetInput(itk::ReadImage<MaskType>(argv[1]));
    grind->SetForegroundValue(1);
    grind->SetBackgroundValue(0);
    grind->FullyConnectedOn();
    itk::WriteImage(grind->GetOutput(), argv[2], true); // true: compressed
    std::cout << "objects at the border kept by " << grind->GetBackendUsed() << '\n';
    return EXIT_SUCCESS;
  }
  catch (const std::exception & exception)
  {
    std::cerr << exception.what() << '\n';
    return EXIT_FAILURE;
  }
}
