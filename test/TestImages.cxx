// SPDX-License-Identifier: Apache-2.0
#include "TestImages.h"

#include <algorithm>

namespace
{

std::string
Describe(const std::string & kind, const std::array<std::uint64_t, 3> & size)
{
  return kind + ' ' + std::to_string(size[0]) + 'x' + std::to_string(size[1]) + 'x' + std::to_string(size[2]);
}

template <typename TPredicate>
void
SetWhere(TestImage & image, const TPredicate & isForeground)
{
  for (std::uint64_t z = 0; z < image.size[2]; ++z)
  {
    for (std::uint64_t y = 0; y < image.size[1]; ++y)
    {
      for (std::uint64_t x = 0; x < image.size[0]; ++x)
      {
        image.pixels[image.IndexOf(x, y, z)] = isForeground(x, y, z) ? 1 : 0;
      }
    }
  }
}

} // namespace

TestImage
MakeImage(const std::string & name, const std::array<std::uint64_t, 3> & size, std::uint8_t value)
{
  return { Describe(name, size), size, std::vector<std::uint8_t>(size[0] * size[1] * size[2], value) };
}

TestImage
MakeRandom(const std::array<std::uint64_t, 3> & size, unsigned int density, unsigned int granularity, unsigned int seed)
{
  TestImage                    image = MakeImage("random, density " + std::to_string(density) + ", granularity " +
                                std::to_string(granularity) + ", seed " + std::to_string(seed),
                              size);
  std::mt19937                 random(seed);
  std::array<std::uint64_t, 3> cells{};
  for (int axis = 0; axis < 3; ++axis)
  {
    cells[axis] = (size[axis] + granularity - 1) / granularity;
  }
  std::vector<std::uint8_t> values(cells[0] * cells[1] * cells[2]);
  for (auto & value : values)
  {
    const bool foreground = random() % 100 < density;
    value = foreground ? static_cast<std::uint8_t>(1 + random() % 255) : 0;
  }
  for (std::uint64_t z = 0; z < size[2]; ++z)
  {
    for (std::uint64_t y = 0; y < size[1]; ++y)
    {
      for (std::uint64_t x = 0; x < size[0]; ++x)
      {
        image.pixels[image.IndexOf(x, y, z)] =
          values[x / granularity + cells[0] * (y / granularity + cells[1] * (z / granularity))];
      }
    }
  }
  return image;
}

TestImage
MakeSpiral(std::uint64_t size)
{
  TestImage  image = MakeImage("spiral", { size, size, 1 });
  const auto n = static_cast<std::int64_t>(size);
  // Turns at the border of the image, and if one of the next two pixels is foreground. Ends after two turns without a
  // step.
  const std::int64_t stepX[] = { 1, 0, -1, 0 };
  const std::int64_t stepY[] = { 0, 1, 0, -1 };
  std::int64_t       x = 0;
  std::int64_t       y = 0;
  int                direction = 0;
  const auto         blocked = [&](std::int64_t px, std::int64_t py, bool outsideBlocks) {
    if (px < 0 || py < 0 || px >= n || py >= n)
    {
      return outsideBlocks;
    }
    return image.pixels[image.IndexOf(px, py)] != 0;
  };
  for (int turns = 0; turns < 2;)
  {
    image.pixels[image.IndexOf(x, y)] = 1;
    const std::int64_t nextX = x + stepX[direction];
    const std::int64_t nextY = y + stepY[direction];
    if (blocked(nextX, nextY, true) || blocked(nextX + stepX[direction], nextY + stepY[direction], false))
    {
      direction = (direction + 1) % 4;
      ++turns;
      continue;
    }
    turns = 0;
    x = nextX;
    y = nextY;
  }
  return image;
}

TestImage
MakeComb(const std::array<std::uint64_t, 3> & size)
{
  TestImage image = MakeImage("comb", size);
  SetWhere(image, [&size](std::uint64_t x, std::uint64_t y, std::uint64_t z) {
    const bool isTooth = x % 2 == 0 || y + 1 == size[1];
    return isTooth && (z % 2 == 0 || z + 1 == size[2]);
  });
  return image;
}

TestImage
MakeCheckerboard(const std::array<std::uint64_t, 3> & size)
{
  TestImage image = MakeImage("checkerboard", size);
  SetWhere(image, [](std::uint64_t x, std::uint64_t y, std::uint64_t z) { return (x + y + z) % 2 == 0; });
  return image;
}

TestImage
MakeShells(const std::array<std::uint64_t, 3> & size)
{
  TestImage image = MakeImage("shells", size);
  SetWhere(image, [&size](std::uint64_t x, std::uint64_t y, std::uint64_t z) {
    std::uint64_t depth = std::min({ x, y, size[0] - 1 - x, size[1] - 1 - y });
    if (size[2] > 1)
    {
      depth = std::min({ depth, z, size[2] - 1 - z });
    }
    return depth % 2 == 0;
  });
  return image;
}

TestImage
MakeHilbert(unsigned int dimension, unsigned int order)
{
  const std::uint64_t side = (std::uint64_t{ 2 } << order) - 1;
  TestImage           image = MakeImage("Hilbert", { side, side, dimension == 2 ? 1 : side });
  // Skilling, "Programming the Hilbert curve", AIP Conference Proceedings 707, 2004.
  const auto pointAt = [dimension, order](std::uint64_t step) {
    std::array<std::uint64_t, 3> point{ 0, 0, 0 };
    for (unsigned int bit = 0; bit < order * dimension; ++bit)
    {
      const unsigned int axis = dimension - 1 - bit % dimension;
      point[axis] |= (step >> bit & 1) << bit / dimension;
    }
    std::uint64_t carry = point[dimension - 1] >> 1;
    for (unsigned int axis = dimension - 1; axis > 0; --axis)
    {
      point[axis] ^= point[axis - 1];
    }
    point[0] ^= carry;
    for (std::uint64_t q = 2; q != std::uint64_t{ 1 } << order; q <<= 1)
    {
      for (unsigned int axis = dimension; axis-- > 0;)
      {
        if (point[axis] & q)
        {
          point[0] ^= q - 1;
        }
        else
        {
          carry = (point[0] ^ point[axis]) & (q - 1);
          point[0] ^= carry;
          point[axis] ^= carry;
        }
      }
    }
    return point;
  };
  std::array<std::uint64_t, 3> previous{};
  for (std::uint64_t step = 0; step < std::uint64_t{ 1 } << (order * dimension); ++step)
  {
    const std::array<std::uint64_t, 3> point = pointAt(step);
    image.pixels[image.IndexOf(2 * point[0], 2 * point[1], 2 * point[2])] = 1;
    if (step > 0)
    {
      image.pixels[image.IndexOf(point[0] + previous[0], point[1] + previous[1], point[2] + previous[2])] = 1;
    }
    previous = point;
  }
  return image;
}

TestImage
MakeDisagreeingOrders(unsigned int dimension)
{
  const bool isPlane = dimension == 2;
  TestImage  image = MakeImage("disagreeing orders", { 13, 11, isPlane ? 1U : 9U });
  // In the first block, but not in the first row of the block (in a volume: plane).
  image.pixels[isPlane ? image.IndexOf(0, 1) : image.IndexOf(0, 0, 1)] = 1;
  // In the first row (plane), two blocks to the right.
  image.pixels[image.IndexOf(4, 0)] = 1;
  // Starts in the second row (plane) of its first block. A later block has a pixel in the first row (plane).
  for (std::uint64_t x = 6; x < 11; ++x)
  {
    image.pixels[isPlane ? image.IndexOf(x, 5) : image.IndexOf(x, 4, 5)] = 1;
  }
  image.pixels[isPlane ? image.IndexOf(10, 4) : image.IndexOf(10, 5, 4)] = 1;
  image.pixels[isPlane ? image.IndexOf(8, 3) : image.IndexOf(8, 2, 5)] = 1;
  image.pixels[isPlane ? image.IndexOf(12, 2) : image.IndexOf(12, 10, 4)] = 1;
  return image;
}

std::vector<TestImage>
MakeShapes()
{
  std::vector<TestImage> images;
  for (const std::uint64_t side : { 1, 2, 5, 16, 33, 70 })
  {
    images.push_back(MakeSpiral(side));
  }
  const std::array<std::uint64_t, 3> sizes[] = { { 1, 1, 1 },    { 2, 2, 1 },   { 35, 1, 1 },  { 1, 35, 1 },
                                                 { 33, 17, 1 },  { 64, 64, 1 }, { 2, 2, 2 },   { 1, 1, 9 },
                                                 { 1, 9, 9 },    { 9, 1, 9 },   { 9, 9, 9 },   { 33, 12, 7 },
                                                 { 40, 21, 13 }, { 66, 5, 8 },  { 31, 32, 33 } };
  for (const auto & size : sizes)
  {
    images.push_back(MakeComb(size));
    images.push_back(MakeCheckerboard(size));
    images.push_back(MakeShells(size));
    images.push_back(MakeImage("empty", size, 0));
    images.push_back(MakeImage("full", size, 255));
  }
  for (const unsigned int order : { 1, 2, 3, 4 })
  {
    images.push_back(MakeHilbert(2, order));
    images.push_back(MakeHilbert(3, order));
  }
  images.push_back(MakeDisagreeingOrders(2));
  images.push_back(MakeDisagreeingOrders(3));
  return images;
}
