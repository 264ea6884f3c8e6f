// SPDX-License-Identifier: Apache-2.0
#include "FindForeground.h"

#include "Failure.h"
#include "OtsuThreshold.h"
#include "PixelValues.h"

#include "CudaConnectedComponentsDetail/ParallelFor.h"
#include "primitives/ObservedValues.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <utility>
#include <vector>

namespace
{

using Labeler = itk::CudaConnectedComponentLabeler;

/** Packs the pixels of an image, by a function that packs a row. */
BitRows
Pack(const ImageView & image, const std::function<void(std::uint64_t row, std::uint32_t * words)> & packRow)
{
  BitRows    bits(image.size);
  const auto threader = itk::MultiThreaderBase::New();
  itk::CudaConnectedComponentsDetail::ForEachInParallel(
    threader, bits.GetNumberOfRows(), [&](std::uint64_t row) { packRow(row, bits.GetRow(row)); });
  return bits;
}

/** Packs the pixels for which a condition is true. The condition gets the address of the numbers of a pixel. */
template <typename TCondition>
BitRows
PackIf(const FileImage & image, const TCondition & isForeground)
{
  const std::uint64_t length = image.view.size[0];
  return Pack(image.view, [&, length](std::uint64_t row, std::uint32_t * words) {
    std::vector<double> values(length * image.componentCount);
    ReadRow(image.view, row, image.componentCount, values.data());
    Labeler::PackBits(
      length, words, [&](std::uint64_t x) { return isForeground(values.data() + x * image.componentCount); });
  });
}

/** Packs the pixels above a threshold in the type of the pixels. Unlike in ITK, NaN is background. */
Foreground
PackAbove(const ImageView & image, double threshold)
{
  return VisitPixelType(image.type, [&](auto zero) -> Foreground {
    using PixelType = decltype(zero);
    const auto limit = static_cast<PixelType>(threshold);
    return { Pack(image,
                  [&](std::uint64_t row, std::uint32_t * words) {
                    const auto * const pixels = reinterpret_cast<const PixelType *>(image.Row(row));
                    Labeler::PackBits(image.size[0], words, [=](std::uint64_t x) { return pixels[x] > limit; });
                  }),
             static_cast<double>(limit),
             {},
             0 };
  });
}

/** Packs the pixels from a lower to an upper limit, both in the type of the pixels. */
BitRows
PackBetween(const ImageView & image, const ImageView::Value & lower, const ImageView::Value & upper)
{
  using RoleEnum = ImageView::Value::RoleEnum;
  const auto lowerBits = lower.FindBits(image.type, RoleEnum::LowerLimit);
  const auto upperBits = upper.FindBits(image.type, RoleEnum::UpperLimit);
  return VisitPixelType(image.type, [&](auto first) {
    auto                last = first;
    const std::uint64_t bits[] = { lowerBits.value_or(0), upperBits.value_or(0) }; // the low bytes are first
    std::memcpy(&first, &bits[0], sizeof(first));
    std::memcpy(&last, &bits[1], sizeof(last));
    return Pack(image, [&](std::uint64_t row, std::uint32_t * words) {
      const auto * const pixels = reinterpret_cast<const decltype(first) *>(image.Row(row));
      Labeler::PackBits(image.size[0], words, [&](std::uint64_t x) {
        return lowerBits && upperBits && first <= pixels[x] && pixels[x] <= last;
      });
    });
  });
}

/** Packs the pixels that are not 0. */
Foreground
PackNotZero(const ImageView & image)
{
  itk::ccl::ObservedValues values;
  BitRows                  bits = Pack(image, [&](std::uint64_t row, std::uint32_t * words) {
    VisitPixelType(image.type, [&](auto zero) {
      Labeler::PackRow(reinterpret_cast<const decltype(zero) *>(image.Row(row)), image.size[0], words);
    });
    if (!values.IsSettled(image.type))
    {
      itk::ccl::ObservedValues ofRow;
      ofRow.Add(image.Row(row), image.type, image.size[0], words);
      values.MergeAtomically(ofRow);
    }
  });
  return { std::move(bits), {}, itk::ccl::ObservedValues::Summarize(&values, 1), 0 };
}

/** Counts the pixels that are less than 0.001 outside a limit, a whole number. Returns 0 if more pixels are farther
 * outside, but less than 0.1: then they are no labels that a file stores with a slope. */
std::uint64_t
CountNearly(const ImageView & image, const Threshold & threshold)
{
  std::atomic<std::uint64_t> nearCount{ 0 };
  std::atomic<std::uint64_t> farCount{ 0 };
  const auto                 add = [&](const std::optional<Limit> & limit, double sign, double value) {
    const double distance = limit && std::round(limit->number) == limit->number ? sign * (value - limit->number) : 0.0;
    nearCount += 0.0 < distance && distance < 1e-3 ? 1 : 0;
    farCount += 1e-3 <= distance && distance < 0.1 ? 1 : 0;
  };
  const auto threader = itk::MultiThreaderBase::New();
  itk::CudaConnectedComponentsDetail::ForEachInParallel(
    threader, image.size[1] * image.size[2], [&](std::uint64_t row) {
      std::vector<double> values(image.size[0]);
      ReadRow(image, row, 1, values.data());
      for (const double value : values)
      {
        add(threshold.lower, -1.0, value);
        add(threshold.upper, 1.0, value);
      }
    });
  return nearCount > farCount ? nearCount.load() : 0;
}

} // namespace

Foreground
FindForeground(const FileImage & image, const Threshold & threshold, const std::string & file)
{
  if (threshold.IsDefault() && image.componentCount == 1)
  {
    return PackNotZero(image.view);
  }
  if (threshold.IsDefault())
  {
    return {
      PackIf(image, [&](const double * pixel) { return SquaredNorm(pixel, image.componentCount) != 0.0; }), {}, {}, 0
    };
  }
  if (image.componentCount > 1)
  {
    throw Failure(
      file + ": has more than one value per pixel; --lower, --upper and --otsu need an image with one value per pixel");
  }
  if (threshold.otsu)
  {
    return PackAbove(image.view, FindOtsuThreshold(image.view, file));
  }
  const ImageView::Value lower = threshold.lower ? threshold.lower->value : -std::numeric_limits<double>::infinity();
  const ImageView::Value upper = threshold.upper ? threshold.upper->value : std::numeric_limits<double>::infinity();
  return { PackBetween(image.view, lower, upper),
           {},
           {},
           itk::ccl::IsFloat(image.view.type) ? CountNearly(image.view, threshold) : 0 };
}
