// SPDX-License-Identifier: Apache-2.0
#ifndef itkCudaBinaryFillholeImageFilter_hxx
#define itkCudaBinaryFillholeImageFilter_hxx

#include "CudaConnectedComponentsDetail/BackendRun.h"
#include "CudaConnectedComponentsDetail/MaskRows.h"

#include <algorithm>
#include <cstdint>
#include <typeinfo>
#include <vector>

namespace itk
{

template <typename TImage>
void
CudaBinaryFillholeImageFilter<TImage>::UpdateOutputInformation()
{
  this->ResetAfterException(*this, [&] { Superclass::UpdateOutputInformation(); });
}

template <typename TImage>
void
CudaBinaryFillholeImageFilter<TImage>::PropagateRequestedRegion(DataObject * output)
{
  this->ResetAfterException(*this, [&] { Superclass::PropagateRequestedRegion(output); });
}

template <typename TImage>
void
CudaBinaryFillholeImageFilter<TImage>::UpdateOutputData(DataObject * output)
{
  this->ResetAfterException(*this, [&] { Superclass::UpdateOutputData(output); });
}

template <typename TImage>
void
CudaBinaryFillholeImageFilter<TImage>::GenerateData()
{
  CudaConnectedComponentsDetail::BackendRun run(*this, *this, this->GetOutput()->GetRequestedRegion());
  run.fullyConnected = this->GetFullyConnected();
  run.inputPixel = run.outputPixel = &typeid(PixelType);
  if constexpr (CudaConnectedComponentsDetail::HasMaskBuffer<TImage>)
  {
    run.needsLabels = this->CanHaveHoles();
    if (this->GetForegroundValue() != this->GetForegroundValue())
    {
      run.needsLabels = true;
      run.whyOnlyByITK = "a foreground value that is not a number is not supported on the GPU";
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
CudaBinaryFillholeImageFilter<TImage>::GenerateDataByLabeler(CudaConnectedComponentLabeler &                 labeler,
                                                             const CudaConnectedComponentLabeler::SizeType & size)
{
  using namespace CudaConnectedComponentsDetail;

  const bool isFresh = this->GetOutput()->GetBufferPointer() == nullptr;
  this->AllocateOutputs();
  if constexpr (HasMaskBuffer<TImage>)
  {
    const MaskRows<TImage> rows(*this->GetInput(), *this->GetOutput(), isFresh);
    const std::uint64_t    length = rows.GetLength();
    const PixelType        zero{};
    // The superclass writes 0.0 if the foreground value is -0.0.
    const PixelType foreground = this->GetForegroundValue() == zero ? zero : this->GetForegroundValue();

    // Untouched pages of the output need no memory, so rows of zeros are not copied.
    std::vector<unsigned char> areZero(rows.GetCount(), 0);
    const auto                 packRow = [&](std::uint64_t row, std::uint32_t * words) {
      const bool isBinary = PackEqual(rows.GetInput(row), length, foreground, zero, words);
      areZero[row] = isBinary && std::all_of(words, words + (length + 31) / 32, [](auto word) { return word == 0; });
    };
    const auto visitRow = [&](std::uint64_t row, const std::uint32_t * words) {
      PixelType * const pixels = rows.GetOutput(row);
      if (!(rows.IsZero() && areZero[row]))
      {
        // The superclass writes the foreground value to all foreground pixels. So -0.0 can become 0.0.
        CopyAndReplace(rows.GetInput(row), length, foreground, foreground, pixels);
      }
      SetPixels(words, length, foreground, pixels);
    };
    if (this->CanHaveHoles())
    {
      labeler.options.complement = true;
      labeler.options.selection.border = CudaConnectedComponentSelection::Border::NotTouching;
      labeler.MaskPackedRows(packRow, size, visitRow);
    }
    else
    {
      rows.VisitWithoutBits(labeler.options.parallelFor, visitRow);
    }
  }
}

template <typename TImage>
bool
CudaBinaryFillholeImageFilter<TImage>::CanHaveHoles() const
{
  const typename TImage::SizeType size = this->GetOutput()->GetRequestedRegion().GetSize();
  for (unsigned int axis = 0; axis < ImageDimension; ++axis)
  {
    // All pixels lie on the border if there are only one or two along an axis.
    if (size[axis] <= 2)
    {
      return false;
    }
  }
  return true;
}

template <typename TImage>
void
CudaBinaryFillholeImageFilter<TImage>::PrintSelf(std::ostream & os, Indent indent) const
{
  Superclass::PrintSelf(os, indent);

  this->PrintBackend(os, indent);
}

} // end namespace itk

#endif
