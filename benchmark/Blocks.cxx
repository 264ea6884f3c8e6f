// SPDX-License-Identifier: Apache-2.0

// Measures seams and ranking of an image in blocks, on one thread, with synthetic components: no pixels are labeled.
//
//   cuda-connected-components-benchmark-blocks [BLOCKS_ALONG_AN_AXIS [INTERIOR_COMPONENTS_OF_A_BLOCK]]
//
// A face has squares of different components, about 11 pixels apart. They lie elsewhere in the face of the neighbor. So
// a component has about one neighbor there, and a block of 464 x 464 x 464 pixels has 10^4 components at its border.

#include "itkCudaConnectedComponentBlocks.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <iostream>
#include <random>
#include <string>

using Blocks = itk::CudaConnectedComponentBlocks;

namespace
{

constexpr std::uint64_t Side = 464;   // of a block, in pixels
constexpr std::uint64_t Squares = 41; // along a side of a face
constexpr std::uint64_t BorderCount = 6 * Squares * Squares;

/** Returns the peak of the process's memory in bytes, as Linux counts it. */
double
PeakMemory()
{
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;)
  {
    if (word == "VmHWM:")
    {
      double kilobytes = 0;
      status >> kilobytes;
      return 1024 * kilobytes;
    }
  }
  return 0;
}

/** Returns the processor time of the process. Other programs do not change it much. */
double
Seconds()
{
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

/** Makes the faces of a block. */
Blocks::BlockType
MakeFaces(std::mt19937 & random)
{
  Blocks::BlockType block;
  block.size = { Side, Side, Side };
  block.componentCount = BorderCount;
  for (std::uint64_t i = 0; i < BorderCount; ++i)
  {
    block.borderComponents.push_back(i);
  }
  std::uint32_t label = 0;
  for (auto & face : block.faces)
  {
    face.assign(Side * Side, 0);
    for (std::uint64_t i = 0; i < Squares * Squares; ++i)
    {
      ++label;
      const std::uint64_t side = 5 + random() % 5;
      const std::uint64_t left = Side * (i % Squares) / Squares + random() % (11 - side);
      const std::uint64_t top = Side * (i / Squares) / Squares + random() % (11 - side);
      for (std::uint64_t row = top; row < top + side; ++row)
      {
        std::fill_n(face.begin() + static_cast<std::ptrdiff_t>(row * Side + left), side, label);
      }
    }
  }
  return block;
}

} // namespace

int
main(int argc, char ** argv)
{
  const std::uint64_t along = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 22;
  const std::uint64_t interior = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 0;
  const std::uint64_t side = along * Side;
  std::mt19937        random(1);

  std::vector<Blocks::BlockType> samples; // of faces, half of them for the first block of a seam
  for (unsigned int i = 0; i < 32; ++i)
  {
    samples.push_back(MakeFaces(random));
    samples.back().imageSize = { side, side, side };
    samples.back().connectivity = 26;
  }

  std::vector<Blocks::BlockType> blocks(along * along * along);
  for (std::size_t i = 0; i < blocks.size(); ++i)
  {
    auto & block = blocks[i];
    block.size = { Side, Side, Side };
    block.imageSize = { side, side, side };
    block.connectivity = 26;
    block.origin = { Side * (i % along), Side * (i / along % along), Side * (i / along / along) };
    block.componentCount = BorderCount + interior;
    block.firstPixels.resize(block.componentCount);
    for (auto & pixel : block.firstPixels)
    {
      pixel = block.origin[0] + random() % Side +
              side * (block.origin[1] + random() % Side + side * (block.origin[2] + random() % Side));
    }
    std::sort(block.firstPixels.begin(), block.firstPixels.end());
    for (std::size_t j = 1; j < block.firstPixels.size(); ++j)
    {
      block.firstPixels[j] = std::max(block.firstPixels[j], block.firstPixels[j - 1] + 1); // no pixel twice
    }
    block.borderComponents.reserve(BorderCount);
    for (std::uint64_t j = 0; j < BorderCount; ++j)
    {
      block.borderComponents.push_back(j * block.componentCount / BorderCount);
    }
  }

  double                        time = Seconds();
  const auto                    neighbors = Blocks::FindNeighbors(blocks);
  const double                  neighborTime = Seconds() - time;
  double                        seamTime = 0;
  std::uint64_t                 pairs = 0;
  std::vector<Blocks::SeamType> seams;
  seams.reserve(neighbors.size());
  for (const auto & [a, b] : neighbors)
  {
    auto & sample = samples[random() % 16];
    auto & other = samples[16 + random() % 16];
    sample.origin = blocks[a].origin;
    other.origin = blocks[b].origin;
    time = Seconds();
    seams.push_back(Blocks::Join(sample, other));
    seamTime += Seconds() - time;
    seams.back().pairs.shrink_to_fit();
    pairs += seams.back().pairs.size();
  }
  samples.clear();

  std::cout << blocks.size() << " blocks of " << BorderCount << " components at the border and " << interior
            << " others; " << seams.size() << " seams with " << pairs << " pairs\n"
            << "memory before: " << PeakMemory() / 1e9 << " GB\n"
            << "neighbors: " << neighborTime << " s\n"
            << "seams: " << seamTime << " s\n";
  using Order = Blocks::OrderEnum;
  for (const Order order : { Order::FirstPixel, Order::Block })
  {
    time = Seconds();
    const auto merged = Blocks::Merge(blocks, seams, order);
    std::cout << (order == Order::FirstPixel ? "ranking by first pixels: " : "ranking by blocks: ") << Seconds() - time
              << " s, " << merged.block.componentCount << " components, memory so far: " << PeakMemory() / 1e9
              << " GB\n";
  }
  return 0;
}
