// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_algorithms_runs_ImageRanks_h
#define ccl_algorithms_runs_ImageRanks_h

// The ranks of components in the images of a stack. Ranks count through all images. So the ranks of an image start at
// the lowest rank of its components, and this is the number of components in the images before it.

#include "executors/BoundedCount.h"
#include "primitives/Atomics.h"
#include "primitives/LabelValues.h"
#include "primitives/Runs.h"

#include <cstdint>

namespace itk::ccl
{

/** Returns the last index of an ascending array whose element is not higher than a value, or 0 if there is none. */
template <typename T>
CCL_HOST_DEVICE
inline std::uint64_t
LastNotAbove(const T * elements, std::uint64_t count, T value)
{
  std::uint64_t begin = 0;
  std::uint64_t end = count;
  while (end - begin > 1)
  {
    const std::uint64_t middle = begin + (end - begin) / 2;
    (elements[middle] <= value ? begin : end) = middle;
  }
  return begin;
}

/** The number of components before each image of a stack. */
template <typename TRun>
struct RanksOfImages
{
  const TRun *  first = nullptr; // an element for each image; null for one image
  std::uint64_t images = 1;

  /** Returns the rank of the first component of an image. If the image and all later images have none, the result is
   * NoLabel. */
  CCL_HOST_DEVICE
  TRun
  FirstOf(std::uint64_t image) const
  {
    return first == nullptr ? 0 : first[image];
  }

  /** Returns the image of the component with a rank. */
  CCL_HOST_DEVICE
  std::uint64_t
  ImageOf(TRun rank) const
  {
    // Images without components start where the next one does.
    return LastNotAbove(first, first == nullptr ? 1 : images, rank);
  }
};

namespace ImageRanks
{

/** Kernel functor that finds the lowest rank in each image, or in the images after it if it is empty. The first pixel
 * of the image is in the first layer that has a run. A cell has the image as y, and one of its threads as x. */
template <typename TRun>
struct FindLowestRank
{
  const TRun *       runOffsets; // as in IndexedRuns
  std::uint64_t      words;      // of the columns of all images
  std::uint64_t      wordsOfImage;
  std::uint64_t      wordsOfLayer;
  std::uint64_t      threads; // of an image; 1 if roots have the first pixels: then the first run has the lowest rank
  BoundedCount<TRun> runCount;
  RanksOfRuns<TRun>  ranks;
  TRun *             lowest;

  CCL_HOST_DEVICE
  void
  operator()(const Cell & cell) const
  {
    const TRun          firstRun = runOffsets[cell.y * wordsOfImage];
    const std::uint64_t allRuns = runCount.GetOrZero();
    if (firstRun >= allRuns)
    {
      return;
    }
    if (threads == 1)
    {
      lowest[cell.y] = ranks[firstRun];
      return;
    }
    const std::uint64_t firstWord = LastNotAbove(runOffsets, words, firstRun); // in which it starts
    const std::uint64_t layerEnd = (firstWord / wordsOfLayer + 1) * wordsOfLayer;
    const std::uint64_t end = layerEnd < words ? runOffsets[layerEnd] : allRuns;
    TRun                rank = NoLabel<TRun>;
    for (std::uint64_t run = firstRun + cell.x; run < end; run += threads)
    {
      const TRun other = ranks[run];
      rank = other < rank ? other : rank;
    }
    if (rank != NoLabel<TRun>)
    {
      AtomicMin(lowest + cell.y, rank);
    }
  }
};

} // namespace ImageRanks

/** Finds the first rank of each image of a stack: the memory of RanksOfImages::first. Returns empty memory for one
 * image. */
template <typename TRowGroup, typename TRun, typename TExecutor>
auto
FindRanksOfImages(const TExecutor &                    executor,
                  const IndexedRuns<TRowGroup, TRun> & runs,
                  const BoundedCount<TRun> &           runCount,
                  const RanksOfRuns<TRun> &            ranks,
                  std::uint64_t                        images)
{
  auto first = executor.template Allocate<TRun>(images == 1 ? 0 : images);
  if (images > 1)
  {
    executor.Fill(first.get(), images, NoLabelByte);
    constexpr std::uint64_t threads = TRowGroup::RootHasFirstPixel ? 1 : 128;
    const Grid &            words = runs.groups.columns.words;
    const std::uint64_t     wordsOfSlice = words.x * words.y;
    executor.ForEach(Grid{ threads, images },
                     ImageRanks::FindLowestRank<TRun>{ runs.runOffsets,
                                                       words.Count(),
                                                       runs.groups.groupsAlongZ * wordsOfSlice,
                                                       TRowGroup::Slices == 1 ? words.x : wordsOfSlice,
                                                       threads,
                                                       runCount,
                                                       ranks,
                                                       first.get() });
  }
  return first;
}

} // namespace itk::ccl

#endif
