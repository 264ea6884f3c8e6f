// SPDX-License-Identifier: Apache-2.0
#ifndef DenseImages_h
#define DenseImages_h

// Steps of the library for one image without gaps, for tests and the benchmark.

#include "algorithms/runs/PackForeground.h"
#include "algorithms/runs/RunLabelWriteOut.h"

namespace itk::ccl
{

/** Packs an image of bytes. Bytes that are not 0 are foreground, or those that are 0. */
template <typename TRowGroup, typename TExecutor>
GroupedBits<TRowGroup, TExecutor>
PackRowGroups(const TExecutor &    executor,
              const std::uint8_t * pixels,
              const Grid &         size,
              Word *               bits,
              bool                 isComplement = false)
{
  const Foreground                  foreground = Foreground::NotZero(PixelType::UInt8);
  GroupedBits<TRowGroup, TExecutor> grouped(executor, size, bits);
  PackRowGroups(executor,
                StackPixels<const std::uint8_t>::Of(pixels, size),
                size,
                PixelType::UInt8,
                isComplement ? foreground.Inverted() : foreground,
                bits,
                grouped);
  return grouped;
}

/** Writes the labels of an image. */
template <typename TRowGroup, typename TRun, typename TOutput, typename TExecutor>
void
WriteRunLabels(const TExecutor &                    executor,
               const IndexedRuns<TRowGroup, TRun> & runs,
               const RanksOfRuns<TRun> &            ranks,
               const Grid &                         size,
               const LabelValues &                  labelValues,
               TOutput *                            output)
{
  WriteRunLabels<TRowGroup, TRun, TOutput>(
    executor, runs, ranks, {}, size, labelValues, StackPixels<TOutput>::Of(output, size));
}

} // namespace itk::ccl

#endif
