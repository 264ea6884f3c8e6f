// SPDX-License-Identifier: Apache-2.0
#ifndef CudaConnectedComponentsDetail_MaskRows_h
#define CudaConnectedComponentsDetail_MaskRows_h

#include "CudaConnectedComponentsDetail/FreshMemory.h"
#include "CudaConnectedComponentsDetail/ImageProperties.h"
#include "CudaConnectedComponentsDetail/PackEqual.h"
#include "itkCudaConnectedComponentLabeler.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace itk
{
namespace CudaConnectedComponentsDetail
{

/** Whether the pixels of an image can be packed and written by MaskRows. */
template <typename TImage>
constexpr bool HasMaskBuffer = HasScalarBuffer<TImage> && sizeof(typename TImage::PixelType) <= 8;

/** The rows of the requested region of a filter's output, and the same rows of its input. A row is parallel to x. */
template <typename TImage>
class MaskRows
{
public:
  using PixelType = typename TImage::PixelType;

  /** Prepares the rows. The output must have memory.
   * \param isFresh whether nobody has written to the memory of the output */
  MaskRows(const TImage & input, TImage & output, bool isFresh)
    : m_Input(input)
    , m_Output(output)
    , m_Region(output.GetRequestedRegion())
    , m_IsZero(isFresh && FreshMemory::Prepare(output.GetBufferPointer(),
                                               output.GetBufferedRegion().GetNumberOfPixels() * sizeof(PixelType)))
  {}

  /** Returns the number of rows. */
  std::uint64_t
  GetCount() const
  {
    const std::uint64_t pixels = m_Region.GetNumberOfPixels();
    return pixels == 0 ? 0 : pixels / this->GetLength();
  }

  /** Returns the number of pixels of a row. */
  std::uint64_t
  GetLength() const
  {
    return m_Region.GetSize(0);
  }

  /** Returns whether all bytes of the output were 0 when the rows were prepared. */
  bool
  IsZero() const
  {
    return m_IsZero;
  }

  /** Returns the pixels of a row of the input. */
  const PixelType *
  GetInput(std::uint64_t row) const
  {
    return m_Input.GetBufferPointer() + m_Input.ComputeOffset(this->GetIndex(row));
  }

  /** Returns the pixels of a row of the output. */
  PixelType *
  GetOutput(std::uint64_t row) const
  {
    return m_Output.GetBufferPointer() + m_Output.ComputeOffset(this->GetIndex(row));
  }

  /** Calls a function for each row, with bits that are 0, as if no component was selected. */
  void
  VisitWithoutBits(const CudaConnectedComponentLabeler::ParallelForType &    parallelFor,
                   const CudaConnectedComponentLabeler::MaskRowVisitorType & visitRow) const
  {
    const std::vector<std::uint32_t> words((this->GetLength() + 31) / 32, 0);
    parallelFor(this->GetCount(), [&](std::uint64_t row) { visitRow(row, words.data()); });
  }

private:
  typename TImage::IndexType
  GetIndex(std::uint64_t row) const
  {
    typename TImage::IndexType index = m_Region.GetIndex();
    for (unsigned int axis = 1; axis < TImage::ImageDimension; ++axis)
    {
      index[axis] += static_cast<IndexValueType>(row % m_Region.GetSize(axis));
      row /= m_Region.GetSize(axis);
    }
    return index;
  }

  const TImage &              m_Input;
  TImage &                    m_Output;
  typename TImage::RegionType m_Region;
  bool                        m_IsZero;
};

} // namespace CudaConnectedComponentsDetail
} // namespace itk

#endif
