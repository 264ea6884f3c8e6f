// SPDX-License-Identifier: Apache-2.0
#include "primitives/Foreground.h"

#include <algorithm>
#include <vector>

namespace itk::ccl
{

Foreground
Foreground::Of(const CudaConnectedComponentForeground & described, PixelType type)
{
  using KindEnum = CudaConnectedComponentForeground::KindEnum;
  using RoleEnum = ImageView::Value::RoleEnum;
  const auto & numbers = described.GetValues();
  if (described.GetKind() == KindEnum::NotZero)
  {
    return NotZero(type);
  }
  if (described.GetKind() == KindEnum::Between)
  {
    const auto lower = numbers[0].FindBits(type, RoleEnum::LowerLimit);
    const auto upper = numbers[1].FindBits(type, RoleEnum::UpperLimit);
    return lower && upper ? Between(type, *lower, *upper) : Foreground{};
  }
  std::vector<std::uint64_t> values;
  for (const auto & number : numbers)
  {
    if (const auto bits = number.FindBits(type, RoleEnum::Pixel))
    {
      values.push_back(*bits);
    }
  }
  if (values.size() == 1)
  {
    return EqualTo(type, values.front()); // in the order of IsOneValue()
  }
  if (type == PixelType::Bool && !values.empty())
  {
    const auto ends = std::minmax_element(values.begin(), values.end());
    return Between(type, *ends.first, *ends.second);
  }
  if (IsFloat(type))
  {
    for (std::uint64_t & bits : values)
    {
      bits = bits == SignBitOf(type) ? 0 : bits;
    }
    if (std::find(values.begin(), values.end(), 0) != values.end())
    {
      values.push_back(SignBitOf(type));
    }
  }
  // Values that follow each other are one range.
  std::sort(values.begin(), values.end());
  Foreground foreground;
  for (const std::uint64_t bits : values)
  {
    auto & last = foreground.ranges[foreground.count == 0 ? 0 : foreground.count - 1];
    if (foreground.count > 0 && bits - last.first <= last.extent + 1)
    {
      last.extent = bits - last.first;
    }
    else
    {
      foreground.Add(bits, bits);
    }
  }
  return foreground;
}

} // namespace itk::ccl
