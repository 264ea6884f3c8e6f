// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_algorithms_blocks_BlockGrid_h
#define ccl_algorithms_blocks_BlockGrid_h

// Where the blocks of an image lie.

#include "algorithms/blocks/JoinFaces.h"

#include "itkCudaConnectedComponentBlock.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace itk::ccl
{

using Block = CudaConnectedComponentBlock;

/** Returns the index after the last pixel of a block along an axis. */
inline std::uint64_t
EndOf(const Block & block, unsigned int axis)
{
  return block.origin[axis] + block.size[axis];
}

inline bool
HasPixels(const Block & block)
{
  return block.size[0] != 0 && block.size[1] != 0 && block.size[2] != 0;
}

/** Returns whether a block has other blocks beyond its lower or its upper face. */
inline bool
IsInside(const Block & block, unsigned int axis, bool isUpper)
{
  return isUpper ? EndOf(block, axis) < block.imageSize[axis] : block.origin[axis] > 0;
}

/** The two axes of a face, the fastest first. */
constexpr std::array<unsigned int, 2>
AxesOfFace(unsigned int axis)
{
  return { axis == 0 ? 1U : 0U, axis == 2 ? 1U : 2U };
}

/** Calls visit(axis, isUpper) for each face of a block beyond which the image goes on. */
template <typename TVisitor>
void
ForEachInnerFace(const Block & block, const TVisitor & visit)
{
  for (unsigned int axis = 0; axis < 3; ++axis)
  {
    for (const bool isUpper : { false, true })
    {
      if (IsInside(block, axis, isUpper))
      {
        visit(axis, isUpper);
      }
    }
  }
}

/** Returns the element of Block::faces of a face. */
constexpr unsigned int
FaceNumber(unsigned int axis, bool isUpper)
{
  return 2 * axis + (isUpper ? 1 : 0);
}

/** Returns whether the array of a face has all pixels of the face. */
inline bool
HasFace(const Block & block, unsigned int axis, bool isUpper)
{
  const auto [u, v] = AxesOfFace(axis);
  return block.faces[FaceNumber(axis, isUpper)].size() == block.size[u] * block.size[v];
}

/** Returns a face that HasFace(). */
inline Face<std::uint32_t>
FaceOf(const Block & block, unsigned int axis, bool isUpper)
{
  const auto [u, v] = AxesOfFace(axis);
  return { block.faces[FaceNumber(axis, isUpper)].data(),
           { static_cast<std::int64_t>(block.origin[u]), static_cast<std::int64_t>(block.origin[v]) },
           { block.size[u], block.size[v] } };
}

/** Returns whether a pixel precedes another one in raster order. */
inline bool
Precedes(const Block::SizeType & a, const Block::SizeType & b)
{
  return std::lexicographical_compare(a.rbegin(), a.rend(), b.rbegin(), b.rend());
}

/** The blocks that have pixels, in raster order. They may be a part of a grid. */
class BlockGrid
{
public:
  explicit BlockGrid(const std::vector<Block> & blocks)
    : m_Blocks(blocks)
  {
    for (std::size_t i = 0; i < blocks.size(); ++i)
    {
      if (HasPixels(blocks[i]))
      {
        m_Order.push_back(i);
      }
    }
    std::sort(m_Order.begin(), m_Order.end(), [&blocks](std::size_t a, std::size_t b) {
      return Precedes(blocks[a].origin, blocks[b].origin);
    });
    for (unsigned int axis = 0; axis < 3; ++axis)
    {
      auto & starts = m_Starts[axis];
      for (const std::size_t i : m_Order)
      {
        starts.push_back(blocks[i].origin[axis]);
      }
      std::sort(starts.begin(), starts.end());
      starts.erase(std::unique(starts.begin(), starts.end()), starts.end());
    }
  }

  /** Returns the positions of the blocks in the list of all blocks, in raster order. */
  const std::vector<std::size_t> &
  GetOrder() const
  {
    return m_Order;
  }

  /** Returns the number of blocks along an axis. */
  std::uint64_t
  CountAlong(unsigned int axis) const
  {
    return m_Starts[axis].size();
  }

  /** Returns whether the blocks fill a box, without gaps and without overlaps. */
  bool
  IsBox() const
  {
    const std::size_t slice = m_Starts[0].size() * m_Starts[1].size();
    if (m_Order.empty() || m_Order.size() % slice != 0 || m_Order.size() / slice != m_Starts[2].size())
    {
      return m_Order.empty();
    }
    for (std::size_t i = 0; i < m_Order.size(); ++i)
    {
      const Block &                    block = m_Blocks[m_Order[i]];
      const std::array<std::size_t, 3> cell{ i % m_Starts[0].size(), i % slice / m_Starts[0].size(), i / slice };
      for (unsigned int axis = 0; axis < 3; ++axis)
      {
        const auto &        starts = m_Starts[axis];
        const std::uint64_t end =
          cell[axis] + 1 < starts.size() ? starts[cell[axis] + 1] : EndOf(m_Blocks[m_Order.back()], axis);
        if (block.origin[axis] != starts[cell[axis]] || EndOf(block, axis) != end)
        {
          return false;
        }
      }
    }
    return true;
  }

  /** Returns the position in the raster order of the block with this origin, or the number of blocks. */
  std::size_t
  Find(const Block::SizeType & origin) const
  {
    const auto found =
      std::lower_bound(m_Order.begin(), m_Order.end(), origin, [this](std::size_t i, const Block::SizeType & searched) {
        return Precedes(m_Blocks[i].origin, searched);
      });
    const bool isFound = found != m_Order.end() && m_Blocks[*found].origin == origin;
    return isFound ? static_cast<std::size_t>(found - m_Order.begin()) : m_Order.size();
  }

  /** Calls visit(position, otherPosition) for each two neighboring blocks, with their positions in the raster order. */
  template <typename TVisitor>
  void
  ForEachNeighbor(const TVisitor & visit) const
  {
    for (std::size_t i = 0; i < m_Order.size(); ++i)
    {
      const Block & block = m_Blocks[m_Order[i]];
      for (int neighbor = 14; neighbor < 27; ++neighbor) // the later half of the 27 blocks around this one
      {
        const std::array<int, 3> offset{ neighbor % 3 - 1, neighbor / 3 % 3 - 1, neighbor / 9 - 1 };
        Block::SizeType          origin = block.origin;
        bool                     isPossible = true;
        for (unsigned int axis = 0; axis < 3; ++axis)
        {
          if (offset[axis] > 0)
          {
            origin[axis] = EndOf(block, axis);
          }
          else if (offset[axis] < 0)
          {
            const auto start = std::lower_bound(m_Starts[axis].begin(), m_Starts[axis].end(), origin[axis]);
            isPossible = isPossible && start != m_Starts[axis].begin();
            origin[axis] = isPossible ? *(start - 1) : 0;
          }
        }
        const std::size_t found = isPossible ? this->Find(origin) : m_Order.size();
        if (found != m_Order.size() && IsBeside(block, m_Blocks[m_Order[found]], offset))
        {
          visit(i, found);
        }
      }
    }
  }

private:
  /** Returns whether a block with the right origin leaves no gap towards lower indices. */
  static bool
  IsBeside(const Block & block, const Block & other, const std::array<int, 3> & offset)
  {
    bool isBeside = true;
    for (unsigned int axis = 0; axis < 3; ++axis)
    {
      isBeside = isBeside && (offset[axis] >= 0 || EndOf(other, axis) == block.origin[axis]);
    }
    return isBeside;
  }

  const std::vector<Block> &                m_Blocks;
  std::vector<std::size_t>                  m_Order;
  std::array<std::vector<std::uint64_t>, 3> m_Starts; // the origins along each axis, ascending
};

} // namespace itk::ccl

#endif
