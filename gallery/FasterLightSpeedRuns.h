// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_gallery_FasterLightSpeedRuns_h
#define ccl_gallery_FasterLightSpeedRuns_h

// The first kernel of FLSL, and the tables that it makes: see FasterLightSpeedLabeling.h for the paper and the terms.

#include "executors/Executor.h"
#include "primitives/Bits.h"
#include "primitives/Grid.h"

namespace itk::ccl::gallery
{

namespace FasterLightSpeed
{

/** Threads of a thread block that owns a row. A thread owns a run. */
inline constexpr unsigned int ThreadsOfRow = 128;

/** ER of the 32 pixels of a word. Aligned for one access. */
template <typename TLabel>
struct alignas(2 * sizeof(TLabel)) EdgesOfWord
{
  TLabel before; // number of edges in earlier words of the row
  Word   edges;
};

/** The runs of a plane. All rows have the same room for runs, so the index of a run is the room of the rows above it
 * plus its number in its row. */
template <typename TLabel>
struct RunTable
{
  Grid                  size; // of the plane
  EdgesOfWord<TLabel> * words;
  TLabel *              edges;     // RLC: the x of each edge, so a start and an end for each run. The end is exclusive.
  TLabel *              parents;   // of each run
  TLabel *              runCounts; // of each row

  CCL_HOST_DEVICE
  static constexpr std::uint64_t
  RoomOfRow(const Grid & size)
  {
    return DivideUp(size.x, 2);
  }

  CCL_HOST_DEVICE
  static constexpr std::uint64_t
  WordsOfRow(const Grid & size)
  {
    return DivideUp(size.x, BitsPerWord);
  }

  /** Returns the number of runs for which there is room. */
  static constexpr std::uint64_t
  Room(const Grid & size)
  {
    return RoomOfRow(size) * size.y;
  }

  /** Returns the index of the first run of a row. */
  CCL_HOST_DEVICE
  TLabel
  FirstRunOf(std::uint64_t row) const
  {
    return static_cast<TLabel>(row * RoomOfRow(size));
  }

  CCL_HOST_DEVICE
  EdgesOfWord<TLabel>
  WordAt(std::uint64_t row, TLabel x) const
  {
    return words[row * WordsOfRow(size) + x / BitsPerWord];
  }

  /** Calls visit(run) for the index of each run of a row, on the threads of the row's thread block. */
  CCL_NO_EXECUTION_CHECK
  template <typename TThreadBlock, typename TVisitor>
  CCL_HOST_DEVICE
  void
  ForEachRun(const TThreadBlock & threadBlock, std::uint64_t row, const TVisitor & visit) const
  {
    const TLabel first = this->FirstRunOf(row);
    const TLabel count = runCounts[row];
    threadBlock.ForEachThread([&](unsigned int thread) {
      for (TLabel run = thread; run < count; run += ThreadsOfRow)
      {
        visit(first + run);
      }
    });
  }
};

/** Returns ER at a pixel of a word. */
template <typename TLabel>
CCL_HOST_DEVICE
inline TLabel
RelativeLabelIn(const EdgesOfWord<TLabel> & word, unsigned int bit)
{
  return word.before + CountBits(word.edges & BitsThrough(bit));
}

/** Finds the runs of all rows. A warp owns a row. */
template <typename TLabel>
struct RelativeLabeling
{
  static constexpr unsigned int Threads = 128;
  static constexpr unsigned int RowsPerThreadBlock = Threads / BitsPerWord;

  /** Words of which a lane loads the pixels before the first ballot, so that loads do not wait for each other. */
  static constexpr unsigned int WordsAtOnce = 4;

  using SharedMemory = NoSharedMemory;

  /** The state of a row. All lanes of its warp have the same. */
  struct RowState
  {
    TLabel edgeCount;
    Word   lastPixel; // 1 if the pixel before the next word is foreground
  };

  RunTable<TLabel>     runs;
  const std::uint8_t * input;

  CCL_NO_EXECUTION_CHECK
  template <typename TThreadBlock>
  CCL_HOST_DEVICE
  void
  operator()(const TThreadBlock & threadBlock, SharedMemory &) const
  {
    typename TThreadBlock::template PerThread<RowState> states;
    typename TThreadBlock::template PerThread<Word>     foreground; // bit i: the lane's pixel in word i of the step
    const Grid                                          size = runs.size;
    const std::uint64_t                                 firstRow = threadBlock.GetIndex() * RowsPerThreadBlock;
    threadBlock.ForEachThread([&](unsigned int thread) { states[thread] = { 0, 0 }; });
    for (std::uint64_t begin = 0; begin < size.x; begin += WordsAtOnce * BitsPerWord)
    {
      threadBlock.ForEachThread([&](unsigned int thread) {
        const std::uint64_t row = firstRow + thread / BitsPerWord;
        foreground[thread] = 0;
        CCL_UNROLL
        for (unsigned int i = 0; i < WordsAtOnce; ++i)
        {
          const std::uint64_t x = begin + i * BitsPerWord + thread % BitsPerWord;
          const bool          isForeground = row < size.y && x < size.x && input[row * size.x + x] != 0;
          foreground[thread] |= static_cast<Word>(isForeground) << i;
        }
      });
      CCL_UNROLL
      for (unsigned int i = 0; i < WordsAtOnce; ++i)
      {
        const auto pixels =
          threadBlock.Ballot([&](unsigned int thread) { return (foreground[thread] >> i & 1U) != 0; });
        const std::uint64_t x = begin + i * BitsPerWord;
        threadBlock.ForEachThread([&](unsigned int thread) {
          const std::uint64_t row = firstRow + thread / BitsPerWord;
          if (row < size.y && x < size.x)
          {
            this->StoreWord(row, x, thread % BitsPerWord, pixels[thread], states[thread]);
          }
        });
      }
    }
    threadBlock.ForEachThread([&](unsigned int thread) {
      const std::uint64_t row = firstRow + thread / BitsPerWord;
      if (row < size.y && thread % BitsPerWord == 0)
      {
        // If the row fills its last word, the word cannot hold an edge at the end of the row.
        TLabel edgeCount = states[thread].edgeCount;
        if (states[thread].lastPixel != 0)
        {
          runs.edges[2 * std::uint64_t{ runs.FirstRunOf(row) } + edgeCount] = static_cast<TLabel>(size.x);
          ++edgeCount;
        }
        runs.runCounts[row] = edgeCount / 2;
      }
    });
  }

private:
  /** Stores the edges of a word, which starts at `x`. A lane stores the edge at its pixel. */
  CCL_HOST_DEVICE
  void
  StoreWord(std::uint64_t row, std::uint64_t x, unsigned int lane, Word pixels, RowState & state) const
  {
    const Word edges = pixels ^ (pixels << 1 | state.lastPixel);
    if (lane == 0)
    {
      runs.words[row * runs.WordsOfRow(runs.size) + x / BitsPerWord] = { state.edgeCount, edges };
    }
    if (edges >> lane & 1U)
    {
      const TLabel number = RelativeLabelIn<TLabel>({ state.edgeCount, edges }, lane) - 1;
      const TLabel firstRun = runs.FirstRunOf(row);
      runs.edges[2 * std::uint64_t{ firstRun } + number] = static_cast<TLabel>(x + lane);
      if (number % 2 == 0)
      {
        const TLabel run = firstRun + number / 2;
        runs.parents[run] = run;
      }
    }
    state = { static_cast<TLabel>(state.edgeCount + CountBits(edges)), pixels >> (BitsPerWord - 1) };
  }
};

} // namespace FasterLightSpeed

} // namespace itk::ccl::gallery

#endif
