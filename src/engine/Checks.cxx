// SPDX-License-Identifier: Apache-2.0

#include "engine/Checks.h"

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <string>

namespace itk::ccl
{

Grid
GridOf(const ImageView::SizeType & size, std::uint64_t images)
{
  constexpr std::uint64_t maximum = std::uint64_t{ 1 } << 40;
  const Grid              grid{ size[0], size[1], size[2] };
  std::uint64_t           count = 1;
  for (const std::uint64_t n : { size[0], size[1], size[2], images })
  {
    Require(n == 0 || count <= maximum / n, [&] {
      return images == 1 ? "the image has more than 2^40 pixels: " + ImageView::TextOf(size)
                         : "the batch has more than 2^40 pixels: " + std::to_string(images) + " images of " +
                             ImageView::TextOf(size);
    });
    count *= n;
  }
  return grid;
}

void
RequireSize(const ImageView & image, const ImageView::SizeType & size, std::uint64_t images, const char * name)
{
  Require(image.size == size, [&] {
    return std::string("the ") + name + " has " + ImageView::TextOf(image.size) + " pixels instead of " +
           ImageView::TextOf(size);
  });
  Require(image.images == images, [&] {
    return std::string("the ") + name + " has " + std::to_string(image.images) + " images instead of " +
           std::to_string(images);
  });
}

void
RequireMemory(const ImageView & image, const char * name)
{
  if (SizeOf(image.type) == 0)
  {
    ThrowUnsupported(image.type, "use pixels");
  }
  Require(image.pixels != nullptr || image.Count() == 0,
          [&] { return std::string("the ") + name + " is a null pointer"; });
}

void
RequireIn(ImageView::MemoryEnum memory, const ImageView & image, const char * name)
{
  Require(image.memory == memory, [&] {
    const auto text = [](ImageView::MemoryEnum each) {
      return each == ImageView::MemoryEnum::Host ? "host memory" : "device memory";
    };
    return std::string("the ") + name + " is in " + text(image.memory) + ", but the input is in " + text(memory);
  });
}

void
RequireAligned(const ImageView & image, const char * name)
{
  const auto size = static_cast<std::int64_t>(SizeOf(image.type));
  const auto address = reinterpret_cast<std::uintptr_t>(image.pixels);
  Require(address % static_cast<std::uintptr_t>(size) == 0, [&] {
    return std::string("the address of the ") + name + " is not a multiple of its pixel size of " +
           std::to_string(size) + " bytes";
  });
  const bool areMultiples = (image.size[0] <= 1 || image.strides[0] % size == 0) && image.strides[1] % size == 0 &&
                            image.strides[2] % size == 0 && (image.images <= 1 || image.imageStride % size == 0);
  Require(areMultiples, [&] {
    return std::string("the strides of the ") + name + ", " + std::to_string(image.strides[0]) + ", " +
           std::to_string(image.strides[1]) + " and " + std::to_string(image.strides[2]) +
           " bytes, are not multiples of its pixel size of " + std::to_string(size) + " bytes: copy the image";
  });
}

void
RequireAdjacent(const ImageView & image, const char * name)
{
  RequireAligned(image, name);
  const auto size = static_cast<std::int64_t>(SizeOf(image.type));
  Require(image.strides[0] == size || image.size[0] <= 1, [&] {
    return std::string("the stride of the ") + name + " along x, " + std::to_string(image.strides[0]) +
           " bytes, is not its pixel size of " + std::to_string(size) +
           " bytes: the pixels of a row must be adjacent; copy the image";
  });
}

void
RequireSeparateRows(const ImageView & image, const char * name)
{
  struct Axis
  {
    const char *  name;
    std::uint64_t stride;
    std::uint64_t count;
  };
  const auto absolute = [](std::int64_t stride) { return static_cast<std::uint64_t>(std::abs(stride)); };
  Axis       axes[] = { { "row", absolute(image.strides[1]), image.size[1] },
                        { "slice", absolute(image.strides[2]), image.size[2] },
                        { "image", absolute(image.imageStride), image.images } };
  std::stable_sort(
    std::begin(axes), std::end(axes), [](const Axis & a, const Axis & b) { return a.stride < b.stride; });
  std::uint64_t bytes = image.size[0] * SizeOf(image.type);
  for (const Axis & axis : axes)
  {
    if (axis.count > 1 && image.Count() > 0)
    {
      Require(axis.stride >= bytes, [&] {
        return std::string("the ") + axis.name + " stride of the " + name + ", " + std::to_string(axis.stride) +
               " bytes, is too short: rows overlap; it must be at least " + std::to_string(bytes) + " bytes";
      });
      bytes += axis.stride * (axis.count - 1);
    }
  }
}

void
RequireContiguous(const ImageView & image, const char * name)
{
  Require(image.IsContiguous(), [&] {
    return std::string("the ") + name + " in device memory has gaps or another order of the axes: copy it first";
  });
}

void
RequireLabelType(const ImageView & output)
{
  Require(!IsFloat(output.type) && output.type != PixelType::Bool,
          "labels are integers of 8 to 64 bits; the pixel type of the output is bool or a floating-point "
          "number");
}

void
RequireHostLabels(const ImageView & output)
{
  RequireMemory(output, "output");
  RequireIn(ImageView::MemoryEnum::Host, output, "output");
  RequireLabelType(output);
  RequireAdjacent(output, "output");
  RequireSeparateRows(output, "output");
}

void
RequireOnDevice(const ImageView & input)
{
  Require(input.memory == ImageView::MemoryEnum::Device,
          "the input is in host memory: this function reads device memory only");
}

} // namespace itk::ccl
