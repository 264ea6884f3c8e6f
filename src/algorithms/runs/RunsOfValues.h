// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_algorithms_runs_RunsOfValues_h
#define ccl_algorithms_runs_RunsOfValues_h

// Unites all runs of an image that have one value, connected or not: those of each label of a label image. A hash table
// has the first run of each value of each image.

#include "algorithms/runs/ImageRanks.h"
#include "executors/BoundedCount.h"
#include "primitives/Atomics.h"
#include "primitives/LabelValues.h"
#include "primitives/Runs.h"

#include <cstdint>

namespace itk::ccl
{

/** Hash table of the values of runs. NaN equals nothing, so it is not there. */
template <typename TRun>
struct TableOfValues
{
  RunValues     values;
  const TRun *  runOffsets;
  std::uint64_t wordsOfImage;
  std::uint64_t images;
  TRun *        runs; // a run of each value, in the end the first one; NoLabel for no value
  std::uint64_t last; // index; the size is a power of two

  /** Returns the number of elements for so many runs: less than half of them are used. */
  static std::uint64_t
  SizeFor(std::uint64_t mostRuns)
  {
    std::uint64_t size = 2;
    while (size < 2 * mostRuns)
    {
      size *= 2;
    }
    return size;
  }

  /** Enters a run. Threads may do so at the same time. */
  CCL_HOST_DEVICE
  void
  Enter(TRun run) const
  {
    TRun * const place = this->Find(run);
    if (place != nullptr && run < Load(place))
    {
      AtomicMin(place, run);
    }
  }

  /** Returns the first run that has the value of a run, after all have been entered. */
  CCL_HOST_DEVICE
  TRun
  FirstOf(TRun run) const
  {
    const TRun * const place = this->Find(run);
    return place == nullptr ? run : *place;
  }

private:
  CCL_HOST_DEVICE
  std::uint64_t
  ImageOf(TRun run) const
  {
    std::uint64_t begin = 0;
    for (std::uint64_t end = images; end - begin > 1;)
    {
      const std::uint64_t middle = begin + (end - begin) / 2;
      (runOffsets[middle * wordsOfImage] <= run ? begin : end) = middle;
    }
    return begin;
  }

  /** Returns the element for the value of a run, which gets this run if it had none. Returns null for NaN. */
  CCL_HOST_DEVICE
  TRun *
  Find(TRun run) const
  {
    const std::uint64_t key = values.KeyOf(run);
    if (values.IsNaN(key))
    {
      return nullptr;
    }
    const std::uint64_t image = this->ImageOf(run);
    for (std::uint64_t i = HashOf(key ^ image * 0x9E3779B97F4A7C15U) & last;; i = (i + 1) & last)
    {
      TRun other = Load(runs + i);
      if (other == NoLabel<TRun>)
      {
        other = AtomicCompareExchange(runs + i, NoLabel<TRun>, run);
      }
      if (other == NoLabel<TRun> || (values.KeyOf(other) == key && (images == 1 || this->ImageOf(other) == image)))
      {
        return runs + i;
      }
    }
  }
};

namespace RunsOfValues
{

/** Kernel functor that enters a run. A cell is a run. */
template <typename TRun>
struct EnterRun
{
  TableOfValues<TRun> table;

  CCL_HOST_DEVICE
  void
  operator()(const Cell & run) const
  {
    table.Enter(static_cast<TRun>(run.x));
  }
};

/** Kernel functor that makes the first run of a value the parent of a run with this value. A cell is a run. */
template <typename TRun>
struct StoreParent
{
  TableOfValues<TRun> table;
  TRun *              parents;

  CCL_HOST_DEVICE
  void
  operator()(const Cell & run) const
  {
    parents[run.x] = table.FirstOf(static_cast<TRun>(run.x));
  }
};

} // namespace RunsOfValues

/** Makes a tree of the runs of each value of each image. */
template <typename TRowGroup, typename TRun, typename TExecutor>
void
UniteRunsOfValues(const TExecutor &                    executor,
                  const IndexedRuns<TRowGroup, TRun> & runs,
                  const BoundedCount<TRun> &           runCount,
                  std::uint64_t                        images,
                  TRun *                               parents)
{
  const std::uint64_t       size = TableOfValues<TRun>::SizeFor(runCount.limit);
  const auto                memory = executor.template Allocate<TRun>(size);
  const TableOfValues<TRun> table{ runs.values, runs.runOffsets, runs.groups.columns.words.Count() / images,
                                   images,      memory.get(),    size - 1 };
  executor.Fill(memory.get(), size, NoLabelByte);
  executor.ForEach(runCount, RunsOfValues::EnterRun<TRun>{ table });
  executor.ForEach(runCount, RunsOfValues::StoreParent<TRun>{ table, parents });
}

} // namespace itk::ccl

#endif
