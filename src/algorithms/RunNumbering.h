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

#include <limits>
#include <utility>

namespace itk::ccl
{

namespace RunNumbering
{

/** Stands for the first pixel of a component where none is known. */
template <typename TRun>
inline constexpr TRun NoPixel = std::numeric_limits<TRun>::max();

/** Links each run to its root. Where first pixels are to be found, none is known then. */
template <typename TRun>
struct Compression
{
  TRun * parents;
  TRun * firstPixels = nullptr;

  CCL_HOST_DEVICE
  void
  operator()(const Cell & run) const
  {
    Compress(parents, static_cast<TRun>(run.x), true);
    if (firstPixels != nullptr)
    {
      firstPixels[run.x] = NoPixel<TRun>;
    }
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

/** Memory for the marks of an image, none of which is set. Where bundles are rows, it needs none. */
template <typename TBundle, typename TRun, typename TExecutor>
class ClearMarks
{
public:
  ClearMarks(const TExecutor & executor, const BundleRows<TBundle> & bundles)
    : m_GroupCount(TBundle::IsOneRow ? 0 : DivideUp(bundles.rows.words.Count(), Marks<TRun>::WordsPerGroup))
    , m_Words(executor.template Allocate<Word>(m_GroupCount * Marks<TRun>::WordsPerGroup))
    , m_Groups(executor.template Allocate<TRun>(m_GroupCount))
  {
    executor.Fill(m_Words.get(), m_GroupCount * Marks<TRun>::WordsPerGroup, 0);
    executor.Fill(m_Groups.get(), m_GroupCount, 0);
  }

  std::uint64_t
  CountGroups() const
  {
    return m_GroupCount;
  }

  Marks<TRun>
  Get() const
  {
    return { m_Words.get(), m_Groups.get() };
  }

private:
  template <typename T>
  using BufferType = decltype(std::declval<const TExecutor &>().template Allocate<T>(0));

  std::uint64_t    m_GroupCount;
  BufferType<Word> m_Words;
  BufferType<TRun> m_Groups;
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
      const auto          inGroup = static_cast<unsigned int>(word % Marks<TRun>::WordsPerGroup);
      std::uint64_t       rank = marks.groups[group];
      // All words of the group, for none to wait for another one.
      CCL_UNROLL
      for (unsigned int i = 0; i < Marks<TRun>::WordsPerGroup; ++i)
      {
        const Word through = i < inGroup ? ~Word{ 0 } : i == inGroup ? BitsThrough(pixel % BitsPerWord) : 0;
        rank += CountBits(marks.words[group * Marks<TRun>::WordsPerGroup + i] & through);
      }
      firstPixels[run.x] = static_cast<TRun>(numbering.LabelOf(rank - 1));
    }
  }
};

} // namespace RunNumbering

/** Links each run to its root, and writes the label of each component to the place of its root in `rootLabels`, which
 * has NoPixel everywhere where bundles are not rows. Returns the sums, of which the total is the number of components.
 */
template <typename TBundle, typename TRun, typename TExecutor>
auto
NumberComponents(const TExecutor &                                                           executor,
                 [[maybe_unused]] const NumberedRuns<TBundle, TRun> &                        runs,
                 std::uint64_t                                                               runCount,
                 TRun *                                                                      parents,
                 [[maybe_unused]] const RunNumbering::ClearMarks<TBundle, TRun, TExecutor> & clearMarks,
                 const Numbering &                                                           numbering,
                 TRun *                                                                      rootLabels)
{
  using namespace RunNumbering;
  const Grid all{ runCount };
  if constexpr (TBundle::IsOneRow)
  {
    executor.ForEach(all, Compression<TRun>{ parents });
    const IsRoot<TRun> isRoot{ parents };
    auto               ranks = executor.template Sum<TRun>(runCount, isRoot);
    executor.ForEachSum(ranks, isRoot, NumberRoots<TRun>{ parents, numbering, rootLabels });
    return ranks;
  }
  else
  {
    const Marks<TRun> marks = clearMarks.Get();
    executor.ForEach(runs.bundles.columns.words, FindFirstPixels<TBundle, TRun>{ runs, parents, rootLabels });
    executor.ForEach(all, MarkFirstPixels<TRun>{ parents, rootLabels, marks });
    const MarksInGroup<TRun> marksInGroup{ marks.groups };
    auto                     sums = executor.template Sum<TRun>(clearMarks.CountGroups(), marksInGroup);
    executor.ForEachSum(sums, marksInGroup, KeepSums<TRun>{ marks.groups });
    executor.ForEach(all, NumberFirstPixels<TRun>{ parents, marks, numbering, rootLabels });
    return sums;
  }
}

} // namespace itk::ccl

#endif
