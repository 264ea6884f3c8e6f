// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_algorithms_runs_RunLabelWriteOut_h
#define ccl_algorithms_runs_RunLabelWriteOut_h

// From the labels of runs to the labels of pixels.

#include "primitives/Vec4.h"
#include "primitives/Runs.h"

namespace itk::ccl
{

namespace RunLabelWriteOut
{

/** Writes the label of its run to each foreground pixel, and the background value to the others. A cell stands for
 * quads of columns of a row group, 32 quads apart. Where VAligned, all rows start where a quad may; else the first quad
 * of each row starts at 0 to 3 pixels before the row, where one access can write it. */
template <typename TRowGroup, typename TRun, typename TOutput, bool VAligned>
struct WriteLabels
{
  static constexpr unsigned int Vec4sPerCell = TRowGroup::IsOneRow ? Tuning::Vec4sPerThread : 1;
  static constexpr unsigned int Stride = 32;

  IndexedRuns<TRowGroup, TRun> runs;
  const TRun *                 labels;
  Grid                         size;
  TOutput                      background;
  TOutput *                    output;

  CCL_HOST_DEVICE
  Grid
  GetCells() const
  {
    const std::uint64_t vectors = DivideUp(size.x, 4) + !VAligned;
    const Grid          groups = TRowGroup::Of(size);
    return { DivideUp(vectors, Vec4sPerCell * Stride) * Stride, groups.y, groups.z };
  }

  CCL_HOST_DEVICE
  void
  operator()(const Cell & cell) const
  {
    // An image has less words, and pixels, than TRun can count, and 32 bits are faster.
    const auto y = static_cast<TRun>(cell.y);
    const auto z = static_cast<TRun>(cell.z);
    const auto firstVector = static_cast<TRun>(cell.x / Stride * (Vec4sPerCell * Stride) + cell.x % Stride);
    const auto vectorXOf = [firstVector](unsigned int i) { return 4 * (firstVector + i * Stride); };
    const TRun columnsBegin = runs.groups.columns.RowBegin(y, z);

    // Bits first: they need not wait for labels, which take more than one access to memory.
    Window       windows[Vec4sPerCell];
    unsigned int columns[Vec4sPerCell];
    unsigned int pixels[Vec4sPerCell][TRowGroup::Slices][TRowGroup::Rows] = {};
    CCL_UNROLL
    for (unsigned int i = 0; i < Vec4sPerCell; ++i)
    {
      windows[i] = Window(vectorXOf(i) - ColumnsBefore, static_cast<TRun>(size.x));
      columns[i] = BitsOf(windows[i], runs.groups.columns, columnsBegin);
      runs.groups.ForEachRow(y, z, [&](unsigned int row, unsigned int slice) {
        pixels[i][slice][row] = TRowGroup::IsOneRow
                                  ? columns[i]
                                  : BitsOf(windows[i], runs.groups.rows, runs.groups.RowBegin(y, z, row, slice));
      });
    }
    TRun firstRuns[Vec4sPerCell];
    CCL_UNROLL
    for (unsigned int i = 0; i < Vec4sPerCell; ++i)
    {
      firstRuns[i] = this->FirstRunOf(windows[i], columnsBegin, columns[i]);
    }
    Vec4<TOutput> vectors[Vec4sPerCell][TRowGroup::Slices][TRowGroup::Rows];
    CCL_UNROLL
    for (unsigned int i = 0; i < Vec4sPerCell; ++i)
    {
      Vec4Labels<TOutput> vectorLabels{};
      if constexpr (VAligned)
      {
        vectorLabels = this->LabelsOf(columns[i], firstRuns[i], 0);
      }
      runs.groups.ForEachRow(y, z, [&](unsigned int row, unsigned int slice) {
        const unsigned int begin = ColumnsBefore - PixelsBefore(this->PixelsOf(y, z, row, slice));
        if constexpr (!VAligned)
        {
          vectorLabels = this->LabelsOf(columns[i], firstRuns[i], begin);
        }
        vectors[i][slice][row] = MakeVec4(pixels[i][slice][row] >> begin, vectorLabels, background);
      });
    }
    CCL_UNROLL
    for (unsigned int i = 0; i < Vec4sPerCell; ++i)
    {
      runs.groups.ForEachRow(y, z, [&](unsigned int row, unsigned int slice) {
        this->Write(this->PixelsOf(y, z, row, slice), vectorXOf(i), vectors[i][slice][row]);
      });
    }
  }

private:
  /** Columns before those of a quad, of which a row may have some in its quad. */
  static constexpr unsigned int ColumnsBefore = VAligned ? 0 : 3;

  /** The bits of the columns of a quad, and of those before it. */
  using Window = BitWindow<TRun, ColumnsBefore + 4, ColumnsBefore>;

  CCL_HOST_DEVICE
  static unsigned int
  BitsOf(const Window & window, const BitRows & rows, TRun rowBegin)
  {
    const TRun word = rowBegin + window.word;
    return window.Of(rows.bits[word], window.hasNext ? rows.bits[word + 1] : 0);
  }

  /** The first run in the columns of a window. */
  CCL_HOST_DEVICE
  TRun
  FirstRunOf(const Window & window, TRun rowBegin, unsigned int columns) const
  {
    if (columns == 0)
    {
      return 0;
    }
    // The run that covers the first column, or the one after those that start up to there.
    const bool isCovered = columns >> window.skipped & 1U;
    return static_cast<TRun>(runs.CountRunsThrough(rowBegin, window.word, window.bit) - isCovered);
  }

  /** The labels of four of these columns. */
  CCL_HOST_DEVICE
  Vec4Labels<TOutput>
  LabelsOf(unsigned int columns, TRun firstRun, unsigned int begin) const
  {
    Vec4Labels<TOutput> result{ background, background, 0 };
    const unsigned int  four = columns >> begin & 15U;
    if (four == 0)
    {
      return result;
    }
    TRun run = firstRun;
    if constexpr (!VAligned)
    {
      const Word starts = columns & ~(columns << 1);
      run += CountBits(starts & BitsThrough(begin + LowestBit(Word{ four }))) - 1;
    }
    result.first = static_cast<TOutput>(labels[run]);
    result.secondStart = SecondStart(four);
    if (result.secondStart != 0)
    {
      result.second = static_cast<TOutput>(labels[run + 1]);
    }
    return result;
  }

  CCL_HOST_DEVICE
  TOutput *
  PixelsOf(TRun y, TRun z, unsigned int row, unsigned int slice) const
  {
    return output + static_cast<TRun>(size.x) *
                      (y * TRowGroup::Rows + row + static_cast<TRun>(size.y) * (z * TRowGroup::Slices + slice));
  }

  CCL_HOST_DEVICE
  static unsigned int
  PixelsBefore(const TOutput * pixels)
  {
    return VAligned ? 0 : MisalignmentOf(pixels);
  }

  CCL_HOST_DEVICE
  void
  Write(TOutput * pixels, TRun vectorX, const Vec4<TOutput> & vector) const
  {
    const auto rowSize = static_cast<TRun>(size.x);
    if constexpr (!VAligned)
    {
      StoreVec4(pixels, rowSize, static_cast<TRun>(vectorX - PixelsBefore(pixels)), vector);
    }
    else if (vectorX < rowSize)
    {
      *reinterpret_cast<Vec4<TOutput> *>(pixels + vectorX) = vector;
    }
  }
};

} // namespace RunLabelWriteOut

/** Writes all pixels of an image; `labels[run]` is the label of a run. */
template <typename TRowGroup, typename TRun, typename TOutput, typename TExecutor>
void
WriteRunLabels(const TExecutor &                    executor,
               const IndexedRuns<TRowGroup, TRun> & runs,
               const TRun *                         labels,
               const Grid &                         size,
               TOutput                              background,
               TOutput *                            output)
{
  using namespace RunLabelWriteOut;
  if (size.x % 4 == 0 && MisalignmentOf(output) == 0)
  {
    const WriteLabels<TRowGroup, TRun, TOutput, true> step{ runs, labels, size, background, output };
    executor.ForEach(step.GetCells(), step);
  }
  else
  {
    const WriteLabels<TRowGroup, TRun, TOutput, false> step{ runs, labels, size, background, output };
    executor.ForEach(step.GetCells(), step);
  }
}

} // namespace itk::ccl

#endif
