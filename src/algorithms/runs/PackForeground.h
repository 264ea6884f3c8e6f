// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_algorithms_runs_PackForeground_h
#define ccl_algorithms_runs_PackForeground_h

// Makes the bits of row groups, from the pixels of an image or from the bits of its rows.

#include "executors/Executor.h"
#include "primitives/ObservedValues.h"
#include "primitives/PackWord.h"
#include "primitives/RowGroups.h"

#include <type_traits>
#include <utility>

namespace itk::ccl
{

namespace PackForeground
{

/** Reads neighboring pixels of rows of the images of a stack. */
template <typename TBits>
struct PixelReader
{
  using ChunkType = PixelChunk<TBits>;

  StackPixels<const TBits> pixels;
  ImageStack               stack;

  /** Loads the pixels of a row from x on, at most `count`. `first` is their address. */
  CCL_HOST_DEVICE
  void
  Load(const TBits * first, std::uint64_t x, unsigned int count, ChunkType & chunk) const
  {
    if (pixels.pixelStride == 1)
    {
      const unsigned int before = ChunkType::PixelsBefore(first);
      if (before == 0 && count >= ChunkType::Pixels)
      {
        chunk.LoadAligned(first);
        return;
      }
      // Contiguous images have no gaps, so a load may include pixels of other rows and images. Otherwise it must stay
      // in the row: the memory around it may not be the caller's.
      const std::uint64_t index = pixels.isContiguous ? static_cast<std::uint64_t>(first - pixels.pixels) : x;
      const std::uint64_t size = pixels.isContiguous ? this->CountPixels() : stack.size.x;
      if (index >= before && index - before + ChunkType::Pixels + ChunkType::PixelsOf16Bytes <= size)
      {
        chunk.LoadFromGroups(first, count);
        return;
      }
    }
    chunk = ChunkType::LoadStrided(first, pixels.pixelStride, count);
  }

  /** Calls visit(begin, chunk) for the `count` pixels of a row from x on, in parts. The first pixel of a part is
   * x + begin. Pixels of a chunk after `count` do not count. */
  template <typename TVisitor>
  CCL_HOST_DEVICE
  void
  ForEachChunk(const TBits * row, std::uint64_t x, unsigned int count, const TVisitor & visit) const
  {
    for (unsigned int begin = 0; begin < count; begin += ChunkType::Pixels)
    {
      ChunkType           chunk;
      const std::uint64_t at = x + begin;
      this->Load(row + static_cast<std::int64_t>(at) * pixels.pixelStride, at, count - begin, chunk);
      visit(begin, chunk);
    }
  }

  /** Returns the number of pixels of a row in word x. */
  CCL_HOST_DEVICE
  unsigned int
  CountInWord(std::uint64_t word) const
  {
    const std::uint64_t left = stack.size.x - word * BitsPerWord;
    return left < BitsPerWord ? static_cast<unsigned int>(left) : BitsPerWord;
  }

private:
  CCL_HOST_DEVICE
  std::uint64_t
  CountPixels() const
  {
    return stack.size.Count() * stack.images;
  }
};

/** Packs the pixels of words.
 * \tparam TTest a ValueTest or a RangeTest of TBits
 * \tparam TObserver NoObserver, or a ValueObserver if the test is for 0 */
template <typename TBits, typename TTest = ValueTest<TBits>, typename TObserver = NoObserver>
struct PackWordAt
{
  static constexpr bool IsObserving = !std::is_same<TObserver, NoObserver>::value;

  PixelReader<TBits> reader;
  TTest              foreground;
  TObserver          observer{};

  /** Returns the bits of word x of a row. `row` points to its first pixel. The observer adds the pixels to `values`. */
  CCL_HOST_DEVICE
  Word
  operator()(const TBits * row, std::uint64_t x, ObservedValues & values) const
  {
    const unsigned int count = reader.CountInWord(x);
    Word               word = 0;
    reader.ForEachChunk(row,
                        x * BitsPerWord,
                        foreground.IsConstant() ? 0 : count, // nothing is read if all pixels are foreground, or none
                        [&](unsigned int begin, const PixelChunk<TBits> & chunk) {
                          const Word bits = PackChunk(chunk, foreground);
                          observer.Add(chunk, bits, values);
                          word |= bits << begin;
                        });
    word = foreground.isInverted ? ~word : word;
    return count < BitsPerWord ? word & ((Word{ 1 } << count) - 1) : word;
  }
};

/** Writes the bits of the rows of a row group in one word, and the bits of its columns. Clears memory for later
 * functors on the way. A cell is a word of columns. */
template <typename TRowGroup, typename TPackWord>
struct WriteWords
{
  TPackWord               packWord;
  RowGroupBits<TRowGroup> groups;
  Word *                  bits;
  Word *                  columns;  // not used if a row group is one row
  bool                    isMasked; // whether `bits` has the pixels that may be foreground
  MemoryToClear           toClear;

  CCL_HOST_DEVICE
  void
  operator()(const Cell & cell) const
  {
    const Grid & grid = groups.columns.words;
    for (std::uint64_t i = IndexOf(grid, cell); i < toClear.count; i += grid.Count())
    {
      toClear.words[i] = 0;
    }
    // The other rows follow from the first one, because a 64-bit product for each row is slow on the device.
    const auto &        pixels = packWord.reader.pixels;
    const ImageStack &  stack = packWord.reader.stack;
    const std::uint64_t z = cell.z * TRowGroup::Slices;
    const std::uint64_t image = stack.ImageOf(z);
    const auto * const  first = pixels.Row(stack, cell.y * TRowGroup::Rows, z, image);
    Word                all = 0;
    ObservedValues      values;
    const auto          packRow = [&](unsigned int row, unsigned int slice) {
      Word &             word = bits[groups.RowBegin(cell.y, cell.z, row, slice) + cell.x];
      const Word         mask = !stack.HasPixels(z + slice, image) ? 0 : isMasked ? word : ~Word{ 0 };
      const auto * const rowOfPixels = first + row * pixels.rowStride + slice * pixels.sliceStride;
      word = mask == 0 ? 0 : mask & packWord(rowOfPixels, cell.x, values);
      all |= word;
    };
    if constexpr (TPackWord::IsObserving)
    {
      groups.ForEachRowInLoop(cell.y, cell.z, packRow); // the code of an observer is long
    }
    else
    {
      groups.ForEachRow(cell.y, cell.z, packRow);
    }
    packWord.observer.Finish(values, image);
    if constexpr (!TRowGroup::IsOneRow)
    {
      columns[IndexOf(grid, cell)] = all;
    }
  }
};

/** Kernel functor that writes the bits of the columns of each row group. A cell is a word of columns. */
template <typename TRowGroup>
struct CollectColumns
{
  RowGroupBits<TRowGroup> groups;
  Word *                  columns;

  CCL_HOST_DEVICE
  void
  operator()(const Cell & word) const
  {
    columns[IndexOf(groups.columns.words, word)] = groups.Facing(FixedRowOffset<0, 0>{}, word.y, word.z, word.x);
  }
};

} // namespace PackForeground

/** The bits of the row groups of a stack. Owns the memory of the second bits, but not of the rows. */
template <typename TRowGroup, typename TExecutor>
struct GroupedBits
{
  using BufferType = decltype(std::declval<const TExecutor &>().template Allocate<Word>(0));

  std::uint64_t           secondBitWords;
  BufferType              secondBits; // the columns, or the starts of runs that have values
  RowGroupBits<TRowGroup> groups;

  GroupedBits(const TExecutor & executor, const ImageStack & stack, const Word * rows)
    : secondBitWords(TRowGroup::HasSecondBits ? TRowGroup::GridOf(WordsOf(stack.GetGrid())).Count() : 0)
    , secondBits(executor.template Allocate<Word>(secondBitWords))
    , groups(stack, rows, secondBits.get())
  {}
};

/** Packs the pixels of a stack to the bits of its rows and columns. `bits` has an element for each word of the stack,
 * and gets the bits of the rows. If `isMasked`, it has the bits of the pixels that may be foreground.
 * \tparam TBits the unsigned integer of the pixel's size
 * \param values gets the values of the pixels that are not 0, if they are wanted. Then the foreground is these pixels,
 * or those that are 0. */
template <typename TRowGroup, typename TBits, typename TExecutor>
void
PackRowGroups(const TExecutor &                         executor,
              const StackPixels<const TBits> &          pixels,
              const ImageStack &                        stack,
              PixelType                                 type,
              const Foreground &                        foreground,
              Word *                                    bits,
              const GroupedBits<TRowGroup, TExecutor> & grouped,
              bool                                      isMasked = false,
              const SharedValues &                      values = {})
{
  using namespace PackForeground;
  const auto pack = [&](const auto & packWord) {
    executor.ForEach(
      grouped.groups.columns.words,
      WriteWords<TRowGroup, std::decay_t<decltype(packWord)>>{
        packWord, grouped.groups, bits, grouped.secondBits.get(), isMasked, executor.TakeMemoryToClear() });
  };
  if (values.memory == nullptr)
  {
    VisitTest<TBits>(foreground, [&](const auto & test) {
      pack(PackWordAt<TBits, std::decay_t<decltype(test)>>{ { pixels, stack }, test });
    });
    return;
  }
  ValueTest<TBits> test{ 0, 0, foreground.isInverted };
  foreground.IsOneValue(test.mask, test.value);
  pack(PackWordAt<TBits, ValueTest<TBits>, ValueObserver>{ { pixels, stack }, test, { values, type } });
}

/** Makes the bits of the columns from the bits of the rows. */
template <typename TRowGroup, typename TExecutor>
GroupedBits<TRowGroup, TExecutor>
CollectRowGroups(const TExecutor & executor, const ImageStack & stack, const Word * rows)
{
  GroupedBits<TRowGroup, TExecutor> grouped(executor, stack, rows);
  if constexpr (!TRowGroup::IsOneRow)
  {
    executor.ForEach(grouped.groups.columns.words,
                     PackForeground::CollectColumns<TRowGroup>{ grouped.groups, grouped.secondBits.get() });
  }
  return grouped;
}

} // namespace itk::ccl

#endif
