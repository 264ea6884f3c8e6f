// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_gallery_PixelMask_h
#define ccl_gallery_PixelMask_h

// The four neighbors before a pixel x of a plane in raster order:
//
//      p  q  r
//      s  x
//
// With 8-connectivity, q is adjacent to p, r and s, and p is adjacent to s. With 4-connectivity, x has the neighbors q
// and s, and p connects them if it is foreground. The threads of earlier pixels unite such pairs. So x needs at most
// two unions with 8-connectivity: one with r, and one with p or s.

#include "primitives/Grid.h"

namespace itk::ccl::gallery
{

/** The four neighbors before a pixel. Each function reads one pixel, and returns whether it is foreground. Pixels
 * outside of the image are background. */
class PixelMask
{
public:
  CCL_HOST_DEVICE
  PixelMask(const std::uint8_t * input, const Grid & size, const Cell & cell)
    : m_Pixel(input + IndexOf(size, cell))
    , m_SizeX(static_cast<std::int64_t>(size.x))
    , m_HasLeft(cell.x > 0)
    , m_HasAbove(cell.y > 0)
    , m_HasRight(cell.x + 1 < size.x)
  {}

  // clang-format off
  CCL_HOST_DEVICE bool p() const { return m_HasAbove && m_HasLeft  && m_Pixel[-m_SizeX - 1] != 0; }
  CCL_HOST_DEVICE bool q() const { return m_HasAbove               && m_Pixel[-m_SizeX]     != 0; }
  CCL_HOST_DEVICE bool r() const { return m_HasAbove && m_HasRight && m_Pixel[-m_SizeX + 1] != 0; }
  CCL_HOST_DEVICE bool s() const { return              m_HasLeft  && m_Pixel[-1]           != 0; }
  CCL_HOST_DEVICE bool x() const { return                            m_Pixel[0]            != 0; }
  // clang-format on

private:
  const std::uint8_t * m_Pixel;
  std::int64_t         m_SizeX;
  bool                 m_HasLeft;
  bool                 m_HasAbove;
  bool                 m_HasRight;
};

} // namespace itk::ccl::gallery

#endif
