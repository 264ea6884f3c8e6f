// SPDX-License-Identifier: Apache-2.0

// Tests with the images in the folder that the environment variable CUDA_CONNECTED_COMPONENTS_DATA names. Without the
// variable, the folder is the one that CMakeLists.txt sets.

#include "FilterTestSupport.h"

#include "itkImageFileReader.h"
#include "itkMetaImageIOFactory.h"
#include "itkNiftiImageIOFactory.h"
#include "itkOtsuThresholdImageFilter.h"

#include <cstdlib>
#include <filesystem>

namespace
{

using ImageType = itk::Image<float, 3>;
using MaskType = itk::Image<unsigned char, 3>;
using LabelsType = itk::Image<unsigned int, 3>;

// The foreground is first the pixels above Otsu's threshold, then the pixels below it.
TEST(RealImages, SameAsItk)
{
  const char * const variable = std::getenv("CUDA_CONNECTED_COMPONENTS_DATA");
  const std::string  folder = variable != nullptr ? variable : CUDA_CONNECTED_COMPONENTS_DATA;
  if (!std::filesystem::is_directory(folder))
  {
    GTEST_SKIP() << "there is no folder " << folder << "; set CUDA_CONNECTED_COMPONENTS_DATA to a folder with images";
  }
  itk::MetaImageIOFactory::RegisterOneFactory();
  itk::NiftiImageIOFactory::RegisterOneFactory();
  unsigned int images = 0;
  for (const auto & entry : std::filesystem::directory_iterator(folder))
  {
    const std::string file = entry.path().string();
    if (!itk::ImageIOFactory::CreateImageIO(file.c_str(), itk::IOFileModeEnum::ReadMode))
    {
      continue;
    }
    SCOPED_TRACE(file);
    ++images;
    auto reader = itk::ImageFileReader<ImageType>::New();
    reader->SetFileName(file);
    for (const bool above : { true, false })
    {
      auto otsu = itk::OtsuThresholdImageFilter<ImageType, MaskType>::New();
      otsu->SetInput(reader->GetOutput());
      otsu->SetInsideValue(above ? 0 : 1);
      otsu->SetOutsideValue(above ? 1 : 0);
      otsu->Update();
      ExpectSameAsItk<MaskType, LabelsType>([&](auto * filter) { filter->SetInput(otsu->GetOutput()); });
      if (CudaTestSupport::CountDevices() == 0)
      {
        continue;
      }
      for (const auto & row : itk::CudaConnectedComponentAlgorithms::GetAll())
      {
        const AlgorithmEnum algorithm = row.algorithm;
        auto                oracle = MakeOracle<MaskType, LabelsType>();
        auto                filter = itk::CudaConnectedComponentImageFilter<MaskType, LabelsType>::New();
        oracle->SetInput(otsu->GetOutput());
        filter->SetInput(otsu->GetOutput());
        oracle->FullyConnectedOn();
        filter->FullyConnectedOn();
        filter->SetAlgorithm(algorithm);
        oracle->Update();
        filter->Update();
        ExpectSameImages(filter->GetOutput(), oracle->GetOutput());
        EXPECT_EQ(filter->GetObjectCount(), oracle->GetObjectCount());
        EXPECT_EQ(filter->GetBackendUsed(), BackendEnum::CUDA);
      }
    }
  }
  EXPECT_GT(images, 0U) << folder;
}

} // namespace
