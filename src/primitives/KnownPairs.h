// SPDX-License-Identifier: Apache-2.0
#ifndef KnownPairs_h
#define KnownPairs_h

#include "Atomics.h"

namespace itk::ccl
{

/** Remembers pairs of numbers, as far as its memory allows: a table that is indexed by a hash, of what comes first. */
struct KnownPairs
{
  static constexpr std::uint32_t Count = 512;
  static constexpr std::uint64_t None = ~std::uint64_t{ 0 };

  std::uint64_t * pairs;

  CCL_HOST_DEVICE
  void
  Clear(std::uint32_t i) const
  {
    pairs[i] = None;
  }

  /** Whether a pair was asked for before. */
  CCL_HOST_DEVICE
  bool
  IsKnown(std::uint32_t first, std::uint32_t second) const
  {
    const std::uint64_t   pair = std::uint64_t{ first } << 32 | second;
    std::uint64_t * const place = pairs + ((first * 31 + second) * 2654435769U >> 23); // Fibonacci hashing
    const std::uint64_t   known = Load(place);
    return known == pair || (known == None && AtomicCompareExchange(place, None, pair) == pair);
  }
};

} // namespace itk::ccl

#endif
