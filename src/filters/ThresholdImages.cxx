// SPDX-License-Identifier: Apache-2.0
#include "CudaConnectedComponentsDetail/ThresholdImages.h"

#include "executors/host/HostMemory.h"
#include "executors/host/ParallelFor.h"
#include "primitives/Grid.h"
#include "primitives/ImageRows.h"
#include "primitives/Tuning.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <mutex>

namespace itk
{
namespace CudaConnectedComponentsDetail
{

namespace
{

using ccl::BitsPerWord;
using ccl::PixelType;
using ccl::Word;

/** Returns whether all pixels of an output are 0, and are to be 0 outside. */
bool
HasOutside(const TwoValueOutput & image)
{
  const ImageView & output = image.output;
  return image.isUntouched &&
         ccl::PrepareUntouched(output.pixels, output.Count() * ccl::SizeOf(output.type), image.outside == 0) &&
         image.outside == 0;
}

/** Calls body(row) for each row of an image. */
template <typename TBody>
void
ForEachRow(const CudaConnectedComponentLabeler & labeler, const ImageView & image, const TBody & body)
{
  ccl::CheckedFor(labeler.options.parallelFor)(image.Count() == 0 ? 0 : image.size[1] * image.size[2], body);
}

/** Calls visitor(T{}) with a type that orders pixels. */
template <typename TVisitor>
void
VisitOrder(PixelType type, const TVisitor & visitor)
{
  if (type == PixelType::Float)
  {
    visitor(float{});
  }
  else if (type == PixelType::Double)
  {
    visitor(double{});
  }
  else
  {
    ccl::VisitLabelType(type == PixelType::Bool ? PixelType::UInt8 : type, visitor);
  }
}

/** The lowest and the highest of some numbers. NaN does not count. */
template <typename TNumber>
struct Extremes
{
  TNumber lowest;
  TNumber highest;

  void
  Add(const Extremes & other)
  {
    lowest = other.lowest < lowest ? other.lowest : lowest;
    highest = other.highest > highest ? other.highest : highest;
  }

  /** Adds the pixels of a row. */
  void
  AddRow(const ImageView & image, std::uint64_t row)
  {
    // Several at a time, so that the processor need not wait for one comparison before the next.
    constexpr std::uint64_t     lanes = 16;
    std::array<Extremes, lanes> extremes;
    extremes.fill(*this);
    const char *  pixels = image.Row(row);
    std::uint64_t rest = image.size[0];
    for (; rest >= lanes; rest -= lanes, pixels += lanes * sizeof(TNumber))
    {
      std::array<TNumber, lanes> numbers;
      std::memcpy(numbers.data(), pixels, sizeof(numbers));
      for (std::uint64_t i = 0; i < lanes; ++i)
      {
        extremes[i].Add({ numbers[i], numbers[i] });
      }
    }
    for (; rest > 0; --rest, pixels += sizeof(TNumber))
    {
      TNumber number;
      std::memcpy(&number, pixels, sizeof(number));
      this->Add({ number, number });
    }
    for (const Extremes & each : extremes)
    {
      this->Add(each);
    }
  }
};

} // namespace

CudaConnectedComponentLabeler::MaskRowVisitorType
WriterOf(const TwoValueOutput & image)
{
  return [&image, hasOutside = HasOutside(image)](std::uint64_t row, const Word * words) {
    if (!hasOutside)
    {
      ccl::FillRowOf(image.output, row, image.outside);
    }
    ccl::SetPixelsOf(image.output, row, words, image.inside);
  };
}

void
WriteRuns(const CudaConnectedComponentLabeler & labeler,
          const std::vector<RunOfRow> &         runs,
          const TwoValueOutput &                image)
{
  if (!HasOutside(image))
  {
    ForEachRow(labeler, image.output, [&](std::uint64_t row) { ccl::FillRowOf(image.output, row, image.outside); });
  }
  for (const RunOfRow & run : runs)
  {
    ImageView pixels = image.output;
    pixels.pixels = image.output.Row(run.row) + static_cast<std::int64_t>(run.begin) * image.output.strides[0];
    pixels.size = { run.end - run.begin, 1, 1 };
    ccl::FillRowOf(pixels, 0, image.inside);
  }
}

void
WriteLimited(const CudaConnectedComponentLabeler & labeler, const LimitedImage & image, const TwoValueOutput & output)
{
  const auto packRow = PackerOf(image.input, image.lower, image.upper);
  const auto visitRow = WriterOf(output);
  ForEachRow(labeler, image.input, [&](std::uint64_t row) {
    thread_local std::vector<Word> words;
    words.resize(ccl::DivideUp(image.input.size[0], BitsPerWord));
    packRow(row, words.data());
    visitRow(row, words.data());
  });
}

std::uint64_t
CountComponents(CudaConnectedComponentLabeler & labeler,
                const LimitedImage &            image,
                bool                            isInsideForeground,
                bool                            isOutsideForeground,
                std::uint64_t                   minimumSize)
{
  if (isInsideForeground == isOutsideForeground)
  {
    return isInsideForeground && image.input.Count() >= std::max<std::uint64_t>(minimumSize, 1) ? 1 : 0;
  }
  labeler.options.complement = isOutsideForeground;
  labeler.options.selection.minimumSize = minimumSize;
  labeler.options.columns.pixelCounts = false;
  return labeler.MeasurePackedRows(PackerOf(image.input, image.lower, image.upper), image.input.size).componentCount;
}

void
FindExtremes(const CudaConnectedComponentLabeler & labeler,
             const ImageView &                     image,
             std::uint64_t &                       lowest,
             std::uint64_t &                       highest)
{
  VisitOrder(image.type, [&](auto number) {
    Extremes<decltype(number)> all{};
    std::memcpy(&all.lowest, &lowest, sizeof(number));
    std::memcpy(&all.highest, &highest, sizeof(number));
    const Extremes<decltype(number)> none = all;
    const std::uint64_t              rows = image.Count() == 0 ? 0 : image.size[1] * image.size[2];
    const std::uint64_t              rowsOfChunk =
      std::max<std::uint64_t>(ccl::Tuning::HostPixelsPerChunk / std::max<std::uint64_t>(image.size[0], 1), 1);
    std::mutex mutex;
    ccl::CheckedFor(labeler.options.parallelFor)(ccl::DivideUp(rows, rowsOfChunk), [&](std::uint64_t chunk) {
      auto here = none;
      for (std::uint64_t row = chunk * rowsOfChunk; row < std::min(rows, (chunk + 1) * rowsOfChunk); ++row)
      {
        here.AddRow(image, row);
      }
      const std::lock_guard<std::mutex> lock(mutex);
      all.Add(here);
    });
    std::memcpy(&lowest, &all.lowest, sizeof(number));
    std::memcpy(&highest, &all.highest, sizeof(number));
  });
}

} // namespace CudaConnectedComponentsDetail
} // namespace itk
