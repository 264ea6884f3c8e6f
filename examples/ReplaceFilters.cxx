// SPDX-License-Identifier: Apache-2.0

// Registers the factory. From then on, New() of ITK's filters creates filters of this module, also in code that knows
// ITK only, such as KeepLargestObject().

#include "itkBinaryShapeKeepNObjectsImageFilter.h"
#include "itkCudaConnectedComponentsFactory.h"
#include "itkImageFileReader.h"
#include "itkImageFileWriter.h"

#include <cstdlib>
#include <iostream>

namespace
{

using MaskType = itk::Image<unsigned char, 3>;

MaskType::Pointer
KeepLargestObject(const MaskType * mask)
{
  auto filter = itk::BinaryShapeKeepNObjectsImageFilter<MaskType>::New();
  filter->SetInput(mask);
  filter->SetForegroundValue(1);
  filter->SetNumberOfObjects(1);
  filter->Update();
  std::cout << "largest object by " << filter->GetNameOfClass() << '\n';
  return filter->GetOutput();
}

} // namespace

int
main(int argc, char * argv[])
{
  if (argc != 3)
  {
    std::cerr << "Usage: " << argv[0] << " input-mask output-mask\nPixels that equal 1 are foreground.\n";
    return EXIT_FAILURE;
  }
  try
  {
    itk::CudaConnectedComponentsFactory::RegisterOneFactory();
    const auto mask = itk::ReadImage<MaskType>(argv[1]);
    itk::WriteImage(KeepLargestObject(mask), argv[2], true); // true: compressed
    return EXIT_SUCCESS;
  }
  catch (const std::exception & exception)
  {
    std::cerr << exception.what() << '\n';
    return EXIT_FAILURE;
  }
}
