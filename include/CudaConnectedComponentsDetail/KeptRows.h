// SPDX-License-Identifier: Apache-2.0
#ifndef CudaConnectedComponentsDetail_KeptRows_h
#define CudaConnectedComponentsDetail_KeptRows_h

#include "CudaConnectedComponentsDetail/MaskRows.h"
#include "CudaConnectedComponentsDetail/PackEqual.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace itk
{
namespace CudaConnectedComponentsDetail
{

/** The rows of a filter that keeps some objects of a mask. Pixels of other objects get the background value. Pixels
 * that belong to no object keep their values. Several threads may work on different rows at the same time. */
template <typename TImage>
class KeptRows
{
public:
  using PixelType = typename TImage::PixelType;

  /** Prepares the rows. The output must have memory.
   * \param isFresh whether nobody has written to the memory of the output
   * \param foreground the value of the pixels that belong to objects */
  KeptRows(const TImage & input, TImage & output, bool isFresh, PixelType foreground, PixelType background)
    : m_Rows(input, output, isFresh)
    , m_Foreground(foreground)
    , m_Background(background)
    , m_HasBackground(m_Rows.IsZero() && AreSameBytes(background, PixelType{}))
    , m_AreBinary(m_Rows.GetCount(), 0)
  {}

  /** Packs the pixels of objects in a row of the input to bits. Must precede Write() of this row. */
  void
  Pack(std::uint64_t row, std::uint32_t * words)
  {
    m_AreBinary[row] = PackEqual(m_Rows.GetInput(row), m_Rows.GetLength(), m_Foreground, m_Background, words);
  }

  /** Writes a row of the output. The bits tell which pixels belong to objects that are kept. */
  void
  Write(std::uint64_t row, const std::uint32_t * words) const
  {
    PixelType * const pixels = m_Rows.GetOutput(row);
    if (!m_AreBinary[row])
    {
      CopyAndReplace(m_Rows.GetInput(row), m_Rows.GetLength(), m_Foreground, m_Background, pixels);
    }
    else if (!m_HasBackground)
    {
      std::fill_n(pixels, m_Rows.GetLength(), m_Background);
    }
    SetPixels(words, m_Rows.GetLength(), m_Foreground, pixels);
  }

  /** Writes all rows without an object. */
  void
  WriteWithoutObjects(const CudaConnectedComponentLabeler::ParallelForType & parallelFor) const
  {
    m_Rows.VisitWithoutBits(parallelFor,
                            [this](std::uint64_t row, const std::uint32_t * words) { this->Write(row, words); });
  }

private:
  MaskRows<TImage> m_Rows;
  PixelType        m_Foreground;
  PixelType        m_Background;
  bool             m_HasBackground; // whether the output has the background value already
  // Whether a row has no other values than foreground and background. Write() then does not read it again. If the
  // background is 0, untouched pages of the output need no memory.
  std::vector<unsigned char> m_AreBinary;
};

} // namespace CudaConnectedComponentsDetail
} // namespace itk

#endif
