// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_algorithms_small_PixelRows_h
#define ccl_algorithms_small_PixelRows_h

#include "primitives/Grid.h"
#include "primitives/PackPixels.h"

namespace itk::ccl
{

/** Gives the bits of 32 pixels of a row from an address on where the device can read them at once: it may lie before
 * the row. Pixels are counted from the first of the image on. */
template <typename TPixel>
struct PixelRows
{
  const TPixel * pixels;
  Grid           size;

  /** Calls visitor(rows) with the rows of the right type: for rows whose type is known when they are used. */
  CCL_NO_EXECUTION_CHECK
  template <typename TVisitor>
  CCL_HOST_DEVICE
  auto
  Visit(const TVisitor & visitor) const
  {
    return visitor(*this);
  }

  /** How many pixels lie between the last such address and the first pixel of a row. */
  CCL_HOST_DEVICE
  unsigned int
  PixelsSkipped(std::uint32_t rowBegin) const
  {
    return reinterpret_cast<std::uintptr_t>(pixels + rowBegin) / sizeof(TPixel) % BitsPerWord;
  }

  /** Whether every row begins at such an address. */
  CCL_HOST_DEVICE
  bool
  AreAligned() const
  {
    return this->PixelsSkipped(0) == 0 && size.x % BitsPerWord == 0;
  }

  /** The bits of word x from that address on; those of other rows are any. */
  CCL_HOST_DEVICE
  Word
  AlignedWord(std::uint32_t rowBegin, std::uint32_t x) const
  {
    const std::int64_t begin =
      std::int64_t{ rowBegin } - this->PixelsSkipped(rowBegin) + std::int64_t{ x } * BitsPerWord;
    const std::int64_t rowEnd = rowBegin + static_cast<std::int64_t>(size.x);
#ifdef __CUDA_ARCH__
    if (begin >= 0 && begin + BitsPerWord <= static_cast<std::int64_t>(size.Count()))
    {
      return begin < rowEnd ? PackAlignedWord(pixels + begin) : 0;
    }
#endif
    const std::int64_t from = begin < rowBegin ? rowBegin : begin;
    const std::int64_t until = begin + BitsPerWord < rowEnd ? begin + BitsPerWord : rowEnd;
    return from < until ? PackPixels(pixels + from, static_cast<unsigned int>(until - from)) << (from - begin) : 0;
  }
};

} // namespace itk::ccl

#endif
