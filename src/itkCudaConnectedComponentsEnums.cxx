// SPDX-License-Identifier: Apache-2.0
#include "itkCudaConnectedComponentsEnums.h"

#include <array>
#include <ostream>

namespace itk
{

namespace
{

/** Prints the full name of a value. `names` has the values of the enumeration in their order. */
template <typename TEnum, typename... TNames>
std::ostream &
Print(std::ostream & out, const char * enumeration, TEnum value, TNames... names)
{
  const std::array<const char *, sizeof...(names)> all{ names... };
  const auto                                       index = static_cast<std::size_t>(value);
  const char * const                               scope = "itk::CudaConnectedComponentsEnums::";
  return index < all.size() ? out << scope << enumeration << "::" << all[index]
                            : out << "INVALID VALUE FOR " << scope << enumeration;
}

} // namespace

std::ostream &
operator<<(std::ostream & out, CudaConnectedComponentsEnums::Backend value)
{
  return Print(out, "Backend", value, "Unknown", "CUDA", "CPU", "ITK");
}

std::ostream &
operator<<(std::ostream & out, CudaConnectedComponentsEnums::PixelType value)
{
  return Print(out,
               "PixelType",
               value,
               "Int8",
               "UInt8",
               "Int16",
               "UInt16",
               "Int32",
               "UInt32",
               "Int64",
               "UInt64",
               "Float",
               "Double",
               "Bool",
               "Half",
               "BFloat16");
}

std::ostream &
operator<<(std::ostream & out, CudaConnectedComponentsEnums::Output value)
{
  return Print(out, "Output", value, "None", "Labels", "FilledInside", "FilledOutside", "MaskBits");
}

std::ostream &
operator<<(std::ostream & out, CudaConnectedComponentsEnums::ErrorKind value)
{
  return Print(out, "ErrorKind", value, "Unavailable", "Memory", "InvalidArgument", "TooManyObjects", "Cuda");
}

std::ostream &
operator<<(std::ostream & out, CudaConnectedComponentsEnums::Memory value)
{
  return Print(out, "Memory", value, "Host", "Device");
}

std::ostream &
operator<<(std::ostream & out, CudaConnectedComponentsEnums::ValueRole value)
{
  return Print(out, "ValueRole", value, "Pixel", "LowerLimit", "UpperLimit");
}

std::ostream &
operator<<(std::ostream & out, CudaConnectedComponentsEnums::ForegroundKind value)
{
  return Print(out, "ForegroundKind", value, "NotZero", "AnyOf", "Between");
}

std::ostream &
operator<<(std::ostream & out, CudaConnectedComponentsEnums::Border value)
{
  return Print(out, "Border", value, "Any", "Touching", "NotTouching");
}

std::ostream &
operator<<(std::ostream & out, CudaConnectedComponentsEnums::PixelOrder value)
{
  return Print(out, "PixelOrder", value, "Raster", "TransposedRaster");
}

std::ostream &
operator<<(std::ostream & out, CudaConnectedComponentsEnums::LabelOrder value)
{
  return Print(out, "LabelOrder", value, "FirstPixel", "Size");
}

std::ostream &
operator<<(std::ostream & out, CudaConnectedComponentsEnums::BlockOrder value)
{
  return Print(out, "BlockOrder", value, "FirstPixel", "Block");
}

} // namespace itk
