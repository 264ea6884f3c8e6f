// SPDX-License-Identifier: Apache-2.0

// Finds the seams between blocks, and makes one block of several.

#include "itkCudaConnectedComponentBlocks.h"

#include "engine/BlockChecks.h"
#include "algorithms/blocks/LabelComponentsOfBlocks.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

namespace itk
{

using namespace ccl;

namespace
{

/** Makes the faces of several blocks, and the list of the components with pixels there. A box whose blocks have no
 * faces has none.
 * \param order the blocks in raster order
 * \param labels of the components of each block in the box */
void
MergeFaces(const std::vector<Block> &         blocks,
           const std::vector<std::size_t> &   order,
           const std::vector<Block::Labels> & labels,
           Block &                            box)
{
  // The blocks at a face of the box have their own faces there.
  const auto forEachFace = [&](const auto & visit) {
    ForEachInnerFace(box, [&](unsigned int axis, bool isUpper) {
      for (const std::size_t i : order)
      {
        const Block & block = blocks[i];
        if (isUpper ? EndOf(block, axis) == EndOf(box, axis) : block.origin[axis] == box.origin[axis])
        {
          visit(i, axis, isUpper);
        }
      }
    });
  };
  bool hasFaces = true;
  forEachFace(
    [&](std::size_t i, unsigned int axis, bool isUpper) { hasFaces = hasFaces && HasFace(blocks[i], axis, isUpper); });
  if (!hasFaces)
  {
    return;
  }

  std::vector<std::vector<std::uint32_t>> faceLabels(blocks.size()); // of the faces of each block
  forEachFace([&](std::size_t i, unsigned int axis, bool isUpper) {
    auto & ofBlock = faceLabels[i];
    ofBlock.resize(blocks[i].borderComponents.size() + 1);
    for (const std::uint32_t label : blocks[i].faces[FaceNumber(axis, isUpper)])
    {
      Require(label < ofBlock.size(), [&] { return NameOf(blocks[i]) + " has a face with a label that is too high"; });
      ofBlock[label] = 1;
    }
  });
  std::vector<std::pair<std::uint64_t, std::uint64_t>> components; // and values
  for (std::size_t i = 0; i < blocks.size(); ++i)
  {
    for (std::size_t j = 1; j < faceLabels[i].size(); ++j)
    {
      if (faceLabels[i][j] != 0)
      {
        components.emplace_back(labels[i].border[j - 1] - 1,
                                blocks[i].borderValues.empty() ? 0 : blocks[i].borderValues[j - 1]);
      }
    }
  }
  std::sort(components.begin(), components.end());
  components.erase(std::unique(components.begin(), components.end()), components.end());
  for (const auto & component : components)
  {
    box.borderComponents.push_back(component.first);
  }
  const bool isByValue =
    std::any_of(blocks.begin(), blocks.end(), [](const Block & block) { return !block.borderValues.empty(); });
  for (std::size_t i = 0; i < components.size() && isByValue; ++i)
  {
    box.borderValues.push_back(components[i].second);
  }
  RequireConsistent(box);

  for (std::size_t i = 0; i < blocks.size(); ++i)
  {
    for (std::size_t j = 1; j < faceLabels[i].size(); ++j)
    {
      const auto found =
        std::lower_bound(box.borderComponents.begin(), box.borderComponents.end(), labels[i].border[j - 1] - 1);
      faceLabels[i][j] =
        faceLabels[i][j] == 0 ? 0 : static_cast<std::uint32_t>(1 + (found - box.borderComponents.begin()));
    }
    if (!faceLabels[i].empty())
    {
      faceLabels[i][0] = 0;
    }
  }
  ForEachInnerFace(box, [&](unsigned int axis, bool isUpper) {
    const auto [u, v] = AxesOfFace(axis);
    box.faces[FaceNumber(axis, isUpper)].resize(box.size[u] * box.size[v]);
  });
  forEachFace([&](std::size_t i, unsigned int axis, bool isUpper) {
    const auto [u, v] = AxesOfFace(axis);
    const Block & block = blocks[i];
    const auto *  from = block.faces[FaceNumber(axis, isUpper)].data();
    auto * const  face = box.faces[FaceNumber(axis, isUpper)].data();
    for (std::uint64_t row = 0; row < block.size[v]; ++row, from += block.size[u])
    {
      auto * const to =
        face + (block.origin[u] - box.origin[u]) + box.size[u] * (block.origin[v] - box.origin[v] + row);
      std::transform(from, from + block.size[u], to, [&](std::uint32_t label) { return faceLabels[i][label]; });
    }
  });
}

/** Returns the blocks that seams connect. Throws CudaConnectedComponentError unless the seams fit the blocks, and all
 * are there that the connectivity needs. */
std::vector<BlocksOfSeam>
ResolveSeams(const std::vector<Block> & blocks, const BlockGrid & grid, const std::vector<Block::Seam> & seams)
{
  const auto &              order = grid.GetOrder();
  std::vector<BlocksOfSeam> resolved;
  resolved.reserve(seams.size());
  std::vector<std::array<std::size_t, 2>> joined; // the two blocks of each seam, in raster order
  joined.reserve(seams.size());
  for (const auto & seam : seams)
  {
    std::array<std::size_t, 2> positions{};
    for (unsigned int side = 0; side < 2; ++side)
    {
      positions[side] = grid.Find(seam.origins[side]);
      Require(positions[side] != order.size(), [&] {
        return "a seam has a block from the index " + ImageView::TextOf(seam.origins[side]) +
               " on, which is not among the blocks";
      });
      const std::uint64_t count = blocks[order[positions[side]]].borderComponents.size();
      for (const auto & pair : seam.pairs)
      {
        Require(pair[side] < count, [&] {
          return "a seam of " + NameOf(blocks[order[positions[side]]]) +
                 " has a component that the border of the block does not have";
        });
      }
    }
    resolved.push_back({ positions, &seam.pairs });
    joined.push_back({ std::min(positions[0], positions[1]), std::max(positions[0], positions[1]) });
  }
  // Without a seam, the labels would be wrong, and nobody would notice.
  std::sort(joined.begin(), joined.end());
  joined.erase(std::unique(joined.begin(), joined.end()), joined.end());
  const Neighbors neighbors = order.empty() ? Neighbors::Face : NeighborsOf(blocks[order.front()]);
  const int       mostAxes = neighbors == Neighbors::Face ? 1 : neighbors == Neighbors::Edge ? 2 : 3;
  std::size_t     joinedNeighbors = 0;
  grid.ForEachNeighbor([&](std::size_t position, std::size_t other) {
    const Block & a = blocks[order[position]];
    const Block & b = blocks[order[other]];
    const int     axes = (a.origin[0] != b.origin[0]) + (a.origin[1] != b.origin[1]) + (a.origin[2] != b.origin[2]);
    const bool    isJoined =
      std::binary_search(joined.begin(), joined.end(), std::array<std::size_t, 2>{ position, other });
    joinedNeighbors += isJoined ? 1 : 0;
    Require(axes > mostAxes || isJoined,
            [&] { return "the seam of " + NameOf(a) + " and " + NameOf(b) + " is missing"; });
  });
  Require(joinedNeighbors == joined.size(), "a seam has two blocks that are not neighbors");
  return resolved;
}

} // namespace

std::vector<std::array<std::size_t, 2>>
CudaConnectedComponentBlocks::FindNeighbors(const std::vector<BlockType> & blocks)
{
  for (const BlockType & block : blocks)
  {
    RequireBox(block);
  }
  const BlockGrid                         grid(blocks);
  std::vector<std::array<std::size_t, 2>> neighbors;
  grid.ForEachNeighbor([&](std::size_t position, std::size_t other) {
    neighbors.push_back({ grid.GetOrder()[position], grid.GetOrder()[other] });
  });
  return neighbors;
}

CudaConnectedComponentBlock::Seam
CudaConnectedComponentBlocks::Join(const BlockType & a, const BlockType & b)
{
  RequireBox(a);
  RequireBox(b);
  RequireSameImage(a, b);
  const Neighbors neighbors = NeighborsOf(a);
  unsigned int    seamAxis = 3;
  bool            isUpper = false; // whether b lies beyond the upper face of a
  for (unsigned int axis = 3; axis-- > 0;)
  {
    const bool isBeyond = EndOf(a, axis) == b.origin[axis];
    if (isBeyond || EndOf(b, axis) == a.origin[axis])
    {
      seamAxis = axis;
      isUpper = isBeyond;
    }
    else
    {
      Require(a.origin[axis] == b.origin[axis] && a.size[axis] == b.size[axis],
              [&] { return NameOf(a) + " and " + NameOf(b) + " are not neighbors in a grid"; });
    }
  }
  Require(HasPixels(a) && HasPixels(b) && seamAxis != 3,
          [&] { return NameOf(a) + " and " + NameOf(b) + " are not neighbors in a grid"; });
  SeamType seam;
  seam.origins = { a.origin, b.origin };
  for (const auto & [block, isUpperFace] : { std::make_pair(&a, isUpper), std::make_pair(&b, !isUpper) })
  {
    Require(HasFace(*block, seamAxis, isUpperFace),
            [which = block] { return NameOf(*which) + " has no face towards its neighbor"; });
  }
  const std::uint64_t countOfA = a.borderComponents.size();
  const std::uint64_t countOfB = b.borderComponents.size();
  const bool          isByValue = !a.borderValues.empty() || !b.borderValues.empty();
  Require(!isByValue || (a.borderValues.size() == countOfA && b.borderValues.size() == countOfB),
          "one of the blocks has values, and the other one has none");
  std::vector<std::uint64_t> parents; // of a union-find that tells which pairs follow from others
  JoinFaces(FaceOf(a, seamAxis, isUpper),
            FaceOf(b, seamAxis, !isUpper),
            neighbors,
            [&](std::uint32_t labelOfA, std::uint32_t labelOfB) {
              Require(labelOfA <= countOfA && labelOfB <= countOfB,
                      [&] { return "a face of " + NameOf(a) + " or " + NameOf(b) + " has a label that is too high"; });
              if (parents.empty())
              {
                parents.resize(countOfA + countOfB);
                std::iota(parents.begin(), parents.end(), std::uint64_t{ 0 });
              }
              const std::uint32_t componentOfA = labelOfA - 1;
              const std::uint32_t componentOfB = labelOfB - 1;
              if ((!isByValue || a.borderValues[componentOfA] == b.borderValues[componentOfB]) &&
                  UnionSplicingAlone(parents.data(), std::uint64_t{ componentOfA }, countOfA + componentOfB))
              {
                seam.pairs.push_back({ componentOfA, componentOfB });
              }
            });
  return seam;
}

CudaConnectedComponentBlocks::Merged
CudaConnectedComponentBlocks::Merge(const std::vector<BlockType> & blocks,
                                    const std::vector<SeamType> &  seams,
                                    OrderEnum                      order)
{
  Require(!blocks.empty(), "there are no blocks to merge");
  for (const BlockType & block : blocks)
  {
    RequireConsistent(block);
    RequireSameImage(blocks.front(), block);
  }
  const BlockGrid grid(blocks);
  Require(grid.IsBox(), "the blocks do not fill a box as a grid: blocks are missing, overlap or are cut differently");
  const auto & rasterOrder = grid.GetOrder();
  const auto   blocksOfSeams = ResolveSeams(blocks, grid, seams);

  Merged      merged;
  BlockType & box = merged.block;
  box.imageSize = blocks.front().imageSize;
  box.connectivity = blocks.front().connectivity;
  box.valueType = blocks.front().valueType;
  merged.labels.resize(blocks.size());
  if (rasterOrder.empty())
  {
    return merged;
  }
  box.origin = blocks[rasterOrder.front()].origin;
  std::uint64_t elements = 0;
  for (unsigned int axis = 0; axis < 3; ++axis)
  {
    box.size[axis] = EndOf(blocks[rasterOrder.back()], axis) - box.origin[axis];
  }
  bool hasFirstPixels = true;
  for (const std::size_t i : rasterOrder)
  {
    elements += blocks[i].borderComponents.size();
    hasFirstPixels = hasFirstPixels && blocks[i].firstPixels.size() == blocks[i].componentCount;
  }
  const std::size_t blocksOfLayer = grid.CountAlong(0) * grid.CountAlong(1);
  const bool        isInOrderOfBlocks = order == OrderEnum::Block || blocksOfLayer == 1;
  Require(isInOrderOfBlocks || hasFirstPixels,
          "a block has no first pixels: the order FirstPixel needs them, unless the blocks are slabs along z");
  const bool wantsFirstPixels = hasFirstPixels && order == OrderEnum::FirstPixel && box.size != box.imageSize;

  const auto label = [&](auto zero) {
    ComponentsOfBlocks<decltype(zero)> components(blocks, rasterOrder, merged.labels);
    for (const BlocksOfSeam & seam : blocksOfSeams)
    {
      components.Unite(seam);
    }
    std::uint64_t count = components.Flatten();
    for (const std::size_t i : rasterOrder)
    {
      count += blocks[i].componentCount - blocks[i].borderComponents.size();
    }
    box.firstPixels.reserve(wantsFirstPixels ? count : 0);
    auto * const firstPixels = wantsFirstPixels ? &box.firstPixels : nullptr;
    box.componentCount = isInOrderOfBlocks
                           ? components.LabelInOrderOfBlocks(firstPixels)
                           : components.LabelInOrderOfFirstPixels(grid.CountAlong(0), blocksOfLayer, firstPixels);
  };
  elements <= std::numeric_limits<std::uint32_t>::max() ? label(std::uint32_t{}) : label(std::uint64_t{});
  MergeFaces(blocks, rasterOrder, merged.labels, box);
  return merged;
}

} // namespace itk
