// SPDX-License-Identifier: Apache-2.0
#ifndef HostRows_h
#define HostRows_h

// The host's share of labeling host memory: pixels to bits before the device's work, labels of runs to labels of pixels
// after it. Only bits and runs cross the bus.

#include "BitRows.h"
#include "HostExecutor.h"

#include <algorithm>
#include <vector>

#ifdef __linux__
#  include <sys/mman.h>
#endif

namespace itk::ccl
{

/** An image's rows in chunks that are worth a thread's while. */
class RowChunks
{
public:
  explicit RowChunks(const Grid & size)
    : m_Rows(size.y * size.z)
    , m_RowsPerChunk(std::max<std::uint64_t>(1, PixelsPerChunk / size.x))
  {}

  std::uint64_t
  Count() const
  {
    return DivideUp(m_Rows, m_RowsPerChunk);
  }

  std::uint64_t
  Begin(std::uint64_t chunk) const
  {
    return chunk * m_RowsPerChunk;
  }

  std::uint64_t
  End(std::uint64_t chunk) const
  {
    return std::min(m_Rows, this->Begin(chunk) + m_RowsPerChunk);
  }

private:
  static constexpr std::uint64_t PixelsPerChunk = 65536;

  std::uint64_t m_Rows;
  std::uint64_t m_RowsPerChunk;
};

/** Packs all rows, and returns for each chunk how many runs start before it. */
template <typename TRowPacker>
std::vector<std::uint64_t>
PackRows(const ParallelFor & parallelFor, const TRowPacker & packRow, const Grid & size, Word * bits)
{
  const RowChunks            chunks(size);
  const BitRows              rows{ WordsOf(size), bits };
  std::vector<std::uint64_t> runsBefore(chunks.Count() + 1);
  parallelFor(chunks.Count(), [&](std::uint64_t chunk) {
    std::uint64_t runs = 0;
    for (std::uint64_t row = chunks.Begin(chunk); row < chunks.End(chunk); ++row)
    {
      const std::uint64_t begin = row * rows.words.x;
      packRow(row, bits + begin);
      for (std::uint64_t x = 0; x < rows.words.x; ++x)
      {
        runs += CountBits(rows.Starts(begin, x));
      }
    }
    runsBefore[chunk + 1] = runs;
  });
  for (std::uint64_t chunk = 0; chunk < chunks.Count(); ++chunk)
  {
    runsBefore[chunk + 1] += runsBefore[chunk];
  }
  return runsBefore;
}

/** Where the next run, or the gap after it, starts in a row: the first pixel at or after x whose bit is `foreground`;
 * the row's end where there is none. */
inline std::uint64_t
NextPixel(const Word * row, std::uint64_t x, std::uint64_t end, bool foreground)
{
  while (x < end)
  {
    const Word word = (foreground ? row[x / BitsPerWord] : ~row[x / BitsPerWord]) >> x % BitsPerWord;
    if (word != 0)
    {
      return std::min(end, x + LowestBit(word));
    }
    x += BitsPerWord - x % BitsPerWord;
  }
  return end;
}

/** Writes all pixels of the output from the labels of the runs. */
template <typename TRun, typename TOutput>
void
ExpandRows(const ParallelFor &                parallelFor,
           const Word *                       bits,
           const std::vector<std::uint64_t> & runsBefore,
           const TRun *                       labels,
           const Grid &                       size,
           TOutput                            background,
           TOutput *                          output)
{
  const RowChunks     chunks(size);
  const std::uint64_t wordsPerRow = WordsOf(size).x;
  parallelFor(chunks.Count(), [&](std::uint64_t chunk) {
    const TRun * label = labels + runsBefore[chunk];
    for (std::uint64_t row = chunks.Begin(chunk); row < chunks.End(chunk); ++row)
    {
      const Word * words = bits + row * wordsPerRow;
      TOutput *    pixels = output + row * size.x;
      for (std::uint64_t x = 0; x < size.x;)
      {
        const std::uint64_t begin = NextPixel(words, x, size.x, true);
        const std::uint64_t end = NextPixel(words, begin, size.x, false);
        std::fill(pixels + x, pixels + begin, background);
        if (begin < end)
        {
          std::fill(pixels + begin, pixels + end, static_cast<TOutput>(*label++));
        }
        x = end;
      }
    }
  });
}

/** Lets the system back memory that is about to be written for the first time by huge pages: to be given small ones
 * takes longer than to write them. */
inline void
AdviseHugePages([[maybe_unused]] void * memory, [[maybe_unused]] std::uint64_t bytes)
{
#ifdef __linux__
  constexpr std::uintptr_t hugePage = std::uintptr_t{ 2 } << 20;
  const auto               address = reinterpret_cast<std::uintptr_t>(memory);
  const std::uintptr_t     begin = (address + hugePage - 1) / hugePage * hugePage;
  const std::uintptr_t     end = (address + bytes) / hugePage * hugePage;
  if (begin < end)
  {
    // Advice: that it may be refused makes no difference.
    static_cast<void>(madvise(reinterpret_cast<void *>(begin), end - begin, MADV_HUGEPAGE));
  }
#endif
}

} // namespace itk::ccl

#endif
