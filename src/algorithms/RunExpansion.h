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
    const std::uint64_t firstQuad = cell.x / Stride * (QuadsPerCell * Stride) + cell.x % Stride;
    Quad<TOutput>       quads[QuadsPerCell][TBundle::Slices][TBundle::Rows];
    CCL_UNROLL
    for (unsigned int i = 0; i < QuadsPerCell; ++i)
    {
      const auto          quadX = static_cast<std::int64_t>(4 * (firstQuad + i * Stride));
      QuadLabels<TOutput> quadLabels{};
      if constexpr (VAligned)
      {
        quadLabels = this->LabelsAt(cell, quadX);
      }
      runs.bundles.ForEachRow(cell.y, cell.z, [&](unsigned int row, unsigned int slice) {
        const std::int64_t x = quadX - this->PixelsBefore(cell, row, slice);
        if constexpr (!VAligned)
        {
          quadLabels = this->LabelsAt(cell, x);
        }
        quads[i][slice][row] = this->QuadAt(cell, row, slice, x, quadLabels);
      });
    }
    CCL_UNROLL
    for (unsigned int i = 0; i < QuadsPerCell; ++i)
    {
      runs.bundles.ForEachRow(cell.y, cell.z, [&](unsigned int row, unsigned int slice) {
        const auto quadX = static_cast<std::int64_t>(4 * (firstQuad + i * Stride));
        StoreQuad(this->PixelsOf(cell, row, slice),
                  static_cast<std::int64_t>(size.x),
                  quadX - this->PixelsBefore(cell, row, slice),
                  quads[i][slice][row]);
      });
    }
  }

private:
  CCL_HOST_DEVICE
  TOutput *
  PixelsOf(const Cell & bundle, unsigned int row, unsigned int slice) const
  {
    return output + IndexOf(size, { 0, bundle.y * TBundle::Rows + row, bundle.z * TBundle::Slices + slice });
  }

  CCL_HOST_DEVICE
  unsigned int
  PixelsBefore(const Cell & bundle, unsigned int row, unsigned int slice) const
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
  LabelsAt(const Cell & bundle, std::int64_t x) const
  {
    QuadLabels<TOutput> result{ background, background, 0 };
    const BitRows &     columns = runs.bundles.columns;
    const std::uint64_t rowBegin = columns.RowBegin(bundle.y, bundle.z);
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
  Quad<TOutput>
  QuadAt(const Cell &                bundle,
         unsigned int                row,
         unsigned int                slice,
         std::int64_t                x,
         const QuadLabels<TOutput> & quadLabels) const
  {
    unsigned int window = 0;
    if (x < static_cast<std::int64_t>(size.x))
    {
      window = WindowAt(runs.bundles.rows, runs.bundles.RowBegin(bundle.y, bundle.z, row, slice), x);
    }
    Quad<TOutput> quad;
    CCL_UNROLL
    for (unsigned int i = 0; i < 4; ++i)
    {
      quad.pixels[i] = window >> i & 1U ? quadLabels.At(i) : background;
    }
    return quad;
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
