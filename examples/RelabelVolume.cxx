// SPDX-License-Identifier: Apache-2.0

// Relabels labels that exist already: removes small objects, and numbers the others by size. To label a mask, sort and
// remove small objects in one step, see the settings of CudaConnectedComponentImageFilter.

#include "itkCudaRelabelComponentImageFilter.h"
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
    std::cerr << "Usage: " << argv[0] << " input-labels minimum-size output-labels\n"
              << "Objects of fewer pixels than the minimum size are removed.\n";
    return EXIT_FAILURE;
  }
  using LabelsType = itk::Image<unsigned int, 3>;
  try
  {
    auto relabel = itk::CudaRelabelComponentImageFilter<LabelsType, LabelsType>::New();
    relabel->SetInput(itk::ReadImage<LabelsType>(argv[1]));
    relabel->SetMinimumObjectSize(std::stoul(argv[2]));
    relabel->InPlaceOn(); // the new labels overwrite the old labels in memory
    relabel->Update();
    itk::WriteImage(relabel->GetOutput(), argv[3], true); // true: compressed

    std::cout << relabel->GetNumberOfObjects() << " of " << relabel->GetOriginalNumberOfObjects() << " objects\n";
    itk::SizeValueType label = 0;
    for (const float size : relabel->GetSizeOfObjectsInPhysicalUnits())
    {
      std::cout << "label " << ++label << ": " << size << " mm^3\n";
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
