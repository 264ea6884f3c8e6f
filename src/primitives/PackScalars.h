// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_primitives_PackScalars_h
#define ccl_primitives_PackScalars_h

// Pixels of a row to bits, on the host, at the speed of its memory.

#include "primitives/Bits.h"

#include <cstdint>

namespace itk::ccl
{

/** Sets the bits of the pixels that are not 0, and clears the others up to the end of the last word. */
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
