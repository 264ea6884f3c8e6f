// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_primitives_Foreground_h
#define ccl_primitives_Foreground_h

// Which pixels of an image are foreground. A pixel is an unsigned integer with the bytes of the pixel. The pixels
// between two limits are one range of such integers, or two: the bits of negative floating-point numbers rise while the
// numbers fall. A range may pass the largest integer and go on at 0, so signed integers have one. So one test serves
// all pixel types of a size.

#include "primitives/HostDevice.h"
#include "primitives/PixelTypes.h"

#include "itkCudaConnectedComponentForeground.h"

#include <cstdint>

namespace itk::ccl
{

/** Bits from `first` to first + extent. The sum may overflow. */
template <typename TBits>
struct BitRange
{
  TBits first;
  TBits extent;

  CCL_HOST_DEVICE
  constexpr bool
  Contains(TBits bits) const
  {
    return static_cast<TBits>(bits - first) <= extent;
  }
};

/** Returns the bit of the sign in the bytes of a pixel. */
inline std::uint64_t
SignBitOf(PixelType type)
{
  return std::uint64_t{ 1 } << (8 * SizeOf(type) - 1);
}

/** Returns whether the bytes of a pixel are NaN. */
inline bool
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

/** Pixels with bits in one of several ranges, or those with bits in none of them. */
struct Foreground
{
  static constexpr unsigned int MaximumRanges = CudaConnectedComponentForeground::MaximumValues + 1; // 0.0 takes two

  BitRange<std::uint64_t> ranges[MaximumRanges]{};
  unsigned int            count = 0; // number of ranges
  bool                    isInverted = false;

  /** Returns the foreground that a user describes. */
  static Foreground
  Of(const CudaConnectedComponentForeground & described, PixelType type);

  /** Pixels that are not zero. NaN is foreground, -0.0 is background. */
  static Foreground
  NotZero(PixelType type)
  {
    return EqualTo(type, 0).Inverted();
  }

  /** Returns whether this is NotZero(), if it is a foreground that a user describes: no other one is inverted. True
   * bools are NotZero(), too. */
  bool
  IsNotZero() const
  {
    return isInverted;
  }

  /** Pixels that equal a value. 0.0 and -0.0 are equal, and NaN equals nothing.
   * \param bits the bytes of the value, as an unsigned integer */
  static Foreground
  EqualTo(PixelType type, std::uint64_t bits)
  {
    return Between(type, bits, bits);
  }

  /** Pixels with lower <= pixel <= upper. NaN never satisfies the condition. */
  static Foreground
  Between(PixelType type, std::uint64_t lowerBits, std::uint64_t upperBits);

  /** Returns the complement. */
  Foreground
  Inverted() const
  {
    Foreground inverted = *this;
    inverted.isInverted = !isInverted;
    return inverted;
  }

  /** Returns whether a pixel is foreground. TBits is the unsigned integer of the pixel's size. */
  template <typename TBits>
  bool
  Contains(TBits bits) const
  {
    for (unsigned int i = 0; i < count; ++i)
    {
      if (this->RangeAt<TBits>(i).Contains(bits))
      {
        return !isInverted;
      }
    }
    return isInverted;
  }

  /** Returns whether a pixel of a type that is known at run time is foreground. */
  bool
  Contains(PixelType type, std::uint64_t bits) const
  {
    return VisitWidth(type, [&](auto width) { return this->Contains(static_cast<decltype(width)>(bits)); });
  }

  /** Returns a range of pixels of the size of TBits. */
  template <typename TBits>
  BitRange<TBits>
  RangeAt(unsigned int i) const
  {
    return { static_cast<TBits>(ranges[i].first), static_cast<TBits>(ranges[i].extent) };
  }

  /** Describes the ranges as pixels with (bits & mask) == value. Returns false if they are more than one value. Most
   * are not: one value, or both zeros. */
  template <typename TBits>
  bool
  IsOneValue(TBits & mask, TBits & value) const
  {
    constexpr std::uint64_t signBit = std::uint64_t{ 1 } << (8 * sizeof(TBits) - 1);
    const auto              isValue = [this](unsigned int i) { return i < count && ranges[i].extent == 0; };
    const bool areZeros = count == 2 && isValue(0) && isValue(1) && ranges[0].first == signBit && ranges[1].first == 0;
    mask = static_cast<TBits>(areZeros ? ~signBit : ~std::uint64_t{ 0 });
    value = areZeros ? TBits{ 0 } : static_cast<TBits>(ranges[0].first);
    return areZeros || (count == 1 && isValue(0));
  }

private:
  /** Adds the bits from `first` to `last`. RangeAt() takes the bits of the pixel's size. */
  void
  Add(std::uint64_t first, std::uint64_t last)
  {
    ranges[count++] = { first, last - first };
  }
};

inline Foreground
Foreground::Between(PixelType type, std::uint64_t lowerBits, std::uint64_t upperBits)
{
  Foreground          foreground;
  const std::uint64_t signBit = SignBitOf(type);
  if (type == PixelType::Bool)
  {
    // All bytes but 0 are true.
    if (lowerBits != 0)
    {
      return upperBits != 0 ? NotZero(type) : foreground;
    }
    foreground.Add(0, upperBits != 0 ? 0xFF : 0);
    return foreground;
  }
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

/** The foreground that is one value, or all others: the pixels with (bits & mask) == value. For kernels. */
template <typename TBits>
struct ValueTest
{
  TBits mask;
  TBits value;
  bool  isInverted;

  /** Returns whether the test has the same result for all pixels. */
  CCL_HOST_DEVICE
  static constexpr bool
  IsConstant()
  {
    return false;
  }
};

/** Any foreground, for kernels. */
template <typename TBits>
struct RangeTest
{
  bool            isInverted;
  unsigned int    count;
  BitRange<TBits> ranges[Foreground::MaximumRanges];

  explicit RangeTest(const Foreground & foreground)
    : isInverted(foreground.isInverted)
    , count(foreground.count)
    , ranges{}
  {
    for (unsigned int i = 0; i < count; ++i)
    {
      ranges[i] = foreground.RangeAt<TBits>(i);
    }
  }

  CCL_HOST_DEVICE
  bool
  IsConstant() const
  {
    return count == 0;
  }
};

/** Calls visitor(test) with the test of a foreground for pixels of the size of TBits. Most are a ValueTest, which takes
 * fewer registers. */
template <typename TBits, typename TVisitor>
auto
VisitTest(const Foreground & foreground, const TVisitor & visitor)
{
  ValueTest<TBits> test{ 0, 0, foreground.isInverted };
  return foreground.IsOneValue(test.mask, test.value) ? visitor(test) : visitor(RangeTest<TBits>(foreground));
}

} // namespace itk::ccl

#endif
