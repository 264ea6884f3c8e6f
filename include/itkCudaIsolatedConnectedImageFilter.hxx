// SPDX-License-Identifier: Apache-2.0
#ifndef itkCudaIsolatedConnectedImageFilter_hxx
#define itkCudaIsolatedConnectedImageFilter_hxx

#include "CudaConnectedComponentsDetail/FilterOfITK.h"

#include "itkMath.h"

#include <algorithm>
#include <cmath>
#include <typeinfo>
#include <vector>

namespace itk
{

template <typename TInputImage, typename TOutputImage>
void
CudaIsolatedConnectedImageFilter<TInputImage, TOutputImage>::GenerateData()
{
  using namespace CudaConnectedComponentsDetail;

  if (this->GetSeeds1().empty())
  {
    itkExceptionMacro("Seeds1 container is empty");
  }
  if (this->GetSeeds2().empty())
  {
    itkExceptionMacro("Seeds2 container is empty");
  }
  BackendRun run(*this, this->GetBackend(), this->GetOutput()->GetRequestedRegion());
  run.inputPixel = &typeid(InputImagePixelType);
  run.outputPixel = &typeid(OutputImagePixelType);
  if constexpr (IsViewed<TInputImage> && IsViewed<TOutputImage> && ImageDimension <= 3)
  {
    run.work = [this](CudaConnectedComponentLabeler & labeler) { this->GenerateDataByLabeler(labeler); };
  }
  else
  {
    run.LeaveTypeToITK([this] { this->AllocateOutputs(); });
    run.workByITK = [this] { this->GenerateDataByITK(); };
  }
  run.Run();
}

template <typename TInputImage, typename TOutputImage>
void
CudaIsolatedConnectedImageFilter<TInputImage, TOutputImage>::GenerateDataByLabeler(
  CudaConnectedComponentLabeler & labeler)
{
  using namespace CudaConnectedComponentsDetail;
  using RealType = typename NumericTraits<InputImagePixelType>::RealType;

  const auto                region = this->GetOutput()->GetRequestedRegion();
  const std::vector<Seed>   first = SeedsInside(this->GetSeeds1(), region);
  const std::vector<Seed>   second = SeedsInside(this->GetSeeds2(), region);
  const ImageView           input = ViewOf(*this->GetInput(), region, "input");
  const InputImagePixelType lower = this->GetLower();
  const InputImagePixelType upper = this->GetUpper();
  const auto                imageOf = [&input](InputImagePixelType from, InputImagePixelType to) {
    return LimitedImage{ input, ImageView::BitsOf(from), ImageView::BitsOf(to) };
  };

  const auto   report = labeler.options.progress;
  const double range = static_cast<double>(upper) - static_cast<double>(lower);
  const double ratio = range / static_cast<double>(this->GetIsolatedValueTolerance());
  const double mostSteps = 2200; // of a search in double
  const double steps = std::isfinite(ratio) ? std::log2(std::max(ratio, 1.0)) + 2 : mostSteps;
  double       stepsDone = 0;
  const auto   reportPart = [&](float progress) {
    report(static_cast<float>(std::min((stepsDone + progress) / steps, 1.0)));
  };
  const auto announceStep = [this] { BackendRun::CallCaller([this] { this->InvokeEvent(IterationEvent()); }); };
  labeler.options.progress = reportPart;
  reportPart(0.0F);

  // ITK looks at the pixels of its output, so it does not see a region of the value 0.
  const bool canReach = !second.empty() && !(this->GetReplaceValue() == OutputImagePixelType{ 0 });
  this->Search([&](InputImagePixelType from, InputImagePixelType to) {
    const bool isReached = canReach && ReachesPixels(labeler, imageOf(from, to), first, second);
    announceStep();
    ++stepsDone;
    reportPart(0.0F);
    return isReached;
  });

  TOutputImage * const output = this->GetOutput();
  const bool           isUntouched = AllocateUntouched(*output, [this] { this->AllocateOutputs(); });
  const bool           isUpper = this->GetFindUpperThreshold();
  GrowRegion(labeler,
             imageOf(isUpper ? lower : this->GetIsolatedValue(), isUpper ? this->GetIsolatedValue() : upper),
             first,
             { ViewOf(*output, region, "output"), isUntouched, ImageView::BitsOf(this->GetReplaceValue()), 0 });

  const auto sumOf = [output, &region](const auto & seeds) {
    RealType sum{ 0 };
    for (const IndexType & seed : seeds)
    {
      sum += region.IsInside(seed) ? static_cast<RealType>(output->GetPixel(seed)) : RealType{ 0 };
    }
    return sum;
  };
  if (Math::NotAlmostEquals(sumOf(this->GetSeeds1()), this->GetReplaceValue() * this->GetSeeds1().size()) ||
      Math::NotExactlyEquals(sumOf(this->GetSeeds2()), RealType{ 0 }))
  {
    this->m_ThresholdingFailed = true; // and it stays true in later runs, as in the superclass
  }
  report(1.0F);
  announceStep(); // as in ITK, the last step cannot be aborted
}

template <typename TInputImage, typename TOutputImage>
template <typename TReaches>
void
CudaIsolatedConnectedImageFilter<TInputImage, TOutputImage>::Search(const TReaches & reachesSecondSeed)
{
  // The expressions of the superclass, which round and overflow in the same way.
  using AccumulateType = typename NumericTraits<InputImagePixelType>::AccumulateType;
  const bool                isUpper = this->GetFindUpperThreshold();
  const InputImagePixelType tolerance = this->GetIsolatedValueTolerance();
  auto                      lower = static_cast<AccumulateType>(this->GetLower());
  auto                      upper = static_cast<AccumulateType>(this->GetUpper());
  AccumulateType            guess = isUpper ? upper : lower;
  while (isUpper ? lower + tolerance < guess : guess < upper - tolerance)
  {
    const AccumulateType before[] = { lower, guess, upper };
    const auto           limit = static_cast<InputImagePixelType>(guess);
    const bool           isReached =
      isUpper ? reachesSecondSeed(this->GetLower(), limit) : reachesSecondSeed(limit, this->GetUpper());
    (isReached == isUpper ? upper : lower) = guess;
    guess = (upper + lower) / 2;
    if (before[0] == lower && before[1] == guess && before[2] == upper)
    {
      itkExceptionMacro("The search for the threshold does not end near "
                        << guess << " with the tolerance " << +tolerance
                        << ". Set a larger tolerance, or limits that are closer to the pixel values.");
    }
  }
  this->m_IsolatedValue = static_cast<InputImagePixelType>(isUpper ? lower : upper);
}

template <typename TInputImage, typename TOutputImage>
void
CudaIsolatedConnectedImageFilter<TInputImage, TOutputImage>::GenerateDataByITK()
{
  using namespace CudaConnectedComponentsDetail;

  const auto filter = FilterOfITK<IsolatedConnectedImageFilter<TInputImage, TOutputImage>>::New();
  filter->SetLower(this->GetLower());
  filter->SetUpper(this->GetUpper());
  filter->SetReplaceValue(this->GetReplaceValue());
  filter->SetIsolatedValueTolerance(this->GetIsolatedValueTolerance());
  filter->SetFindUpperThreshold(this->GetFindUpperThreshold());
  for (const IndexType & seed : this->GetSeeds1())
  {
    filter->AddSeed1(seed);
  }
  for (const IndexType & seed : this->GetSeeds2())
  {
    filter->AddSeed2(seed);
  }
  filter->AddObserver(IterationEvent(), [this](const EventObject &) { this->InvokeEvent(IterationEvent()); });
  UpdateInside(*this, *filter, this->GetInput());
  this->m_IsolatedValue = filter->GetIsolatedValue();
  this->m_ThresholdingFailed = this->m_ThresholdingFailed || filter->GetThresholdingFailed();
}

} // end namespace itk

#endif
