// SPDX-License-Identifier: Apache-2.0

// A program with one filter, for scripts/build-cost.sh: FILTER is the filter of this module or the filter of ITK.

#ifdef USE_ITK
#  include "itkConnectedComponentImageFilter.h"
#  define FILTER itk::ConnectedComponentImageFilter
#else
#  include "itkCudaConnectedComponentImageFilter.h"
#  define FILTER itk::CudaConnectedComponentImageFilter
#endif

int
main()
{
  using MaskType = itk::Image<unsigned char, 3>;
  auto filter = FILTER<MaskType, itk::Image<unsigned int, 3>>::New();
  filter->SetInput(MaskType::New());
  filter->Update();
  return static_cast<int>(filter->GetObjectCount());
}
