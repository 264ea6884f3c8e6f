// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_primitives_PixelTypes_h
#define ccl_primitives_PixelTypes_h

// Maps pixel types that are known at run time to C++ types. VisitPixels, VisitLabelType and VisitWidth differ in the
// types that they tell apart: VisitPixels those that differ in the comparison with zero, VisitLabelType all label
// types, and VisitWidth only the sizes of pixels, because kernels write labels and masks as bit patterns.
//
// No `switch` over PixelType has a default case, so that the compiler finds each one that lacks a new type.

#include "primitives/HostDevice.h"

#include "itkCudaConnectedComponentError.h"
#include "itkCudaConnectedComponentImageView.h"
#include "itkCudaConnectedComponentsEnums.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>

namespace itk::ccl
{

using PixelType = CudaConnectedComponentsEnums::PixelType;
using ImageView = CudaConnectedComponentImageView;

/** Returns the size of a pixel in bytes. */
constexpr std::size_t
SizeOf(PixelType type)
{
  return ImageView::SizeOf(type);
}

/** Returns whether pixels are floating-point numbers. */
constexpr bool
IsFloat(PixelType type)
{
  return type == PixelType::Half || type == PixelType::BFloat16 || type == PixelType::Float ||
         type == PixelType::Double;
}

/** Returns whether pixels are signed integers. */
CCL_HOST_DEVICE
constexpr bool
IsSigned(PixelType type)
{
  return type == PixelType::Int8 || type == PixelType::Int16 || type == PixelType::Int32 || type == PixelType::Int64;
}

/** Returns the name of a type, for messages. */
inline std::string
NameOf(PixelType type)
{
  switch (type)
  {
    case PixelType::Int8:
      return "Int8";
    case PixelType::UInt8:
      return "UInt8";
    case PixelType::Int16:
      return "Int16";
    case PixelType::UInt16:
      return "UInt16";
    case PixelType::Int32:
      return "Int32";
    case PixelType::UInt32:
      return "UInt32";
    case PixelType::Int64:
      return "Int64";
    case PixelType::UInt64:
      return "UInt64";
    case PixelType::Float:
      return "Float";
    case PixelType::Double:
      return "Double";
    case PixelType::Bool:
      return "Bool";
    case PixelType::Half:
      return "Half";
    case PixelType::BFloat16:
      return "BFloat16";
  }
  return std::to_string(static_cast<unsigned int>(type));
}

/** Throws CudaConnectedComponentError (InvalidArgument) for a type that the library cannot use.
 * \param use what the library cannot do with the type, such as "read pixels" */
[[noreturn]] inline void
ThrowUnsupported(PixelType type, const char * use)
{
  throw CudaConnectedComponentError(CudaConnectedComponentError::KindEnum::InvalidArgument,
                                    std::string("cannot ") + use + " of the type " + NameOf(type) +
                                      ": convert the image to another type first");
}

/** Throws CudaConnectedComponentError (InvalidArgument) unless kernels read the pixels of a type. */
inline void
RequireReadable(PixelType type)
{
  if (SizeOf(type) == 0 || type == PixelType::Half || type == PixelType::BFloat16)
  {
    ThrowUnsupported(type, "read pixels");
  }
}

/** Calls visitor(pixels) with a typed pointer. Signed integers are visited as unsigned integers: a signed and an
 * unsigned pixel with the same bits are both zero or both not. Throws CudaConnectedComponentError for a type that no
 * code reads; on the device, which cannot throw, stops the kernel. */
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
    case PixelType::Bool:
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
    case PixelType::Double:
      return visitor(static_cast<const double *>(pixels));
    case PixelType::Half:
    case PixelType::BFloat16:
      break;
  }
#ifdef __CUDA_ARCH__
  __trap();
  __builtin_unreachable();
#else
  ThrowUnsupported(type, "read pixels");
#endif
}

/** Calls visitor(T{}) with the integer type of labels. Throws CudaConnectedComponentError for other types. */
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
    case PixelType::UInt64:
      return visitor(std::uint64_t{});
    case PixelType::Float:
    case PixelType::Double:
    case PixelType::Bool:
    case PixelType::Half:
    case PixelType::BFloat16:
      break;
  }
  ThrowUnsupported(type, "write labels");
}

/** Calls visitor(T{}) with the unsigned integer type of 1, 2, 4 or 8 bytes. */
template <typename TVisitor>
auto
VisitSize(std::size_t bytes, const TVisitor & visitor)
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

/** Calls visitor(T{}) with the unsigned integer type that has the size of a pixel. Throws CudaConnectedComponentError
 * for a value that is no type. */
template <typename TVisitor>
auto
VisitWidth(PixelType type, const TVisitor & visitor)
{
  if (SizeOf(type) == 0)
  {
    ThrowUnsupported(type, "use pixels");
  }
  return VisitSize(SizeOf(type), visitor);
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
