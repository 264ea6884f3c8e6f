// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_algorithms_small_SmallImages_cuh
#define ccl_algorithms_small_SmallImages_cuh

// Labels a small image with one kernel. An image is small if the shared memory of all multiprocessors together holds
// its bits and the parents of its segments. SegmentUnionFind.h explains the kernel.

#include "executors/device/DeviceExecutor.cuh"
#include "algorithms/Request.h"
#include "primitives/PixelTypes.h"

#include <optional>

namespace itk::ccl
{

/** Labels pixels in device memory, and waits for the result. `pixels` and `labels` are addresses in device memory.
 * Returns the number of objects. Returns nothing, and writes no label, in these cases:
 * - The image is too large.
 * - The image is a volume with so many segments that the algorithm for large images is faster.
 * - The device cannot launch cooperative kernels, or not all thread blocks fit on it at the same time.
 *
 * Throws CudaConnectedComponentError if CUDA fails, or if the label type has too few values for the objects. */
std::optional<std::uint64_t>
LabelSmallImage(const DeviceExecutor & executor,
                DeviceResources &      resources,
                const void *           pixels,
                PixelType              pixelType,
                const Request &        request,
                void *                 labels,
                PixelType              labelType);

} // namespace itk::ccl

#endif
