// SPDX-License-Identifier: Apache-2.0
#include "Failure.h"

#include "Join.h"

#include "itkMacro.h"

#include <iterator>
#include <vector>

namespace
{

/** Removes a prefix of messages wherever it is in a text. The name and the address of an ITK object may follow it, such
 * as "PNGImageIO(0x55d0c0): ". */
void
RemovePrefix(const std::string & prefix, std::string & text)
{
  for (std::size_t at = 0; (at = text.find(prefix, at)) != std::string::npos;)
  {
    text.erase(at, prefix.size());
    const std::size_t end = text.find("): ", at);
    if (end != std::string::npos && text.find("(0x", at) < end && text.find_first_of(" \n", at) == end + 2)
    {
      text.erase(at, end + 3 - at);
    }
  }
}

} // namespace

std::string
Sentence(const itk::ExceptionObject & exception)
{
  std::string text = exception.GetDescription();
  RemovePrefix("itk::ERROR: ", text);
  RemovePrefix("ITK ERROR: ", text);
  // The user of the tool knows the option, not the filter's setting.
  const std::string setting = "CPUFallback is off";
  if (const std::size_t at = text.find(setting); at != std::string::npos)
  {
    text.replace(at, setting.size(), "--backend cuda does not allow the CPU");
  }
  std::istringstream             stream(text);
  const std::vector<std::string> words{ std::istream_iterator<std::string>(stream), {} };
  return words.empty() ? "unknown error" : Join(words, " ");
}
