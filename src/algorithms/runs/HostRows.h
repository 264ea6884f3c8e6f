// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_algorithms_runs_HostRows_h
#define ccl_algorithms_runs_HostRows_h

// The two steps on the host when an image in host memory is labeled. Before the runs are labeled, PackRows() makes bits
// of the pixels. Afterwards, WriteLabelRows() writes the labels of the runs to the pixels, or VisitSelectedRows() makes
// the bits of a mask. If a device labels the runs, only the bits of the pixels and the labels of the runs are
// transferred. For a mask, only bits are transferred, in both directions.

#include "primitives/ImageRows.h"
#include "primitives/PixelTypes.h"
#include "primitives/RowGroups.h"
#include "executors/host/HostExecutor.h"
#include "executors/host/HostMemory.h"
#include "algorithms/runs/ImageRanks.h"
#include "algorithms/runs/MaskWriteOut.h"
#include "algorithms/runs/RunUnionFind.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <cwchar>
#include <thread>
#include <utility>
#include <vector>

namespace itk::ccl
{

/** The row groups of an image, in chunks of at least one row group and up to Tuning::HostPixelsPerChunk pixels. One
 * call of the parallel loop processes one chunk. */
class RowGroupChunks
{
public:
  /** \param size the size of the grid of the bits, which is the grid of the pixels for one image */
  template <typename TRowGroup>
  static RowGroupChunks
  Of(const Grid & size, std::uint64_t pixelsPerChunk = Tuning::HostPixelsPerChunk)
  {
    const Grid groups = TRowGroup::GridOf(size);
    return { { 1, groups.y, groups.z },
             std::max<std::uint64_t>(1, pixelsPerChunk / (size.x * TRowGroup::Rows * TRowGroup::Slices)) };
  }

  std::uint64_t
  Count() const
  {
    return DivideUp(m_RowGroups.Count(), m_RowGroupsPerChunk);
  }

  std::uint64_t
  RowGroupsPerChunk() const
  {
    return m_RowGroupsPerChunk;
  }

  /** Calls visit(cell) for the row groups of a chunk in raster order. `y` and `z` of the cell are the row group's. */
  template <typename TVisitor>
  void
  ForEach(std::uint64_t chunk, const TVisitor & visit) const
  {
    const std::uint64_t begin = chunk * m_RowGroupsPerChunk;
    const std::uint64_t end = std::min(m_RowGroups.Count(), begin + m_RowGroupsPerChunk);
    Cell                cell = CellAt(m_RowGroups, begin);
    for (std::uint64_t i = begin; i < end; ++i, cell = NextCell(m_RowGroups, cell))
    {
      visit(cell);
    }
  }

private:
  RowGroupChunks(const Grid & rowGroups, std::uint64_t rowGroupsPerChunk)
    : m_RowGroups(rowGroups)
    , m_RowGroupsPerChunk(rowGroupsPerChunk)
  {}

  Grid          m_RowGroups;
  std::uint64_t m_RowGroupsPerChunk;
};

/** Calls visit(row, image) with the index of row (y, z) of the bits in the pixels of a stack, and the index of its
 * image. Returns false if the row has no pixels. */
template <typename TVisitor>
bool
VisitRowOfPixels(const ImageStack & stack, std::uint64_t y, std::uint64_t z, const TVisitor & visit)
{
  const std::uint64_t image = stack.ImageOf(z);
  if (!stack.HasPixels(z, image))
  {
    return false;
  }
  visit(stack.RowIndex(y, z, image), image);
  return true;
}

/** The bits of images in host memory, and the numbers of their runs. The number of rows of a row group is no type here,
 * because the code that writes all types of labels is long. */
struct HostRows
{
  BitRows                  rows;
  StartedRows              columns; // without starts if they follow from gaps
  unsigned int             rowsOfGroup;
  unsigned int             slicesOfGroup;
  ChunkSums<std::uint64_t> runs;       // the runs that start in each word of columns
  RowGroupChunks           chunks;     // the chunks of these sums
  bool                     hasThreads; // whether other threads than the calling one packed rows

  /** Calls visit(y, z) for each row of a row group, in raster order. */
  template <typename TVisitor>
  void
  ForEachRow(const Cell & group, const TVisitor & visit) const
  {
    const std::uint64_t endY = std::min(rows.words.y, (group.y + 1) * rowsOfGroup);
    const std::uint64_t endZ = std::min(rows.words.z, (group.z + 1) * slicesOfGroup);
    for (std::uint64_t z = group.z * slicesOfGroup; z < endZ; ++z)
    {
      for (std::uint64_t y = group.y * rowsOfGroup; y < endY; ++y)
      {
        visit(y, z);
      }
    }
  }
};

/** The same, with the row groups. */
template <typename TRowGroup>
struct HostBits : HostRows
{
  HostBuffer<Word>        secondBits; // as GroupedBits::secondBits
  RowGroupBits<TRowGroup> groups;     // reads the packed rows and `secondBits`
};

/** Packs all rows of a stack to `bits`, which has an element for each of its words. packRow(i, words) writes the words
 * of row i of the pixels, where rows are counted slice by slice through all images. Also collects the columns of row
 * groups, and counts the runs. The result refers to `bits`. `values` has the images, for runs that have values. */
template <typename TRowGroup, typename TRowPacker>
HostBits<TRowGroup>
PackRows(const ParallelFor & parallelFor,
         const TRowPacker &  packRow,
         const ImageStack &  stack,
         Word *              bits,
         std::uint64_t       pixelsPerChunk = Tuning::HostPixelsPerChunk,
         const ImageView *   values = nullptr)
{
  const auto                    chunks = RowGroupChunks::Of<TRowGroup>(stack.GetGrid(), pixelsPerChunk);
  const Grid                    words = TRowGroup::GridOf(WordsOf(stack.GetGrid()));
  auto                          memory = AllocateOnHost<Word>(TRowGroup::HasSecondBits ? words.Count() : 0);
  Word * const                  secondBits = memory.get();
  const RowGroupBits<TRowGroup> groups(stack, bits, secondBits);
  HostBits<TRowGroup>           result{
              { groups.rows,
                groups.GetStartedColumns(),
                TRowGroup::Rows,
                TRowGroup::Slices,
                { words.Count(), chunks.RowGroupsPerChunk() * words.x, std::vector<std::uint64_t>(chunks.Count()), 0 },
                chunks,
                false },
    std::move(memory),
    groups
  };
  std::atomic<bool> hasThreads{ false };
  const auto        packChunk = [&, caller = std::this_thread::get_id()](std::uint64_t chunk) {
    if (std::this_thread::get_id() != caller)
    {
      hasThreads = true;
    }
    std::uint64_t runs = 0;
    chunks.ForEach(chunk, [&](const Cell & group) {
      groups.ForEachRow(group.y, group.z, [&](unsigned int row, unsigned int slice) {
        Word * const rowBits = bits + groups.RowBegin(group.y, group.z, row, slice);
        const auto   pack = [&](std::uint64_t index, std::uint64_t) {
          packRow(index, rowBits);
          if constexpr (TRowGroup::HasValues)
          {
            StoreStartsOf(*values, index, rowBits, secondBits + groups.RowBegin(group.y, group.z, 0, 0));
          }
        };
        if (!VisitRowOfPixels(stack, group.y * TRowGroup::Rows + row, group.z * TRowGroup::Slices + slice, pack))
        {
          std::fill_n(rowBits, words.x, 0);
        }
      });
      const std::uint64_t begin = groups.columns.RowBegin(group.y, group.z);
      if constexpr (!TRowGroup::IsOneRow)
      {
        for (std::uint64_t x = 0; x < words.x; ++x)
        {
          secondBits[begin + x] = groups.Facing(FixedRowOffset<0, 0>{}, group.y, group.z, x);
        }
      }
      // Most rows of a sparse mask are empty.
      if (groups.columns.IsEmpty(begin))
      {
        return;
      }
      runs += groups.columns.CountStarts(begin);
    });
    result.runs.prefixes[chunk] = runs;
  };
  parallelFor(chunks.Count(), packChunk);
  result.runs.Scan();
  result.hasThreads = hasThreads;
  return result;
}

/** Writes the keys of all runs of images. `keys` has elements of 32 or 64 bits. */
inline void
StoreKeysOfRows(const ParallelFor & parallelFor, const HostBits<ValueRow> & bits, const ImageView & values, Word * keys)
{
  const StartedRows & rows = bits.groups.columns;
  const std::uint64_t wordsOfKey = WordsOfKey(values.type);
  parallelFor(bits.chunks.Count(), [&](std::uint64_t chunk) {
    std::uint64_t run = bits.runs.prefixes[chunk];
    bits.chunks.ForEach(chunk, [&](const Cell & row) {
      const Word * const starts = rows.starts + rows.RowBegin(row.y, row.z);
      StoreKeysOf(values, row.y + rows.words.y * row.z, starts, keys + run * wordsOfKey);
      run += rows.CountStarts(rows.RowBegin(row.y, row.z));
    });
  });
}

/** Visits the runs of a row (or of the columns of a row group) from left to right. Before the first Next(), the current
 * run is empty and ends at 0. */
class RunCursor
{
public:
  /** \param starts the bits at which runs start; null if they have gaps between them */
  RunCursor(const Word * row, std::uint64_t size, const Word * starts = nullptr)
    : m_Row(row)
    , m_Starts(starts)
    , m_Size(size)
  {}

  /** Moves to the next run. Returns false if there is none. */
  bool
  Next()
  {
    m_Begin = NextPixel(m_Row, m_End, m_Size, true);
    const std::uint64_t limit = m_Starts == nullptr ? m_Size : NextPixel(m_Starts, m_Begin + 1, m_Size, true);
    m_End = NextPixel(m_Row, m_Begin, limit, false);
    return m_Begin < m_Size;
  }

  /** Returns the first pixel of the current run. */
  std::uint64_t
  GetBegin() const
  {
    return m_Begin;
  }
  /** Returns the pixel after the current run. */
  std::uint64_t
  GetEnd() const
  {
    return m_End;
  }

private:
  const Word *  m_Row;
  const Word *  m_Starts;
  std::uint64_t m_Size;
  std::uint64_t m_Begin = 0;
  std::uint64_t m_End = 0;
};

/** The rank of the component of each run of row groups, or NoLabel. */
template <typename TRun>
struct HostRanks
{
  const TRun *     ranks;
  RunColumns<TRun> columnsOfRuns; // if they are known; only for single rows

  explicit HostRanks(const TRun * ranksOf, const RunColumns<TRun> & columns = {})
    : ranks(ranksOf)
    , columnsOfRuns(columns)
  {}
};

/** Visits the runs of pixels that have labels, row by row. Threads visit different rows at the same time.
 *
 * visitorOf(chunk) makes a visitor for each chunk. For each row of the chunk, visitor(row, image, visitRuns) is called
 * once. It must call visitRuns(visit), which calls visit(begin, end, rank) for each run of pixels, from left to right.
 */
template <typename TRun, typename TMakeVisitor>
void
VisitLabeledRows(const ParallelFor &     parallelFor,
                 const HostRows &        bits,
                 const HostRanks<TRun> & ranks,
                 const ImageStack &      stack,
                 const TMakeVisitor &    visitorOf)
{
  const std::uint64_t      rowSize = stack.size.x;
  const RunColumns<TRun> & columns = ranks.columnsOfRuns;
  parallelFor(bits.chunks.Count(), [&](std::uint64_t chunk) {
    auto          visitor = visitorOf(chunk);
    std::uint64_t firstRun = bits.runs.prefixes[chunk]; // of the row group
    bits.chunks.ForEach(chunk, [&](const Cell & group) {
      const std::uint64_t columnsBegin = bits.columns.RowBegin(group.y, group.z);
      if (columns.first != nullptr)
      {
        const std::uint64_t rowBegin = columnsBegin * BitsPerWord;
        std::uint64_t       nextRun = firstRun;
        const auto          visitRuns = [&](const auto & visit) {
          for (nextRun = firstRun; nextRun < columns.runCount; ++nextRun)
          {
            const std::uint64_t begin = columns.first[nextRun] - rowBegin;
            if (begin >= rowSize)
            {
              return;
            }
            if (const TRun rank = ranks.ranks[nextRun]; rank != NoLabel<TRun>)
            {
              visit(begin, columns.last[nextRun] + 1 - rowBegin, rank);
            }
          }
        };
        VisitRowOfPixels(
          stack, group.y, group.z, [&](std::uint64_t index, std::uint64_t image) { visitor(index, image, visitRuns); });
        firstRun = nextRun;
        return;
      }
      bits.ForEachRow(group, [&](std::uint64_t y, std::uint64_t z) {
        const auto visitRuns = [&](const auto & visit) {
          // `rank` moves with runOfRowGroup, and points to the rank of the next run of the row group.
          const Word * const starts = bits.columns.starts == nullptr ? nullptr : bits.columns.starts + columnsBegin;
          RunCursor          run(bits.rows.bits + bits.rows.RowBegin(y, z), rowSize, starts);
          RunCursor          runOfRowGroup(bits.columns.bits + columnsBegin, rowSize, starts);
          const TRun *       rank = ranks.ranks + firstRun;
          while (run.Next())
          {
            while (runOfRowGroup.GetEnd() <= run.GetBegin())
            {
              runOfRowGroup.Next();
              ++rank;
            }
            if (rank[-1] != NoLabel<TRun>)
            {
              visit(run.GetBegin(), run.GetEnd(), rank[-1]);
            }
          }
        };
        VisitRowOfPixels(
          stack, y, z, [&](std::uint64_t index, std::uint64_t image) { visitor(index, image, visitRuns); });
      });
      firstRun += bits.columns.CountStarts(columnsBegin);
    });
  });
}

/** Writes adjacent pixels from left to right. */
template <typename TOutput>
class PixelWriter
{
public:
  PixelWriter(TOutput * begin = nullptr, TOutput * end = nullptr)
    : m_Begin(begin)
    , m_Next(begin)
    , m_End(end)
  {}

  /** Writes a value to the next pixels, up to `end`. May change pixels after them, which must be written later. */
  void
  Fill(TOutput * end, TOutput value)
  {
    // Most runs of noise are short, and their lengths cannot be predicted. So the first pixels are written without a
    // test for their number.
    TOutput * const begin = m_Next;
    m_Next = end;
    if (m_End - begin < Step)
    {
      std::fill(begin, end, value);
      return;
    }
    std::fill_n(begin, Step, value);
    if (end - begin > Step)
    {
      FillRest(begin + Step, end, value);
    }
  }

  /** Does the same if the pixels have had the value before, except those that Fill() has changed. */
  void
  Restore(TOutput * end, TOutput value)
  {
    if (m_Next != m_Begin)
    {
      this->Fill(std::min(end, m_Next + Step), value);
    }
    m_Next = end;
  }

private:
  static constexpr std::ptrdiff_t Step = sizeof(TOutput) == 1 ? 16 : 32 / sizeof(TOutput);

  /** Writes a value by functions of the C library, which know the processor's widest stores. */
  static void
  FillRest(TOutput * begin, TOutput * end, TOutput value)
  {
    if (value == 0)
    {
      std::memset(begin, 0, (end - begin) * sizeof(TOutput));
    }
    else if constexpr (sizeof(TOutput) == sizeof(wchar_t))
    {
      std::wmemset(reinterpret_cast<wchar_t *>(begin), static_cast<wchar_t>(value), end - begin);
    }
    else
    {
      std::fill(begin, end, value);
    }
  }

  TOutput * m_Begin;
  TOutput * m_Next;
  TOutput * m_End;
};

/** Writes the label of each run to its foreground pixels, and the background value to all other pixels. `ranks` has the
 * ranks of the runs. A run with NoLabel becomes background. The first rank of each image gets the first label, unless
 * `newLabels` has the label of each rank. If `hasBackground`, all pixels of the output have the background value
 * already. The pixels of a row of the output are adjacent. */
template <typename TOutput, typename TRun>
void
WriteLabelRows(const ParallelFor &         parallelFor,
               const HostRows &            bits,
               const HostRanks<TRun> &     ranks,
               const RanksOfImages<TRun> & imageRanks,
               const LabelValues &         labelValues,
               bool                        hasBackground,
               const ImageView &           output,
               const std::uint64_t *       newLabels = nullptr)
{
  const Grid                       size{ output.size[0], output.size[1], output.size[2] };
  const ImageStack                 stack(size, output.images, bits.slicesOfGroup);
  const LabelOfRank<TRun, TOutput> labelOf(labelValues);
  // If the rows of a chunk follow each other without gaps, the background is written through the ends of rows.
  const bool          isContiguous = bits.rowsOfGroup * bits.slicesOfGroup == 1 && output.IsContiguous();
  const std::uint64_t rowsOfWriter = isContiguous ? bits.chunks.RowGroupsPerChunk() : 1;
  const std::uint64_t rows = stack.size.y * stack.size.z * stack.images;
  VisitLabeledRows(parallelFor, bits, ranks, stack, [&](std::uint64_t) {
    return [&, writer = PixelWriter<TOutput>(), rowsLeft = std::uint64_t{ 0 }](
             std::uint64_t row, std::uint64_t image, const auto & visitRuns) mutable {
      auto * const pixels = reinterpret_cast<TOutput *>(output.Row(row));
      const TRun   firstRank = imageRanks.FirstOf(image);
      if (rowsLeft == 0)
      {
        rowsLeft = std::min(rowsOfWriter, rows - row);
        writer = PixelWriter<TOutput>(pixels, pixels + rowsLeft * stack.size.x);
      }
      const auto writeBackground = [&](TOutput * end) {
        hasBackground ? writer.Restore(end, labelOf.background) : writer.Fill(end, labelOf.background);
      };
      visitRuns([&](std::uint64_t begin, std::uint64_t end, TRun rank) {
        writeBackground(pixels + begin);
        writer.Fill(pixels + end,
                    newLabels == nullptr ? labelOf(rank, firstRank) : static_cast<TOutput>(newLabels[rank]));
      });
      if (--rowsLeft == 0)
      {
        writeBackground(pixels + stack.size.x);
      }
    };
  });
}

/** Calls visitRow(row, words) for each row of the mask of the pixels whose runs have labels. Threads visit different
 * rows at the same time. `memory` is that of the rows of `bits`, and gets the bits of the mask. So no memory is
 * allocated between rows. `runs` are those of the columns. `ranks` has the rank of the component of each run, or
 * NoLabel. */
template <typename TRun, typename TRowVisitor>
void
VisitSelectedRows(const ParallelFor &                 parallelFor,
                  const HostRows &                    bits,
                  const IndexedRuns<ValueRow, TRun> & runs,
                  const TRun *                        ranks,
                  const ImageStack &                  stack,
                  Word *                              memory,
                  const TRowVisitor &                 visitRow)
{
  const StartedRows & columns = bits.columns;
  parallelFor(bits.chunks.Count(), [&](std::uint64_t chunk) {
    bits.chunks.ForEach(chunk, [&](const Cell & group) {
      const std::uint64_t columnsBegin = columns.RowBegin(group.y, group.z);
      // The columns may be the rows. The runs of a word follow from it and from the word before it.
      for (std::uint64_t x = columns.IsEmpty(columnsBegin) ? 0 : columns.words.x; x-- > 0;)
      {
        const bool isEmptyWord = columns.bits[columnsBegin + x] == 0;
        const Word selected =
          isEmptyWord
            ? 0
            : MaskWriteOut::SelectedColumns<ValueRow, TRun>(runs, RanksOfRuns<TRun>(ranks), { x, group.y, group.z });
        bits.ForEachRow(group,
                        [&](std::uint64_t y, std::uint64_t z) { memory[bits.rows.RowBegin(y, z) + x] &= selected; });
      }
      bits.ForEachRow(group, [&](std::uint64_t y, std::uint64_t z) {
        const Word * const words = memory + bits.rows.RowBegin(y, z);
        VisitRowOfPixels(stack, y, z, [&](std::uint64_t index, std::uint64_t) { visitRow(index, words); });
      });
    });
  });
}

/** Calls visitRow(row, words) for each row of a mask. Threads visit different rows at the same time. */
template <typename TRowVisitor>
void
VisitMaskRows(const ParallelFor & parallelFor,
              const Word *        mask,
              const ImageStack &  stack,
              const TRowVisitor & visitRow)
{
  const auto    chunks = RowGroupChunks::Of<SingleRow>(stack.GetGrid());
  const BitRows rows{ WordsOf(stack.GetGrid()), mask };
  parallelFor(chunks.Count(), [&](std::uint64_t chunk) {
    chunks.ForEach(chunk, [&](const Cell & row) {
      VisitRowOfPixels(stack, row.y, row.z, [&](std::uint64_t index, std::uint64_t) {
        visitRow(index, mask + rows.RowBegin(row.y, row.z));
      });
    });
  });
}

} // namespace itk::ccl

#endif
