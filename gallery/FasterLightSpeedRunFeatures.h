// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_gallery_FasterLightSpeedRunFeatures_h
#define ccl_gallery_FasterLightSpeedRunFeatures_h

// The features of runs in FLSL, with and without conflict detection: see FasterLightSpeedFeatures.h for the paper.

#include "gallery/FasterLightSpeedRuns.h"

#include "algorithms/published/ComponentFeatures.h"
#include "primitives/Atomics.h"
#include "primitives/Vec2.h"

namespace itk::ccl::gallery
{

namespace FasterLightSpeed
{

/** The features of adjacent pixels of a row, or of several runs of a row. */
template <typename TLabel>
struct RowFeatures
{
  TLabel        pixelCount;
  std::uint64_t sumOfX;
  TLabel        minimumOfX;
  TLabel        maximumOfX;
};

/** Returns the features of a run. */
template <typename TLabel>
CCL_HOST_DEVICE
inline RowFeatures<TLabel>
FeaturesOf(const RunTable<TLabel> & runs, TLabel run)
{
  const auto          ends = LoadVec2(runs.edges + 2 * std::uint64_t{ run });
  const TLabel        count = ends.second - ends.first;
  const std::uint64_t last = ends.second - 1;
  return { count, (ends.first + last) * count / 2, ends.first, static_cast<TLabel>(last) };
}

/** Adds features of a row to the features of a component. The minimum of y stays: the root is the component's first
 * run. */
template <typename TLabel>
CCL_HOST_DEVICE
inline void
AddToComponent(const ComponentFeatures<2, TLabel> & features, TLabel root, TLabel y, const RowFeatures<TLabel> & added)
{
  AtomicAdd(features.pixelCounts + root, added.pixelCount);
  AtomicAdd(features.sums[0] + root, added.sumOfX);
  AtomicAdd(features.sums[1] + root, std::uint64_t{ y } * added.pixelCount);
  AtomicMin(features.minimums[0] + root, added.minimumOfX);
  AtomicMax(features.maximums[0] + root, added.maximumOfX);
  AtomicMax(features.maximums[1] + root, y);
}

} // namespace FasterLightSpeed

} // namespace itk::ccl::gallery

#endif
