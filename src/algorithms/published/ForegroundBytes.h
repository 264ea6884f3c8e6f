// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_algorithms_published_ForegroundBytes_h
#define ccl_algorithms_published_ForegroundBytes_h

// The input of published algorithms, one byte per pixel, from pixels of any type or from bits.

#include "primitives/BitRows.h"
#include "primitives/PackPixels.h"

namespace itk::ccl
{

namespace ForegroundBytes
{

/** Writes 1 for a foreground pixel of any type, and 0 for others. */
template <typename TPixel>
struct Binarize
{
  const TPixel * pixels;
  std::uint8_t * bytes;

  CCL_HOST_DEVICE
  void
  operator()(const Cell & pixel) const
  {
    bytes[pixel.x] = IsForeground(pixels[pixel.x]);
  }
};

/** Writes 1 for a pixel of which the bit is set, and 0 for others. */
struct UnpackBits
{
  BitRows        rows;
  Grid           size;
  std::uint8_t * bytes;

  CCL_HOST_DEVICE
  void
  operator()(const Cell & pixel) const
  {
    const Word word = rows.bits[rows.RowBegin(pixel.y, pixel.z) + pixel.x / BitsPerWord];
    bytes[IndexOf(size, pixel)] = word >> pixel.x % BitsPerWord & 1U;
  }
};

} // namespace ForegroundBytes

/** Reduces an image to one byte per pixel. */
template <typename TPixel, typename TExecutor>
void
BinarizeForeground(const TExecutor & executor, const TPixel * pixels, const Grid & size, std::uint8_t * bytes)
{
  executor.ForEach(Grid{ size.Count() }, ForegroundBytes::Binarize<TPixel>{ pixels, bytes });
}

/** Expands bits to one byte per pixel. */
template <typename TExecutor>
void
UnpackForeground(const TExecutor & executor, const BitRows & rows, const Grid & size, std::uint8_t * bytes)
{
  executor.ForEach(size, ForegroundBytes::UnpackBits{ rows, size, bytes });
}

} // namespace itk::ccl

#endif
