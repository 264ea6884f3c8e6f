// SPDX-License-Identifier: Apache-2.0
#ifndef itkCudaBinaryGrindPeakImageFilter_hxx
#define itkCudaBinaryGrindPeakImageFilter_hxx

#include "CudaConnectedComponentsDetail/MaskImages.h"

namespace itk
{

template <typename TImage>
void
CudaBinaryGrindPeakImageFilter<TImage>::GenerateData()
{
  using namespace CudaConnectedComponentsDetail;

  const auto region = this->GetOutput()->GetRequestedRegion();
  BackendRun run(*this, this->GetBackend(), region);
  SetWorkByITK<BinaryGrindPeakImageFilter<TImage>>(
    run, *this, [this](auto & filter) { filter.SetBackgroundValue(this->GetBackgroundValue()); });
  // The superclass keeps the objects with at least one pixel on the border.
  SetKeepingWork(run, *this, KeptByBorder(1.0, false, HasInterior(region)), [this] { this->AllocateOutputs(); });
  run.Run();
}

} // end namespace itk

#endif
