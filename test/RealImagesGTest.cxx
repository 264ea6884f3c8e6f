// SPDX-License-Identifier: Apache-2.0

// Compares the filter with ITK on the images of RealImages.h.

#include "FilterTestSupport.h"
#include "RealImages.h"

namespace
{

using LabelsType = itk::Image<unsigned int, 3>;

TEST(CudaConnectedComponentsRealImages, SameAsItk)
{
  SKIP_WITHOUT_REAL_IMAGES();
  VisitRealMasks([](RealMaskType * mask, const std::string &) {
    ExpectSameAsItk<RealMaskType, LabelsType>([mask](auto * filter) { filter->SetInput(mask); });
    if (CudaTestSupport::CountDevices() == 0)
    {
      return;
    }
    for (const auto & row : itk::CudaConnectedComponentAlgorithms::GetAll())
    {
      auto oracle = MakeOracle<RealMaskType, LabelsType>();
      auto filter = itk::CudaConnectedComponentImageFilter<RealMaskType, LabelsType>::New();
      oracle->SetInput(mask);
      filter->SetInput(mask);
      oracle->FullyConnectedOn();
      filter->FullyConnectedOn();
      filter->SetAlgorithm(row.algorithm);
      oracle->Update();
      filter->Update();
      ExpectSameImages(filter->GetOutput(), oracle->GetOutput());
      EXPECT_EQ(filter->GetObjectCount(), oracle->GetObjectCount());
      EXPECT_EQ(filter->GetBackendUsed(), BackendEnum::CUDA);
    }
  });
}

} // namespace
