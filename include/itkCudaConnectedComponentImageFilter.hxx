// SPDX-License-Identifier: Apache-2.0
#ifndef itkCudaConnectedComponentImageFilter_hxx
#define itkCudaConnectedComponentImageFilter_hxx

#include "CudaConnectedComponentsDetail/FilterOfITK.h"
#include "CudaConnectedComponentsDetail/PrivateMembersOfITK.h"
#include "CudaConnectedComponentsDetail/MaskVerifier.h"

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
    LabelingImages   images{ PackerOfNonzero(*this->GetInput(), region, "input"),
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
    CudaConnectedComponentTable table;
    LabelingResults             results = LabelPlaneOrVolume(labeler, images, m_Settings, table);
    // The results change last, so that they are empty if this function throws.
    if (m_Settings.computeStatistics)
    {
      m_Statistics = StatisticsType(table, *output, static_cast<std::int64_t>(this->GetBackgroundValue()));
    }
    this->StoreResults(std::move(results));
  }
}

template <typename TInputImage, typename TOutputImage, typename TMaskImage>
void
CudaConnectedComponentImageFilter<TInputImage, TOutputImage, TMaskImage>::GenerateDataByITK()
{
  using namespace CudaConnectedComponentsDetail;
  using ITKFilter = FilterOfITK<ConnectedComponentImageFilter<TInputImage, TOutputImage, TMaskImage>>;

  const auto filter = ITKFilter::New();
  filter->SetFullyConnected(this->GetFullyConnected());
  filter->SetBackgroundValue(this->GetBackgroundValue());
  typename TInputImage::ConstPointer input = InputInside(this->GetInput());
  if (const MaskImageType * const mask = this->GetMaskImage())
  {
    // The mask is not for ITK's filter, which would apply it on all threads.
    const auto masking = itk::MaskImageFilter<TInputImage, TMaskImage, TInputImage>::New();
    masking->SetInput(input);
    masking->SetMaskImage(InputInside(mask));
    ShareThreads(*this, *masking);
    masking->Update();
    input = masking->GetOutput();
  }
  UpdateInside(*this, *filter, input.GetPointer());

  const OutputImageType & output = *this->GetOutput();
  const SizeValueType     objectCount = filter->GetObjectCount();
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
