// SPDX-License-Identifier: Apache-2.0
#ifndef RunUnionFind_h
#define RunUnionFind_h

// Union-find on runs over packed bits, for face and full connectivity in planes and volumes.
//
// The idea of runs as the elements is that of He, Chao and Suzuki (IEEE TIP 17(5), 2008); the order of the kernels,
// which link each run to one neighbour while they initialize and unite it with the others later, is that of Komura
// equivalence (Komura, Comput. Phys. Commun. 194, 2015). Runs are numbered in raster order, so that the root of a
// component is the run of its first pixel, and the order of roots is the order of labels.

#include "BitRows.h"
#include "Numbering.h"
#include "UnionFind.h"

#include <utility>

namespace itk::ccl
{

namespace RunUnionFind
{

template <typename TRun>
struct Runs
{
  RunRows<TRun> rows;
  TRun *        parents;
  bool          fullyConnected;

  /** Calls visit(otherBegin) for each row before (y, z), in raster order, whose runs may touch those of this row. */
  template <typename TVisitor>
  CCL_HOST_DEVICE
  void
  ForEachNeighborRow(const Cell & cell, const TVisitor & visit) const
  {
    const Grid &        words = rows.rows.words;
    const std::uint64_t begin = rows.rows.RowBegin(cell.y, cell.z);
    const std::uint64_t row = words.x;
    const std::uint64_t plane = words.x * words.y;
    if (cell.z > 0)
    {
      if (fullyConnected && cell.y > 0)
      {
        visit(begin - plane - row);
      }
      visit(begin - plane);
      if (fullyConnected && cell.y + 1 < words.y)
      {
        visit(begin - plane + row);
      }
    }
    if (cell.y > 0)
    {
      visit(begin - row);
    }
  }

  /** Calls visit(run, otherRun) for each pair of runs, one of this row and one of another, whose contact lies in a
   * word, except those that have one of the pixels `implied` in common. */
  template <typename TVisitor>
  CCL_HOST_DEVICE
  void
  ForEachContact(std::uint64_t begin, std::uint64_t otherBegin, std::uint64_t x, Word implied, const TVisitor & visit)
    const
  {
    RowContacts contacts = ContactsOf(rows.rows, begin, otherBegin, x, fullyConnected);
    contacts.above = StartsWithout(contacts.above, rows.rows.bits[begin + x] & rows.rows.bits[otherBegin + x], implied);
    const Word any = contacts.above | contacts.before | contacts.after;
    if (any == 0)
    {
      return;
    }
    const Word starts = rows.rows.Starts(begin, x);
    const Word otherStarts = rows.rows.Starts(otherBegin, x);
    const TRun runsBefore = rows.runsBefore[begin + x];
    const TRun otherRunsBefore = rows.runsBefore[otherBegin + x];
    for (Word left = any; left != 0; left &= left - 1)
    {
      const unsigned int bit = LowestBit(left);
      const Word         through = BitsThrough(bit);
      const TRun         run = runsBefore + CountBits(starts & through) - 1;
      // The runs of the other row that start at or before this pixel.
      const TRun started = otherRunsBefore + CountBits(otherStarts & through);
      const Word here = Word{ 1 } << bit;
      if ((contacts.above | contacts.before) & here)
      {
        visit(run, started - 1);
      }
      if (contacts.after & here)
      {
        visit(run, started);
      }
    }
  }
};

/** Links each run that starts in a word to the first run before it that touches its first pixel. */
template <typename TRun>
struct Initialization
{
  Runs<TRun> runs;

  CCL_HOST_DEVICE
  void
  operator()(const Cell & cell) const
  {
    const BitRows &     rows = runs.rows.rows;
    const std::uint64_t begin = rows.RowBegin(cell.y, cell.z);
    const Word          starts = rows.Starts(begin, cell.x);
    if (starts == 0)
    {
      return;
    }
    TRun run = runs.rows.runsBefore[begin + cell.x];
    for (Word left = starts; left != 0; left &= left - 1, ++run)
    {
      runs.parents[run] = run;
    }
    Word linked = 0;
    runs.ForEachNeighborRow(cell, [&](std::uint64_t otherBegin) {
      const Word other = rows.bits[otherBegin + cell.x];
      const Word otherBefore = runs.fullyConnected ? rows.Before(otherBegin, cell.x) : 0;
      const Word otherAfter = runs.fullyConnected ? rows.After(otherBegin, cell.x) : 0;
      const Word touching = starts & ~linked & (other | otherBefore | otherAfter);
      if (touching == 0)
      {
        return;
      }
      linked |= touching;
      const Word otherStarts = rows.Starts(otherBegin, cell.x);
      const TRun otherRunsBefore = runs.rows.runsBefore[otherBegin + cell.x];
      for (Word left = touching; left != 0; left &= left - 1)
      {
        const unsigned int bit = LowestBit(left);
        const Word         through = BitsThrough(bit);
        const Word         here = Word{ 1 } << bit;
        // Where only the pixel after this one touches, its run starts there.
        const TRun started = otherRunsBefore + CountBits(otherStarts & through);
        runs.parents[runs.rows.runsBefore[begin + cell.x] + CountBits(starts & through) - 1] =
          (other | otherBefore) & here ? started - 1 : started;
      }
    });
  }
};

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

/** Unites the runs of each row with those that they touch, unless others do it for them.
 *
 * Two rows of successive planes that have a pixel x in common need no union where the rows before both of them have x,
 * too: each of these is united with the row after it, and the two with each other, or again by those before them. With
 * that, rows that meet by an edge (full connectivity) need none where a row that meets both by a face has x. */
template <typename TRun>
struct Reduction
{
  Runs<TRun> runs;

  CCL_HOST_DEVICE
  void
  operator()(const Cell & cell) const
  {
    const BitRows &     rows = runs.rows.rows;
    const std::uint64_t row = rows.words.x;
    const std::uint64_t plane = rows.words.x * rows.words.y;
    const std::uint64_t begin = rows.RowBegin(cell.y, cell.z);
    if (rows.bits[begin + cell.x] == 0)
    {
      return;
    }
    const auto unite = [&](std::uint64_t otherBegin, Word implied) {
      runs.ForEachContact(
        begin, otherBegin, cell.x, implied, [&](TRun run, TRun other) { Union(runs.parents, run, other); });
    };
    const Word up = cell.y > 0 ? rows.bits[begin - row + cell.x] : 0;
    if (cell.z > 0)
    {
      const Word back = rows.bits[begin - plane + cell.x];
      const Word backUp = cell.y > 0 ? rows.bits[begin - plane - row + cell.x] : 0;
      unite(begin - plane, up & backUp);
      if (runs.fullyConnected && cell.y > 0)
      {
        unite(begin - plane - row, up | back);
      }
      if (runs.fullyConnected && cell.y + 1 < rows.words.y)
      {
        unite(begin - plane + row, back);
      }
    }
    if (cell.y > 0)
    {
      unite(begin - row, 0);
    }
  }
};

/** Replaces each run's parent, its root, by the label of the component. */
template <typename TRun>
struct Labeling
{
  TRun *       parents;
  const TRun * ranks;
  Numbering    numbering;

  CCL_HOST_DEVICE
  void
  operator()(const Cell & run) const
  {
    parents[run.x] = static_cast<TRun>(numbering.LabelOf(ranks[parents[run.x]]));
  }
};

/** Counts the runs that start in a word. */
struct StartsInWord
{
  BitRows rows;

  CCL_HOST_DEVICE
  std::uint32_t
  operator()(std::uint64_t word) const
  {
    const std::uint64_t count = rows.words.Count();
    if (word == count)
    {
      return 0;
    }
    const std::uint64_t x = word - Divide(word, rows.words.x) * rows.words.x;
    return CountBits(rows.Starts(word - x, x));
  }
};

/** 1 for each run that is the root of its tree. */
template <typename TRun>
struct IsRoot
{
  const TRun *  parents;
  std::uint64_t count;

  CCL_HOST_DEVICE
  TRun
  operator()(std::uint64_t run) const
  {
    return run < count && parents[run] == run;
  }
};

} // namespace RunUnionFind

/** The runs of an image, in raster order. `runsBefore` has one element more than there are words: the number of runs
 * that start before each word, and last that of all runs. */
template <typename TRun, typename TExecutor>
struct CountedRuns
{
  using BufferType = decltype(std::declval<const TExecutor &>().template Allocate<TRun>(0));

  BitRows       rows;
  BufferType    runsBefore;
  std::uint64_t count;

  RunRows<TRun>
  GetRows() const
  {
    return { rows, runsBefore.get() };
  }
};

template <typename TRun, typename TExecutor>
CountedRuns<TRun, TExecutor>
CountRuns(const TExecutor & executor, const BitRows & rows)
{
  const std::uint64_t words = rows.words.Count();
  auto                runsBefore = executor.template Allocate<TRun>(words + 1);
  executor.ExclusiveSum(words + 1, RunUnionFind::StartsInWord{ rows }, runsBefore.get());
  const std::uint64_t count = executor.Read(runsBefore.get() + words);
  return { rows, std::move(runsBefore), count };
}

/** The label of every run, and the number of objects. */
template <typename TRun, typename TExecutor>
struct LabeledRuns
{
  typename CountedRuns<TRun, TExecutor>::BufferType labels;
  std::uint64_t                                     objectCount;
};

/** Labels runs. Where the numbering has no room for the objects, their number is right and the labels are not. */
template <typename TRun, typename TExecutor>
LabeledRuns<TRun, TExecutor>
LabelRuns(const TExecutor &                    executor,
          const CountedRuns<TRun, TExecutor> & counted,
          bool                                 fullyConnected,
          const Numbering &                    numbering)
{
  const Grid &        words = counted.rows.words;
  const std::uint64_t count = counted.count;
  const Grid          allRuns{ count };
  auto                parents = executor.template Allocate<TRun>(count);
  const auto          ranks = executor.template Allocate<TRun>(count + 1);

  const RunUnionFind::Runs<TRun> runs{ counted.GetRows(), parents.get(), fullyConnected };
  executor.ForEach(words, RunUnionFind::Initialization<TRun>{ runs });
  executor.ForEach(allRuns, RunUnionFind::Compression<TRun>{ parents.get() });
  executor.ForEach(words, RunUnionFind::Reduction<TRun>{ runs });
  executor.ForEach(allRuns, RunUnionFind::Compression<TRun>{ parents.get() });
  executor.ExclusiveSum(count + 1, RunUnionFind::IsRoot<TRun>{ parents.get(), count }, ranks.get());
  const std::uint64_t objectCount = executor.Read(ranks.get() + count);
  executor.ForEach(allRuns, RunUnionFind::Labeling<TRun>{ parents.get(), ranks.get(), numbering });
  return { std::move(parents), objectCount };
}

namespace RunUnionFind
{

inline constexpr unsigned int PixelsPerColumn = 4;

/** Writes the label of its run to each foreground pixel, and the background value to the others. A cell stands for the
 * pixels at one bit of four successive words: the threads of a warp write pixels that lie side by side, at any width
 * and alignment of rows, and each has four labels to wait for at once. */
template <typename TRun, typename TOutput>
struct Expansion
{
  RunRows<TRun> runs;
  const TRun *  labels;
  Grid          size;
  TOutput       background;
  TOutput *     output;

  static Grid
  ColumnsOf(const Grid & words)
  {
    return { DivideUp(words.x, PixelsPerColumn) * BitsPerWord, words.y, words.z };
  }

  CCL_HOST_DEVICE
  void
  operator()(const Cell & column) const
  {
    const Grid &        words = runs.rows.words;
    const unsigned int  bit = column.x % BitsPerWord;
    const std::uint64_t firstWord = column.x / BitsPerWord * PixelsPerColumn;
    const std::uint64_t row = column.y + words.y * column.z;
    const std::uint64_t begin = row * words.x;

    TOutput values[PixelsPerColumn];
    Word    previous = firstWord > 0 ? runs.rows.bits[begin + firstWord - 1] : 0;
    CCL_UNROLL
    for (unsigned int i = 0; i < PixelsPerColumn; ++i)
    {
      const Word word = runs.rows.WordAt(begin, firstWord + i);
      values[i] = background;
      if (word >> bit & 1U)
      {
        const Word starts = word & ~(word << 1 | previous >> (BitsPerWord - 1));
        const TRun run = runs.runsBefore[begin + firstWord + i] + CountBits(starts & BitsThrough(bit)) - 1;
        values[i] = static_cast<TOutput>(labels[run]);
      }
      previous = word;
    }

    TOutput * const     pixels = output + row * size.x;
    const std::uint64_t x = firstWord * BitsPerWord + bit;
    CCL_UNROLL
    for (unsigned int i = 0; i < PixelsPerColumn; ++i)
    {
      if (x + i * BitsPerWord < size.x)
      {
        pixels[x + i * BitsPerWord] = values[i];
      }
    }
  }
};

} // namespace RunUnionFind

/** Writes all pixels of an image from the labels of its runs. */
template <typename TRun, typename TOutput, typename TExecutor>
void
ExpandRuns(const TExecutor &     executor,
           const RunRows<TRun> & runs,
           const TRun *          labels,
           const Grid &          size,
           TOutput               background,
           TOutput *             output)
{
  using StepType = RunUnionFind::Expansion<TRun, TOutput>;
  executor.ForEach(StepType::ColumnsOf(runs.rows.words), StepType{ runs, labels, size, background, output });
}

} // namespace itk::ccl

#endif
