// SPDX-License-Identifier: Apache-2.0
#ifndef BitRows_h
#define BitRows_h

// An image as one bit per pixel, and the runs (maximal sequences of foreground pixels in a row) in it.

#include "Bits.h"
#include "Grid.h"

namespace itk::ccl
{

/** The words that hold an image's bits: every row starts a new word, and the bits past its end are 0. */
CCL_HOST_DEVICE
constexpr Grid
WordsOf(const Grid & image)
{
  return { DivideUp(image.x, BitsPerWord), image.y, image.z };
}

/** No image of this size has more runs. */
CCL_HOST_DEVICE
constexpr std::uint64_t
MaximumRuns(const Grid & image)
{
  return DivideUp(image.x, 2) * image.y * image.z;
}

/** Reads an image's bits. */
struct BitRows
{
  Grid         words;
  const Word * bits;

  /** The word at x of a row that starts at rowBegin; 0 to the left and to the right of the row. */
  CCL_HOST_DEVICE
  Word
  WordAt(std::uint64_t rowBegin, std::uint64_t x) const
  {
    return x < words.x ? bits[rowBegin + x] : 0;
  }

  /** For each pixel of a word, the pixel before it. */
  CCL_HOST_DEVICE
  Word
  Before(std::uint64_t rowBegin, std::uint64_t x) const
  {
    const Word left = x > 0 ? bits[rowBegin + x - 1] : 0;
    return bits[rowBegin + x] << 1 | left >> (BitsPerWord - 1);
  }

  /** For each pixel of a word, the pixel after it. */
  CCL_HOST_DEVICE
  Word
  After(std::uint64_t rowBegin, std::uint64_t x) const
  {
    return bits[rowBegin + x] >> 1 | WordAt(rowBegin, x + 1) << (BitsPerWord - 1);
  }

  /** The pixels of a word at which runs start. */
  CCL_HOST_DEVICE
  Word
  Starts(std::uint64_t rowBegin, std::uint64_t x) const
  {
    return bits[rowBegin + x] & ~Before(rowBegin, x);
  }

  CCL_HOST_DEVICE
  std::uint64_t
  RowBegin(std::uint64_t y, std::uint64_t z) const
  {
    return words.x * (y + words.y * z);
  }
};

/** Numbers the runs in raster order, from the number of runs that start before each word. */
template <typename TRun>
struct RunRows
{
  BitRows      rows;
  const TRun * runsBefore;
};

/** Which pixels of a row's word make its runs touch those of another row, one pixel for each pair of runs.
 *
 * Two runs that overlap do so in one piece, and its first pixel stands for the pair. Under full connectivity two runs
 * may also touch by a corner alone: then one starts right after the other ends. */
struct RowContacts
{
  Word above;  // the pair meets at the same x
  Word before; // the run of this row starts where the other row's run has just ended: that one is at x - 1
  Word after;  // the run of this row ends just before the other row's run starts: that one is at x + 1
};

CCL_HOST_DEVICE
inline RowContacts
ContactsOf(const BitRows & rows, std::uint64_t rowBegin, std::uint64_t otherBegin, std::uint64_t x, bool fullyConnected)
{
  const Word  here = rows.bits[rowBegin + x];
  const Word  other = rows.bits[otherBegin + x];
  const Word  before = rows.Before(rowBegin, x);
  const Word  otherBefore = rows.Before(otherBegin, x);
  RowContacts contacts{ here & other & ~(before & otherBefore), 0, 0 };
  if (fullyConnected)
  {
    contacts.before = here & ~before & otherBefore & ~other;
    contacts.after = here & ~rows.After(rowBegin, x) & rows.After(otherBegin, x) & ~other;
  }
  return contacts;
}

/** Of the first pixels of sequences of pixels in a word, those of sequences that have none of some pixels.
 *
 * Added to what is left of the sequences, a first pixel is carried on to the end of its sequence, or to the first of
 * those pixels in it. */
CCL_HOST_DEVICE
inline Word
StartsWithout(Word starts, Word sequences, Word pixels)
{
  const Word hits = sequences & pixels;
  if (hits == 0)
  {
    return starts;
  }
  const std::uint64_t rest = sequences & ~hits;
  std::uint64_t       landings = (starts + rest) & ~rest;
  Word                kept = 0;
  for (Word left = starts; left != 0; left &= left - 1, landings &= landings - 1)
  {
    const bool isHit = ((landings & (~landings + 1)) & hits) != 0;
    kept |= isHit ? 0 : left & (~left + 1);
  }
  return kept;
}

} // namespace itk::ccl

#endif
