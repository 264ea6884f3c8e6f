// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_primitives_Vec2_h
#define ccl_primitives_Vec2_h

#include "primitives/HostDevice.h"

#include <cstdint>

namespace itk::ccl
{

/** Two neighbouring elements, which the device moves in one access where their address allows it. */
template <typename T>
struct alignas(2 * sizeof(T)) Vec2
{
  T first;
  T second;
};

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

template <typename T>
CCL_HOST_DEVICE
inline void
StoreVec2(T * address, const Vec2<T> & pair)
{
#ifdef __CUDA_ARCH__
  if (reinterpret_cast<std::uintptr_t>(address) % sizeof(Vec2<T>) == 0)
  {
    *reinterpret_cast<Vec2<T> *>(address) = pair;
    return;
  }
#endif
  address[0] = pair.first;
  address[1] = pair.second;
}

} // namespace itk::ccl

#endif
