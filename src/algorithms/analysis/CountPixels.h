// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_algorithms_analysis_CountPixels_h
#define ccl_algorithms_analysis_CountPixels_h

// Counts the pixels of each component, for selections by size only. MeasureRuns.h measures all columns of a table. Its
// values are larger and take longer to merge.

#include "algorithms/analysis/RunLists.h"
#include "primitives/Atomics.h"
#include "primitives/LabelValues.h"

namespace itk::ccl
{

namespace CountPixels
{

/** A number of pixels, for AddToRows(). */
template <typename TRun>
struct PixelCount
{
  TRun pixels;

  CCL_HOST_DEVICE
  void
  Merge(const PixelCount & other)
  {
    pixels += other.pixels;
  }
};

/** A table with one column, for AddToRows(). */
template <typename TRun>
struct PixelCountTable
{
  using ValueType = PixelCount<TRun>;

  TRun * pixelCounts;

  CCL_HOST_DEVICE
  void
  Add(std::uint64_t row, const ValueType & value) const
  {
    AtomicAdd(pixelCounts + row, value.pixels);
  }
};

/** Counts the pixels of the runs of each word of columns, for AddToRows(). */
template <typename TRowGroup, typename TRun>
struct CountWord : RunLists<TRowGroup, TRun>
{
  const TRun * labels; // an element for each run
  LabelValues  labelValues;

  /** Moves to the next run. Counts its pixels in the word, and returns the rank of its component. */
  CCL_HOST_DEVICE
  std::uint64_t
  Next(typename RunLists<TRowGroup, TRun>::ListType & list, PixelCount<TRun> & value) const
  {
    const auto & groups = this->runs.groups;
    Word         columns = 0;
    const TRun   run = list.runs.Next(columns);
    value.pixels = 0;
    groups.ForEachRow(list.word.y, list.word.z, [&](unsigned int row, unsigned int slice) {
      value.pixels += CountBits(groups.PixelsIn(list.word, row, slice, columns));
    });
    return labelValues.RankOf(labels[run]);
  }
};

} // namespace CountPixels

/** Adds the number of pixels of each component to its row. `labels` has the label of each run, by `labelValues`. */
template <typename TRowGroup, typename TRun, typename TExecutor>
void
CountPixelsOfComponents(const TExecutor &                    executor,
                        const IndexedRuns<TRowGroup, TRun> & runs,
                        const TRun *                         labels,
                        const LabelValues &                  labelValues,
                        TRun *                               pixelCounts)
{
  using namespace CountPixels;
  executor.AddToRows(runs.groups.columns.words,
                     CountWord<TRowGroup, TRun>{ { runs }, labels, labelValues },
                     PixelCountTable<TRun>{ pixelCounts });
}

} // namespace itk::ccl

#endif
