// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_gallery_DirectionalSelection_h
#define ccl_gallery_DirectionalSelection_h

// 8DLS (8-directional label selection), for 8-connectivity of planes. M8DLS is in ModifiedDirectionalSelection.h.
// Soh, Ashraf, Hae and Kim, "Fast Parallel Connected Component Labeling Algorithms Using CUDA Based on 8-Directional
// Label Selection", International Journal of Latest Research in Science and Technology 3, 2014. Written from Section
// III-A7 of Bolelli, Allegretti, Lumetti and Grana, "A State-of-the-Art Review With Code About Connected Components
// Labeling on GPUs", IEEE TPDS, 2024 ("the review"), which prints no algorithm for it.
//
// A thread owns a pixel. LabelSelection scans the foreground from the pixel in each of the 8 directions, up to the
// first background pixel, and gives the pixel the lowest label that it finds. The kernel repeats until it changes no
// label.
//
// Extra memory: a flag of 4 bytes.
//
// No departure from the review's description.
// Race, allowed: see Rounds.h. A pixel's thread alone writes its label. So labels never rise, each round that changes
// anything lowers a label, and the rounds end.

#include "gallery/Entry.h"
#include "gallery/PixelTrees.h"
#include "gallery/Rounds.h"

namespace itk::ccl::gallery
{

namespace DirectionalSelection
{

/** Returns the lowest label that the 8 scans from a foreground pixel find. `lowest` is the label to start with. */
template <typename TLabel>
CCL_HOST_DEVICE
inline TLabel
SelectLabel(const TLabel * labels, const Grid & size, const Cell & cell, TLabel lowest)
{
  const TLabel * const begin = labels + IndexOf(size, cell);
  // Scans up to `steps` pixels. A step is the distance of two pixels in memory.
  const auto scan = [begin, &lowest](std::int64_t step, TLabel steps) {
    for (const TLabel * address = begin; steps > 0; --steps)
    {
      address += step;
      const TLabel label = Load(address);
      if (label == 0)
      {
        return;
      }
      lowest = label < lowest ? label : lowest;
    }
  };

  // The numbers of pixels between the pixel and the borders of the image.
  const auto left = static_cast<TLabel>(cell.x);
  const auto right = static_cast<TLabel>(size.x - 1 - cell.x);
  const auto above = static_cast<TLabel>(cell.y);
  const auto below = static_cast<TLabel>(size.y - 1 - cell.y);
  const auto row = static_cast<std::int64_t>(size.x);
  const auto min = [](TLabel a, TLabel b) { return a < b ? a : b; };
  scan(-row - 1, min(left, above));
  scan(-row, above);
  scan(-row + 1, min(right, above));
  scan(-1, left);
  scan(1, right);
  scan(row - 1, min(left, below));
  scan(row, below);
  scan(row + 1, min(right, below));
  return lowest;
}

/** Gives each foreground pixel the lowest label that its scans find. */
template <typename TLabel>
struct LabelSelection
{
  Grid       size;
  TLabel *   labels;
  ChangeFlag changes;

  CCL_HOST_DEVICE
  void
  operator()(const Cell & cell) const
  {
    TLabel * const address = labels + IndexOf(size, cell);
    const TLabel   label = Load(address);
    if (label == 0)
    {
      return;
    }
    const TLabel lowest = SelectLabel(labels, size, cell, label);
    if (lowest < label)
    {
      Store(address, lowest);
      changes.Set();
    }
  }
};

} // namespace DirectionalSelection

/** The row of the algorithm in the table of Gallery.h. */
struct EightDirectionalLabelSelectionAlgorithm
{
  static constexpr Entry Description{ "8DLS", "Soh, Ashraf, Hae and Kim", 2014, Planes8 };

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
    executor.ForEach(size, LabelPixelsByIndex<TLabel>{ size, input, labels });
    RepeatUntilStable(executor, [&](const ChangeFlag & changes) {
      executor.ForEach(size, DirectionalSelection::LabelSelection<TLabel>{ size, labels, changes });
    });
  }
};

} // namespace itk::ccl::gallery

#endif
