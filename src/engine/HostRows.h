// SPDX-License-Identifier: Apache-2.0
#ifndef HostRows_h
#define HostRows_h

// The host's share of labeling host memory: pixels to bits before the device's work, labels of runs to labels of pixels
// after it. Only bits and runs cross the bus.

#include "Bundles.h"
#include "HostExecutor.h"
#include "HostMemory.h"
#include "RunUnionFind.h"

#include <algorithm>
#include <memory>
#include <vector>

namespace itk::ccl
{

/** An image's bundles in chunks that are worth a thread's while. */
template <typename TBundle>
class BundleChunks
{
public:
  explicit BundleChunks(const Grid & size)
    : m_Bundles(TBundle::Of(size))
    , m_BundlesPerChunk(
        std::max<std::uint64_t>(1, Tuning::HostPixelsPerChunk / (size.x * TBundle::Rows * TBundle::Slices)))
  {}

  std::uint64_t
  Count() const
  {
    return DivideUp(m_Bundles.y * m_Bundles.z, m_BundlesPerChunk);
  }

  std::uint64_t
  BundlesPerChunk() const
  {
    return m_BundlesPerChunk;
  }

  /** Calls visit(bundle) for the bundles of a chunk, one after the other. */
  template <typename TVisitor>
  void
  ForEach(std::uint64_t chunk, const TVisitor & visit) const
  {
    const std::uint64_t end = std::min(m_Bundles.y * m_Bundles.z, (chunk + 1) * m_BundlesPerChunk);
    for (std::uint64_t i = chunk * m_BundlesPerChunk; i < end; ++i)
    {
      visit(Cell{ 0, i % m_Bundles.y, i / m_Bundles.y });
    }
  }

private:
  Grid          m_Bundles;
  std::uint64_t m_BundlesPerChunk;
};

/** The bits of an image in host memory, and what its threads need to know of the runs. */
template <typename TBundle>
struct HostBits
{
  BundleRows<TBundle>               bundles; // reads the rows that were packed, and:
  HostBuffer<Word>                  columns; // none where bundles are rows
  HostExecutor::Sums<std::uint64_t> runs;    // by words of columns

  /** What ccl::CountRuns gives, without counting again. */
  template <typename TRun>
  CountedRuns<TBundle, TRun, HostExecutor>
  CountRuns() const
  {
    return {
      bundles,
      { runs.count, runs.valuesPerChunk, { runs.before.begin(), runs.before.end() }, static_cast<TRun>(runs.total) }
    };
  }
};

/** Packs all rows to `bits`. */
template <typename TBundle, typename TRowPacker>
HostBits<TBundle>
PackRows(const ParallelFor & parallelFor, const TRowPacker & packRow, const Grid & size, Word * bits)
{
  const BundleChunks<TBundle> chunks(size);
  const BitRows               rows{ WordsOf(size), bits };
  const Grid                  words = TBundle::Of(rows.words);
  HostBits<TBundle>           result;
  result.columns = AllocateOnHost<Word>(TBundle::IsOneRow ? 0 : words.Count());
  Word * const columns = TBundle::IsOneRow ? bits : result.columns.get();
  result.bundles = { rows, { words, columns } };
  result.runs = { words.Count(), chunks.BundlesPerChunk() * words.x, std::vector<std::uint64_t>(chunks.Count()), 0 };
  const BundleRows<TBundle> & bundles = result.bundles;
  const auto                  packChunk = [&](std::uint64_t chunk) {
    std::uint64_t runs = 0;
    chunks.ForEach(chunk, [&](const Cell & bundle) {
      bundles.ForEachRow(bundle.y, bundle.z, [&](unsigned int row, unsigned int slice) {
        const std::uint64_t begin = bundles.RowBegin(bundle.y, bundle.z, row, slice);
        packRow(begin / rows.words.x, bits + begin);
      });
      const std::uint64_t begin = bundles.columns.RowBegin(bundle.y, bundle.z);
      for (std::uint64_t x = 0; x < words.x; ++x)
      {
        if constexpr (!TBundle::IsOneRow)
        {
          columns[begin + x] = bundles.Facing(bundle.y, bundle.z, x);
        }
        runs += CountBits(bundles.columns.Starts(begin, x));
      }
    });
    result.runs.before[chunk] = runs;
  };
  if (chunks.Count() <= Tuning::HostPackedChunksOfOneThread)
  {
    SequentialFor(chunks.Count(), packChunk);
  }
  else
  {
    parallelFor(chunks.Count(), packChunk);
  }
  result.runs.Scan();
  return result;
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

/** The runs of a row, one after the other. */
class RunCursor
{
public:
  RunCursor(const Word * row, std::uint64_t size)
    : m_Row(row)
    , m_Size(size)
  {}

  /** Goes to the next run. Gives false where there is none. */
  bool
  Next()
  {
    m_Begin = NextPixel(m_Row, m_End, m_Size, true);
    m_End = NextPixel(m_Row, m_Begin, m_Size, false);
    return m_Begin < m_Size;
  }

  std::uint64_t
  GetBegin() const
  {
    return m_Begin;
  }
  std::uint64_t
  GetEnd() const
  {
    return m_End;
  }

private:
  const Word *  m_Row;
  std::uint64_t m_Size;
  std::uint64_t m_Begin = 0;
  std::uint64_t m_End = 0;
};

/** Writes the labels of the runs to their pixels, and the background value to the others, unless they have it. */
template <typename TBundle, typename TRun, typename TOutput>
void
ExpandRows(const ParallelFor &       parallelFor,
           const HostBits<TBundle> & bits,
           const TRun *              labels,
           const Grid &              size,
           TOutput                   background,
           bool                      hasBackground,
           TOutput *                 output)
{
  const auto writeBackground = [background, hasBackground](TOutput * begin, TOutput * end) {
    if (!hasBackground)
    {
      std::fill(begin, end, background);
    }
  };
  const BundleChunks<TBundle> chunks(size);
  const BundleRows<TBundle> & bundles = bits.bundles;
  parallelFor(chunks.Count(), [&](std::uint64_t chunk) {
    const TRun * bundleLabels = labels + bits.runs.before[chunk];
    chunks.ForEach(chunk, [&](const Cell & bundle) {
      const std::uint64_t columnsBegin = bundles.columns.RowBegin(bundle.y, bundle.z);
      bundles.ForEachRow(bundle.y, bundle.z, [&](unsigned int row, unsigned int slice) {
        const std::uint64_t rowBegin = bundles.RowBegin(bundle.y, bundle.z, row, slice);
        TOutput * const     pixels = output + rowBegin / bundles.rows.words.x * size.x;
        RunCursor           run(bundles.rows.bits + rowBegin, size.x);
        RunCursor           runOfBundle(bundles.columns.bits + columnsBegin, size.x);
        const TRun *        label = bundleLabels;
        std::uint64_t       x = 0;
        while (run.Next())
        {
          while (runOfBundle.GetEnd() <= run.GetBegin())
          {
            runOfBundle.Next();
            ++label;
          }
          writeBackground(pixels + x, pixels + run.GetBegin());
          std::fill(pixels + run.GetBegin(), pixels + run.GetEnd(), static_cast<TOutput>(label[-1]));
          x = run.GetEnd();
        }
        writeBackground(pixels + x, pixels + size.x);
      });
      for (std::uint64_t x = 0; x < bundles.columns.words.x; ++x)
      {
        bundleLabels += CountBits(bundles.columns.Starts(columnsBegin, x));
      }
    });
  });
}

} // namespace itk::ccl

#endif
