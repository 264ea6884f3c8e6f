// SPDX-License-Identifier: Apache-2.0
#include "Seeds.h"

#include "Failure.h"
#include "Join.h"
#include "MinimumSize.h"

#include <sstream>

Seed
ParseSeed(const std::string & text)
{
  Seed               seed{ text, {} };
  std::istringstream numbers(text + ','); // the last number ends with a comma, too
  try
  {
    for (std::string number; std::getline(numbers, number, ',');)
    {
      seed.index.push_back(ParseWholeNumber(number, 0));
    }
  }
  catch (const Failure &)
  {
    seed.index.clear();
  }
  if (seed.index.size() != 2 && seed.index.size() != 3)
  {
    throw Failure('"' + text +
                  "\" is not the index of a pixel; give whole numbers from 0 on: X,Y,Z in a volume, such as 120,85,40, "
                  "or X,Y in a plane");
  }
  return seed;
}

std::vector<std::array<std::uint64_t, 3>>
LocateSeeds(const std::vector<Seed> & seeds, const std::vector<std::uint64_t> & size, const std::string & input)
{
  const bool        isPlane = size.size() == 2;
  const std::string sizeText = Join(size, " x ");

  std::vector<std::array<std::uint64_t, 3>> indices;
  for (const Seed & seed : seeds)
  {
    if (seed.index.size() != size.size())
    {
      throw Failure(input + ": is a " + (isPlane ? "plane" : "volume") + " of " + sizeText + " pixels, but --seed " +
                    seed.text + " has " + std::to_string(seed.index.size()) + " numbers; give " +
                    (isPlane ? "X,Y" : "X,Y,Z"));
    }
    std::array<std::uint64_t, 3> index{ 0, 0, 0 };
    std::vector<std::uint64_t>   last;
    bool                         isInside = true;
    for (std::size_t axis = 0; axis < size.size(); ++axis)
    {
      index[axis] = seed.index[axis];
      isInside = isInside && index[axis] < size[axis];
      last.push_back(size[axis] - 1);
    }
    if (!isInside)
    {
      throw Failure(input + ": --seed " + seed.text + " lies outside the image of " + sizeText +
                    " pixels; the last pixel is " + Join(last, ","));
    }
    indices.push_back(index);
  }
  return indices;
}
