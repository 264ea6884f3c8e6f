// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_algorithms_published_GatherRunLabels_h
#define ccl_algorithms_published_GatherRunLabels_h

// From the labels of pixels to the labels of runs. So a published algorithm, too, sends one label per run to the host.

#include "primitives/Runs.h"

namespace itk::ccl
{

namespace GatherRunLabels
{

/** Copies the labels of the runs that start in a word, from a pixel in the first column of each run. */
template <typename TLabel, typename TRowGroup, typename TRun>
struct Gather
{
  const TLabel *               labels;
  Grid                         size;
  IndexedRuns<TRowGroup, TRun> runs;
  TRun *                       ranks;

  CCL_HOST_DEVICE
  void
  operator()(const Cell & word) const
  {
    const BitRows &     columns = runs.groups.columns;
    const std::uint64_t begin = columns.RowBegin(word.y, word.z);
    TRun                run = runs.runOffsets[begin + word.x];
    for (Word left = columns.Starts(begin, word.x); left != 0; left &= left - 1, ++run)
    {
      ranks[run] = static_cast<TRun>(labels[this->PixelInColumn(word, LowestBit(left))]);
    }
  }

private:
  /** Returns the raster index of the first foreground pixel of a column. */
  CCL_HOST_DEVICE
  std::uint64_t
  PixelInColumn(const Cell & word, unsigned int bit) const
  {
    const std::uint64_t rowBits = runs.groups.rows.words.x * BitsPerWord;
    const std::uint64_t pixel = runs.groups.FirstPixelIn(word, Word{ 1 } << bit);
    const std::uint64_t row = Divide(pixel, rowBits);
    return row * size.x + pixel - row * rowBits;
  }
};

} // namespace GatherRunLabels

/** Writes the rank of the component of each run. `labels` has the rank of each pixel. */
template <typename TLabel, typename TRowGroup, typename TRun, typename TExecutor>
void
GatherLabelsOfRuns(const TExecutor &                    executor,
                   const TLabel *                       labels,
                   const Grid &                         size,
                   const IndexedRuns<TRowGroup, TRun> & runs,
                   TRun *                               ranks)
{
  executor.ForEach(runs.groups.columns.words,
                   GatherRunLabels::Gather<TLabel, TRowGroup, TRun>{ labels, size, runs, ranks });
}

} // namespace itk::ccl

#endif
