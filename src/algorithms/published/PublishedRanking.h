// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_algorithms_published_PublishedRanking_h
#define ccl_algorithms_published_PublishedRanking_h

#include "algorithms/published/BlockRanking.h"
#include "algorithms/published/PixelRanking.h"
#include "algorithms/published/PublishedAlgorithms.h"

namespace itk::ccl
{

/** Makes ITK's labels from the labels of a published algorithm. */
template <unsigned int VDimension, typename TLabel, typename TExecutor>
class PublishedRanking
{
public:
  /** Ranks the components. `labels` are the labels of LabelByPublishedAlgorithm(), and must exist as long as the
   * ranking. The ranking may change them; only Relabel() reads them after that. The order of the members matters,
   * because the last one is the result of the others. */
  PublishedRanking(const TExecutor &                       executor,
                   CudaConnectedComponentsEnums::Algorithm algorithm,
                   TLabel *                                labels,
                   const Grid &                            size,
                   const LabelValues &                     labelValues)
    : m_Labels(labels)
    , m_Size(size)
    , m_LabelValues(labelValues)
    , m_NamesPixels(ElementOfLabels(algorithm) == LabelElement::FirstPixel)
    , m_Marks(executor, m_NamesPixels ? size.Count() : 0)
    , m_BlockLabels(executor.template Allocate<TLabel>(m_NamesPixels ? 0 : BlocksOf<VDimension>(size).Count()))
    , m_ComponentCount(m_NamesPixels ? RankPixels(executor, size, labelValues, m_Marks, labels)
                                     : RankBlocks<VDimension>(executor, labels, size, labelValues, m_BlockLabels.get()))
  {}

  std::uint64_t
  GetComponentCount() const
  {
    return m_ComponentCount;
  }

  /** Writes the final labels of all pixels, and the background value of `labelValues`. `output` may be the labels that
   * were passed to the constructor. If `labelValues` has too few labels for the components, the labels are wrong. */
  template <typename TOutput>
  void
  Relabel(const TExecutor & executor, TOutput * output) const
  {
    if (m_NamesPixels)
    {
      RelabelPixels(executor, m_Labels, m_Marks, m_Size, m_LabelValues, output);
    }
    else
    {
      RelabelBlocks<VDimension>(executor, m_Labels, m_BlockLabels.get(), m_Size, m_LabelValues, output);
    }
  }

private:
  using BufferType = decltype(std::declval<const TExecutor &>().template Allocate<TLabel>(0));

  const TLabel *                     m_Labels;
  Grid                               m_Size;
  LabelValues                        m_LabelValues;
  bool                               m_NamesPixels;
  FirstPixelMarks<TLabel, TExecutor> m_Marks;       // for labels that name pixels
  BufferType                         m_BlockLabels; // for labels that name blocks: the final label of each root
  std::uint64_t                      m_ComponentCount;
};

} // namespace itk::ccl

#endif
