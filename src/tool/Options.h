// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_tool_Options_h
#define ccl_tool_Options_h

#include "ComponentSize.h"
#include "Seeds.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/** The options of the command line. OptionTable has their defaults. */
struct Options
{
  std::string                  input;
  std::string                  output;             // empty without labels and mask; then there is a table
  bool                         maskOutput = false; // whether the output is a mask instead of labels
  std::string                  mask;
  std::optional<Limit>         lower;
  std::optional<Limit>         upper;
  bool                         otsu = false;
  std::optional<std::uint64_t> channel; // from 1 on
  std::string                  segment; // name, or empty
  bool                         ignoreAxes = false;
  bool                         fillHoles = false;
  bool                         byValue = false;
  bool                         fullyConnected = false;
  std::string                  connectivity; // a number of neighbors, or auto
  std::optional<ComponentSize> minimumSize;
  std::optional<ComponentSize> maximumSize;
  bool                         clearBorder = false;
  std::vector<Seed>            seeds; // none and no points: all components
  std::vector<SeedPoint>       seedPoints;
  std::optional<std::uint64_t> numberToKeep;
  bool                         sortBySize = false;
  std::int64_t                 backgroundValue = 0;
  std::string                  outputType; // a name of OutputTypes, or auto
  std::string                  table;
  std::string                  labelTable;
  bool                         shapes = false;
  std::string                  intensity; // file, or empty
  std::string                  preview;
  bool                         previewNumbers = false;
  bool                         json = false;
  bool                         quiet = false;
  std::string                  backend; // auto, cuda or cpu
  std::optional<std::uint64_t> device;
  std::optional<MemorySize>    gpuMemory;
  std::string                  algorithm; // a name of CudaConnectedComponentAlgorithms
  std::optional<std::uint64_t> threads;
  std::string                  returnParameterFile; // empty if the caller is not 3D Slicer

  /** Returns whether the report is printed as text. */
  bool
  IsTextPrinted() const
  {
    return !quiet && !json;
  }

  /** Returns whether an image of labels is needed, to write it or to draw it. */
  bool
  NeedsLabels() const
  {
    return (!output.empty() && (!maskOutput || byValue)) || !preview.empty();
  }

  /** Returns whether the sizes of the components are needed, apart from their selection. */
  bool
  NeedsTable() const
  {
    return !table.empty() || previewNumbers || this->IsTextPrinted();
  }
};

/** Reads the command line into `options`. Returns the exit status if the program must end: after an error, which
 * it prints, or after an option such as --help. */
std::optional<int>
ParseOptions(int argc, char ** argv, Options & options);

#endif
