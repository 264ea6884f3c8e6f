// SPDX-License-Identifier: Apache-2.0
#ifndef itkCudaRelabelComponentImageFilter_hxx
#define itkCudaRelabelComponentImageFilter_hxx

#include "CudaConnectedComponentsDetail/LabelingResults.h"
#include "CudaConnectedComponentsDetail/PrivateMembersOfITK.h"
#include "CudaConnectedComponentsDetail/Process.h"
#include "CudaConnectedComponentsDetail/RelabelImages.h"

#include <chrono>
#include <cstdint>
#include <sstream>
#include <type_traits>
#include <typeinfo>

namespace itk
{

template <typename TInputImage, typename TOutputImage>
void
CudaRelabelComponentImageFilter<TInputImage, TOutputImage>::GenerateData()
{
  using namespace CudaConnectedComponentsDetail;

  const auto start = std::chrono::steady_clock::now();
  this->GetMultiThreader()->SetNumberOfWorkUnits(this->GetNumberOfWorkUnits());
  // The module counts the labels of integers.
  if constexpr (IsViewed<TInputImage> && IsViewed<TOutputImage> && IsLabel<LabelType> &&
                !std::is_same<OutputPixelType, bool>::value)
  {
    CallAsITK(*this, [this] { this->GenerateDataByTable(); });
  }
  else
  {
    CallAsITK(*this, [this] { this->GenerateDataByITK(); });
  }
  if (Process::IsVerbose())
  {
    const RegionOfAxes region = this->GetOutput()->GetRequestedRegion();
    Process::Update    update;
    update.filter = this->GetNameOfClass();
    update.size = region.size;
    update.inputPixel = &typeid(InputPixelType);
    update.outputPixel = &typeid(OutputPixelType);
    update.milliseconds = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    Process::Print(update);
  }
}

template <typename TInputImage, typename TOutputImage>
void
CudaRelabelComponentImageFilter<TInputImage, TOutputImage>::GenerateDataByTable()
{
  using namespace CudaConnectedComponentsDetail;

  ReportProgress(*this, 0.0F);
  const TInputImage * const input = this->GetInput();
  TOutputImage * const      output = this->GetOutput();
  const auto                region = output->GetRequestedRegion();
  const bool                hasRegionOfInput = region == input->GetRequestedRegion();

  auto & sizes = MemberBehind(this->GetSizeOfObjectsInPixels());
  auto & physicalSizes = MemberBehind(this->GetSizeOfObjectsInPhysicalUnits());

  SizeValueType originalNumber = 0;
  RelabelTask   task{ this->GetMultiThreader(),
                    this->GetNumberOfWorkUnits(),
                    ViewsOf(*input, input->GetRequestedRegion(), "input"),
                    hasRegionOfInput,
                    this->GetSortByObjectSize(),
                    this->GetMinimumObjectSize(),
                    ImageView::TypeOf<OutputPixelType>(),
                      {},
                      {} };
  task.setOriginalNumber = [&](std::uint64_t number) {
    originalNumber = static_cast<SizeValueType>(number);
    this->SetNumbersOfObjects(originalNumber, originalNumber);
  };
  task.prepareOutput = [&] {
    this->SetNumbersOfObjects(static_cast<SizeValueType>(sizes.size()), originalNumber);
    const float pixelSize = PixelSize(*input);
    physicalSizes.clear();
    for (const ObjectSizeType size : sizes)
    {
      physicalSizes.push_back(static_cast<float>(size) * pixelSize);
    }
    ReportProgress(*this, 0.5F);

    const bool isUntouched = AllocateUntouched(*output, [this] { this->AllocateOutputs(); });
    return RelabelOutput{ hasRegionOfInput ? task.input : ViewsOf(*input, region, "input"),
                          ViewsOf(*output, region, "output"),
                          isUntouched && !this->GetRunningInPlace() };
  };
  Relabel(task, sizes);
  // No abort here: in place, the input has been overwritten, so the run must end as usual.
  this->UpdateProgress(1.0F);
}

template <typename TInputImage, typename TOutputImage>
void
CudaRelabelComponentImageFilter<TInputImage, TOutputImage>::GenerateDataByITK()
{
  const auto copyNumbers = [this] {
    this->SetNumbersOfObjects(Superclass::GetNumberOfObjects(), Superclass::GetOriginalNumberOfObjects());
  };
  try
  {
    Superclass::GenerateData();
  }
  catch (...)
  {
    copyNumbers();
    throw;
  }
  copyNumbers();
}

template <typename TInputImage, typename TOutputImage>
void
CudaRelabelComponentImageFilter<TInputImage, TOutputImage>::SetNumbersOfObjects(SizeValueType number,
                                                                                SizeValueType originalNumber)
{
  using MembersType = CudaConnectedComponentsDetail::RelabelComponentMembers<Superclass>;
  m_NumberOfObjects = number;
  m_OriginalNumberOfObjects = originalNumber;
  if (MembersType::numberOfObjects != nullptr)
  {
    Superclass & superclass = *this;
    superclass.*MembersType::numberOfObjects = number;
    superclass.*MembersType::originalNumberOfObjects = originalNumber;
  }
}

template <typename TInputImage, typename TOutputImage>
void
CudaRelabelComponentImageFilter<TInputImage, TOutputImage>::PrintSelf(std::ostream & os, Indent indent) const
{
  using namespace CudaConnectedComponentsDetail;

  std::stringstream text;
  CopyFormat(text, os);
  Superclass::PrintSelf(text, indent);
  PrintWithValues(os,
                  text,
                  indent,
                  { { "NumberOfObjects", PrintedAs(os, m_NumberOfObjects) },
                    { "OriginalNumberOfObjects", PrintedAs(os, m_OriginalNumberOfObjects) } });
}

} // end namespace itk

#endif
