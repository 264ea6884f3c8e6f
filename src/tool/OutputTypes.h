// SPDX-License-Identifier: Apache-2.0
#ifndef OutputTypes_h
#define OutputTypes_h

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

/** The values of --output-type, except auto. */
inline const std::vector<std::string> OutputTypeNames{ "uint8",  "int8",  "uint16", "int16",
                                                       "uint32", "int32", "uint64", "int64" };

/** Returns visitor(T{}) for the pixel type T with this name, one of OutputTypeNames. */
template <typename TVisitor>
auto
VisitOutputType(const std::string & name, const TVisitor & visitor)
{
  if (name == "uint8")
  {
    return visitor(std::uint8_t{});
  }
  if (name == "int8")
  {
    return visitor(std::int8_t{});
  }
  if (name == "uint16")
  {
    return visitor(std::uint16_t{});
  }
  if (name == "int16")
  {
    return visitor(std::int16_t{});
  }
  if (name == "uint32")
  {
    return visitor(std::uint32_t{});
  }
  if (name == "int32")
  {
    return visitor(std::int32_t{});
  }
  if (name == "uint64")
  {
    return visitor(std::uint64_t{});
  }
  return visitor(std::int64_t{});
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
