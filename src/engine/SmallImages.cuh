// SPDX-License-Identifier: Apache-2.0
#ifndef SmallImages_cuh
#define SmallImages_cuh

// Labels images in one kernel that are so small that the shared memory of the device's multiprocessors holds their bits
// and segments.

#include "DeviceExecutor.cuh"
#include "DeviceSession.h"

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
                PixelKind              kind,
                const Request &        request,
                void *                 labels,
                unsigned int           labelBytes);

} // namespace itk::ccl

#endif
