// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_tool_Seeds_h
#define ccl_tool_Seeds_h

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

/** Returns the seed that a text such as "120,85,40" means. Throws Failure. */
Seed
ParseSeed(const std::string & text);

/** Returns the indices of seeds as the labeler takes them: { x, y, z }, with z = 0 in a plane. `size` has the numbers
 * of pixels along the axes of the image. Throws Failure if a seed lies outside the image, or has not one number for
 * each axis. `input` is the name of the image. */
std::vector<std::array<std::uint64_t, 3>>
LocateSeeds(const std::vector<Seed> & seeds, const std::vector<std::uint64_t> & size, const std::string & input);

#endif
