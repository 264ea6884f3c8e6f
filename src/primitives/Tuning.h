// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_primitives_Tuning_h
#define ccl_primitives_Tuning_h

// What was found by measuring: sizes of work, and where one way becomes faster than another. Labels do not depend on
// it. One set serves all architectures, measured on compute capability 9.0; another one would stand here beside it.

#include <cstdint>

namespace itk::ccl
{

struct Tuning
{
  /** Threads of a block that runs a step on a tile of cells. */
  static constexpr unsigned int ThreadBlockSize = 128;

  /** Threads of a block that sums, and values of each. */
  static constexpr unsigned int ScanThreads = 256;
  static constexpr unsigned int ScanValuesPerThread = 8;

  /** Threads of a block of the kernel for small images, and words that are worth such a block. */
  static constexpr unsigned int  SmallImageThreads = 1024;
  static constexpr std::uint64_t SmallImageWordsPerBlock = 64;

  /** Words up to which a small image is left to one block, which waits for no other. */
  static constexpr std::uint64_t SmallImageWordsOfOneBlock = 256;

  /** Segments up to which a small volume is labeled by segments where not all of them may find room in lists; more of
   * them where it has more words. */
  static constexpr std::uint64_t SmallVolumeSegments = 65536;

  /** Words of a row above which contacts are found by word, even of few runs. */
  static constexpr std::uint64_t WideRowWords = 64;

  /** Quads of pixels that a thread writes where row groups are rows. */
  static constexpr unsigned int Vec4sPerThread = 2;

  /** Cells, and pixels, that are worth handing to a thread of the host. */
  static constexpr std::uint64_t HostCellsPerChunk = 4096;
  static constexpr std::uint64_t HostPixelsPerChunk = 65536;

  /** Cells, and chunks of pixels to pack, up to which the caller's thread has done them before others wake up. */
  static constexpr std::uint64_t HostCellsOfOneThread = 8192;
  static constexpr std::uint64_t HostPackedChunksOfOneThread = 4;

  /** Pixels up to which the host labels an image of its own sooner than a device. */
  static constexpr std::uint64_t HostPixels = 16384;

  /** Bytes from which on memory of the host that is allocated comes from the system, untouched: glibc's highest. */
  static constexpr std::uint64_t HostUntouchedBytes = std::uint64_t{ 32 } << 20;
};

} // namespace itk::ccl

#endif
