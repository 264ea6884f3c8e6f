// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_tool_Report_h
#define ccl_tool_Report_h

#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

/** The results of one call of the tool. */
struct Report
{
  struct Object
  {
    std::uint64_t label = 0;
    std::uint64_t pixelCount = 0;
    double        physicalSize = 0.0;
  };

  struct Holes
  {
    std::uint64_t count = 0;
    std::uint64_t pixelCount = 0;
  };

  std::string                input;
  std::string                output;    // file, or empty
  std::string                table;     // file, or empty
  std::string                intensity; // file, or empty
  std::string                preview;   // file, or empty
  std::vector<std::uint64_t> size;
  bool                       isMaskOutput = false; // whether the output is a mask instead of labels
  std::string                pixelType;
  double                     foreground = 0.0; // fraction of the pixels, before masking and filling
  std::optional<double>      otsuThreshold;
  bool                       masked = false;
  std::optional<Holes>       holes; // that were filled; empty without --fill-holes
  unsigned int               connectivity = 0;
  std::string                backend;                 // cuda or cpu
  std::string                reason;                  // why the backend is not cuda, or empty
  std::string                outputType;              // empty without an output
  std::uint64_t              objectCount = 0;         // objects that are written
  std::uint64_t              originalObjectCount = 0; // objects that were found
  std::vector<Object>        largestObjects;          // the largest first
  std::string                physicalUnit;
  double                     readingMilliseconds = 0.0;
  double                     labelingMilliseconds = 0.0;
  double                     writingMilliseconds = 0.0;
};

/** Prints a report as text, one item a line. */
void
PrintText(const Report & report, std::ostream & out);

/** Prints a report as one JSON object. */
void
PrintJson(const Report & report, std::ostream & out);

#endif
