// SPDX-License-Identifier: Apache-2.0
#ifndef RunExpansion_h
#define RunExpansion_h

// From the labels of runs to the labels of pixels.

#include "Quads.h"
#include "Runs.h"

namespace itk::ccl
{

namespace RunExpansion
{

/** Writes the label of its run to each foreground pixel, and the background value to the others. A cell stands for
 * quads of columns of a bundle, 32 quads apart. Where VAligned, all rows start where a quad may; else the first quad of
 * each row starts at 0 to 3 pixels before the row, where one access can write it. */
template <typename TBundle, typename TRun, typename TOutput, bool VAligned>
struct Expansion
{
  static constexpr unsigned int QuadsPerCell = TBundle::IsOneRow ? Tuning::QuadsPerThread : 1;
  static constexpr unsigned int Stride = 32;

  NumberedRuns<TBundle, TRun> runs;
  const TRun *                labels;
  Grid                        size;
  TOutput                     background;
  TOutput *                   output;

  CCL_HOST_DEVICE
  Grid
  GetCells() const
  {
    const std::uint64_t quads = DivideUp(size.x, 4) + !VAligned;
    const Grid          bundles = TBundle::Of(size);
    return { DivideUp(quads, QuadsPerCell * Stride) * Stride, bundles.y, bundles.z };
  }

  CCL_HOST_DEVICE
  void
  operator()(const Cell & cell) const
  {
    // An image has less words, and pixels, than TRun can count, and 32 bits are faster.
    const auto y = static_cast<TRun>(cell.y);
    const auto z = static_cast<TRun>(cell.z);
    const auto firstQuad = static_cast<TRun>(cell.x / Stride * (QuadsPerCell * Stride) + cell.x % Stride);
    const auto quadXOf = [firstQuad](unsigned int i) { return 4 * (firstQuad + i * Stride); };
    const TRun columnsBegin = runs.bundles.columns.RowBegin(y, z);

    // Bits first: they need not wait for labels, which take more than one access to memory.
    Window       windows[QuadsPerCell];
    unsigned int columns[QuadsPerCell];
    unsigned int pixels[QuadsPerCell][TBundle::Slices][TBundle::Rows] = {};
    CCL_UNROLL
    for (unsigned int i = 0; i < QuadsPerCell; ++i)
    {
      windows[i] = Window(quadXOf(i) - ColumnsBefore, static_cast<TRun>(size.x));
      columns[i] = BitsOf(windows[i], runs.bundles.columns, columnsBegin);
      runs.bundles.ForEachRow(y, z, [&](unsigned int row, unsigned int slice) {
        pixels[i][slice][row] = TBundle::IsOneRow
                                  ? columns[i]
                                  : BitsOf(windows[i], runs.bundles.rows, runs.bundles.RowBegin(y, z, row, slice));
      });
    }
    TRun firstRuns[QuadsPerCell];
    CCL_UNROLL
    for (unsigned int i = 0; i < QuadsPerCell; ++i)
    {
      firstRuns[i] = this->FirstRunOf(windows[i], columnsBegin, columns[i]);
    }
    Quad<TOutput> quads[QuadsPerCell][TBundle::Slices][TBundle::Rows];
    CCL_UNROLL
    for (unsigned int i = 0; i < QuadsPerCell; ++i)
    {
      QuadLabels<TOutput> quadLabels{};
      if constexpr (VAligned)
      {
        quadLabels = this->LabelsOf(columns[i], firstRuns[i], 0);
      }
      runs.bundles.ForEachRow(y, z, [&](unsigned int row, unsigned int slice) {
        const unsigned int begin = ColumnsBefore - PixelsBefore(this->PixelsOf(y, z, row, slice));
        if constexpr (!VAligned)
        {
          quadLabels = this->LabelsOf(columns[i], firstRuns[i], begin);
        }
        quads[i][slice][row] = QuadOf(pixels[i][slice][row] >> begin, quadLabels, background);
      });
    }
    CCL_UNROLL
    for (unsigned int i = 0; i < QuadsPerCell; ++i)
    {
      runs.bundles.ForEachRow(y, z, [&](unsigned int row, unsigned int slice) {
        this->Write(this->PixelsOf(y, z, row, slice), quadXOf(i), quads[i][slice][row]);
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
    return static_cast<TRun>(runs.RunsThrough(rowBegin, window.word, window.bit) - isCovered);
  }

  /** The labels of four of these columns. */
  CCL_HOST_DEVICE
  QuadLabels<TOutput>
  LabelsOf(unsigned int columns, TRun firstRun, unsigned int begin) const
  {
    QuadLabels<TOutput> result{ background, background, 0 };
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
                      (y * TBundle::Rows + row + static_cast<TRun>(size.y) * (z * TBundle::Slices + slice));
  }

  CCL_HOST_DEVICE
  static unsigned int
  PixelsBefore(const TOutput * pixels)
  {
    return VAligned ? 0 : MisalignmentOf(pixels);
  }

  CCL_HOST_DEVICE
  void
  Write(TOutput * pixels, TRun quadX, const Quad<TOutput> & quad) const
  {
    const auto rowSize = static_cast<TRun>(size.x);
    if constexpr (!VAligned)
    {
      StoreQuad(pixels, rowSize, static_cast<TRun>(quadX - PixelsBefore(pixels)), quad);
    }
    else if (quadX < rowSize)
    {
      *reinterpret_cast<Quad<TOutput> *>(pixels + quadX) = quad;
    }
  }
};

} // namespace RunExpansion

/** Writes all pixels of an image; `labels[run]` is the label of a run. */
template <typename TBundle, typename TRun, typename TOutput, typename TExecutor>
void
ExpandRuns(const TExecutor &                   executor,
           const NumberedRuns<TBundle, TRun> & runs,
           const TRun *                        labels,
           const Grid &                        size,
           TOutput                             background,
           TOutput *                           output)
{
  using namespace RunExpansion;
  if (size.x % 4 == 0 && MisalignmentOf(output) == 0)
  {
    const Expansion<TBundle, TRun, TOutput, true> step{ runs, labels, size, background, output };
    executor.ForEach(step.GetCells(), step);
  }
  else
  {
    const Expansion<TBundle, TRun, TOutput, false> step{ runs, labels, size, background, output };
    executor.ForEach(step.GetCells(), step);
  }
}

} // namespace itk::ccl

#endif
