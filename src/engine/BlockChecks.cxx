// SPDX-License-Identifier: Apache-2.0
#include "engine/BlockChecks.h"

#include "engine/LabeledImages.h"
#include "primitives/PackRow.h"
#include "primitives/Sums.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>

namespace itk::ccl
{

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

std::string
NameOf(const Block & block)
{
  return "the block from the index " + ImageView::TextOf(block.origin) + " on";
}

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

Neighbors
NeighborsOf(const Block & block)
{
  switch (block.connectivity)
  {
    case 4:
    case 6:
      return Neighbors::Face;
    case 18:
      return Neighbors::Edge;
    default:
      Require(block.connectivity == 8 || block.connectivity == 26, [&block] {
        return NameOf(block) + " has the connectivity " + std::to_string(block.connectivity) +
               " instead of 4, 6, 8, 18 or 26";
      });
      return Neighbors::Full;
  }
}

void
RequireSameImage(const Block & a, const Block & b)
{
  const auto require = [&](bool condition, const char * what) {
    Require(condition, [&] { return NameOf(a) + " and " + NameOf(b) + " " + what; });
  };
  require(a.imageSize == b.imageSize, "belong to images of different sizes");
  require(a.connectivity == b.connectivity, "were labeled with different connectivities");
  require(a.valueType == b.valueType, "were labeled by values of different types");
}

void
RequireListable(std::uint64_t componentCount)
{
  Require(componentCount < std::uint64_t{ 1 } << 56, [componentCount] {
    return "there are " + std::to_string(componentCount) + " components, more than any memory has room for";
  });
}

void
RequireLabels(const ParallelFor & parallelFor, const ImageView & pixels, std::uint64_t componentCount)
{
  RequireMemory(pixels, "image of labels");
  RequireIn(ImageView::MemoryEnum::Host, pixels, "image of labels");
  RequireLabelType(pixels);
  RequireAdjacent(pixels, "image of labels");
  RequireSeparateRows(pixels, "image of labels");
  Require(pixels.images == 1, "a block is one image, not a batch");
  GridOf(pixels.size, 1);
  const std::uint64_t most = std::min(componentCount, LabelValuesOf(pixels.type, 0).maximumCount);
  parallelFor(pixels.size[1] * pixels.size[2], [&](std::uint64_t row) {
    VisitWidth(pixels.type, [&](auto zero) {
      using LabelType = decltype(zero);
      const auto * const labels = reinterpret_cast<const LabelType *>(pixels.Row(row));
      const auto         highest = std::max_element(labels, labels + pixels.size[0]);
      Require(pixels.size[0] == 0 || *highest <= most, [&] {
        return "the image has the label " + std::to_string(*highest) + ", but the block has " +
               std::to_string(componentCount) + " components";
      });
    });
  });
}

} // namespace itk::ccl
