// SPDX-License-Identifier: Apache-2.0
#ifndef itkCudaThresholdMaximumConnectedComponentsImageFilter_hxx
#define itkCudaThresholdMaximumConnectedComponentsImageFilter_hxx

#include "CudaConnectedComponentsDetail/FilterOfITK.h"
#include "CudaConnectedComponentsDetail/PrivateMembersOfITK.h"
#include "CudaConnectedComponentsDetail/ThresholdImages.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <sstream>
#include <typeinfo>

namespace itk
{

template <typename TInputImage, typename TOutputImage>
void
CudaThresholdMaximumConnectedComponentsImageFilter<TInputImage, TOutputImage>::GenerateData()
{
  using namespace CudaConnectedComponentsDetail;

  // The superclass searches between the extremes of the pixels that were requested, but counts the objects of all
  // pixels, and gives all pixels.
  const TInputImage * const input = this->GetInput();
  const auto                requested = input->GetRequestedRegion();
  const auto                region = input->GetLargestPossibleRegion();
  if (!input->GetBufferedRegion().IsInside(region) && region.GetNumberOfPixels() > 0)
  {
    auto * const whole = const_cast<TInputImage *>(input);
    whole->SetRequestedRegionToLargestPossibleRegion();
    whole->Update();
  }
  BackendRun run(*this, this->GetBackend(), region);
  run.inputPixel = &typeid(PixelType);
  run.outputPixel = &typeid(OutputPixelType);
  if constexpr (IsViewed<TInputImage> && IsViewed<TOutputImage> && ImageDimension <= 3)
  {
    run.work = [this, requested](CudaConnectedComponentLabeler & labeler) {
      this->GenerateDataByLabeler(labeler, requested);
    };
  }
  else
  {
    run.LeaveTypeToITK([this] { this->AllocateOutputs(); });
    run.workByITK = [this, requested] { this->GenerateDataByITK(requested); };
  }
  run.Run();
}

template <typename TInputImage, typename TOutputImage>
void
CudaThresholdMaximumConnectedComponentsImageFilter<TInputImage, TOutputImage>::GenerateDataByLabeler(
  CudaConnectedComponentLabeler & labeler,
  const InputImageRegionType &    requested)
{
  using namespace CudaConnectedComponentsDetail;

  const auto report = labeler.options.progress;
  report(0.0F);
  const TInputImage * const input = this->GetInput();
  const auto                region = input->GetLargestPossibleRegion();
  std::uint64_t             lowest = ImageView::BitsOf(NumericTraits<PixelType>::max());
  std::uint64_t             highest = ImageView::BitsOf(NumericTraits<PixelType>::NonpositiveMin());
  FindExtremes(labeler, ViewOf(*input, requested, "input"), lowest, highest);
  const ImageView view = ViewOf(*input, region, "input");
  const auto      limitsOf = [this, &view](PixelType threshold) {
    if (threshold > this->GetUpperBoundary())
    {
      // As the BinaryThresholdImageFilter of the superclass.
      itkExceptionMacro("Lower threshold cannot be greater than upper threshold.");
    }
    return LimitedImage{ view, ImageView::BitsOf(threshold), ImageView::BitsOf(this->GetUpperBoundary()) };
  };
  const auto pixelOf = [](std::uint64_t bits) {
    PixelType pixel;
    std::memcpy(&pixel, &bits, sizeof(pixel));
    return pixel;
  };

  const auto   upperBound = std::min(pixelOf(highest), this->GetUpperBoundary());
  const double range = static_cast<double>(upperBound) - static_cast<double>(pixelOf(lowest));
  const double countings = range > 2 ? 2 * std::ceil(std::log2(range / 2)) : 0;
  double       counted = 0;
  const auto   reportPart = [&](float progress) {
    report(static_cast<float>(std::min((counted + progress) / (countings + 1), 1.0)));
  };
  labeler.options.progress = reportPart;
  const OutputPixelType zero{ 0 };
  this->Search(pixelOf(lowest), upperBound, [&] {
    const std::uint64_t count = CountComponents(labeler,
                                                limitsOf(m_ThresholdValue),
                                                this->GetInsideValue() != zero,
                                                this->GetOutsideValue() != zero,
                                                this->GetMinimumObjectSizeInPixels());
    ++counted;
    return static_cast<SizeValueType>(count);
  });

  const LimitedImage   image = limitsOf(m_ThresholdValue);
  TOutputImage * const output = this->GetOutput();
  output->SetRequestedRegion(region);
  const bool isUntouched = AllocateUntouched(*output, [this] { this->AllocateOutputs(); });
  reportPart(0.0F);
  WriteLimited(labeler,
               image,
               { ViewOf(*output, region, "output"),
                 isUntouched,
                 ImageView::BitsOf(this->GetInsideValue()),
                 ImageView::BitsOf(this->GetOutsideValue()) });
  report(1.0F);
}

template <typename TInputImage, typename TOutputImage>
template <typename TCount>
void
CudaThresholdMaximumConnectedComponentsImageFilter<TInputImage, TOutputImage>::Search(PixelType      lowerBound,
                                                                                      PixelType      upperBound,
                                                                                      const TCount & count)
{
  // The expressions of the superclass, which round and overflow in the same way.
  PixelType midpoint = (upperBound - lowerBound) / 2;
  PixelType midpointL = (lowerBound + (midpoint - lowerBound) / 2);
  PixelType midpointR = (upperBound - (upperBound - midpoint) / 2);
  while ((upperBound - lowerBound) > 2)
  {
    const PixelType before[] = { lowerBound, midpoint, upperBound };
    m_ThresholdValue = midpointR;
    const SizeValueType countR = count();
    m_ThresholdValue = midpointL;
    const SizeValueType countL = count();
    if (countR > countL)
    {
      lowerBound = midpoint;
      midpoint = midpointR;
      m_NumberOfObjects = countR;
    }
    else
    {
      upperBound = midpoint;
      midpoint = midpointL;
      m_NumberOfObjects = countL;
    }
    midpointL = (lowerBound + (midpoint - lowerBound) / 2);
    midpointR = (upperBound - (upperBound - midpoint) / 2);
    if (before[0] == lowerBound && before[1] == midpoint && before[2] == upperBound)
    {
      itkExceptionMacro("The search for the threshold does not end, because neighboring pixel values near "
                        << upperBound << " differ by more than 2. Scale the pixels to smaller values.");
    }
  }
  m_ThresholdValue = midpoint;
}

template <typename TInputImage, typename TOutputImage>
void
CudaThresholdMaximumConnectedComponentsImageFilter<TInputImage, TOutputImage>::GenerateDataByITK(
  const InputImageRegionType & requested)
{
  using namespace CudaConnectedComponentsDetail;

  const auto filter = FilterOfITK<ThresholdMaximumConnectedComponentsImageFilter<TInputImage, TOutputImage>>::New();
  filter->SetMinimumObjectSizeInPixels(this->GetMinimumObjectSizeInPixels());
  filter->SetInsideValue(this->GetInsideValue());
  filter->SetOutsideValue(this->GetOutsideValue());
  filter->SetUpperBoundary(this->GetUpperBoundary());
  this->GetOutput()->SetRequestedRegion(requested); // from which the filter inside takes that of the input
  UpdateInside(*this, *filter, this->GetInput());
  m_ThresholdValue = filter->GetThresholdValue();

  const auto extremes = MinimumMaximumImageCalculator<TInputImage>::New();
  extremes->SetImage(this->GetInput());
  extremes->SetRegion(requested);
  extremes->Compute();
  if (std::min(extremes->GetMaximum(), this->GetUpperBoundary()) - extremes->GetMinimum() > 2)
  {
    m_NumberOfObjects = filter->GetNumberOfObjects(); // without a search, the filter inside has none
  }
}

template <typename TInputImage, typename TOutputImage>
void
CudaThresholdMaximumConnectedComponentsImageFilter<TInputImage, TOutputImage>::PrintSelf(std::ostream & os,
                                                                                         Indent         indent) const
{
  using namespace CudaConnectedComponentsDetail;

  std::stringstream text;
  CopyFormat(text, os);
  Superclass::PrintSelf(text, indent);
  using PrintType = typename NumericTraits<PixelType>::PrintType;
  PrintWithValues(os,
                  text,
                  indent,
                  { { "Threshold Value", PrintedAs(os, static_cast<PrintType>(m_ThresholdValue)) },
                    { "NumberOfObjects", PrintedAs(os, m_NumberOfObjects) } });
}

} // end namespace itk

#endif
