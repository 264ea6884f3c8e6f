// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_primitives_Topology_h
#define ccl_primitives_Topology_h

// The topology of row groups: which of them have adjacent runs. Only the kernels that find adjacent runs know it.
// Packing, ranking and the label write-out know the kind of row group.

#include "primitives/RowGroups.h"

namespace itk::ccl
{

/** The row groups that precede a row group in raster order and can have runs that are adjacent to its runs. Adjacency
 * is symmetric, so the later ones need no visit. Groups of several rows have full connectivity, and their offsets are
 * types: the rows that face each other follow from them. */
template <typename TRowGroup>
struct Topology
{
  static constexpr unsigned int count = TRowGroup::Slices == 1 ? 1 : 4;

  static Topology
  Of(Neighbors, bool)
  {
    return {};
  }

  /** Calls visitor(offset) with the offset of a preceding row group. `neighbor` is 0 to count - 1, in raster order.
   * Returns the visitor's result. */
  template <typename TVisitor>
  CCL_HOST_DEVICE
  auto
  Visit(unsigned int neighbor, const TVisitor & visitor) const
  {
    if constexpr (TRowGroup::Slices == 1)
    {
      static_cast<void>(neighbor);
      return visitor(FixedRowOffset<-1, 0>{});
    }
    else
    {
      switch (neighbor)
      {
        case 0:
          return visitor(FixedRowOffset<-1, -1>{});
        case 1:
          return visitor(FixedRowOffset<0, -1>{});
        case 2:
          return visitor(FixedRowOffset<1, -1>{});
        default:
          return visitor(FixedRowOffset<-1, 0>{});
      }
    }
  }

  /** Calls visitor(offset) with the offset of each preceding row group, in raster order, until it returns false. A loop
   * over Visit() would make the compiler spill registers. */
  template <typename TVisitor>
  CCL_HOST_DEVICE
  void
  VisitWhile(const TVisitor & visitor) const
  {
    if constexpr (TRowGroup::Slices == 1)
    {
      visitor(FixedRowOffset<-1, 0>{});
    }
    else
    {
      static_cast<void>(visitor(FixedRowOffset<-1, -1>{}) && visitor(FixedRowOffset<0, -1>{}) &&
                        visitor(FixedRowOffset<1, -1>{}) && visitor(FixedRowOffset<-1, 0>{}));
    }
  }
};

/** Offsets of single rows are numbers, so all neighborhoods share the kernels. */
struct TopologyOfRows
{
  RowOffset    offsets[4]; // in raster order
  unsigned int count;

  static TopologyOfRows
  Of(Neighbors neighbors, bool isPlane)
  {
    const unsigned int reach = neighbors == Neighbors::Face ? 0 : 1;
    const RowOffset    before{ -1, 0, reach };
    if (isPlane)
    {
      return { { before }, 1 };
    }
    if (neighbors == Neighbors::Face)
    {
      return { { { 0, -1, 0 }, before }, 2 };
    }
    const unsigned int diagonalReach = neighbors == Neighbors::Full ? 1 : 0;
    return { { { -1, -1, diagonalReach }, { 0, -1, 1 }, { 1, -1, diagonalReach }, before }, 4 };
  }

  template <typename TVisitor>
  CCL_HOST_DEVICE
  auto
  Visit(unsigned int neighbor, const TVisitor & visitor) const
  {
    return visitor(offsets[neighbor]);
  }

  template <typename TVisitor>
  CCL_HOST_DEVICE
  void
  VisitWhile(const TVisitor & visitor) const
  {
    for (unsigned int neighbor = 0; neighbor < count && visitor(offsets[neighbor]); ++neighbor)
    {
    }
  }
};

template <>
struct Topology<SingleRow> : TopologyOfRows
{};

template <>
struct Topology<ValueRow> : TopologyOfRows
{};

/** Returns the topology of the row groups of an image. Groups of several rows need Neighbors::Full. */
template <typename TRowGroup>
Topology<TRowGroup>
TopologyOf(const RowGroupBits<TRowGroup> & groups, Neighbors neighbors)
{
  return { Topology<TRowGroup>::Of(neighbors, groups.groupsAlongZ == 1) };
}

/** The row group at an offset from another row group. A TIndex of 32 bits is faster on the device, but must hold all
 * indices. */
template <typename TIndex>
struct NeighborRowGroup
{
  TIndex y;
  TIndex z;
  TIndex begin;    // index of the first word of its columns
  TIndex ownBegin; // the same for the given row group
  bool   exists;   // whether it lies in the same image

  /** \param offset a RowOffset or FixedRowOffset of a preceding row group */
  template <typename TRowGroup, typename TOffset>
  CCL_HOST_DEVICE
  NeighborRowGroup(const RowGroupBits<TRowGroup> & groups, TIndex ownY, TIndex ownZ, const TOffset & offset)
    : y(ownY + static_cast<TIndex>(std::int64_t{ offset.y }))
    , z(ownZ + static_cast<TIndex>(std::int64_t{ offset.z }))
    , begin(groups.columns.RowBegin(y, z))
    , ownBegin(groups.columns.RowBegin(ownY, ownZ))
    // If y is -1, it wraps around and is too high.
    , exists(y < static_cast<TIndex>(groups.columns.words.y) && (offset.z == 0 || !groups.isFirstOfImage(ownZ)))
  {}
};

} // namespace itk::ccl

#endif
