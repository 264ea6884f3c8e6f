// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_primitives_ImageRows_h
#define ccl_primitives_ImageRows_h

// Reads and writes the rows of images in host memory, for any pixel type and any strides. Row y + z * size[1] is
// parallel to x. Pixel values are unsigned integers with the bytes of the pixel. Threads may work on different rows at
// the same time.

#include "primitives/Bits.h"
#include "primitives/Foreground.h"
#include "primitives/ObservedValues.h"
#include "primitives/PixelTypes.h"

#include <cstdint>
#include <vector>

namespace itk::ccl
{

/** Writes the bits of a row: 1 for pixels that are foreground. Unused bits of the last word become 0. */
void
PackRowOf(const ImageView & image, std::uint64_t row, const Foreground & foreground, Word * words);

/** Packs the pixels of images that are not 0, and observes their values. */
class ObservingPacker
{
public:
  explicit ObservingPacker(const ImageView & image);

  /** Does the same as PackRowOf(). Threads may call it at the same time. */
  void
  PackRow(std::uint64_t row, Word * words);

  /** Returns what is known of the values of the packed rows. */
  CudaConnectedComponentValueSummary
  GetValues() const
  {
    return ObservedValues::Summarize(m_Values.data(), m_Values.size());
  }

private:
  void
  PackPixels(const void * pixels, std::uint64_t count, Word * words, ObservedValues & values) const;

  ImageView                   m_Image;
  Foreground                  m_NotZero;
  Foreground                  m_Zero;
  std::vector<ObservedValues> m_Values; // of each image
};

/** Does the same as PackRowOf(). Returns whether all pixels of the background have the bytes of `other`. */
bool
PackBinaryRowOf(const ImageView &  image,
                std::uint64_t      row,
                const Foreground & foreground,
                std::uint64_t      other,
                Word *             words);

/** Clears the bits of a row whose pixels are not foreground. */
void
MaskRowOf(const ImageView & image, std::uint64_t row, const Foreground & foreground, Word * words);

/** Writes the bits of a row at which runs of equal values start. `words` has the bits of its foreground. */
void
StoreStartsOf(const ImageView & image, std::uint64_t row, const Word * words, Word * starts);

/** Writes the keys of the runs of a row: see RunValues. `starts` has the bits at which they start. `keys` has elements
 * of 32 or 64 bits. */
void
StoreKeysOf(const ImageView & image, std::uint64_t row, const Word * starts, void * keys);

/** Writes a value to all pixels of a row. */
void
FillRowOf(const ImageView & image, std::uint64_t row, std::uint64_t value);

/** Writes a value to the pixels of a row whose bits are 1. */
void
SetPixelsOf(const ImageView & image, std::uint64_t row, const Word * words, std::uint64_t value);

/** Copies a row of an image to the same row of an image with pixels of the same size. The images must not overlap,
 * unless they have the same memory and strides: then nothing is copied. */
void
CopyRowOf(const ImageView & from, const ImageView & to, std::uint64_t row);

/** Copies the pixels of a row whose bits are 1. Sets the other pixels to a value, unless `hasValue`: then they have it
 * already. The images may be the same. */
void
SelectPixelsOf(const ImageView & from,
               const ImageView & to,
               std::uint64_t     row,
               const Word *      words,
               std::uint64_t     value,
               bool              hasValue);

/** Returns the pixel of a row at x. */
std::uint64_t
PixelOf(const ImageView & image, std::uint64_t row, std::uint64_t x);

} // namespace itk::ccl

#endif
