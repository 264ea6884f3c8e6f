// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_algorithms_blocks_BlockPixels_h
#define ccl_algorithms_blocks_BlockPixels_h

// What a block keeps of its pixels, without an image of labels.

#include "algorithms/blocks/BlockGrid.h"
#include "algorithms/runs/HostRows.h"
#include "primitives/Atomics.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>

namespace itk::ccl
{

/** Stores the first pixel of each component, as an index in the block. Also stores 1 + the rank of the component of
 * each pixel of the faces beyond which the image goes on, and 0 in the background. */
template <typename TRun>
void
StoreBlockPixels(const ParallelFor &     parallelFor,
                 const HostRows &        bits,
                 const HostRanks<TRun> & ranks,
                 std::uint64_t           componentCount,
                 Block &                 block)
{
  const auto & size = block.size;
  block.firstPixels.assign(componentCount, std::numeric_limits<std::uint64_t>::max());
  std::array<std::uint32_t *, 6> faces{};
  ForEachInnerFace(block, [&](unsigned int axis, bool isUpper) {
    const auto [u, v] = AxesOfFace(axis);
    auto & face = block.faces[FaceNumber(axis, isUpper)];
    face.resize(size[u] * size[v]);
    faces[FaceNumber(axis, isUpper)] = face.data();
  });
  const ImageStack stack({ size[0], size[1], size[2] }, 1, bits.slicesOfGroup);
  VisitLabeledRows(parallelFor, bits, ranks, stack, [&](std::uint64_t) {
    return [&](std::uint64_t row, std::uint64_t, const auto & visitRuns) {
      const std::uint64_t y = row % size[1];
      const std::uint64_t z = row / size[1];
      // The row in the faces that it belongs to.
      std::array<std::uint32_t *, 4> targets{};
      unsigned int                   targetCount = 0;
      const auto                     addTarget = [&](std::uint32_t * face, bool isInFace, std::uint64_t rowOfFace) {
        if (face != nullptr && isInFace)
        {
          targets[targetCount++] = face + rowOfFace * size[0];
        }
      };
      addTarget(faces[2], y == 0, z);
      addTarget(faces[3], y == size[1] - 1, z);
      addTarget(faces[4], z == 0, y);
      addTarget(faces[5], z == size[2] - 1, y);
      visitRuns([&](std::uint64_t begin, std::uint64_t end, TRun rank) {
        const auto          label = static_cast<std::uint32_t>(rank + 1);
        const std::uint64_t pixel = row * size[0] + begin;
        std::uint64_t &     firstPixel = block.firstPixels[rank];
        if (pixel < Load(&firstPixel))
        {
          AtomicMin(&firstPixel, pixel);
        }
        if (faces[0] != nullptr && begin == 0)
        {
          faces[0][row] = label;
        }
        if (faces[1] != nullptr && end == size[0])
        {
          faces[1][row] = label;
        }
        for (unsigned int i = 0; i < targetCount; ++i)
        {
          std::fill(targets[i] + begin, targets[i] + end, label);
        }
      });
    };
  });
}

} // namespace itk::ccl

#endif
