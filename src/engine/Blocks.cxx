// SPDX-License-Identifier: Apache-2.0

// Labels images in blocks.

#include "itkCudaConnectedComponentBlocks.h"

#include "engine/Checks.h"
#include "engine/LabeledImages.h"
#include "engine/Requests.h"
#include "algorithms/analysis/SelectComponents.h"
#include "algorithms/blocks/BlockGrid.h"
#include "algorithms/blocks/BlockTable.h"
#include "algorithms/blocks/LabelComponentsOfBlocks.h"
#include "executors/host/HostExecutor.h"
#include "primitives/EqualValues.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>
#include <string>
#include <utility>

namespace itk
{

using namespace ccl;

namespace
{

using Blocks = CudaConnectedComponentBlocks;

/** Throws CudaConnectedComponentError unless indices and sums of the image fit in their types. */
void
RequireImageSize(const Block::SizeType & size)
{
  constexpr std::uint64_t most = std::uint64_t{ 1 } << 62;
  std::uint64_t           count = 1;
  for (const std::uint64_t n : size)
  {
    Require(n == 0 || count <= most / n,
            [&] { return "the whole image has more than 2^62 pixels: " + ImageView::TextOf(size); });
    count *= n;
  }
  const UInt128 longest = std::max({ size[0], size[1], size[2] });
  Require(count == 0 || longest * longest <= ~UInt128{ 0 } / count, [&] {
    return "the sums of the squares of the coordinates of the whole image do not fit in 128 bits: " +
           ImageView::TextOf(size);
  });
}

/** Throws CudaConnectedComponentError unless a block lies in its image. */
void
RequireBox(const Block & block)
{
  RequireImageSize(block.imageSize);
  for (unsigned int axis = 0; axis < 3; ++axis)
  {
    Require(block.size[axis] <= block.imageSize[axis] && block.origin[axis] <= block.imageSize[axis] - block.size[axis],
            [&] {
              return "the block of " + ImageView::TextOf(block.size) + " pixels from the index " +
                     ImageView::TextOf(block.origin) + " on lies outside the image of " +
                     ImageView::TextOf(block.imageSize) + " pixels";
            });
  }
}

/** Returns the place of a block, for messages. */
std::string
NameOf(const Block & block)
{
  return "the block from the index " + ImageView::TextOf(block.origin) + " on";
}

/** Throws CudaConnectedComponentError unless the numbers of a block fit each other. */
void
RequireConsistent(const Block & block)
{
  RequireBox(block);
  const auto require = [&block](bool condition, const char * what) {
    Require(condition, [&] { return NameOf(block) + " " + what; });
  };
  require(block.componentCount <= block.size[0] * block.size[1] * block.size[2], "has more components than pixels");
  require(block.firstPixels.empty() || block.firstPixels.size() == block.componentCount,
          "has another number of first pixels than components");
  require(std::adjacent_find(block.firstPixels.begin(), block.firstPixels.end(), std::greater_equal<>()) ==
              block.firstPixels.end() &&
            (block.firstPixels.empty() ||
             block.firstPixels.back() < block.imageSize[0] * block.imageSize[1] * block.imageSize[2]),
          "has first pixels that are not ascending, or lie outside the image");
  const auto & border = block.borderComponents;
  require(border.size() < std::numeric_limits<std::uint32_t>::max(), "has 2^32 components at its border or more");
  require(std::adjacent_find(border.begin(), border.end(), std::greater_equal<>()) == border.end() &&
            (border.empty() || border.back() < block.componentCount),
          "has components at its border that are not ascending, or do not exist");
  require(block.borderValues.empty() || block.borderValues.size() == border.size(),
          "has another number of values than components at its border");
}

/** Calls visit(label) for the pixels of a face of an image of labels. */
template <typename TVisitor>
void
VisitFace(const ImageView & labels, unsigned int axis, bool isUpper, const TVisitor & visit)
{
  VisitWidth(labels.type, [&](auto zero) {
    using LabelType = decltype(zero);
    const std::uint64_t last = labels.size[axis] - 1;
    const auto [u, v] = AxesOfFace(axis);
    ImageView::SizeType index{};
    index[axis] = isUpper ? last : 0;
    for (index[v] = 0; index[v] < labels.size[v]; ++index[v])
    {
      for (index[u] = 0; index[u] < labels.size[u]; ++index[u])
      {
        const char * const row = labels.Row(index[1] + labels.size[1] * index[2]);
        visit(std::uint64_t{ reinterpret_cast<const LabelType *>(row)[index[0]] });
      }
    }
  });
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

/** Makes the faces and the list of the components with pixels there.
 * \param values the value of each component in labeling by value, or empty
 * \param nan the value that equals nothing, if there is one */
void
MakeFaces(const ImageView & labels, const std::vector<std::uint64_t> & values, const RunValues & nan, Block & block)
{
  // What takes the place of a label in a face: 0 or, at first, 1.
  std::vector<std::uint32_t> faceLabels(block.componentCount + 1, 0);
  ForEachInnerFace(block, [&](unsigned int axis, bool isUpper) {
    VisitFace(labels, axis, isUpper, [&faceLabels](std::uint64_t label) { faceLabels[label] = 1; });
  });
  faceLabels[0] = 0;
  for (std::uint64_t component = 0; component < block.componentCount; ++component)
  {
    std::uint32_t & label = faceLabels[component + 1];
    if (label != 0 && !values.empty() && nan.IsNaN(values[component]))
    {
      label = 0;
    }
    else if (label != 0)
    {
      block.borderComponents.push_back(component);
      Require(block.borderComponents.size() < std::numeric_limits<std::uint32_t>::max(),
              [&block] { return NameOf(block) + " has 2^32 components at its border or more: take smaller blocks"; });
      label = static_cast<std::uint32_t>(block.borderComponents.size());
      if (!values.empty())
      {
        block.borderValues.push_back(values[component]);
      }
    }
  }
  ForEachInnerFace(block, [&](unsigned int axis, bool isUpper) {
    const auto [u, v] = AxesOfFace(axis);
    auto & face = block.faces[2 * axis + (isUpper ? 1 : 0)];
    face.reserve(block.size[u] * block.size[v]);
    VisitFace(labels, axis, isUpper, [&face, &faceLabels](std::uint64_t label) { face.push_back(faceLabels[label]); });
  });
}

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
    for (const std::uint32_t label : blocks[i].faces[2 * axis + (isUpper ? 1 : 0)])
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
    box.faces[2 * axis + (isUpper ? 1 : 0)].resize(box.size[u] * box.size[v]);
  });
  forEachFace([&](std::size_t i, unsigned int axis, bool isUpper) {
    const auto [u, v] = AxesOfFace(axis);
    const Block & block = blocks[i];
    const auto *  from = block.faces[2 * axis + (isUpper ? 1 : 0)].data();
    auto * const  face = box.faces[2 * axis + (isUpper ? 1 : 0)].data();
    for (std::uint64_t row = 0; row < block.size[v]; ++row, from += block.size[u])
    {
      auto * const to =
        face + (block.origin[u] - box.origin[u]) + box.size[u] * (block.origin[v] - box.origin[v] + row);
      std::transform(from, from + block.size[u], to, [&](std::uint32_t label) { return faceLabels[i][label]; });
    }
  });
}

/** Returns the blocks that seams connect. Throws CudaConnectedComponentError unless the seams fit the blocks, and those
 * of all blocks with a common face are there. */
std::vector<BlocksOfSeam>
ResolveSeams(const std::vector<Block> & blocks, const BlockGrid & grid, const std::vector<Block::Seam> & seams)
{
  const auto &              order = grid.GetOrder();
  std::vector<BlocksOfSeam> resolved;
  resolved.reserve(seams.size());
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
  }
  // Without a seam, the labels would be wrong, and nobody would notice.
  std::vector<std::array<std::size_t, 2>> joined;
  joined.reserve(resolved.size());
  for (const auto & seam : resolved)
  {
    joined.push_back({ std::min(seam.blocks[0], seam.blocks[1]), std::max(seam.blocks[0], seam.blocks[1]) });
  }
  std::sort(joined.begin(), joined.end());
  grid.ForEachNeighbor([&](std::size_t position, std::size_t other) {
    const Block & a = blocks[order[position]];
    const Block & b = blocks[order[other]];
    const int     axes = (a.origin[0] != b.origin[0]) + (a.origin[1] != b.origin[1]) + (a.origin[2] != b.origin[2]);
    Require(axes > 1 || std::binary_search(joined.begin(), joined.end(), std::array<std::size_t, 2>{ position, other }),
            [&] { return "the seam of " + NameOf(a) + " and " + NameOf(b) + " is missing"; });
  });
  return resolved;
}

} // namespace

CudaConnectedComponentBlock
CudaConnectedComponentBlocks::Label(const CudaConnectedComponentLabeler & labeler,
                                    const ViewType &                      input,
                                    const ViewType &                      output,
                                    const SizeType &                      origin,
                                    const SizeType &                      imageSize)
{
  const auto & options = labeler.options;
  BlockType    block;
  block.origin = origin;
  block.size = input.size;
  block.imageSize = imageSize;
  RequireBox(block);
  NeighborsOf(options, { imageSize[0], imageSize[1], imageSize[2] });
  RequireIn(ViewType::MemoryEnum::Host, input, "input");
  Require(input.images == 1, "a block is one image, not a batch");
  Require(options.selection.IsDefault(),
          "a block has all of its components: apply the selection to the whole image, by Select()");
  Require(options.intensities.pixels == nullptr || !IsFloat(options.intensities.type),
          "the intensities of a block must be integers: sums of floating-point numbers depend on the cuts");
  Require(!options.wholeValues, "blocks join neighbors only: options.wholeValues is for a whole image");
  Require(options.byValue || !options.columns.values,
          "options.columns.values needs options.byValue: the components of a mask have no values");

  // Labels that nobody keeps have the type that holds all of them.
  const bool                  isKept = output.pixels != nullptr;
  const bool                  isWide = input.Count() > std::numeric_limits<std::uint32_t>::max();
  const std::uint64_t         scratchSize = isKept ? 0 : GridOf(input.size, 1).Count() * (isWide ? 2 : 1);
  const auto                  scratch = AllocateOnHost<std::uint32_t>(scratchSize);
  const auto                  scratchType = isWide ? PixelType::UInt64 : PixelType::UInt32;
  const ViewType              labels = isKept ? output : ViewType::Of(scratch.get(), scratchType, input.size);
  CudaConnectedComponentTable table;
  auto                        blockLabeler = labeler;
  blockLabeler.options.columns = ColumnsOfBlock(options.columns, options.byValue);
  block.componentCount = blockLabeler.Label(input, labels, 0, &table);
  if (HasPixels(block))
  {
    MakeFaces(labels, table.values, RunValues::Of(input.type, nullptr), block);
  }
  ShiftRows(block, table);
  block.firstPixels = options.columns.firstPixels ? table.firstPixels : std::move(table.firstPixels);
  RemoveColumns(options.columns, table);
  block.table = std::move(table);
  return block;
}

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
CudaConnectedComponentBlocks::Join(const BlockType &                              a,
                                   const BlockType &                              b,
                                   const CudaConnectedComponentLabeler::Options & options)
{
  RequireBox(a);
  RequireBox(b);
  Require(a.imageSize == b.imageSize, "the blocks belong to images of different sizes");
  const Neighbors neighbors = NeighborsOf(options, { a.imageSize[0], a.imageSize[1], a.imageSize[2] });
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
    Require(block.imageSize == blocks.front().imageSize, "the blocks belong to images of different sizes");
  }
  const BlockGrid grid(blocks);
  Require(grid.IsBox(), "the blocks do not fill a box as a grid: blocks are missing, overlap or are cut differently");
  const auto & rasterOrder = grid.GetOrder();
  const auto   blocksOfSeams = ResolveSeams(blocks, grid, seams);

  Merged      merged;
  BlockType & box = merged.block;
  box.imageSize = blocks.front().imageSize;
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

std::vector<std::uint64_t>
CudaConnectedComponentBlocks::Expand(const BlockType & block, const LabelsType & labels)
{
  RequireConsistent(block);
  const auto &        border = block.borderComponents;
  const std::uint64_t interiorCount = block.componentCount - border.size();
  Require(labels.border.size() == border.size() && (labels.interior.empty() || labels.interior.size() == interiorCount),
          [&] { return "the labels do not belong to " + NameOf(block); });
  std::vector<std::uint64_t> all;
  all.reserve(block.componentCount);
  auto          interior = labels.interior.begin();
  std::uint64_t next = labels.begin;
  for (std::size_t i = 0; i <= border.size(); ++i)
  {
    while (all.size() < (i == border.size() ? block.componentCount : border[i]))
    {
      all.push_back(labels.interior.empty() ? next++ : *interior++);
    }
    if (i < border.size())
    {
      next += labels.border[i] == next ? 1 : 0; // a component that starts here
      all.push_back(labels.border[i]);
    }
  }
  return all;
}

void
CudaConnectedComponentBlocks::Relabel(const ViewType &                                       pixels,
                                      const std::vector<std::uint64_t> &                     newLabels,
                                      const CudaConnectedComponentLabeler::ParallelForType & parallelFor)
{
  RequireMemory(pixels, "image of labels");
  RequireIn(ViewType::MemoryEnum::Host, pixels, "image of labels");
  RequireLabelType(pixels);
  RequireAdjacent(pixels, "image of labels");
  RequireSeparateRows(pixels, "image of labels");
  Require(pixels.images == 1, "a block is one image, not a batch");
  GridOf(pixels.size, 1);
  const LabelValues labelValues = LabelValuesOf(pixels.type, 0);
  for (const std::uint64_t label : newLabels)
  {
    labelValues.RequireRoomFor(label);
  }
  const ParallelFor loop = parallelFor ? CheckedFor(parallelFor) : ParallelFor(SequentialFor);
  loop(pixels.size[1] * pixels.size[2], [&](std::uint64_t row) {
    VisitWidth(pixels.type, [&](auto zero) {
      using LabelType = decltype(zero);
      const auto * const  labels = reinterpret_cast<const LabelType *>(pixels.Row(row));
      const auto          highest = std::max_element(labels, labels + pixels.size[0]);
      const std::uint64_t most = std::min<std::uint64_t>(newLabels.size(), labelValues.maximumCount);
      Require(pixels.size[0] == 0 || *highest <= most, [&] {
        return "the image has the label " + std::to_string(*highest) + ", but the block has " +
               std::to_string(newLabels.size()) + " components";
      });
    });
  });
  ReplaceLabels(loop, pixels, labelValues, newLabels);
}

void
CudaConnectedComponentBlocks::AddRows(const CudaConnectedComponentTable & rows,
                                      const std::vector<std::uint64_t> &  labels,
                                      std::uint64_t                       componentCount,
                                      CudaConnectedComponentTable &       table)
{
  const std::uint64_t count = rows.componentCount;
  Require(labels.size() == count, [&] {
    return "the table of the block has " + std::to_string(count) + " rows, but there are " +
           std::to_string(labels.size()) + " labels";
  });
  for (const std::uint64_t label : labels)
  {
    Require(label <= componentCount, [&] {
      return "the label " + std::to_string(label) + " has no row in a table of " + std::to_string(componentCount) +
             " rows";
    });
  }
  bool       isFirst = true;
  const auto visitAll = [&rows, &table](const auto & visit) {
    ForEachColumn([&visit](auto, const auto & from, const auto & to) { visit(from, to); }, rows, table);
    ForEachIntensityColumn(visit, rows.intensities, table.intensities);
  };
  visitAll([&isFirst](const auto &, const auto & to) { isFirst = isFirst && to.empty(); });
  visitAll([&](const auto & from, const auto & to) {
    Require(from.empty() || from.size() == count, "a column of the table of the block has another length than others");
    Require(isFirst || (count == 0 && from.empty()) ||
              (from.empty() == to.empty() && (to.empty() || to.size() == componentCount)),
            "the table has other columns than the table of the block, or another number of rows");
  });
  Require(rows.intensities.pixelCounts.empty() || !rows.intensities.exactSums.empty(),
          "the intensities must be integers: sums of floating-point numbers depend on the cuts");
  bool isComplete = true;
  ForEachIntensityColumn(
    [&](const auto & from) {
      const void * const exact[] = { &rows.intensities.exactMinimums, &rows.intensities.exactMaximums };
      const bool         isExact = &from == exact[0] || &from == exact[1];
      isComplete = isComplete && (isExact || from.empty() == rows.intensities.pixelCounts.empty());
    },
    rows.intensities);
  Require(isComplete && rows.intensities.exactMinimums.empty() == rows.intensities.exactMaximums.empty(),
          "a column of the intensities of the block is missing");
  if (isFirst)
  {
    table = MakeColumnsLike(rows, componentCount);
  }
  table.componentCount = table.originalComponentCount = componentCount;
  table.componentCounts = { componentCount };
  AddRowsTo(rows, labels, table);
}

std::vector<std::uint64_t>
CudaConnectedComponentBlocks::Select(const CudaConnectedComponentTable &     table,
                                     const SizeType &                        imageSize,
                                     const CudaConnectedComponentSelection & selection)
{
  RequireImageSize(imageSize);
  Require(selection.seeds.empty(), "seeds are pixels, and a table has none: look up the labels of the pixels instead");
  Require(!selection.perValue && selection.sizesOfValues.empty(),
          "the components of blocks are not selected by values");
  Require(!selection.keepsTies || selection.numberOfLargest == 1,
          "selection.keepsTies is for the largest component of an image: set numberOfLargest to 1");
  Require(selection.pixelOrder == CudaConnectedComponentSelection::PixelOrderEnum::Raster,
          "the components of blocks are in raster order");
  const std::uint64_t count = table.componentCount;
  Require(count <= imageSize[0] * imageSize[1] * imageSize[2], "the table has more rows than the image has pixels");
  const TableColumns columns = ColumnsFor(selection, TableColumns{ false });
  ForEachColumn(
    [&columns, count](auto isWanted, const auto & column) {
      Require(!(columns.*isWanted) || column.size() == count,
              "the table lacks a column that the selection reads: pixelCounts or boundingBoxes");
    },
    table);
  // Select() only reads them.
  const auto pointerTo = [](bool isWanted, const std::vector<std::uint64_t> & column) {
    return isWanted ? const_cast<std::uint64_t *>(column.data()) : nullptr;
  };
  SelectionColumns<std::uint64_t> read{ pointerTo(columns.pixelCounts, table.pixelCounts), nullptr, {}, {} };
  for (unsigned int axis = 0; axis < 3; ++axis)
  {
    read.minimums[axis] = pointerTo(columns.boundingBoxes, table.minimums[axis]);
    read.maximums[axis] = pointerTo(columns.boundingBoxes, table.maximums[axis]);
  }
  const HostExecutor          executor{ ParallelFor(SequentialFor) };
  const std::uint64_t * const allAreSeeded = nullptr;
  const Grid                  size{ imageSize[0], imageSize[1], imageSize[2] };
  const auto selected = ccl::Select<std::uint64_t>(executor, read, allAreSeeded, { count }, size, {}, selection);
  std::vector<std::uint64_t> labels(selected.positions.get(), selected.positions.get() + count);
  for (std::uint64_t & label : labels)
  {
    label = label == NoLabel<std::uint64_t> ? 0 : label + 1;
  }
  return labels;
}

} // namespace itk
