// SPDX-License-Identifier: Apache-2.0

// CudaConnectedComponentImageView::Value: the pixel of a type for a number.

#include "primitives/PixelTypes.h"

#include "itkCudaConnectedComponentImageView.h"

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <limits>
#include <sstream>

namespace itk
{

using ccl::PixelType;

namespace
{

/** The layout of a floating-point type. */
struct FloatFormat
{
  int exponentBits;
  int fractionBits;

  static FloatFormat
  Of(PixelType type)
  {
    switch (type)
    {
      case PixelType::Half:
        return { 5, 10 };
      case PixelType::BFloat16:
        return { 8, 7 };
      case PixelType::Float:
        return { 8, 23 };
      default:
        return { 11, 52 };
    }
  }

  std::uint64_t
  GetInfinity() const
  {
    return ((std::uint64_t{ 1 } << exponentBits) - 1) << fractionBits;
  }

  /** Returns the largest finite number. */
  double
  GetLargest() const
  {
    return std::ldexp(2.0 - std::ldexp(1.0, -fractionBits), (1 << (exponentBits - 1)) - 1);
  }

  /** Returns the bits of the nearest number, the even one of two. */
  std::uint64_t
  Round(double number) const
  {
    const std::uint64_t sign = std::uint64_t{ std::signbit(number) } << (exponentBits + fractionBits);
    const double        magnitude = std::abs(number);
    if (std::isnan(number))
    {
      return sign | this->GetInfinity() | std::uint64_t{ 1 } << (fractionBits - 1);
    }
    if (magnitude == 0.0 || std::isinf(number))
    {
      return sign | (magnitude == 0.0 ? 0 : this->GetInfinity());
    }
    // Numbers with exponents below this one have its distances.
    const int  lowest = 2 - (1 << (exponentBits - 1));
    const int  exponent = std::max(std::ilogb(magnitude), lowest);
    const auto quanta = static_cast<std::uint64_t>(std::nearbyint(std::ldexp(magnitude, fractionBits - exponent)));
    const auto bits = (static_cast<std::uint64_t>(exponent - lowest) << fractionBits) + quanta;
    return sign | std::min(bits, this->GetInfinity());
  }
};

} // namespace

std::uint64_t
CudaConnectedComponentImageView::Value::BitsAs(PixelTypeEnum pixelType) const
{
  if (ccl::IsFloat(pixelType) && std::isnan(m_Number))
  {
    return FloatFormat::Of(pixelType).Round(m_Number);
  }
  const auto bits = this->FindBits(pixelType, RoleEnum::Pixel);
  if (!bits)
  {
    // 15 digits suffice for numbers that people write.
    std::ostringstream text;
    text << "no pixel of the type " << ccl::NameOf(pixelType) << " has the value " << std::setprecision(15);
    m_IsInteger && !m_IsNegative ? text << m_Integer : text << m_Number;
    text << ": choose another value, or convert the image to another type";
    throw CudaConnectedComponentError(CudaConnectedComponentError::KindEnum::InvalidArgument, text.str());
  }
  return *bits;
}

std::optional<std::uint64_t>
CudaConnectedComponentImageView::Value::FindBits(PixelTypeEnum pixelType, RoleEnum role) const
{
  if (std::isnan(m_Number))
  {
    return std::nullopt;
  }
  if (ccl::IsFloat(pixelType))
  {
    const FloatFormat format = FloatFormat::Of(pixelType);
    const double      largest = format.GetLargest();
    if (std::isfinite(m_Number) && role != RoleEnum::Pixel && std::abs(m_Number) > largest)
    {
      const bool isReached = (role == RoleEnum::LowerLimit) == (m_Number < 0);
      return isReached ? std::optional(format.Round(std::copysign(largest, m_Number))) : std::nullopt;
    }
    const std::uint64_t bits = pixelType == PixelTypeEnum::Float && m_IsInteger && !m_IsNegative
                                 ? BitsOf(static_cast<float>(m_Integer)) // rounded once
                                 : format.Round(m_Number);
    const bool isInfinite = bits == format.Round(std::copysign(std::numeric_limits<double>::infinity(), m_Number));
    return std::isfinite(m_Number) && isInfinite ? std::nullopt : std::optional(bits);
  }
  const auto find = [this, role](auto zero, std::uint64_t maximum) -> std::optional<std::uint64_t> {
    using IntegerType = decltype(zero);
    const auto   minimum = std::numeric_limits<IntegerType>::min();
    const double rounded = role == RoleEnum::LowerLimit ? std::ceil(m_Number) : std::floor(m_Number);
    const bool   isBelow = m_IsInteger
                             ? m_IsNegative && (std::is_unsigned<IntegerType>::value ||
                                              static_cast<std::int64_t>(m_Integer) < static_cast<std::int64_t>(minimum))
                             : rounded < static_cast<double>(minimum);
    // A conversion to double may round the maximum up, but not the number after it.
    const bool isAbove =
      m_IsInteger ? !m_IsNegative && m_Integer > maximum : rounded >= static_cast<double>(maximum / 2 + 1) * 2;
    if (isBelow)
    {
      return role == RoleEnum::LowerLimit ? std::optional(BitsOf(minimum)) : std::nullopt;
    }
    if (isAbove)
    {
      return role == RoleEnum::UpperLimit ? std::optional(BitsOf(static_cast<IntegerType>(maximum))) : std::nullopt;
    }
    if (role == RoleEnum::Pixel && !m_IsInteger && rounded != m_Number)
    {
      return std::nullopt;
    }
    return BitsOf(m_IsInteger ? static_cast<IntegerType>(m_Integer) : static_cast<IntegerType>(rounded));
  };
  if (pixelType == PixelTypeEnum::Bool)
  {
    return find(std::uint8_t{}, 1);
  }
  return ccl::VisitLabelType(pixelType, [&](auto zero) {
    return find(zero, static_cast<std::uint64_t>(std::numeric_limits<decltype(zero)>::max()));
  });
}

} // namespace itk
