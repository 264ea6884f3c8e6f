// SPDX-License-Identifier: Apache-2.0
#include "PixelValues.h"

#include <numeric>

void
ReadRow(const itk::ccl::ImageView & image, std::uint64_t row, unsigned int componentCount, double * values)
{
  VisitPixelType(image.type, [&](auto zero) {
    const char * pixel = image.Row(row);
    for (std::uint64_t x = 0; x < image.size[0]; ++x, pixel += image.strides[0])
    {
      const auto * const numbers = reinterpret_cast<const decltype(zero) *>(pixel);
      for (unsigned int i = 0; i < componentCount; ++i)
      {
        *values++ = static_cast<double>(numbers[i]);
      }
    }
  });
}

double
SquaredNorm(const double * numbers, unsigned int count)
{
  return std::inner_product(numbers, numbers + count, numbers, 0.0);
}
