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
// pixels. FindRuns is in AcceleratedRuns.h.
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
// - A row has at most 128 threads for its provisional labels. If it has more labels, a thread takes several.
// - There is no texture memory, because loads from global memory have the same caches on current devices. The streams
//   for several images at the same time (Hyper-Q) are a matter of the caller.
// Race, allowed: the race of Union(), see UnionFind.h.

#include "gallery/AcceleratedRuns.h"
#include "gallery/Entry.h"
#include "gallery/PixelTrees.h"

#include "primitives/Vec2.h"
#include "primitives/Vec4.h"

namespace itk::ccl::gallery
{

namespace AcceleratedLabeling
{

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
    executor.ForEachThreadBlock(
      DivideUp(size.y, FindRuns::Threads),
      FindRuns{ runs,
                { StackPixels<const std::uint8_t>::Of(input, size), size, ValueTest<std::uint8_t>{ 0xFF, 0, true } } });
    executor.ForEach(runs.ThreadsForRuns(), AcceleratedLabeling::MergeRuns<TLabel>{ runs });
    executor.ForEach(runs.ThreadsForRuns(), AcceleratedLabeling::UpdateLabels<TLabel>{ runs });
    executor.ForEach({ DivideUp(size.x + 3, 4), size.y }, AcceleratedLabeling::WriteLabels<TLabel>{ runs });
  }
};

} // namespace itk::ccl::gallery

#endif
