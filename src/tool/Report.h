// SPDX-License-Identifier: Apache-2.0
#ifndef Report_h
#define Report_h

#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

/** What the tool did. */
struct Report
{
  std::string                input;
  std::string                output;
  std::string                preview; // empty where there is none
  std::vector<std::uint64_t> size;
  std::string                pixelType;
  double                     foreground = 0.0; // share of the pixels, before masking
  std::optional<double>      otsuThreshold;
  bool                       masked = false;
  unsigned int               connectivity = 0;
  std::string                backend; // cuda or cpu
  std::string                reason;  // why not cuda, or empty
  std::string                outputType;
  std::uint64_t              objectCount = 0;
  double                     readingMilliseconds = 0.0;
  double                     labelingMilliseconds = 0.0;
  double                     writingMilliseconds = 0.0;
};

/** In lines for people. */
void
PrintText(const Report & report, std::ostream & out);

/** As one JSON object for scripts. */
void
PrintJson(const Report & report, std::ostream & out);

#endif
