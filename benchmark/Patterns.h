// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_benchmark_Patterns_h
#define ccl_benchmark_Patterns_h

// Images that are made, besides those of the tests.

#include "TestImages.h"


/** The Ridge Pattern families of Asad, Marroquim and Souza, "On GPU Connected Components and Properties: A Systematic
 * Evaluation of Connected Component Labeling Algorithms and Their Extension for Property Extraction", IEEE TIP 28(1),
 * 2019, Section IV: patterns of a level in a square of 2^n pixels a side. The base of a pattern is as wide as its crest
 * at the top, and one pixel wider to the right with each row. */
namespace RidgePatterns
{

/** The largest pattern of a level (1 to n - 1). */
TestImage
Leveling(unsigned int n, unsigned int level);

/** The same, scaled to a share in percent. */
TestImage
Scaling(unsigned int n, unsigned int level, unsigned int percent);

/** 4^s patterns instead of one, s up to n - level - 1. */
TestImage
Subdivision(unsigned int n, unsigned int level, unsigned int s);

/** Those, each with a probability in percent. */
TestImage
RandomInstancing(unsigned int n, unsigned int level, unsigned int s, unsigned int percent, unsigned int seed);

/** Those, each connected with its neighbours to the right and below with a probability in percent. */
TestImage
RandomMerging(unsigned int n, unsigned int level, unsigned int s, unsigned int percent, unsigned int seed);

} // namespace RidgePatterns

/** Ellipsoids of random place, shape and orientation along the axes: smooth like organs. */
TestImage
MakeBlobs(const std::array<std::uint64_t, 3> & size, unsigned int count, unsigned int seed);

/** Tubes that wander, become thinner and branch: like vessels. */
TestImage
MakeVessels(const std::array<std::uint64_t, 3> & size, unsigned int count, unsigned int seed);

#endif
