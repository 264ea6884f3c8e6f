// SPDX-License-Identifier: Apache-2.0
#ifndef SmallImages_cuh
#define SmallImages_cuh

// Labels images in one kernel that are so small that several would take longer to launch than to run.

#include "DeviceExecutor.cuh"
#include "DeviceSession.h"

namespace itk::ccl
{

/** Whether LabelSmallImage is for an image: Automatic chooses it on devices that can run cooperative kernels. */
bool
IsSmall(const Request & request, const DeviceResources & resources);

/** Labels pixels in device memory, as DeviceSession::LabelPixels. */
std::uint64_t
LabelSmallImage(const DeviceExecutor & executor,
                DeviceResources &      resources,
                const void *           pixels,
                PixelKind              kind,
                const Request &        request,
                void *                 labels,
                unsigned int           labelBytes);

} // namespace itk::ccl

#endif
