// SPDX-License-Identifier: Apache-2.0
#include "Seeds.h"

#include "Failure.h"
#include "MinimumSize.h"

#include "CudaConnectedComponentsDetail/ImageProperties.h"

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

template <unsigned int VDimension>
std::vector<std::array<std::uint64_t, 3>>
LocateSeeds(const std::vector<Seed> & seeds, const itk::ImageRegion<VDimension> & region, const std::string & input)
{
  const std::string size = itk::CudaConnectedComponentsDetail::SizeText(region);

  std::vector<std::array<std::uint64_t, 3>> indices;
  for (const Seed & seed : seeds)
  {
    if (seed.index.size() != VDimension)
    {
      throw Failure(input + ": is a " + (VDimension == 2 ? "plane" : "volume") + " of " + size +
                    " pixels, but --seed " + seed.text + " has " + std::to_string(seed.index.size()) +
                    " numbers; give " + (VDimension == 2 ? "X,Y" : "X,Y,Z"));
    }
    std::array<std::uint64_t, 3> index{ 0, 0, 0 };
    std::string                  last;
    bool                         isInside = true;
    for (unsigned int axis = 0; axis < VDimension; ++axis)
    {
      index[axis] = seed.index[axis];
      isInside = isInside && index[axis] < region.GetSize(axis);
      last += (axis > 0 ? "," : "") + std::to_string(region.GetSize(axis) - 1);
    }
    if (!isInside)
    {
      throw Failure(input + ": --seed " + seed.text + " lies outside the image of " + size +
                    " pixels; the last pixel is " + last);
    }
    indices.push_back(index);
  }
  return indices;
}

template std::vector<std::array<std::uint64_t, 3>>
LocateSeeds<2>(const std::vector<Seed> & seeds, const itk::ImageRegion<2> & region, const std::string & input);
template std::vector<std::array<std::uint64_t, 3>>
LocateSeeds<3>(const std::vector<Seed> & seeds, const itk::ImageRegion<3> & region, const std::string & input);
