// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_primitives_HostDevice_h
#define ccl_primitives_HostDevice_h

// Macros for functions that are compiled for the device by nvcc, and for the host by any compiler.

// Marks a function that runs on the device and on the host.
#ifdef __CUDACC__
#  define CCL_HOST_DEVICE __host__ __device__
#else
#  define CCL_HOST_DEVICE
#endif

// Unrolls the next loop on the device.
#ifdef __CUDA_ARCH__
#  define CCL_UNROLL _Pragma("unroll")
#else
#  define CCL_UNROLL
#endif

// Keeps the code of the next loop once on the device.
#ifdef __CUDA_ARCH__
#  define CCL_NO_UNROLL _Pragma("unroll 1")
#else
#  define CCL_NO_UNROLL
#endif

// Tells the compiler that an address is a multiple of a number. Returns the address.
#ifdef _MSC_VER
#  define CCL_ASSUME_ALIGNED(pointer, alignment) (pointer)
#else
#  define CCL_ASSUME_ALIGNED(pointer, alignment) __builtin_assume_aligned(static_cast<const void *>(pointer), alignment)
#endif

// Precedes a host and device function that calls its executor or its visitor. An executor may exist on one side only.
// Without this pragma, nvcc would warn about the other side.
#ifdef __NVCC__
#  define CCL_NO_EXECUTION_CHECK _Pragma("nv_exec_check_disable")
#else
#  define CCL_NO_EXECUTION_CHECK
#endif

// Stops nvcc from inlining a function.
#ifdef __CUDACC__
#  define CCL_NOINLINE __noinline__
#else
#  define CCL_NOINLINE
#endif

#endif
