// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_algorithms_small_SmallImages_cuh
#define ccl_algorithms_small_SmallImages_cuh

// Labels images in one kernel that are so small that the shared memory of the device's multiprocessors holds their bits
// and segments.

#include "executors/device/DeviceExecutor.cuh"
#include "algorithms/Request.h"
#include "primitives/PixelTypes.h"

#include <optional>

namespace itk::ccl
{

/** Labels pixels in device memory, as DeviceSession::LabelPixels. Gives nothing, and nothing is written, where the
 * image is too large or has more segments than is worth it, or where the device's multiprocessors are not all to be
 * had.
 */
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
