// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_tool_Join_h
#define ccl_tool_Join_h

#include <limits>
#include <sstream>
#include <string>

/** Returns the elements of a range as a text, with a separator between them. */
template <typename TRange>
std::string
Join(const TRange & elements, const char * separator)
{
  std::ostringstream text;
  text.precision(std::numeric_limits<double>::digits10);
  const char * before = "";
  for (const auto & element : elements)
  {
    text << before << element;
    before = separator;
  }
  return text.str();
}

#endif
