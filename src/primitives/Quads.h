// SPDX-License-Identifier: Apache-2.0
#ifndef Quads_h
#define Quads_h

#include "HostDevice.h"

#include <cstdint>

namespace itk::ccl
{

/** Four pixels that the device writes in one access. */
template <typename TOutput>
struct alignas(4 * sizeof(TOutput) < 16 ? 4 * sizeof(TOutput) : 16) Quad
{
  TOutput pixels[4];
};

/** How many pixels an address lies behind one where a quad may start. */
template <typename TOutput>
CCL_HOST_DEVICE
inline unsigned int
MisalignmentOf(const TOutput * address)
{
  return reinterpret_cast<std::uintptr_t>(address) / sizeof(TOutput) % 4;
}

} // namespace itk::ccl

#endif
