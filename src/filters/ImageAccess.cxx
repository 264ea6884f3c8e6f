// SPDX-License-Identifier: Apache-2.0
#include "CudaConnectedComponentsDetail/ImageAccess.h"

#include "primitives/Grid.h"
#include "primitives/ImageRows.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>

namespace itk
{
namespace CudaConnectedComponentsDetail
{

namespace
{

std::uint64_t
CountOf(const std::vector<std::uint64_t> & size)
{
  return std::accumulate(size.begin(), size.end(), std::uint64_t{ 1 }, std::multiplies<>());
}

[[noreturn]] void
ThrowNotInMemory(const RegionOfAxes & buffered, const RegionOfAxes & region, const char * role, const char * why)
{
  itkGenericExceptionMacro(<< "The pixels of the " << role << " are not in memory: " << why << ". Its buffer has "
                           << SizeText(buffered.size) << " pixels from the index " << IndexText(buffered.start)
                           << " on. The filter needs " << SizeText(region.size) << " pixels from the index "
                           << IndexText(region.start)
                           << " on. Update the source of the image, or allocate the image and fill it.");
}

} // namespace

std::string
IndexText(const std::vector<std::int64_t> & index)
{
  std::string text = "[";
  for (std::size_t axis = 0; axis < index.size(); ++axis)
  {
    text += (axis == 0 ? "" : ", ") + std::to_string(index[axis]);
  }
  return text + "]";
}

std::string
SizeText(const std::vector<std::uint64_t> & size)
{
  std::string text;
  for (const std::uint64_t length : size)
  {
    text += (text.empty() ? "" : " x ") + std::to_string(length);
  }
  return text;
}

void
RequireBuffered(const ImageBuffer & buffer, const RegionOfAxes & region, const char * role)
{
  const RegionOfAxes & buffered = buffer.region;
  if (CountOf(region.size) == 0)
  {
    return;
  }
  for (std::size_t axis = 0; axis < region.size.size(); ++axis)
  {
    const auto end = [axis](const RegionOfAxes & each) {
      return each.start[axis] + static_cast<std::int64_t>(each.size[axis]);
    };
    if (region.start[axis] < buffered.start[axis] || end(region) > end(buffered))
    {
      ThrowNotInMemory(buffered, region, role, "the buffered region does not contain the region");
    }
  }
  if (buffer.pixels == nullptr)
  {
    ThrowNotInMemory(buffered, region, role, "the image has no buffer");
  }
  if (buffer.capacity < CountOf(buffered.size))
  {
    const std::string why = "its pixel container holds " + std::to_string(buffer.capacity) + " pixels only";
    ThrowNotInMemory(buffered, region, role, why.c_str());
  }
}

std::vector<ImageView>
MakeViews(const ImageBuffer &                     buffer,
          CudaConnectedComponentsEnums::PixelType type,
          const RegionOfAxes &                    region,
          const char *                            role)
{
  RequireBuffered(buffer, region, role);
  ImageView                 first = ImageView::Of(buffer.pixels, type, { 0, 1, 1 });
  auto                      stride = static_cast<std::int64_t>(ImageView::SizeOf(type));
  std::int64_t              offset = 0;
  const std::size_t         dimension = region.size.size();
  std::vector<std::int64_t> strides;
  for (std::size_t axis = 0; axis < dimension; ++axis)
  {
    strides.push_back(stride);
    offset += stride * (region.start[axis] - buffer.region.start[axis]);
    stride *= static_cast<std::int64_t>(buffer.region.size[axis]);
    if (axis < first.size.size())
    {
      first.size[axis] = region.size[axis];
      first.strides[axis] = strides[axis];
    }
  }
  const auto isAddress = CountOf(region.size) > 0;
  first.pixels = isAddress ? static_cast<char *>(first.pixels) + offset : nullptr;

  if (!isAddress)
  {
    // A region without pixels is one view without pixels, also if the region has no volume.
    first.size = { 0, 0, 0 };
    return { first };
  }

  // One view for each index along the axes after the third.
  std::vector<ImageView> views{ first };
  for (std::size_t axis = first.size.size(); axis < dimension; ++axis)
  {
    const std::vector<ImageView> inner = std::exchange(views, {});
    for (std::uint64_t i = 0; i < region.size[axis]; ++i)
    {
      for (ImageView view : inner)
      {
        view.pixels = static_cast<char *>(view.pixels) + static_cast<std::int64_t>(i) * strides[axis];
        views.push_back(view);
      }
    }
  }
  return views;
}

RowPacker
PackerOf(const ImageView & view)
{
  return [view, foreground = ccl::Foreground::NotZero(view.type)](std::uint64_t row, std::uint32_t * words) {
    ccl::PackRowOf(view, row, foreground, words);
  };
}

RowPacker
PackerOf(const ImageView & view, std::uint64_t value)
{
  return [view, foreground = ccl::Foreground::EqualTo(view.type, value)](std::uint64_t row, std::uint32_t * words) {
    ccl::PackRowOf(view, row, foreground, words);
  };
}

RowPacker
PackerOf(const ImageView & view, std::uint64_t lower, std::uint64_t upper)
{
  return [view, foreground = ccl::Foreground::Between(view.type, lower, upper)](
           std::uint64_t row, std::uint32_t * words) { ccl::PackRowOf(view, row, foreground, words); };
}

RowPacker
Both(RowPacker first, RowPacker second, std::uint64_t rowLength)
{
  return [first = std::move(first), second = std::move(second), wordCount = ccl::DivideUp(rowLength, ccl::BitsPerWord)](
           std::uint64_t row, std::uint32_t * words) {
    thread_local std::vector<std::uint32_t> kept;
    // The accessor of an adaptor may run a filter, which calls this function again on this thread.
    std::vector<std::uint32_t> others = std::exchange(kept, {});
    others.resize(wordCount);
    first(row, words);
    second(row, others.data());
    std::transform(words, words + wordCount, others.begin(), words, std::bit_and<>());
    kept = std::move(others);
  };
}

} // namespace CudaConnectedComponentsDetail
} // namespace itk
