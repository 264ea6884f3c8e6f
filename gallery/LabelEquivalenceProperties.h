// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_gallery_LabelEquivalenceProperties_h
#define ccl_gallery_LabelEquivalenceProperties_h

// LE (label equivalence) with early computation of properties, for 4- and 8-connectivity of planes.
// Asad, Marroquim and Souza, "On GPU Connected Components and Properties" ("the paper"), Sections III-A, III-B and V-B.
// Early computation of sizes is from Kalentev, Rai, Kemnitz and Schneider, "Connected component labeling on a 2D grid
// using CUDA", Journal of Parallel and Distributed Computing 71(4), 2011.
//
// The paper's LE is between LE (LabelEquivalence.h) and OLE (optimized label equivalence, OptimizedLabelEquivalence.h).
// As OLE, it has no reference array: the image of labels is the array of parents. As LE, it lowers labels by an atomic
// minimum.
// - Prelabel gives each foreground pixel its own label, and the sums of its own coordinates.
// - FirstScan lowers the label of each pixel to the lowest label of the neighbors before it (policy F4 in the paper).
// - Analysis gives each pixel the label of its root, and moves the sums of each pixel that is not a root to its root.
// - Scan lowers the label of the pixel that a label names to the lowest label of all neighbors (policy F8). A thread
//   block collects changes by its barrier, and then sets the flag once. The host repeats Analysis and Scan until Scan
//   finds nothing to change.
//
// Extra memory: a flag of 4 bytes. Early: also the sums of each pixel, see Properties.h.
//
// Departures:
// - Scan reads labels from global memory. The paper reads them through a texture.
// - FirstScan stores without atomic operations, because each thread lowers the label of its own pixel only.
// - Section V-B has 8 neighbors only. 4-connectivity is the same code with fewer neighbors: FirstScan (F4) then visits
//   2, and Scan (F8) visits 4.
// Race, allowed: in FirstScan and Scan, see Rounds.h. In Scan, an atomic minimum may also replace a link to another
// root. Neighbors then still have different labels, and the next round finds them. Each Scan that sets the flag has
// lowered the label of a root, so the number of roots falls with each round. In Analysis, the race of Compress(), see
// UnionFind.h.
// Why sums move exactly once: see CompressPixel() in Properties.h. The last Scan changes nothing, so after it all sums
// lie at roots.

#include "gallery/PixelNeighbors.h"
#include "gallery/PixelTiles.h"
#include "gallery/Properties.h"
#include "gallery/Rounds.h"

namespace itk::ccl::gallery
{

namespace LabelEquivalenceProperties
{

using Tile = PixelTile<16, 8>;

/** Gives each foreground pixel the label 1 + its raster index, and the sums of its own coordinates. */
template <typename TLabel, typename TProperties>
struct Prelabel
{
  Grid                 size;
  const std::uint8_t * input;
  TLabel *             labels;
  TProperties          properties;

  CCL_HOST_DEVICE
  void
  operator()(const Cell & cell) const
  {
    const std::uint64_t index = IndexOf(size, cell);
    const bool          isForeground = input[index] != 0;
    labels[index] = isForeground ? static_cast<TLabel>(index + 1) : 0;
    properties.SetPixel(index, cell, isForeground);
  }
};

/** Lowers the label of each pixel to the lowest label of the neighbors before it. */
template <typename TLabel>
struct FirstScan
{
  Grid     size;
  TLabel * labels;
  bool     fullyConnected;

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
    TLabel lowest = label;
    VisitPrecedingNeighbors<2>(size, cell, fullyConnected, [this, &lowest](std::uint64_t neighbor) {
      const TLabel other = Load(labels + neighbor);
      lowest = other != 0 && other < lowest ? other : lowest;
    });
    if (lowest < label)
    {
      Store(address, lowest);
    }
  }
};

/** Lowers the label of the pixel that each pixel's label names to the lowest label of the pixel's neighbors. */
template <typename TLabel>
struct Scan
{
  static constexpr unsigned int Threads = Tile::PixelCount;

  using SharedMemory = NoSharedMemory;

  Grid       size;
  TLabel *   labels;
  bool       fullyConnected;
  ChangeFlag changes;

  CCL_NO_EXECUTION_CHECK
  template <typename TThreadBlock>
  CCL_HOST_DEVICE
  void
  operator()(const TThreadBlock & threadBlock, SharedMemory &) const
  {
    const Tile tile(size, threadBlock.GetIndex());
    const bool changed = threadBlock.Any(
      [&](unsigned int thread) { return tile.Contains(thread) && this->ScanPixel(tile.PixelOf(thread)); });
    threadBlock.ForEachThread([&](unsigned int thread) {
      if (changed && thread == 0)
      {
        changes.Set();
      }
    });
  }

  /** Returns whether a neighbor has a lower label. */
  CCL_HOST_DEVICE
  bool
  ScanPixel(const Cell & cell) const
  {
    const TLabel label = Load(labels + IndexOf(size, cell));
    if (label == 0)
    {
      return false;
    }
    const TLabel lowest = LowestLabelAround<2>(labels, label, size, cell, fullyConnected);
    if (lowest < label)
    {
      AtomicMin(labels + (label - 1), lowest);
    }
    return lowest < label;
  }
};

/** Labels a plane. `properties` is PropertyArrays or NoProperties. */
template <typename TLabel, typename TProperties, typename TExecutor>
void
LabelPixels(const TExecutor &    executor,
            const std::uint8_t * input,
            const Grid &         size,
            bool                 fullyConnected,
            TLabel *             labels,
            const TProperties &  properties)
{
  using Analysis = CompressPixelsWithProperties<TLabel, TProperties>;
  executor.ForEachCompact(size, Prelabel<TLabel, TProperties>{ size, input, labels, properties });
  executor.ForEachCompact(size, FirstScan<TLabel>{ size, labels, fullyConnected });
  RepeatUntilStable(executor, [&](const ChangeFlag & changes) {
    executor.ForEachCompact(size, Analysis{ size, labels, properties });
    executor.ForEachThreadBlock(Tile::CountIn(size), Scan<TLabel>{ size, labels, fullyConnected, changes });
  });
}

} // namespace LabelEquivalenceProperties

/** The variants of LE for MeasureEarly() and MeasureLate(). */
struct LabelEquivalenceWithProperties
{
  /** Labels a plane of one byte per pixel. Foreground pixels are not 0. Writes 1 + the raster index of the component's
   * first pixel to each foreground pixel of `labels`, and 0 to other pixels. */
  template <unsigned int VDimension, typename TLabel, typename TExecutor>
  static void
  Label(const TExecutor & executor, const std::uint8_t * input, const Grid & size, bool fullyConnected, TLabel * labels)
  {
    static_assert(VDimension == 2, "for planes only");
    LabelEquivalenceProperties::LabelPixels(executor, input, size, fullyConnected, labels, NoProperties{});
  }

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
    const PropertyArrays<TSize> arrays = properties.GetArrays();
    LabelEquivalenceProperties::LabelPixels(executor, input, size, fullyConnected, labels, arrays);
  }
};

} // namespace itk::ccl::gallery

#endif
