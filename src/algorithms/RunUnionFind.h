// SPDX-License-Identifier: Apache-2.0
#ifndef RunUnionFind_h
#define RunUnionFind_h

// Union-find on the runs of bundles, for face and full connectivity in planes and volumes.
//
// The idea of runs as the elements is that of He, Chao and Suzuki (IEEE TIP 17(5), 2008); the order of the steps, which
// link each run to one neighbour first and unite it with the others later, is that of Komura equivalence (Komura,
// Comput. Phys. Commun. 194, 2015). What a bundle is: Bundles.h. How labels follow from the trees: RunNumbering.h.

#include "ContactsByRun.h"
#include "ContactsByWord.h"
#include "RunNumbering.h"
#include "Sums.h"
#include "UnionFind.h"

#include <utility>

namespace itk::ccl
{

namespace RunUnionFind
{

/** Counts the runs that start in a word. */
struct StartsInWord
{
  BitRows columns;

  CCL_HOST_DEVICE
  std::uint32_t
  operator()(std::uint64_t word) const
  {
    // Most words have none, and the host has no instruction that counts bits.
    return columns.bits[word] == 0 ? 0 : CountBits(columns.StartsAt(word));
  }
};

/** Keeps how many runs start before each word, and the first and the last column of each run. */
template <typename TRun>
struct RecordRuns
{
  BitRows columns;
  TRun *  runsBefore;
  TRun *  firstColumns;
  TRun *  lastColumns;

  CCL_HOST_DEVICE
  void
  operator()(std::uint64_t word, TRun before) const
  {
    runsBefore[word] = before;
    const Word here = columns.bits[word];
    if (here == 0)
    {
      return;
    }
    const Word starts = columns.StartsAt(word);
    const TRun column = static_cast<TRun>(word * BitsPerWord);
    TRun       started = before;
    for (Word left = starts; left != 0; left &= left - 1, ++started)
    {
      firstColumns[started] = column + LowestBit(left);
    }
    TRun ended = before - 1 + (starts >> LowestBit(here) & 1U);
    for (Word left = columns.EndsAt(word); left != 0; left &= left - 1, ++ended)
    {
      lastColumns[ended] = column + LowestBit(left);
    }
  }
};

/** Links a run to the first of those before it that touch it, if any. */
template <typename TBundle, typename TRun>
struct InitializationByRun
{
  ContactsByRun<TBundle, TRun> contacts;
  TRun *                       parents;

  CCL_HOST_DEVICE
  Grid
  GetCells() const
  {
    return { contacts.runCount };
  }

  CCL_HOST_DEVICE
  void
  operator()(const Cell & cell) const
  {
    const TRun run = static_cast<TRun>(cell.x);
    TRun       parent = run;
    const auto linkToFirst = [&parent](TRun first, TRun) {
      parent = first;
      return false;
    };
    for (unsigned int neighbor = 0; neighbor < NeighborCountOf<TBundle>; ++neighbor)
    {
      if (!contacts.ForEachOfRun(run, neighbor, linkToFirst))
      {
        break;
      }
    }
    parents[run] = parent;
  }
};

/** Links the runs that start in a word to the first of those before them that touch them there, if any. */
template <typename TBundle, typename TRun>
struct InitializationByWord
{
  ContactsByWord<TBundle, TRun> contacts;
  TRun *                        parents;

  CCL_HOST_DEVICE
  Grid
  GetCells() const
  {
    return contacts.runs.bundles.columns.words;
  }

  CCL_HOST_DEVICE
  void
  operator()(const Cell & word) const
  {
    const BitRows &     columns = contacts.runs.bundles.columns;
    const std::uint64_t begin = columns.RowBegin(word.y, word.z);
    const TRun          first = contacts.runs.runsBefore[begin + word.x];
    const std::uint32_t all = (std::uint32_t{ 1 } << CountBits(columns.Starts(begin, word.x))) - 1; // 16 at most
    std::uint32_t       linked = 0;
    for (unsigned int neighbor = 0; neighbor < NeighborCountOf<TBundle> && linked != all; ++neighbor)
    {
      contacts.ForEachInWord(word, neighbor, [&](TRun run, TRun other) {
        if (run >= first && (linked >> (run - first) & 1U) == 0)
        {
          linked |= std::uint32_t{ 1 } << (run - first);
          parents[run] = other;
        }
      });
    }
    for (std::uint32_t left = all & ~linked; left != 0; left &= left - 1)
    {
      const TRun run = first + LowestBit(left);
      parents[run] = run;
    }
  }
};

/** Unites runs with those before them that touch them. */
template <typename TContacts, typename TRun>
struct Reduction
{
  TContacts contacts;
  TRun *    parents;

  CCL_HOST_DEVICE
  void
  operator()(const Cell & cell) const
  {
    contacts.ForEach(cell, [this](TRun run, TRun other) { UnionSplicing(parents, run, other); });
  }
};

/** Replaces each run's parent, its root, by the label of the component. */
template <typename TRun>
struct Labeling
{
  TRun *       parents;
  const TRun * rootLabels;

  CCL_HOST_DEVICE
  void
  operator()(const Cell & run) const
  {
    parents[run.x] = rootLabels[parents[run.x]];
  }
};

} // namespace RunUnionFind

/** What an executor gives for a sum. */
template <typename TSum, typename TExecutor>
using SumsOf =
  decltype(std::declval<const TExecutor &>().template Sum<TSum>(0, std::declval<RunUnionFind::StartsInWord>()));

/** How many runs an image has, and what it takes to number them in raster order. */
template <typename TBundle, typename TRun, typename TExecutor>
struct CountedRuns
{
  BundleRows<TBundle>     bundles;
  SumsOf<TRun, TExecutor> sums;

  /** Waits for it, on the device. */
  std::uint64_t
  GetCount() const
  {
    return sums.GetTotal();
  }
};

template <typename TRun, typename TBundle, typename TExecutor>
CountedRuns<TBundle, TRun, TExecutor>
CountRuns(const TExecutor & executor, const BundleRows<TBundle> & bundles)
{
  return { bundles,
           executor.template Sum<TRun>(bundles.columns.words.Count(), RunUnionFind::StartsInWord{ bundles.columns }) };
}

/** Writes how many runs start before each word. */
template <typename TBundle, typename TRun, typename TExecutor>
void
NumberRuns(const TExecutor & executor, const CountedRuns<TBundle, TRun, TExecutor> & counted, TRun * runsBefore)
{
  executor.ForEachSum(
    counted.sums, RunUnionFind::StartsInWord{ counted.bundles.columns }, KeepSums<TRun>{ runsBefore });
}

/** The label of every run, and the number of objects. */
template <typename TBundle, typename TRun, typename TExecutor>
struct LabeledRuns
{
  using BufferType = decltype(std::declval<const TExecutor &>().template Allocate<TRun>(0));

  BundleRows<TBundle>     bundles;
  BufferType              runsBefore;
  BufferType              labels;
  SumsOf<TRun, TExecutor> objects;

  /** Waits for their number, on the device, and not for the labels. */
  std::uint64_t
  CountObjects() const
  {
    return objects.GetTotal();
  }

  NumberedRuns<TBundle, TRun>
  GetNumbered() const
  {
    return { bundles, runsBefore.get() };
  }
};

namespace RunUnionFind
{

/** Makes the runs of each component a tree. Where bundles are not rows, no first pixel is known then. */
template <template <typename, typename> class TInitialization,
          typename TBundle,
          typename TRun,
          typename TContacts,
          typename TExecutor>
void
BuildTrees(const TExecutor & executor,
           const TContacts & contacts,
           std::uint64_t     runCount,
           TRun *            parents,
           TRun *            firstPixels)
{
  const TInitialization<TBundle, TRun> initialization{ contacts, parents };
  executor.ForEach(initialization.GetCells(), initialization);
  executor.ForEach(Grid{ runCount },
                   RunNumbering::Compression<TRun>{ parents, TBundle::IsOneRow ? nullptr : firstPixels });
  executor.ForEach(contacts.GetCells(), Reduction<TContacts, TRun>{ contacts, parents });
}

} // namespace RunUnionFind

/** Labels runs. Where the numbering has no room for the objects, their number is right and the labels are not. */
template <typename TBundle, typename TRun, typename TExecutor>
LabeledRuns<TBundle, TRun, TExecutor>
LabelRuns(const TExecutor &                             executor,
          const CountedRuns<TBundle, TRun, TExecutor> & counted,
          const Numbering &                             numbering)
{
  using namespace RunUnionFind;
  const BitRows &                   columns = counted.bundles.columns;
  const std::uint64_t               words = columns.words.Count();
  auto                              runsBefore = executor.template Allocate<TRun>(words);
  const NumberedRuns<TBundle, TRun> runs{ counted.bundles, runsBefore.get() };
  // The device clears while the host waits for the number of runs.
  const RunNumbering::ClearMarks<TBundle, TRun, TExecutor> clearMarks(executor, counted.bundles);

  const std::uint64_t runCount = counted.GetCount();
  auto                parents = executor.template Allocate<TRun>(runCount);
  const auto          rootLabels = executor.template Allocate<TRun>(runCount);
  // Long runs are few, but one that touches very many others keeps its thread busy for long: in planes, whose runs have
  // one neighbour, words do as well, and so they do in wide rows.
  if (runCount < words && columns.words.z > 1 && columns.words.x <= Tuning::WideRowWords)
  {
    const auto firstColumns = executor.template Allocate<TRun>(runCount);
    const auto lastColumns = executor.template Allocate<TRun>(runCount);
    executor.ForEachSum(counted.sums,
                        StartsInWord{ columns },
                        RecordRuns<TRun>{ columns, runsBefore.get(), firstColumns.get(), lastColumns.get() });
    const ContactsByRun<TBundle, TRun> contacts{ runs, firstColumns.get(), lastColumns.get(), runCount };
    BuildTrees<InitializationByRun, TBundle>(executor, contacts, runCount, parents.get(), rootLabels.get());
  }
  else
  {
    NumberRuns(executor, counted, runsBefore.get());
    const ContactsByWord<TBundle, TRun> contacts{ runs };
    BuildTrees<InitializationByWord, TBundle>(executor, contacts, runCount, parents.get(), rootLabels.get());
  }

  auto objects = NumberComponents(executor, runs, runCount, parents.get(), clearMarks, numbering, rootLabels.get());
  executor.ForEach(Grid{ runCount }, Labeling<TRun>{ parents.get(), rootLabels.get() });
  return { counted.bundles, std::move(runsBefore), std::move(parents), std::move(objects) };
}

} // namespace itk::ccl

#endif
