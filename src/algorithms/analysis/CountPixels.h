// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_algorithms_analysis_CountPixels_h
#define ccl_algorithms_analysis_CountPixels_h

// Counts the pixels of each component, for selections by size only. MeasureRuns.h measures all columns of a table. Its
// values are larger and take longer to merge.

#include "algorithms/analysis/RunLists.h"
#include "primitives/Atomics.h"

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
  RanksOfRuns<TRun> ranks;

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
    return ranks[run];
  }
};

/** Counts the pixels of each run, for AddToRows(). A row group is one row, so a run's pixels are its columns. A cell is
 * a run. */
template <typename TRun>
struct CountRun
{
  RunColumns<TRun>  columnsOfRuns;
  RanksOfRuns<TRun> ranks;

  /** The number of cells along x. A thread of AddToRows() visits several cells of one column, so the cells need several
   * rows. */
  static constexpr std::uint64_t CellsInRow = 1024;

  CCL_HOST_DEVICE
  Grid
  GetCells() const
  {
    return { CellsInRow, DivideUp(columnsOfRuns.runCount, CellsInRow) };
  }

  using ListType = RunsOfWord<TRun>;

  CCL_HOST_DEVICE
  bool
  HasValues(std::uint64_t run) const
  {
    return run < columnsOfRuns.runCount;
  }

  /** Returns the list of one run, as a word with one column. */
  CCL_HOST_DEVICE
  ListType
  Begin(const Cell & cell) const
  {
    return { 1, 1, static_cast<TRun>(cell.x + CellsInRow * cell.y) };
  }

  CCL_HOST_DEVICE
  std::uint64_t
  Next(ListType & list, PixelCount<TRun> & value) const
  {
    list.left = 0;
    value.pixels = columnsOfRuns.last[list.run] - columnsOfRuns.first[list.run] + 1;
    return ranks[list.run];
  }
};

} // namespace CountPixels

/** Adds the number of pixels of each component to its row. */
template <typename TRowGroup, typename TRun, typename TExecutor>
void
CountPixelsOfComponents(const TExecutor &                    executor,
                        const IndexedRuns<TRowGroup, TRun> & runs,
                        const RanksOfRuns<TRun> &            ranks,
                        TRun *                               pixelCounts)
{
  using namespace CountPixels;
  if constexpr (TRowGroup::IsOneRow)
  {
    if (runs.columnsOfRuns.first != nullptr)
    {
      const CountRun<TRun> functor{ runs.columnsOfRuns, ranks };
      executor.AddToRows(functor.GetCells(), functor, PixelCountTable<TRun>{ pixelCounts });
      return;
    }
  }
  executor.AddToRows(
    runs.groups.columns.words, CountWord<TRowGroup, TRun>{ { runs }, ranks }, PixelCountTable<TRun>{ pixelCounts });
}

} // namespace itk::ccl

#endif
