// SPDX-License-Identifier: Apache-2.0
#include "CudaConnectedComponentsDetail/DivideComponents.h"

#include <algorithm>
#include <numeric>

namespace itk
{
namespace CudaConnectedComponentsDetail
{

std::vector<std::size_t>
DivideComponents(const std::vector<std::uint64_t> & pixelCounts, std::uint64_t maximum)
{
  // A new object takes about as long as the lines of this number of pixels.
  constexpr std::uint64_t pixelsOfNew = 500;
  constexpr std::uint64_t minimumOfPart = 200 * pixelsOfNew;
  const std::uint64_t     total = std::accumulate(
    pixelCounts.begin(), pixelCounts.end(), pixelsOfNew * static_cast<std::uint64_t>(pixelCounts.size()));
  const std::uint64_t      parts = std::max<std::uint64_t>(std::min(maximum, total / minimumOfPart), 1);
  std::vector<std::size_t> firstOfParts{ 0 };
  std::uint64_t            before = 0;
  for (std::size_t i = 0; i < pixelCounts.size(); ++i)
  {
    if (before > total / parts)
    {
      firstOfParts.push_back(i);
      before = 0;
    }
    before += pixelCounts[i] + pixelsOfNew;
  }
  if (!pixelCounts.empty())
  {
    firstOfParts.push_back(pixelCounts.size());
  }
  return firstOfParts;
}

} // namespace CudaConnectedComponentsDetail
} // namespace itk
