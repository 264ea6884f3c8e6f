// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_benchmark_Renumbering_h
#define ccl_benchmark_Renumbering_h

// Makes ITK's labels from the labels of the gallery, which differ between components and do not exceed the number of
// pixels. The library's rankings do it if the labels name first pixels or blocks. For other labels, each component
// first needs a search for its first pixel.

#include "algorithms/published/BlockRanking.h"
#include "algorithms/published/PixelRanking.h"
#include "algorithms/published/PublishedTypes.h"

namespace itk::ccl
{

namespace Renumbering
{

/** Finds the first pixel of each component. `firstPixels` has an element for each label. */
template <typename TLabel>
struct FindFirstPixels
{
  const TLabel * labels;
  TLabel *       firstPixels;

  CCL_HOST_DEVICE
  void
  operator()(const Cell & cell) const
  {
    const TLabel label = labels[cell.x];
    const auto   pixel = static_cast<TLabel>(cell.x);
    // The pixel to the left is earlier, if it belongs to the component.
    if (label != 0 && (cell.x == 0 || labels[cell.x - 1] != label) && pixel < Load(firstPixels + (label - 1)))
    {
      AtomicMin(firstPixels + (label - 1), pixel);
    }
  }
};

/** Replaces the label of each foreground pixel by the final label of the component. */
template <typename TLabel>
struct WriteFinalLabels
{
  const TLabel * finalLabels;
  TLabel *       labels;

  CCL_HOST_DEVICE
  void
  operator()(const Cell & cell) const
  {
    const TLabel label = labels[cell.x];
    if (label != 0)
    {
      labels[cell.x] = finalLabels[label - 1];
    }
  }
};

} // namespace Renumbering

/** Replaces labels by ITK's labels. */
template <unsigned int VDimension, LabelElement VElement, typename TLabel, typename TExecutor>
void
Renumber(const TExecutor & executor, const Grid & size, TLabel * labels)
{
  const auto labelValues = LabelValues::For(TLabel{ 0 });
  if constexpr (VElement == LabelElement::Block)
  {
    const auto finalLabels = executor.template Allocate<TLabel>(BlocksOf<VDimension>(size).Count());
    RankBlocks<VDimension>(executor, labels, size, labelValues, finalLabels.get());
    RelabelBlocks<VDimension>(executor, labels, finalLabels.get(), size, labelValues, labels);
  }
  else
  {
    const FirstPixelMarks<TLabel, TExecutor> marks(executor, size.Count());
    if constexpr (VElement == LabelElement::FirstPixel)
    {
      RankPixels(executor, size, labelValues, marks, labels);
      RelabelPixels(executor, labels, marks, size, labelValues, labels);
    }
    else
    {
      const Grid pixels{ size.Count() };
      const auto finalLabels = executor.template Allocate<TLabel>(size.Count());
      executor.Fill(finalLabels.get(), size.Count(), NoPixelByte);
      executor.ForEach(pixels, Renumbering::FindFirstPixels<TLabel>{ labels, finalLabels.get() });
      LabelByFirstPixels(executor, marks, { size.Count() }, labelValues, finalLabels.get());
      executor.ForEach(pixels, Renumbering::WriteFinalLabels<TLabel>{ finalLabels.get(), labels });
    }
  }
}

} // namespace itk::ccl

#endif
