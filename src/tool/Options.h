// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_tool_Options_h
#define ccl_tool_Options_h

#include "MinimumSize.h"
#include "Seeds.h"

#include "itkCudaConnectedComponentsEnums.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/** The options of the command line. */
struct Options
{
  enum class Backend
  {
    Auto,
    Cuda,
    Cpu
  };

  std::string           input;
  std::string           output;             // empty without labels and mask; then there is a table
  bool                  maskOutput = false; // whether the output is a mask instead of labels
  std::string           mask;
  std::optional<double> lower;
  std::optional<double> upper;
  bool                  otsu = false;
  bool                  fillHoles = false;
  bool                  fullyConnected = false;
  std::vector<Seed>     seeds; // none: all components
  MinimumSize           minimumSize;
  std::uint64_t         numberToKeep = 0; // 0: all
  bool                  sortBySize = false;
  std::int64_t          backgroundValue = 0;
  std::string           outputType = "auto";
  Backend               backend = Backend::Auto;
  std::string           table;
  bool                  shapes = false;
  std::string           intensity; // file, or empty
  std::string           preview;
  bool                  previewNumbers = false;
  bool                  json = false;
  bool                  quiet = false;

  itk::CudaConnectedComponentsEnums::Algorithm algorithm = itk::CudaConnectedComponentsEnums::Algorithm::Automatic;

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
    return (!output.empty() && !maskOutput) || !preview.empty();
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
