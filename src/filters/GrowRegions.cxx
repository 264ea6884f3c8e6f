// SPDX-License-Identifier: Apache-2.0
#include "CudaConnectedComponentsDetail/GrowRegions.h"

#include "primitives/Bits.h"
#include "primitives/Foreground.h"
#include "primitives/Grid.h"
#include "primitives/ImageRows.h"
#include "primitives/Tuning.h"

#include <algorithm>
#include <atomic>
#include <unordered_map>

namespace itk
{
namespace CudaConnectedComponentsDetail
{

namespace
{

using ccl::BitsPerWord;
using ccl::Foreground;
using ccl::Word;

/** A region that grows by its runs. Each run leaves the bits of its row when the region gets it. */
class SmallRegion
{
public:
  SmallRegion(const LimitedImage & image, std::vector<RunOfRow> & runs)
    : m_Image(image.input)
    , m_Foreground(Foreground::Between(image.input.type, image.lower, image.upper))
    , m_Runs(runs)
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
      if (m_Runs.size() >= ccl::Tuning::SmallRegionRuns)
      {
        return false;
      }
      const std::uint64_t first = FirstOfRun(words.data(), x);
      const std::uint64_t last = ccl::NextPixel(words.data(), x, length, false);
      ClearBits(words.data(), first, last);
      m_Runs.push_back({ row, first, last });
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
  std::vector<RunOfRow> &                              m_Runs;
  std::unordered_map<std::uint64_t, std::vector<Word>> m_Rows; // the pixels between the limits that are not reached yet
};

} // namespace

bool
GrowSmallRegion(const LimitedImage &      image,
                const std::vector<Seed> & seeds,
                bool                      fullyConnected,
                std::vector<RunOfRow> &   runs)
{
  const auto & size = image.input.size;
  SmallRegion  region(image, runs);
  for (const Seed & seed : seeds)
  {
    if (!region.AddRuns(seed[1] + size[1] * seed[2], seed[0], seed[0] + 1))
    {
      return false;
    }
  }
  const std::uint64_t reach = fullyConnected ? 1 : 0; // of a run, in neighboring rows
  for (std::size_t next = 0; next < runs.size(); ++next)
  {
    const RunOfRow      run = runs[next];
    const std::uint64_t y = run.row % size[1];
    const std::uint64_t z = run.row / size[1];
    const std::uint64_t begin = run.begin - std::min(run.begin, reach);
    const std::uint64_t end = std::min(run.end + reach, size[0]);
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
GrowByLabeler(CudaConnectedComponentLabeler & labeler,
              const LimitedImage &            image,
              const std::vector<Seed> &       seeds,
              const TwoValueOutput &          output)
{
  if (seeds.empty())
  {
    // Without seeds, the labeler would select all components.
    WriteRuns(labeler, {}, output);
    return;
  }
  labeler.options.selection.seeds = seeds;
  labeler.MaskPackedRows(PackerOf(image.input, image.lower, image.upper), image.input.size, WriterOf(output));
}

void
GrowRegion(CudaConnectedComponentLabeler & labeler,
           const LimitedImage &            image,
           const std::vector<Seed> &       seeds,
           const TwoValueOutput &          output)
{
  std::vector<RunOfRow> runs;
  if (GrowSmallRegion(image, seeds, labeler.options.fullyConnected, runs))
  {
    WriteRuns(labeler, runs, output);
  }
  else
  {
    GrowByLabeler(labeler, image, seeds, output);
  }
}

bool
ReachesPixels(CudaConnectedComponentLabeler & labeler,
              const LimitedImage &            image,
              const std::vector<Seed> &       seeds,
              const std::vector<Seed> &       pixels)
{
  const auto            rowOf = [&image](const Seed & pixel) { return pixel[1] + image.input.size[1] * pixel[2]; };
  std::vector<RunOfRow> runs;
  if (GrowSmallRegion(image, seeds, labeler.options.fullyConnected, runs))
  {
    return std::any_of(pixels.begin(), pixels.end(), [&](const Seed & pixel) {
      return std::any_of(runs.begin(), runs.end(), [&](const RunOfRow & run) {
        return run.row == rowOf(pixel) && run.begin <= pixel[0] && pixel[0] < run.end;
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

} // namespace CudaConnectedComponentsDetail
} // namespace itk
