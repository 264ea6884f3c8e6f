// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_primitives_Runs_h
#define ccl_primitives_Runs_h

// Which runs of row groups there are, and which row groups have runs that may touch them.

#include "primitives/RowGroups.h"

namespace itk::ccl
{

/** Numbers the runs of row groups in raster order, from the number of runs that start before each word of columns. */
template <typename TRowGroup, typename TRun>
struct IndexedRuns
{
  RowGroupBits<TRowGroup> groups;
  const TRun *            runOffsets;

  /** How many runs start up to and at a bit of a word of a row group. */
  CCL_HOST_DEVICE
  TRun
  CountRunsThrough(std::uint64_t rowBegin, std::uint64_t word, unsigned int bit) const
  {
    return runOffsets[rowBegin + word] + CountBits(groups.columns.Starts(rowBegin, word) & BitsThrough(bit));
  }
};

/** How many row groups before its own a run can touch. */
template <typename TRowGroup>
inline constexpr unsigned int NeighborCountOf = TRowGroup::IsOneRow      ? 2
                                                : TRowGroup::Slices == 1 ? 1
                                                                         : 4;

/** The offset of a row group from another one, along y and z. */
template <int VY, int VZ>
struct RowGroupOffset
{
  static constexpr int Y = VY;
  static constexpr int Z = VZ;
};

/** Calls visitor(BundleOffset<y, z>{}) for one of those row groups before its own that a run can touch: 0 to
 * NeighborCountOf - 1, in raster order. */
template <typename TRowGroup, typename TVisitor>
CCL_HOST_DEVICE
auto
VisitNeighbor(unsigned int neighbor, const TVisitor & visitor)
{
  if constexpr (TRowGroup::IsOneRow)
  {
    return neighbor == 0 ? visitor(RowGroupOffset<0, -1>{}) : visitor(RowGroupOffset<-1, 0>{});
  }
  else if constexpr (TRowGroup::Slices == 1)
  {
    return visitor(RowGroupOffset<-1, 0>{});
  }
  else
  {
    switch (neighbor)
    {
      case 0:
        return visitor(RowGroupOffset<-1, -1>{});
      case 1:
        return visitor(RowGroupOffset<0, -1>{});
      case 2:
        return visitor(RowGroupOffset<1, -1>{});
      default:
        return visitor(RowGroupOffset<-1, 0>{});
    }
  }
}

/** A row group at an offset from another one, and where the words of both row groups' columns begin. */
template <typename TOffset>
struct NeighborRowGroup
{
  std::uint64_t y;
  std::uint64_t z;
  std::uint64_t begin;
  std::uint64_t ownBegin;
  bool          exists;

  CCL_HOST_DEVICE
  NeighborRowGroup(const BitRows & columns, std::uint64_t ownY, std::uint64_t ownZ)
    : y(ownY + static_cast<std::uint64_t>(std::int64_t{ TOffset::Y }))
    , z(ownZ + static_cast<std::uint64_t>(std::int64_t{ TOffset::Z }))
    , begin(columns.RowBegin(y, z))
    , ownBegin(columns.RowBegin(ownY, ownZ))
    , exists(y < columns.words.y && z < columns.words.z) // -1 wraps around
  {}
};

} // namespace itk::ccl

#endif
