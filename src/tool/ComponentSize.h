// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_tool_ComponentSize_h
#define ccl_tool_ComponentSize_h

#include "itkCudaConnectedComponentImageView.h"

#include <cstdint>
#include <limits>
#include <optional>
#include <string>

/** A value of --min-size or --max-size: a number of pixels, an area in mm2 or a volume in mm3. */
struct ComponentSize
{
  std::string   unit;               // mm2, mm3, or empty for pixels
  std::uint64_t pixelCount = 0;     // without a unit
  double        physicalSize = 0.0; // with a unit
};

/** A value of --gpu-memory. */
struct MemorySize
{
  std::uint64_t bytes;
};

/** A value of --lower or --upper. */
struct Limit
{
  std::string                                 text; // as the user wrote it
  double                                      number;
  itk::CudaConnectedComponentImageView::Value value; // exactly, if it is an integer of up to 64 bits
};

/** Returns the limit that a text means. Throws Failure. */
Limit
ParseLimit(const std::string & text);

/** Returns the size that a text such as "100" or "5 mm3" means. Throws Failure. */
ComponentSize
ParseComponentSize(const std::string & text);

/** Returns the size that a text such as "1GiB" means. Throws Failure. */
MemorySize
ParseMemorySize(const std::string & text);

/** Returns the whole number that a text means, from `minimum` to `maximum`. Throws Failure. */
std::uint64_t
ParseWholeNumber(const std::string & text,
                 std::uint64_t       minimum,
                 std::uint64_t       maximum = std::numeric_limits<std::uint64_t>::max());

/** Returns the finite number that a text means. Throws Failure. */
double
ParseNumber(const std::string & text);

/** Returns the unit of the physical size of an object: mm2 in a plane, mm3 in a volume. */
std::string
PhysicalUnit(unsigned int dimension);

/** Throws Failure if a size in mm2 is for a volume, a size in mm3 is for a plane, or the image has no unit of length.
 * `option` and `input` are the names of the option and of the image. */
void
RequireUnit(const std::optional<ComponentSize> & size,
            unsigned int                         dimension,
            bool                                 hasUnit,
            const std::string &                  option,
            const std::string &                  input);

/** Returns the smallest number of pixels whose physical size is at least a size. `pixelSize` is the physical size of a
 * pixel in the unit of the size. Without a unit, it has no effect. */
std::uint64_t
MinimumPixelCount(const ComponentSize & size, double pixelSize);

/** Returns the largest number of pixels whose physical size is at most a size. */
std::uint64_t
MaximumPixelCount(const ComponentSize & size, double pixelSize);

#endif
