// SPDX-License-Identifier: Apache-2.0
#ifndef itkCudaConnectedComponentImageFilter_hxx
#define itkCudaConnectedComponentImageFilter_hxx

#include "CudaConnectedComponentsDetail/FilterOfITK.h"
#include "CudaConnectedComponentsDetail/PrivateMembersOfITK.h"
#include "CudaConnectedComponentsDetail/MaskVerifier.h"

#include "itkBinaryThresholdImageFilter.h"

#include <type_traits>
#include <typeinfo>
#include <utility>

namespace itk
{

template <typename TInputImage, typename TOutputImage, typename TMaskImage>
void
CudaConnectedComponentImageFilter<TInputImage, TOutputImage, TMaskImage>::SetIntensityImage(
  const IntensityImageType * image)
{
  if (this->GetIntensityImage() != image)
  {
    this->RemoveInput("IntensityImage");
    m_UnusedIntensityImage = image;
    this->ConnectIntensityImage();
  }
}

template <typename TInputImage, typename TOutputImage, typename TMaskImage>
void
CudaConnectedComponentImageFilter<TInputImage, TOutputImage, TMaskImage>::ConnectIntensityImage()
{
  const IntensityImageType * const image = this->GetIntensityImage();
  if (!m_Settings.computeStatistics)
  {
    m_UnusedIntensityImage = image;
    this->RemoveInput("IntensityImage");
    return;
  }
  if (image != nullptr)
  {
    // ITK's pipeline takes inputs that are not const, because it sets their requested regions.
    this->ProcessObject::SetInput("IntensityImage", const_cast<IntensityImageType *>(image));
  }
  m_UnusedIntensityImage = nullptr;
}

template <typename TInputImage, typename TOutputImage, typename TMaskImage>
void
CudaConnectedComponentImageFilter<TInputImage, TOutputImage, TMaskImage>::SetThresholds(ThresholdType lower,
                                                                                        ThresholdType upper)
{
  if (!std::is_arithmetic<InputPixelType>::value)
  {
    itkExceptionMacro("Thresholds need pixels that are numbers. Compute an image of numbers first.");
  }
  this->SetMember(m_HasThresholds, true);
  this->SetMember(m_LowerThreshold, lower);
  this->SetMember(m_UpperThreshold, upper);
}

template <typename TInputImage, typename TOutputImage, typename TMaskImage>
void
CudaConnectedComponentImageFilter<TInputImage, TOutputImage, TMaskImage>::ClearThresholds()
{
  this->SetMember(m_HasThresholds, false);
  m_LowerThreshold = NumericTraits<ThresholdType>::NonpositiveMin();
  m_UpperThreshold = NumericTraits<ThresholdType>::max();
}

template <typename TInputImage, typename TOutputImage, typename TMaskImage>
void
CudaConnectedComponentImageFilter<TInputImage, TOutputImage, TMaskImage>::GenerateInputRequestedRegion()
{
  Superclass::GenerateInputRequestedRegion();
  // A class that derives from this one can set any object as this input.
  DataObject * const intensities = this->ProcessObject::GetInput("IntensityImage");
  if (this->GetInput() != nullptr && intensities != nullptr)
  {
    const RegionType & region = this->GetInput()->GetLargestPossibleRegion();
    CudaConnectedComponentsDetail::VerifyIntensityImage(*this, *intensities, region);
    static_cast<IntensityImageType *>(intensities)->SetRequestedRegion(region);
  }
}

template <typename TInputImage, typename TOutputImage, typename TMaskImage>
void
CudaConnectedComponentImageFilter<TInputImage, TOutputImage, TMaskImage>::GenerateData()
{
  this->ClearResults();
  const MaskImageType * const mask = this->GetMaskImage();
  if (mask != nullptr)
  {
    CudaConnectedComponentsDetail::MaskVerifier<ImageDimension>::Verify(*this->GetInput(), *mask);
  }
  if (m_HasThresholds && m_LowerThreshold > m_UpperThreshold)
  {
    using PrintType = typename NumericTraits<ThresholdType>::PrintType;
    itkExceptionMacro("Lower threshold cannot be greater than upper threshold. They are "
                      << static_cast<PrintType>(m_LowerThreshold) << " and " << static_cast<PrintType>(m_UpperThreshold)
                      << ".");
  }
  const bool isPlanes = m_Connectivity == 4 || m_Connectivity == 8;
  const bool isVolumes = m_Connectivity == 6 || m_Connectivity == 18 || m_Connectivity == 26;
  if (m_Connectivity != 0 && !(isPlanes && ImageDimension == 2) && !(isVolumes && ImageDimension == 3))
  {
    itkExceptionMacro("Connectivity is " << m_Connectivity << ", and the image has " << ImageDimension
                                         << " dimensions: set 4 or 8 for planes, 6, 18 or 26 for volumes, or 0");
  }
  CudaConnectedComponentsDetail::BackendRun run(*this, this->GetBackend(), this->GetOutput()->GetRequestedRegion());
  run.fullyConnected = this->GetFullyConnected();
  run.connectivity = m_Connectivity;
  run.inputPixel = &typeid(InputPixelType);
  run.outputPixel = &typeid(OutputPixelType);
  run.isMasked = mask != nullptr;
  run.work = [this, &run](CudaConnectedComponentLabeler & labeler) { this->GenerateDataByLabeler(labeler, run); };
  if constexpr (ImageDimension > 3)
  {
    run.workByITK = [this] { this->GenerateDataByITK(); };
  }
  run.Run();
}

template <typename TInputImage, typename TOutputImage, typename TMaskImage>
void
CudaConnectedComponentImageFilter<TInputImage, TOutputImage, TMaskImage>::GenerateDataByLabeler(
  CudaConnectedComponentLabeler &                   labeler,
  const CudaConnectedComponentsDetail::BackendRun & run)
{
  using namespace CudaConnectedComponentsDetail;

  OutputImageType * const output = this->GetOutput();
  const bool              isUntouched = AllocateUntouched(*output, [this] { this->AllocateOutputs(); });
  if (!run.HasComponents())
  {
    return;
  }
  if constexpr (ImageDimension <= 3)
  {
    const RegionType region = output->GetRequestedRegion();
    LabelingImages   images{ this->MakePacker(region),
                           ViewOf(*output, region, "output"),
                           isUntouched,
                           static_cast<std::uint64_t>(this->GetBackgroundValue()),
                             {},
                           PixelSize(*output) };
    if (const MaskImageType * const mask = this->GetMaskImage())
    {
      images.input = Both(std::move(images.input), PackerOfNonzero(*mask, region, "mask"), region.GetSize(0));
    }
    if (m_Settings.computeStatistics && this->GetIntensityImage() != nullptr)
    {
      images.intensities = ViewsOfIntensities(*this->GetIntensityImage(), region).front();
    }
    // An observer may read the results when the progress is 1.
    const auto report = labeler.options.progress;
    labeler.options.progress = [&report](float progress) {
      if (progress < 1.0F)
      {
        report(progress);
      }
    };
    CudaConnectedComponentTable table;
    LabelingResults             results = LabelPlaneOrVolume(labeler, images, m_Settings, table);
    // The results change last, so that they are empty if the labeling throws.
    if (m_Settings.computeStatistics)
    {
      m_Statistics = StatisticsType(table, *output, static_cast<std::int64_t>(this->GetBackgroundValue()));
    }
    this->StoreResults(std::move(results));
    report(1.0F);
  }
}

template <typename TInputImage, typename TOutputImage, typename TMaskImage>
CudaConnectedComponentsDetail::RowPacker
CudaConnectedComponentImageFilter<TInputImage, TOutputImage, TMaskImage>::MakePacker(const RegionType & region) const
{
  using namespace CudaConnectedComponentsDetail;

  if constexpr (std::is_arithmetic<InputPixelType>::value)
  {
    if (m_HasThresholds)
    {
      return PackerOfRange(*this->GetInput(), region, "input", m_LowerThreshold, m_UpperThreshold);
    }
  }
  return PackerOfNonzero(*this->GetInput(), region, "input");
}

template <typename TInputImage, typename TOutputImage, typename TMaskImage>
template <typename TImage>
SizeValueType
CudaConnectedComponentImageFilter<TInputImage, TOutputImage, TMaskImage>::LabelByITK(const TImage * image)
{
  using namespace CudaConnectedComponentsDetail;

  const auto filter = FilterOfITK<ConnectedComponentImageFilter<TImage, TOutputImage, TMaskImage>>::New();
  filter->SetFullyConnected(this->GetFullyConnected());
  filter->SetBackgroundValue(this->GetBackgroundValue());
  typename TImage::ConstPointer input = image;
  if (const MaskImageType * const mask = this->GetMaskImage())
  {
    // The mask is not for ITK's filter, which would apply it on all threads.
    const auto masking = itk::MaskImageFilter<TImage, TMaskImage, TImage>::New();
    masking->SetInput(input);
    masking->SetMaskImage(InputInside(mask));
    ShareThreads(*this, *masking);
    masking->Update();
    input = masking->GetOutput();
  }
  UpdateInside(*this, *filter, input.GetPointer());
  return filter->GetObjectCount();
}

template <typename TInputImage, typename TOutputImage, typename TMaskImage>
void
CudaConnectedComponentImageFilter<TInputImage, TOutputImage, TMaskImage>::GenerateDataByITK()
{
  using namespace CudaConnectedComponentsDetail;

  const auto labelInput = [this] {
    const auto input = InputInside(this->GetInput());
    if constexpr (std::is_arithmetic<InputPixelType>::value)
    {
      if (m_HasThresholds)
      {
        const auto threshold = BinaryThresholdImageFilter<TInputImage, Image<unsigned char, ImageDimension>>::New();
        threshold->SetInput(input);
        threshold->SetLowerThreshold(m_LowerThreshold);
        threshold->SetUpperThreshold(m_UpperThreshold);
        ShareThreads(*this, *threshold);
        threshold->Update();
        return this->LabelByITK(threshold->GetOutput());
      }
    }
    return this->LabelByITK(input.GetPointer());
  };
  const SizeValueType objectCount = labelInput();

  const OutputImageType & output = *this->GetOutput();
  const auto              background = static_cast<std::uint64_t>(this->GetBackgroundValue());
  if (!m_Settings.NeedObjectSizes())
  {
    LabelingResults results;
    results.objectCount = results.originalNumberOfObjects = objectCount;
    this->StoreResults(std::move(results));
    return;
  }
  std::vector<ImageView> intensities;
  if (m_Settings.computeStatistics && this->GetIntensityImage() != nullptr)
  {
    intensities = ViewsOfIntensities(*this->GetIntensityImage(), output.GetBufferedRegion());
  }
  const RegionOfAxes region = output.GetBufferedRegion();
  SeriesTable        table = SelectLabeledObjects(this->GetMultiThreader(),
                                           ViewsOf(output, output.GetBufferedRegion(), "output"),
                                           region.size,
                                           intensities,
                                           background,
                                           objectCount,
                                           m_Settings);
  LabelingResults    results = ResultsOf(objectCount, table.counts, background, PixelSize(output));
  if (m_Settings.computeStatistics)
  {
    m_Statistics = StatisticsType(table, output, static_cast<std::int64_t>(this->GetBackgroundValue()));
  }
  this->StoreResults(std::move(results));
}

template <typename TInputImage, typename TOutputImage, typename TMaskImage>
void
CudaConnectedComponentImageFilter<TInputImage, TOutputImage, TMaskImage>::StoreResults(
  CudaConnectedComponentsDetail::LabelingResults results)
{
  CudaConnectedComponentsDetail::MemberBehind(Superclass::GetObjectCount()) =
    static_cast<LabelType>(results.objectCount);
  m_Results = std::move(results);
}

template <typename TInputImage, typename TOutputImage, typename TMaskImage>
void
CudaConnectedComponentImageFilter<TInputImage, TOutputImage, TMaskImage>::ClearResults()
{
  this->StoreResults({});
  m_Statistics = StatisticsType();
}

template <typename TInputImage, typename TOutputImage, typename TMaskImage>
void
CudaConnectedComponentImageFilter<TInputImage, TOutputImage, TMaskImage>::PrintSelf(std::ostream & os,
                                                                                    Indent         indent) const
{
  Superclass::PrintSelf(os, indent);

  os << indent << "FullyConnected: " << (this->GetFullyConnected() ? "On" : "Off") << std::endl;
  os << indent << "Connectivity: " << m_Connectivity << std::endl;
  using PrintType = typename NumericTraits<ThresholdType>::PrintType;
  os << indent << "HasThresholds: " << (m_HasThresholds ? "On" : "Off") << std::endl;
  os << indent << "LowerThreshold: " << static_cast<PrintType>(m_LowerThreshold) << std::endl;
  os << indent << "UpperThreshold: " << static_cast<PrintType>(m_UpperThreshold) << std::endl;
  os << indent << "BackgroundValue: "
     << static_cast<typename NumericTraits<OutputPixelType>::PrintType>(this->GetBackgroundValue()) << std::endl;
  os << indent << "OriginalNumberOfObjects: " << m_Results.originalNumberOfObjects << std::endl;
  os << indent << "MinimumObjectSize: " << m_Settings.minimumObjectSize << std::endl;
  os << indent << "SortByObjectSize: " << (m_Settings.sortByObjectSize ? "On" : "Off") << std::endl;
  os << indent << "NumberOfObjectsToKeep: " << m_Settings.numberOfObjectsToKeep << std::endl;
  os << indent << "ComputeStatistics: " << (m_Settings.computeStatistics ? "On" : "Off") << std::endl;
  os << indent << "IntensityImage: " << this->GetIntensityImage() << std::endl;
}

} // end namespace itk

#endif
