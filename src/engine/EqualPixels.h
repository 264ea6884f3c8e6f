// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_engine_EqualPixels_h
#define ccl_engine_EqualPixels_h

#include <algorithm>
#include <cstdint>

namespace itk::ccl
{

/** Returns the number of pixels at the start of a row that equal its first pixel. */
template <typename TPixel>
std::uint64_t
GetRunLength(const TPixel * pixels, std::uint64_t count)
{
  // The inner loop has no branch and a fixed length, so that compilers vectorize it. It is too slow for short runs.
  constexpr std::uint64_t shortLength = 8;
  constexpr std::uint64_t blockLength = 64 / sizeof(TPixel);
  const TPixel            label = pixels[0];
  const auto              countEqual = [&](std::uint64_t length, std::uint64_t end) {
    while (length < end && pixels[length] == label)
    {
      ++length;
    }
    return length;
  };
  std::uint64_t length = countEqual(1, std::min(count, shortLength));
  if (length < shortLength)
  {
    return length;
  }
  while (length + blockLength <= count)
  {
    TPixel differences = 0;
    for (std::uint64_t i = 0; i < blockLength; ++i)
    {
      differences = static_cast<TPixel>(differences | (pixels[length + i] ^ label));
    }
    if (differences != 0)
    {
      break;
    }
    length += blockLength;
  }
  return countEqual(length, count);
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
