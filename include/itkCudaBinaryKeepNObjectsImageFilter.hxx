// SPDX-License-Identifier: Apache-2.0
#ifndef itkCudaBinaryKeepNObjectsImageFilter_hxx
#define itkCudaBinaryKeepNObjectsImageFilter_hxx

#include "CudaConnectedComponentsDetail/BackendRun.h"
#include "CudaConnectedComponentsDetail/MaskRows.h"
#include "itkBinaryImageToLabelMapFilter.h"
#include "itkImageRegionConstIterator.h"
#include "itkImageRegionIterator.h"
#include "itkLabelMap.h"
#include "itkLabelObject.h"
#include "itkProgressAccumulator.h"

#include <algorithm>
#include <cstdint>
#include <typeinfo>
#include <vector>

namespace itk
{

template <typename TImage>
void
CudaBinaryKeepNObjectsImageFilter<TImage>::UpdateOutputInformation()
{
  CudaConnectedComponentsDetail::ResetAfterException(*this, [&] { Superclass::UpdateOutputInformation(); });
}

template <typename TImage>
void
CudaBinaryKeepNObjectsImageFilter<TImage>::PropagateRequestedRegion(DataObject * output)
{
  CudaConnectedComponentsDetail::ResetAfterException(*this, [&] { Superclass::PropagateRequestedRegion(output); });
}

template <typename TImage>
void
CudaBinaryKeepNObjectsImageFilter<TImage>::UpdateOutputData(DataObject * output)
{
  CudaConnectedComponentsDetail::ResetAfterException(*this, [&] { Superclass::UpdateOutputData(output); });
}

template <typename TImage>
void
CudaBinaryKeepNObjectsImageFilter<TImage>::GenerateInputRequestedRegion()
{
  Superclass::GenerateInputRequestedRegion();
  if (auto * const input = const_cast<TImage *>(this->GetInput()))
  {
    input->SetRequestedRegionToLargestPossibleRegion();
  }
}

template <typename TImage>
void
CudaBinaryKeepNObjectsImageFilter<TImage>::EnlargeOutputRequestedRegion(DataObject * output)
{
  output->SetRequestedRegionToLargestPossibleRegion();
}

template <typename TImage>
void
CudaBinaryKeepNObjectsImageFilter<TImage>::GenerateData()
{
  CudaConnectedComponentsDetail::BackendRun run(*this, this->GetOutput()->GetRequestedRegion());
  run.gpuEnabled = m_GPUEnabled;
  run.cpuFallback = m_CPUFallback;
  run.lazyGPUStart = m_LazyGPUStart;
  run.deviceId = m_DeviceId;
  run.fullyConnected = m_FullyConnected;
  run.inputPixel = run.outputPixel = &typeid(PixelType);
  if constexpr (CudaConnectedComponentsDetail::HasMaskBuffer<TImage>)
  {
    run.needsLabels = m_NumberOfObjects > 0;
  }
  else
  {
    run.whyOnlyByITK = "the type of the image is not supported on the GPU";
  }
  run.work = [this, &run](CudaConnectedComponentLabeler & labeler) {
    this->GenerateDataByLabeler(labeler, run.GetSize());
  };
  if constexpr (!CudaConnectedComponentsDetail::HasMaskBuffer<TImage> || ImageDimension > 3)
  {
    run.workByITK = [this] { this->GenerateDataByITK(); };
  }
  run.Run(m_BackendUsed, m_FallbackReason);
}

template <typename TImage>
void
CudaBinaryKeepNObjectsImageFilter<TImage>::GenerateDataByLabeler(CudaConnectedComponentLabeler & labeler,
                                                                 const CudaConnectedComponentLabeler::SizeType & size)
{
  using namespace CudaConnectedComponentsDetail;

  const bool isFresh = this->GetOutput()->GetBufferPointer() == nullptr;
  this->AllocateOutputs();
  if constexpr (HasMaskBuffer<TImage>)
  {
    const MaskRows<TImage> rows(*this->GetInput(), *this->GetOutput(), isFresh);
    const std::uint64_t    length = rows.GetLength();
    const bool             isBackground = rows.IsZero() && AreSameBytes(m_BackgroundValue, PixelType{});

    // Rows without other values than foreground and background are written without a second look at the input. If the
    // background is 0, untouched pages of the output need no memory.
    std::vector<unsigned char> areBinary(rows.GetCount(), 0);
    const auto                 packRow = [&](std::uint64_t row, std::uint32_t * words) {
      areBinary[row] = PackEqual(rows.GetInput(row), length, m_ForegroundValue, m_BackgroundValue, words);
    };
    const auto visitRow = [&](std::uint64_t row, const std::uint32_t * words) {
      PixelType * const pixels = rows.GetOutput(row);
      if (!areBinary[row])
      {
        CopyAndReplace(rows.GetInput(row), length, m_ForegroundValue, m_BackgroundValue, pixels);
      }
      else if (!isBackground)
      {
        std::fill_n(pixels, length, m_BackgroundValue);
      }
      SetPixels(words, length, m_ForegroundValue, pixels);
    };
    if (m_NumberOfObjects > 0)
    {
      labeler.options.selection.minimumSize = m_MinimumObjectSize;
      labeler.options.selection.numberOfLargest = m_NumberOfObjects;
      labeler.MaskPackedRows(packRow, size, visitRow);
    }
    else
    {
      rows.VisitWithoutBits(labeler.options.parallelFor, visitRow);
    }
  }
}

template <typename TImage>
void
CudaBinaryKeepNObjectsImageFilter<TImage>::GenerateDataByITK()
{
  using ObjectType = LabelObject<SizeValueType, ImageDimension>;
  using MapType = LabelMap<ObjectType>;

  const auto progress = ProgressAccumulator::New();
  progress->SetMiniPipelineFilter(this);
  const auto labeler = BinaryImageToLabelMapFilter<TImage, MapType>::New();
  labeler->SetInput(this->GetInput());
  labeler->SetInputForegroundValue(m_ForegroundValue);
  labeler->SetFullyConnected(m_FullyConnected);
  labeler->SetNumberOfWorkUnits(this->GetNumberOfWorkUnits());
  progress->RegisterInternalFilter(labeler, 0.8F);
  labeler->Update();

  std::vector<const ObjectType *> objects;
  for (typename MapType::ConstIterator it(labeler->GetOutput()); !it.IsAtEnd(); ++it)
  {
    if (it.GetLabelObject()->Size() >= m_MinimumObjectSize)
    {
      objects.push_back(it.GetLabelObject());
    }
  }
  // The objects are in the order of their first pixels.
  std::stable_sort(
    objects.begin(), objects.end(), [](const ObjectType * a, const ObjectType * b) { return a->Size() > b->Size(); });
  if (objects.size() > m_NumberOfObjects)
  {
    objects.resize(static_cast<std::size_t>(m_NumberOfObjects));
  }

  this->AllocateOutputs();
  TImage * const                    output = this->GetOutput();
  const typename TImage::RegionType region = output->GetRequestedRegion();
  ImageRegionConstIterator<TImage>  inputIt(this->GetInput(), region);
  for (ImageRegionIterator<TImage> it(output, region); !it.IsAtEnd(); ++it, ++inputIt)
  {
    const PixelType pixel = inputIt.Get();
    it.Set(pixel == m_ForegroundValue ? m_BackgroundValue : pixel);
  }
  for (const ObjectType * const object : objects)
  {
    for (typename ObjectType::ConstIndexIterator it(object); !it.IsAtEnd(); ++it)
    {
      output->SetPixel(it.GetIndex(), m_ForegroundValue);
    }
  }
}

template <typename TImage>
void
CudaBinaryKeepNObjectsImageFilter<TImage>::PrintSelf(std::ostream & os, Indent indent) const
{
  Superclass::PrintSelf(os, indent);

  using PrintType = typename NumericTraits<PixelType>::PrintType;
  os << indent << "FullyConnected: " << (m_FullyConnected ? "On" : "Off") << std::endl;
  os << indent << "BackgroundValue: " << static_cast<PrintType>(m_BackgroundValue) << std::endl;
  os << indent << "ForegroundValue: " << static_cast<PrintType>(m_ForegroundValue) << std::endl;
  os << indent << "NumberOfObjects: " << m_NumberOfObjects << std::endl;
  os << indent << "MinimumObjectSize: " << m_MinimumObjectSize << std::endl;
  os << indent << "GPUEnabled: " << (m_GPUEnabled ? "On" : "Off") << std::endl;
  os << indent << "CPUFallback: " << (m_CPUFallback ? "On" : "Off") << std::endl;
  os << indent << "LazyGPUStart: " << (m_LazyGPUStart ? "On" : "Off") << std::endl;
  os << indent << "DeviceId: " << m_DeviceId << std::endl;
  os << indent << "BackendUsed: " << m_BackendUsed << std::endl;
  os << indent << "FallbackReason: " << m_FallbackReason << std::endl;
}

} // end namespace itk

#endif
