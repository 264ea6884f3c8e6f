// SPDX-License-Identifier: Apache-2.0
#include "primitives/Foreground.h"

#include <algorithm>
#include <vector>

namespace itk::ccl
{

namespace
{

std::uint64_t
SignBitOf(PixelType type)
{
  return std::uint64_t{ 1 } << (8 * SizeOf(type) - 1);
}

bool
IsNaN(PixelType type, std::uint64_t bits)
{
  const std::uint64_t magnitude = bits & (SignBitOf(type) - 1);
  switch (type)
  {
    case PixelType::Half:
      return magnitude > 0x7C00;
    case PixelType::BFloat16:
      return magnitude > 0x7F80;
    case PixelType::Float:
      return magnitude > 0x7F800000;
    case PixelType::Double:
      return magnitude > 0x7FF0000000000000;
    case PixelType::Bool:
    case PixelType::Int8:
    case PixelType::UInt8:
    case PixelType::Int16:
    case PixelType::UInt16:
    case PixelType::Int32:
    case PixelType::UInt32:
    case PixelType::Int64:
    case PixelType::UInt64:
      break;
  }
  return false;
}

} // namespace

Foreground
Foreground::Between(PixelType type, std::uint64_t lowerBits, std::uint64_t upperBits)
{
  Foreground          foreground;
  const std::uint64_t signBit = SignBitOf(type);
  if (!IsFloat(type))
  {
    const std::uint64_t sign = IsSigned(type) ? signBit : 0;
    if ((lowerBits ^ sign) <= (upperBits ^ sign))
    {
      foreground.Add(lowerBits, upperBits);
    }
    return foreground;
  }
  if (IsNaN(type, lowerBits) || IsNaN(type, upperBits))
  {
    return foreground;
  }
  // Both zeros are in a range that contains one of them.
  lowerBits = lowerBits == 0 ? signBit : lowerBits;
  upperBits = upperBits == signBit ? 0 : upperBits;
  const bool isLowerNegative = lowerBits >= signBit;
  const bool isUpperNegative = upperBits >= signBit;
  if (isLowerNegative && !isUpperNegative)
  {
    foreground.Add(signBit, lowerBits);
    foreground.Add(0, upperBits);
  }
  else if (!isLowerNegative && !isUpperNegative && lowerBits <= upperBits)
  {
    foreground.Add(lowerBits, upperBits);
  }
  else if (isLowerNegative && isUpperNegative && upperBits <= lowerBits)
  {
    foreground.Add(upperBits, lowerBits);
  }
  return foreground;
}

Foreground
Foreground::Of(const CudaConnectedComponentForeground & described, PixelType type)
{
  using Kind = CudaConnectedComponentForeground::Kind;
  using Role = ImageView::Value::Role;
  const auto & numbers = described.GetValues();
  if (described.GetKind() == Kind::NotZero)
  {
    return NotZero(type);
  }
  if (described.GetKind() == Kind::Between)
  {
    const auto lower = numbers[0].FindBits(type, Role::LowerLimit);
    const auto upper = numbers[1].FindBits(type, Role::UpperLimit);
    return lower && upper ? Between(type, *lower, *upper) : Foreground{};
  }
  std::vector<std::uint64_t> values;
  for (const auto & number : numbers)
  {
    if (const auto bits = number.FindBits(type, Role::Pixel))
    {
      values.push_back(*bits);
    }
  }
  if (values.size() == 1)
  {
    return EqualTo(type, values.front()); // in the order of IsOneValue()
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
