// SPDX-License-Identifier: Apache-2.0
#ifndef Pairs_h
#define Pairs_h

#include "HostDevice.h"

#include <cstdint>

namespace itk::ccl
{

/** Two neighbouring elements, which the device moves in one access where their address allows it. */
template <typename T>
struct alignas(2 * sizeof(T)) Pair
{
  T first;
  T second;
};

template <typename T>
CCL_HOST_DEVICE
inline Pair<T>
LoadPair(const T * address)
{
#ifdef __CUDA_ARCH__
  if (reinterpret_cast<std::uintptr_t>(address) % sizeof(Pair<T>) == 0)
  {
    return *reinterpret_cast<const Pair<T> *>(address);
  }
#endif
  return { address[0], address[1] };
}

template <typename T>
CCL_HOST_DEVICE
inline void
StorePair(T * address, const Pair<T> & pair)
{
#ifdef __CUDA_ARCH__
  if (reinterpret_cast<std::uintptr_t>(address) % sizeof(Pair<T>) == 0)
  {
    *reinterpret_cast<Pair<T> *>(address) = pair;
    return;
  }
#endif
  address[0] = pair.first;
  address[1] = pair.second;
}

} // namespace itk::ccl

#endif
