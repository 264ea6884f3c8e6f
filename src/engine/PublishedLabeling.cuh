// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_engine_PublishedLabeling_cuh
#define ccl_engine_PublishedLabeling_cuh

// Labels images on a device by the published algorithms. They label one image at a time.

#include "algorithms/Request.h"
#include "executors/device/DeviceExecutor.cuh"
#include "primitives/BitRows.h"

namespace itk::ccl
{

/** Returns whether a published algorithm labels the pixels. They label one image at a time. */
bool
IsPublished(const Request & request);

/** Returns whether the published algorithm of a request labels the pixels themselves. Otherwise, runs read its labels.
 */
bool
IsPublishedForPixels(const Request & request, const ImageView & input, const ImageView & output);

/** Labels an image in device memory by the published algorithm of the request. Returns the number of components. */
std::uint64_t
LabelPixelsAsPublished(const DeviceExecutor & executor,
                       const ImageView &      input,
                       const Request &        request,
                       const ImageView &      output);

/** The rank of the component of each foreground pixel of an image, and the number of components. */
template <typename TLabel>
struct RankedPixels
{
  DeviceExecutor::Buffer<TLabel> ranks;
  std::uint64_t                  componentCount;
};

/** Ranks the components of an image of bits by the published algorithm of a request. Returns the labels of the pixels:
 * the rank of the component of each foreground pixel. */
template <typename TLabel>
RankedPixels<TLabel>
RankPixelsAsPublished(const DeviceExecutor & executor, const BitRows & rows, const Request & request);

} // namespace itk::ccl

#endif
