// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_primitives_BitRows_h
#define ccl_primitives_BitRows_h

// An image as one bit per pixel, and the runs (maximal sequences of foreground pixels in a row) in it.

#include "primitives/Bits.h"
#include "primitives/Grid.h"

namespace itk::ccl
{

/** The words that hold an image's bits: every row starts a new word, and the bits past its end are 0. */
CCL_HOST_DEVICE
constexpr Grid
WordsOf(const Grid & image)
{
  return { DivideUp(image.x, BitsPerWord), image.y, image.z };
}

/** How many bits these words have. No pixel's place among them is as high, and no image of this size has as many runs.
 */
CCL_HOST_DEVICE
constexpr std::uint64_t
BitCountOf(const Grid & image)
{
  return WordsOf(image).Count() * BitsPerWord;
}

/** Reads an image's bits. */
struct BitRows
{
  Grid         words;
  const Word * bits;

  /** For each pixel of a word, the pixel before it. */
  CCL_HOST_DEVICE
  Word
  Before(std::uint64_t rowBegin, std::uint64_t x) const
  {
    const Word left = x > 0 ? bits[rowBegin + x - 1] : 0;
    return bits[rowBegin + x] << 1 | left >> (BitsPerWord - 1);
  }

  /** The pixels of a word at which runs start. */
  CCL_HOST_DEVICE
  Word
  Starts(std::uint64_t rowBegin, std::uint64_t x) const
  {
    return bits[rowBegin + x] & ~Before(rowBegin, x);
  }

  /** The pixels at which runs start, for a word of any row. */
  CCL_HOST_DEVICE
  Word
  StartsAt(std::uint64_t word) const
  {
    const Word starts = bits[word] & ~(bits[word] << 1);
    // Whether the word before is of the same row is asked only where it matters: it takes a division.
    const bool goesOn =
      (starts & 1U) != 0 && word > 0 && bits[word - 1] >> (BitsPerWord - 1) != 0 && this->XOf(word) > 0;
    return goesOn ? starts & ~Word{ 1 } : starts;
  }

  /** The pixels at which runs end, for a word of any row. */
  CCL_HOST_DEVICE
  Word
  EndsAt(std::uint64_t word) const
  {
    const Word ends = bits[word] & ~(bits[word] >> 1);
    const bool goesOn = ends >> (BitsPerWord - 1) != 0 && word + 1 < words.Count() && (bits[word + 1] & 1U) != 0 &&
                        this->XOf(word + 1) > 0;
    return goesOn ? ends & ~(Word{ 1 } << (BitsPerWord - 1)) : ends;
  }

  /** Where a word lies in its row. */
  CCL_HOST_DEVICE
  std::uint64_t
  XOf(std::uint64_t word) const
  {
    return word - Divide(word, words.x) * words.x;
  }

  /** Where the words of a row begin. Indices of 32 bits are faster; there must not be more words then. */
  template <typename TIndex>
  CCL_HOST_DEVICE
  TIndex
  RowBegin(TIndex y, TIndex z) const
  {
    return static_cast<TIndex>(words.x) * (y + static_cast<TIndex>(words.y) * z);
  }
};

} // namespace itk::ccl

#endif
