// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_primitives_WideInteger_h
#define ccl_primitives_WideInteger_h

// Integers of several 64-bit digits. Their additions give the same digits in any order.

#include "primitives/Atomics.h"
#include "primitives/HostDevice.h"
#include "primitives/Sums.h"

#include <cstdint>

namespace itk::ccl
{

/** A signed integer of 128 bits, an extension of gcc, clang and nvcc. */
__extension__ typedef __int128 Int128;

/** An integer of 64 * VDigits bits, the lowest digit first. It is unsigned, or signed in two's complement. */
template <unsigned int VDigits>
struct WideInteger
{
  std::uint64_t digits[VDigits];

  /** Returns an unsigned integer. VDigits must be at least 2. */
  CCL_HOST_DEVICE
  static WideInteger
  Of(UInt128 value)
  {
    WideInteger result{};
    result.digits[0] = static_cast<std::uint64_t>(value);
    result.digits[1] = static_cast<std::uint64_t>(value >> 64);
    return result;
  }

  CCL_HOST_DEVICE
  bool
  IsNegative() const
  {
    return digits[VDigits - 1] >> 63 != 0;
  }

  /** Adds another integer. The result is right modulo 2^(64 * VDigits). */
  CCL_HOST_DEVICE
  void
  Add(const WideInteger & other)
  {
    std::uint64_t carry = 0;
    CCL_UNROLL
    for (unsigned int i = 0; i < VDigits; ++i)
    {
      const UInt128 sum = UInt128{ digits[i] } + other.digits[i] + carry;
      digits[i] = static_cast<std::uint64_t>(sum);
      carry = static_cast<std::uint64_t>(sum >> 64);
    }
  }

  /** Changes the sign. */
  CCL_HOST_DEVICE
  void
  Negate()
  {
    std::uint64_t carry = 1;
    CCL_UNROLL
    for (unsigned int i = 0; i < VDigits; ++i)
    {
      digits[i] = ~digits[i] + carry;
      carry = digits[i] < carry ? 1 : 0;
    }
  }

  /** Multiplies by 2^bits. `bits` is 1 to 64 * VDigits - 1. */
  void
  ShiftLeft(unsigned int bits)
  {
    const unsigned int whole = bits / 64;
    const unsigned int rest = bits % 64;
    for (unsigned int i = VDigits; i-- > 0;)
    {
      const std::uint64_t high = i >= whole ? digits[i - whole] : 0;
      const std::uint64_t low = i > whole ? digits[i - whole - 1] : 0;
      digits[i] = rest == 0 ? high : high << rest | low >> (64 - rest);
    }
  }
};

/** Returns the product of two unsigned integers. */
template <unsigned int VDigitsA, unsigned int VDigitsB>
inline WideInteger<VDigitsA + VDigitsB>
Multiply(const WideInteger<VDigitsA> & a, const WideInteger<VDigitsB> & b)
{
  WideInteger<VDigitsA + VDigitsB> product{};
  for (unsigned int i = 0; i < VDigitsA; ++i)
  {
    std::uint64_t carry = 0;
    for (unsigned int j = 0; j < VDigitsB; ++j)
    {
      const UInt128 sum = UInt128{ a.digits[i] } * b.digits[j] + product.digits[i + j] + carry;
      product.digits[i + j] = static_cast<std::uint64_t>(sum);
      carry = static_cast<std::uint64_t>(sum >> 64);
    }
    product.digits[i + VDigitsB] = carry;
  }
  return product;
}

/** Adds `value` to the integer at the address. Other threads may see some digits changed and others not. The integer is
 * correct at the end of the kernel. */
template <unsigned int VDigits>
CCL_HOST_DEVICE
inline void
AtomicAdd(WideInteger<VDigits> * address, const WideInteger<VDigits> & value)
{
  std::uint64_t carry = 0;
  CCL_UNROLL
  for (unsigned int i = 0; i < VDigits; ++i)
  {
    // 2^64 - 1 plus a carry is 0, with a carry to the next digit.
    const std::uint64_t summand = value.digits[i] + carry;
    carry = summand < carry ? 1 : 0;
    if (summand != 0)
    {
      const std::uint64_t old = AtomicAdd(&address->digits[i], summand);
      carry += old + summand < summand ? 1 : 0;
    }
  }
}

} // namespace itk::ccl

#endif
