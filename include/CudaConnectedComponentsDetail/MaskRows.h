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
    return m_Input.GetBufferPointer() + this->OffsetOf(m_Input, row);
  }

  /** Returns the pixels of a row of the output. */
  PixelType *
  GetOutput(std::uint64_t row) const
  {
    return m_Output.GetBufferPointer() + this->OffsetOf(m_Output, row);
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
  /** Returns the offset of a row in the memory of an image. */
  std::uint64_t
  OffsetOf(const TImage & image, std::uint64_t row) const
  {
    // Most regions are whole images. IndexOfRow() divides, which takes long for short rows.
    return image.GetBufferedRegion() == m_Region ? row * this->GetLength()
                                                 : image.ComputeOffset(IndexOfRow(m_Region, row));
  }

  const TImage &              m_Input;
  TImage &                    m_Output;
  typename TImage::RegionType m_Region;
  bool                        m_IsZero;
};

} // namespace CudaConnectedComponentsDetail
} // namespace itk

#endif
