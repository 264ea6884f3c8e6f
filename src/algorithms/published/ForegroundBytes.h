// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_algorithms_published_ForegroundBytes_h
#define ccl_algorithms_published_ForegroundBytes_h

// Makes the input of published algorithms, one byte per pixel, from pixels of any type or from bits.

#include "primitives/BitRows.h"
#include "primitives/PackPixels.h"

namespace itk::ccl
{

namespace ForegroundBytes
{

/** Kernel functor that writes 1 for a foreground pixel, and 0 for others. A cell's x is the raster index of a pixel. */
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

/** Kernel functor that writes the bit of each pixel as a byte: 1 or 0. A cell is a pixel. */
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

/** Writes one byte for each pixel: 1 for foreground, 0 for background. */
template <typename TPixel, typename TExecutor>
void
BinarizeForeground(const TExecutor & executor, const TPixel * pixels, const Grid & size, std::uint8_t * bytes)
{
  executor.ForEach(Grid{ size.Count() }, ForegroundBytes::Binarize<TPixel>{ pixels, bytes });
}

/** Writes one byte for each pixel, from the bits of an image: 1 for foreground, 0 for background. */
template <typename TExecutor>
void
UnpackForeground(const TExecutor & executor, const BitRows & rows, const Grid & size, std::uint8_t * bytes)
{
  executor.ForEach(size, ForegroundBytes::UnpackBits{ rows, size, bytes });
}

} // namespace itk::ccl

#endif
