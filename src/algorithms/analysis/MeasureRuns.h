// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_algorithms_analysis_MeasureRuns_h
#define ccl_algorithms_analysis_MeasureRuns_h

// Adds the pixels of each run to the row of its component, after all components have ranks: the late computation of
// Asad, Marroquim and Souza ("On GPU Connected Components and Properties", IEEE TIP 28(1), 2019, Section III-D).
//
// A run is measured word by word. Foreground pixels that follow each other in a word have closed forms of the first and
// the last x, like the segments of HA4 (Hennequin, Lacassagne, Cabaret, Meunier, "A new direct connected component
// labeling and analysis algorithm for GPUs", DASIP 2018, Section IV-D). Other pixels are summed bit by bit of x.
//
// A large component owns most runs. So AddToRows() merges the measurements of a component before an atomic operation
// adds them to its row.

#include "algorithms/analysis/ComponentTable.h"
#include "algorithms/analysis/CountPixels.h"
#include "algorithms/analysis/RunLists.h"
#include "executors/BoundedCount.h"
#include "primitives/ImageStack.h"

namespace itk::ccl
{

namespace MeasureRuns
{

/** The sums of x and of the squares of x over foreground pixels of a word. The first pixel of the word has x = 0. */
struct WordSums
{
  std::uint32_t x;
  std::uint32_t xx;
};

/** Returns the sums over the pixels of a word. `count` is the number of these pixels. */
CCL_HOST_DEVICE
inline WordSums
SumsOf(Word pixels, std::uint32_t count)
{
  const std::uint32_t first = LowestBit(pixels);
  const bool          isSequence = (pixels & (pixels + (Word{ 1 } << first))) == 0;
  if (isSequence)
  {
    // The mean of the squares is the square of the mean plus the variance, (count^2 - 1) / 12.
    const std::uint32_t ends = 2 * first + count - 1;
    return { ends * count / 2, (count * ends * ends + count * (count * count - 1) / 3) / 4 };
  }
  // Bit k of x is 1 for the pixels in a fixed mask. So the sum of x is the sum of 2^k times the number of such pixels,
  // and the sum of the squares has a term for each two bits.
  constexpr Word masks[] = { 0xAAAAAAAAU, 0xCCCCCCCCU, 0xF0F0F0F0U, 0xFF00FF00U, 0xFFFF0000U };
  WordSums       sums{ 0, 0 };
  CCL_UNROLL
  for (unsigned int k = 0; k < 5; ++k)
  {
    const std::uint32_t pixelsOfBit = CountBits(pixels & masks[k]);
    sums.x += pixelsOfBit << k;
    sums.xx += pixelsOfBit << 2 * k;
    CCL_UNROLL
    for (unsigned int j = 0; j < k; ++j)
    {
      sums.xx += CountBits(pixels & masks[k] & masks[j]) << (j + k + 1);
    }
  }
  return sums;
}

/** Sums over foreground pixels in a word of a row group. The first pixel of the word is the origin: x is 0 to 31, y is
 * 0 or 1, and z is 0 or 1. So y and z equal their squares. */
struct RelativeSums
{
  std::uint32_t count;
  std::uint32_t x;
  std::uint32_t y;
  std::uint32_t z;
  std::uint32_t xx;
  std::uint32_t xy;
  std::uint32_t xz;
  std::uint32_t yz;

  /** Adds the pixels of one row. Without `needsSums`, it only counts them. */
  CCL_HOST_DEVICE
  void
  AddRow(Word pixels, unsigned int row, unsigned int slice, bool needsSums)
  {
    const std::uint32_t rowCount = CountBits(pixels);
    count += rowCount;
    if (!needsSums)
    {
      return;
    }
    const WordSums sums = SumsOf(pixels, rowCount);
    x += sums.x;
    xx += sums.xx;
    y += row * rowCount;
    z += slice * rowCount;
    xy += row * sums.x;
    xz += slice * sums.x;
    yz += row * slice * rowCount;
  }

  /** Stores the sums for the origin of the image. The first pixel of the word is at wordX, wordY and wordZ. */
  template <typename TRun, typename TSum, bool VHasProducts>
  CCL_HOST_DEVICE
  void
  StoreFor(TRun wordX, TRun wordY, TRun wordZ, Measurements<TRun, TSum, VHasProducts> & all) const
  {
    const TSum originX = wordX;
    const TSum originY = wordY;
    const TSum originZ = wordZ;
    all.sums[0] = count * originX + x;
    all.sums[1] = count * originY + y;
    all.sums[2] = count * originZ + z;
    if constexpr (VHasProducts)
    {
      // Each product of (origin + relative) coordinates has four terms.
      all.products[0] = originX * (all.sums[0] + x) + xx;
      all.products[1] = originX * all.sums[1] + originY * x + xy;
      all.products[2] = originX * all.sums[2] + originZ * x + xz;
      all.products[3] = originY * (all.sums[1] + y) + y;
      all.products[4] = originY * all.sums[2] + originZ * y + yz;
      all.products[5] = originZ * (all.sums[2] + z) + z;
    }
  }
};

/** Measures pixels of a word of columns. */
template <typename TRowGroup, typename TRun, typename TSum>
struct MeasureColumns
{
  ImageStack stack;
  bool       needsSums;
  bool       isTransposed; // whether first pixels are in the order of the transposed raster

  /** Measures for the columns of a table. */
  static MeasureColumns
  For(const ComponentTable<TRun, TSum> & table, const ImageStack & stack, bool isTransposed)
  {
    return { stack, table.sums[0] != nullptr || table.products[0] != nullptr, isTransposed };
  }

  /** Measures the pixels of a word of a row group in the columns `mask`. There must be a foreground pixel. */
  template <bool VHasProducts>
  CCL_HOST_DEVICE
  void
  Measure(const RowGroupBits<TRowGroup> &          groups,
          const Cell &                             word,
          Word                                     mask,
          Measurements<TRun, TSum, VHasProducts> & all) const
  {
    const auto x = static_cast<TRun>(word.x * BitsPerWord);
    const auto y = static_cast<TRun>(word.y * TRowGroup::Rows);
    const auto stackZ = static_cast<TRun>(word.z * TRowGroup::Slices);
    const auto z = static_cast<TRun>(stackZ - stack.ImageOf(stackZ) * stack.slices);
    // The sums are relative to the first pixel of the word of the row group. So they fit in 32 bits.
    RelativeSums  sums{};
    std::uint32_t firstX = 0;
    std::uint32_t rowsFound = 0;   // bit row + 2 * slice
    std::uint32_t rowsOfFirst = 0; // rows with a pixel in the first column
    groups.ForEachRow(word.y, word.z, [&](unsigned int row, unsigned int slice) {
      const Word pixels = groups.PixelsIn(word, row, slice, mask);
      if (pixels != 0)
      {
        firstX = rowsFound == 0 ? LowestBit(pixels) : firstX;
        rowsFound |= 1U << (row + 2 * slice);
        rowsOfFirst |= (pixels >> LowestBit(mask) & 1U) << (row + 2 * slice);
        sums.AddRow(pixels, row, slice, needsSums);
      }
    });
    all = {};
    all.pixelCounts = sums.count;
    all.minimums[0] = x + LowestBit(mask);
    all.maximums[0] = x + HighestBit(mask);
    all.minimums[1] = y + (TRowGroup::Rows == 2 && (rowsFound & 0x5U) == 0);
    all.maximums[1] = y + (TRowGroup::Rows == 2 && (rowsFound & 0xAU) != 0);
    all.minimums[2] = z + (TRowGroup::Slices == 2 && (rowsFound & 0x3U) == 0);
    all.maximums[2] = z + (TRowGroup::Slices == 2 && (rowsFound & 0xCU) != 0);
    if (isTransposed)
    {
      // Of the first column, row 0 of slice 0 comes first, then row 0 of slice 1, row 1 of slice 0, row 1 of slice 1.
      const TRun row = (rowsOfFirst & 0x5U) == 0;
      const TRun slice = (rowsOfFirst >> row & 0x1U) == 0;
      all.firstPixels =
        z + slice + static_cast<TRun>(stack.size.z) * (y + row + static_cast<TRun>(stack.size.y) * all.minimums[0]);
    }
    else
    {
      const TRun row = TRowGroup::IsOneRow ? 0 : LowestBit(rowsFound);
      all.firstPixels =
        x + firstX + static_cast<TRun>(stack.size.x) * (y + row % 2 + static_cast<TRun>(stack.size.y) * (z + row / 2));
    }
    if (needsSums)
    {
      sums.StoreFor(x, y, z, all);
    }
  }
};

/** Measures the runs of each word of columns, for AddToRows(). */
template <typename TRowGroup, typename TRun, typename TSum>
struct MeasureWord : RunLists<TRowGroup, TRun>
{
  using typename RunLists<TRowGroup, TRun>::ListType;

  RanksOfRuns<TRun>                     ranks;
  MeasureColumns<TRowGroup, TRun, TSum> measure;

  /** Moves to the next run. Measures its pixels in the word, and returns the rank of its component. */
  template <bool VHasProducts>
  CCL_HOST_DEVICE
  std::uint64_t
  Next(ListType & list, Measurements<TRun, TSum, VHasProducts> & value) const
  {
    Word       mask = 0;
    const TRun run = list.runs.Next(mask);
    measure.Measure(this->runs.groups, list.word, mask, value);
    return ranks[run];
  }
};

} // namespace MeasureRuns

/** Measures all components. `isTransposed` is the pixel order of the first pixels. Writes all rows of the table. */
template <typename TRowGroup, typename TRun, typename TSum, typename TExecutor>
void
MeasureComponents(const TExecutor &                    executor,
                  const IndexedRuns<TRowGroup, TRun> & runs,
                  const RanksOfRuns<TRun> &            ranks,
                  const ImageStack &                   stack,
                  bool                                 isTransposed,
                  const BoundedCount<TRun> &           componentCount,
                  const ComponentTable<TRun, TSum> &   table)
{
  using namespace MeasureRuns;
  executor.ForEach(componentCount, ClearRows<ComponentTable<TRun, TSum>>{ table });
  if (!table.HasMoreThanPixelCounts())
  {
    if (table.pixelCounts != nullptr)
    {
      CountPixelsOfComponents(executor, runs, ranks, table.pixelCounts);
    }
    return;
  }
  const MeasureWord<TRowGroup, TRun, TSum> functor{
    { runs }, ranks, MeasureColumns<TRowGroup, TRun, TSum>::For(table, stack, isTransposed)
  };
  if constexpr (sizeof(TSum) == sizeof(std::uint64_t)) // other sums are those of products
  {
    if (table.products[0] == nullptr)
    {
      executor.AddToRows(runs.groups.columns.words, functor, TableWithoutProducts<TRun, TSum>{ table });
      return;
    }
  }
  executor.AddToRows(runs.groups.columns.words, functor, table);
}

} // namespace itk::ccl

#endif
