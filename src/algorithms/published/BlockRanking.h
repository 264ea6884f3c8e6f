// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_algorithms_published_BlockRanking_h
#define ccl_algorithms_published_BlockRanking_h

// From the labels of the block algorithms to consecutive labels in the order of itk::ConnectedComponentImageFilter.
//
// A block algorithm names a component by its lowest block, ITK numbers by the first pixel. The two orders differ where
// a component's first pixel lies in a later block of the same layer (row of blocks, in a volume plane of blocks) than
// its lowest block. So: find each component's first pixel, mark it in an image of bits, and let the number of marks
// before a pixel be the rank of the component.

#include "algorithms/published/Blocks.h"
#include "algorithms/FirstPixelRanking.h"

namespace itk::ccl
{

namespace BlockRanking
{

/** Gets a block's label, 0 where it has no foreground pixel, and the first pixel that has it. */
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

/** What the steps know. `firstPixels`, and `finalLabels` later, has one element for each block; those of roots are
 * used.
 */
template <unsigned int VDimension, typename TLabel>
struct Components
{
  Grid           size;
  const TLabel * labels;

  /** The first pixel of the root block of the component with a label. */
  CCL_HOST_DEVICE
  TLabel
  RootOf(TLabel label) const
  {
    return label - 1;
  }

  /** The number of a block, from its first pixel. */
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

  /** Whether a block lies in the layer (row of blocks, in a volume plane of blocks) of another. */
  CCL_HOST_DEVICE
  bool
  IsInLayerOf(const Block<VDimension, TLabel> & block, TLabel pixel) const
  {
    const auto   sizeX = static_cast<TLabel>(size.x);
    const TLabel layerBegin = VDimension == 2 ? sizeX * block.y : sizeX * static_cast<TLabel>(size.y) * block.z;
    return pixel >= layerBegin;
  }
};

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
    // The root's layer is the first that the component has; only there can its first pixel be.
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

/** Writes the final labels. `output` may be the image of labels itself. */
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

} // namespace BlockRanking

/** Ranks the components that a block algorithm has labeled. `finalLabels`, of one element for each block, gets the
 * final label of every component at the block of its root. Returns the number of components; where the numbering has no
 * room for them, nothing further is worth doing. */
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
  executor.ForEachBlock(blocks, BlockRanking::FindFirstPixels<VDimension, TLabel>{ { size, labels }, finalLabels });
  return LabelByFirstPixels(executor, marks, blocks.Count(), labelValues, finalLabels).GetTotal();
}

/** Replaces the labels of a block algorithm by those that RankBlocks has found. `output` may be `labels` itself. */
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
  executor.ForEachBlock(BlocksOf<VDimension>(size),
                        BlockRanking::WriteLabels<VDimension, TLabel, TOutput>{
                          components, finalLabels, static_cast<TOutput>(labelValues.background), output });
}

} // namespace itk::ccl

#endif
