// SPDX-License-Identifier: Apache-2.0
#include "Options.h"

#include "Failure.h"
#include "OutputTypes.h"
#include "PluginPath.h"
#include "SaveTable.h"

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
  require(!options.output.empty() || !options.table.empty(), "OUTPUT is required, except with --table");
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

/** Calls a function that reads the value of an option. Its Failure becomes an error of the command line. */
template <typename TFunction>
void
ReadValue(const std::string & option, const TFunction & function)
{
  try
  {
    function();
  }
  catch (const Failure & failure)
  {
    throw CLI::ValidationError(option + ' ' + failure.what());
  }
}

/** Adds the options for the connectivity, the selection and the order of the components. */
void
AddSelection(CLI::App & app, Options & options)
{
  const std::string group = "Components";
  app.add_flag("--fully-connected", options.fullyConnected, "full connectivity: 8 or 26 neighbors instead of 4 or 6")
    ->group(group);
  app
    .add_option_function<std::string>(
      "--min-size",
      [&options](const std::string & text) {
        ReadValue("--min-size", [&] { options.minimumSize = ParseMinimumSize(text); });
      },
      "remove components that are smaller than this: a number of pixels, such as 100, or a physical size, such as "
      "\"2.5 mm3\" (in planes mm2)")
    ->type_name("SIZE")
    ->group(group);
  app
    .add_option_function<std::string>(
      "--keep-largest",
      [&options](const std::string & text) {
        ReadValue("--keep-largest", [&] { options.numberToKeep = ParseWholeNumber(text, 1); });
      },
      "keep this number of components, the largest, and remove all others")
    ->type_name("NUMBER")
    ->group(group);
  app
    .add_option_function<std::vector<std::string>>(
      "--seed",
      [&options](const std::vector<std::string> & texts) {
        ReadValue("--seed", [&] {
          for (const std::string & text : texts)
          {
            options.seeds.push_back(ParseSeed(text));
          }
        });
      },
      "keep only components that contain this pixel, or the pixel of another --seed; the numbers count from 0; in "
      "planes X,Y. --keep-largest then counts these components only")
    ->type_name("X,Y,Z")
    ->type_size(1)
    ->allow_extra_args(false)
    ->group(group);
  app.add_flag("--sort-by-size", options.sortBySize, "number the components by size: label 1 is the largest")
    ->group(group);
}

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

  CLI::App app(
    "Labels the connected components of an image, on an NVIDIA GPU if there is one, else on the CPU.\n"
    "By default, the labels equal ITK's labels: 1, 2, 3, ... in the raster order of the components' first pixels.");
  app
    .add_option(
      "INPUT", options.input, "image of 2 or 3 dimensions; without a threshold, pixels that are not 0 are foreground")
    ->required();
  auto * const output =
    app.add_option("OUTPUT",
                   options.output,
                   "file for the labels, or the mask with --mask-output; the ending of its name selects the format. "
                   "Not required with --table");

  auto * const lower =
    app.add_option("--lower", options.lower, "threshold: only pixels of at least this value are foreground")
      ->group("Foreground");
  auto * const upper =
    app.add_option("--upper", options.upper, "threshold: only pixels of at most this value are foreground")
      ->group("Foreground");
  app.add_flag("--otsu", options.otsu, "only pixels above Otsu's threshold are foreground")
    ->excludes(lower, upper)
    ->group("Foreground");
  app
    .add_option(
      "--mask", options.mask, "mask image with the geometry of INPUT; pixels where the mask is 0 are background")
    ->type_name("FILE")
    ->group("Foreground");

  app
    .add_flag("--fill-holes",
              options.fillHoles,
              "fill holes first: background that does not reach the border of the image is foreground. The background "
              "has the other connectivity: 8 or 26 neighbors, or 4 or 6 with --fully-connected")
    ->group("Foreground");

  AddSelection(app, options);

  auto * const maskOutput =
    app
      .add_flag("--mask-output",
                options.maskOutput,
                "write a mask to OUTPUT instead of labels: the kept components have the pixel type and values of INPUT "
                "(1 with a threshold), all other pixels are 0")
      ->needs(output)
      ->group("Output");
  app.add_option("--background-value", options.backgroundValue, "value of the background in OUTPUT")
    ->capture_default_str()
    ->needs(output)
    ->excludes(maskOutput)
    ->group("Output");
  app
    .add_option("--output-type",
                options.outputType,
                "pixel type of OUTPUT; auto is the smallest unsigned type that holds all labels")
    ->excludes(maskOutput)
    ->check(CLI::IsMember(outputTypes))
    ->capture_default_str()
    ->needs(output)
    ->group("Output");
  auto * const table =
    app
      .add_option("--table",
                  options.table,
                  "file for a table (.csv or .json): label, size, bounding box and centroid of each component")
      ->check(
        [](const std::string & file) { return IsTableName(file) ? "" : "\"" + file + "\" must end in .csv or .json"; })
      ->type_name("FILE")
      ->group("Output");
  app
    .add_flag("--shapes",
              options.shapes,
              "more columns in the table: principal moments and axes, elongation, flatness, equivalent radius and "
              "ellipsoid diameters")
    ->needs(table)
    ->group("Output");
  app
    .add_option(
      "--intensity",
      options.intensity,
      "image with the geometry of INPUT; more columns in the table: mean, standard deviation, minimum, maximum "
      "and sum of its values in each component")
    ->type_name("FILE")
    ->needs(table)
    ->group("Output");
  auto * const preview =
    app.add_option("--preview", options.preview, "file for a picture (.png): the labels in colors over INPUT in grey")
      ->type_name("FILE")
      ->group("Output");
  app
    .add_flag(
      "--preview-numbers", options.previewNumbers, "write the labels of the five largest components into the picture")
    ->needs(preview)
    ->group("Output");
  auto * const json = app.add_flag("--json", options.json, "print the report as JSON")->group("Output");
  app.add_flag("--quiet", options.quiet, "print errors only")->excludes(json)->group("Output");

  app.add_option("--backend", backend, "auto: the GPU, else the CPU; cuda: the GPU, else an error; cpu: the CPU only")
    ->check(CLI::IsMember({ "auto", "cuda", "cpu" }))
    ->capture_default_str()
    ->group("GPU and CPU");
  app
    .add_option(
      "--algorithm", algorithm, "algorithm of the GPU. These need --fully-connected: " + fullConnectivityNames)
    ->check(CLI::IsMember(algorithmNames))
    ->capture_default_str()
    ->group("GPU and CPU");

  // To set this flag again moves its group to the end of the help.
  app.set_help_flag("-h,--help", "print this help and exit")->group("Help");
  app
    .add_flag_callback(
      "--plugin-path",
      [] {
        std::cout << FindPluginPath() << '\n';
        throw CLI::Success();
      },
      "print the folder of the plug-in (the value for ITK_AUTOLOAD_PATH) and exit")
    ->group("Help");
  app
    .set_version_flag("--version",
                      std::string("cuda-connected-components " CUDA_CONNECTED_COMPONENTS_VERSION "\nITK ") +
                        itk::Version::GetITKVersion() + "\n" CUDA_CONNECTED_COMPONENTS_CUDA,
                      "print the versions of this program, of ITK and of CUDA, and exit")
    ->group("Help");
  app.footer("Exit status: 0 on success, also if the CPU labels instead of the GPU; 1 if an image cannot be read or "
             "labeled, or an output cannot be written; 2 if the arguments are wrong.");

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
