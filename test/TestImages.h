// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_test_TestImages_h
#define ccl_test_TestImages_h

#include <array>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

/** An image of one byte per pixel. x varies fastest in memory. Pixels that are not 0 are foreground. A plane has one
 * pixel along z. */
struct TestImage
{
  std::string                  name; // describes how to make the image again
  std::array<std::uint64_t, 3> size;
  std::vector<std::uint8_t>    pixels;

  std::uint64_t
  IndexOf(std::uint64_t x, std::uint64_t y, std::uint64_t z = 0) const
  {
    return x + size[0] * (y + size[1] * z);
  }
};

/** Makes an image whose pixels all have one value. Adds the size to the name. */
TestImage
MakeImage(const std::string & name, const std::array<std::uint64_t, 3> & size, std::uint8_t value = 0);

/** Makes an image of cubes (squares in a plane) with `granularity` pixels along each side. Each cube is foreground with
 * a probability of `density` percent. The pixels of a foreground cube have one random value from 1 to 255. */
TestImage
MakeRandom(const std::array<std::uint64_t, 3> & size,
           unsigned int                         density,
           unsigned int                         granularity,
           unsigned int                         seed);

/** Makes one component: a square spiral. The spiral and its gaps are 1 pixel wide. */
TestImage
MakeSpiral(std::uint64_t size);

/** Makes teeth along y that are connected by the last row. A volume has such a comb in every second plane and in the
 * last plane. */
TestImage
MakeComb(const std::array<std::uint64_t, 3> & size);

/** Makes an image in which a pixel is foreground if the sum of its coordinates is even. */
TestImage
MakeCheckerboard(const std::array<std::uint64_t, 3> & size);

/** Makes nested hollow boxes. The boxes and the gaps between them are 1 pixel wide. */
TestImage
MakeShells(const std::array<std::uint64_t, 3> & size);

/** Makes a Hilbert curve in 2 or 3 dimensions, 1 pixel wide. */
TestImage
MakeHilbert(unsigned int dimension, unsigned int order);

/** Makes components whose order by first blocks differs from their order by first pixels. */
TestImage
MakeDisagreeingOrders(unsigned int dimension);

/** Makes small images of each shape above, and full and empty images of several sizes. */
std::vector<TestImage>
MakeShapes();

#endif
