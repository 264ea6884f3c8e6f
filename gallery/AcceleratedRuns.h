// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_gallery_AcceleratedRuns_h
#define ccl_gallery_AcceleratedRuns_h

// The first kernel of ACCL (accelerated connected component labeling), and the matrix of runs that it makes: see
// AcceleratedLabeling.h for the paper and the departures.

#include "algorithms/runs/PackForeground.h"
#include "executors/Executor.h"
#include "primitives/Bits.h"
#include "primitives/Grid.h"
#include "primitives/Vec2.h"

namespace itk::ccl::gallery
{

namespace AcceleratedLabeling
{

/** The runs of an image, in a matrix with a row for each row of the image. */
template <typename TLabel>
struct RunMatrix
{
  /** The threads of a row in kernels that have threads for the runs. */
  static constexpr std::uint64_t ThreadsPerRow = 128;

  Grid           size;
  std::uint64_t  capacity; // of a row of the matrix: the most runs that a row of the image can have
  Vec2<TLabel> * ends;     // x of the first and of the last pixel of each run
  TLabel *       counts;   // number of runs of each row
  TLabel *       runLabels;
  TLabel *       labels; // the image

  /** Returns the provisional label of a run. */
  CCL_HOST_DEVICE
  TLabel
  ProvisionalLabel(std::uint64_t y, TLabel first) const
  {
    return static_cast<TLabel>(size.x * y + first + 1);
  }

  /** Returns the index of the first run of a row that ends at or after x, or the end of the row's runs. */
  CCL_HOST_DEVICE
  std::uint64_t
  FindRunEndingFrom(std::uint64_t y, std::uint64_t x) const
  {
    std::uint64_t begin = capacity * y;
    std::uint64_t end = begin + counts[y];
    while (begin < end)
    {
      const std::uint64_t middle = begin + (end - begin) / 2;
      if (ends[middle].second < x)
      {
        begin = middle + 1;
      }
      else
      {
        end = middle;
      }
    }
    return begin;
  }

  /** Returns the cells for ForEachRunOf(). */
  Grid
  ThreadsForRuns() const
  {
    return { capacity < ThreadsPerRow ? capacity : ThreadsPerRow, size.y };
  }

  /** Calls visit(run, first) for the runs of a cell: their indices and the x of their first pixels. */
  template <typename TVisitor>
  CCL_HOST_DEVICE
  void
  ForEachRunOf(const Cell & cell, const TVisitor & visit) const
  {
    const std::uint64_t begin = capacity * cell.y;
    const std::uint64_t count = counts[cell.y];
    for (std::uint64_t i = cell.x; i < count; i += ThreadsPerRow)
    {
      visit(begin + i, ends[begin + i].first);
    }
  }
};

/** Finds the runs of each row, and gives each run its provisional label. A thread owns a row. */
template <typename TLabel>
struct FindRuns
{
  static constexpr unsigned int Threads = 32;

  using SharedMemory = NoSharedMemory;

  RunMatrix<TLabel>                        runs;
  PackForeground::PackWordAt<std::uint8_t> packWord;

  CCL_NO_EXECUTION_CHECK
  template <typename TThreadBlock>
  CCL_HOST_DEVICE
  void
  operator()(const TThreadBlock & threadBlock, SharedMemory &) const
  {
    threadBlock.ForEachThread([&](unsigned int thread) {
      const std::uint64_t y = threadBlock.GetIndex() * Threads + thread;
      if (y < runs.size.y)
      {
        this->FindRunsOfRow(y);
      }
    });
  }

  CCL_HOST_DEVICE
  void
  FindRunsOfRow(std::uint64_t y) const
  {
    const std::uint64_t begin = runs.capacity * y;
    const std::uint64_t words = DivideUp(runs.size.x, BitsPerWord);
    TLabel              count = 0;
    TLabel              first = 0;
    Word                last = 0; // bit 0 is the last pixel before the word
    const auto * row = packWord.reader.pixels.Row(packWord.reader.stack, y, std::uint64_t{ 0 }, std::uint64_t{ 0 });
    for (std::uint64_t word = 0; word < words; ++word)
    {
      ObservedValues noValues;
      const Word     here = packWord(row, word, noValues);
      // The pixels that differ from the pixel before them.
      for (Word changes = here ^ (here << 1 | last); changes != 0; changes &= changes - 1)
      {
        const unsigned int bit = LowestBit(changes);
        const auto         x = static_cast<TLabel>(word * BitsPerWord + bit);
        if (here >> bit & 1U)
        {
          first = x;
          const TLabel label = runs.ProvisionalLabel(y, x);
          runs.labels[label - 1] = label;
        }
        else
        {
          runs.ends[begin + count++] = { first, x - 1 };
        }
      }
      last = here >> (BitsPerWord - 1);
    }
    if (last != 0)
    {
      runs.ends[begin + count++] = { first, static_cast<TLabel>(runs.size.x - 1) };
    }
    runs.counts[y] = count;
  }
};

} // namespace AcceleratedLabeling

} // namespace itk::ccl::gallery

#endif
