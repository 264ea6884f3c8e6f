// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_gallery_PixelNeighbors_h
#define ccl_gallery_PixelNeighbors_h

// The neighbors of a pixel, for the algorithms whose threads own one pixel each.

#include "primitives/Atomics.h"
#include "primitives/Grid.h"

namespace itk::ccl::gallery
{

/** Calls visit(index) for the neighbors of a pixel that lie in the image, in the order of their raster indices. Full
 * connectivity has up to 8 neighbors in a plane and 26 in a volume, face connectivity up to 4 and 6.
 * \tparam VAll visits all neighbors. Otherwise, visits only the neighbors before the pixel in raster order. Each pair
 * of neighboring pixels then occurs once. */
template <unsigned int VDimension, bool VAll, typename TVisitor>
CCL_HOST_DEVICE
inline void
VisitNeighborsIf(const Grid & size, const Cell & cell, bool fullyConnected, const TVisitor & visit)
{
  // The neighborhood of 3 x 3 or 3 x 3 x 3 pixels in raster order. The middle is the pixel itself.
  constexpr unsigned int count = VDimension == 2 ? 9 : 27;
  constexpr unsigned int middle = count / 2;
  const std::uint64_t    index = IndexOf(size, cell);
  CCL_UNROLL
  for (unsigned int neighbor = 0; neighbor < (VAll ? count : middle); ++neighbor)
  {
    // Steps are -1, 0 or 1. A step of -1 wraps around: at the first pixel, the sum then exceeds the size.
    const std::uint64_t stepX = std::uint64_t{ neighbor % 3 } - 1;
    const std::uint64_t stepY = std::uint64_t{ neighbor / 3 % 3 } - 1;
    const std::uint64_t stepZ = VDimension == 2 ? 0 : std::uint64_t{ neighbor / 9 } - 1;
    const bool          sharesFace = (stepX != 0) + (stepY != 0) + (stepZ != 0) == 1;
    if (neighbor != middle && (sharesFace || fullyConnected) && cell.x + stepX < size.x && cell.y + stepY < size.y &&
        cell.z + stepZ < size.z)
    {
      visit(index + stepX + size.x * (stepY + size.y * stepZ));
    }
  }
}

/** Calls visit(index) for all neighbors of a pixel. */
template <unsigned int VDimension, typename TVisitor>
CCL_HOST_DEVICE
inline void
VisitNeighbors(const Grid & size, const Cell & cell, bool fullyConnected, const TVisitor & visit)
{
  VisitNeighborsIf<VDimension, true>(size, cell, fullyConnected, visit);
}

/** Calls visit(index) for the neighbors before a pixel. */
template <unsigned int VDimension, typename TVisitor>
CCL_HOST_DEVICE
inline void
VisitPrecedingNeighbors(const Grid & size, const Cell & cell, bool fullyConnected, const TVisitor & visit)
{
  VisitNeighborsIf<VDimension, false>(size, cell, fullyConnected, visit);
}

/** Returns the lowest label of a foreground pixel and its foreground neighbors. */
template <unsigned int VDimension, typename TLabel>
CCL_HOST_DEVICE
inline TLabel
LowestLabelAround(const TLabel * labels, TLabel label, const Grid & size, const Cell & cell, bool fullyConnected)
{
  VisitNeighbors<VDimension>(size, cell, fullyConnected, [&label, labels](std::uint64_t neighbor) {
    const TLabel other = Load(labels + neighbor);
    label = other != 0 && other < label ? other : label;
  });
  return label;
}

} // namespace itk::ccl::gallery

#endif
