// SPDX-License-Identifier: Apache-2.0
#include "CudaConnectedComponentsDetail/ThresholdImages.h"

#include "executors/host/HostMemory.h"
#include "executors/host/ParallelFor.h"
#include "primitives/Bits.h"
#include "primitives/Grid.h"
#include "primitives/ImageRows.h"
#include "primitives/Tuning.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <mutex>
#include <unordered_map>

namespace itk
{
namespace CudaConnectedComponentsDetail
{

namespace
{

using ccl::BitsPerWord;
using ccl::Foreground;
using ccl::PixelType;
using ccl::Word;

Foreground
ForegroundOf(const LimitedImage & image)
{
  return Foreground::Between(image.input.type, image.lower, image.upper);
}

/** A region that grows by its runs. Each run leaves the bits of its row when the region gets it. */
class SmallRegion
{
public:
  SmallRegion(const LimitedImage & image, std::vector<RowPart> & parts)
    : m_Image(image.input)
    , m_Foreground(ForegroundOf(image))
    , m_Parts(parts)
  {}

  /** Adds the runs of a row that have pixels from `begin` to `end` - 1. Returns false if the region is too large. */
  bool
  AddRuns(std::uint64_t row, std::uint64_t begin, std::uint64_t end)
  {
    const std::uint64_t length = m_Image.size[0];
    std::vector<Word> & words = m_Rows[row];
    if (words.empty())
    {
      if (m_Rows.size() * length > ccl::Tuning::SmallRegionPixels)
      {
        return false;
      }
      words.resize(ccl::DivideUp(length, BitsPerWord));
      ccl::PackRowOf(m_Image, row, m_Foreground, words.data());
    }
    for (std::uint64_t x = ccl::NextPixel(words.data(), begin, end, true); x < end;)
    {
      if (m_Parts.size() >= ccl::Tuning::SmallRegionRuns)
      {
        return false;
      }
      const std::uint64_t first = FirstOfRun(words.data(), x);
      const std::uint64_t last = ccl::NextPixel(words.data(), x, length, false);
      ClearBits(words.data(), first, last);
      m_Parts.push_back({ row, first, last });
      x = ccl::NextPixel(words.data(), std::min(last, end), end, true);
    }
    return true;
  }

private:
  /** Returns the first pixel of the run of a pixel. */
  static std::uint64_t
  FirstOfRun(const Word * words, std::uint64_t x)
  {
    while (true)
    {
      const std::uint64_t begin = x / BitsPerWord * BitsPerWord;
      const Word          gaps = ~words[x / BitsPerWord] & ccl::BitsThrough(static_cast<unsigned int>(x - begin));
      if (gaps != 0)
      {
        return begin + ccl::HighestBit(gaps) + 1;
      }
      if (begin == 0)
      {
        return 0;
      }
      x = begin - 1;
    }
  }

  static void
  ClearBits(Word * words, std::uint64_t begin, std::uint64_t end)
  {
    for (std::uint64_t x = begin; x < end;)
    {
      const std::uint64_t first = x / BitsPerWord * BitsPerWord;
      const std::uint64_t last = std::min(end, first + BitsPerWord) - 1;
      const Word          before = (Word{ 1 } << (x - first)) - 1;
      words[x / BitsPerWord] &= before | ~ccl::BitsThrough(static_cast<unsigned int>(last - first));
      x = last + 1;
    }
  }

  const ImageView &                                    m_Image;
  Foreground                                           m_Foreground;
  std::vector<RowPart> &                               m_Parts;
  std::unordered_map<std::uint64_t, std::vector<Word>> m_Rows; // the pixels between the limits that are not reached yet
};

/** Returns whether all pixels of an output are 0, and are to be 0 outside. */
bool
HasOutside(const BinaryImage & image)
{
  const ImageView & output = image.output;
  return image.isUntouched &&
         ccl::PrepareUntouched(output.pixels, output.Count() * ccl::SizeOf(output.type), image.outside == 0) &&
         image.outside == 0;
}

/** Returns a function that writes the bits of a row. */
CudaConnectedComponentLabeler::MaskRowVisitorType
WriterOf(const BinaryImage & image)
{
  return [&image, hasOutside = HasOutside(image)](std::uint64_t row, const Word * words) {
    if (!hasOutside)
    {
      ccl::FillRowOf(image.output, row, image.outside);
    }
    ccl::SetPixelsOf(image.output, row, words, image.inside);
  };
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

bool
GrowSmallRegion(const LimitedImage &      image,
                const std::vector<Seed> & seeds,
                bool                      fullyConnected,
                std::vector<RowPart> &    parts)
{
  const auto & size = image.input.size;
  SmallRegion  region(image, parts);
  for (const Seed & seed : seeds)
  {
    if (!region.AddRuns(seed[1] + size[1] * seed[2], seed[0], seed[0] + 1))
    {
      return false;
    }
  }
  const std::uint64_t reach = fullyConnected ? 1 : 0; // of a run, in neighboring rows
  for (std::size_t next = 0; next < parts.size(); ++next)
  {
    const RowPart       part = parts[next];
    const std::uint64_t y = part.row % size[1];
    const std::uint64_t z = part.row / size[1];
    const std::uint64_t begin = part.begin - std::min(part.begin, reach);
    const std::uint64_t end = std::min(part.end + reach, size[0]);
    for (std::uint64_t nearZ = z - std::min<std::uint64_t>(z, 1); nearZ < std::min(z + 2, size[2]); ++nearZ)
    {
      for (std::uint64_t nearY = y - std::min<std::uint64_t>(y, 1); nearY < std::min(y + 2, size[1]); ++nearY)
      {
        const bool isNeighbor = nearY == y ? nearZ != z : nearZ == z || fullyConnected;
        if (isNeighbor && !region.AddRuns(nearY + size[1] * nearZ, begin, end))
        {
          return false;
        }
      }
    }
  }
  return true;
}

void
GrowRegion(CudaConnectedComponentLabeler & labeler,
           const LimitedImage &            image,
           const std::vector<Seed> &       seeds,
           const BinaryImage &             output)
{
  if (seeds.empty())
  {
    // Without seeds, the labeler would select all components.
    WriteRegion(labeler, {}, output);
    return;
  }
  labeler.options.selection.seeds = seeds;
  labeler.MaskPackedRows(PackerOf(image.input, image.lower, image.upper), image.input.size, WriterOf(output));
}

void
GrowAnyRegion(CudaConnectedComponentLabeler & labeler,
              const LimitedImage &            image,
              const std::vector<Seed> &       seeds,
              const BinaryImage &             output)
{
  std::vector<RowPart> parts;
  if (GrowSmallRegion(image, seeds, labeler.options.fullyConnected, parts))
  {
    WriteRegion(labeler, parts, output);
  }
  else
  {
    GrowRegion(labeler, image, seeds, output);
  }
}

bool
ReachesPixels(CudaConnectedComponentLabeler & labeler,
              const LimitedImage &            image,
              const std::vector<Seed> &       seeds,
              const std::vector<Seed> &       pixels)
{
  const auto           rowOf = [&image](const Seed & pixel) { return pixel[1] + image.input.size[1] * pixel[2]; };
  std::vector<RowPart> parts;
  if (GrowSmallRegion(image, seeds, labeler.options.fullyConnected, parts))
  {
    return std::any_of(pixels.begin(), pixels.end(), [&](const Seed & pixel) {
      return std::any_of(parts.begin(), parts.end(), [&](const RowPart & part) {
        return part.row == rowOf(pixel) && part.begin <= pixel[0] && pixel[0] < part.end;
      });
    });
  }
  labeler.options.selection.seeds = seeds;
  std::atomic<bool> areReached{ false };
  labeler.MaskPackedRows(
    PackerOf(image.input, image.lower, image.upper), image.input.size, [&](std::uint64_t row, const Word * words) {
      for (const Seed & pixel : pixels)
      {
        if (rowOf(pixel) == row && (words[pixel[0] / BitsPerWord] >> pixel[0] % BitsPerWord & 1U) != 0)
        {
          areReached = true;
        }
      }
    });
  return areReached;
}

void
WriteRegion(const CudaConnectedComponentLabeler & labeler,
            const std::vector<RowPart> &          parts,
            const BinaryImage &                   image)
{
  if (!HasOutside(image))
  {
    ForEachRow(labeler, image.output, [&](std::uint64_t row) { ccl::FillRowOf(image.output, row, image.outside); });
  }
  for (const RowPart & part : parts)
  {
    ImageView pixels = image.output;
    pixels.pixels = image.output.Row(part.row) + static_cast<std::int64_t>(part.begin) * image.output.strides[0];
    pixels.size = { part.end - part.begin, 1, 1 };
    ccl::FillRowOf(pixels, 0, image.inside);
  }
}

void
WriteLimited(const CudaConnectedComponentLabeler & labeler, const LimitedImage & image, const BinaryImage & output)
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
