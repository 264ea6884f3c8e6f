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
    const Place         bundle{ static_cast<TRun>(cell.y), static_cast<TRun>(cell.z) };
    const std::uint64_t firstQuad = cell.x / Stride * (QuadsPerCell * Stride) + cell.x % Stride;
    const auto          quadXOf = [firstQuad](unsigned int i) {
      return static_cast<std::int64_t>(4 * (firstQuad + i * Stride));
    };
    // Bits first: they need not wait for labels, which take more than one access to memory.
    unsigned int windows[QuadsPerCell][TBundle::Slices][TBundle::Rows] = {};
    CCL_UNROLL
    for (unsigned int i = 0; i < QuadsPerCell; ++i)
    {
      runs.bundles.ForEachRow(bundle.y, bundle.z, [&](unsigned int row, unsigned int slice) {
        windows[i][slice][row] =
          this->WindowOfRow(bundle, row, slice, quadXOf(i) - this->PixelsBefore(bundle, row, slice));
      });
    }
    Quad<TOutput> quads[QuadsPerCell][TBundle::Slices][TBundle::Rows];
    CCL_UNROLL
    for (unsigned int i = 0; i < QuadsPerCell; ++i)
    {
      QuadLabels<TOutput> quadLabels{};
      if constexpr (VAligned)
      {
        quadLabels = this->LabelsAt(bundle, quadXOf(i));
      }
      runs.bundles.ForEachRow(bundle.y, bundle.z, [&](unsigned int row, unsigned int slice) {
        if constexpr (!VAligned)
        {
          quadLabels = this->LabelsAt(bundle, quadXOf(i) - this->PixelsBefore(bundle, row, slice));
        }
        quads[i][slice][row] = QuadOf(windows[i][slice][row], quadLabels, background);
      });
    }
    CCL_UNROLL
    for (unsigned int i = 0; i < QuadsPerCell; ++i)
    {
      runs.bundles.ForEachRow(bundle.y, bundle.z, [&](unsigned int row, unsigned int slice) {
        StoreQuad(this->PixelsOf(bundle, row, slice),
                  static_cast<std::int64_t>(size.x),
                  quadXOf(i) - this->PixelsBefore(bundle, row, slice),
                  quads[i][slice][row]);
      });
    }
  }

private:
  /** Where a bundle lies. An image has less words, and pixels, than TRun can count: 32 bits are faster. */
  struct Place
  {
    TRun y;
    TRun z;
  };

  CCL_HOST_DEVICE
  TOutput *
  PixelsOf(const Place & bundle, unsigned int row, unsigned int slice) const
  {
    return output + static_cast<TRun>(size.x) * (bundle.y * TBundle::Rows + row +
                                                 static_cast<TRun>(size.y) * (bundle.z * TBundle::Slices + slice));
  }

  CCL_HOST_DEVICE
  unsigned int
  PixelsBefore(const Place & bundle, unsigned int row, unsigned int slice) const
  {
    return VAligned ? 0 : MisalignmentOf(this->PixelsOf(bundle, row, slice));
  }

  /** The four bits of a row from x on, which may lie before the row. A row begins and ends with background. */
  CCL_HOST_DEVICE
  static unsigned int
  WindowAt(const BitRows & rows, std::uint64_t rowBegin, std::int64_t x)
  {
    const std::uint64_t begin = x < 0 ? 0 : static_cast<std::uint64_t>(x);
    const unsigned int  bit = begin % BitsPerWord;
    const Word          here = rows.bits[rowBegin + begin / BitsPerWord];
    const Word          next = !VAligned && bit > BitsPerWord - 4 ? rows.WordAt(rowBegin, begin / BitsPerWord + 1) : 0;
    const auto          window = static_cast<unsigned int>((std::uint64_t{ next } << BitsPerWord | here) >> bit);
    return window << (static_cast<std::int64_t>(begin) - x) & 15U;
  }

  CCL_HOST_DEVICE
  QuadLabels<TOutput>
  LabelsAt(const Place & bundle, std::int64_t x) const
  {
    QuadLabels<TOutput> result{ background, background, 0 };
    const BitRows &     columns = runs.bundles.columns;
    const TRun          rowBegin = columns.RowBegin(bundle.y, bundle.z);
    const unsigned int  window = x < static_cast<std::int64_t>(size.x) ? WindowAt(columns, rowBegin, x) : 0;
    if (window == 0)
    {
      return result;
    }
    const std::uint64_t begin = x < 0 ? 0 : static_cast<std::uint64_t>(x);
    const unsigned int  skipped = static_cast<unsigned int>(static_cast<std::int64_t>(begin) - x);
    const auto          run = runs.RunAfter(rowBegin, begin, LowestBit(Word{ window }) - skipped);
    result.first = static_cast<TOutput>(labels[run]);
    result.secondStart = SecondStart(window);
    if (result.secondStart != 0)
    {
      result.second = static_cast<TOutput>(labels[run + 1]);
    }
    return result;
  }

  CCL_HOST_DEVICE
  unsigned int
  WindowOfRow(const Place & bundle, unsigned int row, unsigned int slice, std::int64_t x) const
  {
    return x < static_cast<std::int64_t>(size.x)
             ? WindowAt(runs.bundles.rows, runs.bundles.RowBegin(bundle.y, bundle.z, row, slice), x)
             : 0;
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
