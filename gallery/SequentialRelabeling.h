// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_gallery_SequentialRelabeling_h
#define ccl_gallery_SequentialRelabeling_h

// SequentialRelabeling: labels become 1, 2, ..., n in the order of the representatives. A representative is the pixel
// that the labels of a component name. If representatives are first pixels, this is the order of first pixels.
// Asad, Marroquim and Souza, "On GPU Connected Components and Properties: A Systematic Evaluation of Connected
// Component Labeling Algorithms and their Extension for Property Extraction", Appendix C.
//
// Extra memory: one label per pixel for the ranks.
//
// Departure: the paper's scan is inclusive, and stores a sum for each pixel. Here, it is exclusive, and stores the
// ranks of representatives only.

#include "executors/Executor.h"
#include "gallery/PropertySums.h"

#include <utility>

namespace itk::ccl::gallery
{

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
  TLabel * ranks;

  CCL_HOST_DEVICE
  void
  operator()(std::uint64_t index, TLabel rank, TLabel isRepresentative) const
  {
    if (isRepresentative != 0)
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
    const auto count = executor.template AllocateResult<TLabel>();
    executor.template Scan<TLabel>(
      { size.Count() }, IsRepresentative<TLabel>{ labels }, StoreRank<TLabel>{ m_Ranks.get() }, count.GetAddress());
    m_ComponentCount = count.Get();
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

/** Replaces labels by 1, 2, ..., n, and returns n. */
template <typename TLabel, typename TExecutor>
std::uint64_t
RelabelSequentially(const TExecutor & executor, const Grid & size, TLabel * labels)
{
  const SequentialRelabeling<TLabel, TExecutor> relabeling(executor, size, labels);
  relabeling.Apply();
  return relabeling.GetComponentCount();
}

} // namespace itk::ccl::gallery

#endif
