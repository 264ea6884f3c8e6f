// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_tool_Options_h
#define ccl_tool_Options_h

#include "MinimumSize.h"

#include "itkCudaConnectedComponentsEnums.h"

#include <cstdint>
#include <optional>
#include <string>

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
  std::string           output; // empty without labels; then there is a table
  std::string           mask;
  std::optional<double> lower;
  std::optional<double> upper;
  bool                  otsu = false;
  bool                  fullyConnected = false;
  MinimumSize           minimumSize;
  std::uint64_t         numberToKeep = 0; // 0: all
  bool                  sortBySize = false;
  std::int64_t          backgroundValue = 0;
  std::string           outputType = "auto";
  Backend               backend = Backend::Auto;
  std::string           table;
  std::string           preview;
  bool                  json = false;
  bool                  quiet = false;

  itk::CudaConnectedComponentsEnums::Algorithm algorithm = itk::CudaConnectedComponentsEnums::Algorithm::Automatic;
};

/** Reads the command line into `options`. Returns the exit status if the program must end: after an error, which
 * it prints, or after an option such as --help. */
std::optional<int>
ParseOptions(int argc, char ** argv, Options & options);

#endif
