// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_tool_MinimumSize_h
#define ccl_tool_MinimumSize_h

#include <cstdint>
#include <string>

/** A value of --min-size: a number of pixels, an area in mm2 or a volume in mm3. */
struct MinimumSize
{
  std::string   unit;               // mm2, mm3, or empty for pixels
  std::uint64_t pixelCount = 0;     // without a unit
  double        physicalSize = 0.0; // with a unit
};

/** Returns the minimum size that a text such as "100" or "5 mm3" means. Throws Failure. */
MinimumSize
ParseMinimumSize(const std::string & text);

/** Returns the whole number that a text means, from `minimum` to 2^64 - 1. Throws Failure. */
std::uint64_t
ParseWholeNumber(const std::string & text, std::uint64_t minimum);

/** Returns the unit of the physical size of an object: mm2 in a plane, mm3 in a volume. */
std::string
PhysicalUnit(unsigned int dimension);

/** Throws Failure if a size in mm2 is for a volume, or a size in mm3 is for a plane. `input` is the name of the image.
 */
void
RequireUnit(const MinimumSize & size, unsigned int dimension, const std::string & input);

/** Returns the smallest number of pixels whose physical size is at least the minimum size. `pixelSize` is the physical
 * size of a pixel in the unit of the minimum size. Without a unit, it has no effect. */
std::uint64_t
PixelCountOf(const MinimumSize & size, double pixelSize);

#endif
