// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_algorithms_published_HardwareAcceleratedChunks_h
#define ccl_algorithms_published_HardwareAcceleratedChunks_h

// The chunks and segments of HA4 and HA8: see HardwareAccelerated.h for the paper and the terms. The functions are the
// operators of Algorithm 1, ballots, and the unions of two rows in the columns of a chunk.

#include "primitives/Bits.h"
#include "primitives/Grid.h"
#include "primitives/UnionFind.h"

namespace itk::ccl
{

namespace HardwareAccelerated
{

inline constexpr unsigned int LanesPerWarp = 32;

/** The number of columns of a chunk. TMask is std::uint32_t or std::uint64_t. */
template <typename TMask>
inline constexpr unsigned int ColumnCount = 8 * sizeof(TMask);

/** The number of columns of a chunk that one thread handles. */
template <typename TMask>
inline constexpr unsigned int ColumnsPerLane = ColumnCount<TMask> / LanesPerWarp;

/** Returns the columns of a lane from a mask of columns. Bit 0 is the first one. */
template <typename TMask>
CCL_HOST_DEVICE
inline Word
ColumnsOfLane(TMask columns, unsigned int lane)
{
  constexpr TMask all = (TMask{ 1 } << ColumnsPerLane<TMask>)-1;
  return static_cast<Word>(columns >> lane * ColumnsPerLane<TMask> & all);
}

/** Returns the number of foreground pixels directly before a column (start_distance in the paper). If the pixel of the
 * column is foreground, too, this is the distance to the start of its segment. */
template <typename TMask>
CCL_HOST_DEVICE
inline unsigned int
StartDistance(TMask pixels, unsigned int column)
{
  constexpr unsigned int last = ColumnCount<TMask> - 1;
  // Two shifts, because one shift by all bits is undefined.
  const TMask before = pixels << 1 << (last - column);
  return last - HighestBit(static_cast<TMask>(~before));
}

/** Returns the number of foreground pixels from a foreground column to the end of its segment (end_distance in the
 * paper). At the start of a segment, this is the length of the segment. */
template <typename TMask>
CCL_HOST_DEVICE
inline unsigned int
EndDistance(TMask pixels, unsigned int column)
{
  const TMask after = pixels >> column >> 1;
  return LowestBit(static_cast<TMask>(~after)) + 1;
}

/** Calls visit(column) if a segment starts in one of the columns of a lane. */
template <typename TMask, typename TVisitor>
CCL_HOST_DEVICE
inline void
VisitStart(TMask pixels, unsigned int lane, const TVisitor & visit)
{
  const Word starts = ColumnsOfLane<TMask>(pixels & ~(pixels << 1), lane);
  if (starts != 0)
  {
    visit(lane * ColumnsPerLane<TMask> + LowestBit(starts));
  }
}

/** Returns the mask of the chunk of each thread's warp. isForeground(thread, column) is called once for each column. */
CCL_NO_EXECUTION_CHECK
template <typename TMask, typename TThreadBlock, typename TPredicate>
CCL_HOST_DEVICE
inline typename TThreadBlock::template PerThread<TMask>
BallotPixels(const TThreadBlock & threadBlock, const TPredicate & isForeground)
{
  typename TThreadBlock::template PerThread<TMask> pixels;
  threadBlock.ForEachThread([&](unsigned int thread) { pixels[thread] = 0; });
  CCL_UNROLL
  for (unsigned int begin = 0; begin < ColumnCount<TMask>; begin += LanesPerWarp)
  {
    // Neighboring threads load neighboring pixels.
    const auto ballot =
      threadBlock.Ballot([&](unsigned int thread) { return isForeground(thread, begin + thread % LanesPerWarp); });
    threadBlock.ForEachThread([&](unsigned int thread) { pixels[thread] |= TMask{ ballot[thread] } << begin; });
  }
  return pixels;
}

/** Returns a cell with the x of the first pixel of a chunk, and with the number of its row as y. Chunks are numbered
 * row by row. */
template <typename TMask>
CCL_HOST_DEVICE
inline Cell
ChunkAt(const Grid & size, std::uint64_t chunk)
{
  const std::uint64_t chunksInRow = DivideUp(size.x, ColumnCount<TMask>);
  const std::uint64_t row = Divide(chunk, chunksInRow);
  return { (chunk - row * chunksInRow) * ColumnCount<TMask>, row, 0 };
}

/** Returns the number of chunks in some rows. */
template <typename TMask>
inline std::uint64_t
CountChunks(const Grid & size, std::uint64_t rows)
{
  return DivideUp(size.x, ColumnCount<TMask>) * rows;
}

/** A chunk, and the foreground pixels directly before it. */
template <typename TMask, typename TLabel>
struct Chunk
{
  TMask  pixels;
  TLabel before; // number of foreground pixels directly before the chunk that are known

  /** Returns the mask of the columns whose previous pixel is foreground. */
  CCL_HOST_DEVICE
  TMask
  Previous() const
  {
    return pixels << 1 | TMask{ before != 0 };
  }

  /** Returns the number of foreground pixels directly before a column, in the chunk and before it. */
  CCL_HOST_DEVICE
  TLabel
  DistanceToStart(unsigned int column) const
  {
    const unsigned int distance = StartDistance(pixels, column);
    return distance + (distance == column ? before : 0);
  }

  /** Returns the number of foreground pixels directly before the next chunk. */
  CCL_HOST_DEVICE
  TLabel
  BeforeNext() const
  {
    constexpr unsigned int last = ColumnCount<TMask> - 1;
    return pixels >> last != 0 ? this->DistanceToStart(last) + 1 : 0;
  }
};

/** Returns the columns in which two neighboring rows must be united. Two adjacent runs share one such column. */
template <typename TMask, typename TLabel>
CCL_HOST_DEVICE
inline TMask
ColumnsToUnite(const Chunk<TMask, TLabel> & a, const Chunk<TMask, TLabel> & b, bool fullyConnected)
{
  const TMask previousA = a.Previous();
  const TMask previousB = b.Previous();
  const TMask straight = a.pixels & b.pixels & ~(previousA & previousB);
  const TMask diagonal =
    (a.pixels & ~previousA & ~b.pixels & previousB) | (b.pixels & ~previousB & ~a.pixels & previousA);
  return fullyConnected ? straight | diagonal : straight;
}

/** Unites the runs of two neighboring rows in the columns of a lane. `indexA` and `indexB` are the raster indices of
 * the first pixels of the chunks. */
template <typename TMask, typename TLabel>
CCL_HOST_DEVICE
inline void
UniteRows(TLabel *                     labels,
          unsigned int                 lane,
          const Chunk<TMask, TLabel> & a,
          TLabel                       indexA,
          const Chunk<TMask, TLabel> & b,
          TLabel                       indexB,
          bool                         fullyConnected)
{
  for (Word left = ColumnsOfLane(ColumnsToUnite(a, b, fullyConnected), lane); left != 0; left &= left - 1)
  {
    const unsigned int column = lane * ColumnsPerLane<TMask> + LowestBit(left);
    // In a diagonal, one of the two columns is background. The run before this column is the adjacent run.
    Union(LabelsAsParents<TLabel>{ labels },
          static_cast<TLabel>(indexA + column - a.DistanceToStart(column) + 1),
          static_cast<TLabel>(indexB + column - b.DistanceToStart(column) + 1));
  }
}

} // namespace HardwareAccelerated

} // namespace itk::ccl

#endif
