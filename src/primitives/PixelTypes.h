// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_primitives_PixelTypes_h
#define ccl_primitives_PixelTypes_h

// Maps pixel types that are known at run time to C++ types. The three functions differ in the types that they tell
// apart: VisitPixels those that differ in the comparison with zero, VisitLabelType all label types, and VisitWidth only
// the sizes of pixels, because kernels write labels and masks as bit patterns.

#include "primitives/HostDevice.h"

#include "itkCudaConnectedComponentsEnums.h"

#include <cstddef>
#include <cstdint>
#include <limits>

namespace itk::ccl
{

using PixelType = CudaConnectedComponentsEnums::PixelType;

/** Returns the size of a pixel in bytes. */
inline std::size_t
SizeOf(PixelType type)
{
  switch (type)
  {
    case PixelType::Int8:
    case PixelType::UInt8:
      return 1;
    case PixelType::Int16:
    case PixelType::UInt16:
      return 2;
    case PixelType::Int32:
    case PixelType::UInt32:
    case PixelType::Float:
      return 4;
    default:
      return 8;
  }
}

/** Calls visitor(pixels) with a typed pointer. Signed integers are visited as unsigned integers: a signed and an
 * unsigned pixel with the same bits are both zero or both not. */
CCL_NO_EXECUTION_CHECK
template <typename TVisitor>
CCL_HOST_DEVICE
auto
VisitPixels(const void * pixels, PixelType type, const TVisitor & visitor)
{
  switch (type)
  {
    case PixelType::Int8:
    case PixelType::UInt8:
      return visitor(static_cast<const std::uint8_t *>(pixels));
    case PixelType::Int16:
    case PixelType::UInt16:
      return visitor(static_cast<const std::uint16_t *>(pixels));
    case PixelType::Int32:
    case PixelType::UInt32:
      return visitor(static_cast<const std::uint32_t *>(pixels));
    case PixelType::Int64:
    case PixelType::UInt64:
      return visitor(static_cast<const std::uint64_t *>(pixels));
    case PixelType::Float:
      return visitor(static_cast<const float *>(pixels));
    default:
      return visitor(static_cast<const double *>(pixels));
  }
}

/** Calls visitor(T{}) with the integer type of labels. */
template <typename TVisitor>
auto
VisitLabelType(PixelType type, const TVisitor & visitor)
{
  switch (type)
  {
    case PixelType::Int8:
      return visitor(std::int8_t{});
    case PixelType::UInt8:
      return visitor(std::uint8_t{});
    case PixelType::Int16:
      return visitor(std::int16_t{});
    case PixelType::UInt16:
      return visitor(std::uint16_t{});
    case PixelType::Int32:
      return visitor(std::int32_t{});
    case PixelType::UInt32:
      return visitor(std::uint32_t{});
    case PixelType::Int64:
      return visitor(std::int64_t{});
    default:
      return visitor(std::uint64_t{});
  }
}

/** Calls visitor(T{}) with the unsigned integer type that has the size of a pixel. */
template <typename TVisitor>
auto
VisitWidth(PixelType type, const TVisitor & visitor)
{
  switch (SizeOf(type))
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

/** Calls visitor(T{}) with the unsigned integer type, of 32 or 64 bits, that can hold all values up to `maximum`. */
template <typename TVisitor>
auto
VisitIndexType(std::uint64_t maximum, const TVisitor & visitor)
{
  return maximum <= std::numeric_limits<std::uint32_t>::max() ? visitor(std::uint32_t{}) : visitor(std::uint64_t{});
}

} // namespace itk::ccl

#endif
