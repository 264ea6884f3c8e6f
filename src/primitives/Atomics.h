// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_primitives_Atomics_h
#define ccl_primitives_Atomics_h

// Relaxed atomic operations on plain memory that the concurrent calls of one kernel functor share. They order no other
// accesses to memory. The end of the kernel (on the host, of HostExecutor::ForEach) does this.

#include "primitives/HostDevice.h"
#include "primitives/Sums.h"

#include <cstdint>

namespace itk::ccl
{

/** Returns the value at an address. On the device, this is a plain load, so the value may be stale. Union-find accepts
 * stale values: UnionFind.h says why. A load that is atomic by the rules of C++ does not use the first cache. With such
 * loads, BUF and BKE take up to 1.9 times as long. */
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

/** Returns the value at an address. The value is not from the cache of a multiprocessor, which does not see atomic
 * operations. */
template <typename T>
CCL_HOST_DEVICE
inline T
LoadCurrent(const T * address)
{
#ifdef __CUDA_ARCH__
  return *static_cast<const volatile T *>(address);
#else
  return __atomic_load_n(address, __ATOMIC_RELAXED);
#endif
}

/** Does the same for two adjacent values. `address` must be a multiple of 16 bytes. On the device, this is one load:
 * loads of one address by all warps take turns. */
CCL_HOST_DEVICE
inline void
LoadCurrentPair(const std::uint64_t * address, std::uint64_t & first, std::uint64_t & second)
{
#ifdef __CUDA_ARCH__
  asm volatile("ld.volatile.v2.u64 {%0, %1}, [%2];" : "=l"(first), "=l"(second) : "l"(address));
#else
  first = LoadCurrent(address);
  second = LoadCurrent(address + 1);
#endif
}

/** Writes a value to an address. On the device, this is a plain store. */
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

/** Writes a value to an address that the host may read before the kernel ends. A host that loads it with acquire
 * order then sees all that this thread and earlier kernels have written before. On the device, a volatile store after a
 * fence is a release store for the whole system. */
template <typename T>
CCL_HOST_DEVICE
inline void
StoreForHost(T * address, T value)
{
#ifdef __CUDA_ARCH__
  __threadfence_system();
  *static_cast<volatile T *>(address) = value;
#else
  __atomic_store_n(address, value, __ATOMIC_RELEASE);
#endif
}

#ifdef __CUDACC__
/** Maps an integer type to the type that CUDA's atomic functions take. The 64-bit functions take unsigned long long
 * only, but std::uint64_t may be unsigned long. */
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

/** Stores the minimum of `value` and the value at the address. Returns the old value at the address. */
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

/** Stores `value` if the value at the address is `expected`. Returns the old value at the address. */
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

/** Stores the maximum of `value` and the value at the address. */
template <typename T>
CCL_HOST_DEVICE
inline void
AtomicMax(T * address, T value)
{
#ifdef __CUDA_ARCH__
  using Type = typename CudaAtomicType<T>::Type;
  atomicMax(reinterpret_cast<Type *>(address), static_cast<Type>(value));
#else
  T old = __atomic_load_n(address, __ATOMIC_RELAXED);
  while (value > old && !__atomic_compare_exchange_n(address, &old, value, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
  {
  }
#endif
}

/** Adds `value` to the value at the address. Returns the old value at the address. */
template <typename T>
CCL_HOST_DEVICE
inline T
AtomicAdd(T * address, T value)
{
#ifdef __CUDA_ARCH__
  using Type = typename CudaAtomicType<T>::Type;
  return static_cast<T>(atomicAdd(reinterpret_cast<Type *>(address), static_cast<Type>(value)));
#else
  return __atomic_fetch_add(address, value, __ATOMIC_RELAXED);
#endif
}

/** Adds `value` to the sum at the address. The two halves change one after the other. So the sum is right after the
 * kernel, and may be wrong before. */
CCL_HOST_DEVICE
inline void
AtomicAdd(CudaConnectedComponentTable::Sum * address, UInt128 value)
{
  const auto          low = static_cast<std::uint64_t>(value);
  const std::uint64_t oldLow = AtomicAdd(&address->low, low);
  const auto          high = static_cast<std::uint64_t>(value >> 64) + (oldLow + low < low);
  if (high != 0)
  {
    AtomicAdd(&address->high, high);
  }
}

/** Sets the bits of `value` in the value at the address. */
template <typename T>
CCL_HOST_DEVICE
inline void
AtomicOr(T * address, T value)
{
#ifdef __CUDA_ARCH__
  using Type = typename CudaAtomicType<T>::Type;
  atomicOr(reinterpret_cast<Type *>(address), static_cast<Type>(value));
#else
  __atomic_fetch_or(address, value, __ATOMIC_RELAXED);
#endif
}

#ifdef __CUDA_ARCH__

/** The lanes of a warp that pass one address to a function at the same time, as bits. The first lane works for all. */
struct ThreadsOfAddress
{
  unsigned int threads;

  explicit __device__
  ThreadsOfAddress(const void * address)
    : threads(__match_any_sync(__activemask(), reinterpret_cast<std::uintptr_t>(address)))
  {}

  __device__ bool
  IsFirst() const
  {
    unsigned int lowerLanes;
    asm("mov.u32 %0, %%lanemask_lt;" : "=r"(lowerLanes));
    return (threads & lowerLanes) == 0;
  }

  /** Returns the OR of the values of these threads. All of them must call it. */
  __device__ std::uint32_t
             Or(std::uint32_t value) const
  {
#  if __CUDA_ARCH__ >= 800
    return __reduce_or_sync(threads, value);
#  else
    std::uint32_t all = 0;
    // Unrolled, it takes so many registers that fewer thread blocks run at the same time.
    CCL_NO_UNROLL
    for (unsigned int bit = 0; bit < 32; ++bit)
    {
      all |= __ballot_sync(threads, value >> bit & 1U) != 0 ? 1U << bit : 0;
    }
    return all;
#  endif
  }
  __device__ std::uint64_t
             Or(std::uint64_t value) const
  {
    const std::uint32_t low = this->Or(static_cast<std::uint32_t>(value));
    return std::uint64_t{ this->Or(static_cast<std::uint32_t>(value >> 32)) } << 32 | low;
  }
};

#endif

/** Does the same as AtomicMax(), for an address that most threads share: the threads of a warp first find their
 * maximum. 64-bit values, and devices below compute capability 8.0, have no instruction for it. */
template <typename T>
CCL_HOST_DEVICE
inline void
AtomicMaxShared(T * address, T value)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  if constexpr (sizeof(T) == 4)
  {
    const ThreadsOfAddress together(address);
    value = __reduce_max_sync(together.threads, value);
    if (!together.IsFirst())
    {
      return;
    }
  }
#endif
  AtomicMax(address, value);
}

/** Sets the bits of `value` in the value at the address. Lanes with the same address share one atomic operation. */
template <typename T>
CCL_HOST_DEVICE
inline void
AtomicOrOfWarp(T * address, T value)
{
#ifdef __CUDA_ARCH__
  const ThreadsOfAddress together(address);
  const T                all = together.Or(value);
  if (together.IsFirst() && all != 0)
  {
    AtomicOr(address, all);
  }
#else
  // Mostly, other threads have set the bits before. Then the cache line stays shared.
  if ((value & ~LoadCurrent(address)) != 0)
  {
    AtomicOr(address, value);
  }
#endif
}

/** Adds 1 to the value at the address. Lanes with the same address share one atomic operation. */
template <typename T>
CCL_HOST_DEVICE
inline void
AtomicIncrementOfWarp(T * address)
{
#ifdef __CUDA_ARCH__
  const ThreadsOfAddress together(address);
  if (together.IsFirst())
  {
    AtomicAdd(address, static_cast<T>(__popc(together.threads)));
  }
#else
  AtomicAdd(address, T{ 1 });
#endif
}

} // namespace itk::ccl

#endif
