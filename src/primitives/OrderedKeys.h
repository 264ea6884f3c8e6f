// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_primitives_OrderedKeys_h
#define ccl_primitives_OrderedKeys_h

// Unsigned keys that have the order of the pixels that they stand for. So the atomic minimum and maximum of integers
// serve all pixel types.

#include "primitives/HostDevice.h"

#include <cstdint>
#include <cstring>
#include <type_traits>

namespace itk::ccl
{

inline constexpr std::uint64_t SignBit = std::uint64_t{ 1 } << 63;

/** Returns the bits of a floating-point number. */
CCL_HOST_DEVICE
inline std::uint64_t
BitsOf(double number)
{
  std::uint64_t bits = 0;
  memcpy(&bits, &number, sizeof(bits));
  return bits;
}

/** Returns the key of an integer, or of a floating-point number that is not NaN. The key of -0.0 is less than the key
 * of 0.0. */
template <typename T>
CCL_HOST_DEVICE
inline std::uint64_t
KeyOf(T value)
{
  if constexpr (std::is_floating_point<T>::value)
  {
    const std::uint64_t bits = BitsOf(value);
    return bits ^ ((0 - (bits >> 63)) | SignBit); // inverts negative numbers, without a branch
  }
  else if constexpr (std::is_signed<T>::value)
  {
    return static_cast<std::uint64_t>(std::int64_t{ value }) ^ SignBit;
  }
  else
  {
    return value;
  }
}

/** Returns the bits of the floating-point number of a key. */
CCL_HOST_DEVICE
inline std::uint64_t
BitsOfKey(std::uint64_t key)
{
  return (key & SignBit) != 0 ? key & ~SignBit : ~key;
}

/** Returns the floating-point number of a key. */
CCL_HOST_DEVICE
inline double
DoubleOfKey(std::uint64_t key)
{
  const std::uint64_t bits = BitsOfKey(key);
  double              number = 0;
  memcpy(&number, &bits, sizeof(number));
  return number;
}

} // namespace itk::ccl

#endif
