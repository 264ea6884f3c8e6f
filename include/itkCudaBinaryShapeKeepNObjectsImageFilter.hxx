// SPDX-License-Identifier: Apache-2.0
#ifndef itkCudaBinaryShapeKeepNObjectsImageFilter_hxx
#define itkCudaBinaryShapeKeepNObjectsImageFilter_hxx

#include "CudaConnectedComponentsDetail/BackendRun.h"
#include "CudaConnectedComponentsDetail/KeptRows.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <numeric>
#include <typeinfo>

namespace itk
{

template <typename TImage>
void
CudaBinaryShapeKeepNObjectsImageFilter<TImage>::UpdateOutputInformation()
{
  this->ResetAfterException(*this, [&] { Superclass::UpdateOutputInformation(); });
}

template <typename TImage>
void
CudaBinaryShapeKeepNObjectsImageFilter<TImage>::PropagateRequestedRegion(DataObject * output)
{
  this->ResetAfterException(*this, [&] { Superclass::PropagateRequestedRegion(output); });
}

template <typename TImage>
void
CudaBinaryShapeKeepNObjectsImageFilter<TImage>::UpdateOutputData(DataObject * output)
{
  this->ResetAfterException(*this, [&] { Superclass::UpdateOutputData(output); });
}

template <typename TImage>
void
CudaBinaryShapeKeepNObjectsImageFilter<TImage>::GenerateData()
{
  using ObjectType = typename Superclass::LabelObjectType;

  CudaConnectedComponentsDetail::BackendRun run(*this, *this, this->GetOutput()->GetRequestedRegion());
  run.fullyConnected = this->GetFullyConnected();
  run.inputPixel = run.outputPixel = &typeid(PixelType);
  if constexpr (CudaConnectedComponentsDetail::HasMaskBuffer<TImage>)
  {
    run.needsLabels = this->GetNumberOfObjects() > 0;
    if (this->GetAttribute() != ObjectType::NUMBER_OF_PIXELS)
    {
      run.needsLabels = true;
      run.whyOnlyByITK =
        "the attribute " + ObjectType::GetNameFromAttribute(this->GetAttribute()) + " is not supported on the GPU";
    }
  }
  else
  {
    run.whyOnlyByITK = "the type of the image is not supported on the GPU";
  }
  run.work = [this, &run](CudaConnectedComponentLabeler & labeler) {
    this->GenerateDataByLabeler(labeler, run.GetSize());
  };
  run.workByITK = [this] { Superclass::GenerateData(); };
  run.Run();
}

template <typename TImage>
void
CudaBinaryShapeKeepNObjectsImageFilter<TImage>::GenerateDataByLabeler(
  CudaConnectedComponentLabeler &                 labeler,
  const CudaConnectedComponentLabeler::SizeType & size)
{
  using namespace CudaConnectedComponentsDetail;

  const bool isFresh = this->GetOutput()->GetBufferPointer() == nullptr;
  this->AllocateOutputs();
  if constexpr (HasMaskBuffer<TImage>)
  {
    KeptRows<TImage> rows(
      *this->GetInput(), *this->GetOutput(), isFresh, this->GetForegroundValue(), this->GetBackgroundValue());
    if (this->GetNumberOfObjects() == 0)
    {
      rows.WriteWithoutObjects(labeler.options.parallelFor);
      return;
    }
    const auto pack = [&rows](std::uint64_t row, std::uint32_t * words) { rows.Pack(row, words); };
    const auto write = [&rows](std::uint64_t row, const std::uint32_t * words) { rows.Write(row, words); };
    const auto report = labeler.options.progress;
    labeler.options.progress = [&report](float progress) { report(progress / 2); };
    labeler.options.columns.firstPixels = true;
    labeler.options.selection.seeds = this->FindKeptObjects(labeler.MeasurePackedRows(pack, size), size);
    labeler.options.progress = [&report](float progress) { report((1 + progress) / 2); };
    labeler.MaskPackedRows(pack, size, write);
  }
}

template <typename TImage>
std::vector<std::array<std::uint64_t, 3>>
CudaBinaryShapeKeepNObjectsImageFilter<TImage>::FindKeptObjects(
  const CudaConnectedComponentTable &             table,
  const CudaConnectedComponentLabeler::SizeType & size) const
{
  const SizeValueType number = this->GetNumberOfObjects();
  if (number >= table.componentCount)
  {
    return {}; // without seeds, all objects are kept
  }
  // ShapeKeepNObjectsLabelMapFilter of ITK calls the same function with objects in the same order. So the function also
  // keeps the same objects if several have the same size.
  std::vector<std::uint64_t> objects(table.componentCount);
  std::iota(objects.begin(), objects.end(), 0);
  const auto end = objects.begin() + static_cast<std::ptrdiff_t>(number);
  const auto sizeOf = [&table](std::uint64_t object) { return table.pixelCounts[object]; };
  if (this->GetReverseOrdering())
  {
    std::nth_element(objects.begin(), end, objects.end(), [&sizeOf](std::uint64_t a, std::uint64_t b) {
      return sizeOf(a) < sizeOf(b);
    });
  }
  else
  {
    std::nth_element(objects.begin(), end, objects.end(), [&sizeOf](std::uint64_t a, std::uint64_t b) {
      return sizeOf(a) > sizeOf(b);
    });
  }
  std::vector<std::array<std::uint64_t, 3>> seeds;
  std::transform(objects.begin(), end, std::back_inserter(seeds), [&table, &size](std::uint64_t object) {
    const std::uint64_t pixel = table.firstPixels[object];
    const std::uint64_t row = pixel / size[0];
    return std::array<std::uint64_t, 3>{ { pixel % size[0], row % size[1], row / size[1] } };
  });
  return seeds;
}

template <typename TImage>
void
CudaBinaryShapeKeepNObjectsImageFilter<TImage>::PrintSelf(std::ostream & os, Indent indent) const
{
  Superclass::PrintSelf(os, indent);

  this->PrintBackend(os, indent);
}

} // end namespace itk

#endif
