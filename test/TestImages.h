// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_test_TestImages_h
#define ccl_test_TestImages_h

#include <array>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

/** A binary image of one byte per pixel, x fastest. A plane has one pixel along z. */
struct TestImage
{
  std::string                  name; // says how to make it again
  std::array<std::uint64_t, 3> size;
  std::vector<std::uint8_t>    pixels;

  std::uint64_t
  IndexOf(std::uint64_t x, std::uint64_t y, std::uint64_t z = 0) const
  {
    return x + size[0] * (y + size[1] * z);
  }
};

TestImage
MakeImage(const std::string & name, const std::array<std::uint64_t, 3> & size, std::uint8_t value = 0);

/** Cubes of granularity^3 pixels (squares in a plane), each foreground with a probability of density percent.
 * Foreground pixels have random values that are not 0. */
TestImage
MakeRandom(const std::array<std::uint64_t, 3> & size,
           unsigned int                         density,
           unsigned int                         granularity,
           unsigned int                         seed);

/** One component, a square spiral of one pixel's width with gaps of one pixel. */
TestImage
MakeSpiral(std::uint64_t size);

/** Teeth along y that only meet in the last row; in a volume the combs of all planes meet in the last plane. */
TestImage
MakeComb(const std::array<std::uint64_t, 3> & size);

/** Pixels whose coordinates add up to an even number. */
TestImage
MakeCheckerboard(const std::array<std::uint64_t, 3> & size);

/** Hollow boxes in hollow boxes. */
TestImage
MakeShells(const std::array<std::uint64_t, 3> & size);

/** The Hilbert curve of an order in 2 or 3 dimensions, one pixel wide. */
TestImage
MakeHilbert(unsigned int dimension, unsigned int order);

/** Components of which the one with the lower first block has the higher first pixel. */
TestImage
MakeDisagreeingOrders(unsigned int dimension);

/** All of the above, small, and images that are full or empty. */
std::vector<TestImage>
MakeShapes();

#endif
