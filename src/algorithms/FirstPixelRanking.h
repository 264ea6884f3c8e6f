// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_algorithms_FirstPixelRanking_h
#define ccl_algorithms_FirstPixelRanking_h

// Ranks components by their first pixels, which is the order of ITK's labels.
//
// Runs and blocks are united by their own indices, so the root of a component is its lowest run or block. The component
// with the lower root may have the later first pixel, because a run or a block covers several rows. The order follows
// from the first pixels: mark each one in an image of bits, and count the marks before it. Labels that name the first
// pixels themselves are ranked by the same marks (published/PixelRanking.h).

#include "executors/Executor.h"
#include "primitives/Atomics.h"
#include "primitives/Bits.h"
#include "primitives/Grid.h"
#include "primitives/LabelValues.h"

#include <limits>
#include <utility>

namespace itk::ccl
{

/** Stands for the first pixel of an element that is not the root of a component. All bytes are NoPixelByte. */
template <typename TIndex>
inline constexpr TIndex        NoPixel = std::numeric_limits<TIndex>::max();
inline constexpr unsigned char NoPixelByte = 0xFF;

namespace FirstPixelRanking
{

/** The first-pixel marks: one bit for each pixel. `chunks` has the number of marks in each chunk of words, and after
 * the scan the number of marks before it. */
template <typename TIndex>
struct Marks
{
  static constexpr unsigned int WordsPerChunk = 16;

  Word *   words;
  TIndex * chunks;

  /** Sets the mark of a pixel, and counts it. */
  CCL_HOST_DEVICE
  void
  Set(TIndex pixel) const
  {
    AtomicOr(words + pixel / BitsPerWord, Word{ 1 } << pixel % BitsPerWord);
    AtomicIncrementOfWarp(chunks + pixel / BitsPerWord / WordsPerChunk); // lanes mostly mark the same chunk
  }

  /** Returns whether the mark of a pixel is set. */
  CCL_HOST_DEVICE
  bool
  Has(TIndex pixel) const
  {
    return words[pixel / BitsPerWord] >> pixel % BitsPerWord & 1U;
  }

  /** Returns the number of marks before the mark of a pixel, after the scan. The mark of the pixel must be set. */
  CCL_HOST_DEVICE
  std::uint64_t
  RankOf(TIndex pixel) const
  {
    const std::uint64_t word = pixel / BitsPerWord;
    const std::uint64_t chunk = word / WordsPerChunk;
    const auto          wordOfChunk = static_cast<unsigned int>(word % WordsPerChunk);
    std::uint64_t       rank = chunks[chunk];
    // The loads of all words of the chunk are independent of each other, so they overlap.
    CCL_UNROLL
    for (unsigned int i = 0; i < WordsPerChunk; ++i)
    {
      const Word through = i < wordOfChunk ? ~Word{ 0 } : i == wordOfChunk ? BitsThrough(pixel % BitsPerWord) : 0;
      rank += CountBits(words[chunk * WordsPerChunk + i] & through);
    }
    return rank - 1;
  }
};

/** Sets the mark of the first pixel of each component, and counts it. A cell is a run or a block. */
template <typename TIndex>
struct MarkFirstPixels
{
  const TIndex * firstPixels;
  Marks<TIndex>  marks;

  CCL_HOST_DEVICE
  void
  operator()(const Cell & element) const
  {
    const TIndex pixel = firstPixels[element.x];
    if (pixel != NoPixel<TIndex>)
    {
      marks.Set(pixel);
    }
  }
};

/** Returns the number of marks in a chunk: the values of the scan. */
template <typename TIndex>
struct MarksInChunk
{
  const TIndex * chunks;

  CCL_HOST_DEVICE
  TIndex
  operator()(std::uint64_t chunk) const
  {
    return chunks[chunk];
  }
};

} // namespace FirstPixelRanking

/** Memory for the first-pixel marks of an image. No mark is set. */
template <typename TIndex, typename TExecutor>
class FirstPixelMarks
{
public:
  const std::uint64_t chunkCount;

  /** The indices of all pixels are lower than `pixelLimit`. 0 allocates nothing. */
  FirstPixelMarks(const TExecutor & executor, std::uint64_t pixelLimit)
    : chunkCount(DivideUp(DivideUp(pixelLimit, BitsPerWord), WordsPerChunk))
    , m_Words(executor.template AllocateCleared<Word>(chunkCount * WordsPerChunk))
    , m_Chunks(executor.template AllocateCleared<TIndex>(chunkCount))
  {}

  FirstPixelRanking::Marks<TIndex>
  Get() const
  {
    return { m_Words.get(), m_Chunks.get() };
  }

private:
  static constexpr unsigned int WordsPerChunk = FirstPixelRanking::Marks<TIndex>::WordsPerChunk;

  template <typename T>
  using BufferType = decltype(std::declval<const TExecutor &>().template Allocate<T>(0));

  BufferType<Word>   m_Words;
  BufferType<TIndex> m_Chunks;
};

/** Replaces the number of marks in each chunk by the number of marks before it. Writes the number of marks. */
template <typename TIndex, typename TExecutor>
void
ScanMarks(const TExecutor & executor, const FirstPixelMarks<TIndex, TExecutor> & memory, TIndex * total)
{
  using namespace FirstPixelRanking;
  const MarksInChunk<TIndex> marksInChunk{ memory.Get().chunks };
  executor.template Scan<TIndex>(
    { memory.chunkCount }, marksInChunk, StorePrefix<TIndex>{ memory.Get().chunks }, total);
}

} // namespace itk::ccl

#endif
