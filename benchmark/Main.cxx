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

#include <cmath>
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

/** Calls visit(image, family, member) for the families of ridge patterns. Their level is 3, as in the paper on ridge
 * patterns. */
template <typename TVisitor>
void
VisitRidges(unsigned int n, const TVisitor & visit)
{
  constexpr unsigned int level = 3;
  for (unsigned int member = 1; member < n; ++member)
  {
    visit(RidgePatterns::Leveling(n, member), "Leveling", member);
  }
  for (unsigned int member = 0; member + level < n; ++member)
  {
    visit(RidgePatterns::Subdivision(n, level, member), "Subdivision", member);
  }
  for (unsigned int percent = 0; percent <= 100; percent += 20)
  {
    visit(RidgePatterns::Scaling(n, level, percent), "Scaling", percent);
    visit(RidgePatterns::RandomInstancing(n, level, 5, percent, 1), "RandomInstancing", percent);
    visit(RidgePatterns::RandomMerging(n, level, 5, percent, 1), "RandomMerging", percent);
  }
}

/** Measures Hilbert curves of orders 1 to 6 (the largest has 127 x 127 x 127 pixels), and the families of ridge
 * patterns. */
void
RunPatterns(Benchmark & benchmark, const Options & options)
{
  for (unsigned int order = 1; order <= 6; ++order)
  {
    benchmark.Run(MakeHilbert(3, order), { { "family", "Hilbert" }, { "member", order } });
  }
  VisitRidges(options.exponent, [&](const TestImage & image, const char * family, unsigned int member) {
    benchmark.Run(image, { { "family", family }, { "member", member } });
  });
}

/** Measures all algorithms on images of files and on patterns. Long paths come last: on them, some algorithms exceed
 * their time limit and are skipped for all later images. */
void
RunSurveyAverage(Benchmark & benchmark, const Options & options)
{
  const auto run = [&](const TestImage & image) {
    benchmark.RunSurvey(image, { true, false, options.steps }, { { "test", "average" } });
  };
  for (const std::string & file : options.files)
  {
    const TestImage image = ReadInput(file);
    run(image);
    for (const std::uint64_t side : options.upsample)
    {
      run(Upsample(image, side));
    }
  }
  const std::array<std::uint64_t, 3> plane{ options.planeSide, options.planeSide, 1 };
  const std::array<std::uint64_t, 3> volume{ options.volumeSide, options.volumeSide, options.volumeSide };
  run(MakeBlobs(plane, 60, 1));
  run(MakeRandom(plane, 50, 4, 1));
  run(MakeVessels(plane, 1, 1));
  run(MakeSpiral(options.planeSide - 1));
  run(MakeBlobs(volume, 40, 1));
  run(MakeRandom(volume, 30, 4, 1));
  run(MakeVessels(volume, 6, 1));
  run(MakeHilbert(3, 6));
}

/** Measures all algorithms on random planes and volumes of each density and granularity. */
void
RunSurveyRandom(Benchmark & benchmark, const Options & options, const std::string & test)
{
  const bool                        isDensity = test == "density";
  const std::vector<unsigned int> & values = isDensity ? options.densities : options.granularities;
  for (const std::uint64_t depth : { std::uint64_t{ 1 }, options.volumeSide })
  {
    const std::uint64_t side = depth == 1 ? options.planeSide : options.volumeSide;
    for (const unsigned int value : values)
    {
      const unsigned int density = isDensity ? value : 50;
      const unsigned int granularity = isDensity ? 1 : value;
      benchmark.RunSurvey(MakeRandom({ side, side, depth }, density, granularity, 1),
                          { true, false, false },
                          { { "test", test }, { "density", density }, { "granularity", granularity } });
    }
  }
}

/** Measures all algorithms on random planes and volumes of each size. */
void
RunSurveySize(Benchmark & benchmark, const Options & options)
{
  for (const unsigned int dimension : { 2U, 3U })
  {
    for (const std::uint64_t pixelCount : options.pixelCounts)
    {
      const auto side =
        static_cast<std::uint64_t>(std::round(std::pow(static_cast<double>(pixelCount), 1.0 / dimension)));
      benchmark.RunSurvey(MakeRandom({ side, side, dimension == 2 ? 1 : side }, 50, 1, 1),
                          { true, false, false },
                          { { "test", "size" }, { "pixels", pixelCount } });
    }
  }
}

/** Measures all algorithms and all ways to measure components on the six families of ridge patterns. */
void
RunSurveyRidges(Benchmark & benchmark, const Options & options)
{
  const auto run = [&](const TestImage & image, const char * family, unsigned int member) {
    benchmark.RunSurvey(
      image, { false, true, false }, { { "test", "ridges" }, { "family", family }, { "member", member } });
  };
  VisitRidges(options.ridgeExponent, run);
  for (unsigned int percent = 20; percent <= 100; percent += 20)
  {
    run(RidgePatterns::Spiral(options.ridgeExponent, percent), "Spiral", percent);
  }
}

void
RunSurvey(Benchmark & benchmark, const Options & options)
{
  for (const std::string & test : options.tests)
  {
    benchmark.BeginSurveyTest();
    if (test == "average")
    {
      RunSurveyAverage(benchmark, options);
    }
    else if (test == "size")
    {
      RunSurveySize(benchmark, options);
    }
    else if (test == "ridges")
    {
      RunSurveyRidges(benchmark, options);
    }
    else
    {
      RunSurveyRandom(benchmark, options, test);
    }
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

  CLI::App * const survey = app.add_subcommand(
    "survey", "measure all published algorithms: of the library and of the gallery, device to device");
  survey->add_option("FILES", options.files, "image files; pixels above Otsu's threshold are foreground");
  survey->add_option("--upsample",
                     options.upsample,
                     "also measure the images upsampled to these numbers of pixels along each side, such as 512");
  survey->add_option("--tests", options.tests, "some of average, density, granularity, size and ridges")
    ->capture_default_str()
    ->check(CLI::IsMember(options.tests));
  survey->add_flag("--steps", options.steps, "also measure each step in the test average");
  survey->add_option("--densities", options.densities, "foreground in percent")->capture_default_str();
  survey->add_option("--granularities", options.granularities, "sides of the random squares and cubes in pixels")
    ->capture_default_str();
  survey->add_option("--plane-side", options.planeSide, "pixels along each side of generated planes")
    ->capture_default_str();
  survey->add_option("--volume-side", options.volumeSide, "pixels along each side of generated volumes")
    ->capture_default_str();
  survey->add_option("--pixels", options.pixelCounts, "numbers of pixels of the test size")->capture_default_str();
  survey->add_option("--exponent", options.ridgeExponent, "n of ridge patterns of 2^n x 2^n pixels")
    ->capture_default_str()
    ->check(CLI::Range(9, 14));
  survey->add_option("--once", options.limits.once, "milliseconds; an algorithm that takes longer runs once")
    ->capture_default_str();
  survey
    ->add_option("--skip",
                 options.limits.skip,
                 "milliseconds; an algorithm that takes longer is skipped for the other images of the test")
    ->capture_default_str();
  survey->add_flag("--host", options.onHost, "run the algorithms on one thread of the host");
  CLI11_PARSE(app, argc, argv);

  try
  {
    if (!options.onHost && !DeviceTiming::HasDevice())
    {
      throw std::runtime_error("CUDA has no device here. The command \"survey --host\" needs none.");
    }
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
    else if (*survey)
    {
      RunSurvey(benchmark, options);
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
