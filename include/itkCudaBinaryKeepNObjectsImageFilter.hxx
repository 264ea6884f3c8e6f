// SPDX-License-Identifier: Apache-2.0
#ifndef itkCudaBinaryKeepNObjectsImageFilter_hxx
#define itkCudaBinaryKeepNObjectsImageFilter_hxx

#include "CudaConnectedComponentsDetail/MaskImages.h"
#include "itkBinaryImageToLabelMapFilter.h"
#include "itkImageRegionConstIterator.h"
#include "itkImageRegionIterator.h"
#include "itkLabelMap.h"
#include "itkLabelObject.h"
#include "itkProgressAccumulator.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace itk
{

template <typename TImage>
void
CudaBinaryKeepNObjectsImageFilter<TImage>::GenerateInputRequestedRegion()
{
  Superclass::GenerateInputRequestedRegion();
  if (DataObject * const input = this->GetPrimaryInput())
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
  using namespace CudaConnectedComponentsDetail;

  BackendRun  run(*this, this->GetBackend(), this->GetOutput()->GetRequestedRegion());
  KeptObjects kept;
  if (m_NumberOfObjects > 0)
  {
    kept.rule = KeptObjects::Rule::Selected;
    kept.selection.minimumSize = m_MinimumObjectSize;
    kept.selection.numberOfLargest = m_NumberOfObjects;
  }
  SetKeepingWork(run, *this, kept, [this] { this->AllocateOutputs(); });
  if constexpr (!IsViewed<TImage> || ImageDimension > 3)
  {
    run.workByITK = [this] { this->GenerateDataByITK(); };
  }
  run.Run();
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
  labeler->SetInput(CudaConnectedComponentsDetail::InputInside(this->GetInput()));
  labeler->SetInputForegroundValue(m_ForegroundValue);
  labeler->SetFullyConnected(m_FullyConnected);
  CudaConnectedComponentsDetail::ShareThreads(*this, *labeler);
  progress->RegisterInternalFilter(labeler, 0.8F);
  labeler->Update();

  struct SizedObject
  {
    const ObjectType * object;
    SizeValueType      size; // ObjectType::Size() adds the lengths of the lines in an int
  };
  std::vector<SizedObject> objects;
  for (typename MapType::ConstIterator it(labeler->GetOutput()); !it.IsAtEnd(); ++it)
  {
    const ObjectType * const object = it.GetLabelObject();
    SizeValueType            size = 0;
    for (SizeValueType line = 0; line < object->GetNumberOfLines(); ++line)
    {
      size += object->GetLine(line).GetLength();
    }
    if (size >= m_MinimumObjectSize)
    {
      objects.push_back({ object, size });
    }
  }
  // The objects are in the order of their first pixels.
  std::stable_sort(
    objects.begin(), objects.end(), [](const SizedObject & a, const SizedObject & b) { return a.size > b.size; });
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
  for (const SizedObject & each : objects)
  {
    for (typename ObjectType::ConstIndexIterator it(each.object); !it.IsAtEnd(); ++it)
    {
      output->SetPixel(it.GetIndex(), m_ForegroundValue);
    }
  }
  this->UpdateProgress(1.0F);
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
}

} // end namespace itk

#endif
