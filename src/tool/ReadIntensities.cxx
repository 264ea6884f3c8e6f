// SPDX-License-Identifier: Apache-2.0
#include "ReadIntensities.h"

#include "Failure.h"
#include "ReadImage.h"
#include "RequireComplete.h"

#include "itkImage.h"

template <unsigned int VDimension>
Intensities<VDimension>
ReadIntensities(const std::string & file)
{
  const itk::ImageIOBase::Pointer io = OpenImage(file);
  RequireComplete(file, *io);
  if (io->GetNumberOfComponents() > 1)
  {
    throw Failure(file + ": has more than one value per pixel; --intensity needs an image with one value per pixel");
  }
  return VisitPixelType(io->GetComponentType(), [&file](auto zero) {
    using ImageType = itk::Image<decltype(zero), VDimension>;
    const typename ImageType::ConstPointer image = ReadImage<ImageType>(file).GetPointer();
    std::array<std::uint64_t, 3>           size{ 1, 1, 1 };
    for (unsigned int axis = 0; axis < VDimension; ++axis)
    {
      size[axis] = image->GetBufferedRegion().GetSize(axis);
    }
    return Intensities<VDimension>{
      image.GetPointer(), itk::CudaConnectedComponentIntensities::Image::Of(image->GetBufferPointer(), size)
    };
  });
}

template Intensities<2>
ReadIntensities<2>(const std::string & file);
template Intensities<3>
ReadIntensities<3>(const std::string & file);
