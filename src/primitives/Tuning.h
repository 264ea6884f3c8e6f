// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_primitives_Tuning_h
#define ccl_primitives_Tuning_h

// Constants that were found by measurement: sizes of work, and limits between two methods. Labels do not depend on
// them. One set serves all architectures. It was measured on compute capability 9.0. A set for another architecture
// belongs in this file, too.

#include <algorithm>
#include <cstdint>

namespace itk::ccl
{

struct Tuning
{
  /** Threads of a thread block that runs a kernel functor on the cells of a grid. */
  static constexpr unsigned int ThreadBlockSize = 128;

  /** The same for kernel functors that read neighbors along all axes of a plane. */
  static constexpr unsigned int CompactThreadBlockSize = 256;

  /** Thread blocks of ThreadBlockSize threads for each multiprocessor, if there may be much fewer elements or cells
   * than the host knows, and how many of them a multiprocessor can run at the same time. Cells differ in their work, so
   * that more thread blocks balance it. The last number limits the registers. */
  static constexpr unsigned int ThreadBlocksForElements = 16;
  static constexpr unsigned int ThreadBlocksForCells = 128;
  static constexpr unsigned int ResidentThreadBlocks = 8;

  /** The most bytes of arrays for runs or components whose number the host does not know. */
  static constexpr std::uint64_t WorstCaseBytes = std::uint64_t{ 256 } << 20;

  /** Up to this many bytes, which is enough for most images of single rows, the block with the arrays of a call is kept
   * for the next calls. */
  static constexpr std::uint64_t CachedBlockBytes = std::uint64_t{ 64 } << 20;

  /** The most cells of a thread that adds values to the rows of a table. */
  static constexpr unsigned int CellsPerAddingThread = 16;

  /** The rows of a table of values that is measured without runs: a power of two. Images with more values have runs. */
  static constexpr std::uint64_t RowsOfValues = std::uint64_t{ 1 } << 16;

  /** Threads of a thread block of a scan, values of each thread in a tile, and thread blocks for each multiprocessor. A
   * tile waits for the tiles before it, so thread blocks are as large as possible. */
  static constexpr unsigned int ScanThreads = 1024;
  static constexpr unsigned int ScanValuesPerThread = 8;
  static constexpr unsigned int ScanThreadBlocks = 2;

  /** A scan of at most so many values has one value for each thread, so that more threads work: SmallScanValues if the
   * host knows the number of values, and SmallScanLimit if it knows a limit only. Mostly, there are much fewer then. */
  static constexpr std::uint64_t SmallScanValues = std::uint64_t{ 1 } << 19;
  static constexpr std::uint64_t SmallScanLimit = std::uint64_t{ 1 } << 23;

  /** Full connectivity in device memory: images with at most this many pixels together are labeled by single rows,
   * which take fewer kernels than row groups. Large images with many runs take longer by single rows, and random ones
   * twice as long. */
  static constexpr std::uint64_t SingleRowPlanePixels = std::uint64_t{ 1 } << 20;
  static constexpr std::uint64_t SingleRowVolumePixels = std::uint64_t{ 12 } << 20;

  /** Returns the binary logarithm of the number of threads that share a word when they find adjacent runs.
   * \param words number of words of columns */
  static constexpr unsigned int
  PartBitsFor(std::uint64_t words)
  {
    if (words <= std::uint64_t{ 1 } << 13)
    {
      return 3;
    }
    if (words <= std::uint64_t{ 1 } << 15)
    {
      return 2;
    }
    return words <= std::uint64_t{ 1 } << 16 ? 1 : 0;
  }

  /** Returns the binary logarithm of the number of threads that share a word when they find first pixels.
   * \param words as for PartBitsFor() */
  static constexpr unsigned int
  PartBitsForFirstPixels(std::uint64_t words)
  {
    return words <= std::uint64_t{ 1 } << 18 ? 2 : 0;
  }

  /** If words have more than 2^PartBitsOfManyRuns runs with values on average, each word has 2^PartBitsOfManyRuns
   * parts, one for a thread. With one thread for a word, the threads of a warp would read and write distant values. */
  static constexpr unsigned int PartBitsOfManyRuns = 2;

  /** Returns how many threads to start if words may have 2^PartBitsOfManyRuns parts. From 2^18 words on, there is one
   * for each word: most large images have few runs, and empty thread blocks take time. */
  static constexpr std::uint64_t
  ThreadsForParts(std::uint64_t words)
  {
    constexpr std::uint64_t limit = std::uint64_t{ 1 } << 18;
    return std::clamp(limit, words, words << PartBitsOfManyRuns);
  }

  /** If a row has more words than this, adjacency is found by word, even if there are few runs. */
  static constexpr std::uint64_t WideRowWords = 64;

  /** Vec4s (4 pixels each) that a thread writes in the label write-out, if a row group is one row. */
  static constexpr unsigned int Vec4sPerThread = 2;

  /** An image of at least so many words has so many copies of what is known of its values. With more copies, fewer
   * threads take turns. */
  static constexpr unsigned int  ValueCopies = 16;
  static constexpr std::uint64_t WordsForValueCopies = std::uint64_t{ 1 } << 14;

  /** Cells, or pixels, of a chunk that one call of the host's parallel loop processes. */
  static constexpr std::uint64_t HostCellsPerChunk = 4096;
  static constexpr std::uint64_t HostPixelsPerChunk = 65536;

  /** Up to this many cells, or pixels of an image in host memory, the calling thread works alone: it finishes before
   * other threads wake up. */
  static constexpr std::uint64_t HostCellsOfOneThread = 8192;
  static constexpr std::uint64_t HostPixelsOfOneThread = std::uint64_t{ 1 } << 18;

  /** Adjacency by row on the host: the most parts of an image, and the least work of a part. Work is counted in words
   * of rows. A run takes as long as some words. Joining at a seam takes longer than in a part, so a volume has more
   * than some parts only if a part has some slices. Up to this many runs, one thread joins the seams and ranks the
   * runs. */
  static constexpr std::uint64_t HostParts = 64;
  static constexpr std::uint64_t HostWorkOfPart = 32768;
  static constexpr std::uint64_t HostPartsOfThinVolume = 16;
  static constexpr std::uint64_t HostSlicesOfPart = 8;
  static constexpr std::uint64_t HostWordsOfRun = 8;
  static constexpr std::uint64_t HostRunsOfOneThread = 32768;

  /** The host labels an image in host memory faster than a device if the image has at most this many pixels. */
  static constexpr std::uint64_t HostPixels = 16384;

  /** A region that grows from seeds is small if it has at most this many runs, and if it has and touches rows of
   * together at most this many pixels. One thread grows it sooner than all threads pack the image. */
  static constexpr std::uint64_t SmallRegionRuns = 8192;
  static constexpr std::uint64_t SmallRegionPixels = std::uint64_t{ 1 } << 22;

  /** An allocation of at least this many bytes gets untouched pages from the operating system. This is the maximum of
   * glibc's mmap threshold. */
  static constexpr std::uint64_t HostUntouchedBytes = std::uint64_t{ 32 } << 20;
};

} // namespace itk::ccl

#endif
