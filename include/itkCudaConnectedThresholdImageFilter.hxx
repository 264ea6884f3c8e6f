// SPDX-License-Identifier: Apache-2.0
#ifndef itkCudaConnectedThresholdImageFilter_hxx
#define itkCudaConnectedThresholdImageFilter_hxx

#include "CudaConnectedComponentsDetail/FilterOfITK.h"
#include "CudaConnectedComponentsDetail/GrowRegions.h"

#include <typeinfo>
#include <vector>

namespace itk
{

template <typename TInputImage, typename TOutputImage>
void
CudaConnectedThresholdImageFilter<TInputImage, TOutputImage>::GenerateData()
{
  using namespace CudaConnectedComponentsDetail;

  const bool isFull = this->GetConnectivity() == ConnectivityEnum::FullConnectivity;
  BackendRun run(*this, this->GetBackend(), this->GetOutput()->GetRequestedRegion());
  run.fullyConnected = isFull;
  run.inputPixel = &typeid(InputImagePixelType);
  run.outputPixel = &typeid(OutputImagePixelType);
  const auto allocate = [this] { return AllocateUntouched(*this->GetOutput(), [this] { this->AllocateOutputs(); }); };
  if constexpr (IsViewed<TInputImage> && IsViewed<TOutputImage> && ImageDimension <= 3)
  {
    const auto         region = this->GetOutput()->GetRequestedRegion();
    const LimitedImage image{ ViewOf(*this->GetInput(), region, "input"),
                              ImageView::BitsOf(this->GetLowerInput()->Get()),
                              ImageView::BitsOf(this->GetUpperInput()->Get()) };
    std::vector<Seed>  seeds;
    if (isFull || this->GetConnectivity() == ConnectivityEnum::FaceConnectivity) // ITK grows nothing with other values
    {
      seeds = SeedsInside(this->GetSeeds(), region);
    }
    const auto makeOutput = [this, allocate, region] {
      const bool isUntouched = allocate();
      return TwoValueOutput{
        ViewOf(*this->GetOutput(), region, "output"), isUntouched, ImageView::BitsOf(this->GetReplaceValue()), 0
      };
    };
    run.needsComponents = !seeds.empty();
    run.smallWork = [&](CudaConnectedComponentLabeler & labeler) {
      std::vector<RunOfRow> runs;
      const bool            isSmall = GrowSmallRegion(image, seeds, isFull, runs);
      if (isSmall)
      {
        WriteRuns(labeler, runs, makeOutput());
      }
      return isSmall;
    };
    run.work = [&](CudaConnectedComponentLabeler & labeler) { GrowByLabeler(labeler, image, seeds, makeOutput()); };
    run.Run();
  }
  else
  {
    run.LeaveTypeToITK(allocate);
    run.workByITK = [this] { this->GenerateDataByITK(); };
    run.Run();
  }
}

template <typename TInputImage, typename TOutputImage>
void
CudaConnectedThresholdImageFilter<TInputImage, TOutputImage>::GenerateDataByITK()
{
  using namespace CudaConnectedComponentsDetail;

  const auto filter = FilterOfITK<ConnectedThresholdImageFilter<TInputImage, TOutputImage>>::New();
  filter->SetLower(this->GetLowerInput()->Get());
  filter->SetUpper(this->GetUpperInput()->Get());
  filter->SetReplaceValue(this->GetReplaceValue());
  filter->SetConnectivity(this->GetConnectivity());
  for (const IndexType & seed : this->GetSeeds())
  {
    filter->AddSeed(seed);
  }
  UpdateInside(*this, *filter, this->GetInput());
}

} // end namespace itk

#endif
