// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_algorithms_published_HardwareAcceleratedFeatures_h
#define ccl_algorithms_published_HardwareAcceleratedFeatures_h

// The component analysis of HA4 and HA8 (hardware accelerated): Hennequin, Lacassagne, Cabaret and Meunier, "A new
// Direct Connected Component Labeling and Analysis Algorithms for GPUs", DASIP 2018, Section IV-D and Algorithm 6.
// HardwareAccelerated.h has the two kernels that come first, and the terms.
//
// Instead of Relabeling, the start of each segment finds its root, computes the features of its segment from the mask,
// and adds them to the features of the root. No labels are written. The filter does not use this: AnalyzeRuns.h also
// selects components, and adds the values of many segments before it changes memory.
//
// Extra memory: the image of labels, for the trees. The caller allocates it, and the features, which have an element
// for each pixel. A component has the element of its first pixel.
//
// Departures:
// - Sums have 64 bits. The paper has planes of 2048 x 2048 pixels. In larger ones, the sum of x may exceed 32 bits.
// - The paper does not say how the features get their first values. FeatureClearing does this, at roots only.
// - Volumes are not in the paper. In a volume, the features also have z.
// There is no race in FeatureClearing and Features: they only read labels, and Features adds by atomic operations.

#include "algorithms/published/ComponentFeatures.h"
#include "algorithms/published/HardwareAccelerated.h"

namespace itk::ccl
{

namespace HardwareAccelerated
{

inline constexpr unsigned int FeatureThreads = RowsPerStrip * LanesPerWarp;

/** The images that both kernels share. A warp owns a chunk. */
template <unsigned int VDimension, typename TMask, typename TLabel>
struct FeatureImages
{
  Grid                                  size;
  const std::uint8_t *                  input;
  const TLabel *                        labels;
  ComponentFeatures<VDimension, TLabel> features;

  /** Returns the first pixel of the chunk of each thread's warp. After the last chunk, z exceeds the image. */
  CCL_NO_EXECUTION_CHECK
  template <typename TThreadBlock>
  CCL_HOST_DEVICE
  typename TThreadBlock::template PerThread<Cell>
  FirstPixels(const TThreadBlock & threadBlock) const
  {
    typename TThreadBlock::template PerThread<Cell> pixels;
    threadBlock.ForEachThread([&](unsigned int thread) {
      Cell & pixel = pixels[thread];
      pixel = ChunkAt<TMask>(size, (threadBlock.GetIndex() * FeatureThreads + thread) / LanesPerWarp);
      pixel.z = Divide(pixel.y, size.y);
      pixel.y -= pixel.z * size.y;
    });
    return pixels;
  }

  /** Returns whether a column of a chunk lies in the image. */
  CCL_HOST_DEVICE
  bool
  Contains(const Cell & firstPixel, unsigned int column) const
  {
    return firstPixel.x + column < size.x && firstPixel.z < size.z;
  }

  /** Returns the mask of the chunk of each thread's warp. */
  CCL_NO_EXECUTION_CHECK
  template <typename TThreadBlock, typename TCells>
  CCL_HOST_DEVICE
  typename TThreadBlock::template PerThread<TMask>
  Masks(const TThreadBlock & threadBlock, const TCells & firstPixels) const
  {
    return BallotPixels<TMask>(threadBlock, [&](unsigned int thread, unsigned int column) {
      const Cell & firstPixel = firstPixels[thread];
      return this->Contains(firstPixel, column) && input[IndexOf(size, firstPixel) + column] != 0;
    });
  }
};

/** Sets the features of roots to the features of no pixel, and the pixel counts of all pixels to 0. */
template <unsigned int VDimension, typename TMask, typename TLabel>
struct FeatureClearing
{
  static constexpr unsigned int Threads = FeatureThreads;

  using SharedMemory = NoSharedMemory;

  FeatureImages<VDimension, TMask, TLabel> images;

  CCL_NO_EXECUTION_CHECK
  template <typename TThreadBlock>
  CCL_HOST_DEVICE
  void
  operator()(const TThreadBlock & threadBlock, SharedMemory &) const
  {
    const auto firstPixels = images.FirstPixels(threadBlock);
    const auto masks = images.Masks(threadBlock, firstPixels);
    threadBlock.ForEachThread([&](unsigned int thread) {
      const auto &        features = images.features;
      const Cell &        firstPixel = firstPixels[thread];
      const std::uint64_t index = IndexOf(images.size, firstPixel);
      const unsigned int  lane = thread % LanesPerWarp;
      for (unsigned int column = lane; column < ColumnCount<TMask>; column += LanesPerWarp)
      {
        if (images.Contains(firstPixel, column))
        {
          features.pixelCounts[index + column] = 0;
        }
      }
      VisitStart(masks[thread], lane, [&](unsigned int column) {
        const auto start = static_cast<TLabel>(index + column);
        if (images.labels[start] != start + 1)
        {
          return;
        }
        CCL_UNROLL
        for (unsigned int axis = 0; axis < VDimension; ++axis)
        {
          features.sums[axis][start] = 0;
          features.minimums[axis][start] = static_cast<TLabel>(~TLabel{ 0 });
          features.maximums[axis][start] = 0;
        }
      });
    });
  }
};

/** Adds the features of each segment to the features of its root. */
template <unsigned int VDimension, typename TMask, typename TLabel>
struct Features
{
  static constexpr unsigned int Threads = FeatureThreads;

  using SharedMemory = NoSharedMemory;

  FeatureImages<VDimension, TMask, TLabel> images;

  CCL_NO_EXECUTION_CHECK
  template <typename TThreadBlock>
  CCL_HOST_DEVICE
  void
  operator()(const TThreadBlock & threadBlock, SharedMemory &) const
  {
    const auto firstPixels = images.FirstPixels(threadBlock);
    const auto masks = images.Masks(threadBlock, firstPixels);
    threadBlock.ForEachThread([&](unsigned int thread) {
      VisitStart(masks[thread], thread % LanesPerWarp, [&](unsigned int column) {
        Cell start = firstPixels[thread];
        start.x += column;
        this->AddSegment(start, EndDistance(masks[thread], column));
      });
    });
  }

private:
  /** Adds the features of a segment of `count` pixels. */
  CCL_HOST_DEVICE
  void
  AddSegment(const Cell & start, std::uint64_t count) const
  {
    const auto   element = static_cast<TLabel>(IndexOf(images.size, start) + 1);
    const TLabel root = Find(LabelsAsParents<const TLabel>{ images.labels }, element) - 1;
    AtomicAdd(images.features.pixelCounts + root, static_cast<TLabel>(count));
    this->AddAlongAxis(0, root, (2 * start.x + count - 1) * count / 2, start.x, start.x + count - 1);
    this->AddAlongAxis(1, root, start.y * count, start.y, start.y);
    if constexpr (VDimension == 3)
    {
      this->AddAlongAxis(2, root, start.z * count, start.z, start.z);
    }
  }

  CCL_HOST_DEVICE
  void
  AddAlongAxis(unsigned int axis, TLabel root, std::uint64_t sum, std::uint64_t minimum, std::uint64_t maximum) const
  {
    AtomicAdd(images.features.sums[axis] + root, sum);
    AtomicMin(images.features.minimums[axis] + root, static_cast<TLabel>(minimum));
    AtomicMax(images.features.maximums[axis] + root, static_cast<TLabel>(maximum));
  }
};

/** Measures the components of a plane or a volume of one byte per pixel. Foreground pixels are not 0. `labels` is
 * memory for the trees, one element for each pixel. Allocates no memory.
 * \tparam TMask std::uint32_t for one pixel per thread, or std::uint64_t for two. */
template <unsigned int VDimension, typename TMask, typename TLabel, typename TExecutor>
void
Measure(const TExecutor &                             executor,
        const std::uint8_t *                          input,
        const Grid &                                  size,
        bool                                          fullyConnected,
        TLabel *                                      labels,
        const ComponentFeatures<VDimension, TLabel> & features)
{
  UniteSegments<VDimension, TMask>(executor, input, size, fullyConnected, labels);
  const FeatureImages<VDimension, TMask, TLabel> images{ size, input, labels, features };
  const std::uint64_t                            chunks = CountChunks<TMask>(size, size.y * size.z);
  const std::uint64_t                            threadBlocks = DivideUp(chunks, FeatureThreads / LanesPerWarp);
  executor.ForEachThreadBlock(threadBlocks, FeatureClearing<VDimension, TMask, TLabel>{ images });
  executor.ForEachThreadBlock(threadBlocks, Features<VDimension, TMask, TLabel>{ images });
}

} // namespace HardwareAccelerated

} // namespace itk::ccl

#endif
