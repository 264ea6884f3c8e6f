// SPDX-License-Identifier: Apache-2.0
#include "Inputs.h"

#include "itkImageFileReader.h"
#include "itkOtsuThresholdImageFilter.h"

#include <algorithm>

TestImage
ReadInput(const std::string & file)
{
  // A plane is read as a volume of one plane.
  using ImageType = itk::Image<float, 3>;
  auto reader = itk::ImageFileReader<ImageType>::New();
  reader->SetFileName(file);
  auto otsu = itk::OtsuThresholdImageFilter<ImageType, itk::Image<unsigned char, 3>>::New();
  otsu->SetInput(reader->GetOutput());
  otsu->SetInsideValue(0);
  otsu->SetOutsideValue(1);
  otsu->Update();
  const auto                  size = otsu->GetOutput()->GetLargestPossibleRegion().GetSize();
  const unsigned char * const pixels = otsu->GetOutput()->GetBufferPointer();
  const std::string           name = file.substr(file.find_last_of('/') + 1);
  return { name.substr(0, name.find('.')),
           { size[0], size[1], size[2] },
           std::vector<std::uint8_t>(pixels, pixels + size[0] * size[1] * size[2]) };
}

TestImage
Upsample(const TestImage & image, std::uint64_t side)
{
  const std::array<std::uint64_t, 3> size{ side, side, image.size[2] == 1 ? 1 : side };
  TestImage     result{ image.name + " upsampled", size, std::vector<std::uint8_t>(size[0] * size[1] * size[2]) };
  std::uint64_t to = 0;
  for (std::uint64_t z = 0; z < size[2]; ++z)
  {
    for (std::uint64_t y = 0; y < size[1]; ++y)
    {
      const std::uint64_t row = image.IndexOf(0, y * image.size[1] / size[1], z * image.size[2] / size[2]);
      for (std::uint64_t x = 0; x < size[0]; ++x)
      {
        result.pixels[to++] = image.pixels[row + x * image.size[0] / size[0]];
      }
    }
  }
  return result;
}

double
ForegroundOf(const TestImage & image)
{
  const auto background = std::count(image.pixels.begin(), image.pixels.end(), 0);
  return 100.0 - 100.0 * static_cast<double>(background) / static_cast<double>(image.pixels.size());
}
