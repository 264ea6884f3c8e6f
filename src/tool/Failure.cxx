// SPDX-License-Identifier: Apache-2.0
#include "Failure.h"

#include <regex>

std::string
Sentence(const itk::ExceptionObject & exception)
{
  std::string text = exception.GetDescription();
  text = std::regex_replace(text, std::regex("(itk::|ITK )ERROR: ([A-Za-z0-9]+\\(0x[0-9a-f]+\\): )?"), "");
  // The user of the tool knows the option, not the filter's setting.
  text = std::regex_replace(text, std::regex("CPUFallback is off"), "--backend cuda does not allow the CPU");
  text = std::regex_replace(text, std::regex("\\s+"), " ");
  const std::size_t begin = text.find_first_not_of(' ');
  const std::size_t end = text.find_last_not_of(' ');
  return begin == std::string::npos ? "unknown error" : text.substr(begin, end - begin + 1);
}
