// SPDX-License-Identifier: Apache-2.0
#ifndef itkCudaBinaryShapeKeepNObjectsImageFilter_hxx
#define itkCudaBinaryShapeKeepNObjectsImageFilter_hxx

#include "CudaConnectedComponentsDetail/MaskImages.h"

#include <typeinfo>

namespace itk
{

template <typename TImage>
void
CudaBinaryShapeKeepNObjectsImageFilter<TImage>::GenerateData()
{
  using namespace CudaConnectedComponentsDetail;
  using ObjectType = typename Superclass::LabelObjectType;

  BackendRun run(*this, this->GetBackend(), this->GetOutput()->GetRequestedRegion());
  run.fullyConnected = this->GetFullyConnected();
  run.inputPixel = run.outputPixel = &typeid(PixelType);
  run.workByITK = [this] { Superclass::GenerateData(); };
  if constexpr (IsViewed<TImage>)
  {
    run.needsComponents = this->GetNumberOfObjects() > 0;
    if (this->GetAttribute() != ObjectType::NUMBER_OF_PIXELS)
    {
      run.needsComponents = true;
      run.whyOnlyByITK =
        "the attribute " + ObjectType::GetNameFromAttribute(this->GetAttribute()) + " is not supported on the GPU";
    }
    run.work = [this, &run](CudaConnectedComponentLabeler & labeler) {
      const MaskImages images = PrepareMaskImages(
        *this->GetInput(), *this->GetOutput(), this->GetForegroundValue(), this->GetBackgroundValue(), [this] {
          this->AllocateOutputs();
        });
      if (run.HasComponents())
      {
        KeepObjectsAsITK(labeler, images, this->GetNumberOfObjects(), this->GetReverseOrdering());
      }
      else
      {
        RemoveAllObjects(labeler, images);
      }
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
