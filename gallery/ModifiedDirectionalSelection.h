// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_gallery_ModifiedDirectionalSelection_h
#define ccl_gallery_ModifiedDirectionalSelection_h

// M8DLS (modified 8-directional label selection), for 8-connectivity of planes. DirectionalSelection.h has 8DLS.
// Soh, Ashraf, Hae and Kim, "Fast Parallel Connected Component Labeling Algorithms Using CUDA Based on 8-Directional
// Label Selection", International Journal of Latest Research in Science and Technology 3, 2014. Written from Section
// III-A7 of Bolelli, Allegretti, Lumetti and Grana, "A State-of-the-Art Review With Code About Connected Components
// Labeling on GPUs", IEEE TPDS, 2024 ("the review"), which prints no algorithm for it.
//
// Two rounds of 8DLS come first. A label is then permanent if the pixel that had it first still has it.
// ModifiedLabelSelection does not scan from pixels with permanent labels. It repeats until it changes no label.
//
// Extra memory: a flag of 4 bytes.
//
// Departures:
// - Restriction, mended: in the paper, M8DLS is exact for some images only, because it makes labels permanent after 2
//   rounds. The number comes from experiments. A component in which two pixels keep their labels for two rounds, such
//   as a long zigzag line, gets several labels. Here, permanence can end. The thread of a pixel with a permanent label
//   compares this label with the labels of the 8 neighbors. If one of them is lower, the thread gives the lower label
//   to the pixel that had the permanent label first. This ends the permanence for all pixels that have the label. If a
//   round changes no label, then all labels are permanent, and neighbors have the same label. So each component has one
//   label. The comparison costs less than a scan, which reads whole lines of pixels.
// - The review does not say how a thread knows that a label is permanent. Here, the thread reads the current label of
//   the pixel that had the label first. If it is lower, it belongs to the same component, so the scan starts with it.
// Race, allowed: see Rounds.h. In LabelSelection, a pixel's thread alone writes its label. In ModifiedLabelSelection,
// all writes are atomic minima. So labels never rise, each round that changes anything lowers a label, and the rounds
// end.

#include "gallery/DirectionalSelection.h"
#include "gallery/PixelNeighbors.h"

namespace itk::ccl::gallery
{

namespace DirectionalSelection
{

/** The rounds of 8DLS before M8DLS. Any number gives the right labels. */
inline constexpr unsigned int RoundsBeforePermanence = 2;

/** Gives each foreground pixel whose label is not permanent the lowest label that its scans find. Ends the permanence
 * of labels that have a lower label next to them. */
template <typename TLabel>
struct ModifiedLabelSelection
{
  Grid       size;
  TLabel *   labels;
  ChangeFlag changes;

  CCL_HOST_DEVICE
  void
  operator()(const Cell & cell) const
  {
    TLabel *     address = labels + IndexOf(size, cell);
    const TLabel label = Load(address);
    if (label == 0)
    {
      return;
    }
    TLabel * const addressOfLabel = labels + (label - 1);
    TLabel         lowest = Load(addressOfLabel);
    if (lowest == label)
    {
      address = addressOfLabel;
      lowest = LowestLabelAround<2>(labels, label, size, cell, true);
    }
    else
    {
      lowest = SelectLabel(labels, size, cell, lowest);
    }
    if (lowest < label)
    {
      AtomicMin(address, lowest);
      changes.Set();
    }
  }
};

} // namespace DirectionalSelection

/** The row of the algorithm in the table of Gallery.h. */
struct ModifiedEightDirectionalLabelSelectionAlgorithm
{
  static constexpr Entry Description{ "M8DLS", "Soh, Ashraf, Hae and Kim", 2014, Planes8 };

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
    unsigned int round = 0;
    RepeatUntilStable(executor, [&](const ChangeFlag & changes) {
      if (++round > DirectionalSelection::RoundsBeforePermanence)
      {
        executor.ForEach(size, DirectionalSelection::ModifiedLabelSelection<TLabel>{ size, labels, changes });
      }
      else
      {
        executor.ForEach(size, DirectionalSelection::LabelSelection<TLabel>{ size, labels, changes });
      }
    });
  }
};

} // namespace itk::ccl::gallery

#endif
