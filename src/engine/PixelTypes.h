// SPDX-License-Identifier: Apache-2.0
#ifndef PixelTypes_h
#define PixelTypes_h

// From types that are known when the program runs to types that are known when it is compiled.

#include "HostDevice.h"

#include <cstddef>
#include <cstdint>

namespace itk::ccl
{

/** Pixel types that differ in how they compare with zero. */
enum class PixelKind : std::uint8_t
{
  Integer8,
  Integer16,
  Integer32,
  Integer64,
  Float,
  Double
};

/** The size of a pixel. */
inline std::size_t
BytesOf(PixelKind kind)
{
  switch (kind)
  {
    case PixelKind::Integer8:
      return 1;
    case PixelKind::Integer16:
      return 2;
    case PixelKind::Integer32:
    case PixelKind::Float:
      return 4;
    default:
      return 8;
  }
}

/** Calls visitor(pixels) with the type of the pixels. */
CCL_NO_EXECUTION_CHECK
template <typename TVisitor>
CCL_HOST_DEVICE
auto
VisitPixels(const void * pixels, PixelKind kind, const TVisitor & visitor)
{
  switch (kind)
  {
    case PixelKind::Integer8:
      return visitor(static_cast<const std::uint8_t *>(pixels));
    case PixelKind::Integer16:
      return visitor(static_cast<const std::uint16_t *>(pixels));
    case PixelKind::Integer32:
      return visitor(static_cast<const std::uint32_t *>(pixels));
    case PixelKind::Integer64:
      return visitor(static_cast<const std::uint64_t *>(pixels));
    case PixelKind::Float:
      return visitor(static_cast<const float *>(pixels));
    default:
      return visitor(static_cast<const double *>(pixels));
  }
}

/** Calls visitor(T{}) with the unsigned integer that has a width. */
template <typename TVisitor>
auto
VisitWidth(unsigned int bytes, const TVisitor & visitor)
{
  switch (bytes)
  {
    case 1:
      return visitor(std::uint8_t{});
    case 2:
      return visitor(std::uint16_t{});
    case 4:
      return visitor(std::uint32_t{});
    default:
      return visitor(std::uint64_t{});
  }
}

} // namespace itk::ccl

#endif
