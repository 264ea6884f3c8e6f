// SPDX-License-Identifier: Apache-2.0
#ifndef CudaConnectedComponentsDetail_GrowRegions_h
#define CudaConnectedComponentsDetail_GrowRegions_h

// The work of the filters that grow regions, for all pixel types.

#include "CudaConnectedComponentsDetail/ThresholdImages.h"

#include <array>
#include <cstdint>
#include <vector>

namespace itk
{
namespace CudaConnectedComponentsDetail
{

/** The index of a pixel, from the start of a region. */
using Seed = std::array<std::uint64_t, 3>;

/** Grows a region from seeds on the calling thread, if it is small: the pixels between the limits that are connected
 * with a seed. Reads only the rows that the region has or touches.
 * \param runs gets the runs of the region, in any order
 * \return false if the region is too large; `runs` is then undefined */
CudaConnectedComponents_EXPORT bool
GrowSmallRegion(const LimitedImage &      image,
                const std::vector<Seed> & seeds,
                bool                      fullyConnected,
                std::vector<RunOfRow> &   runs);

/** Grows a region from seeds with a labeler, and writes it. */
CudaConnectedComponents_EXPORT void
GrowByLabeler(CudaConnectedComponentLabeler & labeler,
              const LimitedImage &            image,
              const std::vector<Seed> &       seeds,
              const TwoValueOutput &          output);

/** Grows a region from seeds, on the calling thread or with a labeler, and writes it. */
CudaConnectedComponents_EXPORT void
GrowRegion(CudaConnectedComponentLabeler & labeler,
           const LimitedImage &            image,
           const std::vector<Seed> &       seeds,
           const TwoValueOutput &          output);

/** Grows a region from seeds, and returns whether it has one of several pixels. */
CudaConnectedComponents_EXPORT bool
ReachesPixels(CudaConnectedComponentLabeler & labeler,
              const LimitedImage &            image,
              const std::vector<Seed> &       seeds,
              const std::vector<Seed> &       pixels);

/** Returns the seeds that lie in a region, from the start of the region. */
template <typename TSeeds, unsigned int VDimension>
std::vector<Seed>
SeedsInside(const TSeeds & seeds, const ImageRegion<VDimension> & region)
{
  static_assert(VDimension <= 3, "a plane or a volume");
  std::vector<Seed> inside;
  for (const auto & index : seeds)
  {
    if (region.IsInside(index))
    {
      Seed seed{ { 0, 0, 0 } };
      for (unsigned int axis = 0; axis < VDimension; ++axis)
      {
        seed[axis] = static_cast<std::uint64_t>(index[axis] - region.GetIndex(axis));
      }
      inside.push_back(seed);
    }
  }
  return inside;
}

} // namespace CudaConnectedComponentsDetail
} // namespace itk

#endif
