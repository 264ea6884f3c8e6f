// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_primitives_PackScalars_h
#define ccl_primitives_PackScalars_h

// Packs the pixels of a row to bits, on the host. It is fast enough to be limited by memory bandwidth.

#include "primitives/Bits.h"

#include <cstdint>

namespace itk::ccl
{

/** Writes the bits of `count` pixels to words: 1 for pixels that are not 0. Unused bits of the last word become 0. */
template <typename TPixel>
void
PackScalars(const TPixel * pixels, std::uint64_t count, Word * words);

/** Writes the bits of `count` integers to words: 1 for pixels that equal `value`. Unused bits of the last word become
 * 0. Returns whether all other pixels equal `other`. */
template <typename TPixel>
bool
PackEqualScalars(const TPixel * pixels, std::uint64_t count, TPixel value, TPixel other, Word * words);

extern template void
PackScalars(const std::uint8_t * pixels, std::uint64_t count, Word * words);
extern template void
PackScalars(const std::uint16_t * pixels, std::uint64_t count, Word * words);
extern template void
PackScalars(const std::uint32_t * pixels, std::uint64_t count, Word * words);
extern template void
PackScalars(const std::uint64_t * pixels, std::uint64_t count, Word * words);
extern template void
PackScalars(const float * pixels, std::uint64_t count, Word * words);
extern template void
PackScalars(const double * pixels, std::uint64_t count, Word * words);

extern template bool
PackEqualScalars(const std::uint8_t *, std::uint64_t, std::uint8_t, std::uint8_t, Word *);
extern template bool
PackEqualScalars(const std::uint16_t *, std::uint64_t, std::uint16_t, std::uint16_t, Word *);
extern template bool
PackEqualScalars(const std::uint32_t *, std::uint64_t, std::uint32_t, std::uint32_t, Word *);
extern template bool
PackEqualScalars(const std::uint64_t *, std::uint64_t, std::uint64_t, std::uint64_t, Word *);

} // namespace itk::ccl

#endif
