// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_engine_HolesOfValues_h
#define ccl_engine_HolesOfValues_h

// Finds the holes of each value of an image of classes. A hole of a value is a component of all pixels of other values
// that does not touch the border of the image. It is made of whole regions: components that have one value. So the work
// is on the graph of adjacent regions, not on pixels.

#include "executors/host/ParallelFor.h"
#include "primitives/Foreground.h"
#include "primitives/RowGroups.h"

#include "itkCudaConnectedComponentLabeler.h"

#include <cstdint>
#include <utility>
#include <vector>

namespace itk::ccl
{

/** Two regions that have adjacent pixels. The first number is lower. */
using AdjacentRegions = std::pair<std::uint64_t, std::uint64_t>;

/** Returns all pairs of adjacent regions, in ascending order. `rows` has the runs of each row of the images, which
 * cover all pixels. */
std::vector<AdjacentRegions>
FindAdjacentRegions(const ParallelFor &                                                  parallelFor,
                    const std::vector<std::vector<CudaConnectedComponentLabeler::Run>> & rows,
                    const Grid &                                                         size,
                    Neighbors                                                            neighbors);

/** Which holes are filled, and with what. */
struct HoleSettings
{
  std::uint64_t maximumSize;      // of a hole, in pixels
  bool          overwritesValues; // whether a hole takes all its regions, or background only
  PixelType     type;
  Foreground    values; // that have holes

  /** Returns the settings for the foreground of a labeler. */
  static HoleSettings
  Of(const CudaConnectedComponentLabeler::Options & options,
     PixelType                                      type,
     bool                                           overwritesValues,
     std::uint64_t                                  maximumSize)
  {
    const auto foreground = Foreground::Of(options.foreground, type);
    return { maximumSize, overwritesValues, type, options.complement ? foreground.Inverted() : foreground };
  }
};

/** Finds the regions that become part of a value around them. If a region lies in several holes, the smallest hole
 * wins. If two are equally large, the value that comes first in the image wins. Returns a region of this value for each
 * region, or the region itself.
 * \param regions their sizes, boxes and values */
std::vector<std::uint64_t>
FindHolesOfValues(const CudaConnectedComponentTable &  regions,
                  const std::vector<AdjacentRegions> & adjacent,
                  const Grid &                         size,
                  const HoleSettings &                 settings);

} // namespace itk::ccl

#endif
