// SPDX-License-Identifier: Apache-2.0
#include "Seeds.h"

#include "ComponentSize.h"
#include "Failure.h"
#include "Join.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <sstream>

namespace
{

/** Splits a text at its commas. Throws Failure if there are not 2 or 3 parts, or if `parse` throws it. */
template <typename TParse>
auto
ParseList(const std::string & text, const std::string & meaning, const TParse & parse)
{
  std::vector<decltype(parse(text))> numbers;
  std::istringstream                 parts(text + ','); // the last number ends with a comma, too
  try
  {
    for (std::string part; std::getline(parts, part, ',');)
    {
      numbers.push_back(parse(part));
    }
  }
  catch (const Failure &)
  {
    numbers.clear();
  }
  if (numbers.size() != 2 && numbers.size() != 3)
  {
    throw Failure('"' + text + "\" is not the " + meaning);
  }
  return numbers;
}

/** Returns the names of the numbers after an option that selects seeds. A value of the option may follow it. */
std::string
AxesOf(const std::string & argument)
{
  return argument.compare(0, 10, "--seed-ras") == 0 ? "R,A,S" : "X,Y,Z";
}

/** Throws Failure if a seed has not one number for each axis. */
void
RequireCount(std::size_t count, const std::string & argument, const Geometry & geometry, const std::string & input)
{
  const bool        isPlane = geometry.dimension == 2;
  const std::string axes = AxesOf(argument);
  if (count != geometry.dimension)
  {
    throw Failure(input + ": is a " + (isPlane ? "plane" : "volume") + " of " + Join(geometry.GetSize(), " x ") +
                  " pixels, but " + argument + " has " + std::to_string(count) + " numbers; give " +
                  (isPlane ? axes.substr(0, 3) : axes));
  }
}

} // namespace

Seed
ParseSeed(const std::string & text)
{
  const auto parse = [](const std::string & part) { return ParseWholeNumber(part, 0); };
  return { text,
           ParseList(text,
                     "index of a pixel; give whole numbers from 0 on: X,Y,Z in a volume, such as 120,85,40, or X,Y in "
                     "a plane",
                     parse) };
}

SeedPoint
ParseSeedPoint(const std::string & option, const std::string & text)
{
  const std::string axes = AxesOf(option);
  auto              point = ParseList(text,
                         "point; give numbers in mm: " + axes + " in a volume, such as -12.5,30,7.25, or " +
                           axes.substr(0, 3) + " in a plane",
                         ParseNumber);
  if (option == "--seed-ras")
  {
    point[0] = -point[0];
    point[1] = -point[1];
  }
  return { option + ' ' + text, point };
}

std::vector<LocatedSeed>
LocateSeeds(const std::vector<Seed> &      seeds,
            const std::vector<SeedPoint> & points,
            const Geometry &               geometry,
            const std::string &            input)
{
  const auto               size = geometry.GetSize();
  std::vector<LocatedSeed> located;
  for (const Seed & seed : seeds)
  {
    located.push_back({ "--seed " + seed.text, {} });
    RequireCount(seed.index.size(), located.back().argument, geometry, input);
    std::copy(seed.index.begin(), seed.index.end(), located.back().index.begin());
    if (!std::equal(size.begin(), size.end(), seed.index.begin(), std::greater<>()))
    {
      std::vector<std::uint64_t> last = size;
      std::for_each(last.begin(), last.end(), [](std::uint64_t & length) { --length; });
      throw Failure(input + ": " + located.back().argument + " lies outside the image of " + Join(size, " x ") +
                    " pixels; the last pixel is " + Join(last, ","));
    }
  }
  for (const SeedPoint & seed : points)
  {
    located.push_back({ seed.argument, {} });
    RequireCount(seed.point.size(), located.back().argument, geometry, input);
    itk::Point<double, 3> point = geometry.space->GetOrigin();
    std::copy(seed.point.begin(), seed.point.end(), point.Begin());
    const auto index = geometry.space->TransformPhysicalPointToContinuousIndex<double>(point);
    for (unsigned int axis = 0; axis < size.size(); ++axis)
    {
      const double rounded = std::floor(index[axis] + 0.5); // as ITK rounds
      if (!(rounded >= 0.0 && rounded < static_cast<double>(size[axis])))
      {
        throw Failure(input + ": " + located.back().argument + " lies outside the image of " + TextOf(geometry));
      }
      located.back().index[axis] = static_cast<std::uint64_t>(rounded);
    }
  }
  return located;
}
