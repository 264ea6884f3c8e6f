// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_gallery_DirectionalPropagation_h
#define ccl_gallery_DirectionalPropagation_h

// DPL (directional propagation labeling), for 4-connectivity, and for 6-connectivity of volumes.
// Hawick, Leist and Playne, "Parallel graph component labelling with GPUs and CUDA", Parallel Computing 36(12), 2010.
// Written from Section III-A3 of Bolelli, Allegretti, Lumetti and Grana, "A State-of-the-Art Review With Code About
// Connected Components Labeling on GPUs", IEEE TPDS, 2024 ("the review"), which prints no algorithm for it.
//
// Each thread walks along one row or column, and carries the lowest label of the current run of foreground pixels. A
// round has a sweep in each direction: left to right, bottom to top, right to left, top to bottom. Rounds repeat until
// a round changes no label. A label passes a whole run in one sweep. On a spiral, each straight part takes one sweep.
//
// Extra memory: a flag of 4 bytes.
//
// Departures:
// - The review's table lists planes only. The paper describes meshes of any dimension, so volumes are here, too. A
//   round then has two more sweeps, along z.
// - The host reads the flag once per round. The review does not say when.
// There is no race: in a sweep, one thread alone reads and writes its line.

#include "gallery/Entry.h"
#include "gallery/PixelTrees.h"
#include "gallery/Rounds.h"

namespace itk::ccl::gallery
{

namespace DirectionalPropagation
{

/** Lowers labels along the lines of one axis, in one direction. A cell is a line. */
template <typename TLabel>
struct Sweep
{
  TLabel *      labels;
  Grid          size;
  std::uint64_t length; // pixels of a line
  std::uint64_t step;   // from a pixel to the next; the step back wraps around
  bool          isBackward;
  ChangeFlag    changes;

  CCL_HOST_DEVICE
  void
  operator()(const Cell & cell) const
  {
    std::uint64_t index = IndexOf(size, cell);
    if (isBackward)
    {
      index -= step * (length - 1);
    }
    bool   isChanged = false;
    TLabel carried = 0; // 0 after a background pixel: there is no label to carry
    for (std::uint64_t i = 0; i < length; ++i, index += step)
    {
      const TLabel label = labels[index];
      if (carried != 0 && carried < label)
      {
        labels[index] = carried;
        isChanged = true;
      }
      else
      {
        carried = label;
      }
    }
    if (isChanged)
    {
      changes.Set();
    }
  }
};

/** Makes the sweep along an axis (0 is x). */
template <typename TLabel>
Sweep<TLabel>
MakeSweep(TLabel * labels, const Grid & size, unsigned int axis, bool isBackward, const ChangeFlag & changes)
{
  const std::uint64_t length = axis == 0 ? size.x : axis == 1 ? size.y : size.z;
  const std::uint64_t step = axis == 0 ? 1 : axis == 1 ? size.x : size.x * size.y;
  return { labels, size, length, isBackward ? 0 - step : step, isBackward, changes };
}

/** Returns the grid of the lines along an axis. Its cells are the first pixels of the lines. */
inline Grid
LinesOf(Grid size, unsigned int axis)
{
  (axis == 0 ? size.x : axis == 1 ? size.y : size.z) = 1;
  return size;
}

} // namespace DirectionalPropagation

/** The row of the algorithm in the table of Gallery.h. */
struct DirectionalPropagationAlgorithm
{
  static constexpr Entry Description{ "DPL", "Hawick, Leist and Playne", 2010, Planes4 | Volumes6 };

  /** Labels a plane (4-connectivity) or a volume (6-connectivity) of one byte per pixel. Foreground pixels are not 0.
   * Writes 1 + the raster index of the component's first pixel to each foreground pixel of `labels`, and 0 to other
   * pixels. */
  template <unsigned int VDimension, typename TLabel, typename TExecutor>
  static void
  Label(const TExecutor &    executor,
        const std::uint8_t * input,
        const Grid &         size,
        bool /* fullyConnected */,
        TLabel * labels)
  {
    executor.ForEach(size, LabelPixelsByIndex<TLabel>{ size, input, labels });
    RepeatUntilStable(executor, [&](const ChangeFlag & changes) {
      for (unsigned int sweep = 0; sweep < 2 * VDimension; ++sweep)
      {
        const unsigned int axis = sweep % VDimension;
        const bool         isBackward = (sweep / VDimension + axis) % 2 != 0;
        executor.ForEach(DirectionalPropagation::LinesOf(size, axis),
                         DirectionalPropagation::MakeSweep(labels, size, axis, isBackward, changes));
      }
    });
  }
};

} // namespace itk::ccl::gallery

#endif
