// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_algorithms_analysis_MeasureValues_h
#define ccl_algorithms_analysis_MeasureValues_h

// Measures all pixels of each value of an image, connected or not, in one pass over the pixels: no bits are packed, and
// no runs are stored. A hash table gives each value a row of the table.

#include "algorithms/analysis/AnalyzeRuns.h"
#include "executors/RowAccumulator.h"

#include <algorithm>
#include <optional>
#include <type_traits>
#include <utility>

namespace itk::ccl
{

namespace MeasureValues
{

/** Hash table of the row of each value. */
template <typename TKey, typename TFlag>
struct RowsOfKeys
{
  /** Stands for no value. The value with this key has the last row, which no other value has. */
  static constexpr TKey NoKey = static_cast<TKey>(~TKey{ 0 });

  static constexpr std::uint64_t Rows = Tuning::RowsOfValues + 1;

  /** A value has one of so many rows. In a half-full table, nearly all have one of ten. */
  static constexpr unsigned int RowsToTry = 64;

  TKey *  keys;   // of the rows; NoKey at first
  TFlag * isFull; // not 0 if a value has got no row

  /** Returns the row of a value, or NoRow if there is none left. Threads may call it at the same time. */
  CCL_HOST_DEVICE
  std::uint64_t
  RowOf(TKey key) const
  {
    constexpr std::uint64_t last = Tuning::RowsOfValues - 1;
    if (key == NoKey)
    {
      return Rows - 1;
    }
    const std::uint64_t hash = HashOf(key);
    for (unsigned int i = 0; i < RowsToTry; ++i)
    {
      const std::uint64_t row = (hash + i) & last;
      TKey                other = Load(keys + row);
      if (other == NoKey)
      {
        other = AtomicCompareExchange(keys + row, NoKey, key);
      }
      if (other == NoKey || other == key)
      {
        return row;
      }
    }
    Store(isFull, TFlag{ 1 });
    return NoRow;
  }
};

/** Measures the pixels of each word of rows, for AddToRows(). A word has one run at least for each of its values. */
template <typename TBits, typename TRun, typename TSum>
struct MeasureWord
{
  using KeyType = std::conditional_t<sizeof(TBits) == 8, std::uint64_t, std::uint32_t>;
  using MeasureType = MeasureRuns::MeasureColumns<ValueRow, TRun, TSum>;

  PackForeground::PixelReader<TBits> reader; // of one image
  RangeTest<TBits>                   foreground;
  ValueKeys<TBits>                   keyOf;
  RowsOfKeys<KeyType, TRun>          rows;
  RowGroupBits<ValueRow>             groups; // without bits
  MeasureType                        measure;

  /** The runs of a word that are still to visit. */
  struct ListType
  {
    Cell             word;
    const TBits *    pixels; // the first one of the word
    RunsOfWord<TRun> runs;

    CCL_HOST_DEVICE
    bool
    IsAtEnd() const
    {
      return runs.IsAtEnd();
    }
  };

  CCL_HOST_DEVICE
  bool
  HasValues(std::uint64_t) const
  {
    return true;
  }

  CCL_HOST_DEVICE
  ListType
  Begin(const Cell & word) const
  {
    const std::uint64_t x = word.x * BitsPerWord;
    const TBits * const row = reader.pixels.Row(reader.stack, word.y, word.z, std::uint64_t{ 0 });
    // A stale flag costs time only. A current one would take as long as the pixels.
    const unsigned int count = Load(rows.isFull) != 0 ? 0 : reader.CountInWord(word.x);
    TBits              before{};
    Word               bits = 0;
    Word               starts = 0; // a run starts at the first bit, too
    reader.ForEachChunk(row, x, count, [&](unsigned int begin, const PixelChunk<TBits> & chunk) {
      bits |= PackChunk(chunk, foreground) << begin;
      starts |= PackChanges(chunk, keyOf, before) << begin;
    });
    bits = count == 0 ? 0 : (foreground.isInverted ? ~bits : bits) & BitsThrough<Word>(count - 1);
    return { word, row + static_cast<std::int64_t>(x) * reader.pixels.pixelStride, { bits & ~starts, bits, 0 } };
  }

  /** Moves to the next run. Measures its pixels in the word, and returns the row of its value. */
  CCL_HOST_DEVICE
  std::uint64_t
  Next(ListType & list, Measurements<TRun, TSum, false> & value) const
  {
    Word mask = 0;
    list.runs.Next(mask);
    measure.Measure(groups, list.word, mask, value);
    return rows.RowOf(keyOf(list.pixels[static_cast<std::int64_t>(LowestBit(mask)) * reader.pixels.pixelStride]));
  }
};

/** Kernel functor that writes its index to each row. A cell is a row. */
template <typename TRun>
struct NumberRow
{
  TRun * rows;

  CCL_HOST_DEVICE
  void
  operator()(const Cell & row) const
  {
    rows[row.x] = static_cast<TRun>(row.x);
  }
};

} // namespace MeasureValues

/** Returns whether MeasureWholeValues() can measure the values of a request: those of one image of integers, for a
 * table without products and intensities. Each pixel of NaN would have a row. */
inline bool
CanMeasureWholeValues(const Request & request)
{
  return request.neighbors == Neighbors::All && request.output == OutputKind::None && request.images == 1 &&
         request.selection.IsDefault() && (request.columns.pixelCounts || request.columns.values) &&
         !request.columns.products && !request.WantsMask() && !request.WantsIntensities() &&
         !IsFloat(request.values.type);
}

/** Returns the request that describes the result of MeasureWholeValues(). */
inline Request
RequestForWholeValues(const Request & request)
{
  // The rows of the hash table are in no order, so Select() sorts them by first pixels.
  Request ordered = request;
  ordered.selection.minimumSize = 1;
  ordered.selection.pixelOrder = Selection::PixelOrderEnum::TransposedRaster;
  return ordered;
}

/** Measures the values of an image. Waits for their number. Returns nothing if there are more values than rows of
 * Tuning::RowsOfValues; maybe also if there are more than the half. `request` is of RequestForWholeValues(). */
template <typename TRun, typename TExecutor>
std::optional<SelectedRuns<ValueRow, TRun, TExecutor>>
MeasureWholeValues(const TExecutor & executor, const ImageView & input, const Request & request)
{
  using SumType = std::uint64_t;
  const auto          stack = StackOf<ValueRow>(request.size, 1);
  const Foreground    foreground = request.isComplement ? request.foreground.Inverted() : request.foreground;
  const TableColumns  columns = ColumnsFor(request.selection, request.columns);
  const std::uint64_t rows = MeasureValues::RowsOfKeys<std::uint64_t, TRun>::Rows;
  const auto          isFull = executor.template AllocateCleared<TRun>(1);
  auto                keys = executor.template Allocate<Word>(rows * WordsOfKey(input.type));
  auto                memory = executor.template Allocate<std::uint64_t>(TableWords<TRun>(request, rows));
  executor.Fill(keys.get(), rows * WordsOfKey(input.type), NoLabelByte);
  const auto table = ComponentTableIn<ComponentTable<TRun, SumType>>(memory.get(), columns, rows, request.size);
  executor.ForEach(Grid{ rows }, ClearRows<ComponentTable<TRun, SumType>>{ table });
  VisitWidth(input.type, [&](auto width) {
    using BitsType = decltype(width);
    using FunctorType = MeasureValues::MeasureWord<BitsType, TRun, SumType>;
    executor.AddToRows(WordsOf(stack.GetGrid()),
                       FunctorType{ { PixelsOf(static_cast<const BitsType *>(input.pixels), input), stack },
                                    RangeTest<BitsType>(foreground),
                                    ValueKeys<BitsType>::Of(input.type),
                                    { reinterpret_cast<typename FunctorType::KeyType *>(keys.get()), isFull.get() },
                                    { stack, nullptr, nullptr },
                                    FunctorType::MeasureType::For(table, stack, false) },
                       TableWithoutProducts<TRun, SumType>{ table });
  });
  if (Await(executor, BoundedCount<TRun>(1, isFull.get())) != 0)
  {
    return std::nullopt;
  }
  auto rowIndices = executor.template Allocate<TRun>(rows);
  executor.ForEach(Grid{ rows }, MeasureValues::NumberRow<TRun>{ rowIndices.get() });
  const TRun * const allAreSeeded = nullptr;
  auto               selected = Select<TRun>(executor, table, allAreSeeded, rows, request.size, {}, request.selection);
  const BoundedCount<TRun> found(rows, selected.count.address);
  const auto               none = [&] { return executor.template Allocate<TRun>(0); };
  const void * const       keysOfRows = keys.get();
  return SelectedRuns<ValueRow, TRun, TExecutor>{
    { { stack, nullptr, nullptr },
      none(),
      none(),
      none(),
      {},
      none(),
      0,
      found,
      none(),
      none(),
      { std::move(keys), RunValues::Of(input.type, keysOfRows) },
      false },
    AnalyzedComponents<TRun, TExecutor>{ std::move(memory), std::move(rowIndices), found, std::move(selected) },
    none(),
    {},
    found
  };
}

} // namespace itk::ccl

#endif
