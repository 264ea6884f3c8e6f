// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_algorithms_published_PixelRanking_h
#define ccl_algorithms_published_PixelRanking_h

// Makes consecutive labels in the order of itk::ConnectedComponentImageFilter from the labels of an algorithm on
// pixels.
//
// The label of such an algorithm is 1 + the raster index of the component's first pixel. So FirstPixelRanking.h can
// rank the components at once. The final label of a component replaces the label of its first pixel, and the marks of
// the first pixels tell which labels are final. So there is no second image of labels.

#include "algorithms/FirstPixelRanking.h"

namespace itk::ccl
{

namespace PixelRanking
{

/** Kernel functor that marks the first pixel of each component. A cell's x is the raster index of a pixel. */
template <typename TLabel>
struct MarkFirstPixels
{
  const TLabel *                   labels;
  FirstPixelRanking::Marks<TLabel> marks;

  CCL_HOST_DEVICE
  void
  operator()(const Cell & cell) const
  {
    const auto pixel = static_cast<TLabel>(cell.x);
    if (labels[pixel] == pixel + 1)
    {
      marks.Set(pixel);
    }
  }
};

/** Kernel functor that replaces the label of each first pixel by the final label of the component. A cell is a word of
 * the marks. */
template <typename TLabel>
struct LabelFirstPixels
{
  FirstPixelRanking::Marks<TLabel> marks;
  LabelValues                      labelValues;
  TLabel *                         labels;

  CCL_HOST_DEVICE
  void
  operator()(const Cell & word) const
  {
    Word left = marks.words[word.x];
    if (left == 0)
    {
      return;
    }
    const auto firstPixel = static_cast<TLabel>(word.x * BitsPerWord);
    for (std::uint64_t rank = marks.RankOf(firstPixel + LowestBit(left)); left != 0; left &= left - 1, ++rank)
    {
      labels[firstPixel + LowestBit(left)] = static_cast<TLabel>(labelValues.LabelOf(rank));
    }
  }
};

/** Kernel functor that writes the final label of each pixel. `output` may be `labels`: then first pixels get the value
 * that they have. */
template <typename TLabel, typename TOutput>
struct WriteLabels
{
  FirstPixelRanking::Marks<TLabel> marks;
  const TLabel *                   labels;
  TOutput                          background;
  TOutput *                        output;

  CCL_HOST_DEVICE
  void
  operator()(const Cell & cell) const
  {
    const auto   pixel = static_cast<TLabel>(cell.x);
    const TLabel label = Load(labels + pixel);
    TOutput      value = background;
    if (marks.Has(pixel))
    {
      value = static_cast<TOutput>(label);
    }
    else if (label != 0)
    {
      value = static_cast<TOutput>(Load(labels + (label - 1)));
    }
    Store(output + pixel, value);
  }
};

} // namespace PixelRanking

/** Ranks the components that an algorithm on pixels has labeled, and replaces the label of the first pixel of each
 * component by its final label. Returns the number of components. If `labelValues` has too few labels for them, the
 * final labels are wrong. `memory` has room for all pixels, and no mark is set. */
template <typename TLabel, typename TExecutor>
std::uint64_t
RankPixels(const TExecutor &                          executor,
           const Grid &                               size,
           const LabelValues &                        labelValues,
           const FirstPixelMarks<TLabel, TExecutor> & memory,
           TLabel *                                   labels)
{
  using namespace PixelRanking;
  executor.ForEach(Grid{ size.Count() }, MarkFirstPixels<TLabel>{ labels, memory.Get() });
  const auto count = executor.template AllocateResult<TLabel>();
  ScanMarks(executor, memory, count.GetAddress());
  const std::uint64_t words = memory.chunkCount * FirstPixelRanking::Marks<TLabel>::WordsPerChunk;
  executor.ForEach(Grid{ words }, LabelFirstPixels<TLabel>{ memory.Get(), labelValues, labels });
  return count.Get();
}

/** Replaces the other labels by the final labels of RankPixels(). `output` may be `labels`. */
template <typename TOutput, typename TLabel, typename TExecutor>
void
RelabelPixels(const TExecutor &                          executor,
              const TLabel *                             labels,
              const FirstPixelMarks<TLabel, TExecutor> & memory,
              const Grid &                               size,
              const LabelValues &                        labelValues,
              TOutput *                                  output)
{
  executor.ForEach(Grid{ size.Count() },
                   PixelRanking::WriteLabels<TLabel, TOutput>{
                     memory.Get(), labels, static_cast<TOutput>(labelValues.background), output });
}

} // namespace itk::ccl

#endif
