// SPDX-License-Identifier: Apache-2.0
#ifndef itkCudaBinaryFillholeImageFilter_hxx
#define itkCudaBinaryFillholeImageFilter_hxx

#include "CudaConnectedComponentsDetail/MaskImages.h"

namespace itk
{

template <typename TImage>
void
CudaBinaryFillholeImageFilter<TImage>::GenerateData()
{
  using namespace CudaConnectedComponentsDetail;

  const auto region = this->GetOutput()->GetRequestedRegion();
  const bool canHaveHoles = HasInterior(region);
  BackendRun run(*this, this->GetBackend(), region);
  SetWorkByITK<BinaryFillholeImageFilter<TImage>>(run, *this, [](const auto &) {});
  run.needsComponents = canHaveHoles;
  if (!(this->GetForegroundValue() == this->GetForegroundValue()))
  {
    run.needsComponents = true;
    run.whyOnlyByITK = "a foreground value that is not a number is not supported on the GPU";
  }
  SetMaskWork(
    run,
    *this,
    PixelType{},
    [this] { this->AllocateOutputs(); },
    [canHaveHoles](CudaConnectedComponentLabeler & labeler, const MaskImages & images) {
      FillHoles(labeler, images, canHaveHoles);
    });
  run.Run();
}

} // end namespace itk

#endif
