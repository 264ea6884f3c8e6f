// SPDX-License-Identifier: Apache-2.0

// A user's program, which knows nothing of CUDA.

#include "itkCudaConnectedComponentImageFilter.h"

#ifdef CUDART_VERSION
#  error "a header of CUDA came along"
#endif

#include <iostream>

int
main()
{
  using ImageType = itk::Image<unsigned char, 3>;
  auto image = ImageType::New();
  image->SetRegions(ImageType::SizeType{ { 5, 5, 5 } });
  image->Allocate(true);
  image->SetPixel({ { 0, 0, 0 } }, 1);
  image->SetPixel({ { 4, 4, 4 } }, 1);
  auto filter = itk::CudaConnectedComponentImageFilter<ImageType, itk::Image<unsigned short, 3>>::New();
  filter->SetInput(image);
  filter->Update();
  std::cout << filter->GetObjectCount() << " objects by " << filter->GetBackendUsed() << ' '
            << filter->GetFallbackReason() << '\n';
  return filter->GetObjectCount() == 2 ? 0 : 1;
}
