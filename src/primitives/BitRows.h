// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_primitives_BitRows_h
#define ccl_primitives_BitRows_h

// An image as words of one bit per pixel, and the starts and ends of its runs. A run is a maximal sequence of adjacent
// foreground pixels of a row, or, in labeling by value, of adjacent foreground pixels with equal values. RowGroups.h
// reads columns of row groups in the same way: one bit per column.

#include "primitives/Bits.h"
#include "primitives/FastMultipleTest.h"
#include "primitives/Grid.h"

namespace itk::ccl
{

/** Returns the number of words along each axis that hold the bits of an image. Each row starts a new word. The bits of
 * its last word past the end of the row are 0. */
CCL_HOST_DEVICE
constexpr Grid
WordsOf(const Grid & image)
{
  return { DivideUp(image.x, BitsPerWord), image.y, image.z };
}

/** Returns the number of bits in the words of an image. It is higher than the index of each pixel's bit and of each
 * run.
 */
CCL_HOST_DEVICE
constexpr std::uint64_t
BitCountOf(const Grid & image)
{
  return WordsOf(image).Count() * BitsPerWord;
}

/** Returns the complement of word x of a row of `size` pixels. Bits after the end of the row stay 0. */
CCL_HOST_DEVICE
constexpr Word
ComplementOfWord(Word word, std::uint64_t size, std::uint64_t x)
{
  const std::uint64_t left = size - x * BitsPerWord;
  return left < BitsPerWord ? ~word & ((Word{ 1 } << left) - 1) : ~word;
}

/** Reads the bits of an image. The index of word x of row (y, z) is RowBegin(y, z) + x. */
struct BitRows
{
  Grid         words;
  const Word * bits;

  /** Returns, for each pixel of word x of a row, the bit of the pixel before it. `rowBegin` is the index of the first
   * word of the row. */
  template <typename TIndex>
  CCL_HOST_DEVICE
  Word
  Before(TIndex rowBegin, TIndex x) const
  {
    const Word left = x > 0 ? bits[rowBegin + x - 1] : 0;
    return bits[rowBegin + x] << 1 | left >> (BitsPerWord - 1);
  }

  /** Returns the bits of word x of a row at which runs start. `rowBegin` is the index of the first word of the row. */
  template <typename TIndex>
  CCL_HOST_DEVICE
  Word
  Starts(TIndex rowBegin, TIndex x) const
  {
    return bits[rowBegin + x] & ~Before(rowBegin, x);
  }

  /** Returns the number of runs of a row. `rowBegin` is the index of the first word of the row. */
  std::uint64_t
  CountStarts(std::uint64_t rowBegin) const
  {
    // Compilers make vectors of this loop, because no step depends on the step before it.
    Word count = CountBits(Starts(rowBegin, std::uint64_t{ 0 }));
    for (std::uint64_t x = rowBegin + 1; x < rowBegin + words.x; ++x)
    {
      Word starts = bits[x] & ~(bits[x] << 1 | bits[x - 1] >> (BitsPerWord - 1));
      starts = (starts | starts >> 1) & 0x55555555U; // no two starts are adjacent
      starts = (starts & 0x33333333U) + (starts >> 2 & 0x33333333U);
      starts = (starts & 0x0F0F0F0FU) + (starts >> 4 & 0x0F0F0F0FU);
      starts += starts >> 8;
      count += (starts + (starts >> 16)) & 0x1FU;
    }
    return count;
  }

  /** Returns whether all bits of a row are 0. `rowBegin` is the index of the first word of the row. */
  CCL_HOST_DEVICE
  bool
  IsEmpty(std::uint64_t rowBegin) const
  {
    Word all = 0;
    for (std::uint64_t x = 0; x < words.x; ++x)
    {
      all |= bits[rowBegin + x];
    }
    return all == 0;
  }

  /** Returns the index of the first word of row (y, z). A TIndex of 32 bits is faster, but must hold all indices. */
  template <typename TIndex>
  CCL_HOST_DEVICE
  TIndex
  RowBegin(TIndex y, TIndex z) const
  {
    return static_cast<TIndex>(words.x) * (y + static_cast<TIndex>(words.y) * z);
  }
};

/** Rows in which a run may start after another run without a gap. A second array has the bits at which runs start. */
struct StartedRows : BitRows
{
  const Word * starts; // null if the starts follow from gaps

  /** As BitRows::Starts(). */
  template <typename TIndex>
  CCL_HOST_DEVICE
  Word
  Starts(TIndex rowBegin, TIndex x) const
  {
    return starts == nullptr ? this->BitRows::Starts(rowBegin, x) : starts[rowBegin + x];
  }

  /** As BitRows::CountStarts(). */
  std::uint64_t
  CountStarts(std::uint64_t rowBegin) const
  {
    if (starts == nullptr)
    {
      return this->BitRows::CountStarts(rowBegin);
    }
    std::uint64_t count = 0;
    for (std::uint64_t x = 0; x < words.x; ++x)
    {
      count += CountBits(starts[rowBegin + x]);
    }
    return count;
  }
};

/** Finds the first and the last pixels of runs in words that are given by their index in the image. */
class RunEdges
{
public:
  CCL_HOST_DEVICE
  explicit RunEdges(const BitRows & rows)
    : m_Rows(rows)
    , m_IsFirstOfRow(rows.words.x)
  {}

  CCL_HOST_DEVICE
  const BitRows &
  GetRows() const
  {
    return m_Rows;
  }

  /** Returns the bits of a word at which runs start. A TIndex of 32 bits is faster on the device, but must hold the
   * number of words. */
  template <typename TIndex = std::uint64_t>
  CCL_HOST_DEVICE
  Word
  StartsAt(std::uint64_t word) const
  {
    // The loads do not depend on each other, so they overlap.
    const Word before = m_IsFirstOfRow(static_cast<TIndex>(word)) ? 0 : m_Rows.bits[word - 1];
    const Word here = m_Rows.bits[word];
    return here & ~(here << 1 | before >> (BitsPerWord - 1));
  }

  /** Returns the bits of a word at which runs end. */
  template <typename TIndex = std::uint64_t>
  CCL_HOST_DEVICE
  Word
  EndsAt(std::uint64_t word) const
  {
    const Word next = m_IsFirstOfRow(static_cast<TIndex>(word + 1)) ? 0 : m_Rows.bits[word + 1];
    const Word here = m_Rows.bits[word];
    return here & ~(here >> 1 | next << (BitsPerWord - 1));
  }

private:
  BitRows          m_Rows;
  FastMultipleTest m_IsFirstOfRow;
};

/** As RunEdges, for StartedRows that have starts. TIndex has no effect. */
class StartedRunEdges
{
public:
  CCL_HOST_DEVICE
  explicit StartedRunEdges(const StartedRows & rows)
    : m_Rows(rows)
  {}

  CCL_HOST_DEVICE
  const StartedRows &
  GetRows() const
  {
    return m_Rows;
  }

  template <typename TIndex = std::uint64_t>
  CCL_HOST_DEVICE
  Word
  StartsAt(std::uint64_t word) const
  {
    return m_Rows.starts[word];
  }

  template <typename TIndex = std::uint64_t>
  CCL_HOST_DEVICE
  Word
  EndsAt(std::uint64_t word) const
  {
    // A run starts at the first foreground pixel of each row, so no run continues into the next row.
    const bool hasNext = word + 1 < m_Rows.words.Count();
    const Word next = hasNext ? m_Rows.bits[word + 1] & ~m_Rows.starts[word + 1] : 0;
    const Word here = m_Rows.bits[word];
    return here & ~((here & ~m_Rows.starts[word]) >> 1 | next << (BitsPerWord - 1));
  }

private:
  StartedRows m_Rows;
};

} // namespace itk::ccl

#endif
