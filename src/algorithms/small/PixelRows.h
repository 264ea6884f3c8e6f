// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_algorithms_small_PixelRows_h
#define ccl_algorithms_small_PixelRows_h

// Reads the pixels of an image as bits. The device reads 32 pixels fast only at aligned addresses, and rows can begin
// anywhere. So this file gives the bits of aligned words, and the caller shifts them to the row.

#include "primitives/Grid.h"
#include "primitives/PackPixels.h"

namespace itk::ccl
{

/** Reads the pixels of an image as aligned words: the bits of 32 pixels at an address that is a multiple of 32 pixels.
 * The first aligned word of a row can begin up to 31 pixels before the row. In all functions, `rowBegin` is the index
 * of the row's first pixel in the image. */
template <typename TPixel>
struct PixelRows
{
  const TPixel * pixels;
  Grid           size;

  /** Returns visitor(*this). Other types of rows select their pixel type at run time in this function. */
  CCL_NO_EXECUTION_CHECK
  template <typename TVisitor>
  CCL_HOST_DEVICE
  auto
  Visit(const TVisitor & visitor) const
  {
    return visitor(*this);
  }

  /** Returns the number of pixels between the begin of the row's first aligned word and the row: 0 to 31. */
  CCL_HOST_DEVICE
  unsigned int
  PixelsSkipped(std::uint32_t rowBegin) const
  {
    return reinterpret_cast<std::uintptr_t>(pixels + rowBegin) / sizeof(TPixel) % BitsPerWord;
  }

  /** Returns whether every row consists of whole aligned words. */
  CCL_HOST_DEVICE
  bool
  AreAligned() const
  {
    return this->PixelsSkipped(0) == 0 && size.x % BitsPerWord == 0;
  }

  /** Returns aligned word x of the row: the bits of 32 pixels, starting PixelsSkipped(rowBegin) pixels before pixel
   * 32 * x of the row. The bits of pixels outside the row are unspecified. */
  CCL_HOST_DEVICE
  Word
  AlignedWord(std::uint32_t rowBegin, std::uint32_t x) const
  {
    const std::int64_t begin =
      std::int64_t{ rowBegin } - this->PixelsSkipped(rowBegin) + std::int64_t{ x } * BitsPerWord;
    const std::int64_t rowEnd = rowBegin + static_cast<std::int64_t>(size.x);
#ifdef __CUDA_ARCH__
    // Pixels of other rows may be read too, but not memory outside the image.
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
