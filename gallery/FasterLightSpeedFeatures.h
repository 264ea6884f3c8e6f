// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_gallery_FasterLightSpeedFeatures_h
#define ccl_gallery_FasterLightSpeedFeatures_h

// Analysis of components by FLSL (faster light speed labeling), with and without conflict detection (FLSL+CD), for 4-
// and 8-connectivity of planes.
// Lemaitre, Hennequin and Lacassagne, "Taming Voting Algorithms on GPUs for an Efficient Connected Component Analysis
// Algorithm", ICASSP 2021. Its text was not available: FasterLightSpeedLabeling.h names the sources, and has the
// kernels that find and unite runs.
//
// The features are the number of pixels, the sums of x and y, and the bounding rectangle, as in Section IV-D and
// Algorithm 6 of "HA4" (DASIP 2018): a run adds its features to the features of its root by atomic operations. Atomic
// operations on one address run one after the other. With conflict detection, the lanes of a warp that have the same
// root first reduce their features in registers, and the first of these peers does the atomic operations for all.
//
// InitializeFeatures replaces TransitiveClosure: it links each run to its root, and stores the features of the run that
// is a root. Then AddFeatures, or AddFeaturesOfPeers with conflict detection, adds the other runs. These kernels do not
// need the image of labels.
//
// Extra memory: as for labeling. The features have an element for each run that the image could have: see Features.
//
// Ours, because the paper's way is not known:
// - Peers find each other by one instruction (MatchAny). They reduce by pointer jumping, in 5 rounds: each peer adds
//   the sum of the next peer, and then jumps over it.
// - A thread block owns a row, and its threads own the row's runs in the order of x. So only the number of pixels and
//   the sum of x need a reduction: y is the same, the first peer has the lowest x, and the last peer has the highest x.
// - A root is the first run of its component in raster order, so no other run can lower the minimum of y.
// Race, allowed: those of labeling. In InitializeFeatures, the race of CompressHalving(), see UnionFind.h. Threads see
// which runs are roots, because no union runs concurrently.
// Features are exact if they fit their types. A sum of x or y may not exceed 2^64 - 1.

#include "gallery/FasterLightSpeedLabeling.h"

#include "primitives/Atomics.h"
#include "primitives/Vec2.h"

#include <type_traits>

namespace itk::ccl::gallery
{

namespace FasterLightSpeed
{

/** Features of components. Each array has Features::Room() elements. The component with label l has element l - 1.
 * Elements of no component have a pixel count of 0, and their other features are undefined. */
template <typename TLabel>
struct Features
{
  TLabel *        pixelCounts;
  std::uint64_t * sumsOfX;
  std::uint64_t * sumsOfY;
  TLabel *        minimumsOfX; // The bounding rectangle contains its minimum and its maximum.
  TLabel *        maximumsOfX;
  TLabel *        minimumsOfY;
  TLabel *        maximumsOfY;

  /** Returns the number of elements for a plane. */
  static std::uint64_t
  Room(const Grid & size)
  {
    return RunTable<TLabel>::RoomOfRow(size) * size.y;
  }
};

/** The features of adjacent pixels of a row, or of several runs of a row. */
template <typename TLabel>
struct RowFeatures
{
  TLabel        pixelCount;
  std::uint64_t sumOfX;
  TLabel        minimumOfX;
  TLabel        maximumOfX;
};

/** Returns the features of a run. */
template <typename TLabel>
CCL_HOST_DEVICE
inline RowFeatures<TLabel>
FeaturesOf(const RunTable<TLabel> & runs, TLabel run)
{
  const auto          ends = LoadVec2(runs.edges + 2 * std::uint64_t{ run });
  const TLabel        count = ends.second - ends.first;
  const std::uint64_t last = ends.second - 1;
  return { count, (ends.first + last) * count / 2, ends.first, static_cast<TLabel>(last) };
}

/** Adds features of a row to the features of a component. */
template <typename TLabel>
CCL_HOST_DEVICE
inline void
AddToComponent(const Features<TLabel> & features, TLabel root, TLabel y, const RowFeatures<TLabel> & added)
{
  AtomicAdd(features.pixelCounts + root, added.pixelCount);
  AtomicAdd(features.sumsOfX + root, added.sumOfX);
  AtomicAdd(features.sumsOfY + root, std::uint64_t{ y } * added.pixelCount);
  AtomicMin(features.minimumsOfX + root, added.minimumOfX);
  AtomicMax(features.maximumsOfX + root, added.maximumOfX);
  AtomicMax(features.maximumsOfY + root, y);
}

/** Links each run to its root, and stores the features of each run that is a root. */
template <typename TLabel>
struct InitializeFeatures
{
  static constexpr unsigned int Threads = ThreadsOfRow;
  using SharedMemory = NoSharedMemory;

  RunTable<TLabel> runs;
  Features<TLabel> features;

  CCL_NO_EXECUTION_CHECK
  template <typename TThreadBlock>
  CCL_HOST_DEVICE
  void
  operator()(const TThreadBlock & threadBlock, SharedMemory &) const
  {
    const TLabel y = static_cast<TLabel>(threadBlock.GetIndex());
    runs.ForEachRun(threadBlock, y, [&](TLabel run) {
      CompressHalving(runs.parents, run);
      if (Load(runs.parents + run) == run)
      {
        const RowFeatures<TLabel> own = FeaturesOf(runs, run);
        features.pixelCounts[run] = own.pixelCount;
        features.sumsOfX[run] = own.sumOfX;
        features.sumsOfY[run] = std::uint64_t{ y } * own.pixelCount;
        features.minimumsOfX[run] = own.minimumOfX;
        features.maximumsOfX[run] = own.maximumOfX;
        features.minimumsOfY[run] = y;
        features.maximumsOfY[run] = y;
      }
    });
  }
};

/** Adds the features of each run that is not a root to its root, with atomic operations for each run, as in HA4. */
template <typename TLabel>
struct AddFeatures
{
  static constexpr unsigned int Threads = ThreadsOfRow;
  using SharedMemory = NoSharedMemory;

  RunTable<TLabel> runs;
  Features<TLabel> features;

  CCL_NO_EXECUTION_CHECK
  template <typename TThreadBlock>
  CCL_HOST_DEVICE
  void
  operator()(const TThreadBlock & threadBlock, SharedMemory &) const
  {
    const TLabel y = static_cast<TLabel>(threadBlock.GetIndex());
    runs.ForEachRun(threadBlock, y, [&](TLabel run) {
      const TLabel root = runs.parents[run];
      if (root != run)
      {
        AddToComponent(features, root, y, FeaturesOf(runs, run));
      }
    });
  }
};

/** Adds the features of each run that is not a root to its root, with conflict detection: atomic operations for each
 * root of the runs of a warp. */
template <typename TLabel>
struct AddFeaturesOfPeers
{
  static constexpr unsigned int Threads = ThreadsOfRow;
  using SharedMemory = NoSharedMemory;

  static constexpr TLabel       NoRoot = static_cast<TLabel>(-1); // an image has fewer runs than labels
  static constexpr unsigned int NoLane = BitsPerWord;

  RunTable<TLabel> runs;
  Features<TLabel> features;

  CCL_NO_EXECUTION_CHECK
  template <typename TThreadBlock>
  CCL_HOST_DEVICE
  void
  operator()(const TThreadBlock & threadBlock, SharedMemory &) const
  {
    const TLabel y = static_cast<TLabel>(threadBlock.GetIndex());
    const TLabel firstRun = runs.FirstRunOf(y);
    const TLabel count = runs.runCounts[y];
    for (TLabel begin = 0; begin < count; begin += Threads)
    {
      this->AddRuns(threadBlock, y, firstRun + begin, count - begin);
    }
  }

private:
  /** Adds up to `Threads` runs of a row. Thread i owns run firstRun + i if i < count. */
  CCL_NO_EXECUTION_CHECK
  template <typename TThreadBlock>
  CCL_HOST_DEVICE
  void
  AddRuns(const TThreadBlock & threadBlock, TLabel y, TLabel firstRun, TLabel count) const
  {
    typename TThreadBlock::template PerThread<TLabel>        roots; // NoRoot if the thread adds nothing
    typename TThreadBlock::template PerThread<TLabel>        minimums;
    typename TThreadBlock::template PerThread<TLabel>        maximums;
    typename TThreadBlock::template PerThread<TLabel>        pixelCounts;
    typename TThreadBlock::template PerThread<std::uint64_t> sums;
    threadBlock.ForEachThread([&](unsigned int thread) {
      const TLabel        run = firstRun + thread;
      const TLabel        root = thread < count ? runs.parents[run] : run;
      RowFeatures<TLabel> own{};
      if (root != run)
      {
        own = FeaturesOf(runs, run);
      }
      roots[thread] = root != run ? root : NoRoot;
      minimums[thread] = own.minimumOfX;
      maximums[thread] = own.maximumOfX;
      pixelCounts[thread] = own.pixelCount;
      sums[thread] = own.sumOfX;
    });

    const auto peers = threadBlock.MatchAny(roots);
    ReducePeers(threadBlock, peers, pixelCounts, sums);
    const auto last = threadBlock.Shuffle(maximums, [&](unsigned int thread) { return HighestBit(peers[thread]); });
    threadBlock.ForEachThread([&](unsigned int thread) {
      if (roots[thread] != NoRoot && LowestBit(peers[thread]) == thread % BitsPerWord)
      {
        AddToComponent<TLabel>(
          features, roots[thread], y, { pixelCounts[thread], sums[thread], minimums[thread], last[thread] });
      }
    });
  }

  /** Adds the pixel counts and the sums of later peers to the values of each thread. So the first peer gets the sums of
   * all peers. `peers` has the thread itself, too. */
  CCL_NO_EXECUTION_CHECK
  template <typename TThreadBlock>
  CCL_HOST_DEVICE
  static void
  ReducePeers(const TThreadBlock &                                             threadBlock,
              const typename TThreadBlock::template PerThread<std::uint32_t> & peers,
              typename TThreadBlock::template PerThread<TLabel> &              pixelCounts,
              typename TThreadBlock::template PerThread<std::uint64_t> &       sums)
  {
    // The values of a thread are sums over peers, from the thread's own lane to the peer before lane next[thread].
    typename TThreadBlock::template PerThread<std::uint32_t> next;
    threadBlock.ForEachThread([&](unsigned int thread) {
      const Word later = peers[thread] & ~BitsThrough(thread % BitsPerWord);
      next[thread] = later != 0 ? LowestBit(later) : NoLane;
    });
    const auto nextLane = [&](unsigned int thread) {
      return next[thread] != NoLane ? next[thread] : thread % BitsPerWord;
    };
    CCL_UNROLL
    for (unsigned int peersOfSum = 1; peersOfSum < BitsPerWord; peersOfSum *= 2)
    {
      const auto addedCounts = threadBlock.Shuffle(pixelCounts, nextLane);
      const auto addedSums = threadBlock.Shuffle(sums, nextLane);
      const auto nextOfNext = threadBlock.Shuffle(next, nextLane);
      threadBlock.ForEachThread([&](unsigned int thread) {
        if (next[thread] != NoLane)
        {
          pixelCounts[thread] += addedCounts[thread];
          sums[thread] += addedSums[thread];
          next[thread] = nextOfNext[thread];
        }
      });
    }
  }
};

} // namespace FasterLightSpeed

/** Measures the components of a plane. */
struct FasterLightSpeedAnalysis
{
  /** Writes the features of all components of a plane of one byte per pixel. Foreground pixels are not 0.
   * \tparam VDetectConflicts selects conflict detection. Both ways give the same features.
   * \param labels the labels of FasterLightSpeedLabelingAlgorithm, or null to write no labels */
  template <bool VDetectConflicts, typename TLabel, typename TExecutor>
  static void
  Measure(const TExecutor &                          executor,
          const std::uint8_t *                       input,
          const Grid &                               size,
          bool                                       fullyConnected,
          const FasterLightSpeed::Features<TLabel> & features,
          TLabel *                                   labels = nullptr)
  {
    namespace Kernels = FasterLightSpeed;
    using AddFeatures =
      std::conditional_t<VDetectConflicts, Kernels::AddFeaturesOfPeers<TLabel>, Kernels::AddFeatures<TLabel>>;
    executor.Fill(features.pixelCounts, Kernels::Features<TLabel>::Room(size), 0);
    Kernels::VisitUnitedRuns<TLabel>(executor, input, size, fullyConnected, [&](const auto & runs) {
      executor.ForEachThreadBlock(size.y, Kernels::InitializeFeatures<TLabel>{ runs, features });
      executor.ForEachThreadBlock(size.y, AddFeatures{ runs, features });
      if (labels != nullptr)
      {
        executor.ForEach(size, Kernels::FinalLabeling<TLabel>{ runs, labels });
      }
    });
  }
};

} // namespace itk::ccl::gallery

#endif
