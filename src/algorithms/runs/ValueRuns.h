// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_algorithms_runs_ValueRuns_h
#define ccl_algorithms_runs_ValueRuns_h

// The bits, the starts and the values of runs in labeling by value. A run ends where the value changes. The host stores
// them by functions of ImageRows.h, which compilers make vectors of.

#include "algorithms/runs/PackForeground.h"
#include "executors/BoundedCount.h"
#include "primitives/EqualValues.h"
#include "primitives/Runs.h"
#include "primitives/Tuning.h"

#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace itk::ccl
{

/** Returns the pixels of a view. `pixels` is its address as a pointer to its type. */
template <typename TPixel>
StackPixels<TPixel>
PixelsOf(TPixel * pixels, const ImageView & view)
{
  const auto bytes = static_cast<std::int64_t>(SizeOf(view.type));
  return { pixels,
           view.size[0] <= 1 ? 1 : view.strides[0] / bytes,
           view.strides[1] / bytes,
           view.strides[2] / bytes,
           view.imageStride / bytes,
           view.IsContiguous() };
}

namespace ValueRuns
{

/** Kernel functor that writes the bits of pixels, and the bits at which runs start. Clears memory for later functors on
 * the way. A cell is a word of a row of the stack. */
template <typename TBits>
struct PackWord
{
  PackForeground::PixelReader<TBits> reader;
  RangeTest<TBits>                   foreground;
  ValueKeys<TBits>                   keys;
  Grid                               words;
  bool                               isMasked; // whether `bits` has the pixels that may be foreground
  Word *                             bits;
  Word *                             starts;
  MemoryToClear                      toClear;

  CCL_HOST_DEVICE
  void
  operator()(const Cell & cell) const
  {
    const std::uint64_t at = IndexOf(words, cell);
    for (std::uint64_t i = at; i < toClear.count; i += words.Count())
    {
      toClear.words[i] = 0;
    }
    const Word          mask = isMasked ? Load(bits + at) : ~Word{ 0 };
    const ImageStack &  stack = reader.stack;
    const TBits * const row = reader.pixels.Row(stack, cell.y, cell.z, stack.ImageOf(cell.z));
    const std::uint64_t x = cell.x * BitsPerWord;
    const unsigned int  count = mask == 0 ? 0 : reader.CountInWord(cell.x);
    TBits before = x == 0 ? TBits{ 0 } : keys(row[static_cast<std::int64_t>(x - 1) * reader.pixels.pixelStride]);
    Word  inside = 0;
    Word  changes = 0;
    reader.ForEachChunk(row, x, count, [&](unsigned int begin, const PixelChunk<TBits> & chunk) {
      inside |= PackChunk(chunk, foreground) << begin;
      changes |= PackChanges(chunk, keys, before) << begin;
    });
    const Word here = count == 0 ? 0 : mask & (foreground.isInverted ? ~inside : inside) & BitsThrough<Word>(count - 1);
    // If the pixel before the word has the value of the first one, both are foreground or none is. So its bit does not
    // change when another thread replaces that of the mask.
    const Word last = x == 0 ? 0 : isMasked ? Load(bits + at - 1) >> (BitsPerWord - 1) : 1;
    Store(bits + at, here);
    starts[at] = here & (changes | ~(here << 1 | last));
  }
};

/** Kernel functor that writes the key of each run. A cell's x is a part of a word of the stack. */
template <typename TBits, typename TRun>
struct StoreKeys
{
  using KeyType = std::conditional_t<sizeof(TBits) == 8, std::uint64_t, std::uint32_t>;

  PackForeground::PixelReader<TBits> reader;
  ValueKeys<TBits>                   keys;
  StartedRows                        rows;
  const TRun *                       runOffsets;
  KeyType *                          keysOfRuns;
  unsigned int                       partBits; // a word has 2^partBits parts

  CCL_HOST_DEVICE
  void
  operator()(const Cell & part) const
  {
    const std::uint64_t at = part.x >> partBits;
    const unsigned int  width = BitsPerWord >> partBits;
    const unsigned int  first = (static_cast<unsigned int>(part.x) & ((1U << partBits) - 1)) * width;
    const Word          starts = rows.starts[at];
    Word                left = starts & BitsThrough(width - 1) << first;
    if (left == 0)
    {
      return;
    }
    const Cell          word = CellAt(rows.words, at);
    const ImageStack &  stack = reader.stack;
    const TBits * const pixels = reader.pixels.Row(stack, word.y, word.z, stack.ImageOf(word.z));
    TRun                run = runOffsets[at] + CountBits(starts & ((Word{ 1 } << first) - 1));
    for (; left != 0; left &= left - 1, ++run)
    {
      const auto x = static_cast<std::int64_t>(word.x * BitsPerWord + LowestBit(left));
      keysOfRuns[run] = keys(pixels[x * reader.pixels.pixelStride]);
    }
  }
};

/** The work of the kernel that writes the keys. If words have many runs, a thread has a part of a word. */
template <typename TBits, typename TRun>
struct StoreKeysWork
{
  BoundedCount<TRun>     runCount;
  StoreKeys<TBits, TRun> storeKeys;

  CCL_NO_EXECUTION_CHECK
  template <typename TVisitor>
  CCL_HOST_DEVICE
  void
  Dispatch(const TVisitor & visit) const
  {
    constexpr unsigned int many = Tuning::PartBitsOfManyRuns;
    const std::uint64_t    words = storeKeys.rows.words.Count();
    const std::uint64_t    count = runCount.GetOrZero();
    StoreKeys<TBits, TRun> functor = storeKeys;
    functor.partBits = count > words << many ? many : 0;
    visit(count == 0 ? 0 : words << functor.partBits, functor);
  }
};

} // namespace ValueRuns

/** Packs the pixels of images to the bits of their rows and of the starts of their runs. If `isMasked`, `bits` has the
 * bits of the pixels that may be foreground. */
template <typename TExecutor>
void
PackValues(const TExecutor &  executor,
           const ImageView &  image,
           const ImageStack & stack,
           const Foreground & foreground,
           bool               isMasked,
           Word *             bits,
           Word *             starts)
{
  const Grid words = WordsOf(stack.GetGrid());
  VisitWidth(image.type, [&](auto width) {
    using BitsType = decltype(width);
    executor.ForEach(
      words,
      ValueRuns::PackWord<BitsType>{ { PixelsOf(static_cast<const BitsType *>(image.pixels), image), stack },
                                     RangeTest<BitsType>(foreground),
                                     ValueKeys<BitsType>::Of(image.type),
                                     words,
                                     isMasked,
                                     bits,
                                     starts,
                                     executor.TakeMemoryToClear() });
  });
}

/** Where the values of runs come from. */
struct RunValueSource
{
  const ImageView * image = nullptr; // the images: their pixel type, and their pixels if there are no keys
  const void *      keys = nullptr;  // of the runs, if they are known

  /** Returns the stack of the images, as rows. */
  ImageStack
  GetStack() const
  {
    return { Grid{ image->size[0], image->size[1], image->size[2] }, image->images, 1 };
  }
};

/** The values of runs. */
template <typename TExecutor>
struct StoredValues
{
  using BufferType = decltype(std::declval<const TExecutor &>().template Allocate<Word>(0));

  BufferType memory; // empty if the keys were known, or if runs have no values
  RunValues  ofRuns;
};

/** Reads the values of runs, if they have values. Runs after the capacity get none. */
template <typename TRowGroup, typename TRun, typename TExecutor>
StoredValues<TExecutor>
StoreValuesOfRuns(const TExecutor &                                executor,
                  [[maybe_unused]] const RowGroupBits<TRowGroup> & groups,
                  [[maybe_unused]] const TRun *                    runOffsets,
                  [[maybe_unused]] const BoundedCount<TRun> &      runCount,
                  [[maybe_unused]] const RunValueSource &          source)
{
  if constexpr (TRowGroup::HasValues)
  {
    const PixelType type = source.image->type;
    if (source.keys != nullptr)
    {
      return { executor.template Allocate<Word>(0), RunValues::Of(type, source.keys) };
    }
    auto memory = executor.template Allocate<Word>(runCount.limit * WordsOfKey(type));
    VisitWidth(type, [&](auto width) {
      using BitsType = decltype(width);
      using WorkType = ValueRuns::StoreKeysWork<BitsType, TRun>;
      const StartedRows & rows = groups.columns;
      executor.Dispatch(
        Grid{ Tuning::ThreadsForParts(rows.words.Count()) },
        WorkType{ runCount,
                  { { PixelsOf(static_cast<const BitsType *>(source.image->pixels), *source.image), source.GetStack() },
                    ValueKeys<BitsType>::Of(type),
                    rows,
                    runOffsets,
                    reinterpret_cast<decltype(WorkType::storeKeys.keysOfRuns)>(memory.get()),
                    0 } });
    });
    const void * const keys = memory.get();
    return { std::move(memory), RunValues::Of(type, keys) };
  }
  else
  {
    return { executor.template Allocate<Word>(0), {} };
  }
}

} // namespace itk::ccl

#endif
