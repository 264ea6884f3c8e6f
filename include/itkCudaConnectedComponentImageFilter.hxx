// SPDX-License-Identifier: Apache-2.0
#ifndef itkCudaConnectedComponentImageFilter_hxx
#define itkCudaConnectedComponentImageFilter_hxx

#include "CudaConnectedComponentsDetail/ImageProperties.h"
#include "CudaConnectedComponentsDetail/PackRow.h"

#include <typeinfo>
#include <utility>

namespace itk
{

template <typename TInputImage, typename TOutputImage, typename TMaskImage>
void
CudaConnectedComponentImageFilter<TInputImage, TOutputImage, TMaskImage>::SetIntensityImage(
  const IntensityImageType * image)
{
  // ITK's pipeline takes inputs that are not const, because it sets their requested regions.
  this->ProcessObject::SetInput("IntensityImage", const_cast<IntensityImageType *>(image));
}

template <typename TInputImage, typename TOutputImage, typename TMaskImage>
auto
CudaConnectedComponentImageFilter<TInputImage, TOutputImage, TMaskImage>::GetIntensityImage() const
  -> const IntensityImageType *
{
  return itkDynamicCastInDebugMode<const IntensityImageType *>(this->ProcessObject::GetInput("IntensityImage"));
}

template <typename TInputImage, typename TOutputImage, typename TMaskImage>
template <typename TFunction>
void
CudaConnectedComponentImageFilter<TInputImage, TOutputImage, TMaskImage>::CallPipeline(const TFunction & function)
{
  try
  {
    this->ResetAfterException(*this, function);
  }
  catch (...)
  {
    this->ClearResults();
    throw;
  }
}

template <typename TInputImage, typename TOutputImage, typename TMaskImage>
void
CudaConnectedComponentImageFilter<TInputImage, TOutputImage, TMaskImage>::UpdateOutputInformation()
{
  this->CallPipeline([&] { Superclass::UpdateOutputInformation(); });
}

template <typename TInputImage, typename TOutputImage, typename TMaskImage>
void
CudaConnectedComponentImageFilter<TInputImage, TOutputImage, TMaskImage>::PropagateRequestedRegion(DataObject * output)
{
  this->CallPipeline([&] { Superclass::PropagateRequestedRegion(output); });
}

template <typename TInputImage, typename TOutputImage, typename TMaskImage>
void
CudaConnectedComponentImageFilter<TInputImage, TOutputImage, TMaskImage>::UpdateOutputData(DataObject * output)
{
  this->CallPipeline([&] { Superclass::UpdateOutputData(output); });
}

template <typename TInputImage, typename TOutputImage, typename TMaskImage>
void
CudaConnectedComponentImageFilter<TInputImage, TOutputImage, TMaskImage>::GenerateInputRequestedRegion()
{
  Superclass::GenerateInputRequestedRegion();
  if (this->GetInput() != nullptr && this->GetIntensityImage() != nullptr)
  {
    this->VerifyIntensityImage();
    const_cast<IntensityImageType *>(this->GetIntensityImage())
      ->SetRequestedRegion(this->GetInput()->GetLargestPossibleRegion());
  }
}

template <typename TInputImage, typename TOutputImage, typename TMaskImage>
void
CudaConnectedComponentImageFilter<TInputImage, TOutputImage, TMaskImage>::GenerateData()
{
  m_BackendUsed = BackendEnum::Unknown;
  m_FallbackReason.clear();
  this->ClearResults();
  if (CudaConnectedComponentAlgorithms::Describe(m_Algorithm).needsFullConnectivity && !this->GetFullyConnected())
  {
    itkExceptionMacro(<< m_Algorithm
                      << " labels with full connectivity only. Call FullyConnectedOn(), or choose Automatic or "
                         "RunUnionFind.");
  }
  this->VerifyMask();

  CudaConnectedComponentsDetail::BackendRun run(*this, *this, this->GetOutput()->GetRequestedRegion());
  run.fullyConnected = this->GetFullyConnected();
  run.takesSmallImages = m_Algorithm != AlgorithmEnum::Automatic;
  run.inputPixel = &typeid(InputPixelType);
  run.outputPixel = &typeid(OutputPixelType);
  run.isMasked = this->GetMaskImage() != nullptr;
  run.work = [this, &run](CudaConnectedComponentLabeler & labeler) { this->GenerateDataByLabeler(labeler, run); };
  if constexpr (ImageDimension > 3)
  {
    run.workByITK = [this] { this->GenerateDataByITK(); };
  }
  run.Run();
}

template <typename TInputImage, typename TOutputImage, typename TMaskImage>
void
CudaConnectedComponentImageFilter<TInputImage, TOutputImage, TMaskImage>::VerifyMask() const
{
  if (const MaskImageType * const mask = this->GetMaskImage())
  {
    CudaConnectedComponentsDetail::MaskImageFilter<ImageDimension>::Verify(*this->GetInput(), *mask);
  }
}

template <typename TInputImage, typename TOutputImage, typename TMaskImage>
void
CudaConnectedComponentImageFilter<TInputImage, TOutputImage, TMaskImage>::VerifyIntensityImage() const
{
  using namespace CudaConnectedComponentsDetail;

  const IntensityImageType & image = *this->GetIntensityImage();
  if (!VisitIntensityImage(image, [](const auto &) {}))
  {
    itkExceptionMacro(<< "The intensity image is of the class " << image.GetNameOfClass()
                      << " and has pixels that cannot be measured. It must be an itk::Image of integers of up to 64 "
                         "bits, bool, float or double. CastImageFilter makes such an image.");
  }
  const RegionType region = image.GetLargestPossibleRegion();
  const RegionType inputRegion = this->GetInput()->GetLargestPossibleRegion();
  if (region != inputRegion)
  {
    itkExceptionMacro(<< "The intensity image has " << SizeText(region) << " pixels from the index "
                      << region.GetIndex() << " on, but the input has " << SizeText(inputRegion)
                      << " pixels from the index " << inputRegion.GetIndex()
                      << " on. Give an image of the same region. RegionOfInterestImageFilter crops an image, and "
                         "ResampleImageFilter with the input as the reference image makes an image of its region.");
  }
}

template <typename TInputImage, typename TOutputImage, typename TMaskImage>
void
CudaConnectedComponentImageFilter<TInputImage, TOutputImage, TMaskImage>::GenerateDataByLabeler(
  CudaConnectedComponentLabeler &                   labeler,
  const CudaConnectedComponentsDetail::BackendRun & run)
{
  using namespace CudaConnectedComponentsDetail;

  OutputImageType * const output = this->GetOutput();
  labeler.options.outputIsUntouched = output->GetBufferPointer() == nullptr;
  this->AllocateOutputs();
  if (!run.HasLabels())
  {
    return;
  }
  if constexpr (ImageDimension <= 3)
  {
    labeler.options.algorithm = m_Algorithm;
    labeler.options.inlineCompression = m_InlineCompression;
    labeler.options.selection = this->GetSelection();
    labeler.options.columns.boundingBoxes = m_ComputeStatistics;
    labeler.options.columns.sums = m_ComputeStatistics;
    labeler.options.columns.products = m_ComputeStatistics;

    const typename InputImageType::ConstPointer     input = this->GetInput();
    const typename MaskImageType::ConstPointer      mask = this->GetMaskImage();
    const typename IntensityImageType::ConstPointer intensities = this->GetIntensityImage();
    const RegionType                                region = output->GetRequestedRegion();
    const SizeValueType                             length = region.GetSize(0);
    if (m_ComputeStatistics && intensities)
    {
      labeler.options.intensities = DescribeIntensities(*intensities, region);
    }
    const auto packRow = [&](std::uint64_t row, std::uint32_t * words) {
      BackendRun::CallCaller([&] {
        const auto begin = IndexOfRow(region, row);
        PackRow(*input, begin, length, words);
        if (mask)
        {
          MaskRow(*mask, begin, length, words);
        }
      });
    };
    CudaConnectedComponentTable table;
    const std::uint64_t         objectCount = labeler.LabelPackedRows(packRow,
                                                              run.GetSize(),
                                                              output->GetBufferPointer(),
                                                              this->GetBackgroundValue(),
                                                              this->NeedsObjectSizes() ? &table : nullptr);
    // The results change last, so that they are empty if this function throws.
    StatisticsType statistics;
    if (m_ComputeStatistics)
    {
      statistics = StatisticsType(table, *output, static_cast<std::int64_t>(this->GetBackgroundValue()));
    }
    auto originalCount = static_cast<SizeValueType>(objectCount);
    if (this->NeedsObjectSizes())
    {
      originalCount = static_cast<SizeValueType>(table.originalComponentCount);
      this->StoreObjectSizes({ table.pixelCounts.begin(), table.pixelCounts.end() });
    }
    m_Statistics = std::move(statistics);
    m_OriginalNumberOfObjects = originalCount;
    m_ObjectCount = static_cast<LabelType>(objectCount);
  }
}

template <typename TInputImage, typename TOutputImage, typename TMaskImage>
void
CudaConnectedComponentImageFilter<TInputImage, TOutputImage, TMaskImage>::GenerateDataByITK()
{
  try
  {
    Superclass::GenerateData();
  }
  catch (...)
  {
    this->ClearSuperclassState();
    throw;
  }
  LabelType objectCount = Superclass::GetObjectCount();
  if (this->NeedsObjectSizes())
  {
    using namespace CudaConnectedComponentsDetail;
    auto objects = MeasureLabels(*this->GetOutput(), objectCount, this->GetBackgroundValue(), m_ComputeStatistics);
    if (m_ComputeStatistics && this->GetIntensityImage() != nullptr)
    {
      MeasureIntensitiesOfLabels(*this->GetOutput(), this->GetBackgroundValue(), *this->GetIntensityImage(), objects);
    }
    SelectLabels(*this->GetOutput(), objects, this->GetBackgroundValue(), this->GetSelection());
    objectCount = static_cast<LabelType>(objects.size());
    std::vector<SizeValueType> sizes;
    for (const auto & object : objects)
    {
      sizes.push_back(object.numberOfPixels);
    }
    StatisticsType statistics;
    if (m_ComputeStatistics)
    {
      statistics =
        StatisticsType(std::move(objects), *this->GetOutput(), static_cast<std::int64_t>(this->GetBackgroundValue()));
    }
    this->StoreObjectSizes(std::move(sizes));
    m_Statistics = std::move(statistics);
  }
  m_OriginalNumberOfObjects = Superclass::GetObjectCount();
  m_ObjectCount = objectCount;
}

template <typename TInputImage, typename TOutputImage, typename TMaskImage>
bool
CudaConnectedComponentImageFilter<TInputImage, TOutputImage, TMaskImage>::NeedsObjectSizes() const
{
  return m_MinimumObjectSize > 0 || m_SortByObjectSize || m_NumberOfObjectsToKeep > 0 || m_ComputeStatistics;
}

template <typename TInputImage, typename TOutputImage, typename TMaskImage>
CudaConnectedComponentSelection
CudaConnectedComponentImageFilter<TInputImage, TOutputImage, TMaskImage>::GetSelection() const
{
  CudaConnectedComponentSelection selection;
  selection.minimumSize = m_MinimumObjectSize;
  selection.numberOfLargest = m_NumberOfObjectsToKeep;
  if (m_SortByObjectSize)
  {
    selection.order = CudaConnectedComponentSelection::Order::Size;
  }
  return selection;
}

template <typename TInputImage, typename TOutputImage, typename TMaskImage>
void
CudaConnectedComponentImageFilter<TInputImage, TOutputImage, TMaskImage>::ClearResults()
{
  m_ObjectCount = 0;
  m_OriginalNumberOfObjects = 0;
  m_SizeOfObjectsInPixels.clear();
  m_SizeOfObjectsInPhysicalUnits.clear();
  m_Statistics = StatisticsType();
}

template <typename TInputImage, typename TOutputImage, typename TMaskImage>
void
CudaConnectedComponentImageFilter<TInputImage, TOutputImage, TMaskImage>::StoreObjectSizes(
  std::vector<SizeValueType> sizes)
{
  const float pixelSize = CudaConnectedComponentsDetail::PixelSize(*this->GetOutput());
  m_SizeOfObjectsInPhysicalUnits.reserve(sizes.size());
  for (const SizeValueType size : sizes)
  {
    m_SizeOfObjectsInPhysicalUnits.push_back(static_cast<float>(size) * pixelSize);
  }
  m_SizeOfObjectsInPixels = std::move(sizes);
  m_BackgroundOfSizes = static_cast<std::uint64_t>(this->GetBackgroundValue());
}

template <typename TInputImage, typename TOutputImage, typename TMaskImage>
void
CudaConnectedComponentImageFilter<TInputImage, TOutputImage, TMaskImage>::ClearSuperclassState()
{
  this->m_WorkUnitResults.clear();
  this->m_LineOffsets.clear();
  this->m_LineMap.clear();
  this->m_Consecutive.clear();
  this->m_UnionFind.clear();
}

template <typename TInputImage, typename TOutputImage, typename TMaskImage>
void
CudaConnectedComponentImageFilter<TInputImage, TOutputImage, TMaskImage>::PrintSelf(std::ostream & os,
                                                                                    Indent         indent) const
{
  // The superclass would print its own object count, which the GPU does not set.
  Superclass::Superclass::PrintSelf(os, indent);

  os << indent << "FullyConnected: " << (this->GetFullyConnected() ? "On" : "Off") << std::endl;
  os << indent << "BackgroundValue: "
     << static_cast<typename NumericTraits<OutputPixelType>::PrintType>(this->GetBackgroundValue()) << std::endl;
  os << indent << "ObjectCount: " << m_ObjectCount << std::endl;
  os << indent << "OriginalNumberOfObjects: " << m_OriginalNumberOfObjects << std::endl;
  os << indent << "MinimumObjectSize: " << m_MinimumObjectSize << std::endl;
  os << indent << "SortByObjectSize: " << (m_SortByObjectSize ? "On" : "Off") << std::endl;
  os << indent << "NumberOfObjectsToKeep: " << m_NumberOfObjectsToKeep << std::endl;
  os << indent << "ComputeStatistics: " << (m_ComputeStatistics ? "On" : "Off") << std::endl;
  os << indent << "IntensityImage: " << this->GetIntensityImage() << std::endl;
  os << indent << "Algorithm: " << m_Algorithm << std::endl;
  os << indent << "InlineCompression: " << (m_InlineCompression ? "On" : "Off") << std::endl;
  this->PrintBackend(os, indent);
}

} // end namespace itk

#endif
