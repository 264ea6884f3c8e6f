// SPDX-License-Identifier: Apache-2.0

// Uses the filter in a pipeline: it reads a volume, labels the pixels that are at or above the threshold, and writes
// the labels.

#include "itkBinaryThresholdImageFilter.h"
#include "itkCudaConnectedComponentImageFilter.h"
#include "itkImageFileReader.h"
#include "itkImageFileWriter.h"

#include <cstdlib>
#include <iostream>

int
main(int argc, char * argv[])
{
  if (argc != 4)
  {
    std::cerr << "Usage: " << argv[0] << " input-volume threshold output-labels\n";
    return EXIT_FAILURE;
  }
  using ImageType = itk::Image<float, 3>;
  using MaskType = itk::Image<unsigned char, 3>;
  using LabelsType = itk::Image<unsigned int, 3>;
  try
  {
    auto reader = itk::ImageFileReader<ImageType>::New();
    reader->SetFileName(argv[1]);

    auto threshold = itk::BinaryThresholdImageFilter<ImageType, MaskType>::New();
    threshold->SetInput(reader->GetOutput());
    threshold->SetLowerThreshold(std::stof(argv[2]));

    auto label = itk::CudaConnectedComponentImageFilter<MaskType, LabelsType>::New();
    label->SetInput(threshold->GetOutput());
    label->FullyConnectedOn();

    auto writer = itk::ImageFileWriter<LabelsType>::New();
    writer->SetInput(label->GetOutput());
    writer->SetFileName(argv[3]);
    writer->UseCompressionOn();
    writer->Update();

    std::cout << label->GetObjectCount() << " objects, labeled by " << label->GetBackendUsed();
    if (!label->GetFallbackReason().empty())
    {
      std::cout << " (" << label->GetFallbackReason() << ')';
    }
    std::cout << '\n';
    return EXIT_SUCCESS;
  }
  catch (const std::exception & exception)
  {
    std::cerr << exception.what() << '\n';
    return EXIT_FAILURE;
  }
}
