// SPDX-License-Identifier: Apache-2.0
#ifndef Runs_h
#define Runs_h

// Which runs of bundles there are, and which bundles have runs that may touch them.

#include "Bundles.h"

namespace itk::ccl
{

/** Numbers the runs of bundles in raster order, from the number of runs that start before each word of columns. */
template <typename TBundle, typename TRun>
struct NumberedRuns
{
  BundleRows<TBundle> bundles;
  const TRun *        runsBefore;

  /** How many runs start up to and at a bit of a word of a bundle. */
  CCL_HOST_DEVICE
  TRun
  RunsThrough(std::uint64_t rowBegin, std::uint64_t word, unsigned int bit) const
  {
    return runsBefore[rowBegin + word] + CountBits(bundles.columns.Starts(rowBegin, word) & BitsThrough(bit));
  }
};

/** How many bundles before its own a run can touch. */
template <typename TBundle>
inline constexpr unsigned int NeighborCountOf = TBundle::IsOneRow      ? 2
                                                : TBundle::Slices == 1 ? 1
                                                                       : 4;

/** The offset of a bundle from another one, along y and z. */
template <int VY, int VZ>
struct BundleOffset
{
  static constexpr int Y = VY;
  static constexpr int Z = VZ;
};

/** Calls visitor(BundleOffset<y, z>{}) for one of those bundles before its own that a run can touch: 0 to
 * NeighborCountOf - 1, in raster order. */
template <typename TBundle, typename TVisitor>
CCL_HOST_DEVICE
auto
VisitNeighbor(unsigned int neighbor, const TVisitor & visitor)
{
  if constexpr (TBundle::IsOneRow)
  {
    return neighbor == 0 ? visitor(BundleOffset<0, -1>{}) : visitor(BundleOffset<-1, 0>{});
  }
  else if constexpr (TBundle::Slices == 1)
  {
    return visitor(BundleOffset<-1, 0>{});
  }
  else
  {
    switch (neighbor)
    {
      case 0:
        return visitor(BundleOffset<-1, -1>{});
      case 1:
        return visitor(BundleOffset<0, -1>{});
      case 2:
        return visitor(BundleOffset<1, -1>{});
      default:
        return visitor(BundleOffset<-1, 0>{});
    }
  }
}

/** A bundle at an offset from another one, and where the words of both bundles' columns begin. */
template <typename TOffset>
struct NeighborBundle
{
  std::uint64_t y;
  std::uint64_t z;
  std::uint64_t begin;
  std::uint64_t ownBegin;
  bool          exists;

  CCL_HOST_DEVICE
  NeighborBundle(const BitRows & columns, std::uint64_t ownY, std::uint64_t ownZ)
    : y(ownY + static_cast<std::uint64_t>(std::int64_t{ TOffset::Y }))
    , z(ownZ + static_cast<std::uint64_t>(std::int64_t{ TOffset::Z }))
    , begin(columns.RowBegin(y, z))
    , ownBegin(columns.RowBegin(ownY, ownZ))
    , exists(y < columns.words.y && z < columns.words.z) // -1 wraps around
  {}
};

} // namespace itk::ccl

#endif
