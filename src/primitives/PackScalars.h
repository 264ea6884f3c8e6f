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

} // namespace itk::ccl

#endif
