// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_test_RealImages_h
#define ccl_test_RealImages_h

// The images in the folder that the environment variable CUDA_CONNECTED_COMPONENTS_DATA names. Without the variable,
// the folder is the one that CMakeLists.txt sets.

#include "itkImage.h"
#include "itkImageFileReader.h"
#include "itkMetaImageIOFactory.h"
#include "itkNiftiImageIOFactory.h"
#include "itkOtsuThresholdImageFilter.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>

using RealMaskType = itk::Image<unsigned char, 3>;

/** Returns the folder of the images. */
inline std::string
GetFolderOfRealImages()
{
  const char * const variable = std::getenv("CUDA_CONNECTED_COMPONENTS_DATA");
  return variable != nullptr ? variable : CUDA_CONNECTED_COMPONENTS_DATA;
}

/** Skips a test if there is no folder of images. */
#define SKIP_WITHOUT_REAL_IMAGES()                                                  \
  if (!std::filesystem::is_directory(GetFolderOfRealImages()))                      \
  {                                                                                 \
    GTEST_SKIP() << "there is no folder " << GetFolderOfRealImages()                \
                 << "; set CUDA_CONNECTED_COMPONENTS_DATA to a folder with images"; \
  }

/** Calls visit(mask, file) with two masks of each image: first the pixels above Otsu's threshold, then the pixels below
 * it. The test fails if there is no image. */
template <typename TVisitor>
void
VisitRealMasks(const TVisitor & visit)
{
  using ImageType = itk::Image<float, 3>;
  itk::MetaImageIOFactory::RegisterOneFactory();
  itk::NiftiImageIOFactory::RegisterOneFactory();
  unsigned int images = 0;
  for (const auto & entry : std::filesystem::directory_iterator(GetFolderOfRealImages()))
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
      auto otsu = itk::OtsuThresholdImageFilter<ImageType, RealMaskType>::New();
      otsu->SetInput(reader->GetOutput());
      otsu->SetInsideValue(above ? 0 : 1);
      otsu->SetOutsideValue(above ? 1 : 0);
      otsu->Update();
      visit(otsu->GetOutput(), entry.path().filename().string() + (above ? ", above" : ", below"));
    }
  }
  EXPECT_GT(images, 0U) << GetFolderOfRealImages();
}

#endif
