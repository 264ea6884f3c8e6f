// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_tool_Report_h
#define ccl_tool_Report_h

#include "Options.h"

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
    std::uint64_t number = 0; // from 1 on, in the order of the labels
    std::uint64_t label = 0;
    std::uint64_t pixelCount = 0;
    double        physicalSize = 0.0;
  };

  struct Holes
  {
    std::uint64_t count = 0;
    std::uint64_t pixelCount = 0;
  };

  std::vector<std::uint64_t> size;
  std::string                pixelType;
  double                     foreground = 0.0; // fraction of the pixels, before masking and filling
  std::optional<double>      otsuThreshold;
  std::optional<Holes>       holes; // that were filled; empty without --fill-holes
  std::size_t                connectivity = 0;
  std::string                backend;                 // cuda or cpu
  std::string                reason;                  // why the backend is not cuda, or empty
  std::uint64_t              slabCount = 0;           // slabs on the GPU; 1 for the whole image, 0 without a GPU
  std::string                outputType;              // empty without an output
  std::uint64_t              objectCount = 0;         // objects that are written
  std::uint64_t              originalObjectCount = 0; // objects that were found
  std::vector<Object>        largestObjects;          // the largest first
  std::string                physicalUnit;            // empty if the image has no unit of length
  bool                       hasUnit = true;          // whether lengths are in mm, otherwise in pixels
  std::vector<std::string>   notes;                   // on the pixels that were read
  double                     readingMilliseconds = 0.0;
  double                     labelingMilliseconds = 0.0;
  double                     writingMilliseconds = 0.0;
};

/** A result that 3D Slicer shows beside the options. */
struct ReturnParameter
{
  std::string name; // no option has it
  std::string type; // as in the description of a module
  std::string label;
  std::string help;
  std::string value;
};

/** Returns the results for 3D Slicer. */
std::vector<ReturnParameter>
ReturnParametersOf(const Report & report);

/** Prints a report as text, one item a line. */
void
PrintText(const Options & options, const Report & report, std::ostream & out);

/** Prints a report as one JSON object. */
void
PrintJson(const Options & options, const Report & report, std::ostream & out);

#endif
