// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_algorithms_analysis_MarkSeeds_h
#define ccl_algorithms_analysis_MarkSeeds_h

// Finds the components that contain given pixels, the seeds. Each image of a stack has the same seeds.

#include "primitives/Atomics.h"
#include "primitives/Runs.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

namespace itk::ccl
{

namespace MarkSeeds
{

/** Number of seeds that a kernel gets as its arguments. */
inline constexpr std::uint64_t SeedsPerKernel = 64;

/** Kernel functor that marks the components of seeds. A cell is a seed and an image. */
template <typename TRun>
struct MarkComponent
{
  BitRows                     rows;
  IndexedRuns<ValueRow, TRun> runs; // of the columns
  unsigned int                rowsOfGroup;
  unsigned int                slicesOfGroup;
  RanksOfRuns<TRun>           ranks;
  TRun *                      marks;  // an element for each component
  std::uint64_t               slices; // of the bits of an image
  Cell                        seeds[SeedsPerKernel];

  CCL_HOST_DEVICE
  void
  operator()(const Cell & cell) const
  {
    const Cell          seed{ seeds[cell.x].x, seeds[cell.x].y, seeds[cell.x].z + cell.y * slices };
    const std::uint64_t word = seed.x / BitsPerWord;
    const unsigned int  bit = seed.x % BitsPerWord;
    if ((rows.bits[rows.RowBegin(seed.y, seed.z) + word] >> bit & 1U) != 0)
    {
      const std::uint64_t begin = runs.groups.columns.RowBegin(seed.y / rowsOfGroup, seed.z / slicesOfGroup);
      AtomicMax(marks + ranks[runs.CountRunsThrough(begin, word, bit) - 1], TRun{ 1 });
    }
  }
};

} // namespace MarkSeeds

/** Returns an array with an element for each component: 1 if it contains a seed, and 0 otherwise. Without seeds,
 * returns an empty array. The seeds must lie in the image. */
template <typename TRowGroup, typename TRun, typename TExecutor>
auto
MarkSeededComponents(const TExecutor &                                 executor,
                     const IndexedRuns<TRowGroup, TRun> &              runs,
                     const RanksOfRuns<TRun> &                         ranks,
                     std::uint64_t                                     componentLimit,
                     const ImageStack &                                stack,
                     const std::vector<std::array<std::uint64_t, 3>> & seeds)
{
  using namespace MarkSeeds;
  auto marks = executor.template AllocateCleared<TRun>(seeds.empty() ? 0 : componentLimit);
  for (std::uint64_t begin = 0; begin < seeds.size(); begin += SeedsPerKernel)
  {
    const std::uint64_t count = std::min<std::uint64_t>(SeedsPerKernel, seeds.size() - begin);
    MarkComponent<TRun> functor{
      runs.groups.rows, runs.OfColumns(), TRowGroup::Rows, TRowGroup::Slices, ranks, marks.get(), stack.slices, {}
    };
    std::transform(seeds.begin() + begin, seeds.begin() + begin + count, functor.seeds, [](const auto & seed) {
      return Cell{ seed[0], seed[1], seed[2] };
    });
    executor.ForEach(Grid{ count, stack.images }, functor);
  }
  return marks;
}

} // namespace itk::ccl

#endif
