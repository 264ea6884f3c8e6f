// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_primitives_Atomics_h
#define ccl_primitives_Atomics_h

#include "primitives/HostDevice.h"

#include <cstdint>

namespace itk::ccl
{

// Relaxed atomic operations on plain memory, which the threads of one step share. Kernel boundaries (on the host: the
// end of HostExecutor::ForEach) order everything else.

/** On the device a plain load: it may be stale, but a stale parent is still an ancestor. */
template <typename T>
CCL_HOST_DEVICE
inline T
Load(const T * address)
{
#ifdef __CUDA_ARCH__
  return *address;
#else
  return __atomic_load_n(address, __ATOMIC_RELAXED);
#endif
}

template <typename T>
CCL_HOST_DEVICE
inline void
Store(T * address, T value)
{
#ifdef __CUDA_ARCH__
  *address = value;
#else
  __atomic_store_n(address, value, __ATOMIC_RELAXED);
#endif
}

#ifdef __CUDACC__
/** CUDA's 64-bit atomics are declared for unsigned long long, which std::uint64_t need not be. */
template <typename T>
struct CudaAtomicType
{
  using Type = T;
};
template <>
struct CudaAtomicType<unsigned long>
{
  using Type = unsigned long long;
};
#endif

/** Lowers the value at address to `value`; returns what was there before. */
template <typename T>
CCL_HOST_DEVICE
inline T
AtomicMin(T * address, T value)
{
#ifdef __CUDA_ARCH__
  using Type = typename CudaAtomicType<T>::Type;
  return atomicMin(reinterpret_cast<Type *>(address), static_cast<Type>(value));
#else
  T old = __atomic_load_n(address, __ATOMIC_RELAXED);
  while (value < old && !__atomic_compare_exchange_n(address, &old, value, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
  {
  }
  return old;
#endif
}

/** Replaces what is at address by `value` if that is `expected`; returns what was there before. */
template <typename T>
CCL_HOST_DEVICE
inline T
AtomicCompareExchange(T * address, T expected, T value)
{
#ifdef __CUDA_ARCH__
  using Type = typename CudaAtomicType<T>::Type;
  return atomicCAS(reinterpret_cast<Type *>(address), static_cast<Type>(expected), static_cast<Type>(value));
#else
  __atomic_compare_exchange_n(address, &expected, value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
  return expected;
#endif
}

/** Adds `value` to that at address. */
template <typename T>
CCL_HOST_DEVICE
inline void
AtomicAdd(T * address, T value)
{
#ifdef __CUDA_ARCH__
  using Type = typename CudaAtomicType<T>::Type;
  atomicAdd(reinterpret_cast<Type *>(address), static_cast<Type>(value));
#else
  __atomic_fetch_add(address, value, __ATOMIC_RELAXED);
#endif
}

/** Sets the bits of `value` at address. */
template <typename T>
CCL_HOST_DEVICE
inline void
AtomicOr(T * address, T value)
{
#ifdef __CUDA_ARCH__
  atomicOr(address, value);
#else
  __atomic_fetch_or(address, value, __ATOMIC_RELAXED);
#endif
}

} // namespace itk::ccl

#endif
