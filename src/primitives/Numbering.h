// SPDX-License-Identifier: Apache-2.0
#ifndef Numbering_h
#define Numbering_h

#include "HostDevice.h"

#include <cstdint>
#include <limits>

namespace itk::ccl
{

/** The labels that itk::ConnectedComponentImageFilter gives to components in the order of their first pixels: from 0
 * on, leaving out the background value (so, from 1 on where that is 0). */
struct Numbering
{
  static constexpr std::uint64_t NothingSkipped = std::numeric_limits<std::uint64_t>::max();

  std::uint64_t background = 0;   // bit pattern of the background value in the output's type
  std::uint64_t skipped = 0;      // the background value, NothingSkipped where it is negative
  std::uint64_t maximumCount = 0; // objects that the output's type can number

  template <typename TOutput>
  static Numbering
  For(TOutput backgroundValue)
  {
    Numbering numbering;
    numbering.background = static_cast<std::uint64_t>(backgroundValue);
    numbering.skipped =
      std::numeric_limits<TOutput>::is_signed && backgroundValue < TOutput{ 0 } ? NothingSkipped : numbering.background;
    numbering.maximumCount = static_cast<std::uint64_t>(std::numeric_limits<TOutput>::max());
    return numbering;
  }

  /** The label of the component that `rank` components come before. */
  CCL_HOST_DEVICE
  std::uint64_t
  LabelOf(std::uint64_t rank) const
  {
    return rank + (rank >= skipped);
  }
};

} // namespace itk::ccl

#endif
