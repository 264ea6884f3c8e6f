// SPDX-License-Identifier: Apache-2.0
#ifndef RunUnionFind_h
#define RunUnionFind_h

// Union-find on runs over packed bits, for face and full connectivity in planes and volumes.
//
// The idea of runs as the elements is that of He, Chao and Suzuki (IEEE TIP 17(5), 2008); the order of the steps, which
// link each run to one neighbour first and unite it with the others later, is that of Komura equivalence (Komura,
// Comput. Phys. Commun. 194, 2015). Runs are numbered in raster order, so that the root of a component is the run of
// its first pixel, and the order of roots is the order of labels.

#include "BitRows.h"
#include "Numbering.h"
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
  BitRows rows;

  CCL_HOST_DEVICE
  std::uint32_t
  operator()(std::uint64_t word) const
  {
    const std::uint64_t x = rows.XOf(word);
    return CountBits(rows.Starts(word - x, x));
  }
};

/** Keeps how many runs start before each word, and the first and the last pixel of each run. */
template <typename TRun>
struct RecordRuns
{
  BitRows rows;
  TRun *  runsBefore;
  TRun *  firstPixels;
  TRun *  lastPixels;

  CCL_HOST_DEVICE
  void
  operator()(std::uint64_t word, TRun before) const
  {
    runsBefore[word] = before;
    if (rows.bits[word] == 0)
    {
      return;
    }
    const std::uint64_t x = rows.XOf(word);
    const Word          starts = rows.Starts(word - x, x);
    const TRun          pixel = static_cast<TRun>(word * BitsPerWord);
    TRun                run = before;
    for (Word left = starts; left != 0; left &= left - 1, ++run)
    {
      firstPixels[run] = pixel + LowestBit(left);
    }
    for (Word left = rows.bits[word] & ~rows.After(word - x, x); left != 0; left &= left - 1)
    {
      const unsigned int bit = LowestBit(left);
      lastPixels[before + CountBits(starts & BitsThrough(bit)) - 1] = pixel + bit;
    }
  }
};

/** What the steps that run over the runs know. Pixels are counted in bits from the first word of the image on. */
template <typename TRun>
struct Runs
{
  RunRows<TRun> rows;
  const TRun *  firstPixels;
  const TRun *  lastPixels;
  TRun *        parents;
  bool          fullyConnected;

  /** Calls visit(first, last) for each row before that of a run, in raster order, in which runs touch it: those from
   * the first up to the last. Ends when visit() gives false. */
  template <typename TVisitor>
  CCL_HOST_DEVICE
  void
  ForEachTouchingRow(TRun run, const TVisitor & visit) const
  {
    const Grid &        words = rows.rows.words;
    const std::uint64_t rowBits = words.x * BitsPerWord;
    const std::uint64_t first = firstPixels[run];
    const std::uint64_t row = Divide(first, rowBits);
    const std::uint64_t z = Divide(row, words.y);
    const std::uint64_t y = row - z * words.y;
    const std::uint64_t begin = first - row * rowBits;
    const std::uint64_t end = lastPixels[run] - row * rowBits;
    // Under full connectivity, runs that end right before or start right after this one touch it, too.
    const std::uint64_t reachBegin = begin - (fullyConnected && begin > 0);
    const std::uint64_t reachEnd = end + (fullyConnected && end + 1 < rowBits);

    const auto visitRow = [&](std::uint64_t otherRow) {
      const std::uint64_t otherBegin = otherRow * words.x;
      const TRun          from = this->FirstRunFrom(otherBegin, reachBegin);
      const TRun          until = this->RunsThrough(otherBegin, reachEnd);
      return from >= until || visit(from, static_cast<TRun>(until - 1));
    };
    if (z > 0)
    {
      if (fullyConnected && y > 0 && !visitRow(row - words.y - 1))
      {
        return;
      }
      if (!visitRow(row - words.y))
      {
        return;
      }
      if (fullyConnected && y + 1 < words.y && !visitRow(row - words.y + 1))
      {
        return;
      }
    }
    if (y > 0)
    {
      visitRow(row - 1);
    }
  }

private:
  /** How many runs start up to and at x of a row. */
  CCL_HOST_DEVICE
  TRun
  RunsThrough(std::uint64_t rowBegin, std::uint64_t x) const
  {
    const std::uint64_t word = x / BitsPerWord;
    return rows.runsBefore[rowBegin + word] +
           CountBits(rows.rows.Starts(rowBegin, word) & BitsThrough(x % BitsPerWord));
  }

  /** The run that covers x of a row, or else the next one. */
  CCL_HOST_DEVICE
  TRun
  FirstRunFrom(std::uint64_t rowBegin, std::uint64_t x) const
  {
    const bool isCovered = rows.rows.bits[rowBegin + x / BitsPerWord] >> x % BitsPerWord & 1U;
    return RunsThrough(rowBegin, x) - isCovered;
  }
};

/** Links each run to the first run of the first row that touches it, if any. */
template <typename TRun>
struct Initialization
{
  Runs<TRun> runs;

  CCL_HOST_DEVICE
  void
  operator()(const Cell & cell) const
  {
    const TRun run = static_cast<TRun>(cell.x);
    TRun       parent = run;
    runs.ForEachTouchingRow(run, [&parent](TRun first, TRun) {
      parent = first;
      return false;
    });
    runs.parents[run] = parent;
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

/** Unites each run with those that touch it. */
template <typename TRun>
struct Reduction
{
  Runs<TRun> runs;

  CCL_HOST_DEVICE
  void
  operator()(const Cell & cell) const
  {
    const TRun run = static_cast<TRun>(cell.x);
    runs.ForEachTouchingRow(run, [this, run](TRun first, TRun last) {
      for (TRun other = first; other <= last; ++other)
      {
        Union(runs.parents, run, other);
      }
      return true;
    });
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

/** The number of an image's runs, and what it takes to number them in raster order. */
template <typename TRun, typename TExecutor>
struct CountedRuns
{
  using SumsType =
    decltype(std::declval<const TExecutor &>().template Sum<TRun>(0, std::declval<RunUnionFind::StartsInWord>()));

  BitRows       rows;
  SumsType      sums;
  std::uint64_t count;
};

template <typename TRun, typename TExecutor>
CountedRuns<TRun, TExecutor>
CountRuns(const TExecutor & executor, const BitRows & rows)
{
  auto                sums = executor.template Sum<TRun>(rows.words.Count(), RunUnionFind::StartsInWord{ rows });
  const std::uint64_t count = sums.total;
  return { rows, std::move(sums), count };
}

/** Writes how many runs start before each word. */
template <typename TRun, typename TExecutor>
void
NumberRuns(const TExecutor & executor, const CountedRuns<TRun, TExecutor> & counted, TRun * runsBefore)
{
  executor.ForEachSum(counted.sums, RunUnionFind::StartsInWord{ counted.rows }, KeepSums<TRun>{ runsBefore });
}

/** The label of every run, and the number of objects. */
template <typename TRun, typename TExecutor>
struct LabeledRuns
{
  using BufferType = decltype(std::declval<const TExecutor &>().template Allocate<TRun>(0));

  BitRows       bits;
  BufferType    runsBefore;
  BufferType    labels;
  std::uint64_t objectCount;

  RunRows<TRun>
  GetRows() const
  {
    return { bits, runsBefore.get() };
  }
};

/** Labels runs. Where the numbering has no room for the objects, their number is right and the labels are not. */
template <typename TRun, typename TExecutor>
LabeledRuns<TRun, TExecutor>
LabelRuns(const TExecutor &                    executor,
          const CountedRuns<TRun, TExecutor> & counted,
          bool                                 fullyConnected,
          const Numbering &                    numbering)
{
  using namespace RunUnionFind;
  const BitRows & rows = counted.rows;
  const Grid      all{ counted.count };
  auto            runsBefore = executor.template Allocate<TRun>(rows.words.Count());
  auto            parents = executor.template Allocate<TRun>(counted.count);
  const auto      firstPixels = executor.template Allocate<TRun>(counted.count);
  const auto      lastPixels = executor.template Allocate<TRun>(counted.count);
  executor.ForEachSum(counted.sums,
                      StartsInWord{ rows },
                      RecordRuns<TRun>{ rows, runsBefore.get(), firstPixels.get(), lastPixels.get() });

  const Runs<TRun> runs{
    { rows, runsBefore.get() }, firstPixels.get(), lastPixels.get(), parents.get(), fullyConnected
  };
  executor.ForEach(all, Initialization<TRun>{ runs });
  executor.ForEach(all, Compression<TRun>{ parents.get() });
  executor.ForEach(all, Reduction<TRun>{ runs });
  executor.ForEach(all, Compression<TRun>{ parents.get() });

  const IsRoot<TRun> isRoot{ parents.get() };
  const auto         ranks = executor.template Sum<TRun>(counted.count, isRoot);
  // Where a run starts is no longer asked for.
  TRun * const rootLabels = firstPixels.get();
  executor.ForEachSum(ranks, isRoot, NumberRoots<TRun>{ parents.get(), numbering, rootLabels });
  executor.ForEach(all, Labeling<TRun>{ parents.get(), rootLabels });
  return { rows, std::move(runsBefore), std::move(parents), ranks.total };
}

namespace RunUnionFind
{

/** Four pixels that the device writes in one access. */
template <typename TOutput>
struct alignas(4 * sizeof(TOutput) < 16 ? 4 * sizeof(TOutput) : 16) Quad
{
  TOutput pixels[4];
};

/** Writes the label of its run to each foreground pixel, and the background value to the others. A cell stands for two
 * quads of pixels of a row, 32 quads apart, each of which starts where one access can write it: at 0 to 3 pixels before
 * the row, for the first, where the row itself does not. */
template <typename TRun, typename TOutput>
struct Expansion
{
  static constexpr unsigned int QuadsPerCell = 2;
  static constexpr unsigned int Stride = 32;

  RunRows<TRun> runs;
  const TRun *  labels;
  Grid          size;
  TOutput       background;
  TOutput *     output;

  Grid
  GetCells() const
  {
    const bool          isAligned = size.x % 4 == 0 && MisalignmentOf(output) == 0;
    const std::uint64_t quads = DivideUp(size.x, 4) + !isAligned;
    return { DivideUp(quads, QuadsPerCell * Stride) * Stride, size.y, size.z };
  }

  CCL_HOST_DEVICE
  void
  operator()(const Cell & cell) const
  {
    const std::uint64_t row = cell.y + size.y * cell.z;
    const std::uint64_t rowBegin = row * runs.rows.words.x;
    TOutput * const     pixels = output + row * size.x;
    const std::uint64_t firstQuad = cell.x / Stride * (QuadsPerCell * Stride) + cell.x % Stride;
    const unsigned int  before = MisalignmentOf(pixels);
    Quad<TOutput>       quads[QuadsPerCell];
    CCL_UNROLL
    for (unsigned int i = 0; i < QuadsPerCell; ++i)
    {
      this->Fill(quads[i], rowBegin, static_cast<std::int64_t>(4 * (firstQuad + i * Stride)) - before);
    }
    CCL_UNROLL
    for (unsigned int i = 0; i < QuadsPerCell; ++i)
    {
      this->Store(pixels, quads[i], static_cast<std::int64_t>(4 * (firstQuad + i * Stride)) - before);
    }
  }

private:
  /** How many pixels an address lies behind one where a quad may start. */
  CCL_HOST_DEVICE
  static unsigned int
  MisalignmentOf(const TOutput * address)
  {
    return reinterpret_cast<std::uintptr_t>(address) / sizeof(TOutput) % 4;
  }

  CCL_HOST_DEVICE
  void
  Fill(Quad<TOutput> & quad, std::uint64_t rowBegin, std::int64_t x) const
  {
    CCL_UNROLL
    for (unsigned int i = 0; i < 4; ++i)
    {
      quad.pixels[i] = background;
    }
    if (x >= static_cast<std::int64_t>(size.x))
    {
      return;
    }
    // The bits of the quad, and of the pixel before it. A row begins and ends with background.
    const std::uint64_t begin = x < 0 ? 0 : static_cast<std::uint64_t>(x);
    const std::uint64_t word = begin / BitsPerWord;
    const unsigned int  bit = begin % BitsPerWord;
    const Word          here = runs.rows.bits[rowBegin + word];
    const Word          next = bit > BitsPerWord - 4 ? runs.rows.WordAt(rowBegin, word + 1) : 0;
    const Word          left = word > 0 ? runs.rows.bits[rowBegin + word - 1] >> (BitsPerWord - 1) : 0;
    const unsigned int  skipped = static_cast<unsigned int>(static_cast<std::int64_t>(begin) - x);
    const unsigned int  window = static_cast<unsigned int>((std::uint64_t{ next } << BitsPerWord | here) >> bit) & 15U;
    if (window == 0)
    {
      return;
    }
    const Word         beforeHere = here << 1 | left;
    const Word         starts = here & ~beforeHere;
    const unsigned int foreground = window << skipped & 15U;
    // The run of the first foreground pixel: a run that started up to the first pixel of the window, or the next one.
    const TRun         through = runs.runsBefore[rowBegin + word] + CountBits(starts & BitsThrough(bit));
    const TRun         run = through - (window & 1U);
    const unsigned int followers = foreground & ~(foreground << 1) & (foreground - 1);
    const TOutput      first = static_cast<TOutput>(labels[run]);
    const TOutput      second = followers != 0 ? static_cast<TOutput>(labels[run + 1]) : first;
    CCL_UNROLL
    for (unsigned int i = 0; i < 4; ++i)
    {
      if (foreground >> i & 1U)
      {
        quad.pixels[i] = (followers & ((2U << i) - 1)) != 0 ? second : first;
      }
    }
  }

  CCL_HOST_DEVICE
  void
  Store(TOutput * pixels, const Quad<TOutput> & quad, std::int64_t x) const
  {
    const auto end = static_cast<std::int64_t>(size.x);
    if (x >= 0 && x + 4 <= end)
    {
      *reinterpret_cast<Quad<TOutput> *>(pixels + x) = quad;
      return;
    }
    CCL_UNROLL
    for (unsigned int i = 0; i < 4; ++i)
    {
      if (x + i >= 0 && x + i < end)
      {
        pixels[x + i] = quad.pixels[i];
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
  const RunUnionFind::Expansion<TRun, TOutput> step{ runs, labels, size, background, output };
  executor.ForEach(step.GetCells(), step);
}

} // namespace itk::ccl

#endif
