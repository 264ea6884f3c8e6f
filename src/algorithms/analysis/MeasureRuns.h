// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_algorithms_analysis_MeasureRuns_h
#define ccl_algorithms_analysis_MeasureRuns_h

// Adds the pixels of each run to the row of its component, after all components have ranks: the late computation of
// Asad, Marroquim and Souza ("On GPU Connected Components and Properties", IEEE TPDS 30(1), 2019, Section III-D).
//
// A sequence of foreground pixels of a row adds closed forms of its first and last x, as the features of segments in
// HA4 (Hennequin, Lacassagne, Cabaret, Meunier, "A new direct connected component labeling and analysis algorithm for
// GPUs", DASIP 2018, Section IV-D). A run under full connectivity has several such sequences in its 2 or 4 rows.
//
// A large component owns most runs. RowAccumulator and the executor merge the measurements of a component before an
// atomic operation adds them to its row.

#include "algorithms/analysis/ComponentTable.h"
#include "primitives/LabelValues.h"
#include "primitives/Runs.h"

namespace itk::ccl
{

namespace MeasureRuns
{

/** The number of foreground pixels in a word, and the sums of their x and of the squares of x. The first pixel of the
 * word has x = 0. */
struct WordSums
{
  std::uint32_t count;
  std::uint32_t sum;
  std::uint32_t squares;
};

/** Returns the sum of the squares of the integers below n. */
CCL_HOST_DEVICE
constexpr std::uint32_t
SumOfSquaresBelow(std::uint32_t n)
{
  return n == 0 ? 0 : (n - 1) * n * (2 * n - 1) / 6;
}

CCL_HOST_DEVICE
inline WordSums
SumsOf(Word pixels)
{
  WordSums sums{ CountBits(pixels), 0, 0 };
  while (pixels != 0)
  {
    const std::uint32_t first = LowestBit(pixels);
    const Word          sequence = pixels & BitsBelowGap(pixels, first);
    const std::uint32_t last = HighestBit(sequence);
    pixels &= ~sequence;
    sums.sum += (first + last) * (last - first + 1) / 2;
    sums.squares += SumOfSquaresBelow(last + 1) - SumOfSquaresBelow(first);
  }
  return sums;
}

/** Kernel functor that measures the runs of a word, for AddToRows(). A cell is a word of columns. */
template <typename TRowGroup, typename TRun, typename TSum>
struct MeasureWord
{
  IndexedRuns<TRowGroup, TRun> runs;
  const TRun *                 labels; // an element for each run
  LabelValues                  labelValues;
  Grid                         size;
  bool                         needsSums;
  bool                         needsProducts;

  template <typename TAdd>
  CCL_HOST_DEVICE
  void
  operator()(const Cell & word, const TAdd & add) const
  {
    runs.ForEachRunIn(
      word, [&](TRun run, Word mask) { add(labelValues.RankOf(labels[run]), this->MeasurementsOf(word, mask)); });
  }

private:
  /** Measures the pixels of a word of a row group in the columns `mask`. There must be a foreground pixel. */
  CCL_HOST_DEVICE
  Measurements<TRun, TSum>
  MeasurementsOf(const Cell & word, Word mask) const
  {
    Measurements<TRun, TSum> all;
    const auto               begin = static_cast<TRun>(word.x * BitsPerWord);
    all.minimum[0] = begin + LowestBit(mask);
    all.maximum[0] = begin + HighestBit(mask);
    runs.groups.ForEachRow(word.y, word.z, [&](unsigned int row, unsigned int slice) {
      const Word pixels = mask & runs.groups.rows.bits[runs.groups.RowBegin(word.y, word.z, row, slice) + word.x];
      if (pixels == 0)
      {
        return;
      }
      const auto y = static_cast<TRun>(word.y * TRowGroup::Rows + row);
      const auto z = static_cast<TRun>(word.z * TRowGroup::Slices + slice);
      if (all.pixelCount == 0)
      {
        all.minimum[1] = all.maximum[1] = y;
        all.minimum[2] = all.maximum[2] = z;
        all.firstPixel = begin + LowestBit(pixels) + static_cast<TRun>(size.x) * (y + static_cast<TRun>(size.y) * z);
      }
      all.minimum[1] = y < all.minimum[1] ? y : all.minimum[1];
      all.maximum[1] = y > all.maximum[1] ? y : all.maximum[1];
      all.maximum[2] = z;
      all.pixelCount += CountBits(pixels);
      if (needsSums || needsProducts)
      {
        this->AddSums(pixels, begin, y, z, all);
      }
    });
    return all;
  }

  /** Adds the sums over the pixels of a word. `begin` is the x of its first pixel. */
  CCL_HOST_DEVICE
  void
  AddSums(Word pixels, TSum begin, TSum y, TSum z, Measurements<TRun, TSum> & all) const
  {
    const WordSums inWord = SumsOf(pixels);
    const TSum     count = inWord.count;
    const TSum     sum = count * begin + inWord.sum;
    all.sums[0] += sum;
    all.sums[1] += count * y;
    all.sums[2] += count * z;
    if (needsProducts)
    {
      all.products[0] += begin * (sum + inWord.sum) + inWord.squares; // (begin + x)^2 for each x
      all.products[1] += sum * y;
      all.products[2] += sum * z;
      all.products[3] += count * y * y;
      all.products[4] += count * y * z;
      all.products[5] += count * z * z;
    }
  }
};

/** Prepares the rows of a table. A cell is a row. */
template <typename TRun, typename TSum>
struct ClearRows
{
  ComponentTable<TRun, TSum> table;

  CCL_HOST_DEVICE
  void
  operator()(const Cell & row) const
  {
    table.Clear(row.x);
  }
};

} // namespace MeasureRuns

/** Measures all components. `labels` has the label of each run, by `labelValues`. Writes all rows of the table. */
template <typename TRowGroup, typename TRun, typename TSum, typename TExecutor>
void
MeasureComponents(const TExecutor &                    executor,
                  const IndexedRuns<TRowGroup, TRun> & runs,
                  const TRun *                         labels,
                  const LabelValues &                  labelValues,
                  const Grid &                         size,
                  std::uint64_t                        componentCount,
                  const ComponentTable<TRun, TSum> &   table)
{
  using namespace MeasureRuns;
  executor.ForEach(Grid{ componentCount }, ClearRows<TRun, TSum>{ table });
  executor.AddToRows(runs.groups.columns.words,
                     MeasureWord<TRowGroup, TRun, TSum>{
                       runs, labels, labelValues, size, table.sums[0] != nullptr, table.products[0] != nullptr },
                     table);
}

} // namespace itk::ccl

#endif
