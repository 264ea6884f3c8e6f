// SPDX-License-Identifier: Apache-2.0
#ifndef itkCudaConnectedComponentAllocator_h
#define itkCudaConnectedComponentAllocator_h

#include <cstdint>

namespace itk
{

/** \class CudaConnectedComponentAllocator
 * \brief Functions of a program that allocate and free device memory, such as those of PyTorch, CuPy or RMM.
 *
 * The device of the call is current in the functions. The memory is for work on a stream. `free` is called when the
 * work has been enqueued, but perhaps not done: the memory may serve later work of the same stream at once, and other
 * work only after the stream. If the stream captures a graph, the memory must serve nothing else as long as the graph
 * exists.
 *
 * \par Thread safety
 * The functions are called on the thread that calls the labeler. If several threads use the allocator, they call the
 * functions at the same time.
 *
 * \sa CudaConnectedComponentLabeler::Options
 *
 * \ingroup CudaConnectedComponents
 */
struct CudaConnectedComponentAllocator
{
  /** Returns memory of the device, at an address that is a multiple of 256, or null if there is too little memory. It
   * must not throw. The arguments are `context`, the number of bytes, which is not 0, and the cudaStream_t. */
  void * (*allocate)(void * context, std::uint64_t bytes, void * stream) = nullptr;

  /** Frees memory of `allocate`. It must not throw. The arguments are `context`, the address, the number of bytes and
   * the cudaStream_t. */
  void (*free)(void * context, void * memory, std::uint64_t bytes, void * stream) = nullptr;

  /** The first argument of both functions. */
  void * context = nullptr;

  /** Calls but Enqueue() may take less memory than this from a cache of the library, which keeps blocks of up to 64
   * MiB; CudaConnectedComponentLabeler::TrimMemory() frees them. The default is 0: all memory comes from `allocate`. */
  std::uint64_t smallestBytes = 0;
};

} // namespace itk

#endif
