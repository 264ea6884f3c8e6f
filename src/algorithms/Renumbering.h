// SPDX-License-Identifier: Apache-2.0
#ifndef Renumbering_h
#define Renumbering_h

// From the labels of the block algorithms to consecutive labels in the order of itk::ConnectedComponentImageFilter.
//
// A block algorithm names a component by its lowest block, ITK numbers by the first pixel. The two orders differ where
// a component's first pixel lies in a later block of the same layer (row of blocks, in a volume plane of blocks) than
// its lowest block. So: find each component's first pixel, mark it in an image of bits, and let the number of marks
// before a pixel be the rank of the component.

#include "Blocks.h"
#include "Numbering.h"
#include "Runs.h"
#include "Sums.h"
#include "UnionFind.h"

namespace itk::ccl
{

namespace Renumbering
{

/** Stands for the first pixel of what is no component. */
template <typename TLabel>
inline constexpr TLabel        NoPixel = static_cast<TLabel>(~TLabel{ 0 });
inline constexpr unsigned char NoPixelByte = 0xFF;

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
      const Pair<TLabel> pair = block.LoadRow(labels, row);
      if (pair.first != 0 || pair.second != 0)
      {
        firstPixel = block.IndexOfRow(row) + (pair.first == 0);
        return pair.first != 0 ? pair.first : pair.second;
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

template <typename TLabel>
struct MarkFirstPixels
{
  const TLabel * firstPixels;
  Word *         marks;

  CCL_HOST_DEVICE
  void
  operator()(const Cell & block) const
  {
    const TLabel pixel = firstPixels[block.x];
    if (pixel != NoPixel<TLabel>)
    {
      AtomicOr(marks + pixel / BitsPerWord, Word{ 1 } << pixel % BitsPerWord);
    }
  }
};

struct MarksInWord
{
  const Word * marks;

  CCL_HOST_DEVICE
  std::uint32_t
  operator()(std::uint64_t word) const
  {
    return CountBits(marks[word]);
  }
};

/** Replaces the first pixel of each component by its final label. */
template <typename TLabel>
struct NumberComponents
{
  const Word *   marks;
  const TLabel * marksBefore;
  Numbering      numbering;
  TLabel *       firstPixels;

  CCL_HOST_DEVICE
  void
  operator()(const Cell & block) const
  {
    const TLabel pixel = firstPixels[block.x];
    if (pixel != NoPixel<TLabel>)
    {
      const std::uint64_t word = pixel / BitsPerWord;
      const Word          through = BitsThrough(pixel % BitsPerWord);
      const std::uint64_t rank = marksBefore[word] + CountBits(marks[word] & through) - 1;
      firstPixels[block.x] = static_cast<TLabel>(numbering.LabelOf(rank));
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
        const Pair<TLabel> pair = block.LoadRow(components.labels, row);
        foreground |= static_cast<unsigned int>(pair.first != 0) << 2 * row;
        foreground |= static_cast<unsigned int>(pair.second != 0) << (2 * row + 1);
        label |= pair.first | pair.second;
      }
    }
    const TOutput value =
      label != 0 ? static_cast<TOutput>(finalLabels[components.BlockOf(components.RootOf(label))]) : background;
    block.Fill(output, foreground, value, background);
  }
};

/** Finds the label of every run of bundles from that of a pixel in its first column. */
template <unsigned int VDimension, typename TLabel, typename TBundle, typename TRun>
struct GatherRunLabels
{
  Components<VDimension, TLabel> components;
  const TLabel *                 finalLabels;
  NumberedRuns<TBundle, TRun>    runs;
  TRun *                         runLabels;

  CCL_HOST_DEVICE
  void
  operator()(const Cell & word) const
  {
    const BitRows &     columns = runs.bundles.columns;
    const std::uint64_t begin = columns.RowBegin(word.y, word.z);
    TRun                run = runs.runsBefore[begin + word.x];
    for (Word left = columns.Starts(begin, word.x); left != 0; left &= left - 1, ++run)
    {
      const TLabel label = components.labels[this->PixelInColumn(word, LowestBit(left))];
      runLabels[run] = static_cast<TRun>(finalLabels[components.BlockOf(components.RootOf(label))]);
    }
  }

private:
  /** Index of the first foreground pixel of a column that has one. */
  CCL_HOST_DEVICE
  std::uint64_t
  PixelInColumn(const Cell & word, unsigned int bit) const
  {
    const std::uint64_t rowBits = runs.bundles.rows.words.x * BitsPerWord;
    const std::uint64_t pixel = runs.bundles.FirstPixelIn(word, Word{ 1 } << bit);
    const std::uint64_t row = Divide(pixel, rowBits);
    return row * components.size.x + pixel - row * rowBits;
  }
};

} // namespace Renumbering

/** Ranks the components that a block algorithm has labeled. `finalLabels`, of one element for each block, gets the
 * final label of every component at the block of its root. Returns the number of components; where the numbering has no
 * room for them, nothing further is worth doing. */
template <unsigned int VDimension, typename TLabel, typename TExecutor>
std::uint64_t
RankBlocks(const TExecutor & executor,
           const TLabel *    labels,
           const Grid &      size,
           const Numbering & numbering,
           TLabel *          finalLabels)
{
  const Grid          blocks = BlocksOf<VDimension>(size);
  const Grid          allBlocks{ blocks.Count() };
  const std::uint64_t words = DivideUp(size.Count(), BitsPerWord);
  const auto          marks = executor.template Allocate<Word>(words);
  const auto          marksBefore = executor.template Allocate<TLabel>(words);

  const Renumbering::Components<VDimension, TLabel> components{ size, labels };
  executor.Fill(finalLabels, blocks.Count(), Renumbering::NoPixelByte);
  executor.Fill(marks.get(), words, 0);
  executor.ForEachBlock(blocks, Renumbering::FindFirstPixels<VDimension, TLabel>{ components, finalLabels });
  executor.ForEach(allBlocks, Renumbering::MarkFirstPixels<TLabel>{ finalLabels, marks.get() });
  const Renumbering::MarksInWord marksInWord{ marks.get() };
  const auto                     sums = executor.template Sum<TLabel>(words, marksInWord);
  executor.ForEachSum(sums, marksInWord, KeepSums<TLabel>{ marksBefore.get() });
  executor.ForEach(allBlocks,
                   Renumbering::NumberComponents<TLabel>{ marks.get(), marksBefore.get(), numbering, finalLabels });
  return sums.GetTotal();
}

/** Replaces the labels of a block algorithm by those that RankBlocks has found. `output` may be `labels` itself. */
template <unsigned int VDimension, typename TOutput, typename TLabel, typename TExecutor>
void
RelabelBlocks(const TExecutor & executor,
              const TLabel *    labels,
              const TLabel *    finalLabels,
              const Grid &      size,
              const Numbering & numbering,
              TOutput *         output)
{
  const Renumbering::Components<VDimension, TLabel> components{ size, labels };
  executor.ForEachBlock(BlocksOf<VDimension>(size),
                        Renumbering::WriteLabels<VDimension, TLabel, TOutput>{
                          components, finalLabels, static_cast<TOutput>(numbering.background), output });
}

/** Writes the final label of every run of bundles of the image that a block algorithm has labeled and RankBlocks has
 * ranked. */
template <unsigned int VDimension, typename TLabel, typename TBundle, typename TRun, typename TExecutor>
void
GatherRunLabels(const TExecutor &                   executor,
                const TLabel *                      labels,
                const TLabel *                      finalLabels,
                const Grid &                        size,
                const NumberedRuns<TBundle, TRun> & runs,
                TRun *                              runLabels)
{
  const Renumbering::Components<VDimension, TLabel> components{ size, labels };
  executor.ForEach(
    runs.bundles.columns.words,
    Renumbering::GatherRunLabels<VDimension, TLabel, TBundle, TRun>{ components, finalLabels, runs, runLabels });
}

} // namespace itk::ccl

#endif
