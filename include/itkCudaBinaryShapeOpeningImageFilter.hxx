// SPDX-License-Identifier: Apache-2.0
#ifndef itkCudaBinaryShapeOpeningImageFilter_hxx
#define itkCudaBinaryShapeOpeningImageFilter_hxx

#include "CudaConnectedComponentsDetail/MaskImages.h"

namespace itk
{

template <typename TImage>
void
CudaBinaryShapeOpeningImageFilter<TImage>::GenerateData()
{
  using namespace CudaConnectedComponentsDetail;
  using ObjectType = typename Superclass::LabelObjectType;

  const auto region = this->GetOutput()->GetRequestedRegion();
  BackendRun run(*this, this->GetBackend(), region);
  SetWorkByITK<BinaryShapeOpeningImageFilter<TImage>>(run, *this, [this](auto & filter) {
    filter.SetBackgroundValue(this->GetBackgroundValue());
    filter.SetLambda(this->GetLambda());
    filter.SetReverseOrdering(this->GetReverseOrdering());
    filter.SetAttribute(this->GetAttribute());
  });
  KeptObjects kept{ KeptObjects::Rule::OnlyByITK, {} };
  if (this->GetAttribute() == ObjectType::NUMBER_OF_PIXELS)
  {
    kept = KeptBySize(this->GetLambda(), this->GetReverseOrdering());
  }
  else if (this->GetAttribute() == ObjectType::NUMBER_OF_PIXELS_ON_BORDER)
  {
    kept = KeptByBorder(this->GetLambda(), this->GetReverseOrdering(), HasInterior(region));
  }
  if (kept.rule == KeptObjects::Rule::OnlyByITK)
  {
    const bool isOfBorder = this->GetAttribute() == ObjectType::NUMBER_OF_PIXELS_ON_BORDER;
    LeaveToITK(run, ObjectType::GetNameFromAttribute(this->GetAttribute()) + (isOfBorder ? " with this Lambda" : ""));
  }
  SetKeepingWork(run, *this, kept, [this] { this->AllocateOutputs(); });
  run.Run();
}

} // end namespace itk

#endif
