// SPDX-License-Identifier: Apache-2.0
#include "Options.h"

#include "OutputTypes.h"
#include "PluginPath.h"

#include "itkCudaConnectedComponentAlgorithms.h"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "itkVersion.h"

#include <cmath>
#include <iostream>
#include <limits>
#include <map>
#include <sstream>

namespace
{

/** Throws CLI::ValidationError if options contradict each other. */
void
RequireSensible(const Options & options)
{
  const auto require = [](bool condition, const std::string & message) {
    if (!condition)
    {
      throw CLI::ValidationError(message);
    }
  };
  for (const auto & limit : { options.lower, options.upper })
  {
    require(!limit || !std::isnan(*limit), "--lower and --upper must be numbers, not nan");
  }
  if (options.lower && options.upper)
  {
    std::ostringstream message;
    message.precision(std::numeric_limits<double>::digits10);
    message << "--lower " << *options.lower << " is above --upper " << *options.upper
            << ": no pixel would be foreground";
    require(*options.lower <= *options.upper, message.str());
  }
  const std::string background = "--background-value " + std::to_string(options.backgroundValue);
  if (options.outputType == "auto")
  {
    require(options.backgroundValue >= 0, background + " needs a signed --output-type, such as int32");
  }
  else
  {
    require(HasValue(options.outputType, options.backgroundValue),
            background + " does not fit into --output-type " + options.outputType);
  }
  const auto & algorithm = itk::CudaConnectedComponentAlgorithms::Describe(options.algorithm);
  require(options.fullyConnected || !algorithm.needsFullConnectivity,
          std::string("--algorithm ") + algorithm.option +
            " labels with full connectivity only: add --fully-connected");
}

constexpr int UsageError = 2;

} // namespace

std::optional<int>
ParseOptions(int argc, char ** argv, Options & options)
{
  std::map<std::string, itk::CudaConnectedComponentsEnums::Algorithm> algorithms;
  std::vector<std::string>                                            algorithmNames;
  std::string                                                         fullConnectivityNames;
  for (const auto & row : itk::CudaConnectedComponentAlgorithms::GetAll())
  {
    algorithms[row.option] = row.algorithm;
    algorithmNames.emplace_back(row.option);
    if (row.needsFullConnectivity)
    {
      fullConnectivityNames += (fullConnectivityNames.empty() ? "" : ", ") + std::string(row.option);
    }
  }
  const std::map<std::string, Options::Backend> backends{ { "auto", Options::Backend::Auto },
                                                          { "cuda", Options::Backend::Cuda },
                                                          { "cpu", Options::Backend::Cpu } };
  std::string                                   algorithm = "automatic";
  std::string                                   backend = "auto";

  std::vector<std::string> outputTypes{ "auto" };
  for (const auto & type : OutputTypes)
  {
    outputTypes.push_back(type.first);
  }

  CLI::App app("Labels the connected components of an image, on an NVIDIA GPU if there is one, else on the CPU.\n"
               "The labels equal ITK's labels: 1, 2, 3, ... in the raster order of the components' first pixels.");
  app
    .add_option(
      "INPUT", options.input, "image of 2 or 3 dimensions; without a threshold, pixels that are not 0 are foreground")
    ->required();
  app.add_option("OUTPUT", options.output, "file for the labels; the ending of its name selects the format")
    ->required();
  auto * const lower =
    app.add_option("--lower", options.lower, "threshold: only pixels of at least this value are foreground");
  auto * const upper =
    app.add_option("--upper", options.upper, "threshold: only pixels of at most this value are foreground");
  app.add_flag("--otsu", options.otsu, "only pixels above Otsu's threshold are foreground")->excludes(lower, upper);
  app.add_option(
    "--mask", options.mask, "mask image with the geometry of INPUT; pixels where the mask is 0 are background");
  app.add_flag("--fully-connected", options.fullyConnected, "full connectivity: 8 or 26 neighbors instead of 4 or 6");
  app.add_option("--background-value", options.backgroundValue, "value of the background in OUTPUT")
    ->capture_default_str();
  app
    .add_option(
      "--algorithm", algorithm, "algorithm of the GPU. These need --fully-connected: " + fullConnectivityNames)
    ->check(CLI::IsMember(algorithmNames))
    ->capture_default_str();
  app.add_option("--backend", backend, "auto: the GPU, else the CPU; cuda: the GPU, else an error; cpu: the CPU only")
    ->check(CLI::IsMember({ "auto", "cuda", "cpu" }))
    ->capture_default_str();
  app
    .add_option("--output-type",
                options.outputType,
                "pixel type of OUTPUT; auto is the smallest unsigned type that holds all labels")
    ->check(CLI::IsMember(outputTypes))
    ->capture_default_str();
  app.add_option("--preview", options.preview, "file for a picture (.png): the labels in colour over INPUT in grey");
  auto * const json = app.add_flag("--json", options.json, "print the report as JSON");
  app.add_flag("--quiet", options.quiet, "print errors only")->excludes(json);
  app.add_flag_callback(
    "--plugin-path",
    [] {
      std::cout << FindPluginPath() << '\n';
      throw CLI::Success();
    },
    "print the folder of the plug-in (the value for ITK_AUTOLOAD_PATH) and exit");
  app.set_version_flag("--version",
                       std::string("cuda-connected-components " CUDA_CONNECTED_COMPONENTS_VERSION "\nITK ") +
                         itk::Version::GetITKVersion() + "\n" CUDA_CONNECTED_COMPONENTS_CUDA,
                       "print the versions of this program, of ITK and of CUDA, and exit");
  app.footer(
    "Exit status: 0 on success, also if the CPU labels instead of the GPU; 1 if an image cannot be read, labeled or "
    "written; 2 if the arguments are wrong.");

  try
  {
    app.parse(argc, argv);
    options.algorithm = algorithms.at(algorithm);
    options.backend = backends.at(backend);
    RequireSensible(options);
  }
  catch (const CLI::Success & success)
  {
    return app.exit(success);
  }
  catch (const CLI::ParseError & error)
  {
    std::cerr << "cuda-connected-components: " << error.what() << "; see --help\n";
    return UsageError;
  }
  return std::nullopt;
}
