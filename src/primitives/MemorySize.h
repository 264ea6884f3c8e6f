// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_primitives_MemorySize_h
#define ccl_primitives_MemorySize_h

#include <cctype>
#include <charconv>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>

namespace itk::ccl
{

/** Returns a number of bytes such as "1073741824", "1GiB", "500 MB" or "1g". KiB, Ki and so on are powers of 1024, and
 * KB, K and so on powers of 1000. Upper and lower case are the same. Returns nothing if a text is something else, or if
 * the number takes more than 64 bits. */
inline std::optional<std::uint64_t>
BytesOf(const std::string & text)
{
  std::uint64_t number = 0;
  const auto    result = std::from_chars(text.data(), text.data() + text.size(), number);
  std::string   unit;
  for (const char * letter = result.ptr; letter != text.data() + text.size(); ++letter)
  {
    if (*letter != ' ' || !unit.empty())
    {
      unit += static_cast<char>(std::tolower(static_cast<unsigned char>(*letter)));
    }
  }
  if (unit.size() > 1 && unit.back() == 'b')
  {
    unit.pop_back();
  }
  const bool          isBinary = unit.size() == 2 && unit[1] == 'i';
  const std::string   letter = isBinary ? unit.substr(0, 1) : unit;
  const std::size_t   power = letter.empty() ? 0 : std::string("bkmgtpe").find(letter);
  const std::uint64_t base = isBinary ? 1024 : 1000;
  bool isSize = result.ec == std::errc() && letter.size() <= 1 && power <= 6 && (power != 0 || !isBinary);
  for (std::size_t i = 0; isSize && i < power; ++i)
  {
    isSize = number <= std::numeric_limits<std::uint64_t>::max() / base;
    number *= base;
  }
  return isSize ? std::optional<std::uint64_t>(number) : std::nullopt;
}

} // namespace itk::ccl

#endif
