// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_gallery_FasterLightSpeedLabeling_h
#define ccl_gallery_FasterLightSpeedLabeling_h

// FLSL (faster light speed labeling) on GPUs, for 4- and 8-connectivity of planes.
// Lemaitre, Hennequin and Lacassagne, "Taming Voting Algorithms on GPUs for an Efficient Connected Component Analysis
// Algorithm", ICASSP 2021 ("the paper"). FasterLightSpeedFeatures.h has the analysis of components, for which the paper
// uses FLSL.
//
// The text of the paper was not available. This file is written from second-hand descriptions of its idea: ballots find
// the runs, rows are stored as run lengths, a thread owns a run, and conflict detection saves atomic operations. The
// rest follows two works that the paper builds on:
// - "HA4": Hennequin, Lacassagne, Cabaret and Meunier, "A new Direct Connected Component Labeling and Analysis
//   Algorithms for GPUs", DASIP 2018. Its Sections IV-A and IV-D have ballots, one union for each pair of adjacent
//   runs, and features from the ends of a run.
// - "LSL": Lacassagne and Zavidovique, "Light Speed Labeling", J. Real-Time Image Processing 6(2), 2011, for CPUs. It
//   has the tables RLC (run-length code) and ER (relative labels). Its text was not available either.
// So the kernels, their names and the layout of memory are ours. The paper's connectivity is not known, either; LSL has
// both. The abstract of Hennequin's thesis (Sorbonne University, 2021) says that FLSL came with two optimizations
// against conflicts. One of them is not known, and is not here.
//
// An edge is a pixel that differs from the pixel to its left. Even edges start runs, odd edges end them. RLC lists the
// edges of a row, and ER counts the edges of a row up to a pixel: ER is odd at foreground, and ER / 2 is the number of
// the run in its row. RelativeLabeling makes these tables: a warp owns a row, and a ballot gives the edges of 32
// pixels. Unification unites adjacent runs of neighboring rows: a thread owns a run. TransitiveClosure links each run
// to its root, and FinalLabeling gives each pixel the label of its run: a thread owns a pixel. A plane with few rows
// keeps few warps busy. RelativeLabeling is in FasterLightSpeedRuns.h.
//
// Extra memory, with n pixels and labels of 4 bytes: 4n bytes for RLC and 2n bytes for the parents of the runs (an
// image with few runs uses a small part of both), n / 4 bytes for ER, and 4 bytes for each row.
//
// Departures from LSL and HA4:
// - ER is stored for words: the edges of 32 pixels as bits, and the number of edges before them. LSL stores a number
//   for each pixel.
// - Of two adjacent runs, the run that starts later finds the other one, in the row above or in the row below. So a
//   thread does at most 2 unions. LSL loops over all adjacent runs of the row above, which may be many.
// - Unification and TransitiveClosure halve the paths to roots. HA4 needs this less, because it unites strips first.
// - The label of a component is 1 + the index of its first run, and not 1 + the index of a pixel. It does not exceed
//   the number of pixels, and gives the index of the component's features.
// Race, allowed: the races of UnionHalving() and CompressHalving(), see UnionFind.h.

#include "gallery/Entry.h"
#include "gallery/FasterLightSpeedRuns.h"

#include "executors/Executor.h"
#include "primitives/Grid.h"
#include "primitives/UnionFind.h"

namespace itk::ccl::gallery
{

namespace FasterLightSpeed
{

/** Unites adjacent runs. */
template <typename TLabel>
struct Unification
{
  static constexpr unsigned int Threads = ThreadsOfRow;
  using SharedMemory = NoSharedMemory;

  RunTable<TLabel> runs;
  bool             fullyConnected;

  CCL_NO_EXECUTION_CHECK
  template <typename TThreadBlock>
  CCL_HOST_DEVICE
  void
  operator()(const TThreadBlock & threadBlock, SharedMemory &) const
  {
    const std::uint64_t row = threadBlock.GetIndex();
    runs.ForEachRun(threadBlock, row, [&](TLabel run) {
      const TLabel start = runs.edges[2 * std::uint64_t{ run }];
      if (row > 0)
      {
        this->UniteWithRunAt(start, row - 1, run, true);
      }
      if (row + 1 < runs.size.y)
      {
        this->UniteWithRunAt(start, row + 1, run, false);
      }
    });
  }

private:
  /** Unites a run, which starts at `x`, with an adjacent run of a neighboring row that starts before it. Of two runs
   * that start at the same x, only the lower one unites: it calls this function with `mayStartTogether`. */
  CCL_HOST_DEVICE
  void
  UniteWithRunAt(TLabel x, std::uint64_t row, TLabel run, bool mayStartTogether) const
  {
    const unsigned int        bit = static_cast<unsigned int>(x % BitsPerWord);
    const EdgesOfWord<TLabel> word = runs.WordAt(row, x);
    const TLabel              relative = RelativeLabelIn(word, bit);
    const bool                isEdge = (word.edges >> bit & 1U) != 0;
    // If x is background, a run that ends there has its last pixel to the upper or lower left.
    if (relative % 2 != 0 ? mayStartTogether || !isEdge : fullyConnected && isEdge)
    {
      UnionHalving(runs.parents, run, static_cast<TLabel>(runs.FirstRunOf(row) + (relative - 1) / 2));
    }
  }
};

/** Links each run to its root. */
template <typename TLabel>
struct TransitiveClosure
{
  static constexpr unsigned int Threads = ThreadsOfRow;
  using SharedMemory = NoSharedMemory;

  RunTable<TLabel> runs;

  CCL_NO_EXECUTION_CHECK
  template <typename TThreadBlock>
  CCL_HOST_DEVICE
  void
  operator()(const TThreadBlock & threadBlock, SharedMemory &) const
  {
    runs.ForEachRun(threadBlock, threadBlock.GetIndex(), [&](TLabel run) { CompressHalving(runs.parents, run); });
  }
};

/** Labels the pixels. A thread owns a pixel. */
template <typename TLabel>
struct FinalLabeling
{
  RunTable<TLabel> runs;
  TLabel *         labels;

  CCL_HOST_DEVICE
  void
  operator()(const Cell & cell) const
  {
    const EdgesOfWord<TLabel> word = runs.WordAt(cell.y, static_cast<TLabel>(cell.x));
    const TLabel              relative = RelativeLabelIn(word, static_cast<unsigned int>(cell.x % BitsPerWord));
    labels[IndexOf(runs.size, cell)] =
      relative % 2 != 0 ? static_cast<TLabel>(runs.parents[runs.FirstRunOf(cell.y) + relative / 2] + 1) : 0;
  }
};

/** Finds the runs of a plane and unites adjacent runs. Then calls visit(runs), which may start further kernels. */
template <typename TLabel, typename TExecutor, typename TVisitor>
void
VisitUnitedRuns(const TExecutor &    executor,
                const std::uint8_t * input,
                const Grid &         size,
                bool                 fullyConnected,
                const TVisitor &     visit)
{
  const std::uint64_t room = RunTable<TLabel>::Room(size);
  const auto words = executor.template Allocate<EdgesOfWord<TLabel>>(RunTable<TLabel>::WordsOfRow(size) * size.y);
  const auto edges = executor.template Allocate<TLabel>(2 * room);
  const auto parents = executor.template Allocate<TLabel>(room);
  const auto runCounts = executor.template Allocate<TLabel>(size.y);
  const RunTable<TLabel> runs{ size, words.get(), edges.get(), parents.get(), runCounts.get() };
  executor.ForEachThreadBlock(DivideUp(size.y, RelativeLabeling<TLabel>::RowsPerThreadBlock),
                              RelativeLabeling<TLabel>{ runs, input });
  executor.ForEachThreadBlock(size.y, Unification<TLabel>{ runs, fullyConnected });
  visit(runs);
}

} // namespace FasterLightSpeed

/** The row of the algorithm in the table of Gallery.h. */
struct FasterLightSpeedLabelingAlgorithm
{
  static constexpr Entry Description{ "FLSL",
                                      "Lemaitre, Hennequin and Lacassagne",
                                      2021,
                                      Planes4 | Planes8,
                                      LabelElement::Other };

  /** Labels a plane of one byte per pixel. Foreground pixels are not 0. Writes a label to each foreground pixel of
   * `labels`, and 0 to other pixels. The label is the same for all pixels of a component and differs between
   * components. It does not exceed the number of pixels. */
  template <unsigned int VDimension, typename TLabel, typename TExecutor>
  static void
  Label(const TExecutor & executor, const std::uint8_t * input, const Grid & size, bool fullyConnected, TLabel * labels)
  {
    namespace Kernels = FasterLightSpeed;
    Kernels::VisitUnitedRuns<TLabel>(executor, input, size, fullyConnected, [&](const auto & runs) {
      executor.ForEachThreadBlock(size.y, Kernels::TransitiveClosure<TLabel>{ runs });
      executor.ForEach(size, Kernels::FinalLabeling<TLabel>{ runs, labels });
    });
  }
};

} // namespace itk::ccl::gallery

#endif
