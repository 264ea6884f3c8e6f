// SPDX-License-Identifier: Apache-2.0

// Measures the time of connected-component labeling, and compares it with floors and with ITK's filter. YACCLAB and
// the survey of Bolelli, Allegretti, Lumetti and Grana use the same protocols: average, average with steps, density and
// granularity, size.

#include "Benchmark.h"
#include "Inputs.h"
#include "Patterns.h"

#include "itkMacro.h"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include <iostream>

namespace
{

/** Measures a set of images: files in their own size and upsampled, and generated images. */
void
RunAverage(Benchmark & benchmark, const Options & options)
{
  for (const std::string & file : options.files)
  {
    const TestImage image = ReadInput(file);
    benchmark.Run(image);
    for (const std::uint64_t side : options.upsample)
    {
      benchmark.Run(Upsample(image, side));
    }
  }
  if (options.generated)
  {
    benchmark.Run(MakeBlobs({ 512, 512, 512 }, 40, 1));
    benchmark.Run(MakeVessels({ 512, 512, 512 }, 6, 1));
    benchmark.Run(MakeBlobs({ 2048, 2048, 1 }, 60, 1));
    benchmark.Run(MakeVessels({ 2048, 2048, 1 }, 1, 1));
    benchmark.Run(MakeSpiral(2047));
  }
}

/** Measures the table of components and the selection of components: of files, of an image that is all foreground and
 * of two large components in noise, and of random planes of 8192 x 8192 pixels with granularity 4, as FLSL+CD. */
void
RunAnalysis(Benchmark & benchmark, const Options & options)
{
  const itk::CudaConnectedComponentTable::Columns moments{ true, true, true, true, false, false };
  const itk::CudaConnectedComponentTable::Columns centroids{ true, true, true, false, false, false };
  for (const std::string & file : options.files)
  {
    const TestImage image = ReadInput(file);
    benchmark.RunAnalysis(image, moments, { true, false }, options.hostRuns);
    for (const std::uint64_t side : options.upsample)
    {
      benchmark.RunAnalysis(Upsample(image, side), moments, { true, false }, options.hostRuns);
    }
  }
  if (options.generated)
  {
    benchmark.RunAnalysis(MakeImage("all foreground", { 512, 512, 512 }, 1), moments, { true, false }, 0);
    benchmark.RunAnalysis(MakeTwoCombsInNoise(512, 256), moments, { true, false }, 0);
    benchmark.RunAnalysis(MakeTwoCombsInNoise(512, 16), moments, { true, false }, 0);
    for (unsigned int density = 0; density <= 100; density += 5)
    {
      benchmark.RunAnalysis(
        MakeRandom({ 8192, 8192, 1 }, density, 4, 1), centroids, { true }, 0, { { "density", density } });
    }
  }
}

/** Measures masks of the largest component and of filled holes, and the intensities of components. */
void
RunMasks(Benchmark & benchmark, const Options & options)
{
  for (const std::string & file : options.files)
  {
    const TestImage image = ReadInput(file);
    if (options.upsample.empty())
    {
      benchmark.RunMasks(image);
    }
    for (const std::uint64_t side : options.upsample)
    {
      benchmark.RunMasks(Upsample(image, side));
    }
  }
}

/** Measures random images of each density and granularity. */
void
RunRandom(Benchmark & benchmark, const Options & options)
{
  for (const std::array<std::uint64_t, 3> & size :
       { std::array<std::uint64_t, 3>{ 2048, 2048, 1 }, std::array<std::uint64_t, 3>{ 256, 256, 256 } })
  {
    for (const unsigned int granularity : options.granularities)
    {
      for (const unsigned int density : options.densities)
      {
        benchmark.Run(MakeRandom(size, density, granularity, 1),
                      { { "density", density }, { "granularity", granularity } });
      }
    }
  }
}

/** Measures each file, resampled to each size. */
void
RunSize(Benchmark & benchmark, const Options & options)
{
  for (const std::string & file : options.files)
  {
    const TestImage image = ReadInput(file);
    for (const std::uint64_t side : options.sizes)
    {
      benchmark.Run(Upsample(image, side), { { "image", image.name }, { "side", side } });
    }
  }
}

/** Measures Hilbert curves of orders 1 to 6 (the largest has 127 x 127 x 127 pixels), and the families of ridge
 * patterns. Their level is 3, as in the paper on ridge patterns. */
void
RunPatterns(Benchmark & benchmark, const Options & options)
{
  for (unsigned int order = 1; order <= 6; ++order)
  {
    benchmark.Run(MakeHilbert(3, order), { { "family", "Hilbert" }, { "member", order } });
  }
  const unsigned int     n = options.exponent;
  constexpr unsigned int level = 3;
  const auto             run = [&](const char * family, unsigned int member, const TestImage & image) {
    benchmark.Run(image, { { "family", family }, { "member", member } });
  };
  for (unsigned int member = 1; member < n; ++member)
  {
    run("Leveling", member, RidgePatterns::Leveling(n, member));
  }
  for (unsigned int member = 0; member + level < n; ++member)
  {
    run("Subdivision", member, RidgePatterns::Subdivision(n, level, member));
  }
  for (unsigned int percent = 0; percent <= 100; percent += 20)
  {
    run("Scaling", percent, RidgePatterns::Scaling(n, level, percent));
    run("RandomInstancing", percent, RidgePatterns::RandomInstancing(n, level, 5, percent, 1));
    run("RandomMerging", percent, RidgePatterns::RandomMerging(n, level, 5, percent, 1));
  }
}

} // namespace

int
main(int argc, char ** argv)
{
  Options  options;
  CLI::App app("Measures the time of connected-component labeling on a GPU, and from host to host.");
  app.require_subcommand(1);
  app.fallthrough();
  app.add_option("--runs", options.runs, "number of runs on the device; the result is their median")
    ->capture_default_str();
  app.add_option("--host-runs", options.hostRuns, "number of runs from host to host; 0: do not measure")
    ->capture_default_str();
  app.add_flag("--full-only", options.fullOnly, "do not measure face connectivity");
  app.add_option("--json", options.json, "file for all results; plot.py reads it");
  app.add_option("--note", options.note, "text for the results, such as the driver of the machine and the commit");

  CLI::App * const average = app.add_subcommand("average", "measure a set of images");
  average->add_option("FILES", options.files, "image files; pixels above Otsu's threshold are foreground");
  average->add_option("--upsample",
                      options.upsample,
                      "also measure the images upsampled to these numbers of pixels along each side, such as 512");
  average->add_flag("--generated", options.generated, "also measure generated images: blobs, vessels and a spiral");
  average->add_flag("--steps", options.steps, "also measure each step of the algorithms");

  CLI::App * const random = app.add_subcommand(
    "random", "measure random images of 2048 x 2048 and 256 x 256 x 256 pixels, of each density and granularity");
  random->add_option("--densities", options.densities, "foreground in percent")->capture_default_str();
  random->add_option("--granularities", options.granularities, "sides of the random squares and cubes in pixels")
    ->capture_default_str();

  CLI::App * const size = app.add_subcommand("size", "measure images that are resampled to each size");
  size->add_option("FILES", options.files, "image files; pixels above Otsu's threshold are foreground")->required();
  size->add_option("--sides", options.sizes, "sizes: pixels along each side")->capture_default_str();

  CLI::App * const analysis =
    app.add_subcommand("analysis", "measure the table of components and the selection of components");
  analysis->add_option("FILES", options.files, "image files; pixels above Otsu's threshold are foreground");
  analysis->add_option("--upsample",
                       options.upsample,
                       "also measure the images upsampled to these numbers of pixels along each side, such as 512");
  analysis->add_flag("--generated", options.generated, "also measure generated images, with 8192 x 8192 pixels, too");
  analysis->add_flag("--steps", options.steps, "also measure each step");

  CLI::App * const mask =
    app.add_subcommand("mask", "measure work on masks: the largest component, filled holes, and intensities");
  mask->add_option("FILES", options.files, "image files; pixels above Otsu's threshold are foreground")->required();
  mask->add_flag("--steps", options.steps, "also measure each step from device to device");
  mask->add_option("--upsample",
                   options.upsample,
                   "measure the images upsampled to these numbers of pixels along each side, such as 512");

  CLI::App * const patterns =
    app.add_subcommand("patterns", "measure Hilbert curves, and ridge patterns of 2^n x 2^n pixels");
  patterns->add_option("--exponent", options.exponent, "n")->capture_default_str()->check(CLI::Range(9, 14));
  CLI11_PARSE(app, argc, argv);

  try
  {
    const std::string protocol = app.get_subcommands().front()->get_name();
    Benchmark         benchmark(options, protocol);
    if (*average)
    {
      RunAverage(benchmark, options);
    }
    else if (*random)
    {
      RunRandom(benchmark, options);
    }
    else if (*analysis)
    {
      RunAnalysis(benchmark, options);
    }
    else if (*mask)
    {
      RunMasks(benchmark, options);
    }
    else if (*size)
    {
      RunSize(benchmark, options);
    }
    else
    {
      RunPatterns(benchmark, options);
    }
    return benchmark.Finish() ? EXIT_SUCCESS : EXIT_FAILURE;
  }
  catch (const itk::ExceptionObject & exception)
  {
    std::cerr << exception.GetDescription() << '\n';
  }
  catch (const std::exception & exception)
  {
    std::cerr << exception.what() << '\n';
  }
  return EXIT_FAILURE;
}
