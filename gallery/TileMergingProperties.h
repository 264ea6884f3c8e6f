// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_gallery_TileMergingProperties_h
#define ccl_gallery_TileMergingProperties_h

// Early computation of properties in TM (tile merging, TileMerging.h), for 4- and 8-connectivity of planes.
// Asad, Marroquim and Souza, "On GPU Connected Components and Properties", Section III-C, alternative 2.
//
// All sums start as 0. A component may have several parts in a tile. At its end, LocalLabeling adds each foreground
// pixel to the first pixel of its part. BorderCompression and PathCompression move the sums of each pixel that is not a
// root to its root. GlobalLabeling does not change. A former root inside of a tile keeps its sums until
// PathCompression, which has a thread for each pixel.
//
// Why sums move exactly once: see CompressPixel() in Properties.h. A pixel at a corner of a tile lies on two borders,
// but BorderCompression has one thread for it.
//
// Extra memory: the sums of each pixel, see Properties.h.
//
// Departure: the paper moves sums in LocalLabeling as in the other kernels. Here, LocalLabeling adds each pixel once,
// when its root in the tile is known. The result is the same.
// Race, allowed: as in TM. Sums are added by atomic operations.

#include "gallery/TileMerging.h"

namespace itk::ccl::gallery
{

/** The variants of TM for MeasureEarly() and MeasureLate(). Label() is TileMergingAlgorithm's. */
struct TileMergingWithProperties : TileMergingAlgorithm
{
  /** Labels a plane as Label() does. Writes the sums of each component to the element of its first pixel. Elsewhere,
   * the size is 0. `properties` has an element for each pixel. */
  template <typename TSize, typename TLabel, typename TExecutor>
  static void
  LabelEarly(const TExecutor &                        executor,
             const std::uint8_t *                     input,
             const Grid &                             size,
             bool                                     fullyConnected,
             TLabel *                                 labels,
             const PropertyMemory<TSize, TExecutor> & properties)
  {
    properties.Clear(executor);
    TileMerging::LabelTiles(executor, input, size, fullyConnected, labels, properties.GetArrays());
  }
};

} // namespace itk::ccl::gallery

#endif
