// SPDX-License-Identifier: Apache-2.0
#include "MaskOutput.h"

#include "Failure.h"
#include "PixelValues.h"
#include "SaveImage.h"

#include "CudaConnectedComponentsDetail/ParallelFor.h"

#include <algorithm>
#include <cstring>
#include <sstream>

namespace
{

using Labeler = itk::CudaConnectedComponentLabeler;

/** Calls visit(number) for the number with these bytes. */
template <typename TVisitor>
auto
VisitNumber(itk::ccl::PixelType type, std::uint64_t bits, const TVisitor & visit)
{
  return VisitPixelType(type, [&](auto number) {
    std::memcpy(&number, &bits, sizeof(number));
    return visit(number);
  });
}

/** Returns whether two pixels have the same value. All pixels that are NaN have the same value. */
bool
AreSame(itk::ccl::PixelType type, std::uint64_t a, std::uint64_t b)
{
  const auto isNaN = [](auto number) { return number != number; };
  return a == b || (VisitNumber(type, a, isNaN) && VisitNumber(type, b, isNaN));
}

std::string
ValueText(itk::ccl::PixelType type, std::uint64_t bits)
{
  return VisitNumber(type, bits, [](auto number) {
    std::ostringstream text;
    text << +number;
    return text.str();
  });
}

} // namespace

std::optional<std::uint64_t>
FindForegroundValue(const ImageView & image, const BitRows & foreground, const std::string & file)
{
  std::optional<std::uint64_t> value;
  const auto                   add = [&](std::uint64_t bits) {
    value = value.value_or(bits);
    if (!AreSame(image.type, bits, *value))
    {
      throw Failure(file + ": has foreground pixels of different values, such as " + ValueText(image.type, *value) +
                    " and " + ValueText(image.type, bits) +
                    ", so --fill-holes with --mask-output cannot choose a value for the holes; select the foreground "
                                      "with --lower, --upper or --otsu: the output is then 1 in the foreground and 0 elsewhere");
    }
  };
  itk::ccl::VisitWidth(image.type, [&](auto zero) {
    for (std::uint64_t row = 0; row < foreground.GetNumberOfRows(); ++row)
    {
      const auto * const pixels = reinterpret_cast<const decltype(zero) *>(image.Row(row));
      Labeler::ForEachRange(
        foreground.GetRow(row), image.size[0], [&](std::uint64_t begin, std::uint64_t end, bool isForeground) {
          if (isForeground)
          {
            std::for_each(pixels + begin, pixels + end, add);
          }
        });
    }
  });
  return value;
}

std::unique_ptr<Workshop>
PrepareMask(const FileImage & image, const MaskPixels & pixels, const BitRows & kept, const std::string & file)
{
  const auto &                  size = image.view.size;
  const std::unique_ptr<char[]> memory(new char[image.view.Count() * ImageView::SizeOf(pixels.type)]);
  const auto                    output = ImageView::Of(memory.get(), pixels.type, size);
  const auto                    threader = itk::MultiThreaderBase::New();
  itk::CudaConnectedComponentsDetail::ForEachInParallel(threader, kept.GetNumberOfRows(), [&](std::uint64_t row) {
    itk::ccl::VisitWidth(pixels.type, [&](auto zero) {
      using WidthType = decltype(zero);
      const auto * const in = reinterpret_cast<const WidthType *>(image.view.Row(row));
      auto * const       out = reinterpret_cast<WidthType *>(output.Row(row));
      Labeler::ForEachRange(kept.GetRow(row), size[0], [&](std::uint64_t begin, std::uint64_t end, bool isKept) {
        if (isKept && !pixels.value)
        {
          std::copy(in + begin, in + end, out + begin);
        }
        else
        {
          // The pixels of holes may have any value, because --mask can make a hole of any pixel.
          std::fill(out + begin, out + end, isKept ? static_cast<WidthType>(*pixels.value) : WidthType{ 0 });
        }
      });
    });
  });
  return PrepareImage(output, image.geometry, file, 1, image.segments);
}
