// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_primitives_PackRow_h
#define ccl_primitives_PackRow_h

// Packs the pixels of a row to bits, on the host. It is fast enough to be limited by memory bandwidth.

#include "primitives/Bits.h"
#include "primitives/Foreground.h"

#include <cstddef>
#include <cstdint>

namespace itk::ccl
{

/** Writes the bits of `count` adjacent pixels to words: 1 for pixels that are foreground. Unused bits of the last word
 * become 0. The address of the pixels may be any.
 * \param pixelSize 1, 2, 4 or 8 bytes */
void
PackRow(const void * pixels, std::size_t pixelSize, std::uint64_t count, const Foreground & foreground, Word * words);

/** Does the same. Returns whether all pixels of the background have the bytes of `other`. */
bool
PackBinaryRow(const void *       pixels,
              std::size_t        pixelSize,
              std::uint64_t      count,
              const Foreground & foreground,
              std::uint64_t      other,
              Word *             words);

/** Writes the bits of `count` adjacent pixels to words: 1 for pixels whose bytes differ from those of the pixel before.
 * There must be a pixel before the first. Unused bits of the last word become 0. */
void
PackRunStarts(const void * pixels, std::size_t pixelSize, std::uint64_t count, Word * words);

} // namespace itk::ccl

#endif
