// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_tool_OutputTypes_h
#define ccl_tool_OutputTypes_h

#include "primitives/PixelTypes.h"

#include <algorithm>
#include <cstdint>
#include <limits>
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

/** Returns visitor(T{}) for the pixel type T with this name, one of OutputTypes. */
template <typename TVisitor>
auto
VisitOutputType(const std::string & name, const TVisitor & visitor)
{
  const auto found =
    std::find_if(OutputTypes.begin(), OutputTypes.end(), [&name](const auto & type) { return type.first == name; });
  return itk::ccl::VisitLabelType(found->second, visitor);
}

/** Returns the largest value of an output type. */
inline std::uint64_t
MaximumOf(const std::string & outputType)
{
  return VisitOutputType(
    outputType, [](auto value) { return static_cast<std::uint64_t>(std::numeric_limits<decltype(value)>::max()); });
}

/** Returns whether an output type can hold a value. */
inline bool
HasValue(const std::string & outputType, std::int64_t value)
{
  if (value >= 0)
  {
    return static_cast<std::uint64_t>(value) <= MaximumOf(outputType);
  }
  return VisitOutputType(outputType, [value](auto zero) {
    using LimitsType = std::numeric_limits<decltype(zero)>;
    return LimitsType::is_signed && value >= static_cast<std::int64_t>(LimitsType::min());
  });
}

#endif
