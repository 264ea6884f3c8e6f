// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_gallery_Properties_h
#define ccl_gallery_Properties_h

// Properties of the components of a plane: size, center and covariance of the pixels' coordinates.
// Asad, Marroquim and Souza, "On GPU Connected Components and Properties: A Systematic Evaluation of Connected
// Component Labeling Algorithms and their Extension for Property Extraction" ("the paper"), Section III and Appendices
// B and C.
//
// Kernels add up integers: the number of pixels, and the sums of x, y, x^2, y^2 and xy. Center and covariance follow
// from the sums (Equations 4 and 5). The paper has three variants of an algorithm:
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
// Extra memory: for each component, a size of 4 or 8 bytes and 40 bytes of sums; the same for each pixel in Early; one
// label per pixel for the ranks of SequentialRelabeling.
//
// Departures:
// - If sums move, only the size of the old representative becomes 0. The paper clears all sums. A size of 0 says that
//   the other sums of the element are meaningless, so 40 bytes of writes per pixel are saved.
// - The paper's scan is inclusive, and stores a sum for each pixel. Here, it is exclusive, and stores the ranks of
//   representatives only.

#include "executors/Executor.h"
#include "gallery/PixelTrees.h"
#include "primitives/Sums.h"

#include <utility>

namespace itk::ccl::gallery
{

/** The sums of a component, or of some of its pixels. */
template <typename TSize>
struct PropertySums
{
  TSize         size; // number of pixels
  std::uint64_t x;
  std::uint64_t y;
  std::uint64_t xx;
  std::uint64_t yy;
  std::uint64_t xy;
};

/** Returns the sums of one pixel (Equation 3). */
template <typename TSize>
CCL_HOST_DEVICE
constexpr PropertySums<TSize>
SumsOfPixel(const Cell & pixel)
{
  return { 1, pixel.x, pixel.y, pixel.x * pixel.x, pixel.y * pixel.y, pixel.x * pixel.y };
}

/** Returns whether the sums of every component of a plane fit in 64 bits. They do up to 65,536 x 65,536 pixels. All
 * functions of this file assume it. */
constexpr bool
SumsFit(const Grid & size)
{
  // The largest component is the whole plane. Its sum of xy is not larger than the larger one of xx and yy.
  constexpr auto sumOfSquares = [](UInt128 n) { return (n - 1) * n / 2 * (2 * n - 1) / 3; };
  constexpr auto limit = static_cast<UInt128>(~std::uint64_t{ 0 });
  // A longer side would overflow 128 bits.
  constexpr std::uint64_t longest = std::uint64_t{ 1 } << 32;
  return size.x <= longest && size.y <= longest && size.y * sumOfSquares(size.x) <= limit &&
         size.x * sumOfSquares(size.y) <= limit;
}

/** The mean position of a component's pixels. */
struct Center
{
  double x;
  double y;
};

/** The covariance matrix of the coordinates of a component's pixels, divided by their number n, not by n - 1. */
struct Covariance
{
  double xx;
  double yy;
  double xy;
};

/** Returns the center of a component (Equation 4). */
template <typename TSize>
CCL_HOST_DEVICE
constexpr Center
GetCenter(const PropertySums<TSize> & sums)
{
  const auto n = static_cast<double>(sums.size);
  return { static_cast<double>(sums.x) / n, static_cast<double>(sums.y) / n };
}

/** Returns the covariance matrix of a component (Equation 5). The numerators are exact, so no digits cancel out. */
template <typename TSize>
CCL_HOST_DEVICE
constexpr Covariance
GetCovariance(const PropertySums<TSize> & sums)
{
  const auto divide = [n = sums.size](std::uint64_t sumOfProducts, std::uint64_t sumA, std::uint64_t sumB) {
    const UInt128 a = UInt128{ n } * sumOfProducts;
    const UInt128 b = UInt128{ sumA } * sumB;
    const double  numerator = a >= b ? static_cast<double>(a - b) : -static_cast<double>(b - a);
    return numerator / (static_cast<double>(n) * static_cast<double>(n));
  };
  return { divide(sums.xx, sums.x, sums.x), divide(sums.yy, sums.y, sums.y), divide(sums.xy, sums.x, sums.y) };
}

/** The sums of many components, as a structure of arrays. */
template <typename TSize>
struct PropertyArrays
{
  TSize *         size;
  std::uint64_t * x;
  std::uint64_t * y;
  std::uint64_t * xx;
  std::uint64_t * yy;
  std::uint64_t * xy;

  CCL_HOST_DEVICE
  PropertySums<TSize>
  Get(std::uint64_t index) const
  {
    return { size[index], x[index], y[index], xx[index], yy[index], xy[index] };
  }

  CCL_HOST_DEVICE
  void
  Set(std::uint64_t index, const PropertySums<TSize> & sums) const
  {
    size[index] = sums.size;
    x[index] = sums.x;
    y[index] = sums.y;
    xx[index] = sums.xx;
    yy[index] = sums.yy;
    xy[index] = sums.xy;
  }

  /** Adds sums to an element by atomic operations. */
  CCL_HOST_DEVICE
  void
  Add(std::uint64_t index, const PropertySums<TSize> & sums) const
  {
    AtomicAdd(size + index, sums.size);
    AtomicAdd(x + index, sums.x);
    AtomicAdd(y + index, sums.y);
    AtomicAdd(xx + index, sums.xx);
    AtomicAdd(yy + index, sums.yy);
    AtomicAdd(xy + index, sums.xy);
  }

  // The members below are for Early. NoProperties has them, too. An element belongs to the pixel with its index.

  /** Sets the sums of a pixel to its own coordinates, or to nothing if it is background. */
  CCL_HOST_DEVICE
  void
  SetPixel(std::uint64_t index, const Cell & pixel, bool isForeground) const
  {
    if (isForeground)
    {
      this->Set(index, SumsOfPixel<TSize>(pixel));
    }
    else
    {
      size[index] = 0;
    }
  }

  /** Adds a pixel to the sums of another pixel, or of itself. */
  CCL_HOST_DEVICE
  void
  AddPixel(std::uint64_t index, const Cell & pixel) const
  {
    this->Add(index, SumsOfPixel<TSize>(pixel));
  }

  /** Moves the sums of a pixel that is not a root to its root (Equation 1). Does nothing if they have moved before. */
  CCL_HOST_DEVICE
  void
  Transfer(std::uint64_t from, std::uint64_t root) const
  {
    if (size[from] != 0)
    {
      const PropertySums<TSize> sums = this->Get(from);
      size[from] = 0;
      this->Add(root, sums);
    }
  }
};

/** Takes the place of PropertyArrays in the variants Ordinary and Late of an algorithm, and does nothing. */
struct NoProperties
{
  CCL_HOST_DEVICE
  void
  SetPixel(std::uint64_t, const Cell &, bool) const
  {}
  CCL_HOST_DEVICE
  void
  AddPixel(std::uint64_t, const Cell &) const
  {}
  CCL_HOST_DEVICE
  void
  Transfer(std::uint64_t, std::uint64_t) const
  {}
};

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

/** The owner of PropertyArrays, whose elements are not initialized. */
template <typename TSize, typename TExecutor>
class PropertyMemory
{
public:
  PropertyMemory(const TExecutor & executor, std::uint64_t count)
    : m_Count(count)
    , m_Sizes(executor.template Allocate<TSize>(count))
    , m_Sums(executor.template Allocate<std::uint64_t>(5 * count))
  {}

  /** The number of elements. */
  std::uint64_t
  GetCount() const
  {
    return m_Count;
  }

  PropertyArrays<TSize>
  GetArrays() const
  {
    std::uint64_t * const sums = m_Sums.get();
    return { m_Sizes.get(), sums, sums + m_Count, sums + 2 * m_Count, sums + 3 * m_Count, sums + 4 * m_Count };
  }

  /** Sets all sums to 0. */
  void
  Clear(const TExecutor & executor) const
  {
    executor.Fill(m_Sizes.get(), m_Count, 0);
    executor.Fill(m_Sums.get(), 5 * m_Count, 0);
  }

private:
  template <typename T>
  using BufferType = decltype(std::declval<const TExecutor &>().template Allocate<T>(0));

  std::uint64_t             m_Count;
  BufferType<TSize>         m_Sizes;
  BufferType<std::uint64_t> m_Sums;
};

/** Returns whether a pixel is the representative of its component. */
template <typename TLabel>
struct IsRepresentative
{
  const TLabel * labels;

  CCL_HOST_DEVICE
  TLabel
  operator()(std::uint64_t index) const
  {
    return labels[index] == index + 1 ? 1 : 0;
  }
};

/** Stores 1 + the rank of each representative. Other elements stay as they are. */
template <typename TLabel>
struct StoreRank
{
  IsRepresentative<TLabel> isRepresentative;
  TLabel *                 ranks;

  CCL_HOST_DEVICE
  void
  operator()(std::uint64_t index, TLabel rank) const
  {
    if (isRepresentative(index))
    {
      ranks[index] = rank + 1;
    }
  }
};

/** Replaces the label of each foreground pixel by 1 + the rank of its representative. */
template <typename TLabel>
struct Relabel
{
  Grid           size;
  const TLabel * ranks;
  TLabel *       labels;

  CCL_HOST_DEVICE
  void
  operator()(const Cell & cell) const
  {
    TLabel * label = labels + IndexOf(size, cell);
    if (*label != 0)
    {
      *label = ranks[*label - 1];
    }
  }
};

/** Copies the sums of each representative to the element with its rank. */
template <typename TLabel, typename TSize>
struct CopyOfRepresentatives
{
  IsRepresentative<TLabel> isRepresentative;
  const TLabel *           ranks;
  PropertyArrays<TSize>    sparse;
  PropertyArrays<TSize>    compact;

  CCL_HOST_DEVICE
  void
  operator()(const Cell & pixel) const
  {
    if (isRepresentative(pixel.x))
    {
      compact.Set(ranks[pixel.x] - 1, sparse.Get(pixel.x));
    }
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

/** Ranks the representatives of an image of labels. A representative is a pixel with the label 1 + its raster index. */
template <typename TLabel, typename TExecutor>
class SequentialRelabeling
{
public:
  /** Computes the ranks. */
  SequentialRelabeling(const TExecutor & executor, const Grid & size, TLabel * labels)
    : m_Executor(executor)
    , m_Size(size)
    , m_Labels(labels)
    , m_Ranks(executor.template Allocate<TLabel>(size.Count()))
  {
    const IsRepresentative<TLabel> isRepresentative{ labels };
    const auto                     scan = executor.template PrepareScan<TLabel>(size.Count(), isRepresentative);
    executor.ExclusiveScan(scan, isRepresentative, StoreRank<TLabel>{ isRepresentative, m_Ranks.get() });
    m_ComponentCount = scan.GetTotal();
  }

  std::uint64_t
  GetComponentCount() const
  {
    return m_ComponentCount;
  }

  /** Copies the sums of the representatives in the order of their ranks. Call it before Apply(). */
  template <typename TSize>
  void
  Compact(const PropertyArrays<TSize> & sparse, const PropertyArrays<TSize> & compact) const
  {
    using Copy = CopyOfRepresentatives<TLabel, TSize>;
    m_Executor.ForEach(Grid{ m_Size.Count() }, Copy{ { m_Labels }, m_Ranks.get(), sparse, compact });
  }

  /** Replaces each label by 1 + the rank of its representative. */
  void
  Apply() const
  {
    m_Executor.ForEach(m_Size, Relabel<TLabel>{ m_Size, m_Ranks.get(), m_Labels });
  }

private:
  const TExecutor &                                                        m_Executor;
  Grid                                                                     m_Size;
  TLabel *                                                                 m_Labels;
  decltype(std::declval<const TExecutor &>().template Allocate<TLabel>(0)) m_Ranks;
  std::uint64_t                                                            m_ComponentCount;
};

/** Ends the variant Ordinary. Replaces labels by 1, 2, ..., n, and returns n. */
template <typename TLabel, typename TExecutor>
std::uint64_t
RelabelSequentially(const TExecutor & executor, const Grid & size, TLabel * labels)
{
  const SequentialRelabeling<TLabel, TExecutor> relabeling(executor, size, labels);
  relabeling.Apply();
  return relabeling.GetComponentCount();
}

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
