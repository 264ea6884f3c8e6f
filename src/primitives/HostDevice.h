// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_primitives_HostDevice_h
#define ccl_primitives_HostDevice_h

// Marks what the kernels and the host's tests share.
#ifdef __CUDACC__
#  define CCL_HOST_DEVICE __host__ __device__
#else
#  define CCL_HOST_DEVICE
#endif

// Unrolls the loop that follows, on the device.
#ifdef __CUDA_ARCH__
#  define CCL_UNROLL _Pragma("unroll")
#else
#  define CCL_UNROLL
#endif

// For a function of both that calls its executor, which is of one of them.
#ifdef __CUDACC__
#  define CCL_NO_EXECUTION_CHECK _Pragma("nv_exec_check_disable")
#else
#  define CCL_NO_EXECUTION_CHECK
#endif

// Keeps a device function a call of its own.
#ifdef __CUDACC__
#  define CCL_NOINLINE __noinline__
#else
#  define CCL_NOINLINE
#endif

#endif
