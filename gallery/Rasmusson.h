// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_gallery_Rasmusson_h
#define ccl_gallery_Rasmusson_h

// RASMUSSON (propagation sizes), for 8-connectivity of planes.
// Rasmusson, Sorensen and Ziegler, "Connected Components Labeling on the GPU with Generalization to Voronoi Diagrams
// and Signed Distance Fields", ISVC 2013, LNCS 8033. Written from Section III-A8 of Bolelli, Allegretti, Lumetti and
// Grana, "A State-of-the-Art Review With Code About Connected Components Labeling on GPUs", IEEE TPDS, 2024 ("the
// review"), which prints no algorithm for it.
//
// The propagation size of a pixel in a direction is the number of steps, at most 32, that lead from foreground to
// foreground. Doubling finds it in 5 kernels: a size of n grows by the size of the pixel n steps away. In each round of
// Propagate, a pixel takes the lowest label that it finds in the 8 directions, 1 step away and a propagation size away.
//
// Extra memory: 8 bytes per pixel, and a flag of 4 bytes.
//
// Departures:
// - The review mentions the reuse of established propagation routes, but describes no step for it. Our reading is this
//   step: in each round, a pixel also takes the label of the pixel that its own label names, if this label is lower.
// - Restriction, mended: the paper keeps half the neighborhood in the 4 highest bits of a label, which limits images to
//   2^28 pixels. Here, the sizes of all 8 directions lie in an image of their own, a byte each, and every image size is
//   allowed.
// - The paper works on tiles of 32 x 32 pixels in shared memory, with shuffles, and computes the sizes in each round.
//   Here, the executor's threads work on pixels without tiles, and compute the sizes once, because sizes depend on the
//   input only. So a size reaches beyond the borders of tiles, and a route may lead to any pixel of the image.
// Race, allowed: in Propagate, see Rounds.h. Extend may read a size before or after another thread extends it. A size
// always leads through foreground only, and after the fifth call of Extend, the sizes are the same in every order.

#include "gallery/Entry.h"
#include "gallery/Rounds.h"

#include "primitives/Grid.h"

namespace itk::ccl::gallery
{

namespace Rasmusson
{

/** The longest propagation, and the number of doublings that find it. */
inline constexpr unsigned int LongestPropagation = 32;
inline constexpr unsigned int DoublingCount = 5;

/** The 8 directions, in raster order of the neighbors. */
inline constexpr unsigned int DirectionCount = 8;

// Returns the step of a direction along an axis: -1, 0 or 1. The step -1 wraps around.

CCL_HOST_DEVICE
constexpr std::uint64_t
StepX(unsigned int direction)
{
  return std::uint64_t{ (direction + direction / 4) % 3 } - 1;
}
CCL_HOST_DEVICE
constexpr std::uint64_t
StepY(unsigned int direction)
{
  return std::uint64_t{ (direction + direction / 4) / 3 } - 1;
}

/** Returns the propagation size of a direction. `sizes` has a byte for each direction. */
CCL_HOST_DEVICE
constexpr unsigned int
SizeOf(std::uint64_t sizes, unsigned int direction)
{
  return static_cast<unsigned int>(sizes >> 8 * direction & 0xFF);
}

/** Gives each pixel its own label, and a propagation size of 1 for each foreground neighbor. */
template <typename TLabel>
struct Init
{
  Grid                 size;
  const std::uint8_t * input;
  TLabel *             labels;
  std::uint64_t *      propagationSizes;

  CCL_HOST_DEVICE
  void
  operator()(const Cell & cell) const
  {
    const std::uint64_t index = IndexOf(size, cell);
    const bool          isForeground = input[index] != 0;
    std::uint64_t       sizes = 0;
    CCL_UNROLL
    for (unsigned int direction = 0; direction < DirectionCount; ++direction)
    {
      const std::uint64_t x = cell.x + StepX(direction);
      const std::uint64_t y = cell.y + StepY(direction);
      if (isForeground && x < size.x && y < size.y && input[x + size.x * y] != 0)
      {
        sizes |= std::uint64_t{ 1 } << 8 * direction;
      }
    }
    labels[index] = isForeground ? static_cast<TLabel>(index + 1) : 0;
    propagationSizes[index] = sizes;
  }
};

/** Doubles propagation sizes, as far as foreground and the longest propagation allow. */
struct Extend
{
  Grid            size;
  std::uint64_t * propagationSizes;

  CCL_HOST_DEVICE
  void
  operator()(const Cell & cell) const
  {
    const std::uint64_t index = IndexOf(size, cell);
    const std::uint64_t sizes = Load(propagationSizes + index);
    std::uint64_t       extended = 0;
    CCL_UNROLL
    for (unsigned int direction = 0; direction < DirectionCount; ++direction)
    {
      const std::uint64_t step = StepX(direction) + size.x * StepY(direction);
      unsigned int        reach = SizeOf(sizes, direction);
      if (reach != 0 && reach < LongestPropagation)
      {
        reach += SizeOf(Load(propagationSizes + (index + reach * step)), direction);
      }
      extended |= std::uint64_t{ reach < LongestPropagation ? reach : LongestPropagation } << 8 * direction;
    }
    if (extended != sizes)
    {
      Store(propagationSizes + index, extended);
    }
  }
};

/** Lowers the label of each foreground pixel to the lowest label that it finds. */
template <typename TLabel>
struct Propagate
{
  Grid                  size;
  const std::uint64_t * propagationSizes;
  TLabel *              labels;
  ChangeFlag            changes;

  CCL_HOST_DEVICE
  void
  operator()(const Cell & cell) const
  {
    const std::uint64_t index = IndexOf(size, cell);
    const TLabel        label = Load(labels + index);
    if (label == 0)
    {
      return;
    }
    const auto min = [](TLabel a, TLabel b) { return a < b ? a : b; };
    TLabel     lowest = min(label, Load(labels + (label - 1)));

    const std::uint64_t sizes = propagationSizes[index];
    CCL_UNROLL
    for (unsigned int direction = 0; direction < DirectionCount; ++direction)
    {
      const std::uint64_t step = StepX(direction) + size.x * StepY(direction);
      const unsigned int  reach = SizeOf(sizes, direction);
      if (reach != 0)
      {
        lowest = min(lowest, Load(labels + (index + step)));
      }
      if (reach > 1)
      {
        lowest = min(lowest, Load(labels + (index + reach * step)));
      }
    }
    if (lowest < label)
    {
      Store(labels + index, lowest);
      changes.Set();
    }
  }
};

} // namespace Rasmusson

/** The row of the algorithm in the table of Gallery.h. */
struct RasmussonAlgorithm
{
  static constexpr Entry Description{ "RASMUSSON", "Rasmusson, Sorensen and Ziegler", 2013, Planes8 };

  /** Labels a plane (8-connectivity) of one byte per pixel. Foreground pixels are not 0. Writes 1 + the raster index of
   * the component's first pixel to each foreground pixel of `labels`, and 0 to other pixels. */
  template <unsigned int VDimension, typename TLabel, typename TExecutor>
  static void
  Label(const TExecutor &    executor,
        const std::uint8_t * input,
        const Grid &         size,
        bool /* fullyConnected */,
        TLabel * labels)
  {
    const auto            memory = executor.template Allocate<std::uint64_t>(size.Count());
    std::uint64_t * const propagationSizes = memory.get();
    executor.ForEachCompact(size, Rasmusson::Init<TLabel>{ size, input, labels, propagationSizes });
    for (unsigned int doubling = 0; doubling < Rasmusson::DoublingCount; ++doubling)
    {
      executor.ForEachCompact(size, Rasmusson::Extend{ size, propagationSizes });
    }
    RepeatUntilStable(executor, [&](const ChangeFlag & changes) {
      executor.ForEachCompact(size, Rasmusson::Propagate<TLabel>{ size, propagationSizes, labels, changes });
    });
  }
};

} // namespace itk::ccl::gallery

#endif
