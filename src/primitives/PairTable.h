// SPDX-License-Identifier: Apache-2.0
#ifndef PairTable_h
#define PairTable_h

#include "Atomics.h"

namespace itk::ccl
{

/** Keeps pairs of numbers, as far as its memory allows: indexed by a hash, of what comes first. */
struct PairTable
{
  static constexpr std::uint64_t None = ~std::uint64_t{ 0 };

  /** How many places a pair may have. */
  static constexpr std::uint32_t Ways = 2;

  std::uint64_t * pairs;
  unsigned int    countBits; // there is room for 2^countBits pairs

  CCL_HOST_DEVICE
  std::uint32_t
  Count() const
  {
    return std::uint32_t{ 1 } << countBits;
  }

  CCL_HOST_DEVICE
  void
  Clear(std::uint32_t i) const
  {
    pairs[i] = None;
  }

  /** Whether a pair is kept, from now on or since before. */
  CCL_HOST_DEVICE
  bool
  Keeps(std::uint32_t first, std::uint32_t second) const
  {
    const std::uint64_t pair = std::uint64_t{ first } << 32 | second;
    const std::uint32_t place = (first * 31 + second) * 2654435769U >> (32 - countBits); // Fibonacci hashing
    CCL_UNROLL
    for (std::uint32_t way = 0; way < Ways; ++way)
    {
      const std::uint64_t known = Load(pairs + (place ^ way));
      if (known == pair)
      {
        return true;
      }
      if (known == None)
      {
        const std::uint64_t old = AtomicCompareExchange(pairs + (place ^ way), None, pair);
        if (old == None || old == pair)
        {
          return true;
        }
      }
    }
    return false;
  }

  /** Calls visit(first, second) for what is kept at i, and forgets it. */
  template <typename TVisitor>
  CCL_HOST_DEVICE
  void
  Take(std::uint32_t i, const TVisitor & visit) const
  {
    const std::uint64_t pair = pairs[i];
    if (pair != None)
    {
      pairs[i] = None;
      visit(static_cast<std::uint32_t>(pair >> 32), static_cast<std::uint32_t>(pair));
    }
  }
};

} // namespace itk::ccl

#endif
