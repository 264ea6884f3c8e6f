// SPDX-License-Identifier: Apache-2.0
#include "Options.h"

#include "PluginPath.h"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include <iostream>
#include <map>

std::optional<int>
ParseOptions(int argc, char ** argv, Options & options)
{
  using AlgorithmEnum = itk::CudaConnectedComponentsEnums::Algorithm;
  const std::map<std::string, AlgorithmEnum>    algorithms{ { "automatic", AlgorithmEnum::Automatic },
                                                            { "buf", AlgorithmEnum::BlockUnionFind },
                                                            { "bke", AlgorithmEnum::BlockKomuraEquivalence },
                                                            { "runs", AlgorithmEnum::RunUnionFind } };
  const std::map<std::string, Options::Backend> backends{ { "auto", Options::Backend::Auto },
                                                          { "cuda", Options::Backend::Cuda },
                                                          { "cpu", Options::Backend::Cpu } };
  std::string                                   algorithm = "automatic";
  std::string                                   backend = "auto";

  CLI::App app("Labels the connected components of an image, on an NVIDIA GPU where there is one.\n"
               "Labels are those of ITK: 1, 2, 3, ... in the order in which a raster scan meets the components.");
  app.add_option("INPUT", options.input, "image of 2 or 3 dimensions; pixels that are not 0 are foreground")
    ->required();
  app.add_option("OUTPUT", options.output, "image to write the labels to; the format goes by the name")->required();
  auto * const lower = app.add_option("--lower", options.lower, "only pixels from this value on are foreground");
  auto * const upper = app.add_option("--upper", options.upper, "only pixels up to this value are foreground");
  app.add_flag("--otsu", options.otsu, "pixels above Otsu's threshold are foreground")->excludes(lower, upper);
  app.add_option("--mask", options.mask, "image of the same geometry; pixels where it is 0 are background");
  app.add_flag("--fully-connected", options.fullyConnected, "8 or 26 neighbours instead of 4 or 6");
  app.add_option("--background-value", options.backgroundValue, "value of the background in OUTPUT")
    ->capture_default_str();
  app.add_option("--algorithm", algorithm, "how the GPU labels; buf and bke need --fully-connected")
    ->check(CLI::IsMember({ "automatic", "buf", "bke", "runs" }))
    ->capture_default_str();
  app.add_option("--backend", backend, "cuda fails where the GPU cannot do it, cpu leaves the GPU alone")
    ->check(CLI::IsMember({ "auto", "cuda", "cpu" }))
    ->capture_default_str();
  app
    .add_option(
      "--output-type", options.outputType, "pixel type of OUTPUT; auto is the smallest unsigned one that fits")
    ->check(CLI::IsMember({ "auto", "uint8", "int8", "uint16", "int16", "uint32", "int32", "uint64", "int64" }))
    ->capture_default_str();
  app.add_option("--preview", options.preview, "picture to draw, .png: the labels in colour over INPUT");
  auto * const json = app.add_flag("--json", options.json, "print as JSON");
  app.add_flag("--quiet", options.quiet, "print nothing but errors")->excludes(json);
  app.add_flag_callback(
    "--plugin-path",
    [] {
      std::cout << FindPluginPath() << '\n';
      throw CLI::Success();
    },
    "print the folder of the plug-in, for ITK_AUTOLOAD_PATH, and exit");

  try
  {
    app.parse(argc, argv);
  }
  catch (const CLI::ParseError & error)
  {
    return app.exit(error);
  }
  options.algorithm = algorithms.at(algorithm);
  options.backend = backends.at(backend);
  return std::nullopt;
}
