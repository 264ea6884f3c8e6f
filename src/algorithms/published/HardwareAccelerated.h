// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_algorithms_published_HardwareAccelerated_h
#define ccl_algorithms_published_HardwareAccelerated_h

// HA4 and HA8 (hardware accelerated), for 4- and 8-connectivity, and for 6- and 26-connectivity of volumes.
// HA4: Hennequin, Lacassagne, Cabaret and Meunier, "A new Direct Connected Component Labeling and Analysis Algorithms
// for GPUs", DASIP 2018, Section IV. HA8: Bolelli, Allegretti, Lumetti and Grana, "A State-of-the-Art Review With Code
// About Connected Components Labeling on GPUs", IEEE TPDS, 2024 ("the review"), Section III-B6.
//
// A warp handles a chunk: 32 or 64 neighboring pixels of a row, as a mask of bits that all its threads know by a
// ballot. A segment is a maximal sequence of foreground pixels in a chunk. The image of labels is the array of parents.
// Its elements are the starts of segments, so labels of other pixels have no value before the last kernel.
// HardwareAcceleratedChunks.h has the operators of Algorithm 1. Union() is the paper's merge (Algorithm 2).
// 1. StripLabeling (Algorithm 3): a thread block owns a strip of 4 rows, and a warp a row. It walks along the width,
//    chunk by chunk. It links starts to the start of the whole run, and unites each row with the row above, whose mask
//    it reads from shared memory.
// 2. BorderMerging (Algorithm 4): unites the first row of each strip with the last row of the strip above.
// 3. Relabeling (Algorithm 5): the start of each segment finds its root, and passes it to the segment by shuffles.
// HardwareAcceleratedFeatures.h replaces Relabeling by the component analysis of the paper.
//
// Extra memory: none.
//
// Departures:
// - Restriction, mended: the paper assumes that the width is a multiple of 32. Here, every width is allowed.
// - Chunks of 64 pixels (Section IV-E) are the default: each thread loads two pixels, and two ballots are recombined. A
//   thread then has two columns, and one of them at most starts a segment. The operators take this column, so they need
//   not adjust it as in Algorithm 7.
// - If another thread has linked a root first, Union() searches both roots again. The paper's merge goes on from the
//   parent that it has replaced.
// - Race, mended: Algorithm 3 has one mask of each row in shared memory. A warp may overwrite it before the warp of the
//   next row has read it. Here, shared memory has two masks of each row, in turn.
// - Diagonal neighbors are united in the column of their right pixel, so no kernel needs the chunk to the right. HA8
//   unites a start with its left diagonal neighbor in any case. ColumnsToUnite leaves this union out if the straight
//   neighbor of the start is foreground, because the straight union then joins the same runs.
// - In BorderMerging, a warp shares whole masks with the warp of the next chunk, and not only the last pixels as in the
//   review, because that warp also needs the start of the segment that ends there. The first warp of a thread block
//   only loads masks for the second one. No thread block covers more than 1024 pixels, as in the review.
// - Labels are 1 + raster indices from the start, so that Relabeling may overwrite a parent by its root.
// - Volumes are not in the papers. In a volume, BorderMerging also unites each row with the rows of the previous slice.
// Race, allowed: the race of Union() and, in Relabeling, the race of Compress(), see UnionFind.h.

#include "algorithms/published/HardwareAcceleratedChunks.h"
#include "algorithms/published/PublishedTypes.h"
#include "executors/Executor.h"
#include "primitives/Grid.h"
#include "primitives/UnionFind.h"

#include "itkCudaConnectedComponentsEnums.h"

namespace itk::ccl
{

namespace HardwareAccelerated
{

inline constexpr unsigned int RowsPerStrip = 4;

/** Labels the strips. Each start of a segment gets 1 + the raster index of its parent. */
template <typename TMask, typename TLabel>
struct StripLabeling
{
  static constexpr unsigned int Threads = RowsPerStrip * LanesPerWarp;

  struct SharedMemory
  {
    TMask pixels[2][RowsPerStrip]; // of the chunk at an even and at an odd step
  };

  Grid                 size;
  const std::uint8_t * input;
  TLabel *             labels;
  bool                 fullyConnected;

  /** Returns the number of strips of an image. A strip lies in one slice. */
  static std::uint64_t
  CountStrips(const Grid & image)
  {
    return DivideUp(image.y, RowsPerStrip) * image.z;
  }

  CCL_NO_EXECUTION_CHECK
  template <typename TThreadBlock>
  CCL_HOST_DEVICE
  void
  operator()(const TThreadBlock & threadBlock, SharedMemory & memory) const
  {
    const std::uint64_t stripsInSlice = DivideUp(size.y, RowsPerStrip);
    const std::uint64_t z = Divide(threadBlock.GetIndex(), stripsInSlice);
    const std::uint64_t firstY = (threadBlock.GetIndex() - z * stripsInSlice) * RowsPerStrip;
    const std::uint64_t firstPixel = IndexOf(size, { 0, firstY, z });

    typename TThreadBlock::template PerThread<TLabel> before;      // of the thread's row
    typename TThreadBlock::template PerThread<TLabel> beforeAbove; // of the row above
    threadBlock.ForEachThread([&](unsigned int thread) { before[thread] = beforeAbove[thread] = 0; });
    unsigned int step = 0;
    for (std::uint64_t x = 0; x < size.x; x += ColumnCount<TMask>, step ^= 1U)
    {
      const auto pixels = BallotPixels<TMask>(threadBlock, [&](unsigned int thread, unsigned int column) {
        const unsigned int row = thread / LanesPerWarp;
        return firstY + row < size.y && x + column < size.x && input[firstPixel + size.x * row + x + column] != 0;
      });
      threadBlock.ForEachThread([&](unsigned int thread) {
        const unsigned int row = thread / LanesPerWarp;
        const unsigned int lane = thread % LanesPerWarp;
        const auto         index = static_cast<TLabel>(firstPixel + size.x * row + x);
        VisitStart(pixels[thread], lane, [&](unsigned int column) {
          labels[index + column] = index + column - (column == 0 ? before[thread] : 0) + 1;
        });
        if (lane == 0)
        {
          memory.pixels[step][row] = pixels[thread];
        }
      });
      threadBlock.Synchronize();
      threadBlock.ForEachThread([&](unsigned int thread) {
        const unsigned int         row = thread / LanesPerWarp;
        const auto                 index = static_cast<TLabel>(firstPixel + size.x * row + x);
        const Chunk<TMask, TLabel> own{ pixels[thread], before[thread] };
        const Chunk<TMask, TLabel> above{ row == 0 ? 0 : memory.pixels[step][row - 1], beforeAbove[thread] };
        UniteRows(
          labels, thread % LanesPerWarp, own, index, above, static_cast<TLabel>(index - size.x), fullyConnected);
        before[thread] = own.BeforeNext();
        beforeAbove[thread] = above.BeforeNext();
      });
    }
  }
};

/** Unites the first row of each strip with the row above. In a volume, also unites each row with its neighbors in the
 * previous slice. */
template <unsigned int VDimension, typename TMask, typename TLabel>
struct BorderMerging
{
  static constexpr unsigned int PixelsPerLine = 1024; // that the masks of a thread block cover, as in the review
  static constexpr unsigned int Warps = PixelsPerLine / ColumnCount<TMask>;
  static constexpr unsigned int Threads = Warps * LanesPerWarp;
  static constexpr unsigned int MaximumRows = VDimension == 2 ? 2 : 5;

  struct SharedMemory
  {
    TMask pixels[MaximumRows][Warps]; // of the row itself, and of the rows to unite it with
  };

  Grid                 size;
  const std::uint8_t * input;
  TLabel *             labels;
  bool                 fullyConnected;

  /** Returns the number of thread blocks for an image. */
  static std::uint64_t
  CountThreadBlocks(const Grid & image)
  {
    const std::uint64_t rows = VDimension == 2 ? DivideUp(image.y, RowsPerStrip) - 1 : image.y * image.z;
    return DivideUp(CountChunks<TMask>(image, rows), Warps - 1);
  }

  CCL_NO_EXECUTION_CHECK
  template <typename TThreadBlock>
  CCL_HOST_DEVICE
  void
  operator()(const TThreadBlock & threadBlock, SharedMemory & memory) const
  {
    const unsigned int rowCount = VDimension == 2 ? 2 : fullyConnected ? 5 : 3;

    typename TThreadBlock::template PerThread<Cell> firstPixels; // of the chunks
    threadBlock.ForEachThread([&](unsigned int thread) {
      firstPixels[thread] = this->FirstPixelOf(threadBlock.GetIndex() * (Warps - 1) + thread / LanesPerWarp);
    });
    for (unsigned int row = 0; row < rowCount; ++row)
    {
      const auto pixels = BallotPixels<TMask>(threadBlock, [&](unsigned int thread, unsigned int column) {
        const Cell & pixel = firstPixels[thread];
        return pixel.x + column < size.x && this->HasRow(pixel, row) &&
               input[this->IndexInRow(pixel, row) + column] != 0;
      });
      threadBlock.ForEachThread([&](unsigned int thread) {
        if (thread % LanesPerWarp == 0)
        {
          memory.pixels[row][thread / LanesPerWarp] = pixels[thread];
        }
      });
    }
    threadBlock.Synchronize();
    threadBlock.ForEachThread([&](unsigned int thread) {
      const unsigned int warp = thread / LanesPerWarp;
      const Cell &       pixel = firstPixels[thread];
      if (warp == 0)
      {
        return;
      }
      const auto chunkOf = [&](unsigned int row) {
        const Chunk<TMask, TLabel> previous{ pixel.x == 0 ? 0 : memory.pixels[row][warp - 1], 0 };
        return Chunk<TMask, TLabel>{ memory.pixels[row][warp], previous.BeforeNext() };
      };
      const Chunk<TMask, TLabel> own = chunkOf(0);
      for (unsigned int row = 1; row < rowCount; ++row)
      {
        UniteRows(labels,
                  thread % LanesPerWarp,
                  own,
                  static_cast<TLabel>(this->IndexInRow(pixel, 0)),
                  chunkOf(row),
                  static_cast<TLabel>(this->IndexInRow(pixel, row)),
                  fullyConnected);
      }
    });
  }

private:
  /** Returns the first pixel of a warp's chunk. Warps are numbered over the chunks of all rows that are united. Number
   * 0 has no chunk, because each first warp has the chunk of the previous thread block's last warp. The x of no chunk
   * exceeds the image. */
  CCL_HOST_DEVICE
  Cell
  FirstPixelOf(std::uint64_t warp) const
  {
    if (warp == 0)
    {
      return { size.x, 0, 0 };
    }
    Cell pixel = ChunkAt<TMask>(size, warp - 1);
    if (VDimension == 2)
    {
      pixel.y = (pixel.y + 1) * RowsPerStrip;
    }
    else
    {
      pixel.z = Divide(pixel.y, size.y);
      pixel.y -= pixel.z * size.y;
    }
    return pixel.y < size.y && pixel.z < size.z ? pixel : Cell{ size.x, 0, 0 };
  }

  // Row 0 is the row itself, 1 the row above in the strip above, and 2, 3 and 4 are rows of the previous slice: the row
  // at the same y, the row above and the row below. A step of -1 wraps around.

  CCL_HOST_DEVICE
  static constexpr std::uint64_t
  StepY(unsigned int row)
  {
    return row == 1 || row == 3 ? ~std::uint64_t{ 0 } : row == 4;
  }

  CCL_HOST_DEVICE
  static constexpr std::uint64_t
  StepZ(unsigned int row)
  {
    return row < 2 ? 0 : ~std::uint64_t{ 0 };
  }

  CCL_HOST_DEVICE
  bool
  HasRow(const Cell & pixel, unsigned int row) const
  {
    return pixel.y + StepY(row) < size.y && pixel.z + StepZ(row) < size.z && (row != 1 || pixel.y % RowsPerStrip == 0);
  }

  CCL_HOST_DEVICE
  std::uint64_t
  IndexInRow(const Cell & pixel, unsigned int row) const
  {
    return IndexOf(size, { pixel.x, pixel.y + StepY(row), pixel.z + StepZ(row) });
  }
};

/** Gives each foreground pixel the label of the root of its segment, and each background pixel the label 0. */
template <typename TMask, typename TLabel>
struct Relabeling
{
  static constexpr unsigned int Threads = RowsPerStrip * LanesPerWarp;

  using SharedMemory = NoSharedMemory;

  Grid                 size;
  const std::uint8_t * input;
  TLabel *             labels;

  CCL_NO_EXECUTION_CHECK
  template <typename TThreadBlock>
  CCL_HOST_DEVICE
  void
  operator()(const TThreadBlock & threadBlock, SharedMemory &) const
  {
    const std::uint64_t                             rows = size.y * size.z;
    typename TThreadBlock::template PerThread<Cell> firstPixels; // of the chunks; y counts the rows of all slices
    threadBlock.ForEachThread([&](unsigned int thread) {
      firstPixels[thread] = ChunkAt<TMask>(size, (threadBlock.GetIndex() * Threads + thread) / LanesPerWarp);
    });
    const auto contains = [&](unsigned int thread, unsigned int column) {
      return firstPixels[thread].x + column < size.x && firstPixels[thread].y < rows;
    };
    const auto indexOf = [&](unsigned int thread, unsigned int column) {
      return firstPixels[thread].x + size.x * firstPixels[thread].y + column;
    };
    const auto pixels = BallotPixels<TMask>(threadBlock, [&](unsigned int thread, unsigned int column) {
      return contains(thread, column) && input[indexOf(thread, column)] != 0;
    });
    typename TThreadBlock::template PerThread<TLabel> roots; // of the segments that start in columns of the thread
    threadBlock.ForEachThread([&](unsigned int thread) {
      roots[thread] = 0;
      VisitStart(pixels[thread], thread % LanesPerWarp, [&](unsigned int column) {
        const auto start = static_cast<TLabel>(indexOf(thread, column) + 1);
        roots[thread] = Find(LabelsAsParents<TLabel>{ labels }, start);
      });
    });
    CCL_UNROLL
    for (unsigned int begin = 0; begin < ColumnCount<TMask>; begin += LanesPerWarp)
    {
      const auto columnOf = [begin](unsigned int thread) { return begin + thread % LanesPerWarp; };
      const auto found = threadBlock.Shuffle(roots, [&](unsigned int thread) {
        const unsigned int column = columnOf(thread);
        return (column - StartDistance(pixels[thread], column)) / ColumnsPerLane<TMask>;
      });
      threadBlock.ForEachThread([&](unsigned int thread) {
        const unsigned int column = columnOf(thread);
        if (contains(thread, column))
        {
          const bool isForeground = pixels[thread] >> column & 1U;
          Store(labels + indexOf(thread, column), isForeground ? found[thread] : TLabel{ 0 });
        }
      });
    }
  }
};

/** Runs StripLabeling and BorderMerging. Then the label of each start of a segment is 1 + the raster index of its
 * parent in a tree, whose root is the first pixel of the component. Other labels have no value. */
template <unsigned int VDimension, typename TMask, typename TLabel, typename TExecutor>
void
UniteSegments(const TExecutor &    executor,
              const std::uint8_t * input,
              const Grid &         size,
              bool                 fullyConnected,
              TLabel *             labels)
{
  using Strips = StripLabeling<TMask, TLabel>;
  using Borders = BorderMerging<VDimension, TMask, TLabel>;
  executor.ForEachThreadBlock(Strips::CountStrips(size), Strips{ size, input, labels, fullyConnected });
  executor.ForEachThreadBlock(Borders::CountThreadBlocks(size), Borders{ size, input, labels, fullyConnected });
}

/** Labels a plane or a volume as HardwareAcceleratedAlgorithm::Label() does.
 * \tparam TMask std::uint32_t for one pixel per thread, or std::uint64_t for two. */
template <unsigned int VDimension, typename TMask, typename TLabel, typename TExecutor>
void
Label(const TExecutor & executor, const std::uint8_t * input, const Grid & size, bool fullyConnected, TLabel * labels)
{
  using Relabel = Relabeling<TMask, TLabel>;
  UniteSegments<VDimension, TMask>(executor, input, size, fullyConnected, labels);
  executor.ForEachThreadBlock(DivideUp(CountChunks<TMask>(size, size.y * size.z), Relabel::Threads / LanesPerWarp),
                              Relabel{ size, input, labels });
}

} // namespace HardwareAccelerated

/** The row of the algorithm in the table of PublishedAlgorithms.h. */
struct HardwareAcceleratedAlgorithm
{
  static constexpr CudaConnectedComponentsEnums::AlgorithmDescription Description{
    CudaConnectedComponentsEnums::Algorithm::HardwareAccelerated,
    "HardwareAccelerated",
    "ha",
    "HA",
    false, // does not need full connectivity
    false, // has no inline compression
    true   // is published
  };

  static constexpr LabelElement Element = LabelElement::FirstPixel;

  /** Labels a plane or a volume of one byte per pixel. Foreground pixels are not 0. Writes 1 + the raster index of the
   * component's first pixel to each foreground pixel of `labels`, and 0 to other pixels. Allocates no memory. */
  template <unsigned int VDimension, typename TLabel, typename TExecutor>
  static void
  Label(const TExecutor &        executor,
        const std::uint8_t *     input,
        const Grid &             size,
        const PublishedOptions & options,
        TLabel *                 labels)
  {
    HardwareAccelerated::Label<VDimension, std::uint64_t>(executor, input, size, options.fullyConnected, labels);
  }
};

} // namespace itk::ccl

#endif
