// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_tool_Seeds_h
#define ccl_tool_Seeds_h

#include "ReadImage.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

/** A value of --seed: the index of a pixel, from the first pixel of the image. */
struct Seed
{
  std::string                text; // as the user wrote it
  std::vector<std::uint64_t> index;
};

/** A value of --seed-point or --seed-ras: a point in ITK's physical coordinates, in mm. */
struct SeedPoint
{
  std::string         argument; // the option and its value, as the user wrote them
  std::vector<double> point;
};

/** Returns the seed that a text such as "120,85,40" means. Throws Failure. */
Seed
ParseSeed(const std::string & text);

/** Returns the point that a text such as "-12.5,30,7.25" means as the value of an option. Throws Failure. */
SeedPoint
ParseSeedPoint(const std::string & option, const std::string & text);

/** A seed as the labeler takes it. */
struct LocatedSeed
{
  std::string                  argument; // the option and its value, as the user wrote them
  std::array<std::uint64_t, 3> index;    // x, y and z; z is 0 in a plane
};

/** Finds the pixels of seeds and of points. Throws Failure if a seed lies outside the image, or has not one number for
 * each axis. `input` is the name of the image. */
std::vector<LocatedSeed>
LocateSeeds(const std::vector<Seed> &      seeds,
            const std::vector<SeedPoint> & points,
            const Geometry &               geometry,
            const std::string &            input);

#endif
