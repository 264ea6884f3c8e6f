// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_algorithms_runs_RunLabelWriteOut_h
#define ccl_algorithms_runs_RunLabelWriteOut_h

// The label write-out: writes the label of each run to its pixels, four pixels at a time. Runs with NoLabel become
// background. Labels start anew in each image of a stack.

#include "algorithms/runs/ImageRanks.h"
#include "primitives/ImageStack.h"
#include "primitives/LabelValues.h"
#include "primitives/Tuning.h"
#include "primitives/Vec4.h"
#include "primitives/Runs.h"

#include <algorithm>
#include <type_traits>

namespace itk::ccl
{

namespace RunLabelWriteOut
{

/** Kernel functor that writes the label of the run to each foreground pixel, and the background value to other pixels.
 *
 * A cell writes four columns of a row group, Vec4sPerCell times. The next four columns of a cell are 4 * stride columns
 * later, so the threads of a warp write neighboring addresses. If VAligned, all rows start at an aligned
 * address (see MisalignmentOf()). Otherwise, the first Vec4 of each row starts at the last aligned address, 0 to 3
 * pixels before the row. */
template <typename TRowGroup, typename TRun, typename TOutput, bool VAligned>
struct WriteLabels
{
  static constexpr unsigned int Vec4sPerCell = TRowGroup::IsOneRow ? Tuning::Vec4sPerThread : 1;
  static constexpr unsigned int WarpSize = 32;

  IndexedRuns<TRowGroup, TRun> runs;
  RanksOfRuns<TRun>            ranks;
  RanksOfImages<TRun>          imageRanks;
  ImageStack                   stack;
  LabelOfRank<TRun, TOutput>   labelOf;
  StackPixels<TOutput>         output;
  unsigned int                 stride = StrideOf(stack);

  /** Returns the distance between the Vec4s of a cell, in Vec4s. A short row has as few cells as do its work. If runs
   * have values, a constant is faster: its columns are whole words, so all Vec4s of a cell start at one bit of a word.
   */
  static unsigned int
  StrideOf(const ImageStack & images)
  {
    const std::uint64_t cells = DivideUp(VectorsOf(images), Vec4sPerCell);
    return TRowGroup::HasValues ? WarpSize : static_cast<unsigned int>(std::clamp<std::uint64_t>(cells, 1, WarpSize));
  }

  Grid
  GetCells() const
  {
    const Grid & groups = runs.groups.columns.words;
    return { DivideUp(VectorsOf(stack), std::uint64_t{ Vec4sPerCell } * stride) * stride, groups.y, groups.z };
  }

  CCL_HOST_DEVICE
  void
  operator()(const Cell & cell) const
  {
    // TRun can hold the index of each word and pixel of the image, and 32-bit arithmetic is faster.
    const auto y = static_cast<TRun>(cell.y);
    const auto z = static_cast<TRun>(cell.z);
    // If the stride is less than WarpSize, so is cell.x.
    const auto firstVector = static_cast<TRun>(cell.x / WarpSize * (Vec4sPerCell * WarpSize) + cell.x % WarpSize);
    const auto vectorXOf = [this, firstVector](unsigned int i) {
      return 4 * (firstVector + i * (TRowGroup::HasValues ? WarpSize : stride));
    };
    const TRun    columnsBegin = runs.groups.columns.RowBegin(y, z);
    const TRun    image = stack.ImageOf(z * TRowGroup::Slices);
    const TRun    firstRank = imageRanks.FirstOf(image);
    const TOutput background = labelOf.background;
    // The first pixel of the first row.
    TOutput * const first = output.Row(stack, y * TRowGroup::Rows, z * TRowGroup::Slices, image);
    const auto      rowAt = [this, first](unsigned int row, unsigned int slice) {
      return first + row * output.rowStride + slice * output.sliceStride;
    };

    // Separate loops let the loads of all Vec4s overlap. A label takes a chain of loads, so all bits are loaded first.
    Window       windows[Vec4sPerCell];
    unsigned int columns[Vec4sPerCell];
    unsigned int starts[Vec4sPerCell] = {}; // of runs that have values
    unsigned int pixels[Vec4sPerCell][TRowGroup::Slices][TRowGroup::Rows] = {};
    CCL_UNROLL
    for (unsigned int i = 0; i < Vec4sPerCell; ++i)
    {
      windows[i] = Window(vectorXOf(i) - ColumnsBefore, static_cast<TRun>(stack.size.x));
      columns[i] = BitsOf(windows[i], runs.groups.columns.bits, columnsBegin);
      if constexpr (TRowGroup::HasValues)
      {
        starts[i] = BitsOf(windows[i], runs.groups.columns.starts, columnsBegin);
      }
      runs.groups.ForEachRow(y, z, [&](unsigned int row, unsigned int slice) {
        pixels[i][slice][row] = TRowGroup::IsOneRow
                                  ? columns[i]
                                  : BitsOf(windows[i], runs.groups.rows.bits, runs.groups.RowBegin(y, z, row, slice));
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
        vectorLabels = this->LabelsOf(columns[i], starts[i], firstRuns[i], 0, firstRank);
      }
      runs.groups.ForEachRow(y, z, [&](unsigned int row, unsigned int slice) {
        const unsigned int begin = ColumnsBefore - PixelsBefore(rowAt(row, slice));
        if constexpr (!VAligned)
        {
          vectorLabels = this->LabelsOf(columns[i], starts[i], firstRuns[i], begin, firstRank);
        }
        vectors[i][slice][row] = MakeVec4(pixels[i][slice][row] >> begin, vectorLabels, background);
      });
    }
    CCL_UNROLL
    for (unsigned int i = 0; i < Vec4sPerCell; ++i)
    {
      runs.groups.ForEachRow(y, z, [&](unsigned int row, unsigned int slice) {
        if (stack.HasPixels(z * TRowGroup::Slices + slice, image))
        {
          this->Write(rowAt(row, slice), vectorXOf(i), vectors[i][slice][row]);
        }
      });
    }
  }

private:
  /** Returns the number of Vec4s of a row. */
  static std::uint64_t
  VectorsOf(const ImageStack & images)
  {
    return DivideUp(images.size.x, 4) + !VAligned;
  }

  /** Columns before the four columns. The Vec4 of a row may include some of them: it starts up to 3 pixels earlier. */
  static constexpr unsigned int ColumnsBefore = VAligned ? 0 : 3;

  /** The bits of four columns and of the ColumnsBefore columns before them. */
  using Window = BitWindow<TRun, ColumnsBefore + 4, ColumnsBefore>;

  /** Returns the bits of a window of a row, or of a row group, whose words begin at `rowBegin`. */
  CCL_HOST_DEVICE
  static unsigned int
  BitsOf(const Window & window, const Word * bits, TRun rowBegin)
  {
    const TRun word = rowBegin + window.word;
    return window.Extract(bits[word], window.hasNext ? bits[word + 1] : 0);
  }

  /** Returns the first run in a window of columns. `columns` has the window's bits. If the window is empty, the result
   * has no meaning. */
  CCL_HOST_DEVICE
  TRun
  FirstRunOf(const Window & window, TRun rowBegin, unsigned int columns) const
  {
    // The loads below serve all rows of a row group, so they are rarely in vain. A test would make them wait for the
    // bits.
    if (TRowGroup::IsOneRow && columns == 0)
    {
      return 0;
    }
    // This is the run that covers the first column of the window, or else the first run that starts after it.
    const bool isCovered = columns >> window.skipped & 1U;
    return static_cast<TRun>(runs.CountRunsThrough(rowBegin, window.word, window.bit) - isCovered);
  }

  /** Returns the labels of four columns of a window, from bit `begin` of the window on. `firstRun` is the first run in
   * the window, and `firstRank` the first rank of the image. */
  CCL_HOST_DEVICE
  Vec4Labels<TOutput>
  LabelsOf(unsigned int                  columns,
           [[maybe_unused]] unsigned int starts,
           TRun                          firstRun,
           unsigned int                  begin,
           TRun                          firstRank) const
  {
    if constexpr (TRowGroup::HasValues)
    {
      return this->LabelsOfValues(columns, starts, firstRun, begin, firstRank);
    }
    else
    {
      return this->LabelsOfTwo(columns, firstRun, begin, firstRank);
    }
  }

  /** Does the same if four columns may have four runs. `starts` has the bits at which runs start. */
  CCL_HOST_DEVICE
  Vec4Labels<TOutput>
  LabelsOfValues(unsigned int columns, unsigned int starts, TRun firstRun, unsigned int begin, TRun firstRank) const
  {
    Vec4Labels<TOutput> result{};
    if ((columns >> begin & 15U) == 0)
    {
      return result;
    }
    // The first run starts before the window, or at its first foreground column.
    const TRun before = firstRun - (starts >> LowestBit(Word{ columns }) & 1U);
    TOutput    label{};
    bool       isKnown = false;
    CCL_UNROLL
    for (unsigned int i = 0; i < 4; ++i)
    {
      const unsigned int bit = begin + i;
      if ((columns >> bit & 1U) != 0 && (!isKnown || (starts >> bit & 1U) != 0))
      {
        label = labelOf(ranks[before + CountBits(Word{ starts } & BitsThrough(bit))], firstRank);
        isKnown = true;
      }
      result.ofColumns[i] = label;
    }
    return result;
  }

  /** Does the same if four columns have at most two runs. */
  CCL_HOST_DEVICE
  Vec4Labels<TOutput>
  LabelsOfTwo(unsigned int columns, TRun firstRun, unsigned int begin, TRun firstRank) const
  {
    Vec4Labels<TOutput> result{};
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
    const TOutput label = labelOf(ranks[run], firstRank);
    CCL_UNROLL
    for (TOutput & each : result.ofColumns)
    {
      each = label;
    }
    const unsigned int secondStart = SecondStart(four);
    if (secondStart != 0)
    {
      const TOutput second = labelOf(ranks[run + 1], firstRank);
      CCL_UNROLL
      for (unsigned int i = 0; i < 4; ++i)
      {
        result.ofColumns[i] = (0U - secondStart) >> i & 1U ? second : label;
      }
    }
    return result;
  }

  /** Returns the distance in pixels from the first Vec4 of a row to the row. */
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
    const auto rowSize = static_cast<TRun>(stack.size.x);
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

/** Writes all pixels of a stack. The first rank of each image gets the first label. */
template <typename TRowGroup, typename TRun, typename TOutput, typename TExecutor>
void
WriteRunLabels(const TExecutor &                    executor,
               const IndexedRuns<TRowGroup, TRun> & runs,
               const RanksOfRuns<TRun> &            ranks,
               const RanksOfImages<TRun> &          imageRanks,
               const ImageStack &                   stack,
               const LabelValues &                  labelValues,
               const StackPixels<TOutput> &         output)
{
  using namespace RunLabelWriteOut;
  const LabelOfRank<TRun, TOutput> labelOf(labelValues);
  const bool                       isAligned =
    output.isContiguous || (output.rowStride % 4 == 0 && output.sliceStride % 4 == 0 && output.imageStride % 4 == 0);
  const auto write = [&](auto aligned) {
    const WriteLabels<TRowGroup, TRun, TOutput, decltype(aligned)::value> functor{ runs,  ranks,   imageRanks,
                                                                                   stack, labelOf, output };
    executor.ForEach(functor.GetCells(), functor);
  };
  const bool areRowsAligned = stack.size.x % 4 == 0 && isAligned && MisalignmentOf(output.pixels) == 0;
  areRowsAligned ? write(std::true_type{}) : write(std::false_type{});
}

} // namespace itk::ccl

#endif
