// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_algorithms_published_BlockRanking_h
#define ccl_algorithms_published_BlockRanking_h

// Makes consecutive labels in the order of itk::ConnectedComponentImageFilter from the labels of a block algorithm.
//
// The label of a block algorithm stands for the root: the lowest block of the component. ITK orders components by their
// first pixels. The two orders differ, because the first pixel may lie in a later block than the root. Both blocks are
// in the same layer: a row of blocks in a plane, or a plane of blocks in a volume. So FindFirstPixels finds the first
// pixel of each component in the layer of its root, and FirstPixelRanking.h ranks the first pixels.

#include "algorithms/published/Blocks.h"
#include "algorithms/FirstPixelRanking.h"

namespace itk::ccl
{

namespace BlockRanking
{

/** Returns the label of a block, or 0 if the block has no foreground pixel. Otherwise, also sets `firstPixel` to the
 * raster index of its first foreground pixel. */
template <unsigned int VDimension, typename TLabel>
CCL_HOST_DEVICE
inline TLabel
LabelOfBlock(const Block<VDimension, TLabel> & block, const TLabel * labels, TLabel & firstPixel)
{
  CCL_UNROLL
  for (unsigned int row = 0; row < Block<VDimension, TLabel>::RowCount; ++row)
  {
    if (block.HasRow(row))
    {
      const Vec2<TLabel> both = block.LoadRow(labels, row);
      if (both.first != 0 || both.second != 0)
      {
        firstPixel = block.IndexOfRow(row) + (both.first == 0);
        return both.first != 0 ? both.first : both.second;
      }
    }
  }
  return 0;
}

/** The labels of a block algorithm: 1 + the raster index of the corner of the root block, or 0 for background. */
template <unsigned int VDimension, typename TLabel>
struct Components
{
  Grid           size;
  const TLabel * labels;

  /** Returns the raster index of the corner of the root block of the component with a label. */
  CCL_HOST_DEVICE
  TLabel
  RootOf(TLabel label) const
  {
    return label - 1;
  }

  /** Returns the raster index of the block that contains a pixel. */
  CCL_HOST_DEVICE
  std::uint64_t
  BlockOf(TLabel pixel) const
  {
    const auto   sizeX = static_cast<TLabel>(size.x);
    const auto   sizeY = static_cast<TLabel>(size.y);
    const TLabel row = pixel / sizeX;
    const TLabel x = pixel - row * sizeX;
    const TLabel z = row / sizeY;
    const TLabel y = row - z * sizeY;
    return IndexOf(BlocksOf<VDimension>(size), { x / 2, y / 2, VDimension == 2 ? 0 : z / 2 });
  }

  /** Returns whether a block lies in the same layer as a root. `pixel` is the corner of the root. The root's layer
   * is never later than the block's. */
  CCL_HOST_DEVICE
  bool
  IsInLayerOf(const Block<VDimension, TLabel> & block, TLabel pixel) const
  {
    const auto   sizeX = static_cast<TLabel>(size.x);
    const TLabel layerBegin = VDimension == 2 ? sizeX * block.y : sizeX * static_cast<TLabel>(size.y) * block.z;
    return pixel >= layerBegin;
  }
};

/** Kernel functor that finds the first pixel of each component. `firstPixels` has an element for each block. The
 * elements of roots get the first pixels. */
template <unsigned int VDimension, typename TLabel>
struct FindFirstPixels
{
  Components<VDimension, TLabel> components;
  TLabel *                       firstPixels;

  CCL_HOST_DEVICE
  void
  operator()(const Cell & cell) const
  {
    const Block<VDimension, TLabel> block(components.size, cell);
    TLabel                          pixel = 0;
    const TLabel                    label = LabelOfBlock(block, components.labels, pixel);
    // The root's layer is the first layer of the component, so the first pixel lies in it.
    if (label == 0 || !components.IsInLayerOf(block, components.RootOf(label)))
    {
      return;
    }
    TLabel * first = firstPixels + components.BlockOf(components.RootOf(label));
    if (pixel < Load(first))
    {
      AtomicMin(first, pixel);
    }
  }
};

/** Kernel functor that writes the final labels to the pixels. `finalLabels` has an element for each block. The elements
 * of roots have the labels. `output` may be `components.labels`, because each cell reads and writes one block only. */
template <unsigned int VDimension, typename TLabel, typename TOutput>
struct WriteLabels
{
  Components<VDimension, TLabel> components;
  const TLabel *                 finalLabels;
  TOutput                        background;
  TOutput *                      output;

  CCL_HOST_DEVICE
  void
  operator()(const Cell & cell) const
  {
    const Block<VDimension, TLabel> block(components.size, cell);
    unsigned int                    foreground = 0;
    TLabel                          label = 0;
    CCL_UNROLL
    for (unsigned int row = 0; row < Block<VDimension, TLabel>::RowCount; ++row)
    {
      if (block.HasRow(row))
      {
        const Vec2<TLabel> both = block.LoadRow(components.labels, row);
        foreground |= static_cast<unsigned int>(both.first != 0) << 2 * row;
        foreground |= static_cast<unsigned int>(both.second != 0) << (2 * row + 1);
        label |= both.first | both.second;
      }
    }
    const TOutput value =
      label != 0 ? static_cast<TOutput>(finalLabels[components.BlockOf(components.RootOf(label))]) : background;
    block.Fill(output, foreground, value, background);
  }
};

/** Replaces the first pixel of each component by its label. `marks.chunks` holds the marks before each chunk. */
template <typename TIndex>
struct LabelFirstPixels
{
  FirstPixelRanking::Marks<TIndex> marks;
  LabelValues                      labelValues;
  TIndex *                         firstPixels;

  CCL_HOST_DEVICE
  void
  operator()(const Cell & element) const
  {
    const TIndex pixel = firstPixels[element.x];
    if (pixel != NoPixel<TIndex>)
    {
      firstPixels[element.x] = static_cast<TIndex>(labelValues.LabelOf(marks.RankOf(pixel)));
    }
  }
};

} // namespace BlockRanking

/** Replaces the first pixel of each component by the label of the component. `firstPixels` has an element for each run
 * or block: the first pixel of the component at its root, and NoPixel elsewhere. Returns the number of components. */
template <typename TIndex, typename TExecutor>
ResultOf<TIndex, TExecutor>
LabelByFirstPixels(const TExecutor &                          executor,
                   const FirstPixelMarks<TIndex, TExecutor> & memory,
                   const BoundedCount<TIndex> &               elementCount,
                   const LabelValues &                        labelValues,
                   TIndex *                                   firstPixels)
{
  using namespace FirstPixelRanking;
  const Marks<TIndex> marks = memory.Get();
  executor.ForEach(elementCount, MarkFirstPixels<TIndex>{ firstPixels, marks });
  auto count = executor.template AllocateResult<TIndex>();
  ScanMarks(executor, memory, count.GetAddress());
  executor.ForEach(elementCount, BlockRanking::LabelFirstPixels<TIndex>{ marks, labelValues, firstPixels });
  return count;
}

/** Ranks the components that a block algorithm has labeled. `finalLabels` has an element for each block. The elements
 * of roots get the final labels of the components. Returns the number of components. If `labelValues` has too few
 * labels for them, the final labels are wrong. */
template <unsigned int VDimension, typename TLabel, typename TExecutor>
std::uint64_t
RankBlocks(const TExecutor &   executor,
           const TLabel *      labels,
           const Grid &        size,
           const LabelValues & labelValues,
           TLabel *            finalLabels)
{
  const Grid                               blocks = BlocksOf<VDimension>(size);
  const FirstPixelMarks<TLabel, TExecutor> marks(executor, size.Count());
  executor.Fill(finalLabels, blocks.Count(), NoPixelByte);
  executor.ForEachCompact(blocks, BlockRanking::FindFirstPixels<VDimension, TLabel>{ { size, labels }, finalLabels });
  return LabelByFirstPixels(executor, marks, { blocks.Count() }, labelValues, finalLabels).Get();
}

/** Replaces the labels of a block algorithm by the final labels of RankBlocks(). `output` may be `labels`. */
template <unsigned int VDimension, typename TOutput, typename TLabel, typename TExecutor>
void
RelabelBlocks(const TExecutor &   executor,
              const TLabel *      labels,
              const TLabel *      finalLabels,
              const Grid &        size,
              const LabelValues & labelValues,
              TOutput *           output)
{
  const BlockRanking::Components<VDimension, TLabel> components{ size, labels };
  executor.ForEachCompact(BlocksOf<VDimension>(size),
                          BlockRanking::WriteLabels<VDimension, TLabel, TOutput>{
                            components, finalLabels, static_cast<TOutput>(labelValues.background), output });
}

} // namespace itk::ccl

#endif
