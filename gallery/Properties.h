// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_gallery_Properties_h
#define ccl_gallery_Properties_h

// Properties of the components of a plane: size, center and covariance of the pixels' coordinates.
// Asad, Marroquim and Souza, "On GPU Connected Components and Properties: A Systematic Evaluation of Connected
// Component Labeling Algorithms and their Extension for Property Extraction" ("the paper"), Section III and Appendices
// B and C.
//
// Kernels add up integers: the number of pixels, and the sums of x, y, x^2, y^2 and xy. Center and covariance follow
// from the sums (Equations 4 and 5): see PropertyMoments.h. The paper has three variants of an algorithm:
// - Ordinary: labels only.
// - Late: labels first. Then one kernel adds each pixel to the sums of its component. Works after any algorithm whose
//   labels are 1 + the raster index of a pixel of the component.
// - Early: the algorithm itself keeps sums at the representatives, which are the pixels that are roots. If a
//   representative ceases to be one, its sums move to its new root. See LabelEquivalenceProperties.h and
//   TileMergingProperties.h.
// All three end with SequentialRelabeling (Appendix C): labels become 1, 2, ..., n in the order of the representatives.
// If representatives are first pixels, this is the order of first pixels. Late and Early return the sums in the same
// order: component i has the label i + 1. The sums are integers, so Late and Early give the same numbers.
//
// Sums have 64 bits. They fit for planes up to 65,536 x 65,536 pixels: see SumsFit(), which the caller checks.
//
// Extra memory: for each component, a size of 4 or 8 bytes and 40 bytes of sums; the same for each pixel in Early; and
// the memory of SequentialRelabeling.
//
// Departures: see PropertySums.h and SequentialRelabeling.h.

#include "executors/Executor.h"
#include "gallery/PixelTrees.h"
#include "gallery/PropertySums.h"
#include "gallery/SequentialRelabeling.h"

namespace itk::ccl::gallery
{

/** Gives a pixel the label of its root, and moves the sums of the pixel to the root. No union may run concurrently, and
 * a pixel must have one thread only. Does nothing for background pixels and roots.
 *
 * Sums move exactly once. Without unions, each thread finds true roots. So sums are added to roots only, and only the
 * thread of a pixel that is not a root reads and clears the pixel's sums: no two threads access the same element,
 * except to add. A pixel that has ceased to be a root never becomes one again, because parents never rise. */
template <typename TLabel, typename TProperties>
CCL_HOST_DEVICE
inline void
CompressPixel(TLabel * labels, std::uint64_t index, const TProperties & properties)
{
  const TLabel label = Load(labels + index);
  if (label == 0 || label == index + 1)
  {
    return;
  }
  const TLabel root = Find(LabelsAsParents<TLabel>{ labels }, label);
  if (root != label)
  {
    Store(labels + index, root);
  }
  properties.Transfer(index, root - 1);
}

/** Calls CompressPixel() for each pixel: the paper's Analysis of LE, and its final Path Compression of TM. */
template <typename TLabel, typename TProperties>
struct CompressPixelsWithProperties
{
  Grid        size;
  TLabel *    labels;
  TProperties properties;

  CCL_HOST_DEVICE
  void
  operator()(const Cell & cell) const
  {
    CompressPixel(labels, IndexOf(size, cell), properties);
  }
};

/** Adds each foreground pixel to the sums of its component. Labels are 1 + the index of the component. */
template <typename TLabel, typename TSize>
struct PropertiesSum
{
  Grid                  size;
  const TLabel *        labels;
  PropertyArrays<TSize> properties;

  CCL_HOST_DEVICE
  void
  operator()(const Cell & cell) const
  {
    const TLabel label = labels[IndexOf(size, cell)];
    if (label != 0)
    {
      properties.AddPixel(label - 1, cell);
    }
  }
};

/** Ends the variant Early. Replaces labels by 1, 2, ..., n, and returns the sums of the n components. Before, the sums
 * lie at the representatives. */
template <typename TSize, typename TLabel, typename TExecutor>
PropertyMemory<TSize, TExecutor>
CompactProperties(const TExecutor & executor, const Grid & size, TLabel * labels, const PropertyArrays<TSize> & sparse)
{
  const SequentialRelabeling<TLabel, TExecutor> relabeling(executor, size, labels);
  PropertyMemory<TSize, TExecutor>              result(executor, relabeling.GetComponentCount());
  relabeling.Compact(sparse, result.GetArrays());
  relabeling.Apply();
  return result;
}

/** Ends the variant Late. Replaces labels by 1, 2, ..., n, and returns the sums of the n components. */
template <typename TSize, typename TLabel, typename TExecutor>
PropertyMemory<TSize, TExecutor>
SumProperties(const TExecutor & executor, const Grid & size, TLabel * labels)
{
  const SequentialRelabeling<TLabel, TExecutor> relabeling(executor, size, labels);
  PropertyMemory<TSize, TExecutor>              result(executor, relabeling.GetComponentCount());
  result.Clear(executor);
  relabeling.Apply();
  executor.ForEach(size, PropertiesSum<TLabel, TSize>{ size, labels, result.GetArrays() });
  return result;
}

/** Labels and measures a plane by the variant Early of an algorithm. `TAlgorithm` is LabelEquivalenceWithProperties or
 * TileMergingWithProperties. See CompactProperties() for labels and result. */
template <typename TAlgorithm, typename TSize, typename TLabel, typename TExecutor>
PropertyMemory<TSize, TExecutor>
MeasureEarly(const TExecutor &    executor,
             const std::uint8_t * input,
             const Grid &         size,
             bool                 fullyConnected,
             TLabel *             labels)
{
  const PropertyMemory<TSize, TExecutor> sparse(executor, size.Count());
  TAlgorithm::LabelEarly(executor, input, size, fullyConnected, labels, sparse);
  return CompactProperties(executor, size, labels, sparse.GetArrays());
}

/** Labels and measures a plane by the variant Late of an algorithm. See SumProperties() for labels and result. */
template <typename TAlgorithm, typename TSize, typename TLabel, typename TExecutor>
PropertyMemory<TSize, TExecutor>
MeasureLate(const TExecutor &    executor,
            const std::uint8_t * input,
            const Grid &         size,
            bool                 fullyConnected,
            TLabel *             labels)
{
  TAlgorithm::template Label<2>(executor, input, size, fullyConnected, labels);
  return SumProperties<TSize>(executor, size, labels);
}

} // namespace itk::ccl::gallery

#endif
