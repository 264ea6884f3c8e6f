// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_benchmark_Patterns_h
#define ccl_benchmark_Patterns_h

// Generated images for the benchmark, in addition to those of the tests.

#include "TestImages.h"

/** The families of ridge patterns of Asad, Marroquim and Souza, "On GPU Connected Components and Properties: A
 * Systematic Evaluation of Connected Component Labeling Algorithms and Their Extension for Property Extraction", IEEE
 * TIP 28(1), 2019, Section IV. The image is a square with 2^n pixels along each side. A pattern has a level, a crest,
 * and a base below the crest. The first row of the base is as wide as the crest. Each further row has one more pixel at
 * the right. */
namespace RidgePatterns
{

/** Makes the largest pattern of a level. Levels are 1 to n - 1. */
TestImage
Leveling(unsigned int n, unsigned int level);

/** Makes the largest pattern of a level, scaled to `percent` percent of its size. */
TestImage
Scaling(unsigned int n, unsigned int level, unsigned int percent);

/** Makes 4^s smaller patterns, one in each of 2^s x 2^s cells. s is at most n - level - 1. */
TestImage
Subdivision(unsigned int n, unsigned int level, unsigned int s);

/** Makes the patterns of Subdivision(), each with a probability of `percent` percent. */
TestImage
RandomInstancing(unsigned int n, unsigned int level, unsigned int s, unsigned int percent, unsigned int seed);

/** Makes the patterns of Subdivision(). A line connects a pattern to the next one to the right, and to the next one
 * below, each with a probability of `percent` percent. */
TestImage
RandomMerging(unsigned int n, unsigned int level, unsigned int s, unsigned int percent, unsigned int seed);

/** Makes a square spiral, 1 pixel wide, whose side is `percent` percent of the image's side. */
TestImage
Spiral(unsigned int n, unsigned int percent);

} // namespace RidgePatterns

/** Makes ellipsoids with random centers and radii. Their axes are parallel to the axes of the image. They are smooth,
 * like organs. */
TestImage
MakeBlobs(const std::array<std::uint64_t, 3> & size, unsigned int count, unsigned int seed);

/** Makes tubes that change their direction, become thinner and branch, like vessels. */
TestImage
MakeVessels(const std::array<std::uint64_t, 3> & size, unsigned int count, unsigned int seed);

/** Makes a cube of random foreground of 50 % with two combs, whose teeth alternate along x every `distance` pixels. The
 * foreground around each tooth belongs to its comb, so there are two large components. */
TestImage
MakeTwoCombsInNoise(std::uint64_t side, std::uint64_t distance);

#endif
