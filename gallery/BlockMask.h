// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_gallery_BlockMask_h
#define ccl_gallery_BlockMask_h

// The pixels and the blocks of 2 x 2 pixels that C_BBDT and C_DRAG read for a block X: see BbdtOnGpu.h.
//
//      .  b | c  d | e  .      P | Q | R
//      g  h | i  j | k  .
//      -----+------+-----
//      m  n | o  p |           S | X
//      .  r | s  . |

#include "primitives/Grid.h"

namespace itk::ccl::gallery
{

/** Sets of the four blocks before a block that may be adjacent to it. Bit i is neighbor i of BlockNeighborhood<2>. */
struct EarlierBlocks
{
  static constexpr unsigned int Nothing = 0;
  static constexpr unsigned int P = 1;
  static constexpr unsigned int Q = 2;
  static constexpr unsigned int R = 4;
  static constexpr unsigned int S = 8;
};

/** The pixels of the mask of a block. A function reads one pixel, and returns whether it is foreground. Pixels outside
 * of the image are background.
 * \tparam VIsInside promises IsInside(). */
template <bool VIsInside>
class BlockMask
{
public:
  /** Returns whether all pixels of the mask of a block lie in the image. */
  CCL_HOST_DEVICE
  static bool
  IsInside(const Grid & size, const Cell & block)
  {
    return block.x > 0 && block.y > 0 && 2 * block.x + 2 < size.x && 2 * block.y + 1 < size.y;
  }

  CCL_HOST_DEVICE
  BlockMask(const std::uint8_t * input, const Grid & size, const Cell & block)
    : m_First(input + 2 * (block.x + size.x * block.y))
    , m_SizeX(static_cast<std::int64_t>(size.x))
    , m_HasLeft(block.x > 0)
    , m_HasAbove(block.y > 0)
    , m_HasRight(2 * block.x + 2 < size.x)
    , m_HasSecondColumn(2 * block.x + 1 < size.x)
    , m_HasSecondRow(2 * block.y + 1 < size.y)
  {}

  // clang-format off
  CCL_HOST_DEVICE bool b() const { return this->IsForeground<-1, -2>(); }
  CCL_HOST_DEVICE bool c() const { return this->IsForeground< 0, -2>(); }
  CCL_HOST_DEVICE bool d() const { return this->IsForeground< 1, -2>(); }
  CCL_HOST_DEVICE bool e() const { return this->IsForeground< 2, -2>(); }
  CCL_HOST_DEVICE bool g() const { return this->IsForeground<-2, -1>(); }
  CCL_HOST_DEVICE bool h() const { return this->IsForeground<-1, -1>(); }
  CCL_HOST_DEVICE bool i() const { return this->IsForeground< 0, -1>(); }
  CCL_HOST_DEVICE bool j() const { return this->IsForeground< 1, -1>(); }
  CCL_HOST_DEVICE bool k() const { return this->IsForeground< 2, -1>(); }
  CCL_HOST_DEVICE bool m() const { return this->IsForeground<-2,  0>(); }
  CCL_HOST_DEVICE bool n() const { return this->IsForeground<-1,  0>(); }
  CCL_HOST_DEVICE bool o() const { return this->IsForeground< 0,  0>(); }
  CCL_HOST_DEVICE bool p() const { return this->IsForeground< 1,  0>(); }
  CCL_HOST_DEVICE bool r() const { return this->IsForeground<-1,  1>(); }
  CCL_HOST_DEVICE bool s() const { return this->IsForeground< 0,  1>(); }
  // clang-format on

private:
  /** Returns whether the pixel at a position relative to the block's first pixel is foreground. */
  template <int VX, int VY>
  CCL_HOST_DEVICE
  bool
  IsForeground() const
  {
    const bool hasColumn = VX < 0 ? m_HasLeft : VX == 0 ? true : VX == 1 ? m_HasSecondColumn : m_HasRight;
    const bool hasRow = VY < 0 ? m_HasAbove : VY == 0 ? true : m_HasSecondRow;
    return (VIsInside || (hasColumn && hasRow)) && m_First[VX + VY * m_SizeX] != 0;
  }

  const std::uint8_t * m_First; // the first pixel of the block
  std::int64_t         m_SizeX;
  bool                 m_HasLeft;
  bool                 m_HasAbove;
  bool                 m_HasRight;
  bool                 m_HasSecondColumn;
  bool                 m_HasSecondRow;
};

} // namespace itk::ccl::gallery

#endif
