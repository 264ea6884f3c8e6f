// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_primitives_Foreground_h
#define ccl_primitives_Foreground_h

// Which pixels of an image are foreground: those in an interval of values, or those outside it. A pixel is an unsigned
// integer with the bytes of the pixel. Its ordered key has the order of the values, so one test serves all pixel types
// of a size: see OrderedKeys.h.

#include "primitives/HostDevice.h"
#include "primitives/PixelTypes.h"

#include <cstdint>

namespace itk::ccl
{

/** An interval of ordered keys, and how to make a key of a pixel's bits. */
struct Foreground
{
  std::uint64_t lower; // the first and the last key of the interval, which is empty if lower > upper
  std::uint64_t upper;
  std::uint64_t negative;   // the bits that a negative pixel inverts in its key
  std::uint64_t sign;       // the bits that each pixel inverts in its key
  bool          isInverted; // whether the pixels outside the interval are foreground

  /** Pixels that are not zero. NaN is foreground, -0.0 is background. */
  static Foreground
  NotZero(PixelType type)
  {
    return EqualTo(type, 0).Inverted();
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
  Between(PixelType type, std::uint64_t lowerBits, std::uint64_t upperBits)
  {
    const std::uint64_t signBit = SignBitOf(type);
    Foreground          foreground{ 0, 0, 0, 0, false };
    if (IsFloat(type))
    {
      foreground.negative = signBit - 1;
      foreground.sign = signBit;
      if (IsNaN(type, lowerBits) || IsNaN(type, upperBits))
      {
        foreground.lower = 1; // an empty interval
        return foreground;
      }
      // Both zeros are in an interval that contains one of them.
      lowerBits = lowerBits == 0 ? signBit : lowerBits;
      upperBits = upperBits == signBit ? 0 : upperBits;
    }
    else if (IsSigned(type))
    {
      foreground.sign = signBit;
    }
    foreground.lower = foreground.KeyOf(lowerBits, signBit);
    foreground.upper = foreground.KeyOf(upperBits, signBit);
    return foreground;
  }

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
  CCL_HOST_DEVICE
  bool
  Contains(TBits bits) const
  {
    const auto key = static_cast<TBits>(this->KeyOf(bits, std::uint64_t{ 1 } << (8 * sizeof(TBits) - 1)));
    return (static_cast<TBits>(lower) <= key && key <= static_cast<TBits>(upper)) != isInverted;
  }

  /** Returns whether a pixel of a type that is known at run time is foreground. */
  bool
  Contains(PixelType type, std::uint64_t bits) const
  {
    return VisitWidth(type, [&](auto width) { return this->Contains(static_cast<decltype(width)>(bits)); });
  }

  /** Describes the interval as pixels with (bits & mask) == value. Returns false if it is no such interval. Most are:
   * one value, or both zeros. */
  template <typename TBits>
  bool
  IsOneValue(TBits & mask, TBits & value) const
  {
    constexpr std::uint64_t signBit = std::uint64_t{ 1 } << (8 * sizeof(TBits) - 1);
    const bool              areZeros = negative != 0 && lower == signBit - 1 && upper == signBit;
    mask = areZeros ? static_cast<TBits>(~signBit) : static_cast<TBits>(~TBits{ 0 });
    value = areZeros ? TBits{ 0 } : this->BitsOf<TBits>(static_cast<TBits>(lower));
    return areZeros || lower == upper;
  }

private:
  CCL_HOST_DEVICE
  std::uint64_t
  KeyOf(std::uint64_t bits, std::uint64_t signBit) const
  {
    return bits ^ ((bits & signBit) != 0 ? negative : 0) ^ sign;
  }

  template <typename TBits>
  TBits
  BitsOf(TBits key) const
  {
    const auto          bits = static_cast<std::uint64_t>(key) ^ sign;
    const std::uint64_t signBit = std::uint64_t{ 1 } << (8 * sizeof(TBits) - 1);
    return static_cast<TBits>(bits ^ ((bits & signBit) != 0 ? negative : 0));
  }

  static std::uint64_t
  SignBitOf(PixelType type)
  {
    return std::uint64_t{ 1 } << (8 * SizeOf(type) - 1);
  }

  static bool
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
};

} // namespace itk::ccl

#endif
