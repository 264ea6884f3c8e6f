// SPDX-License-Identifier: Apache-2.0

// Measures the objects of a volume, such as hot spots in a PET: thresholds the volume, sorts the objects by size, and
// prints the volume, the centroid and the mean value of each object.

#include "itkBinaryThresholdImageFilter.h"
#include "itkCudaConnectedComponentImageFilter.h"
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
    std::cerr << "Usage: " << argv[0] << " input-volume threshold\n"
              << "Pixels of at least the threshold are foreground.\n";
    return EXIT_FAILURE;
  }
  using ImageType = itk::Image<float, 3>;
  using MaskType = itk::Image<unsigned char, 3>;
  using LabelsType = itk::Image<unsigned int, 3>;
  try
  {
    const auto image = itk::ReadImage<ImageType>(argv[1]);
    auto       threshold = itk::BinaryThresholdImageFilter<ImageType, MaskType>::New();
    threshold->SetInput(image);
    threshold->SetLowerThreshold(std::stof(argv[2]));

    auto label = itk::CudaConnectedComponentImageFilter<MaskType, LabelsType>::New();
    label->SetInput(threshold->GetOutput());
    label->SetIntensityImage(image);
    label->ComputeStatisticsOn();
    label->SortByObjectSizeOn();
    label->Update();

    const auto & statistics = label->GetStatistics();
    for (const auto each : statistics.GetLabels())
    {
      std::cout << "label " << each << ": " << statistics.GetPhysicalSize(each) << " mm^3 at "
                << statistics.GetCentroid(each) << " mm, mean " << statistics.GetMean(each) << '\n';
    }
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
