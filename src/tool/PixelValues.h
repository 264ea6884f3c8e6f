// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_tool_PixelValues_h
#define ccl_tool_PixelValues_h

#include "primitives/PixelTypes.h"

#include <cstdint>

/** Returns visitor(T{}) for the type T of numbers that a file can have. */
template <typename TVisitor>
auto
VisitPixelType(itk::ccl::PixelType type, const TVisitor & visitor)
{
  switch (type)
  {
    case itk::ccl::PixelType::Float:
      return visitor(0.0F);
    case itk::ccl::PixelType::Double:
      return visitor(0.0);
    default:
      return itk::ccl::VisitLabelType(type, visitor);
  }
}

/** Converts the numbers of a row to double. `values` is an array of size[0] * componentCount elements. The numbers of a
 * pixel are adjacent. */
void
ReadRow(const itk::ccl::ImageView & image, std::uint64_t row, unsigned int componentCount, double * values);

/** Returns the sum of the squares of numbers. */
double
SquaredNorm(const double * numbers, unsigned int count);

#endif
