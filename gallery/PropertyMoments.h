// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_gallery_PropertyMoments_h
#define ccl_gallery_PropertyMoments_h

// The center and the covariance of a component, from its sums: see Properties.h for the paper.

#include "gallery/PropertySums.h"
#include "primitives/Sums.h"

namespace itk::ccl::gallery
{

/** The mean position of a component's pixels. */
struct Center
{
  double x;
  double y;
};

/** The covariance matrix of the coordinates of a component's pixels, divided by their number n, not by n - 1. */
struct Covariance
{
  double xx;
  double yy;
  double xy;
};

/** Returns the center of a component (Equation 4). */
template <typename TSize>
CCL_HOST_DEVICE
constexpr Center
GetCenter(const PropertySums<TSize> & sums)
{
  const auto n = static_cast<double>(sums.size);
  return { static_cast<double>(sums.x) / n, static_cast<double>(sums.y) / n };
}

/** Returns the covariance matrix of a component (Equation 5). The numerators are exact, so no digits cancel out. */
template <typename TSize>
CCL_HOST_DEVICE
constexpr Covariance
GetCovariance(const PropertySums<TSize> & sums)
{
  const auto divide = [n = sums.size](std::uint64_t sumOfProducts, std::uint64_t sumA, std::uint64_t sumB) {
    const UInt128 a = UInt128{ n } * sumOfProducts;
    const UInt128 b = UInt128{ sumA } * sumB;
    const double  numerator = a >= b ? static_cast<double>(a - b) : -static_cast<double>(b - a);
    return numerator / (static_cast<double>(n) * static_cast<double>(n));
  };
  return { divide(sums.xx, sums.x, sums.x), divide(sums.yy, sums.y, sums.y), divide(sums.xy, sums.x, sums.y) };
}

} // namespace itk::ccl::gallery

#endif
