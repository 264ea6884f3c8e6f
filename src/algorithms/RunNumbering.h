// SPDX-License-Identifier: Apache-2.0
#ifndef RunNumbering_h
#define RunNumbering_h

// From the trees of runs to labels in the order of itk::ConnectedComponentImageFilter, that of each component's first
// pixel.
//
// Where bundles are rows, the root of a component is the run of its first pixel, and the rank of a component is the
// number of roots before its own. Else the first pixel may lie in another bundle, or another row of the bundle, than
// the first run does, though in the same layer (row of bundles, in a volume plane of bundles). So: find each
// component's first pixel, mark it in an image of bits, and let the number of marks before it be the rank.

#include "Numbering.h"
#include "Runs.h"
#include "Sums.h"
#include "UnionFind.h"

namespace itk::ccl
{

namespace RunNumbering
{

/** Links each run to its root. */
template <typename TRun>
struct Compression
{
  TRun * parents;

  CCL_HOST_DEVICE
  void
  operator()(const Cell & run) const
  {
    Compress(parents, static_cast<TRun>(run.x), true);
  }
};

/** 1 for each run that is the root of its tree. */
template <typename TRun>
struct IsRoot
{
  const TRun * parents;

  CCL_HOST_DEVICE
  TRun
  operator()(std::uint64_t run) const
  {
    return parents[run] == run;
  }
};

/** Gives each root its label. */
template <typename TRun>
struct NumberRoots
{
  const TRun * parents;
  Numbering    numbering;
  TRun *       rootLabels;

  CCL_HOST_DEVICE
  void
  operator()(std::uint64_t run, TRun rank) const
  {
    if (parents[run] == run)
    {
      rootLabels[run] = static_cast<TRun>(numbering.LabelOf(rank));
    }
  }
};

/** Stands for the first pixel of what is no component. */
template <typename TRun>
inline constexpr TRun NoPixel = static_cast<TRun>(~TRun{ 0 });

/** Links each run to its root, and finds the first pixel of each component, at its root. A cell is a word of columns.
 * Pixels are counted in bits from the first word of the rows on. */
template <typename TBundle, typename TRun>
struct FindFirstPixels
{
  NumberedRuns<TBundle, TRun> runs;
  TRun *                      parents;
  TRun *                      firstPixels;

  CCL_HOST_DEVICE
  void
  operator()(const Cell & word) const
  {
    const BitRows &     columns = runs.bundles.columns;
    const std::uint64_t begin = columns.RowBegin(word.y, word.z);
    const Word          here = columns.bits[begin + word.x];
    if (here == 0)
    {
      return;
    }
    // The root's layer is the first that the component has; only there can its first pixel be.
    const TRun firstOfLayer = runs.runsBefore[columns.RowBegin(TBundle::Slices == 1 ? word.y : 0, word.z)];
    const Word starts = columns.Starts(begin, word.x);
    TRun       run = runs.runsBefore[begin + word.x] - 1 + (starts >> LowestBit(here) & 1U);
    for (Word left = here; left != 0; ++run)
    {
      // What the run has of the word: up to the first gap.
      const Word mask = left & BitsBelowGap(here, LowestBit(left));
      left &= ~mask;
      // Other words may have the run, too: nobody must publish a parent that is not the root.
      const TRun root = Find(parents, run);
      Store(parents + run, root);
      if (root >= firstOfLayer)
      {
        const auto pixel = static_cast<TRun>(runs.bundles.FirstPixelIn(word, mask));
        if (pixel < Load(firstPixels + root))
        {
          AtomicMin(firstPixels + root, pixel);
        }
      }
    }
  }
};

/** Marks of first pixels, one bit each, and their number in each group of words. */
template <typename TRun>
struct Marks
{
  static constexpr unsigned int WordsPerGroup = 16;

  Word * words;
  TRun * groups;
};

/** Clears first pixels and marks: a cell is a run, a word of marks, and a group. */
template <typename TRun>
struct Clear
{
  std::uint64_t runCount;
  std::uint64_t wordCount;
  std::uint64_t groupCount;
  TRun *        firstPixels;
  Marks<TRun>   marks;

  CCL_HOST_DEVICE
  Grid
  GetCells() const
  {
    return { runCount > wordCount ? runCount : wordCount };
  }

  CCL_HOST_DEVICE
  void
  operator()(const Cell & cell) const
  {
    if (cell.x < runCount)
    {
      firstPixels[cell.x] = NoPixel<TRun>;
    }
    if (cell.x < wordCount)
    {
      marks.words[cell.x] = 0;
    }
    if (cell.x < groupCount)
    {
      marks.groups[cell.x] = 0;
    }
  }
};

template <typename TRun>
struct MarkFirstPixels
{
  const TRun * parents;
  const TRun * firstPixels;
  Marks<TRun>  marks;

  CCL_HOST_DEVICE
  void
  operator()(const Cell & run) const
  {
    if (parents[run.x] == run.x)
    {
      const TRun pixel = firstPixels[run.x];
      AtomicOr(marks.words + pixel / BitsPerWord, Word{ 1 } << pixel % BitsPerWord);
      AtomicAdd(marks.groups + pixel / BitsPerWord / Marks<TRun>::WordsPerGroup, TRun{ 1 });
    }
  }
};

template <typename TRun>
struct MarksInGroup
{
  const TRun * groups;

  CCL_HOST_DEVICE
  TRun
  operator()(std::uint64_t group) const
  {
    return groups[group];
  }
};

/** Replaces the first pixel of each component by its label. `marks` has the number of marks before each group. */
template <typename TRun>
struct NumberFirstPixels
{
  const TRun * parents;
  Marks<TRun>  marks;
  Numbering    numbering;
  TRun *       firstPixels;

  CCL_HOST_DEVICE
  void
  operator()(const Cell & run) const
  {
    if (parents[run.x] == run.x)
    {
      const TRun          pixel = firstPixels[run.x];
      const std::uint64_t word = pixel / BitsPerWord;
      const std::uint64_t group = word / Marks<TRun>::WordsPerGroup;
      std::uint64_t       rank = marks.groups[group];
      for (std::uint64_t before = group * Marks<TRun>::WordsPerGroup; before < word; ++before)
      {
        rank += CountBits(marks.words[before]);
      }
      rank += CountBits(marks.words[word] & BitsThrough(pixel % BitsPerWord)) - 1;
      firstPixels[run.x] = static_cast<TRun>(numbering.LabelOf(rank));
    }
  }
};

} // namespace RunNumbering

/** Links each run to its root, and writes the label of each component to the place of its root in `rootLabels`.
 * Returns the sums, of which the total is the number of components. */
template <typename TBundle, typename TRun, typename TExecutor>
auto
NumberComponents(const TExecutor &                                    executor,
                 [[maybe_unused]] const NumberedRuns<TBundle, TRun> & runs,
                 std::uint64_t                                        runCount,
                 TRun *                                               parents,
                 const Numbering &                                    numbering,
                 TRun *                                               rootLabels)
{
  using namespace RunNumbering;
  if constexpr (TBundle::IsOneRow)
  {
    executor.ForEach(Grid{ runCount }, Compression<TRun>{ parents });
    const IsRoot<TRun> isRoot{ parents };
    auto               ranks = executor.template Sum<TRun>(runCount, isRoot);
    executor.ForEachSum(ranks, isRoot, NumberRoots<TRun>{ parents, numbering, rootLabels });
    return ranks;
  }
  else
  {
    const Grid          all{ runCount };
    const std::uint64_t words = runs.bundles.rows.words.Count();
    const std::uint64_t groups = DivideUp(words, Marks<TRun>::WordsPerGroup);
    const auto          markWords = executor.template Allocate<Word>(words);
    const auto          markGroups = executor.template Allocate<TRun>(groups);
    const Marks<TRun>   marks{ markWords.get(), markGroups.get() };
    const Clear<TRun>   clear{ runCount, words, groups, rootLabels, marks };
    executor.ForEach(clear.GetCells(), clear);
    executor.ForEach(runs.bundles.columns.words, FindFirstPixels<TBundle, TRun>{ runs, parents, rootLabels });
    executor.ForEach(all, MarkFirstPixels<TRun>{ parents, rootLabels, marks });
    const MarksInGroup<TRun> marksInGroup{ marks.groups };
    auto                     sums = executor.template Sum<TRun>(groups, marksInGroup);
    executor.ForEachSum(sums, marksInGroup, KeepSums<TRun>{ marks.groups });
    executor.ForEach(all, NumberFirstPixels<TRun>{ parents, marks, numbering, rootLabels });
    return sums;
  }
}

} // namespace itk::ccl

#endif
