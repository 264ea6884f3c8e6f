// SPDX-License-Identifier: Apache-2.0
#ifndef itkCudaBinaryShapeKeepNObjectsImageFilter_hxx
#define itkCudaBinaryShapeKeepNObjectsImageFilter_hxx

#include "CudaConnectedComponentsDetail/MaskImages.h"

namespace itk
{

template <typename TImage>
void
CudaBinaryShapeKeepNObjectsImageFilter<TImage>::GenerateData()
{
  using namespace CudaConnectedComponentsDetail;
  using ObjectType = typename Superclass::LabelObjectType;

  BackendRun run(*this, this->GetBackend(), this->GetOutput()->GetRequestedRegion());
  SetWorkByITK<BinaryShapeKeepNObjectsImageFilter<TImage>>(run, *this, [this](auto & filter) {
    filter.SetBackgroundValue(this->GetBackgroundValue());
    filter.SetNumberOfObjects(this->GetNumberOfObjects());
    filter.SetReverseOrdering(this->GetReverseOrdering());
    filter.SetAttribute(this->GetAttribute());
  });
  run.needsComponents = this->GetNumberOfObjects() > 0;
  if (this->GetAttribute() != ObjectType::NUMBER_OF_PIXELS)
  {
    LeaveToITK(run, ObjectType::GetNameFromAttribute(this->GetAttribute()));
  }
  SetMaskWork(
    run,
    *this,
    this->GetBackgroundValue(),
    [this] { this->AllocateOutputs(); },
    [this, &run](CudaConnectedComponentLabeler & labeler, const MaskImages & images) {
      if (run.HasComponents())
      {
        KeepObjectsAsITK(labeler, images, this->GetNumberOfObjects(), this->GetReverseOrdering());
      }
      else
      {
        KeepObjects(labeler, images, { KeptObjects::Rule::None, {} });
      }
    });
  run.Run();
}

} // end namespace itk

#endif
