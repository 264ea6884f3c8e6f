// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_gallery_AcceleratedLabeling_h
#define ccl_gallery_AcceleratedLabeling_h

// ACCL (accelerated connected component labeling), for 4-connectivity of planes.
// Nina Paravecino and Kaeli, "Accelerated Connected Component Labeling Using CUDA Framework", ICCVG 2014. Written from
// Section III-B4 of Bolelli, Allegretti, Lumetti and Grana, "A State-of-the-Art Review With Code About Connected
// Components Labeling on GPUs", IEEE TPDS, 2024 ("the review"), which prints no algorithm and no names of kernels.
//
// FindRuns has a thread for each row. It records the first and the last pixel of each run of the row in a matrix, and
// gives each run a provisional label. MergeRuns joins adjacent runs of contiguous rows, and UpdateLabels gives each run
// its final label. Both have threads for the provisional labels. WriteLabels copies the labels of the runs to their
// pixels.
//
// Extra memory: for each row, a number of runs, and for each of the w / 2 runs (rounded up) that a row of w pixels can
// have, the two ends and a label. These are 6 bytes per pixel if labels have 4 bytes.
//
// Departures:
// - In the paper, a thread that joins two runs launches a kernel from the device, with a thread for each provisional
//   label, which changes one label into another. A join then costs as much as there are labels, and the order of joins
//   matters. Here, there is no launch from the device. A provisional label is 1 + the raster index of the run's first
//   pixel. The image of labels is the array of parents. Its elements are the first pixels, and a join is a union. The
//   threads of the paper's launched kernels are the threads of UpdateLabels, which runs once.
// - Of two overlapping runs, the run that starts later has its first pixel directly above or below the other run. The
//   thread of the later run joins them. So a thread joins a run with at most one run above and one run below, even if
//   one run lies above thousands.
// - Rows are packed to bits, 32 pixels at a time, because a thread that loads byte by byte from a row of its own shares
//   no memory access with its neighbors. The thread blocks of FindRuns are warps, so rows spread over the device.
// - The review does not describe how labels reach the pixels. WriteLabels is ours.
// - There is no texture memory, because loads from global memory have the same caches on current devices. The streams
//   for several images at the same time (Hyper-Q) are a matter of the caller.
// Race, allowed: the race of Union(), see UnionFind.h.

#include "gallery/Entry.h"
#include "gallery/PixelTrees.h"

#include "algorithms/runs/PackForeground.h"
#include "primitives/Vec2.h"
#include "primitives/Vec4.h"

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

  struct SharedMemory
  {};

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
    for (std::uint64_t word = 0; word < words; ++word)
    {
      const Word here = packWord({ word, y, 0 });
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

/** Joins each run with the runs above and below its first pixel. */
template <typename TLabel>
struct MergeRuns
{
  RunMatrix<TLabel> runs;

  CCL_HOST_DEVICE
  void
  operator()(const Cell & cell) const
  {
    runs.ForEachRunOf(cell, [this, &cell](std::uint64_t, TLabel first) {
      if (cell.y > 0)
      {
        this->MergeWithRow(cell.y - 1, cell.y, first, true);
      }
      if (cell.y + 1 < runs.size.y)
      {
        // If both runs start at the same x, the thread of the run below joins them.
        this->MergeWithRow(cell.y + 1, cell.y, first, false);
      }
    });
  }

  /** Joins the run of row y that starts at `first` with the run of another row that has a pixel at this x. */
  CCL_HOST_DEVICE
  void
  MergeWithRow(std::uint64_t otherY, std::uint64_t y, TLabel first, bool mayStartTogether) const
  {
    const std::uint64_t other = runs.FindRunEndingFrom(otherY, first);
    if (other == runs.capacity * otherY + runs.counts[otherY])
    {
      return;
    }
    const TLabel otherFirst = runs.ends[other].first;
    if (otherFirst < first || (otherFirst == first && mayStartTogether))
    {
      Union(LabelsAsParents<TLabel>{ runs.labels },
            runs.ProvisionalLabel(y, first),
            runs.ProvisionalLabel(otherY, otherFirst));
    }
  }
};

/** Gives each run its final label. */
template <typename TLabel>
struct UpdateLabels
{
  RunMatrix<TLabel> runs;

  CCL_HOST_DEVICE
  void
  operator()(const Cell & cell) const
  {
    runs.ForEachRunOf(cell, [this, &cell](std::uint64_t run, TLabel first) {
      runs.runLabels[run] = Find(LabelsAsParents<TLabel>{ runs.labels }, runs.ProvisionalLabel(cell.y, first));
    });
  }
};

/** Writes the labels of the runs to their pixels, and 0 to other pixels. A cell is four neighboring pixels. */
template <typename TLabel>
struct WriteLabels
{
  RunMatrix<TLabel> runs;

  CCL_HOST_DEVICE
  void
  operator()(const Cell & cell) const
  {
    const std::uint64_t width = runs.size.x;
    TLabel * const      row = runs.labels + width * cell.y;
    // If the first four pixels start before the row, x wraps around.
    const std::uint64_t x = 4 * cell.x - MisalignmentOf(row);
    const std::uint64_t end = runs.capacity * cell.y + runs.counts[cell.y];
    std::uint64_t       run = runs.FindRunEndingFrom(cell.y, x < width ? x : 0);
    Vec4<TLabel>        vector{};
    CCL_UNROLL
    for (unsigned int i = 0; i < 4; ++i)
    {
      const std::uint64_t pixel = x + i;
      if (pixel < width && run < end)
      {
        const Vec2<TLabel> ends = runs.ends[run];
        vector.pixels[i] = ends.first <= pixel ? runs.runLabels[run] : 0;
        run += ends.second == pixel;
      }
    }
    StoreVec4(row, width, x, vector);
  }
};

} // namespace AcceleratedLabeling

/** The row of the algorithm in the table of Gallery.h. */
struct AcceleratedLabelingAlgorithm
{
  static constexpr Entry Description{ "ACCL", "Nina Paravecino and Kaeli", 2014, Planes4 };

  /** Labels a plane (4-connectivity) of one byte per pixel. Foreground pixels are not 0. Writes 1 + the raster index of
   * the component's first pixel to each foreground pixel of `labels`, and 0 to other pixels. */
  template <unsigned int VDimension, typename TLabel, typename TExecutor>
  static void
  Label(const TExecutor &    executor,
        const std::uint8_t * input,
        const Grid &         size,
        bool /* fullyConnected */,
        TLabel * labels)
  {
    using FindRuns = AcceleratedLabeling::FindRuns<TLabel>;
    const std::uint64_t                          capacity = DivideUp(size.x, 2);
    const auto                                   ends = executor.template Allocate<Vec2<TLabel>>(capacity * size.y);
    const auto                                   counts = executor.template Allocate<TLabel>(size.y);
    const auto                                   runLabels = executor.template Allocate<TLabel>(capacity * size.y);
    const AcceleratedLabeling::RunMatrix<TLabel> runs{
      size, capacity, ends.get(), counts.get(), runLabels.get(), labels
    };
    executor.ForEachThreadBlock(DivideUp(size.y, FindRuns::Threads), FindRuns{ runs, { input, size, false } });
    executor.ForEach(runs.ThreadsForRuns(), AcceleratedLabeling::MergeRuns<TLabel>{ runs });
    executor.ForEach(runs.ThreadsForRuns(), AcceleratedLabeling::UpdateLabels<TLabel>{ runs });
    executor.ForEach({ DivideUp(size.x + 3, 4), size.y }, AcceleratedLabeling::WriteLabels<TLabel>{ runs });
  }
};

} // namespace itk::ccl::gallery

#endif
