// SPDX-License-Identifier: Apache-2.0
#ifndef itkCudaConnectedComponentImageFilter_hxx
#define itkCudaConnectedComponentImageFilter_hxx

#include "CudaConnectedComponentsDetail/ImageProperties.h"
#include "CudaConnectedComponentsDetail/PackRow.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <typeinfo>

namespace itk
{

namespace CudaConnectedComponentsDetail
{

/** Carries an exception of the input, the mask or an observer through the labeler. Without it, the filter could take
 * the exception for an error of CUDA and fall back to the CPU. */
struct CallersException
{
  std::exception_ptr exception;
};

/** Calls a function that runs code of the caller. Replaces its exceptions by CallersException. */
template <typename TFunction>
void
CallForLabeler(const TFunction & function)
{
  try
  {
    function();
  }
  catch (...)
  {
    throw CallersException{ std::current_exception() };
  }
}

} // namespace CudaConnectedComponentsDetail

template <typename TInputImage, typename TOutputImage, typename TMaskImage>
void
CudaConnectedComponentImageFilter<TInputImage, TOutputImage, TMaskImage>::PropagateRequestedRegion(DataObject * output)
{
  try
  {
    Superclass::PropagateRequestedRegion(output);
  }
  catch (...)
  {
    this->ResetPipeline();
    throw;
  }
}

template <typename TInputImage, typename TOutputImage, typename TMaskImage>
void
CudaConnectedComponentImageFilter<TInputImage, TOutputImage, TMaskImage>::GenerateData()
{
  const CudaConnectedComponentsDetail::Process::TrimAtEnd trimAtEnd;

  const auto start = std::chrono::steady_clock::now();
  try
  {
    this->GenerateLabels();
  }
  catch (const CudaConnectedComponentsDetail::CallersException & callers)
  {
    std::rethrow_exception(callers.exception);
  }
  const double milliseconds =
    std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  if (m_LazyGPUStart && m_BackendUsed != BackendEnum::CUDA && !this->IsForCPU())
  {
    CudaConnectedComponentsDetail::Process::AddTimeWithoutGPU(milliseconds);
  }
  if (!CudaConnectedComponentsDetail::Process::IsVerbose())
  {
    return;
  }
  unsigned int fullConnectivity = 1;
  for (unsigned int axis = 0; axis < ImageDimension; ++axis)
  {
    fullConnectivity *= 3;
  }
  const std::string size = CudaConnectedComponentsDetail::SizeText(this->GetOutput()->GetRequestedRegion());
  CudaConnectedComponentsDetail::Process::Print({ this->GetNameOfClass(),
                                                  size,
                                                  &typeid(InputPixelType),
                                                  &typeid(OutputPixelType),
                                                  this->GetMaskImage() != nullptr,
                                                  this->GetFullyConnected() ? fullConnectivity - 1 : 2 * ImageDimension,
                                                  m_BackendUsed,
                                                  m_FallbackReason,
                                                  milliseconds });
}

template <typename TInputImage, typename TOutputImage, typename TMaskImage>
void
CudaConnectedComponentImageFilter<TInputImage, TOutputImage, TMaskImage>::GenerateLabels()
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

  if (this->GetOutput()->GetRequestedRegion().GetNumberOfPixels() == 0)
  {
    this->AllocateOutputs();
    m_BackendUsed = BackendEnum::CPU;
    return;
  }
  if (m_GPUEnabled)
  {
    m_FallbackReason = this->TryGPU();
    if (m_FallbackReason.empty())
    {
      m_BackendUsed = BackendEnum::CUDA;
      return;
    }
    if (!m_CPUFallback)
    {
      itkExceptionMacro(<< "The GPU cannot be used, and CPUFallback is off: " << m_FallbackReason);
    }
  }

  if constexpr (ImageDimension > 3)
  {
    this->GenerateDataByITK();
    m_BackendUsed = BackendEnum::ITK;
  }
  else
  {
    try
    {
      this->GenerateDataByLabeler(true);
    }
    catch (const CudaConnectedComponentError & error)
    {
      itkExceptionMacro(<< error.what());
    }
    m_BackendUsed = BackendEnum::CPU;
  }
}

template <typename TInputImage, typename TOutputImage, typename TMaskImage>
std::string
CudaConnectedComponentImageFilter<TInputImage, TOutputImage, TMaskImage>::TryGPU()
{
  if constexpr (ImageDimension > 3)
  {
    return "dimension " + std::to_string(ImageDimension) + " is not supported on the GPU";
  }
  else
  {
    if (this->IsForCPU())
    {
      return "the CPU labels " + std::to_string(this->GetOutput()->GetRequestedRegion().GetNumberOfPixels()) +
             " pixels sooner";
    }
    if (m_LazyGPUStart && m_CPUFallback)
    {
      const std::string reason = CudaConnectedComponentsDetail::Process::WhyNotStartGPU();
      if (!reason.empty())
      {
        return reason;
      }
    }
    try
    {
      this->GenerateDataByLabeler(false);
      return "";
    }
    catch (const CudaConnectedComponentError & error)
    {
      if (error.GetKind() == CudaConnectedComponentError::Kind::TooManyObjects)
      {
        itkExceptionMacro(<< error.what());
      }
      if (m_CPUFallback)
      {
        CudaConnectedComponentsDetail::Process::ReportFault(error);
      }
      return error.what();
    }
  }
}

template <typename TInputImage, typename TOutputImage, typename TMaskImage>
bool
CudaConnectedComponentImageFilter<TInputImage, TOutputImage, TMaskImage>::IsForCPU() const
{
  return m_CPUFallback && m_Algorithm == AlgorithmEnum::Automatic && ImageDimension <= 3 &&
         CudaConnectedComponentLabeler::IsFasterOnHost(this->GetLabelerSize());
}

template <typename TInputImage, typename TOutputImage, typename TMaskImage>
CudaConnectedComponentLabeler::SizeType
CudaConnectedComponentImageFilter<TInputImage, TOutputImage, TMaskImage>::GetLabelerSize() const
{
  const RegionType                        region = this->GetOutput()->GetRequestedRegion();
  CudaConnectedComponentLabeler::SizeType size{ 1, 1, 1 };
  for (unsigned int axis = 0; axis < std::min(3U, ImageDimension); ++axis)
  {
    size[axis] = region.GetSize(axis);
  }
  return size;
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
CudaConnectedComponentImageFilter<TInputImage, TOutputImage, TMaskImage>::GenerateDataByLabeler(bool onHost)
{
  using namespace CudaConnectedComponentsDetail;

  CudaConnectedComponentLabeler labeler;
  labeler.options.algorithm = m_Algorithm;
  labeler.options.fullyConnected = this->GetFullyConnected();
  labeler.options.inlineCompression = m_InlineCompression;
  labeler.options.deviceId = m_DeviceId;
  labeler.options.onHost = onHost;
  if (!onHost)
  {
    // Throws before the output is allocated.
    labeler.RequireDevice();
  }

  MultiThreaderBase * const threader = this->GetMultiThreader();
  threader->SetNumberOfWorkUnits(this->GetNumberOfWorkUnits());
  labeler.options.parallelFor = ParallelForOf(threader);
  labeler.options.progress = [this](float progress) {
    CallForLabeler([this, progress] {
      this->UpdateProgress(progress);
      this->ThrowIfAborted();
    });
  };

  const typename InputImageType::ConstPointer input = this->GetInput();
  const typename MaskImageType::ConstPointer  mask = this->GetMaskImage();
  OutputImageType * const                     output = this->GetOutput();
  labeler.options.outputIsUntouched = output->GetBufferPointer() == nullptr;
  this->AllocateOutputs();
  const RegionType region = output->GetRequestedRegion();

  const CudaConnectedComponentLabeler::SizeType size = this->GetLabelerSize();

  const auto packRow = [&](std::uint64_t row, std::uint32_t * words) {
    typename RegionType::IndexType begin = region.GetIndex();
    for (unsigned int axis = 1; axis < ImageDimension; ++axis)
    {
      const std::uint64_t offset = axis == 1 ? row % size[1] : row / size[1];
      begin[axis] += static_cast<IndexValueType>(offset);
    }
    CallForLabeler([&] {
      PackRow(*input, begin, size[0], words);
      if (mask)
      {
        MaskRow(*mask, begin, size[0], words);
      }
    });
  };
  CudaConnectedComponentTable table;
  labeler.options.selection = this->GetSelection();
  labeler.options.columns.boundingBoxes = m_ComputeStatistics;
  labeler.options.columns.sums = m_ComputeStatistics;
  labeler.options.columns.products = m_ComputeStatistics;
  const std::uint64_t objectCount = labeler.LabelPackedRows(
    packRow, size, output->GetBufferPointer(), this->GetBackgroundValue(), this->NeedsObjectSizes() ? &table : nullptr);
  // The results change last, so that they are empty if this function throws.
  StatisticsType statistics;
  if (m_ComputeStatistics)
  {
    statistics = StatisticsType(table, *output, static_cast<std::int64_t>(this->GetBackgroundValue()));
  }
  SizeValueType originalCount = static_cast<SizeValueType>(objectCount);
  if (this->NeedsObjectSizes())
  {
    originalCount = static_cast<SizeValueType>(table.originalComponentCount);
    this->StoreObjectSizes({ table.pixelCounts.begin(), table.pixelCounts.end() });
  }
  m_Statistics = std::move(statistics);
  m_OriginalNumberOfObjects = originalCount;
  m_ObjectCount = static_cast<LabelType>(objectCount);
}

template <typename TInputImage, typename TOutputImage, typename TMaskImage>
void
CudaConnectedComponentImageFilter<TInputImage, TOutputImage, TMaskImage>::GenerateDataByITK()
{
  this->ThrowIfAborted();
  try
  {
    Superclass::GenerateData();
  }
  catch (...)
  {
    this->ClearSuperclassState();
    throw;
  }
  this->ThrowIfAborted();
  LabelType objectCount = Superclass::GetObjectCount();
  if (this->NeedsObjectSizes())
  {
    using namespace CudaConnectedComponentsDetail;
    auto objects = MeasureLabels(*this->GetOutput(), objectCount, this->GetBackgroundValue(), m_ComputeStatistics);
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
CudaConnectedComponentImageFilter<TInputImage, TOutputImage, TMaskImage>::ThrowIfAborted() const
{
  if (this->GetAbortGenerateData())
  {
    ProcessAborted aborted(__FILE__, __LINE__);
    aborted.SetDescription("Labeling was aborted by AbortGenerateDataOn().");
    throw aborted;
  }
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
  os << indent << "GPUEnabled: " << (m_GPUEnabled ? "On" : "Off") << std::endl;
  os << indent << "CPUFallback: " << (m_CPUFallback ? "On" : "Off") << std::endl;
  os << indent << "LazyGPUStart: " << (m_LazyGPUStart ? "On" : "Off") << std::endl;
  os << indent << "Algorithm: " << m_Algorithm << std::endl;
  os << indent << "InlineCompression: " << (m_InlineCompression ? "On" : "Off") << std::endl;
  os << indent << "DeviceId: " << m_DeviceId << std::endl;
  os << indent << "BackendUsed: " << m_BackendUsed << std::endl;
  os << indent << "FallbackReason: " << m_FallbackReason << std::endl;
}

} // end namespace itk

#endif
