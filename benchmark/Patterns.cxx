// SPDX-License-Identifier: Apache-2.0
#include "Patterns.h"

#include <algorithm>
#include <cmath>

namespace
{

using Size = std::array<std::uint64_t, 3>;

std::uint64_t
Power(unsigned int exponent)
{
  return std::uint64_t{ 1 } << exponent;
}

/** Draws a pattern of a level. Its crest is stretched by 2^k along x. Its upper left corner is (left, top). */
void
DrawRidge(TestImage & image, unsigned int level, unsigned int k, std::uint64_t left, std::uint64_t top)
{
  const auto set = [&](std::uint64_t x, std::uint64_t y) {
    if (x < image.size[0] && y < image.size[1])
    {
      image.pixels[image.IndexOf(x, y)] = 1;
    }
  };
  std::uint64_t crestWidth = 2 * Power(k);
  std::uint64_t crestHeight = 0;
  std::uint64_t baseHeight = crestWidth;
  if (level > 1)
  {
    const std::uint64_t peaks = Power(level - 2) + 1;
    crestWidth = (3 * Power(level - 2) + 1) * Power(k); // Equation 13
    crestHeight = level;
    baseHeight = crestWidth - crestHeight; // Equation 16
    for (std::uint64_t peak = 0; peak < peaks; ++peak)
    {
      std::uint64_t height = 1; // Equation 8
      for (unsigned int power = 0; power + 2 <= level; ++power)
      {
        height += peak % Power(power) == 0;
      }
      for (std::uint64_t x = 3 * peak * Power(k); x < (3 * peak + 1) * Power(k); ++x)
      {
        for (std::uint64_t y = crestHeight - height; y < crestHeight; ++y)
        {
          set(left + x, top + y);
        }
      }
    }
  }
  for (std::uint64_t row = 0; row < baseHeight; ++row)
  {
    for (std::uint64_t x = 0; x < crestWidth + (level > 1 ? row : 0); ++x)
    {
      set(left + x, top + crestHeight + row);
    }
  }
}

/** Divides an image into 2^s x 2^s cells, and calls draws() for each cell. If it returns true, draws a pattern in the
 * upper left corner of the cell. */
template <typename TDraws>
TestImage
DrawRidges(const std::string & name, unsigned int n, unsigned int level, unsigned int s, TDraws draws)
{
  TestImage           image = MakeImage(name, { Power(n), Power(n), 1 });
  const std::uint64_t cell = Power(n - s);
  for (std::uint64_t y = 0; y < Power(s); ++y)
  {
    for (std::uint64_t x = 0; x < Power(s); ++x)
    {
      if (draws())
      {
        DrawRidge(image, level, n - level - 1 - s, x * cell, y * cell);
      }
    }
  }
  return image;
}

/** A function that returns true with a probability of `percent` percent. */
class Chance
{
public:
  Chance(unsigned int percent, unsigned int seed)
    : m_Percent(percent)
    , m_Random(seed)
  {}

  bool
  operator()()
  {
    return m_Random() % 100 < m_Percent;
  }

private:
  unsigned int m_Percent;
  std::mt19937 m_Random;
};

std::string
NameOf(const std::string & family, std::initializer_list<unsigned int> parameters)
{
  std::string name = family;
  char        separator = '(';
  for (const unsigned int parameter : parameters)
  {
    name += separator + std::to_string(parameter);
    separator = ',';
  }
  return name + ")";
}

} // namespace

namespace RidgePatterns
{

TestImage
Leveling(unsigned int n, unsigned int level)
{
  return DrawRidges(NameOf("Leveling", { level }), n, level, 0, [] { return true; });
}

TestImage
Scaling(unsigned int n, unsigned int level, unsigned int percent)
{
  const TestImage whole = Leveling(n, level);
  TestImage       image = MakeImage(NameOf("Scaling", { level, percent }), whole.size);
  for (std::uint64_t y = 0; y < whole.size[1] * percent / 100; ++y)
  {
    for (std::uint64_t x = 0; x < whole.size[0] * percent / 100; ++x)
    {
      image.pixels[image.IndexOf(x, y)] = whole.pixels[whole.IndexOf(x * 100 / percent, y * 100 / percent)];
    }
  }
  return image;
}

TestImage
Subdivision(unsigned int n, unsigned int level, unsigned int s)
{
  return DrawRidges(NameOf("Subdivision", { level, s }), n, level, s, [] { return true; });
}

TestImage
RandomInstancing(unsigned int n, unsigned int level, unsigned int s, unsigned int percent, unsigned int seed)
{
  return DrawRidges(NameOf("RandomInstancing", { level, s, percent, seed }), n, level, s, Chance(percent, seed));
}

TestImage
RandomMerging(unsigned int n, unsigned int level, unsigned int s, unsigned int percent, unsigned int seed)
{
  TestImage image = Subdivision(n, level, s);
  image.name = NameOf("RandomMerging", { level, s, percent, seed });
  Chance              merges(percent, seed);
  const std::uint64_t cell = Power(n - s);
  for (std::uint64_t y = 0; y < Power(s); ++y)
  {
    for (std::uint64_t x = 0; x < Power(s); ++x)
    {
      // Lines start in the left column of the base and end in the left column of the next pattern's base.
      const std::uint64_t left = x * cell;
      const std::uint64_t row = y * cell + (level > 1 ? level : 0);
      if (merges() && x + 1 < Power(s))
      {
        std::fill_n(image.pixels.begin() + static_cast<std::ptrdiff_t>(image.IndexOf(left, row)), cell, 1);
      }
      if (merges() && y + 1 < Power(s))
      {
        for (std::uint64_t i = 0; i < cell; ++i)
        {
          image.pixels[image.IndexOf(left, row + i)] = 1;
        }
      }
    }
  }
  return image;
}

TestImage
Spiral(unsigned int n, unsigned int percent)
{
  TestImage       image = MakeImage(NameOf("Spiral", { percent }), { Power(n), Power(n), 1 });
  const TestImage spiral = MakeSpiral(Power(n) * percent / 100);
  for (std::uint64_t y = 0; y < spiral.size[1]; ++y)
  {
    std::copy_n(spiral.pixels.begin() + static_cast<std::ptrdiff_t>(spiral.IndexOf(0, y)),
                spiral.size[0],
                image.pixels.begin() + static_cast<std::ptrdiff_t>(image.IndexOf(0, y)));
  }
  return image;
}

} // namespace RidgePatterns

namespace
{

/** Draws the part of an ellipsoid that lies in the image. */
void
DrawEllipsoid(TestImage & image, const std::array<double, 3> & center, const std::array<double, 3> & radii)
{
  std::array<std::uint64_t, 3> begin{};
  std::array<std::uint64_t, 3> end{};
  for (unsigned int axis = 0; axis < 3; ++axis)
  {
    const auto limit = static_cast<double>(image.size[axis]);
    begin[axis] = static_cast<std::uint64_t>(std::clamp(std::ceil(center[axis] - radii[axis]), 0.0, limit));
    end[axis] = static_cast<std::uint64_t>(std::clamp(std::floor(center[axis] + radii[axis]) + 1.0, 0.0, limit));
  }
  const auto distance = [&](std::uint64_t at, unsigned int axis) {
    const double difference = (static_cast<double>(at) - center[axis]) / radii[axis];
    return difference * difference;
  };
  for (std::uint64_t z = begin[2]; z < end[2]; ++z)
  {
    for (std::uint64_t y = begin[1]; y < end[1]; ++y)
    {
      const double left = 1.0 - distance(z, 2) - distance(y, 1);
      if (left < 0.0)
      {
        continue;
      }
      for (std::uint64_t x = begin[0]; x < end[0]; ++x)
      {
        if (distance(x, 0) <= left)
        {
          image.pixels[image.IndexOf(x, y, z)] = 1;
        }
      }
    }
  }
}

/** Returns a random number from 0 to 1. The distributions of the C++ standard library may differ between platforms. */
double
Uniform(std::mt19937 & random)
{
  return static_cast<double>(random()) / 4294967296.0;
}

} // namespace

TestImage
MakeBlobs(const Size & size, unsigned int count, unsigned int seed)
{
  TestImage    image = MakeImage(NameOf("blobs", { count, seed }), size);
  std::mt19937 random(seed);
  for (unsigned int i = 0; i < count; ++i)
  {
    std::array<double, 3> center{};
    std::array<double, 3> radii{};
    for (unsigned int axis = 0; axis < 3; ++axis)
    {
      center[axis] = Uniform(random) * static_cast<double>(size[axis]);
      radii[axis] = std::max(1.0, (0.02 + 0.1 * Uniform(random)) * static_cast<double>(size[axis]));
    }
    DrawEllipsoid(image, center, radii);
  }
  return image;
}

TestImage
MakeVessels(const Size & size, unsigned int count, unsigned int seed)
{
  TestImage    image = MakeImage(NameOf("vessels", { count, seed }), size);
  std::mt19937 random(seed);
  struct Tip
  {
    std::array<double, 3> at;
    std::array<double, 3> direction;
    double                radius;
  };
  const bool   isPlane = size[2] == 1;
  const double widest = static_cast<double>(*std::max_element(size.begin(), size.end())) / 60.0;
  const auto   turn = [&](Tip & tip, double by) {
    double length = 0.0;
    for (unsigned int axis = 0; axis < (isPlane ? 2 : 3); ++axis)
    {
      tip.direction[axis] += by * (Uniform(random) - 0.5);
      length += tip.direction[axis] * tip.direction[axis];
    }
    for (double & component : tip.direction)
    {
      component /= std::sqrt(std::max(length, 1e-9));
    }
  };
  for (unsigned int i = 0; i < count; ++i)
  {
    Tip root{ {}, {}, widest };
    for (unsigned int axis = 0; axis < (isPlane ? 2 : 3); ++axis)
    {
      root.at[axis] = Uniform(random) * static_cast<double>(size[axis]);
    }
    turn(root, 2.0);
    std::vector<Tip> tips{ root };
    while (!tips.empty())
    {
      Tip tip = tips.back();
      tips.pop_back();
      while (tip.radius > 0.6)
      {
        DrawEllipsoid(image, tip.at, { tip.radius, tip.radius, tip.radius });
        turn(tip, 0.4);
        for (unsigned int axis = 0; axis < 3; ++axis)
        {
          tip.at[axis] += tip.direction[axis] * std::max(1.0, tip.radius / 2.0);
        }
        tip.radius *= 0.997;
        if (Uniform(random) < 0.02)
        {
          Tip branch = tip;
          branch.radius *= 0.7;
          turn(branch, 2.0);
          tips.push_back(branch);
        }
      }
    }
  }
  return image;
}

TestImage
MakeTwoCombsInNoise(std::uint64_t side, std::uint64_t distance)
{
  TestImage image = MakeRandom({ side, side, side }, 50, 1, 1);
  image.name = "two combs in noise, " + std::to_string(side / distance) + " teeth";
  for (std::uint64_t z = 0; z < side; ++z)
  {
    for (std::uint64_t y = 0; y < side; ++y)
    {
      for (std::uint64_t x = 0; x < side; ++x)
      {
        const bool     isFirst = x / distance % 2 == 0;
        const bool     isSpine = y == 0 || y == side - 1;
        const bool     isTooth = x % distance == distance / 2 && (isFirst ? y < side - 2 : y > 1);
        const bool     isGap = x % distance == 0 || y == 1 || y == side - 2;
        std::uint8_t & pixel = image.pixels[image.IndexOf(x, y, z)];
        pixel = isSpine || isTooth ? 1 : isGap ? 0 : pixel;
      }
    }
  }
  return image;
}
