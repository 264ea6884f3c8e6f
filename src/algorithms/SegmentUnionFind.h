// SPDX-License-Identifier: Apache-2.0
#ifndef SegmentUnionFind_h
#define SegmentUnionFind_h

// Union-find on segments, the parts of runs that words have, for face and full connectivity in planes and volumes.
//
// As RunUnionFind.h, with fewer steps, that depend less on each other: a segment is numbered by its word and its place
// in that, without a sum over the image. That takes more memory and unions, so that it is for small images, where steps
// cost more than pixels. The root of a component is the segment of its first pixel.

#include "Foreground.h"
#include "RunExpansion.h"
#include "UnionFind.h"

namespace itk::ccl
{

/** Numbers the segments: 16 for each word, used or not. */
struct Segments
{
  using BundleType = RowBundle;

  static constexpr unsigned int PerWord = BitsPerWord / 2;

  BundleRows<RowBundle> bundles;

  /** The bits at which the segments of a word start. */
  CCL_HOST_DEVICE
  static Word
  Starts(Word bits)
  {
    return bits & ~(bits << 1);
  }

  /** The segment that covers a bit of a word. */
  CCL_HOST_DEVICE
  static std::uint32_t
  At(std::uint64_t word, Word bits, unsigned int bit)
  {
    return static_cast<std::uint32_t>(word * PerWord) + CountBits(Starts(bits) & BitsThrough(bit)) - 1;
  }

  /** As those of NumberedRuns. */
  CCL_HOST_DEVICE
  std::uint32_t
  RunAfter(std::uint64_t rowBegin, std::uint64_t column, unsigned int gap) const
  {
    return this->RunAt(rowBegin, column + gap);
  }
  CCL_HOST_DEVICE
  std::uint32_t
  NextRun(std::uint32_t, std::uint64_t rowBegin, std::uint64_t column) const
  {
    return this->RunAt(rowBegin, column);
  }

private:
  CCL_HOST_DEVICE
  std::uint32_t
  RunAt(std::uint64_t rowBegin, std::uint64_t column) const
  {
    const std::uint64_t word = rowBegin + column / BitsPerWord;
    return At(word, bundles.rows.bits[word], column % BitsPerWord);
  }
};

namespace SegmentUnionFind
{

/** Packs a word and makes each of its segments a tree. */
template <typename TPackWord>
struct Initialization
{
  TPackWord       packWord;
  Grid            words;
  Word *          bits;
  std::uint32_t * parents;

  CCL_HOST_DEVICE
  void
  operator()(const Cell & cell) const
  {
    const std::uint64_t word = IndexOf(words, cell);
    const Word          packed = packWord(cell);
    const auto          first = static_cast<std::uint32_t>(word * Segments::PerWord);
    bits[word] = packed;
    for (unsigned int i = 0; i < CountBits(Segments::Starts(packed)); ++i)
    {
      parents[first + i] = first + i;
    }
  }
};

/** Those segments of a word that start in one of its slots of 4 bits, two at most: a thread's work, lest it wait long.
 */
struct Slot
{
  static constexpr unsigned int Bits = 4;
  static constexpr unsigned int PerWord = BitsPerWord / Bits;

  Word starts;

  CCL_HOST_DEVICE
  Slot(Word bits, unsigned int slot)
    : starts(Segments::Starts(bits) & Word{ 0xF } << slot * Bits)
  {}
};

/** The bits of a segment, from the bit at which it starts. */
CCL_HOST_DEVICE
inline Word
SegmentFrom(Word bits, unsigned int start)
{
  return BitsBelowGap(bits, start) & ~(BitsThrough(start) >> 1);
}

/** Unites segments with those before them that touch them. A cell is a slot of a word, and along z one of the rows
 * before its own after the other. */
struct Reduction
{
  BitRows         rows;
  bool            fullyConnected;
  std::uint32_t * parents;

  CCL_HOST_DEVICE
  static constexpr Grid
  CellsOf(const Grid & words, bool fullyConnected)
  {
    const std::uint64_t neighbors = words.z == 1 ? 1 : fullyConnected ? 4 : 2;
    return { words.x * Slot::PerWord, words.y, words.z * neighbors };
  }

  CCL_HOST_DEVICE
  void
  operator()(const Cell & cell) const
  {
    const std::uint64_t neighbor = Divide(cell.z, rows.words.z);
    const std::uint64_t z = cell.z - neighbor * rows.words.z;
    const std::uint64_t x = cell.x / Slot::PerWord;
    const std::uint64_t begin = rows.RowBegin(cell.y, z);
    const Word          own = rows.bits[begin + x];
    const Slot          slot(own, cell.x % Slot::PerWord);
    if (slot.starts == 0)
    {
      return;
    }
    const Word before = (slot.starts & 1U) != 0 && x > 0 ? rows.bits[begin + x - 1] : 0;
    const bool goesOn = before >> (BitsPerWord - 1) != 0;
    if (goesOn && neighbor == 0)
    {
      UnionHalving(parents, Segments::At(begin + x, own, 0), Segments::At(begin + x - 1, before, BitsPerWord - 1));
    }
    const bool          isBehind = neighbor > 0;
    const std::uint64_t otherY = cell.y - (neighbor == 0 || neighbor == 2) + (neighbor == 3);
    if (otherY >= rows.words.y || (isBehind && z == 0)) // -1 wraps around
    {
      return;
    }
    const std::uint64_t otherBegin = rows.RowBegin(otherY, z - isBehind);
    for (Word left = slot.starts; left != 0; left &= left - 1)
    {
      this->UniteWithRow(begin + x, own, LowestBit(left), goesOn, otherBegin, x);
    }
  }

private:
  /** Unites the segment that starts at a bit with those of another row. */
  CCL_HOST_DEVICE
  void
  UniteWithRow(std::uint64_t ownWord,
               Word          own,
               unsigned int  start,
               bool          goesOn,
               std::uint64_t otherBegin,
               std::uint64_t x) const
  {
    const Word          other = rows.bits[otherBegin + x];
    const Word          segment = SegmentFrom(own, start);
    const std::uint32_t id = Segments::At(ownWord, own, start);
    Word                touching = other & (fullyConnected ? segment | segment << 1 | segment >> 1 : segment);
    if (start == 0 && x > 0)
    {
      const Word before = rows.bits[otherBegin + x - 1];
      if (before >> (BitsPerWord - 1) != 0)
      {
        if ((other & 1U) == 0 && fullyConnected)
        {
          UnionHalving(parents, id, Segments::At(otherBegin + x - 1, before, BitsPerWord - 1));
        }
        else if ((other & 1U) != 0 && goesOn)
        {
          // Both go on from the word before, and are united there.
          touching &= ~SegmentFrom(other, 0);
        }
      }
    }
    while (touching != 0)
    {
      const unsigned int bit = LowestBit(touching);
      UnionHalving(parents, id, Segments::At(otherBegin + x, other, bit));
      touching &= ~SegmentFrom(other, bit);
    }
    const bool isLast = segment >> (BitsPerWord - 1) != 0 && other >> (BitsPerWord - 1) == 0;
    if (fullyConnected && isLast && x + 1 < rows.words.x)
    {
      const Word after = rows.bits[otherBegin + x + 1];
      if ((after & 1U) != 0)
      {
        UnionHalving(parents, id, Segments::At(otherBegin + x + 1, after, 0));
      }
    }
  }
};

/** Links the segments of a slot to their roots. A cell is a slot. */
struct Compression
{
  const Word *    bits;
  std::uint32_t * parents;

  CCL_HOST_DEVICE
  void
  operator()(const Cell & cell) const
  {
    const std::uint64_t word = cell.x / Slot::PerWord;
    for (Word left = Slot(bits[word], cell.x % Slot::PerWord).starts; left != 0; left &= left - 1)
    {
      Compress(parents, Segments::At(word, bits[word], LowestBit(left)), true);
    }
  }
};

/** The segments of a word that are roots, a bit each. */
struct Roots
{
  const Word *          bits;
  const std::uint32_t * parents;

  CCL_HOST_DEVICE
  unsigned int
  In(std::uint64_t word) const
  {
    const auto         first = static_cast<std::uint32_t>(word * Segments::PerWord);
    const unsigned int count = CountBits(Segments::Starts(bits[word]));
    unsigned int       roots = 0;
    CCL_UNROLL
    for (unsigned int i = 0; i < Segments::PerWord; ++i)
    {
      roots |= static_cast<unsigned int>(i < count && parents[first + i] == first + i) << i;
    }
    return roots;
  }

  CCL_HOST_DEVICE
  std::uint32_t
  operator()(std::uint64_t word) const
  {
    return CountBits(Word{ this->In(word) });
  }
};

/** Gives each root of a word its label. */
struct NumberRoots
{
  Roots           roots;
  Numbering       numbering;
  std::uint32_t * rootLabels;

  CCL_HOST_DEVICE
  void
  operator()(std::uint64_t word, std::uint32_t rank) const
  {
    for (Word left = roots.In(word); left != 0; left &= left - 1, ++rank)
    {
      rootLabels[word * Segments::PerWord + LowestBit(left)] = static_cast<std::uint32_t>(numbering.LabelOf(rank));
    }
  }
};

/** The label of each segment, once each segment's parent is its root. */
struct Labels
{
  const std::uint32_t * parents;
  const std::uint32_t * rootLabels;

  CCL_HOST_DEVICE
  std::uint32_t
  operator[](std::uint32_t segment) const
  {
    return rootLabels[parents[segment]];
  }
};

} // namespace SegmentUnionFind

/** Whether an image is so small that its steps take longer to launch than to run. */
constexpr bool
IsSmallImage(const Grid & size, bool fullyConnected)
{
  return SegmentUnionFind::Reduction::CellsOf(WordsOf(size), fullyConnected).Count() <= Tuning::SmallImageCells;
}

/** Labels an image of which packWord(cell) gives the bits of a word's pixels, from pixels to pixels. Returns the number
 * of objects. Where the numbering has no room for them, their number is right and the labels are not. There must be
 * fewer than 2^28 words. */
CCL_NO_EXECUTION_CHECK
template <typename TPackWord, typename TOutput, typename TExecutor>
CCL_HOST_DEVICE
std::uint64_t
LabelBySegments(const TExecutor & executor,
                const TPackWord & packWord,
                const Grid &      size,
                bool              fullyConnected,
                const Numbering & numbering,
                TOutput *         output)
{
  using namespace SegmentUnionFind;
  const Grid          words = WordsOf(size);
  const std::uint64_t wordCount = words.Count();
  const auto          bits = executor.template Allocate<Word>(wordCount);
  const auto          parents = executor.template Allocate<std::uint32_t>(wordCount * Segments::PerWord);
  const auto          rootLabels = executor.template Allocate<std::uint32_t>(wordCount * Segments::PerWord);
  const BitRows       rows{ words, bits.get() };

  executor.ForEach(words, Initialization<TPackWord>{ packWord, words, bits.get(), parents.get() });
  executor.ForEach(Reduction::CellsOf(words, fullyConnected), Reduction{ rows, fullyConnected, parents.get() });
  executor.ForEach(Grid{ wordCount * Slot::PerWord }, Compression{ bits.get(), parents.get() });
  const Roots roots{ bits.get(), parents.get() };
  const auto  sums = executor.template Sum<std::uint32_t>(wordCount, roots);
  executor.ForEachSum(sums, roots, NumberRoots{ roots, numbering, rootLabels.get() });
  ExpandRuns(executor,
             Segments{ { rows, rows } },
             Labels{ parents.get(), rootLabels.get() },
             size,
             static_cast<TOutput>(numbering.background),
             output);
  return sums.GetTotal();
}

} // namespace itk::ccl

#endif
