// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_gallery_BlockRunLinks_h
#define ccl_gallery_BlockRunLinks_h

// The links between blocks, and the steps of the first scan, of BRB (block-run-based): see BlockRunBased.h for the
// paper, the departures and the races. The functions work on block rows of a tile in shared memory.

#include "primitives/Atomics.h"
#include "primitives/Bits.h"

namespace itk::ccl::gallery
{

namespace BlockRunBased
{

/** A block row of a tile has this many blocks, one for each lane of a warp. */
inline constexpr unsigned int BlocksInRow = 32;

// The link of a block to its parent: the column of a block in the next block row, or InSameRow + the column of a
// block in the same block row. So a link to the next block row is always lower, and an atomic minimum sets it.
inline constexpr std::uint32_t InSameRow = BlocksInRow;
inline constexpr std::uint32_t NoRun = 2 * BlocksInRow; // background

/** Returns the two pixels of a thread in a row. Bit 0 is the left pixel. */
CCL_HOST_DEVICE
inline unsigned int
PixelsInRow(std::uint32_t pixels, unsigned int row)
{
  return pixels >> 2 * row & 3U;
}

/** Returns the column of the root of a block in its block row. */
CCL_HOST_DEVICE
inline std::uint32_t
RootOf(const std::uint32_t * links, std::uint32_t column)
{
  for (;;)
  {
    const std::uint32_t link = Load(links + column);
    if (link < InSameRow || link == InSameRow + column)
    {
      return column;
    }
    column = link - InSameRow;
  }
}

/** Links each block of a block row to the block where its run starts. */
CCL_NO_EXECUTION_CHECK
template <typename TThreadBlock, typename TPixels>
CCL_HOST_DEVICE
inline void
BlockRunExtraction(const TThreadBlock & threadBlock, const TPixels & pixels, unsigned int row, std::uint32_t * links)
{
  // OR of both rows. The last row of a tile has no lower row.
  typename TThreadBlock::template PerThread<unsigned int> joined;
  threadBlock.ForEachThread(
    [&](unsigned int thread) { joined[thread] = PixelsInRow(pixels[thread] | pixels[thread] >> 2, row); });
  const auto haveRightPixel = threadBlock.Ballot([&](unsigned int thread) { return (joined[thread] & 2U) != 0; });
  const auto startRun = threadBlock.Ballot([&](unsigned int thread) {
    const bool continuesRun = (joined[thread] & 1U) != 0 && (haveRightPixel[thread] << 1 >> thread & 1U) != 0;
    return joined[thread] != 0 && !continuesRun;
  });
  threadBlock.ForEachThread([&](unsigned int thread) {
    links[thread] = joined[thread] != 0 ? InSameRow + HighestBit(startRun[thread] & BitsThrough(thread)) : NoRun;
  });
  threadBlock.Synchronize();
}

/** Links roots of the previous block row to the roots of connected blocks in the current block row. */
CCL_NO_EXECUTION_CHECK
template <typename TThreadBlock, typename TRoots>
CCL_HOST_DEVICE
inline void
PreviousBRUpdate(const TThreadBlock &  threadBlock,
                 const TRoots &        previousRoots,
                 std::uint32_t *       previous,
                 const std::uint32_t * current)
{
  threadBlock.ForEachThread([&](unsigned int thread) {
    if (previousRoots[thread] != NoRun)
    {
      AtomicMin(previous + previousRoots[thread], RootOf(current, thread));
    }
  });
  threadBlock.Synchronize();
}

/** Links roots of the current block row to each other if a root of the previous block row connects them. Returns
 * whether there was such a root. */
CCL_NO_EXECUTION_CHECK
template <typename TThreadBlock, typename TRoots>
CCL_HOST_DEVICE
inline bool
CurrentBRUpdate(const TThreadBlock &  threadBlock,
                const TRoots &        previousRoots,
                const std::uint32_t * previous,
                std::uint32_t *       current)
{
  return threadBlock.Any([&](unsigned int thread) {
    if (previousRoots[thread] == NoRun)
    {
      return false;
    }
    const std::uint32_t own = RootOf(current, thread);
    const std::uint32_t other = RootOf(current, previous[previousRoots[thread]]);
    if (own != other)
    {
      AtomicMin(current + (own < other ? other : own), InSameRow + (own < other ? own : other));
    }
    return own != other;
  });
}

} // namespace BlockRunBased

} // namespace itk::ccl::gallery

#endif
