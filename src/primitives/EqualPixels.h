// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_primitives_EqualPixels_h
#define ccl_primitives_EqualPixels_h

#include "primitives/Bits.h"
#include "primitives/PackRow.h"

#include <algorithm>
#include <cstdint>

namespace itk::ccl
{

/** Calls function(label, length) for the runs of equal pixels of a row, from its first to its last pixel. */
template <typename TPixel, typename TFunction>
void
ForEachRun(const TPixel * pixels, std::uint64_t count, const TFunction & function)
{
  constexpr std::uint64_t maximumWords = 32;
  Word                    starts[maximumWords];
  std::uint64_t           begin = 0; // of the run
  for (std::uint64_t first = 1; first < count; first += maximumWords * BitsPerWord)
  {
    const std::uint64_t packed = std::min(count - first, maximumWords * BitsPerWord);
    PackRunStarts(pixels + first, sizeof(TPixel), packed, starts);
    for (std::uint64_t i = 0; i * BitsPerWord < packed; ++i)
    {
      for (Word word = starts[i]; word != 0; word &= word - 1)
      {
        const std::uint64_t end = first + i * BitsPerWord + LowestBit(word);
        function(pixels[begin], end - begin);
        begin = end;
      }
    }
  }
  if (count > 0)
  {
    function(pixels[begin], count - begin);
  }
}

/** Equal neighboring pixels of a row. */
template <typename TLabel>
struct LabelRun
{
  TLabel        label;
  std::uint32_t length;
};

} // namespace itk::ccl

#endif
