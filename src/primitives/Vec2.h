// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_primitives_Vec2_h
#define ccl_primitives_Vec2_h

// Two neighboring elements of an array, which the device loads or stores in one access if their address allows it.

#include "primitives/HostDevice.h"

#include <cstdint>

namespace itk::ccl
{

/** Two neighboring elements. One access moves both if the address is a multiple of their size. */
template <typename T>
struct alignas(2 * sizeof(T)) Vec2
{
  T first;
  T second;
};

/** Loads the two elements at any address. */
template <typename T>
CCL_HOST_DEVICE
inline Vec2<T>
LoadVec2(const T * address)
{
#ifdef __CUDA_ARCH__
  if (reinterpret_cast<std::uintptr_t>(address) % sizeof(Vec2<T>) == 0)
  {
    return *reinterpret_cast<const Vec2<T> *>(address);
  }
#endif
  return { address[0], address[1] };
}

/** Stores two elements at any address. */
template <typename T>
CCL_HOST_DEVICE
inline void
StoreVec2(T * address, const Vec2<T> & vector)
{
#ifdef __CUDA_ARCH__
  if (reinterpret_cast<std::uintptr_t>(address) % sizeof(Vec2<T>) == 0)
  {
    *reinterpret_cast<Vec2<T> *>(address) = vector;
    return;
  }
#endif
  address[0] = vector.first;
  address[1] = vector.second;
}

} // namespace itk::ccl

#endif
