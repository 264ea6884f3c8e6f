// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_gallery_FasterLightSpeedConflicts_h
#define ccl_gallery_FasterLightSpeedConflicts_h

// The conflict detection of FLSL+CD: see FasterLightSpeedFeatures.h for the paper and the terms.
//
// Ours, because the paper's way is not known:
// - Peers find each other by one instruction (MatchAny). They reduce by pointer jumping, in 5 rounds: each peer adds
//   the sum of the next peer, and then jumps over it.
// - A thread block owns a row, and its threads own the row's runs in the order of x. So only the number of pixels and
//   the sum of x need a reduction: y is the same, the first peer has the lowest x, and the last peer has the highest x.

#include "gallery/FasterLightSpeedRunFeatures.h"

#include "executors/Executor.h"
#include "primitives/Bits.h"

namespace itk::ccl::gallery
{

namespace FasterLightSpeed
{

/** Adds the features of each run that is not a root to its root, with conflict detection: atomic operations for each
 * root of the runs of a warp. */
template <typename TLabel>
struct AddFeaturesOfPeers
{
  static constexpr unsigned int Threads = ThreadsOfRow;
  using SharedMemory = NoSharedMemory;

  static constexpr TLabel       NoRoot = static_cast<TLabel>(-1); // an image has fewer runs than labels
  static constexpr unsigned int NoLane = BitsPerWord;

  RunTable<TLabel>             runs;
  ComponentFeatures<2, TLabel> features;

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

} // namespace itk::ccl::gallery

#endif
