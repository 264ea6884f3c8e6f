// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_algorithms_runs_RunRanking_h
#define ccl_algorithms_runs_RunRanking_h

// Makes labels in the order of itk::ConnectedComponentImageFilter from the trees of runs.
//
// If a row group is a single row, the root of a component is the run of its first pixel, and the rank of the component
// is the number of roots before its own. Otherwise the first pixel may lie in another row group than the root, but in
// the same layer: the same row group of a plane, or the same plane of row groups in a volume. FirstPixelRanking.h gives
// the ranks then.

#include "algorithms/FirstPixelRanking.h"
#include "executors/BoundedCount.h"
#include "primitives/ObservedValues.h"
#include "primitives/Runs.h"
#include "primitives/UnionFind.h"

namespace itk::ccl
{

namespace RunRanking
{

/** Kernel functor that replaces the parent of each run by its root. Sets the first pixel of each run to NoPixel, if
 * there are first pixels. Also moves what is known of the values of an image, because another kernel would take longer.
 * Then the memory of the values is 0 again. Without runs, there are no values to move. */
template <typename TRun>
struct Compression
{
  TRun *             parents;
  TRun *             firstPixels;
  BoundedCount<TRun> runCount;
  SharedValues       values;
  ObservedValues *   movedValues; // gets `values.copies` elements, or null if they stay

  CCL_HOST_DEVICE
  void
  operator()(const Cell & run) const
  {
    if (movedValues != nullptr && run.x < values.copies)
    {
      // There may be fewer runs than copies.
      for (std::uint64_t i = run.x; i < values.copies; i += runCount.GetOrZero())
      {
        movedValues[i] = values.memory[i];
        values.memory[i] = {};
      }
    }
    Compress(parents, static_cast<TRun>(run.x), true);
    if (firstPixels != nullptr)
    {
      firstPixels[run.x] = NoPixel<TRun>;
    }
  }
};

/** Kernel functor that copies the rank of each root to the other runs of its tree. */
template <typename TRun>
struct CopyRankOfRoot
{
  const TRun * roots;
  TRun *       ranks;

  CCL_HOST_DEVICE
  void
  operator()(const Cell & cell) const
  {
    const TRun root = roots[cell.x];
    if (root != cell.x)
    {
      ranks[cell.x] = ranks[root];
    }
  }
};

/** Kernel functor that replaces the first pixel of each root by the rank of the component. */
template <typename TRun>
struct RankFirstPixels
{
  FirstPixelRanking::Marks<TRun> marks;     // after the scan
  TRun *                         rootRanks; // first pixels of roots before, and NoPixel for other runs

  CCL_HOST_DEVICE
  void
  operator()(const Cell & run) const
  {
    const TRun pixel = rootRanks[run.x];
    if (pixel != NoPixel<TRun>)
    {
      rootRanks[run.x] = static_cast<TRun>(marks.RankOf(pixel));
    }
  }
};

/** Replaces the parent of a run by its root. Returns 1 if the run is the root, and 0 otherwise: the values of a scan.
 */
template <typename TRun>
struct CompressAndCountRoot
{
  TRun * parents;

  CCL_HOST_DEVICE
  TRun
  operator()(std::uint64_t run) const
  {
    Compress(parents, static_cast<TRun>(run), true);
    return Load(parents + run) == run;
  }
};

/** Visitor of a scan that writes the rank of each component to its root. The prefix of a root is its rank. */
template <typename TRun>
struct RankRoots
{
  TRun * rootRanks;

  CCL_HOST_DEVICE
  void
  operator()(std::uint64_t run, TRun rank, TRun isRoot) const
  {
    if (isRoot != 0)
    {
      rootRanks[run] = rank;
    }
  }
};

/** Kernel functor that replaces the parent of each run by its root, and writes the first pixel of each component to its
 * root. A cell is a part of a word of columns: the lowest `partBits` bits of x are the index of the part. Pixels are
 * numbered by their bit in the packed rows; the order is the raster order. */
template <typename TRowGroup, typename TRun>
struct FindFirstPixels
{
  IndexedRuns<TRowGroup, TRun> runs;
  BoundedCount<TRun>           runCount;
  TRun *                       parents;
  TRun *                       firstPixels;
  unsigned int                 partBits;

  CCL_HOST_DEVICE
  void
  operator()(const Cell & cell) const
  {
    const Cell       word{ cell.x >> partBits, cell.y, cell.z };
    RunsOfWord<TRun> left = runs.RunsIn(word, PartOfWord(cell.x, partBits));
    if (left.IsAtEnd() || runCount.IsExceeded())
    {
      return;
    }
    // The layer of the root is the first layer of the component, and the first pixel lies in it.
    const std::uint64_t layerY = TRowGroup::Slices == 1 ? word.y : 0;
    const TRun          firstOfLayer = runs.runOffsets[runs.groups.columns.RowBegin(layerY, word.z)];
    while (!left.IsAtEnd())
    {
      Word       mask = 0;
      const TRun run = left.Next(mask);
      // A run may lie in several parts. Its parent must be its root for the threads of all of them.
      const TRun root = Find(parents, run);
      Store(parents + run, root);
      if (root >= firstOfLayer)
      {
        const auto pixel = static_cast<TRun>(runs.groups.FirstPixelIn(word, mask));
        if (pixel < Load(firstPixels + root))
        {
          AtomicMin(firstPixels + root, pixel);
        }
      }
    }
  }
};

} // namespace RunRanking

/** Returns the limit of pixel indices for FirstPixelMarks: 0 if roots have the first pixels. */
template <typename TRowGroup>
std::uint64_t
FirstPixelLimit(const RowGroupBits<TRowGroup> & groups)
{
  return TRowGroup::RootHasFirstPixel ? 0 : groups.rows.words.Count() * BitsPerWord;
}

/** Ranks the components of the runs of trees, and writes their number. `rootRanks` gets the ranks of all runs, or only
 * those of roots if `onlyRoots`. `parents` gets the root of each run. Without TRowGroup::RootHasFirstPixel, the
 * elements of `rootRanks` must be NoPixel before the call. */
template <typename TRowGroup, typename TRun, typename TExecutor>
void
RankTreesOfRuns(const TExecutor &                                         executor,
                [[maybe_unused]] const IndexedRuns<TRowGroup, TRun> &     runs,
                const BoundedCount<TRun> &                                runCount,
                TRun *                                                    parents,
                [[maybe_unused]] const FirstPixelMarks<TRun, TExecutor> & marks,
                TRun *                                                    rootRanks,
                bool                                                      onlyRoots,
                TRun *                                                    componentCount)
{
  using namespace RunRanking;
  if constexpr (TRowGroup::RootHasFirstPixel)
  {
    executor.template Scan<TRun>(
      runCount, CompressAndCountRoot<TRun>{ parents }, RankRoots<TRun>{ rootRanks }, componentCount);
  }
  else
  {
    const Grid &       words = runs.groups.columns.words;
    const unsigned int partBits = executor.GetPartBits(Tuning::PartBitsForFirstPixels(words.Count()));
    executor.ForEach(Grid{ words.x << partBits, words.y, words.z },
                     FindFirstPixels<TRowGroup, TRun>{ runs, runCount, parents, rootRanks, partBits });
    executor.ForEach(runCount, FirstPixelRanking::MarkFirstPixels<TRun>{ rootRanks, marks.Get() });
    ScanMarks(executor, marks, componentCount);
    executor.ForEach(runCount, RankFirstPixels<TRun>{ marks.Get(), rootRanks });
  }
  if (!onlyRoots)
  {
    executor.ForEach(runCount, CopyRankOfRoot<TRun>{ parents, rootRanks });
  }
}

} // namespace itk::ccl

#endif
