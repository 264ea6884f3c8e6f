// SPDX-License-Identifier: Apache-2.0
#ifndef itkCudaBinaryFillholeImageFilter_hxx
#define itkCudaBinaryFillholeImageFilter_hxx

#include "CudaConnectedComponentsDetail/MaskImages.h"

#include <algorithm>
#include <typeinfo>

namespace itk
{

template <typename TImage>
void
CudaBinaryFillholeImageFilter<TImage>::GenerateData()
{
  using namespace CudaConnectedComponentsDetail;

  BackendRun run(*this, this->GetBackend(), this->GetOutput()->GetRequestedRegion());
  run.fullyConnected = this->GetFullyConnected();
  run.inputPixel = run.outputPixel = &typeid(PixelType);
  run.workByITK = [this] { Superclass::GenerateData(); };
  if constexpr (IsViewed<TImage>)
  {
    const PixelType foreground = this->GetForegroundValue();
    // All pixels lie on the border if there are only one or two along an axis.
    const auto & size = this->GetOutput()->GetRequestedRegion().GetSize();
    const bool   canHaveHoles = std::all_of(size.begin(), size.end(), [](SizeValueType length) { return length > 2; });
    run.needsComponents = canHaveHoles;
    if (foreground != foreground)
    {
      run.needsComponents = true;
      run.whyOnlyByITK = "a foreground value that is not a number is not supported on the GPU";
    }
    run.work = [this, foreground, canHaveHoles](CudaConnectedComponentLabeler & labeler) {
      FillHoles(labeler,
                PrepareMaskImages(
                  *this->GetInput(), *this->GetOutput(), foreground, PixelType{}, [this] { this->AllocateOutputs(); }),
                canHaveHoles);
    };
  }
  else
  {
    run.whyOnlyByITK = "the type of the image is not supported on the GPU";
    run.work = [this](CudaConnectedComponentLabeler &) { this->AllocateOutputs(); }; // of an image without pixels
  }
  run.Run();
}

} // end namespace itk

#endif
