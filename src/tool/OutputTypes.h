// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_tool_OutputTypes_h
#define ccl_tool_OutputTypes_h

#include "primitives/PixelTypes.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

/** The values of --output-type, except auto, and their pixel types. */
inline const std::vector<std::pair<std::string, itk::ccl::PixelType>> OutputTypes{
  { "uint8", itk::ccl::PixelType::UInt8 },   { "int8", itk::ccl::PixelType::Int8 },
  { "uint16", itk::ccl::PixelType::UInt16 }, { "int16", itk::ccl::PixelType::Int16 },
  { "uint32", itk::ccl::PixelType::UInt32 }, { "int32", itk::ccl::PixelType::Int32 },
  { "uint64", itk::ccl::PixelType::UInt64 }, { "int64", itk::ccl::PixelType::Int64 }
};

/** Returns the name of the type of an output's pixels. */
inline std::string
NameOf(itk::ccl::PixelType type)
{
  const auto found =
    std::find_if(OutputTypes.begin(), OutputTypes.end(), [type](const auto & output) { return output.second == type; });
  return found != OutputTypes.end() ? found->first : type == itk::ccl::PixelType::Float ? "float" : "double";
}

/** Returns the pixel type with this name, one of OutputTypes. */
inline itk::ccl::PixelType
TypeOfOutput(const std::string & name)
{
  return std::find_if(OutputTypes.begin(), OutputTypes.end(), [&name](const auto & type) { return type.first == name; })
    ->second;
}

/** Returns the largest value of an output type. */
inline std::uint64_t
MaximumOf(const std::string & outputType)
{
  const itk::ccl::PixelType type = TypeOfOutput(outputType);
  return ~std::uint64_t{ 0 } >> (64 - 8 * itk::ccl::SizeOf(type) + (itk::ccl::IsSigned(type) ? 1 : 0));
}

/** Returns whether an output type can hold a value. */
inline bool
HasValue(const std::string & outputType, std::int64_t value)
{
  // The smallest value of a signed type is -1 - the largest.
  return value >= 0 ? static_cast<std::uint64_t>(value) <= MaximumOf(outputType)
                    : itk::ccl::IsSigned(TypeOfOutput(outputType)) &&
                        static_cast<std::uint64_t>(-(value + 1)) <= MaximumOf(outputType);
}

#endif
